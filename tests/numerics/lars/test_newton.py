from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from laconic.errors import LaconicError
from laconic.numerics.lars import newton
from laconic.numerics.lars.newton import LOSSES, curvature, minimum, slope
from tests.numerics.lars.oracles import curved, gradient, loss_slope, loss_value, minimiser
from tests.numerics.lars.test_path import problem, tied_problems


@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=40)
@given(tied_problems(), st.sampled_from([0.1, 1.0, 30.0]), st.floats(-3, 3))
def test_the_minimum_is_that_of_the_definition_from_any_start(loss, drawn, alpha, start):
    X, y_signed = drawn
    expected = minimiser(X, y_signed, loss, alpha, np.zeros(X.shape[1]), 0.0)
    found = minimum(
        csr_array(X), y_signed, loss=loss, alpha=alpha, start=np.full(X.shape[1], start)
    )
    assert found.solved
    np.testing.assert_allclose(found.coef, expected, atol=1e-9)
    np.testing.assert_allclose(found.margins, y_signed * (X @ expected), atol=1e-8)
    slopes = y_signed * loss_slope(y_signed * (X @ expected), loss)
    np.testing.assert_allclose(found.residuals, slopes, atol=1e-8)


@pytest.mark.parametrize("alpha", [0.2, 2.0])
def test_other_solvers_find_the_same_minimum(alpha):
    X, y_signed = problem(200, 30, seed=4)
    svm = LinearSVC(C=0.5 / alpha, fit_intercept=False, dual=False, tol=1e-12, max_iter=10_000)
    found = minimum(csr_array(X), y_signed, loss="squared_hinge", alpha=alpha)
    np.testing.assert_allclose(found.coef, svm.fit(X, y_signed).coef_[0], atol=1e-7)
    logit = LogisticRegression(C=1 / alpha, fit_intercept=False, tol=1e-12, max_iter=10_000)
    found = minimum(csr_array(X), y_signed, loss="logistic", alpha=alpha)
    np.testing.assert_allclose(found.coef, logit.fit(X, y_signed).coef_[0], atol=1e-6)
    ridge = np.linalg.solve(X.T @ X + alpha * np.eye(30), X.T @ y_signed)
    found = minimum(csr_array(X), y_signed, loss="squared", alpha=alpha)
    np.testing.assert_allclose(found.coef, ridge, atol=1e-9)


@given(tied_problems(), st.sampled_from(["squared", "squared_hinge", "modified_huber"]))
def test_without_l2_the_gradient_is_gone_too(drawn, loss):
    X, y_signed = drawn
    found = minimum(csr_array(X), y_signed, loss=loss, alpha=0.0)
    assert found.solved
    assert np.abs(gradient(X, y_signed, found.coef, loss, 0.0)).max() < 1e-8


def test_where_there_is_no_minimum_it_ends_where_nothing_is_left_to_gain():
    found = minimum(csr_array([[1.0], [-1.0]]), np.array([1.0, -1.0]), loss="logistic", alpha=0.0)
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
    X, y_signed = problem(60, 20, seed=1)
    far = np.full(20, 30.0)
    assert minimum(csr_array(X), y_signed, loss="logistic", alpha=0.1, start=far).solved
    monkeypatch.setattr(newton, "MAX_HALVINGS", 0)
    monkeypatch.setattr(newton, "MAX_STEPS", 50)
    with np.errstate(all="ignore"):
        assert not minimum(csr_array(X), y_signed, loss="logistic", alpha=1e-9, start=far).solved


def test_an_unknown_loss_is_refused():
    with pytest.raises(LaconicError, match="loss='hinge': choose from squared"):
        minimum(csr_array(np.eye(2)), np.array([1.0, -1.0]), loss="hinge", alpha=1.0)
