"""Dual coordinate descent against a quadratic program solved otherwise, and the conditions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.svm import SVC, LinearSVC

from laconic.numerics.svm import dual as module
from laconic.numerics.svm.dual import Rows, descend, support
from laconic.numerics.svm.passes import one_pass
from tests.classifiers.masked.test_masked import documents, masked
from tests.numerics.svm.test_intercept import LOSSES, lost
from tests.strategies import counts, text_like


def unit(X):
    lengths = np.sqrt(X.multiply(X).sum(axis=1))
    return csr_array(X / np.maximum(lengths, 1e-300)[:, None])


def noisy(n_docs=60, n_terms=30, seed=0):
    X, y = text_like(n_docs, n_terms, 2, seed)
    rng = np.random.default_rng(seed)
    y_signed = np.where(rng.random(n_docs) < 0.2, 1.0, -1.0) * np.where(y == 0, 1.0, -1.0)
    return unit(X), y_signed, rng.choice([0.3, 1.0, 4.0], n_docs)


def primal(X, y_signed, costs, loss, coef, intercept):
    """½ ‖w‖² + Σ C loss, as it is defined."""
    return 0.5 * coef @ coef + costs @ lost(y_signed * (X @ coef + intercept), loss)


def dual(X, y_signed, costs, loss, alphas):
    """Σ α − ½ ‖Σ α y x‖² − Σ α²/(4C) for the squared hinge, as it is defined."""
    coef = X.T @ (alphas * y_signed)
    soft = 0.0
    if loss == "squared_hinge":
        kept = costs > 0
        soft = (alphas[kept] ** 2 / (4 * costs[kept])).sum()
    return alphas.sum() - 0.5 * coef @ coef - soft


def quadratic_program(X, y_signed, costs, loss, intercept):
    """The least dual value by scipy's SLSQP, which knows nothing of coordinates."""
    top = costs if loss == "hinge" else np.where(costs > 0, 1e3, 0.0)
    signed = X.toarray() * y_signed[:, None]
    Q = signed @ signed.T
    if loss == "squared_hinge":
        Q = Q + np.diag(np.divide(0.5, costs, out=np.zeros(costs.size), where=costs > 0))
    condition = {"type": "eq", "fun": lambda a: a @ y_signed, "jac": lambda a: y_signed}
    return -minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.zeros(y_signed.size),
        jac=lambda a: Q @ a - 1.0,
        bounds=list(zip(np.zeros(y_signed.size), top, strict=True)),
        constraints=[condition] if intercept else [],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    ).fun


def assert_optimal(X, y_signed, costs, loss, intercept, found, within):
    """The conditions of an optimum, a document at a time, from the definitions."""
    alphas, b = found.alphas, found.intercept
    np.testing.assert_allclose(found.coef, X.T @ (alphas * y_signed), atol=1e-10)
    margins = y_signed * (X @ found.coef + b)
    assert (alphas >= 0).all()
    if loss == "hinge":
        assert (alphas <= costs).all()
        assert (margins[alphas < costs] >= 1 - within).all()
        assert (margins[alphas > 0] <= 1 + within).all()
    else:
        np.testing.assert_allclose(
            alphas / np.maximum(2 * costs, 1e-300),
            np.maximum(0, 1 - margins) * (costs > 0),
            atol=within,
        )
    if intercept:
        assert abs(alphas @ y_signed) <= 20 * within
    else:
        assert b == 0.0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_optimum_is_that_of_a_quadratic_program(loss, intercept, seed):
    X, y_signed, costs = noisy(40, 25, seed)
    found = descend(
        Rows.of(X),
        y_signed,
        costs,
        loss=loss,
        intercept=intercept,
        tolerance=1e-10,
        random_state=seed,
    )
    assert found.solved
    assert found.violation <= 1e-10
    assert_optimal(X, y_signed, costs, loss, intercept, found, 1e-9)
    best = quadratic_program(X, y_signed, costs, loss, intercept)
    assert dual(X, y_signed, costs, loss, found.alphas) == pytest.approx(best, rel=1e-7)
    value = primal(X, y_signed, costs, loss, found.coef, found.intercept)
    assert value == pytest.approx(best, rel=1e-7)
    assert found.gap <= 1e-9


