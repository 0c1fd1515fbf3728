from __future__ import annotations

from itertools import islice, pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize
from scipy.sparse import csc_array, csr_array
from sklearn.linear_model import lars_path
from sklearn.svm import LinearSVC

from laconic.errors import LaconicError
from laconic.numerics.lars.path import Documents, lars
from laconic.numerics.lars.state import PathState
from tests.numerics.lars.oracles import (
    LOWER,
    UPPER,
    gradient,
    lars_by_definition,
    loss_slope,
    loss_value,
)

LOSSES = ["squared", "squared_hinge", "modified_huber"]
BIASES = ["always", "selectable", None]


def problem(n_docs=60, n_terms=40, seed=0, binary=False):
    """Documents whose words say something about their labels, with noise."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_docs, n_terms)) < 0.25).astype(float)
    if not binary:
        X *= rng.random(X.shape)
    weights = rng.normal(size=n_terms) * (rng.random(n_terms) < 0.3)
    y_signed = np.where(X @ weights + 0.3 * rng.normal(size=n_docs) > 0.1, 1.0, -1.0)
    return X, y_signed


def contradicted(seed, n_docs=60, n_terms=8):
    """Every word speaks for 1, but four documents of many words are -1: their margins go far."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n_docs, n_terms))
    X[np.arange(n_docs), rng.integers(0, n_terms, n_docs)] = 1.0
    X[: n_docs // 3] = 0.0
    X[-4:] = rng.random((4, n_terms)) < 0.5
    y_signed = np.where(X.any(axis=1), 1.0, -1.0)
    y_signed[-4:] = -1.0
    return X * rng.choice([1.0, 0.7], X.shape), y_signed


@st.composite
def tied_problems(draw):
    """Binary documents: equal ones, equal words, empty words; one or two classes."""
    shape = draw(st.tuples(st.integers(1, 12), st.integers(1, 8)))
    X = draw(hnp.arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.0, 1.0])))
    y_signed = draw(hnp.arrays(np.float64, shape[0], elements=st.sampled_from([-1.0, 1.0])))
    return X, y_signed


def assert_on_path(X, y_signed, columns, coef, intercept, l1, loss, alpha, bias, first):
    """|g| = λ₁ for features that are in, |g| ≤ λ₁ for those outside, 0 for a bias always in."""
    slope = 1e-8 * first
    beta = np.zeros(X.shape[1])
    beta[columns] = coef
    margins = y_signed * (X @ beta + intercept)
    residuals = y_signed * loss_slope(margins, loss)
    g = alpha * beta + X.T @ residuals
    np.testing.assert_allclose(np.abs(g[columns]), l1, rtol=0, atol=slope)
    assert np.abs(g).max() <= l1 + slope
    if bias == "always":
        assert alpha * intercept + residuals.sum() == pytest.approx(0.0, abs=slope)
    return margins


def assert_examples(examples, margins, loss):
    """The documents in the squared part are those whose margin says so."""
    close = 1e-7
    inside = np.zeros(margins.size, dtype=bool)
    inside[examples] = True
    assert (margins[inside] < UPPER[loss] + close).all()
    assert (margins[inside] > LOWER[loss] - close).all()
    outside = margins[~inside]
    assert ((outside > UPPER[loss] - close) | (outside < LOWER[loss] + close)).all()


def corners(X, y_signed, **settings):
    """Every corner of the path as (columns, coef, intercept, l1, examples), and the points."""
    seen = []
    move = PathState.move

    def watched(state, direction, step):
        move(state, direction, step)
        here = state.point()
        seen.append((here.columns, here.coef, here.intercept, here.l1, here.examples))

    with patch.object(PathState, "move", watched):
        points = list(lars(X, y_signed, **settings))
    return seen, points


