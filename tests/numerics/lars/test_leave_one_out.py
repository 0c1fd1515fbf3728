from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic.numerics.lars import leave_one_out as module
from laconic.numerics.lars.fast import fast_lars
from laconic.numerics.lars.leave_one_out import leave_one_out
from laconic.numerics.lars.path import LarsPoint, lars
from tests.numerics.lars.oracles import curved, left_out_by_definition, loss_slope
from tests.numerics.lars.test_path import LOSSES, problem


def path_of(loss):
    return fast_lars if loss == "logistic" else lars


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", ["always", None])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_it_is_the_model_without_the_document_all_else_fixed(loss, bias, alpha):
    X, y_signed = problem(60, 40, seed=8)
    y_signed[:6] = -y_signed[:6]  # so that some margins are badly wrong
    settings = {"loss": loss, "alpha": alpha, "bias": bias}
    for point in list(lars(X, y_signed, **settings))[4:16:5]:
        found = leave_one_out(X, y_signed, point, **settings)
        expected = left_out_by_definition(X, y_signed, point, loss, alpha, bias is not None)
        available = np.isfinite(found)
        assert available.mean() > 0.9
        np.testing.assert_allclose(found[available], expected[available], atol=1e-8)


def test_documents_in_the_straight_part_move_too():
    """One document has both words that speak for 1, and is -1."""
    X = np.repeat([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 1.0]], [20, 21, 50, 1], axis=0)
    y_signed = np.repeat([1.0, -1.0], [41, 51])
    settings = {"loss": "modified_huber", "alpha": 0.1}
    *_, point = lars(X, y_signed, **settings)
    fitted = X[:, point.columns] @ point.coef + point.intercept
    assert fitted[-1] > 1.5
    found = leave_one_out(X, y_signed, point, **settings)
    np.testing.assert_allclose(
        found, left_out_by_definition(X, y_signed, point, "modified_huber", 0.1), atol=1e-9
    )
    assert found[-1] > fitted[-1] + 1e-3


@pytest.mark.parametrize(("loss", "alpha"), [("squared_hinge", 1.0), ("squared_hinge", 0.1),
                                          ("squared", 0.1), ("logistic", 0.1)])  # fmt: skip
def test_it_tells_nearly_what_paths_without_each_document_tell(loss, alpha):
    X, y_signed = problem(60, 30, seed=9)
    size = 8
    point = list(path_of(loss)(X, y_signed, loss=loss, alpha=alpha))[size - 1]
    approximate = leave_one_out(X, y_signed, point, loss=loss, alpha=alpha)
    truth = np.empty(60)
    for doc in range(60):
        others = np.arange(60) != doc
        again = list(path_of(loss)(X[others], y_signed[others], loss=loss, alpha=alpha))[size - 1]
        truth[doc] = X[doc, again.columns] @ again.coef + again.intercept
    assert np.corrcoef(approximate, truth)[0, 1] > 0.95
    fitted = X[:, point.columns] @ point.coef + point.intercept
    # closer than the fit itself, and less hopeful
    assert np.abs(approximate - truth).mean() < 0.7 * np.abs(fitted - truth).mean()
    assert (y_signed * approximate).mean() < (y_signed * fitted).mean()


def test_it_is_not_available_where_a_path_is_saturated():
    X, y_signed = problem(20, 60)
    *_, last = lars(X, y_signed, alpha=0.0, loss="squared")
    assert np.isnan(leave_one_out(X, y_signed, last, alpha=0.0, loss="squared")).all()


def test_a_document_that_alone_holds_a_word_has_no_answer_without_l2():
    X = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    y_signed = np.array([1.0, 1.0, -1.0, -1.0, -1.0])
    *_, last = lars(X, y_signed, alpha=0.0, loss="squared")
    assert last.size == 2
    assert np.isnan(leave_one_out(X, y_signed, last, alpha=0.0, loss="squared")).tolist() == [
        True, False, False, False, False,
    ]  # fmt: skip


def test_blocks_and_sparse_documents_make_no_difference(monkeypatch):
    X, y_signed = problem(60, 40)
    point = list(lars(X, y_signed))[10]
    whole = leave_one_out(X, y_signed, point)
    monkeypatch.setattr(module, "BLOCK_BYTES", 8 * 11 * 7)
    np.testing.assert_allclose(leave_one_out(csr_array(X), y_signed, point), whole, atol=1e-12)


def test_a_selectable_bias_counts_from_its_entry_on():
    X, y_signed = problem(60, 12, seed=9)
    settings = {"loss": "squared_hinge", "alpha": 0.5, "bias": "selectable"}
    points = [point for point in lars(X, y_signed, **settings) if point.l1 > 0.0]
    assert {point.intercept != 0.0 for point in points} == {False, True}
    for point in points:
        found = leave_one_out(X, y_signed, point, **settings)
        expected = left_out_by_definition(
            X, y_signed, point, "squared_hinge", 0.5, point.intercept != 0.0
        )
        np.testing.assert_allclose(found, expected, atol=1e-8)


def test_a_document_of_much_leverage_has_no_answer():
    """Leverage is x² / Σ x²: 0.98 is too much, 0.89 is not."""
    y_signed = np.array([1.0, 1.0, -1.0])
    for value, available in ((10.0, False), (4.0, True)):
        X = np.array([[value], [1.0], [1.0]])
        (point,) = lars(X, y_signed, alpha=0.0, loss="squared", bias=None)
        found = leave_one_out(X, y_signed, point, alpha=0.0, loss="squared", bias=None)
        assert np.isfinite(found).tolist() == [available, True, True]


def test_where_nothing_determines_the_model_there_is_no_answer():
    """No document in the squared part, and alpha = 0; what is right by far stays as it is."""
    X, y_signed = np.ones((2, 1)), np.array([1.0, -1.0])
    nothing = np.empty(0, np.int64)
    point = LarsPoint(np.array([0]), np.array([2.0]), 0.0, 0.0, np.array([1.0]), nothing)
    found = leave_one_out(X, y_signed, point, loss="modified_huber", alpha=0.0, bias=None)
    np.testing.assert_array_equal(found, [2.0, np.nan])


def test_with_the_logistic_loss_it_is_one_newton_step_without_the_document():
    X, y_signed = problem(40, 8, seed=9)
    *_, point = fast_lars(X, y_signed, loss="logistic", alpha=0.3, bias=None)
    A = X[:, point.columns]
    fitted = A @ point.coef
    slopes, W = (
        y_signed * loss_slope(y_signed * fitted, "logistic"),
        curved(y_signed * fitted, "logistic"),
    )
    expected = fitted.copy()
    for doc in range(40):
        others = np.arange(40) != doc
        H = 0.3 * np.eye(point.size) + A[others].T @ (W[others, None] * A[others])
        expected[doc] += slopes[doc] * A[doc] @ np.linalg.solve(H, A[doc])
    found = leave_one_out(X, y_signed, point, loss="logistic", alpha=0.3, bias=None)
    np.testing.assert_allclose(found, expected, atol=1e-10)
