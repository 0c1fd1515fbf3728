"""The score of a model on the test documents with its interval, mistakes and calibration error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.model import LinearModel, Model
from laconic.numerics.calibration import calibration_error, probabilities
from laconic.numerics.quotient import quotient
from laconic.types import Bools, Floats, Int8s, Rule

N_RESAMPLES = 1000
LEVEL = 0.95
# Documents resampled at a time, times resamples: bounds the memory.
CELLS = 4_000_000


def score_interval(
    chosen: Bools, y_signed: Int8s, rule: Rule, metric: str, *, random_state: int = 0
) -> tuple[float, float] | None:
    """The 95 % percentile interval of a metric over resampled documents; None for other metrics.

    Documents are resampled with replacement, with a fixed seed.
    """
    parts = _parts(chosen, y_signed, rule, metric)
    if parts is None or not len(chosen):
        return None
    rng = np.random.default_rng(random_state)
    n_docs = len(chosen)
    step = max(1, CELLS // n_docs)
    values: list[Floats] = []
    for start in range(0, N_RESAMPLES, step):
        n = min(step, N_RESAMPLES - start)
        weights = rng.multinomial(n_docs, np.full(n_docs, 1 / n_docs), size=n).astype(np.float64)
        hits, predicted, true = (weights @ part for part in parts)
        occurring = rule != "labels"
        values.append(_metric(hits, predicted, true, metric, n_docs, occurring=occurring))
    tail = 50 * (1 - LEVEL)
    low, high = np.percentile(np.concatenate(values), [tail, 100 - tail])
    return float(low), float(high)


def _parts(
    chosen: Bools, y_signed: Int8s, rule: Rule, metric: str
) -> tuple[Floats, Floats, Floats] | None:
    """Hits, predictions and labels of each document and column, which the metric is made of."""
    truth = y_signed > 0
    if metric == "accuracy" or (metric == "f1_micro" and rule != "labels"):
        right = ((chosen == truth) & (y_signed != 0)).all(axis=1)[:, None].astype(np.float64)
        return right, np.ones_like(right), np.ones_like(right)
    if metric not in ("f1", "f1_micro", "f1_macro"):
        return None
    if metric == "f1_macro" and rule == "sign":
        chosen, truth = np.hstack([~chosen, chosen]), np.hstack([y_signed < 0, truth])
    hits, predicted, true = (a.astype(np.float64) for a in (chosen & truth, chosen, truth))
    return hits, predicted, true


def _metric(
    hits: Floats, predicted: Floats, true: Floats, metric: str, n_docs: int, *, occurring: bool
) -> Floats:
    """The metric of each resample; with `occurring`, of the classes that occur in it."""
    if hits.shape[1] == 1 and metric != "f1":
        return hits[:, 0] / n_docs
    if metric == "f1_micro":
        hits, predicted, true = (a.sum(axis=1, keepdims=True) for a in (hits, predicted, true))
    both = predicted + true
    n_columns = np.maximum(1, (both > 0).sum(axis=1)) if occurring else both.shape[1]
    return np.asarray(quotient(2.0 * hits, both).sum(axis=1) / n_columns)


def mistakes_per_thousand(chosen: Bools, y_signed: Int8s, rule: Rule) -> float:
    """Wrong documents per 1,000; for labels, wrong decisions per 1,000 documents."""
    wrong = (chosen != (y_signed > 0)) | (y_signed == 0)
    per_document = wrong.sum(axis=1) if rule == "labels" else wrong.any(axis=1)
    return 1000 * float(per_document.mean())


def model_calibration_error(model: Model, decision: NDArray[Any], y_signed: Int8s) -> float | None:
    """The expected calibration error of the predicted class, or of every label decision."""
    if not isinstance(model, LinearModel) or model.calibration is None:
        return None
    p = probabilities(decision.astype(np.float64), model.rule, model.calibration)
    if model.rule == "labels":
        return calibration_error(
            np.maximum(p, 1 - p).ravel(), ((p > 0.5) == (y_signed > 0)).ravel()
        )
    truth = np.hstack([y_signed < 0, y_signed > 0]) if model.rule == "sign" else y_signed > 0
    rows = np.arange(len(p))
    best = p.argmax(axis=1)
    return calibration_error(p[rows, best], truth[rows, best])