@pytest.mark.parametrize("cost", [0.1, 1.0, 30.0])
def test_libsvm_finds_the_same_machine(cost):
    X, y_signed, _ = noisy(120, 60)
    found = descend(Rows.of(X), y_signed, np.full(120, cost), tolerance=1e-10)
    peer = SVC(kernel="linear", C=cost, tol=1e-10).fit(X, y_signed)
    # libsvm keeps products of documents in 32 bits
    np.testing.assert_allclose(found.coef, peer.coef_.toarray()[0], atol=1e-4)
    assert found.intercept == pytest.approx(peer.intercept_[0], abs=1e-4)
    alphas = np.zeros(120)
    alphas[peer.support_] = np.abs(peer.dual_coef_.toarray()[0])
    np.testing.assert_allclose(found.alphas, alphas, atol=1e-4 * max(1.0, cost))


def test_liblinear_finds_the_same_machine_without_intercept():
    X, y_signed, costs = noisy(120, 60)
    found = descend(
        Rows.of(X), y_signed, costs, loss="squared_hinge", intercept=False, tolerance=1e-10
    )
    peer = LinearSVC(dual=False, fit_intercept=False, tol=1e-12).fit(X, y_signed, costs)
    np.testing.assert_allclose(found.coef, peer.coef_[0], atol=1e-7)


@given(counts(), st.integers(0, 2**32 - 1), st.sampled_from(LOSSES), st.booleans(), st.booleans())
def test_conditions_hold_for_documents_nobody_thought_of(X, seed, loss, intercept, lengths_one):
    """Empty and repeated documents, one-sided labels, costs of 0, raw counts."""
    rng = np.random.default_rng(seed)
    X = unit(csr_array(X)) if lengths_one else csr_array(X)
    y_signed = rng.choice([-1.0, 1.0], X.shape[0])
    costs = rng.choice([0.0, 0.5, 2.0], X.shape[0])
    found = descend(
        Rows.of(X), y_signed, costs, loss=loss, intercept=intercept, tolerance=1e-8, epochs=20_000
    )
    assert found.solved
    assert_optimal(X, y_signed, costs, loss, intercept, found, 1e-7)
    value = primal(X, y_signed, costs, loss, found.coef, found.intercept)
    assert value - dual(X, y_signed, costs, loss, found.alphas) <= 1e-5 * max(1.0, value)
    other = rng.uniform(size=found.alphas.size) * np.minimum(costs, 1.0)
    for side in (1.0, -1.0):
        total = other[y_signed == -side].sum()
        mine = other[y_signed == side].sum()
        if intercept and mine > total:
            other[y_signed == side] *= total / mine
    assert dual(X, y_signed, costs, loss, other) <= value + 1e-9, "weak duality"


@pytest.mark.parametrize("loss", LOSSES)
def test_a_scaled_prefix_is_the_matrix_cut_and_scaled(loss):
    X, y_signed, costs = noisy()
    X.sort_indices()
    scales = np.random.default_rng(3).uniform(0.5, 2.0, X.shape[0])
    whole = Rows.of(X)
    kept = np.array(
        [(X.indices[a:b] < 12).sum() for a, b in zip(X.indptr, X.indptr[1:], strict=False)]
    )
    rows = Rows(whole.starts, whole.starts + kept, whole.columns, whole.values, scales, 30)
    cut = X.toarray() * scales[:, None]
    cut[:, 12:] = 0.0
    found = descend(rows, y_signed, costs, loss=loss, tolerance=1e-9)
    same = descend(Rows.of(csr_array(cut)), y_signed, costs, loss=loss, tolerance=1e-9)
    assert found.solved
    assert not found.coef[12:].any()
    np.testing.assert_allclose(found.coef, same.coef, atol=1e-7)
    assert found.intercept == pytest.approx(same.intercept, abs=1e-7)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_documents_that_agree_need_an_intercept_and_no_words(sign, loss):
    X, _, costs = noisy()
    found = descend(Rows.of(X), np.full(60, sign), costs, loss=loss)
    assert (found.intercept, found.gap, found.solved) == (sign, 0.0, True)
    assert not found.coef.any()
    y_signed = np.full(60, sign)
    y_signed[0] = -sign
    free = np.ones(60)
    free[0] = 0.0
    assert descend(Rows.of(X), y_signed, free, loss=loss).intercept == sign, (
        "a cost of 0 says nothing"
    )
    assert descend(Rows.of(X), y_signed, np.zeros(60), loss=loss).intercept == 0.0


