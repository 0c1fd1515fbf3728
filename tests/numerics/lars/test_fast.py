from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from laconic.errors import LaconicError
from laconic.numerics.lars import fast as module
from laconic.numerics.lars.fast import fast_lars
from laconic.numerics.lars.jumps import JumpingActiveSet
from laconic.numerics.lars.logistic import LogisticActiveSet
from laconic.numerics.lars.path import lars
from tests.known_corpora import known_corpus
from tests.numerics.lars.oracles import gradient, logistic_by_bisection, loss_value, minimiser
from tests.numerics.lars.test_path import (
    BIASES,
    LOSSES,
    assert_examples,
    assert_on_path,
    contradicted,
    problem,
    tied_problems,
)


def assert_same_path(fast, exact):
    assert [point.columns.tolist() for point in fast] == [p.columns.tolist() for p in exact]
    for one, other in zip(fast, exact, strict=True):
        assert one.l1 == pytest.approx(other.l1, abs=1e-9)
        np.testing.assert_allclose(one.entry_l1, other.entry_l1, atol=1e-9)
        np.testing.assert_allclose(one.coef, other.coef, atol=1e-8)
        assert one.intercept == pytest.approx(other.intercept, abs=1e-8)
        assert one.ending == other.ending


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("binary", [False, True])
def test_jumps_lead_along_the_exact_path(loss, alpha, bias, binary):
    X, y_signed = problem(100, 70, seed=7, binary=binary)
    settings = {"loss": loss, "alpha": alpha, "bias": bias}
    assert_same_path(list(fast_lars(X, y_signed, **settings)), list(lars(X, y_signed, **settings)))


@given(
    tied_problems(), st.sampled_from(LOSSES), st.sampled_from([0.0, 0.5]), st.sampled_from(BIASES)
)
def test_every_point_is_on_the_path_whatever_is_tied(drawn, loss, alpha, bias):
    X, y_signed = drawn
    points = list(fast_lars(X, y_signed, loss=loss, alpha=alpha, bias=bias))
    assert [point.size for point in points] == list(range(1, len(points) + 1))
    for point in points:
        margins = assert_on_path(
            X, y_signed, point.columns, point.coef, point.intercept, point.l1, loss, alpha, bias,
            point.entry_l1[0],
        )  # fmt: skip
        assert_examples(point.examples, margins, loss)


@pytest.mark.parametrize("alpha", [0.0, 0.05])
@pytest.mark.parametrize("seed", range(3))
def test_jumps_follow_margins_that_go_far(alpha, seed):
    X, y_signed = contradicted(seed)
    settings = {"loss": "modified_huber", "alpha": alpha}
    assert_same_path(list(fast_lars(X, y_signed, **settings)), list(lars(X, y_signed, **settings)))


def test_most_of_the_way_is_jumped(monkeypatch):
    X, y_signed = problem(200, 100)
    stops = []
    corner_by_corner = module.exact.advance
    monkeypatch.setattr(
        module.exact, "advance", lambda state: stops.append(1) or corner_by_corner(state)
    )
    assert len(list(fast_lars(X, y_signed))) == 100
    assert len(stops) <= 10, "where a jump is not proved to have passed over nothing"


@pytest.mark.parametrize("alpha", [0.01, 1.0])
def test_a_jump_that_fails_is_taken_corner_by_corner(monkeypatch, alpha):
    X, y_signed = problem(100, 70, binary=True)
    return_to_path, calls = JumpingActiveSet.return_to_path, []

    def failing(active):
        calls.append(1)
        return return_to_path(active) and len(calls) % 3 != 0

    monkeypatch.setattr(JumpingActiveSet, "return_to_path", failing)
    assert_same_path(
        list(fast_lars(X, y_signed, alpha=alpha)), list(lars(X, y_signed, alpha=alpha))
    )
    assert len(calls) > 30


@pytest.mark.parametrize("bias", ["always", None])
def test_the_logistic_path_is_that_of_the_definition(bias):
    X, y_signed = problem(50, 12, seed=2)
    expected = logistic_by_bisection(X, y_signed, 0.5, bias is not None)
    points = list(fast_lars(X, y_signed, loss="logistic", alpha=0.5, bias=bias))
    assert len(points) == len(expected) == 12
    for point, (columns, beta, l1) in zip(points, expected, strict=True):
        words = [at for at, column in enumerate(columns) if column < 12]
        assert point.columns.tolist() == [columns[at] for at in words]
        assert point.l1 == pytest.approx(l1, abs=1e-8)
        np.testing.assert_allclose(point.coef, beta[words], atol=1e-8)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("alpha", [0.1, 2.0])
def test_the_logistic_path_keeps_its_gradients(alpha, binary):
    X, y_signed = problem(80, 60, seed=1, binary=binary)
    points = list(fast_lars(X, y_signed, loss="logistic", alpha=alpha))
    assert len(points) == 60
    for point in points:
        assert_on_path(
            X, y_signed, point.columns, point.coef, point.intercept, point.l1, "logistic", alpha,
            "always", point.entry_l1[0],
        )  # fmt: skip