def check_every_corner(X, y_signed, loss, alpha, bias):
    seen, points = corners(X, y_signed, loss=loss, alpha=alpha, bias=bias)
    first = seen[0][3] if seen else 0.0
    for columns, coef, intercept, l1, examples in [
        *seen,
        *((p.columns, p.coef, p.intercept, p.l1, p.examples) for p in points),
    ]:
        margins = assert_on_path(
            X, y_signed, columns, coef, intercept, l1, loss, alpha, bias, first
        )
        assert_examples(examples, margins, loss)
    return points


@given(
    tied_problems(), st.sampled_from(LOSSES), st.sampled_from([0.5, 1.0]), st.sampled_from(BIASES)
)
def test_every_corner_is_on_the_path_whatever_is_tied(drawn, loss, alpha, bias):
    X, y_signed = drawn
    points = check_every_corner(X, y_signed, loss, alpha, bias)
    assert [point.size for point in points] == list(range(1, len(points) + 1))
    for point in points:
        assert len(set(point.columns.tolist())) == point.size == point.entry_l1.size
        assert (np.diff(point.entry_l1, append=point.l1) <= 1e-9 * point.entry_l1[0]).all()
        assert X[:, point.columns].any(axis=0).all()
    for one, other in pairwise(points):
        assert one.ending is None
        np.testing.assert_array_equal(one.columns, other.columns[:-1])
    if points:
        assert (points[-1].ending, points[-1].l1) == ("finished", 0.0)


@given(tied_problems(), st.sampled_from(LOSSES), st.sampled_from(BIASES))
def test_every_corner_is_on_the_path_without_l2(drawn, loss, bias):
    X, y_signed = drawn
    points = check_every_corner(X, y_signed, loss, 0.0, bias)
    if points:
        last = points[-1]
        assert last.ending in ("finished", "saturated") or loss == "modified_huber"
        assert last.ending == "singular" or last.l1 == 0.0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("alpha", [0.0, 0.3])
@pytest.mark.parametrize("binary", [False, True])
def test_larger_paths_stay_on_the_path(loss, alpha, binary):
    X, y_signed = problem(120, 90, seed=3, binary=binary)
    points = check_every_corner(X, y_signed, loss, alpha, "always")
    assert len(points) > 50


@pytest.mark.parametrize("alpha", [0.0, 0.05])
@pytest.mark.parametrize("seed", range(3))
def test_margins_that_go_far_stay_on_the_path(alpha, seed):
    X, y_signed = contradicted(seed)
    points = check_every_corner(X, y_signed, "modified_huber", alpha, "always")
    furthest = min(
        (y_signed * (X[:, point.columns] @ point.coef + point.intercept)).min() for point in points
    )
    assert furthest < -1.4
    assert points[-1].ending == "finished"


@pytest.mark.parametrize("loss", ["squared_hinge", "modified_huber"])
@pytest.mark.parametrize("seed", range(40))
def test_small_binary_paths_without_l2_stay_on_the_path(loss, seed):
    """Here documents have leverage 1, features depend on each other, and paths saturate."""
    rng = np.random.default_rng(seed)
    X = (rng.random((rng.integers(5, 30), rng.integers(5, 25))) < 0.3).astype(float)
    y_signed = np.where(rng.random(X.shape[0]) < 0.4, 1.0, -1.0)
    check_every_corner(X, y_signed, loss, 0.0, "always")


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", ["always", None])
@pytest.mark.parametrize("seed", range(3))
def test_the_path_is_that_of_the_definition(loss, bias, seed):
    X, y_signed = problem(40, 15, seed) if seed else contradicted(2)
    expected = lars_by_definition(X, y_signed, loss, 0.2, bias is not None)
    points = list(lars(X, y_signed, loss=loss, alpha=0.2, bias=bias))
    assert len(points) == len(expected) == X.shape[1]
    for point, (columns, beta, l1) in zip(points, expected, strict=True):
        words = [at for at, column in enumerate(columns) if column < X.shape[1]]
        assert point.columns.tolist() == [columns[at] for at in words]
        assert point.l1 == pytest.approx(l1, abs=1e-9)
        np.testing.assert_allclose(point.coef, beta[words], atol=1e-9)
        if bias:
            assert point.intercept == pytest.approx(beta[0], abs=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 0.7])
