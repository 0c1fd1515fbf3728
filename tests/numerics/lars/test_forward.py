from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.numerics.lars.forward import forward
from laconic.numerics.lars.newton import LOSSES
from laconic.numerics.lars.path import lars
from tests.numerics.lars.oracles import gradient, loss_slope, minimiser
from tests.numerics.lars.test_path import BIASES, assert_examples, problem, tied_problems


def forward_by_definition(X, y_signed, loss, alpha, bias):
    """(columns, coefficients of columns and bias, largest gradient outside) a feature."""
    n_docs, n_terms = X.shape
    whole = np.hstack([X, np.ones((n_docs, 1))])
    inside = [n_terms] if bias == "always" else []
    usable = [k for k in range(n_terms + (bias == "selectable")) if whole[:, k].any()]
    while True:
        beta = minimiser(whole[:, inside], y_signed, loss, alpha, np.zeros(len(inside)), 0.0)
        residuals = y_signed * loss_slope(y_signed * (whole[:, inside] @ beta), loss)
        g = {k: abs(whole[:, k] @ residuals) for k in usable if k not in inside}
        largest = max(g.values(), default=0.0)
        chosen = min((k for k in g if g[k] > largest * (1 - 1e-9)), default=None)
        if min(inside, default=n_terms) < n_terms and (largest < 1e-9 or chosen != n_terms):
            yield list(inside), beta, largest
        if largest < 1e-9:
            return
        inside.append(chosen)


@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=40)
@given(tied_problems(), st.sampled_from([0.3, 1.0]), st.sampled_from(BIASES))
def test_forward_selection_is_that_of_the_definition(loss, drawn, alpha, bias):
    X, y_signed = drawn
    expected = list(forward_by_definition(X, y_signed, loss, alpha, bias))
    points = list(forward(X, y_signed, loss=loss, alpha=alpha, bias=bias))
    assert len(points) == len(expected)
    for point, (columns, beta, largest) in zip(points, expected, strict=True):
        words = [at for at, column in enumerate(columns) if column < X.shape[1]]
        assert point.columns.tolist() == [columns[at] for at in words]
        np.testing.assert_allclose(point.coef, beta[words], atol=1e-8)
        intercept = sum(beta[at] for at in range(len(columns)) if at not in words)
        assert point.intercept == pytest.approx(intercept, abs=1e-8)
        assert point.l1 == pytest.approx(largest, abs=1e-7)
        margins = y_signed * (X[:, point.columns] @ point.coef + point.intercept)
        if loss != "logistic":
            assert_examples(point.examples, margins, loss)
    assert [point.ending for point in points[:-1]] == [None] * (len(points) - 1)
    assert not points or points[-1].ending == "finished"


def test_the_gradient_at_entry_is_remembered():
    X, y_signed = problem(60, 12)
    points = list(forward(X, y_signed, alpha=0.5))
    whole = np.hstack([X, np.ones((60, 1))])
    for before, after in pairwise(points):
        beta = np.zeros(13)
        beta[before.columns], beta[12] = before.coef, before.intercept
        g = gradient(whole, y_signed, beta, "squared_hinge", 0.5)
        assert after.entry_l1[-1] == pytest.approx(abs(g[after.columns[-1]]), rel=1e-9)
        assert after.entry_l1[:-1].tolist() == before.entry_l1.tolist()


def test_the_first_feature_is_that_of_lars_and_the_order_is_not():
    X, y_signed = problem(100, 40, seed=3)
    greedy, path = list(forward(X, y_signed)), list(lars(X, y_signed))
    assert greedy[0].columns.tolist() == path[0].columns.tolist()
    assert greedy[-1].columns.tolist() != path[-1].columns.tolist()
    np.testing.assert_allclose(
        greedy[-1].coef[np.argsort(greedy[-1].columns)],
        path[-1].coef[np.argsort(path[-1].columns)],
        atol=1e-8,
    )


def test_without_l2_it_ends_where_nothing_is_left_to_explain():
    X = np.repeat(np.eye(3), 2, axis=1)
    points = list(forward(X, np.array([1.0, -1.0, 1.0]), loss="squared", alpha=0.0, bias=None))
    assert points[-1].columns.tolist() == [0, 2, 4]
    np.testing.assert_allclose(points[-1].coef, [1.0, -1.0, 1.0])
