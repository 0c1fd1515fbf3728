"""Decision values f as probabilities: Platt scaling, temperature scaling, the calibration error.

With one value per label, P = 1 / (1 + exp(−(a f + b))) (Platt 1999; Newton as in Lin et al. 2007).
With one value per class, P = softmax(f / T) (Guo et al. 2017). Both keep the order of the values.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from laconic.errors import LaconicError
from laconic.numerics.quotient import quotient
from laconic.types import Bools, Floats, Indices, Rule

# The least slope of standardized values: where they have no information, P is nearly constant.
LEAST_SLOPE = 1e-6
# The temperature is at least this share of the spread of the values, and at most its inverse.
COLDEST = 1e-4
MOST_STEPS = 100
TOLERANCE = 1e-10
DAMPING = 1e-12
NO_DOCUMENTS = "no documents to fit probabilities on. Give held-out decision values"


def probabilities(decision: Floats, rule: Rule, calibration: Floats) -> Floats:
    """P of each class or label, from decision values of shape (n_docs, n_rows).

    `calibration` is a pair (a, b) for each row, or one temperature for the rule "argmax". The rule
    "sign" has two columns, the others have one per class.
    """
    if rule == "argmax":
        return _softmax(decision, float(calibration[0]))
    logits = decision * calibration[:, 0] + calibration[:, 1]
    return _expit(np.hstack([-logits, logits]) if rule == "sign" else logits)


def fitted_calibration(decision: Floats, y_signed: Floats, rule: Rule) -> Floats:
    """The calibration of a model from decision values on documents that it was not trained on.

    Documents without a value, or of a class without a column, have NaN and are left out.
    """
    known = ~(np.isnan(decision) | np.isnan(y_signed))
    if rule == "argmax":
        rows = known.all(axis=1)
        return np.array([temperature(decision[rows], y_signed[rows].argmax(axis=1))])
    columns = zip(decision.T, y_signed.T > 0, known.T, strict=True)
    return np.array([platt(f[seen], y[seen], ~y[seen]) for f, y, seen in columns])


def platt(values: Floats, positives: Floats, negatives: Floats) -> tuple[float, float]:
    """a > 0 and b of the logistic regression on decision values, by Platt's targets.

    Parameters
    ----------
    values : array of shape (n_values,)
        Decision values, or the centres of bins.
    positives, negatives : arrays of shape (n_values,)
        Numbers of documents with these values that have the label, and that do not.

    Returns
    -------
    a, b : float
        Where larger values do not make the label more likely, a is small and b is that of the
        base rate.
    """
    weights = np.asarray(positives, dtype=np.float64) + negatives
    n_positive, n_negative = float(np.sum(positives)), float(np.sum(negatives))
    if not n_positive + n_negative:
        raise LaconicError(NO_DOCUMENTS)
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    target = quotient(high * positives + low * negatives, weights)
    mean = float(np.average(values, weights=weights))
    scale = float(np.sqrt(np.average((values - mean) ** 2, weights=weights))) or 1.0
    slope, intercept = _logistic((values - mean) / scale, target, weights)
    if not slope >= LEAST_SLOPE:
        rate = float(np.average(target, weights=weights))
        slope, intercept = LEAST_SLOPE, float(np.log(rate / (1 - rate)))
    return slope / scale, intercept - slope * mean / scale


def _logistic(z: Floats, target: Floats, weights: Floats) -> tuple[float, float]:
    """Slope and intercept with the least log loss, by Newton's method with shortened steps."""
    Z = np.column_stack([z, np.ones_like(z)])
    point = np.zeros(2)
    for _ in range(MOST_STEPS):
        p = _expit(Z @ point)
        gradient = Z.T @ (weights * (p - target))
        curvature = (Z.T * (weights * p * (1 - p))) @ Z + DAMPING * np.eye(2)
        step = np.asarray(np.linalg.solve(curvature, gradient), dtype=np.float64)
        if gradient @ step <= TOLERANCE**2 * weights.sum():
            break
        point = _shortened(point, step, lambda point: _log_loss(Z @ point, target, weights))
    return float(point[0]), float(point[1])


