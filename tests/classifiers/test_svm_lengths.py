"""Documents of any length: solved, warned of or refused, and never an endless run (N2)."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from laconic import SVMClassifier
from laconic.errors import LaconicError, LaconicWarning
from tests.classifiers.test_svm import problem

LOSSES = ["squared_hinge", "hinge"]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("length", [1e-140, 1e-3, 1e5, 1e80])
def test_lengths_with_alpha_in_proportion_change_nothing(loss, intercept, length):
    """N2: (X s, alpha s²) is the same problem as (X, alpha)."""
    X, y = problem((40, 21), "two")
    given = {"fit_intercept": intercept, "loss": loss}
    plain = SVMClassifier(0.5, **given).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled = SVMClassifier(0.5 * length * length, **given).fit(length * X, y)
    there, here = plain.decision_function(X), scaled.decision_function(length * X)
    np.testing.assert_allclose(here, there, atol=1e-6)
    assert scaled.solved_.all()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("length", [1e5, 1e8, 1e20, 1e140])
def test_long_documents_are_solved_or_there_is_a_warning(loss, intercept, length):
    """N2: with liblinear they were wrong in silence, or it did not return."""
    X, y = problem((40, 21), "two")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fitted = SVMClassifier(0.5, fit_intercept=intercept, loss=loss).fit(length * X, y)
    assert [one.category for one in said] == [LaconicWarning] * (not fitted.solved_[0])
    assert fitted.solved_[0] == (fitted.gap_[0] <= fitted.tol) or not fitted.solved_[0]
    assert np.isfinite(fitted.decision_function(length * X)).all()
    if length <= 1e8:
        assert fitted.solved_[0]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("length", [1e160, 1e300])
def test_documents_too_long_for_floating_point_are_refused(loss, length):
    X, y = problem((40, 21), "two")
    with pytest.raises(LaconicError, match="squared length that is not finite"):
        SVMClassifier(0.5, loss=loss).fit(length * X, y)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("length", "alpha"), [(1e140, 1e-100), (1e-140, 1.0)])
def test_lengths_and_alpha_too_far_apart_are_refused(loss, length, alpha):
    X, y = problem((40, 21), "two")
    with pytest.raises(LaconicError, match="overflows or underflows"):
        SVMClassifier(alpha, loss=loss).fit(length * X, y)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_advice_of_the_warning_helps(loss):
    """N6: divided by their lengths, or with a larger alpha, the documents are solved."""
    X, y = problem((60, 5), "two")
    with pytest.warns(LaconicWarning, match="Divide documents by their lengths, raise alpha=0.5"):
        fitted = SVMClassifier(0.5, loss=loss, tol=1e-13).fit(1e15 * X, y)
    assert not fitted.solved_[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVMClassifier(0.5, loss=loss).fit(X, y)
        SVMClassifier(0.5e30, loss=loss).fit(1e15 * X, y)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.filterwarnings("ignore:. of .* labels occur in")
def test_documents_on_one_side_only(loss, intercept):
    """N2: with an intercept it says all; without one the words say what they can."""
    X, _ = problem((40, 21), "two")
    labels = np.column_stack([np.zeros(40), np.ones(40), np.arange(40) % 2]).astype(int)
    fitted = SVMClassifier(0.5, loss=loss, fit_intercept=intercept).fit(X, labels)
    assert fitted.solved_.all()
    assert (fitted.gap_ <= fitted.tol).all()
    assert (fitted.predict(X)[:, :2] == [0, 1]).all()
    if intercept:
        assert not fitted.coef_[:2].any()
        assert fitted.intercept_[:2].tolist() == [-1.0, 1.0]
    else:
        assert not fitted.intercept_.any()
        np.testing.assert_allclose(fitted.coef_[0], -fitted.coef_[1], atol=1e-6)
