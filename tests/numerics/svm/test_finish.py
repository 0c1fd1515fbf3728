"""What passes over the duals do not settle is solved by Newton's method in w and b (N6)."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic import MaskedSVM, SVMClassifier
from laconic.numerics.svm import dual as module
from laconic.numerics.svm import finish as dual_finish
from laconic.numerics.svm.dual import Rows, descend
from tests.numerics.svm.oracle import InteriorPoint
from tests.numerics.svm.test_dual import assert_optimal, noisy
from tests.numerics.svm.test_intercept import LOSSES


def circling(seed):
    """A few words of few documents, of unit length, some of them twice; both classes balanced."""
    rng = np.random.default_rng(seed)
    n_docs, n_terms = int(rng.integers(3, 13)), int(rng.integers(2, 7))
    X = (rng.random((n_docs, n_terms)) < 0.5).astype(float)[rng.integers(0, n_docs, n_docs)]
    lengths = np.linalg.norm(X, axis=1)
    X /= np.where(lengths > 0, lengths, 1.0)[:, None]
    y_signed = np.where(rng.random(n_docs) < 0.4, 1.0, -1.0)
    y_signed[:2] = 1.0, -1.0
    sides = np.where(y_signed > 0, (y_signed > 0).sum(), (y_signed < 0).sum())
    return X, y_signed, n_docs / (2.0 * sides)


def test_n6_three_documents():
    """N6: the passes gave −1, −1, 1.456, and 20,000 of them did not help."""
    X = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 1, 1]])
    fitted = SVMClassifier(0.5, loss="hinge", class_weight="balanced").fit(X, [1, -1, 1])
    np.testing.assert_allclose(fitted.decision_function(X), [-1.0, -1.0, 1.0], atol=1e-8)
    assert fitted.solved_.tolist() == [True]
    assert fitted.gap_[0] <= 1e-8


@pytest.mark.full
@pytest.mark.parametrize("loss", LOSSES)
def test_n6_small_problems_do_not_go_in_circles(loss):
    """N6: 25 of 500 with the hinge did."""
    for seed in range(500):
        X, y_signed, costs = circling(seed)
        documents = csr_array(X)
        found = descend(Rows.of(documents), y_signed, costs, loss=loss, tolerance=1e-8)
        assert found.solved, seed
        assert found.gap <= 1e-8, seed
        if found.epochs == module.PATIENCE:
            coef, _ = InteriorPoint(X, y_signed, costs, loss, True).solution()
            np.testing.assert_allclose(found.coef, coef, atol=1e-6)


def test_n6_the_exact_machines_of_a_mask_are_solved():
    """N6: with few words many documents are alike. Before, 9 of 386 were not solved."""
    for seed in range(30):
        X, y_signed, _ = circling(seed)
        path = MaskedSVM("exact", class_weight="balanced")
        for size in (1, 2):
            if path.fit(X, y_signed).machines_[0].available >= size:
                assert path.set_params(size=size).fit(X, y_signed).solved_.all(), seed
                assert (path.gap_ <= path.tol).all(), seed


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("cost", [1e-6, 1.0, 1e6])
def test_the_rounds_alone_find_the_optimum(loss, intercept, cost, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 1)
    X, y_signed, costs = noisy(30, 15)
    costs = cost * costs
    given = {"loss": loss, "intercept": intercept, "tolerance": 1e-9}
    found = descend(Rows.of(X), y_signed, costs, **given)
    assert (found.epochs, found.solved) == (1, True)
    assert found.violation <= 1e-9
    coef, b = InteriorPoint(X.toarray(), y_signed, costs, loss, intercept).solution()
    np.testing.assert_allclose(found.coef, coef, atol=1e-7)
    if cost >= 1.0:
        assert found.intercept == pytest.approx(b, abs=1e-7)
    if cost == 1.0:
        assert_optimal(X, y_signed, costs, loss, intercept, found, 1e-8)


@pytest.mark.parametrize("loss", LOSSES)
def test_documents_are_parts_of_rows_here_too(loss, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 1)
    X, y_signed, costs = noisy(30, 15)
    X.sort_indices()
    whole = Rows.of(X)
    scales = np.random.default_rng(3).uniform(0.5, 2.0, 30)
    bounds = zip(X.indptr, X.indptr[1:], strict=False)
    ends = whole.starts + [(X.indices[a:b] < 8).sum() for a, b in bounds]
    rows = Rows(whole.starts, ends, whole.columns, whole.values, scales, 15)
    cut = X.toarray() * scales[:, None]
    cut[:, 8:] = 0.0
    found = descend(rows, y_signed, costs, loss=loss, tolerance=1e-9)
    same = descend(Rows.of(csr_array(cut)), y_signed, costs, loss=loss, tolerance=1e-9)
    assert found.solved
    np.testing.assert_allclose(found.coef, same.coef, atol=1e-8)


def test_what_is_not_affordable_is_left_to_the_passes(monkeypatch):
    X, y_signed, costs = noisy(30, 15)
    monkeypatch.setattr(dual_finish, "AFFORDABLE", 10)
    monkeypatch.setattr(module, "PATIENCE", 1)
    problem = module._Problem.of(Rows.of(X), y_signed, costs, "hinge", True, centring=True)
    assert problem.finish(1, 1e-8) is None
    found = descend(Rows.of(X), y_signed, costs, tolerance=1e-8)
    assert found.solved
    assert found.epochs > 1


@pytest.mark.parametrize("loss", LOSSES)
def test_every_round_is_nearer(loss):
    X, y_signed, costs = noisy(30, 15)
    problem = module._Problem.of(Rows.of(X), y_signed, 100 * costs, loss, True, centring=True)
    coef, _ = InteriorPoint(X.toarray(), y_signed, 100 * costs, loss, True).solution()
    found = islice(dual_finish.proximal_rounds(problem.arrays, 100 * costs, 15, True), 8)
    apart = [np.abs(one.coef - coef).max() for one in found]
    assert apart[-1] < 1e-6 < apart[0]


def test_a_hard_margin_has_no_gap():
    """Short of the margin by 1e-16 costs 1e-16 C: w is made longer by as much."""
    X = np.random.default_rng(0).normal(size=(12, 30))
    y_signed = np.resize([1.0, -1.0], 12)
    found = descend(Rows.of(csr_array(X)), y_signed, np.full(12, 1e13), tolerance=1e-10)
    assert found.solved
    assert found.gap <= 1e-10
    soft = descend(Rows.of(csr_array(X)), y_signed, np.full(12, 1e3), tolerance=1e-10)
    np.testing.assert_allclose(found.coef, soft.coef, atol=1e-8)