def test_the_logistic_path_ends_at_the_minimum():
    X, y_signed = problem(80, 10, seed=3)
    *_, last = fast_lars(X, y_signed, loss="logistic", alpha=0.5)
    peer = LogisticRegression(C=2.0, solver="liblinear", tol=1e-12, max_iter=10_000).fit(
        X, y_signed
    )
    assert (last.ending, last.l1) == ("finished", 0.0)
    np.testing.assert_allclose(last.coef, peer.coef_[0, last.columns], atol=1e-5)
    whole = np.hstack([X, np.ones((80, 1))])
    found = minimize(
        lambda beta: 0.25 * beta @ beta + loss_value(y_signed * (whole @ beta), "logistic"),
        np.zeros(11),
        jac=lambda beta: gradient(whole, y_signed, beta, "logistic", 0.5),
        method="BFGS",
        options={"gtol": 1e-9},
    )
    np.testing.assert_allclose(last.coef, found.x[last.columns], atol=1e-7)


def test_n7_a_separable_logistic_problem_without_l2_saturates_at_a_tiny_l1():
    """N7: its coefficients grow without end, as the logarithm of 1 / λ₁: it is cut at 1e-8."""
    X, y_signed = np.array([[1.0], [1.0], [0.0], [0.0]]), np.array([1.0, 1.0, -1.0, -1.0])
    *_, last = fast_lars(X, y_signed, loss="logistic", alpha=0.0)
    assert last.ending == "saturated"
    assert (y_signed * (X[:, 0] * last.coef[0] + last.intercept) > 18).all()


def test_a_curve_on_which_newton_fails_ends_there(monkeypatch):
    X, y_signed = problem(50, 12, seed=2)
    expected = list(fast_lars(X, y_signed, loss="logistic"))
    return_to_path, calls = LogisticActiveSet.return_to_path, []

    def failing(active):
        calls.append(1)
        return len(calls) < 9 and return_to_path(active)

    monkeypatch.setattr(LogisticActiveSet, "return_to_path", failing)
    points = list(fast_lars(X, y_signed, loss="logistic"))
    assert points[-1].ending == "singular"
    assert 1 < len(points) < 12
    for one, other in zip(points[:-1], expected, strict=False):
        np.testing.assert_array_equal(one.coef, other.coef)
    assert points[-1].l1 == points[-1].entry_l1[-1]


def test_an_unknown_loss_is_refused():
    with pytest.raises(LaconicError, match="hinge"):
        fast_lars(np.eye(2), np.array([1.0, -1.0]), loss="hinge")


@pytest.mark.corpus
@pytest.mark.parametrize("loss", ["squared_hinge", "modified_huber"])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_real_documents_give_the_same_path(corpora, loss, alpha):
    """Fbis-4 of the paper: binary, so full of ties."""
    corpus = known_corpus("fbis")
    (rare,) = (name for name, count in corpus.class_counts.items() if count == 387)
    y_signed = np.array([1.0 if labels[0] == rare else -1.0 for labels in corpus.labels])
    X = corpus.vectors.astype(np.float64)
    X.data[:] = 1.0
    exact = list(islice(lars(X, y_signed, loss=loss, alpha=alpha), 150))
    assert_same_path(list(islice(fast_lars(X, y_signed, loss=loss, alpha=alpha), 150)), exact)
    for point in (exact[9], exact[-1]):
        assert_on_path(
            X, y_signed, point.columns, point.coef, point.intercept, point.l1, loss, alpha,
            "always", point.entry_l1[0],
        )  # fmt: skip


@pytest.mark.parametrize("seed", [48, 55, 75, 83, 129, 153, 241, 268, *range(24)])
def test_no_jump_passes_over_a_feature(seed):
    """In the first eight a feature comes up to λ₁ and goes within a jump, if none is refused."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 40))
    y_signed = np.where(X[:, :5].sum(axis=1) + rng.normal(size=60) > 0, 1.0, -1.0)
    loss = ("squared_hinge", "modified_huber")[seed % 2]
    fast, exact = (list(walk(X, y_signed, loss=loss, alpha=0.01)) for walk in (fast_lars, lars))
    assert fast[-1].columns.tolist() == exact[-1].columns.tolist()
    assert_same_path(fast, exact)


@pytest.mark.parametrize("seed", range(20))
def test_the_way_between_two_points_bends_no_more_than_is_proved(seed):
    """‖ρ(τ) − chord‖² ≤ τ(1 − τ)·bend for points of the exact path that share their features."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(60, 6)), np.ones(60)])
    y_signed = np.where(rng.normal(size=60) + X[:, 0] > 0, 1.0, -1.0)
    alpha, entry_signs = 0.1, np.append(rng.choice([-1.0, 1.0], 6), 0.0)

    def at(l1):
        coef = minimiser(X, y_signed, "squared_hinge", alpha, entry_signs, l1)
        margins = y_signed * (X @ coef)
        return coef, np.where(margins < 1.0, X @ coef - y_signed, 0.0)

    a, b = 3.0, 0.5
    (coef_a, rho_a), (coef_b, rho_b) = at(a), at(b)
    coef, rho = coef_a - coef_b, rho_a - rho_b
    bend = (a - b) * entry_signs @ coef - rho @ rho - alpha * coef @ coef
    assert bend >= -1e-8
    for share in (0.1, 0.5, 0.9):
        _, here = at(a - share * (a - b))
        off = here - (1 - share) * rho_a - share * rho_b
        assert off @ off <= share * (1 - share) * bend + 1e-8
