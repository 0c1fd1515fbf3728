"""Dual descent far from the origin, where documents are seen from their mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from laconic.numerics.svm import dual as module
from laconic.numerics.svm.dual import Rows, descend
from tests.numerics.svm.test_dual import assert_optimal, noisy
from tests.numerics.svm.test_intercept import LOSSES


def one_far_column():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y_signed = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0, 1.0, -1.0)
    X[:, 1] += 1000.0
    return X, y_signed


def all_columns_far():
    rng = np.random.RandomState(42)
    return rng.normal(loc=100, size=(100, 2)), np.where(rng.normal(size=100) > 0, 1.0, -1.0)


@pytest.mark.parametrize("problem", [one_far_column, all_columns_far])
@pytest.mark.parametrize("alpha", 10.0 ** np.arange(-3, 4))
@pytest.mark.parametrize("loss", LOSSES)
def test_far_documents_are_solved(problem, alpha, loss):
    X, y_signed = problem()
    costs = np.full(y_signed.size, 0.5 / alpha)
    found = descend(Rows.of(csr_array(X)), y_signed, costs, loss=loss, tolerance=1e-8)
    assert found.solved
    assert found.violation <= 1e-8
    centre = X.mean(axis=0)
    near = descend(Rows.of(csr_array(X - centre)), y_signed, costs, loss=loss, tolerance=1e-8)
    np.testing.assert_allclose(found.coef, near.coef, atol=1e-6)
    margins = y_signed * (X @ found.coef + found.intercept)
    # the least loss may have many intercepts, where no document is free
    worst = np.abs(margins - y_signed * ((X - centre) @ near.coef + near.intercept)).max()
    assert worst < 1e-5


@given(st.integers(0, 2**32 - 1), st.sampled_from(LOSSES), st.sampled_from([1.0, 10.0, 100.0]))
def test_moving_all_documents_moves_the_intercept_alone(seed, loss, far):
    X, y_signed, costs = noisy(30, 12, seed % 5)
    move = far * np.random.default_rng(seed).normal(size=12)
    moved = csr_array(X.toarray() + move)
    found = descend(Rows.of(moved), y_signed, costs, loss=loss, tolerance=1e-9)
    same = descend(Rows.of(X), y_signed, costs, loss=loss, tolerance=1e-9)
    assert found.solved
    assert found.epochs < 3 * same.epochs + 100
    np.testing.assert_allclose(found.coef, same.coef, atol=1e-6)
    assert found.intercept + move @ found.coef == pytest.approx(same.intercept, abs=1e-5)
    assert_optimal(moved, y_signed, costs, loss, True, found, 1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_mean_of_a_few_documents_will_do(loss, monkeypatch):
    X, y_signed = one_far_column()
    rows = Rows.of(csr_array(X))
    whole = descend(rows, y_signed, np.ones(60), loss=loss, tolerance=1e-8)
    monkeypatch.setattr(module, "SAMPLE", 5)
    some = descend(rows, y_signed, np.ones(60), loss=loss, tolerance=1e-8)
    assert some.solved
    assert not np.array_equal(some.alphas, whole.alphas), "another centre"
    np.testing.assert_allclose(some.coef, whole.coef, atol=1e-7)


def test_documents_that_cost_nothing_are_not_in_the_mean():
    X, y_signed = one_far_column()
    costs = np.ones(60)
    X[0], costs[0] = 1e7, 0.0
    found = descend(Rows.of(csr_array(X)), y_signed, costs, tolerance=1e-8, epochs=300)
    assert found.solved


@pytest.mark.parametrize("loss", LOSSES)
def test_without_an_intercept_documents_stay_where_they_are(loss):
    X, y_signed, costs = noisy(40, 25)
    moved = csr_array(X.toarray() + 0.5)
    found = descend(Rows.of(moved), y_signed, costs, loss=loss, intercept=False, tolerance=1e-8)
    assert found.solved
    assert_optimal(moved, y_signed, costs, loss, False, found, 1e-7)


def test_the_passes_aim_lower_until_the_examination_is_passed():
    """Far from 0 a small Σ α y tilts the margins. With the first aim alone: 112 epochs, not 31."""
    X, y_signed = one_far_column()
    found = descend(Rows.of(csr_array(X)), y_signed, np.full(60, 0.5), tolerance=1e-8, epochs=70)
    assert found.solved


@pytest.mark.parametrize("far", [0.0, 10.0, 1e9])
def test_squared_lengths_from_the_mean_are_never_too_short(far):
    """Too short is a step that goes too far; 1e9² leaves no digit of the result."""
    X = far + np.random.default_rng(0).normal(size=(50, 3))
    y_signed = np.resize([1.0, -1.0], 50)
    rows = Rows.of(csr_array(X))
    problem = module._Problem.of(rows, y_signed, np.ones(50), "hinge", True, centring=True)
    true = ((X - X.mean(axis=0)) ** 2).sum(axis=1)
    assert (problem.arrays.squares > 0.1 * true).all()
    if far < 1e9:
        np.testing.assert_allclose(problem.arrays.squares, true, rtol=1e-9)