def test_an_empty_document_without_intercept_pays_all_its_cost():
    X = csr_array(np.array([[0.0, 0.0], [1.0, 0.0]]))
    found = descend(Rows.of(X), np.array([1.0, -1.0]), np.array([3.0, 0.25]), intercept=False)
    np.testing.assert_allclose(found.alphas, [3.0, 0.25])
    np.testing.assert_allclose(found.coef, [-0.25, 0.0])


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [True, False])
def test_a_start_at_the_optimum_is_left_at_once(loss, intercept):
    X, y_signed, costs = noisy()
    options = {"loss": loss, "intercept": intercept}
    first = descend(Rows.of(X), y_signed, costs, tolerance=1e-10, **options)
    assert first.epochs > 3
    again = descend(
        Rows.of(X),
        y_signed,
        costs,
        start=first.alphas,
        start_intercept=first.intercept,
        tolerance=1e-7,
        **options,
    )
    assert again.epochs == 1
    np.testing.assert_allclose(again.coef, first.coef, atol=1e-8)


def test_a_start_is_cut_to_the_box_and_not_written_to():
    X, y_signed, costs = noisy()
    start = np.linspace(-5.0, 50.0, 60)
    kept = start.copy()
    found = descend(Rows.of(X), y_signed, costs, start=start, tolerance=1e-9)
    fresh = descend(Rows.of(X), y_signed, costs, tolerance=1e-9)
    np.testing.assert_allclose(found.coef, fresh.coef, atol=1e-7)
    assert (start == kept).all()
    none = descend(Rows.of(X), y_signed, costs, start=start, epochs=0)
    np.testing.assert_array_equal(none.alphas, np.clip(start, 0, costs))


@pytest.mark.parametrize("epochs", [1, 2, 3])
def test_so_many_passes_and_no_more_each_over_all_documents(epochs):
    """Every document of a start that is all wrong is visited in each pass: the dual rises."""
    X, y_signed, costs = noisy(200, 80)
    start = np.where(np.arange(200) % 2, costs, 0.0)
    values = []
    for count in range(epochs + 1):
        found = descend(
            Rows.of(X), y_signed, costs, intercept=False, start=start, epochs=count, tolerance=1e-12
        )
        assert found.epochs == count
        values.append(dual(X, y_signed, costs, "hinge", found.alphas))
    assert (np.diff(values) > 0).all()
    value = primal(X, y_signed, costs, "hinge", found.coef, found.intercept)
    assert found.gap == pytest.approx((value - values[-1]) / value, rel=1e-9)


@pytest.mark.parametrize("epochs", [3, 40])
def test_only_a_long_descent_leaves_documents_out(epochs, monkeypatch):
    X, y_signed, costs = noisy(200, 80)
    n_active = []

    def counted(*args):
        n_active.append(args[3])
        return one_pass(*args)

    monkeypatch.setattr(module, "one_pass", counted)
    start = descend(Rows.of(X), y_signed, costs, tolerance=1e-3).alphas
    n_active.clear()
    descend(Rows.of(X), y_signed, costs, start=start, epochs=epochs, tolerance=1e-12)
    assert len(n_active) == epochs
    assert (min(n_active) == 200) == (epochs == 3)


def test_three_passes_from_a_near_start_nearly_repair_it():
    X, y_signed, costs = noisy(200, 80)
    best = descend(Rows.of(X), y_signed, costs, tolerance=1e-9)
    values = [
        primal(X, y_signed, costs, "hinge", found.coef, found.intercept)
        for found in (
            descend(Rows.of(X), y_signed, costs, start=0.8 * best.alphas, epochs=count)
            for count in (0, 1, 3)
        )
    ]
    least = primal(X, y_signed, costs, "hinge", best.coef, best.intercept)
    assert values[0] > values[1] > values[2] > least
    assert values[2] - least < 0.3 * (values[0] - least)


def test_order_is_by_the_seed_alone():
    X, y_signed, costs = noisy()
    one, same, other = (
        descend(Rows.of(X), y_signed, costs, random_state=seed, epochs=2) for seed in (4, 4, 5)
    )
    assert np.array_equal(one.alphas, same.alphas)
    assert not np.array_equal(one.alphas, other.alphas)


