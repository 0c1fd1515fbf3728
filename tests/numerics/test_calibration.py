"""Probabilities from decision values, against scipy's optimizers, scikit-learn and definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special
from sklearn.calibration import _SigmoidCalibration

from laconic.errors import LaconicError
from laconic.numerics.calibration import (
    COLDEST,
    calibration_error,
    fitted_calibration,
    platt,
    probabilities,
    temperature,
)


def noisy(n_docs=400, slope=3.0, shift=-1.0, seed=0):
    """Values, and labels whose log-odds are slope · value + shift."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n_docs)
    return values, rng.random(n_docs) < special.expit(slope * values + shift)


def platt_loss(pair, values, positives, negatives):
    """From Platt's definition."""
    n_positive, n_negative = positives.sum(), negatives.sum()
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    logits = pair[0] * values + pair[1]
    yes, no = np.logaddexp(0, -logits), np.logaddexp(0, logits)
    of_positives = high * yes + (1 - high) * no
    of_negatives = low * yes + (1 - low) * no
    return positives @ of_positives + negatives @ of_negatives


@pytest.mark.parametrize(("scale", "offset"), [(1.0, 0.0), (1e-4, 0.0), (1e3, 5e4)])
@pytest.mark.parametrize("slope", [0.5, 3.0, 300.0])
def test_platt_is_the_minimum_and_that_of_scikit_learn(scale, offset, slope):
    values, y = noisy(slope=slope)
    a, b = platt(scale * values + offset, y, ~y)
    shifted = a * scale, b + a * offset
    args = (values, y.astype(float), (~y).astype(float))
    best = optimize.minimize(platt_loss, [1.0, 0.0], args, method="BFGS", tol=1e-10).fun
    assert platt_loss(shifted, *args) <= best * (1 + 1e-9)
    peer = _SigmoidCalibration().fit(values, y)
    np.testing.assert_allclose(shifted, [-peer.a_, -peer.b_], rtol=1e-3)


def test_counts_of_a_value_are_its_documents():
    values, y = noisy()
    centres = np.round(values * 4) / 4
    bins, places = np.unique(centres, return_inverse=True)
    positives = np.bincount(places, y, minlength=bins.size)
    negatives = np.bincount(places, ~y, minlength=bins.size)
    np.testing.assert_allclose(platt(bins, positives, negatives), platt(centres, y, ~y), rtol=1e-9)
    with_empty = np.append(bins, 99.0), np.append(positives, 0), np.append(negatives, 0)
    np.testing.assert_allclose(platt(*with_empty), platt(centres, y, ~y), rtol=1e-9)


@pytest.mark.parametrize("kind", ["constant", "reversed", "none", "all"])
def test_without_information_platt_is_the_base_rate(kind):
    values, y = noisy()
    if kind == "constant":
        values = np.full(y.size, 7.0)
    elif kind == "reversed":
        values = -values
    else:
        y = np.full(y.size, kind == "all")
    a, b = platt(values, y, ~y)
    rate = y.mean()
    assert a > 0
    np.testing.assert_allclose(special.expit(a * values + b), rate, atol=0.01)


def test_separated_labels_have_platts_targets():
    """Two values of 10 documents each: the probabilities are 11/12 and 1/12."""
    values = np.array([-1.0, 1.0])
    a, b = platt(values, np.array([0, 10]), np.array([10, 0]))
    np.testing.assert_allclose(special.expit(a * values + b), [1 / 12, 11 / 12], atol=1e-12)


def test_no_documents_are_refused():
    with pytest.raises(LaconicError, match="no documents"):
        platt(np.zeros(1), np.zeros(1), np.zeros(1))
    with pytest.raises(LaconicError, match="no documents"):
        temperature(np.zeros((0, 3)), np.zeros(0, dtype=int))


def log_loss(log_temperature, decision, y):
    return -special.log_softmax(decision / np.exp(log_temperature), axis=1)[np.arange(y.size), y]


