"""Measures of decision values against signs. Arrays in, one number out.

`decision` and `signs` have shape (n_docs, n_columns); `chosen` is the boolean matrix of what was
predicted. One column means one yes/no question, about the second of two classes. A document of a
class that no column stands for has the sign NaN: a yes about it is false, and so is a no.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from laconic.numerics.quotient import quotient

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


def chosen_by(decision: Floats, rule: str) -> Bools:
    """What the rule predicts: f > 0 in each column, or the one largest."""
    if rule != "argmax":
        return decision > 0
    chosen = np.zeros(decision.shape, dtype=bool)
    chosen[np.arange(decision.shape[0]), decision.argmax(axis=1)] = True
    return chosen


def accuracy(chosen: Bools, signs: Floats) -> float:
    """Share of documents with every column right."""
    return float(((chosen == (signs > 0)) & ~np.isnan(signs)).all(axis=1).mean())


def error(decision: Floats, signs: Floats, rule: str) -> float:
    """Share of documents that are decided wrongly, or not at all.

    A value of exactly 0 says neither yes nor no (a document with no chosen word), and a tie for
    the largest value names no class. So it is not 1 − accuracy, which takes these for an answer.
    """
    wrong = (chosen_by(decision, rule) != (signs > 0)) | np.isnan(signs)
    return float((wrong.any(axis=1) | _undecided(decision, rule)).mean())


def _undecided(decision: Floats, rule: str) -> Bools:
    if rule != "argmax":
        return np.asarray((decision == 0).any(axis=1))
    largest = decision == decision.max(axis=1, keepdims=True)
    return np.asarray(largest.sum(axis=1) > 1)


def _counts(chosen: Bools, signs: Floats) -> tuple[Floats, Floats, Floats]:
    truth = signs > 0
    hits = (chosen & truth).sum(axis=0).astype(np.float64)
    return hits, chosen.sum(axis=0).astype(np.float64), truth.sum(axis=0).astype(np.float64)


def micro_f1(chosen: Bools, signs: Floats) -> float:
    """F1 of the pooled decisions; a document of an unseen class is one that several missed."""
    hits, yes, true = (np.atleast_1d(counts.sum()) for counts in _counts(chosen, signs))
    missed = np.isnan(signs).all(axis=1).sum() if signs.shape[1] > 1 else 0
    return float(quotient(2 * hits, yes + true + missed)[0])


def macro_f1(chosen: Bools, signs: Floats) -> float:
    """Mean over the columns of F1."""
    hits, yes, true = _counts(chosen, signs)
    return float(quotient(2 * hits, yes + true).mean())


def precision(chosen: Bools, signs: Floats) -> float:
    """Mean over the columns of the share of yeses that are right."""
    hits, yes, _ = _counts(chosen, signs)
    return float(quotient(hits, yes).mean())


def recall(chosen: Bools, signs: Floats) -> float:
    """Mean over the columns of the share of true ones that are found."""
    hits, _, true = _counts(chosen, signs)
    return float(quotient(hits, true).mean())


def auc(decision: Floats, signs: Floats) -> float:
    """Mean over the columns of the area under the ROC curve, by mid-ranks, so that ties count ½.

    Columns with only one sign have no area and are left out; NaN where none is left.
    """
    truth = signs > 0
    n_true = truth.sum(axis=0)
    n_false = truth.shape[0] - n_true
    sound = (n_true > 0) & (n_false > 0)
    if not sound.any():
        return float("nan")
    ranks = rankdata(decision[:, sound], axis=0)
    sums = np.where(truth[:, sound], ranks, 0.0).sum(axis=0)
    area = (sums - n_true[sound] * (n_true[sound] + 1) / 2) / (n_true[sound] * n_false[sound])
    return float(area.mean())


def pooled_auc(decision: Floats, signs: Floats) -> float:
    """The area over all decisions of all columns together, as one question.

    Unlike the mean of the columns it depends on how their values compare: on intercepts, scales.
    """
    return auc(decision.reshape(-1, 1), signs.reshape(-1, 1))


def best_f1(decision: Floats, signs: Floats) -> float:
    """Mean over the columns of the best F1 that any threshold gives; a tie is never split.

    The threshold is chosen on these very documents: an oracle number, and to be called so.
    Columns without a true document are left out; NaN where none is left.
    """
    truth = signs > 0
    best = [
        _best_f1_of(decision[:, column], truth[:, column])
        for column in np.flatnonzero(truth.any(axis=0))
    ]
    return float(np.mean(best)) if best else float("nan")


def _best_f1_of(values: Floats, truth: Bools) -> float:
    order = np.argsort(-values, kind="stable")
    hits = np.cumsum(truth[order])
    yes = np.arange(1, values.size + 1)
    ends = np.append(np.diff(values[order]) != 0, True)
    return float((2 * hits[ends] / (yes[ends] + truth.sum())).max())
