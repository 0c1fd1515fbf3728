"""Metrics of decision values against labels as ±1. Arrays in, one number out.

`decision` and `y_signed` have shape (n_docs, n_columns); `y_pred` is the boolean matrix of
predictions. One column is a problem of two classes, of which the second is the positive one. A
document of a class without a column has the label NaN: every prediction for it is wrong. Such
classes are `n_unseen` where a mean over classes counts them. Names and values are scikit-learn's,
with `zero_division=0`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.stats import rankdata

from laconic.numerics.quotient import quotient
from laconic.types import Bools, Floats

# One value per class from its correct predictions, its predictions and its documents.
ClassMeasure: TypeAlias = Callable[[Floats, Floats, Floats], Floats]


def apply_rule(decision: Floats, rule: str, thresholds: Floats | None = None) -> Bools:
    """Predictions by the rule: f > threshold (0) in each column, or the largest value only."""
    if rule != "argmax":
        return decision > (0.0 if thresholds is None else thresholds)
    y_pred = np.zeros(decision.shape, dtype=bool)
    y_pred[np.arange(decision.shape[0]), decision.argmax(axis=1)] = True
    return y_pred


def accuracy(y_pred: Bools, y_signed: Floats) -> float:
    """Share of documents with every column right."""
    return float(((y_pred == (y_signed > 0)) & ~np.isnan(y_signed)).all(axis=1).mean())


def error(decision: Floats, y_signed: Floats, rule: str) -> float:
    """Share of documents with a wrong prediction or none.

    A value of exactly 0 is no prediction (a document without a selected word), and neither is a
    tie for the largest value. So this is not 1 − accuracy, which counts these as predictions.
    """
    wrong = (apply_rule(decision, rule) != (y_signed > 0)) | np.isnan(y_signed)
    return float((wrong.any(axis=1) | _undecided(decision, rule)).mean())


def _undecided(decision: Floats, rule: str) -> Bools:
    if rule != "argmax":
        return np.asarray((decision == 0).any(axis=1))
    largest = decision == decision.max(axis=1, keepdims=True)
    return np.asarray(largest.sum(axis=1) > 1)


def f1_micro(y_pred: Bools, y_signed: Floats, rule: str, n_unseen: int = 1) -> float:
    """F1 over the decisions of all labels; with one label per document it is the accuracy.

    So the number of unseen classes does not matter.
    """
    if rule != "labels":
        return accuracy(y_pred, y_signed)
    hits, n_predicted, n_true = (counts.sum(keepdims=True) for counts in _counts(y_pred, y_signed))
    return float(quotient(2 * hits, n_predicted + n_true)[0])


def f1_macro(y_pred: Bools, y_signed: Floats, rule: str, n_unseen: int = 1) -> float:
    """Mean of F1 over the classes of `_macro`."""
    return _macro(_f1, y_pred, y_signed, rule, n_unseen)


def precision_macro(y_pred: Bools, y_signed: Floats, rule: str, n_unseen: int = 1) -> float:
    """Mean over the classes of `_macro` of the share of their predictions that are right."""
    return _macro(_precision, y_pred, y_signed, rule, n_unseen)


def recall_macro(y_pred: Bools, y_signed: Floats, rule: str, n_unseen: int = 1) -> float:
    """Mean over the classes of `_macro` of the share of their documents that are predicted."""
    return _macro(_recall, y_pred, y_signed, rule, n_unseen)


def balanced_accuracy(y_pred: Bools, y_signed: Floats, rule: str, n_unseen: int = 1) -> float:
    """Mean over the classes that occur of the share of their documents that are predicted.

    NaN if documents may have several labels.
    """
    if rule == "labels":
        return float("nan")
    hits, _, n_true = _counts(*_by_class(y_pred, y_signed, rule))
    occur = n_true > 0
    n_unseen = _n_unseen(y_signed, n_unseen)
    return float((hits[occur] / n_true[occur]).sum() / (occur.sum() + n_unseen))


def f1(y_pred: Bools, y_signed: Floats) -> float:
    """F1 of the positive class, for two classes; NaN for more."""
    return mean_f1(y_pred, y_signed) if y_signed.shape[1] == 1 else float("nan")


def precision(y_pred: Bools, y_signed: Floats) -> float:
    """Precision of the positive class, for two classes; NaN for more."""
    return _of_positive(_precision, y_pred, y_signed)


def recall(y_pred: Bools, y_signed: Floats) -> float:
    """Recall of the positive class, for two classes; NaN for more."""
    return _of_positive(_recall, y_pred, y_signed)


def mean_f1(y_pred: Bools, y_signed: Floats) -> float:
    """Mean of F1 over the columns: for two classes the F1 of the positive one."""
    return float(_f1(*_counts(y_pred, y_signed)).mean())


def _of_positive(measure: ClassMeasure, y_pred: Bools, y_signed: Floats) -> float:
    if y_signed.shape[1] > 1:
        return float("nan")
    return float(measure(*_counts(y_pred, y_signed))[0])


def _macro(
    measure: ClassMeasure, y_pred: Bools, y_signed: Floats, rule: str, n_unseen: int
) -> float:
    """Mean over all labels, or over the classes that occur in truth or prediction.

    A class without a training document occurs in truth only, so it counts as 0.
    """
    if rule == "labels":
        return float(measure(*_counts(y_pred, y_signed)).mean())
    hits, n_predicted, n_true = _counts(*_by_class(y_pred, y_signed, rule))
    occur = n_predicted + n_true > 0
    values = measure(hits[occur], n_predicted[occur], n_true[occur])
    return float(values.sum() / (values.size + _n_unseen(y_signed, n_unseen)))


def _by_class(y_pred: Bools, y_signed: Floats, rule: str) -> tuple[Bools, Floats]:
    """One column per class: two for the one of two classes."""
    if rule != "sign":
        return y_pred, y_signed
    return np.hstack([~y_pred, y_pred]), np.hstack([-y_signed, y_signed])


def _n_unseen(y_signed: Floats, n_unseen: int) -> int:
    return n_unseen if np.isnan(y_signed).any() else 0


def _counts(y_pred: Bools, y_signed: Floats) -> tuple[Floats, Floats, Floats]:
    """Per column: correct predictions, predictions, and documents."""
    truth = y_signed > 0
    hits = (y_pred & truth).sum(axis=0).astype(np.float64)
    return hits, y_pred.sum(axis=0).astype(np.float64), truth.sum(axis=0).astype(np.float64)


def _f1(hits: Floats, n_predicted: Floats, n_true: Floats) -> Floats:
    return quotient(2 * hits, n_predicted + n_true)


def _precision(hits: Floats, n_predicted: Floats, n_true: Floats) -> Floats:
    return quotient(hits, n_predicted)


def _recall(hits: Floats, n_predicted: Floats, n_true: Floats) -> Floats:
    return quotient(hits, n_true)


def roc_auc(decision: Floats, y_signed: Floats) -> float:
    """Mean over the columns of the area under the ROC curve; ties count ½.

    Columns whose labels are all equal have no area and are left out; NaN where none is left.
    """
    truth = y_signed > 0
    n_true = truth.sum(axis=0)
    n_false = truth.shape[0] - n_true
    sound = (n_true > 0) & (n_false > 0)
    if not sound.any():
        return float("nan")
    ranks = rankdata(decision[:, sound], axis=0)
    sums = np.where(truth[:, sound], ranks, 0.0).sum(axis=0)
    area = (sums - n_true[sound] * (n_true[sound] + 1) / 2) / (n_true[sound] * n_false[sound])
    return float(area.mean())


def roc_auc_micro(decision: Floats, y_signed: Floats) -> float:
    """The area under the ROC curve over the decisions of all columns together.

    Unlike the mean over columns it depends on the columns' intercepts and scales.
    """
    return roc_auc(decision.reshape(-1, 1), y_signed.reshape(-1, 1))


def best_f1(decision: Floats, y_signed: Floats) -> float:
    """Mean over the columns of the best F1 at any threshold; a tie is never split.

    The threshold is chosen on the same documents, so this is an oracle value. Columns without a
    positive document are left out; NaN where none is left.
    """
    truth = y_signed > 0
    best = [
        _best_f1_of(decision[:, column], truth[:, column])
        for column in np.flatnonzero(truth.any(axis=0))
    ]
    return float(np.mean(best)) if best else float("nan")


def _best_f1_of(values: Floats, truth: Bools) -> float:
    order = np.argsort(-values, kind="stable")
    hits = np.cumsum(truth[order])
    n_predicted = np.arange(1, values.size + 1)
    ends = np.append(np.diff(values[order]) != 0, True)
    return float((2 * hits[ends] / (n_predicted[ends] + truth.sum())).max())