@pytest.mark.parametrize("scale", [1e-5, 1.0, 1e4])
@pytest.mark.parametrize("noise", [0.3, 1.0, 4.0])
def test_the_temperature_has_the_least_log_loss(scale, noise):
    rng = np.random.default_rng(1)
    y = rng.integers(5, size=300)
    decision = scale * (np.eye(5)[y] + noise * rng.normal(size=(300, 5)))
    found = temperature(decision, y)
    best = optimize.minimize_scalar(
        lambda u: log_loss(u, decision, y).sum(),
        bounds=np.log(scale) + np.array([-7.0, 7.0]),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert np.log(found) == pytest.approx(best.x, abs=1e-6)


def test_the_temperature_ends_where_there_is_no_error_or_no_information():
    y = np.arange(3)
    spread = np.sqrt(2) / 3
    assert temperature(np.eye(3), y) == pytest.approx(COLDEST * spread)
    assert temperature(-np.eye(3), y) == pytest.approx(spread / COLDEST)
    assert temperature(np.ones((3, 3)), y) > 0


def test_probabilities_are_those_of_scipy_however_large_the_values():
    decision = np.array([[0.3, -2.0], [1e30, -1e30], [-1e30, 1e30]])
    pairs = np.array([[2.0, 0.5], [0.1, -1.0]])
    expected = special.expit(decision * pairs[:, 0] + pairs[:, 1])
    np.testing.assert_allclose(probabilities(decision, "labels", pairs), expected)
    two = probabilities(decision[:, :1], "sign", pairs[:1])
    np.testing.assert_allclose(two, np.column_stack([1 - expected[:, 0], expected[:, 0]]))
    several = probabilities(decision, "argmax", np.array([1e-30]))
    np.testing.assert_allclose(several, [[1, 0], [1, 0], [0, 1]])
    warm = probabilities(decision[:1], "argmax", np.array([2.5]))
    np.testing.assert_allclose(warm, special.softmax(decision[:1] / 2.5, axis=1))


def test_the_calibration_of_a_model_is_fitted_by_row():
    rng = np.random.default_rng(2)
    y = rng.integers(3, size=200)
    y_signed = 2.0 * np.eye(3)[y] - 1.0
    decision = y_signed + rng.normal(size=(200, 3))
    decision[0], y_signed[1] = np.nan, np.nan
    rows = fitted_calibration(decision, y_signed, "labels")
    expected = [platt(f, s > 0, s < 0) for f, s in zip(decision[2:].T, y_signed[2:].T, strict=True)]
    np.testing.assert_allclose(rows, expected)
    (found,) = fitted_calibration(decision, y_signed, "argmax")
    assert found == pytest.approx(temperature(decision[2:], y[2:]))


def error_by_bins(confidence, correct, n_bins):
    """From the definition, one bin at a time; the first bin includes 0."""
    total = 0.0
    for at in range(n_bins):
        inside = (confidence > at / n_bins) & (confidence <= (at + 1) / n_bins)
        inside |= (confidence == 0) & (at == 0)
        if inside.any():
            gap = abs(correct[inside].mean() - confidence[inside].mean())
            total += inside.sum() / confidence.size * gap
    return total


@given(
    st.lists(st.tuples(st.integers(0, 64), st.booleans()), min_size=1, max_size=40),
    st.sampled_from([1, 2, 8, 15]),
)
def test_the_calibration_error_is_that_of_its_definition(pairs, n_bins):
    confidence = np.array([share / 64 for share, _ in pairs])
    correct = np.array([right for _, right in pairs])
    expected = error_by_bins(confidence, correct, n_bins)
    assert calibration_error(confidence, correct, n_bins) == pytest.approx(expected, abs=1e-12)


def test_counts_weigh_the_calibration_error():
    values, y = noisy()
    confidence = np.round(special.expit(values), 2)
    bins, places, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    shares = np.bincount(places, y) / counts
    expected = calibration_error(confidence, y)
    assert expected > 0.01
    assert calibration_error(bins, shares, counts=counts) == pytest.approx(expected)