def test_what_is_not_solved_is_said():
    X, y_signed, costs = noisy()
    found = descend(Rows.of(X), y_signed, costs, epochs=2, tolerance=1e-12)
    assert not found.solved
    assert found.violation > 1e-12
    assert found.gap > 0


@pytest.mark.parametrize("loss", LOSSES)
def test_raw_counts_are_solved_where_passes_alone_are_slow(loss):
    X, y = text_like(80, 60, 2)
    y_signed = np.where(np.random.default_rng(0).random(80) < 0.1, -1.0, 1.0) * (2.0 * (y == 0) - 1)
    found = descend(Rows.of(X), y_signed, np.ones(80), loss=loss, tolerance=1e-8)
    assert found.solved
    assert_optimal(X, y_signed, np.ones(80), loss, True, found, 1e-7)


def test_a_support_vector_has_more_than_a_millionth_of_its_cost():
    alphas, costs = np.array([0.0, 1e-6, 2e-6, 1e-6, 3.0]), np.array([1.0, 1.0, 1.0, 0.5, 3.0])
    assert support(alphas, costs).tolist() == [False, False, True, True, True]


def test_duals_that_do_not_add_up_to_0_are_no_optimum():
    """All other conditions hold: w = 0, b = 1, and the one document on the wrong side pays all."""
    X, y_signed = csr_array((3, 2)), np.array([1.0, 1.0, -1.0])
    start = np.array([0.0, 0.0, 1.0])
    found = descend(Rows.of(X), y_signed, np.ones(3), start=start, epochs=0)
    assert found.intercept == 1.0
    assert found.violation > 0.01
    assert found.gap == pytest.approx(1.0), "duals of one side only prove nothing"
    assert not found.solved
    found = descend(Rows.of(X), y_signed, np.ones(3), start=start)
    assert found.solved
    assert found.alphas @ y_signed == pytest.approx(0.0, abs=1e-4)


def test_the_gap_is_at_least_what_an_interrupted_descent_has_left():
    """N2: Σ α y is not 0 after a few passes, and no bound may be taken from such duals."""
    rng = np.random.default_rng(3)
    for _ in range(150):
        n_docs, n_terms = rng.integers(4, 40), rng.integers(1, 12)
        X = csr_array(rng.random((n_docs, n_terms)) * (rng.random((n_docs, n_terms)) < 0.5))
        y_signed = np.where(np.arange(n_docs) % rng.integers(2, 5) == 0, 1.0, -1.0)
        costs = np.full(n_docs, 10.0 ** rng.uniform(-3, 3))
        early = descend(Rows.of(X), y_signed, costs, epochs=5, tolerance=1e-10)
        best = descend(Rows.of(X), y_signed, costs, epochs=20_000, tolerance=1e-10)
        reached, least = (
            primal(X, y_signed, costs, "hinge", found.coef, found.intercept)
            for found in (early, best)
        )
        assert best.solved
        assert (reached - least) / reached <= early.gap + 1e-9


@pytest.mark.parametrize("loss", LOSSES)
def test_newton_steps_end_what_passes_alone_would_not(loss):
    """Without them it takes 3,707 and 606 epochs; with them 265 and 111."""
    X, y_signed, _ = noisy(200, 80)
    found = descend(Rows.of(X), y_signed, np.full(200, 30.0), loss=loss, tolerance=1e-8, epochs=450)
    assert found.solved
    assert_optimal(X, y_signed, np.full(200, 30.0), loss, True, found, 1e-7)


def test_an_optimum_with_many_intercepts_is_known_as_one():
    """A dual of rounding size contradicts the middle of them, though nothing is left to gain."""
    X, y = documents(80, 40, 3, seed=3)
    for label in range(3):
        y_signed = np.where(y == label, 1.0, -1.0)
        weights = descend(Rows.of(csr_array(X)), y_signed, np.ones(80)).coef
        Z = masked(X, np.argsort(-np.abs(weights))[:2])
        found = descend(Rows.of(csr_array(Z)), y_signed, np.ones(80), tolerance=1e-10)
        assert found.solved
        assert found.gap < 1e-9
        assert found.epochs < 1000