def _shortened(point: Floats, step: Floats, loss: Callable[[Floats], float]) -> Floats:
    """point − step, halved until the loss does not rise by more than rounding."""
    most = loss(point) * (1 + 1e-14)
    for _ in range(MOST_STEPS):
        if loss(point - step) <= most:
            break
        step = step / 2
    return point - step


def _log_loss(logits: Floats, target: Floats, weights: Floats) -> float:
    return float(weights @ (np.logaddexp(0.0, logits) - target * logits))


def temperature(decision: Floats, y_codes: Indices) -> float:
    """The T > 0 with the least log loss of softmax(f / T): Newton's method within a bracket.

    Parameters
    ----------
    decision : array of shape (n_docs, n_classes)
    y_codes : array of shape (n_docs,)
        The column of each document's class.

    Returns
    -------
    T : float
        From `COLDEST` to 1 / `COLDEST` times the spread of a document's values: the ends are for
        values without an error and without information.
    """
    if not decision.shape[0]:
        raise LaconicError(NO_DOCUMENTS)
    spread = float(np.sqrt(np.mean((decision - decision.mean(axis=1, keepdims=True)) ** 2))) or 1.0
    return spread / _root(lambda beta: _slope(decision / spread, y_codes, beta), COLDEST)


def _slope(decision: Floats, y_codes: Indices, beta: float) -> tuple[float, float]:
    """First and second derivative of the log loss of softmax(beta f), which is convex in beta."""
    p = _softmax(decision, 1.0 / beta)
    mean = (p * decision).sum(axis=1)
    first = mean - decision[np.arange(y_codes.size), y_codes]
    return float(first.sum()), float(((p * decision**2).sum(axis=1) - mean**2).sum())


def _root(slope: Callable[[float], tuple[float, float]], least: float) -> float:
    """Where an increasing function is 0, between `least` and 1 / `least`; else the nearer end."""
    low, high = least, 1.0 / least
    if slope(low)[0] >= 0:
        return low
    if slope(high)[0] <= 0:
        return high
    at = 1.0
    for _ in range(MOST_STEPS):
        value, rise = slope(at)
        low, high = (at, high) if value < 0 else (low, at)
        step = at - value / rise if rise > 0 else low
        following = step if low < step < high else float(np.sqrt(low * high))
        if abs(following - at) <= TOLERANCE * at:
            break
        at = following
    return at


def calibration_error(
    confidence: Floats, correct: Bools | Floats, n_bins: int = 15, counts: Floats | None = None
) -> float:
    """The expected calibration error: Σ n_bin / n · |share correct − mean confidence| over bins.

    Parameters
    ----------
    confidence : array of shape (n_predictions,)
        Probabilities: of the predicted class, or of a label.
    correct : array of shape (n_predictions,)
        Whether the prediction is right, or the label is there; the share of it where there are
        counts.
    n_bins : int, default=15
        Bins of equal width; a bin includes its upper end.
    counts : array of shape (n_predictions,) or None, default=None
        The number of predictions of each entry; None is 1.
    """
    weights = np.ones(confidence.size) if counts is None else np.asarray(counts, dtype=np.float64)
    bins = np.clip(np.ceil(confidence * n_bins).astype(np.intp) - 1, 0, n_bins - 1)
    difference = np.bincount(bins, weights * (correct - confidence), minlength=n_bins)
    return float(np.abs(difference).sum() / weights.sum())


def _expit(logits: Floats) -> Floats:
    small = np.exp(-np.abs(logits))
    return np.asarray(np.where(logits >= 0, 1.0, small) / (1.0 + small))


def _softmax(decision: Floats, temperature: float) -> Floats:
    powers = np.exp((decision - decision.max(axis=1, keepdims=True)) / temperature)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