def test_rls_lars_is_that_of_scikit_learn_up_to_the_first_change_of_sign(alpha):
    X, y_signed = problem(80, 50, seed=1)
    stacked = np.vstack([X, np.sqrt(alpha) * np.eye(50)])
    alphas, order, path = lars_path(
        stacked, np.concatenate([y_signed, np.zeros(50)]), method="lar", alpha_min=0
    )
    points = list(lars(X, y_signed, loss="squared", alpha=alpha, bias=None))
    compared = 0
    for size, point in enumerate(points[:-1], start=1):
        dense = np.zeros(50)
        dense[point.columns] = point.coef
        if (dense * path[:, size - 1] < 0).any():
            break
        assert point.columns.tolist() == list(order[:size])
        np.testing.assert_allclose(dense, path[:, size], atol=1e-10)
        assert point.l1 == pytest.approx(alphas[size] * stacked.shape[0], abs=1e-10)
        compared += 1
    assert compared >= 8


@pytest.mark.parametrize("alpha", [0.1, 1.0, 5.0])
def test_the_svm_at_the_end_is_that_of_liblinear(alpha):
    X, y_signed = problem(80, 30, seed=2)
    *_, last = lars(X, y_signed, alpha=alpha)
    peer = LinearSVC(C=1 / (2 * alpha), dual=False, tol=1e-12, max_iter=100_000).fit(X, y_signed)
    np.testing.assert_allclose(last.coef, peer.coef_[0, last.columns], atol=1e-6)
    assert last.intercept == pytest.approx(peer.intercept_[0], abs=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_end_is_the_minimum_without_l1(loss):
    X, y_signed = problem(70, 12, seed=4)
    whole = np.hstack([X, np.ones((70, 1))])
    found = minimize(
        lambda beta: 0.25 * beta @ beta + loss_value(y_signed * (whole @ beta), loss),
        np.zeros(13),
        jac=lambda beta: gradient(whole, y_signed, beta, loss, 0.5),
        method="BFGS",
        options={"gtol": 1e-9, "maxiter": 5000},
    )
    *_, last = lars(X, y_signed, loss=loss, alpha=0.5)
    np.testing.assert_allclose(last.coef, found.x[last.columns], atol=1e-7)
    assert last.intercept == pytest.approx(found.x[-1], abs=1e-7)


@pytest.mark.parametrize(
    "form", [csr_array, csc_array, Documents.of, lambda X: X.astype(np.float32)]
)
def test_any_form_of_the_documents_gives_the_same_path(form):
    X, y_signed = problem(30, 20, binary=True)
    for one, other in zip(lars(X, y_signed), lars(form(X), y_signed), strict=True):
        assert one.columns.tolist() == other.columns.tolist()
        np.testing.assert_array_equal(one.coef, other.coef)


def test_entries_named_twice_are_summed_and_the_matrix_is_left_as_it_is():
    X, y_signed = problem(30, 20)
    docs, terms = X.nonzero()
    halves = np.tile(X[docs, terms] / 2, 2)
    order = np.argsort(np.tile(docs, 2), kind="stable")
    starts = np.searchsorted(np.tile(docs, 2)[order], np.arange(31))
    twice = csr_array((halves[order], np.tile(terms, 2)[order], starts), shape=X.shape)
    points = list(lars(twice, y_signed))
    assert twice.nnz == 2 * docs.size
    np.testing.assert_allclose(points[-1].coef, list(lars(X, y_signed))[-1].coef, atol=1e-12)


def test_points_are_made_as_they_are_asked_for():
    X, y_signed = problem()
    first, second = islice(lars(X, y_signed), 2)
    assert (first.size, second.size) == (1, 2)
    assert (first.ending, second.ending) == (None, None)
    assert first.entry_l1[0] > first.l1 == second.entry_l1[1]


def test_equal_columns_both_enter_with_l2_and_one_without():
    X, y_signed = problem(40, 6, binary=True)
    X = np.hstack([X, X])
    *_, with_l2 = lars(X, y_signed, alpha=1.0)
    assert with_l2.size == 12
    weight = dict(zip(with_l2.columns.tolist(), with_l2.coef.tolist(), strict=True))
    for column in range(6):
        assert weight[column] == pytest.approx(weight[column + 6], abs=1e-9)
    *_, without = lars(X, y_signed, loss="squared", alpha=0.0)
    assert sorted(without.columns.tolist()) == list(range(6))


def test_equal_gradients_enter_by_their_number():
    X = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    y_signed = np.array([1.0, 1.0, -1.0, -1.0])
    *_, last = lars(X, y_signed)
    assert last.columns.tolist() == [0, 2, 1][: last.size]


def test_the_bias_starts_where_no_word_is_in():
    X, y_signed = problem(50, 5)
    point = next(lars(X, y_signed, alpha=2.0))
    start = y_signed.sum() / 52
    g = X.T @ (start - y_signed)
    assert point.entry_l1[0] == pytest.approx(np.abs(g).max())
    assert point.columns[0] == np.abs(g).argmax()


def test_a_selectable_bias_has_to_be_selected():
    X, y_signed = problem(50, 5, seed=5)
    y_signed[:] = -1.0
    y_signed[X[:, 0] > 0.3] = 1.0
    points = list(lars(X, y_signed, bias="selectable"))
    assert [point.size for point in points] == [1, 2, 3, 4, 5]
    assert points[0].intercept < 0
    assert points[0].entry_l1[0] < 50 - 2 * (y_signed > 0).sum()
    assert all(point.intercept == 0.0 for point in lars(X, y_signed, bias=None))


@pytest.mark.parametrize("loss", LOSSES)
def test_nothing_to_learn_gives_no_point(loss):
    X, _ = problem(12, 5)
    assert list(lars(X, np.ones(12), loss=loss, alpha=0.0)) == []
    assert list(lars(np.zeros((4, 3)), np.array([1.0, -1.0, 1.0, -1.0]), loss=loss)) == []
    assert list(lars(np.ones((4, 1)), np.array([1.0, -1.0, 1.0, -1.0]), loss=loss)) == []


def test_without_l2_a_path_saturates_and_explains_its_examples():
    X, y_signed = problem(20, 60)
    *_, last = lars(X, y_signed, alpha=0.0)
    assert last.ending == "saturated"
    assert last.size < 20
    fitted = X[:, last.columns] @ last.coef + last.intercept
    np.testing.assert_allclose(fitted[last.examples], y_signed[last.examples], atol=1e-7)
    assert (y_signed * fitted > 1 - 1e-7).all()


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_equal_documents_leave_together_but_for_one_that_holds_the_rank(seed, binary):
    """Each of the two has leverage 1/2; when one is gone, the other has leverage 1."""
    X, y_signed = problem(25, 60, seed, binary)
    points = check_every_corner(
        np.vstack([X, X]), np.tile(y_signed, 2), "squared_hinge", 0.0, "always"
    )
    assert points[-1].ending == "saturated"


@pytest.mark.parametrize(
    "settings",
    [
        {"y_signed": [1, -1]},
        {"y_signed": [1, 0, -1]},
        {"alpha": -1.0},
        {"alpha": np.nan},
        {"loss": "hinge"},
        {"bias": "never"},
    ],
)
def test_what_cannot_be_is_refused(settings):
    arguments = {"X": np.eye(3), "y_signed": np.array([1.0, -1.0, 1.0])} | settings
    with pytest.raises(LaconicError, match="lars"):
        next(lars(arguments.pop("X"), arguments.pop("y_signed"), **arguments))
