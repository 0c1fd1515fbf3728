from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from laconic.errors import LaconicError
from laconic.numerics import newton
from laconic.numerics.newton import LOSSES, curvature, minimum, slope
from tests.numerics.lars_oracles import curved, gradient, loss_slope, loss_value, minimiser
from tests.numerics.test_lars import problem, tied_problems


@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=40)
@given(tied_problems(), st.sampled_from([0.1, 1.0, 30.0]), st.floats(-3, 3))
def test_the_minimum_is_that_of_the_definition_from_any_start(loss, drawn, l2, start):
    X, signs = drawn
    expected = minimiser(X, signs, loss, l2, np.zeros(X.shape[1]), 0.0)
    found = minimum(csr_array(X), signs, loss=loss, l2=l2, start=np.full(X.shape[1], start))
    assert found.solved
    np.testing.assert_allclose(found.coef, expected, atol=1e-9)
    np.testing.assert_allclose(found.margins, signs * (X @ expected), atol=1e-8)
    slopes = signs * loss_slope(signs * (X @ expected), loss)
    np.testing.assert_allclose(found.residuals, slopes, atol=1e-8)


@pytest.mark.parametrize("l2", [0.2, 2.0])
def test_other_solvers_find_the_same_minimum(l2):
    X, signs = problem(200, 30, seed=4)
    svm = LinearSVC(C=0.5 / l2, fit_intercept=False, dual=False, tol=1e-12, max_iter=10_000)
    found = minimum(csr_array(X), signs, loss="squared_hinge", l2=l2)
    np.testing.assert_allclose(found.coef, svm.fit(X, signs).coef_[0], atol=1e-7)
    logit = LogisticRegression(C=1 / l2, fit_intercept=False, tol=1e-12, max_iter=10_000)
    found = minimum(csr_array(X), signs, loss="logistic", l2=l2)
    np.testing.assert_allclose(found.coef, logit.fit(X, signs).coef_[0], atol=1e-6)
    ridge = np.linalg.solve(X.T @ X + l2 * np.eye(30), X.T @ signs)
    found = minimum(csr_array(X), signs, loss="squared", l2=l2)
    np.testing.assert_allclose(found.coef, ridge, atol=1e-9)


@given(tied_problems(), st.sampled_from(["squared", "squared_hinge", "modified_huber"]))
def test_without_l2_the_gradient_is_gone_too(drawn, loss):
    X, signs = drawn
    found = minimum(csr_array(X), signs, loss=loss, l2=0.0)
    assert found.solved
    assert np.abs(gradient(X, signs, found.coef, loss, 0.0)).max() < 1e-8


def test_where_there_is_no_minimum_it_ends_where_nothing_is_left_to_gain():
    found = minimum(csr_array([[1.0], [-1.0]]), np.array([1.0, -1.0]), loss="logistic", l2=0.0)
    assert 20 < found.coef[0] < 100
    assert np.abs(found.residuals).max() < 1e-12


@pytest.mark.parametrize("loss", LOSSES)
def test_slope_and_curvature_are_derivatives(loss):
    margins = np.linspace(-3, 3, 61) + 0.013
    near = 1e-6
    rise = [loss_value(np.array([m + near]), loss) - loss_value(np.array([m - near]), loss)
            for m in margins]  # fmt: skip
    np.testing.assert_allclose(slope(margins, loss), np.array(rise) / (2 * near), atol=1e-8)
    np.testing.assert_allclose(curvature(margins, loss), curved(margins, loss), atol=1e-12)


def test_steps_that_overshoot_are_shortened(monkeypatch):
    X, signs = problem(60, 20, seed=1)
    far = np.full(20, 30.0)
    assert minimum(csr_array(X), signs, loss="logistic", l2=0.1, start=far).solved
    monkeypatch.setattr(newton, "HALVINGS", 0)
    monkeypatch.setattr(newton, "STEPS", 50)
    with np.errstate(all="ignore"):
        assert not minimum(csr_array(X), signs, loss="logistic", l2=1e-9, start=far).solved


def test_an_unknown_loss_is_refused():
    with pytest.raises(LaconicError, match="loss='hinge': choose from squared"):
        minimum(csr_array(np.eye(2)), np.array([1.0, -1.0]), loss="hinge", l2=1.0)
