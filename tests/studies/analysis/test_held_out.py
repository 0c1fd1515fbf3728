"""Intervals, mistakes and calibration of the test documents, against a direct definition."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from laconic.numerics import metrics
from laconic.studies.analysis import held_out
from laconic.studies.analysis.held_out import (
    N_RESAMPLES,
    decision_calibration_error,
    mistakes_per_thousand,
    score_interval,
)

METRICS = {
    "accuracy": lambda chosen, y, rule: metrics.accuracy(chosen, y),
    "f1": lambda chosen, y, rule: metrics.f1(chosen, y),
    "f1_micro": metrics.f1_micro,
    "f1_macro": metrics.f1_macro,
}


def predictions(rule: str, n_docs: int = 60, seed: int = 0):
    """Predictions that are right for three of four documents, and the labels as ±1."""
    rng = np.random.default_rng(seed)
    n_columns = 1 if rule == "sign" else 4
    if rule == "argmax":
        codes = rng.integers(0, 4, n_docs)
        guessed = np.where(rng.random(n_docs) < 0.75, codes, rng.integers(0, 4, n_docs))
        truth, chosen = (c[:, None] == np.arange(4) for c in (codes, guessed))
    else:
        truth = rng.random((n_docs, n_columns)) < 0.4
        chosen = truth ^ (rng.random(truth.shape) < 0.25)
    return chosen, np.where(truth, 1, -1).astype(np.int8)


CASES = [
    (rule, metric)
    for rule in ("sign", "argmax", "labels")
    for metric in METRICS
    if metric != "f1" or rule == "sign"
]


@pytest.mark.parametrize(("rule", "metric"), CASES)
def test_the_interval_is_that_of_a_direct_bootstrap(rule, metric):
    chosen, y_signed = predictions(rule)
    rng = np.random.default_rng(0)
    draws = rng.multinomial(60, np.full(60, 1 / 60), size=N_RESAMPLES)
    values = []
    for weights in draws:
        rows = np.repeat(np.arange(60), weights)
        values.append(METRICS[metric](chosen[rows], y_signed[rows].astype(float), rule))
    expected = np.percentile(values, [2.5, 97.5])
    # the accuracy has the exact distribution of its resamples, to one document of the 60
    exact = metric == "accuracy" or (metric == "f1_micro" and rule != "labels")
    tolerance = {"abs": 1 / 60 + 1e-9} if exact else {}
    found = score_interval(chosen, y_signed, rule, metric)
    assert found == pytest.approx(tuple(expected), **tolerance)
    assert found[0] < found[1]


@pytest.mark.parametrize("metric", ["roc_auc", "balanced_accuracy", "error"])
def test_other_metrics_have_no_interval(metric):
    assert score_interval(*predictions("labels"), "labels", metric) is None


def test_memory_is_bounded_by_fewer_resamples_at_a_time(monkeypatch):
    expected = score_interval(*predictions("argmax"), "argmax", "f1_macro")
    monkeypatch.setattr(held_out, "CELLS", 60 * 7)
    assert score_interval(*predictions("argmax"), "argmax", "f1_macro") == pytest.approx(expected)


def test_an_unseen_class_is_wrong_in_every_resample():
    chosen, y_signed = predictions("argmax")
    y_signed[:] = 0
    assert score_interval(chosen, y_signed, "argmax", "accuracy") == (0.0, 0.0)


@pytest.mark.full
def test_intervals_cover_the_accuracy_of_the_population():
    """200 samples of 150 documents, 80 % right: 95 % ± four standard errors are 89 % to 100 %."""
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(200):
        right = rng.random((150, 1)) < 0.8
        low, high = score_interval(right, np.ones((150, 1), np.int8), "sign", "accuracy")
        covered += low <= 0.8 <= high
    assert covered >= 178


def test_mistakes_are_wrong_documents_or_wrong_decisions_about_labels():
    chosen = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]], bool)
    y_signed = np.array([[1, -1, -1], [1, -1, -1], [0, 0, 0], [-1, -1, 1]], np.int8)
    assert mistakes_per_thousand(chosen, y_signed, "argmax") == 500
    assert mistakes_per_thousand(chosen[:2], y_signed[:2], "labels") == 1000
    assert mistakes_per_thousand(chosen[:, :1], y_signed[:, :1], "sign") == 500


def binned_error(confidence, right) -> float:
    """Σ n_bin / n · |share right − mean confidence| over 15 bins, by a loop."""
    total = 0.0
    for place in range(15):
        inside = (confidence > place / 15) & (confidence <= (place + 1) / 15)
        if inside.any():
            total += abs(right[inside].mean() - confidence[inside].mean()) * inside.mean()
    return total


def test_the_calibration_error_is_of_the_predicted_class_or_of_every_label():
    rng = np.random.default_rng(2)
    decision = rng.normal(size=(80, 3)).astype(np.float32)
    _, y_signed = predictions("argmax", 80)
    y_signed = y_signed[:, :3]
    powers = np.exp(decision.astype(float) / 0.5)
    p = powers / powers.sum(axis=1, keepdims=True)
    right = y_signed[np.arange(80), p.argmax(axis=1)] > 0
    found = decision_calibration_error(decision, y_signed, "argmax", np.array([0.5]))
    assert found == pytest.approx(binned_error(p.max(axis=1), right))
    pairs = np.array([[2.0, 0.1], [1.0, -0.5], [0.5, 0.0]])
    p = 1 / (1 + np.exp(-(decision * pairs[:, 0] + pairs[:, 1])))
    found = decision_calibration_error(decision, y_signed, "labels", pairs)
    assert found == pytest.approx(binned_error(p.ravel(), (y_signed > 0).ravel()))
    found = decision_calibration_error(decision[:, :1], y_signed[:, :1], "sign", pairs[:1])
    confident, right = np.maximum(p, 1 - p)[:, 0], (p > 0.5)[:, 0] == (y_signed[:, 0] > 0)
    assert found == pytest.approx(binned_error(confident, right))


def test_the_interval_contains_the_score_itself():
    chosen, y_signed = predictions("labels", 200)
    low, high = score_interval(chosen, y_signed, "labels", "f1_macro")
    assert low < f1_score(y_signed > 0, chosen, average="macro") < high
