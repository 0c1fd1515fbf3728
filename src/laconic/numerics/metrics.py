"""Metrics of decision values against labels as ±1. Arrays in, one number out.

`decision` and `y_signed` have shape (n_docs, n_columns); `y_pred` is the boolean matrix of
predictions. One column is a problem of two classes, of which the second is the positive one. A
document of a class without a column has the label NaN: every prediction for it is wrong.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from laconic.numerics.quotient import quotient
from laconic.types import Bools, Floats


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


def _counts(y_pred: Bools, y_signed: Floats) -> tuple[Floats, Floats, Floats]:
    truth = y_signed > 0
    hits = (y_pred & truth).sum(axis=0).astype(np.float64)
    return hits, y_pred.sum(axis=0).astype(np.float64), truth.sum(axis=0).astype(np.float64)


def f1_micro(y_pred: Bools, y_signed: Floats) -> float:
    """F1 over the decisions of all columns; with several classes, a document of an unseen class
    is a false negative. With one column it is the F1 of the positive class.
    """
    hits, n_predicted, n_true = (
        np.atleast_1d(counts.sum()) for counts in _counts(y_pred, y_signed)
    )
    n_unseen = np.isnan(y_signed).all(axis=1).sum() if y_signed.shape[1] > 1 else 0
    return float(quotient(2 * hits, n_predicted + n_true + n_unseen)[0])


def f1_macro(y_pred: Bools, y_signed: Floats) -> float:
    """Mean of F1 over the columns. With one column it is the F1 of the positive class."""
    hits, n_predicted, n_true = _counts(y_pred, y_signed)
    return float(quotient(2 * hits, n_predicted + n_true).mean())


def f1(y_pred: Bools, y_signed: Floats) -> float:
    """F1 of the positive class, for two classes; NaN for more."""
    return f1_macro(y_pred, y_signed) if y_signed.shape[1] == 1 else float("nan")


def balanced_accuracy(decision: Floats, y_signed: Floats, rule: str) -> float:
    """Mean over the classes that occur of the share of their documents that are predicted.

    Documents of unseen classes count as one class. NaN if documents may have several labels.
    """
    if rule == "labels":
        return float("nan")
    y_pred = apply_rule(decision, rule)
    unseen = np.asarray(np.isnan(y_signed).all(axis=1))
    truth = y_signed > 0
    if rule == "sign":
        y_pred, truth = np.hstack([~y_pred, y_pred]), np.hstack([~truth, truth])
    truth &= ~unseen[:, None]
    hits, n_true = (y_pred & truth).sum(axis=0), truth.sum(axis=0)
    recalls = hits[n_true > 0] / n_true[n_true > 0]
    return float(np.append(recalls, [0.0] * bool(unseen.any())).mean())


def precision_macro(y_pred: Bools, y_signed: Floats) -> float:
    """Mean over the columns of the share of positive predictions that are right."""
    hits, n_predicted, _ = _counts(y_pred, y_signed)
    return float(quotient(hits, n_predicted).mean())


def recall_macro(y_pred: Bools, y_signed: Floats) -> float:
    """Mean over the columns of the share of positive documents that are predicted."""
    hits, _, n_true = _counts(y_pred, y_signed)
    return float(quotient(hits, n_true).mean())


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
