from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array, random_array
from sklearn.linear_model import Ridge

from laconic.numerics import ridge as module
from laconic.numerics.ridge import ridge
from tests.doubles import OnlyProducts
from tests.oracles import ridge_by_stacking


def problem(n_docs, n_terms, seed=0):
    rng = np.random.default_rng(seed)
    X = random_array((n_docs, n_terms), density=0.3, rng=rng, format="csr")
    return X, np.where(rng.random((n_docs, 3)) < 0.4, 1.0, -1.0)


@pytest.mark.parametrize("shape", [(40, 15), (15, 40), (20, 20)])
@pytest.mark.parametrize("alpha", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("form", [csr_array, csc_array, csr_array.toarray, OnlyProducts])
def test_ridge_is_the_stacked_least_squares_problem(shape, alpha, form):
    X, Y = problem(*shape)
    dense = X.toarray()
    documents = form(dense) if form is OnlyProducts else form(X)
    coef, intercept = ridge(documents, Y, alpha, intercept=False)
    assert intercept.tolist() == [0.0] * 3
    for column in range(3):
        expected = ridge_by_stacking(dense, Y[:, column], alpha)
        np.testing.assert_allclose(coef[column], expected, atol=1e-10)


@pytest.mark.parametrize("shape", [(40, 15), (15, 40)])
def test_the_intercept_is_not_penalised(shape):
    X, Y = problem(*shape)
    coef, intercept = ridge(X, Y + 5.0, 0.5, intercept=True)
    peer = Ridge(alpha=0.5, solver="svd").fit(X.toarray(), Y + 5.0)
    np.testing.assert_allclose(coef, peer.coef_, atol=1e-9)
    np.testing.assert_allclose(intercept, peer.intercept_, atol=1e-9)


@pytest.mark.parametrize("shape", [(40, 15), (15, 40)])
def test_alpha_0_gives_the_least_norm_solution_also_of_a_singular_system(shape):
    X, Y = problem(*shape)
    dense = np.hstack([X.toarray(), X.toarray()[:, :3], np.zeros((shape[0], 2))])
    coef, _ = ridge(csr_array(dense), Y, 0.0, intercept=False)
    np.testing.assert_allclose(coef.T, np.linalg.pinv(dense) @ Y, atol=1e-8)


@pytest.mark.parametrize("shape", [(60, 30), (30, 60)])
@pytest.mark.parametrize("intercept", [False, True])
def test_conjugate_gradients_find_the_same(shape, intercept, monkeypatch):
    X, Y = problem(*shape)
    expected = ridge(X, Y, 0.7, intercept)
    monkeypatch.setattr(module, "FACTORISE_UP_TO", 5)
    found = ridge(X, Y, 0.7, intercept)
    np.testing.assert_allclose(found[0], expected[0], atol=1e-8)
    np.testing.assert_allclose(found[1], expected[1], atol=1e-8)


def test_conjugate_gradients_leave_a_zero_right_side_alone(monkeypatch):
    X, Y = problem(30, 20)
    monkeypatch.setattr(module, "FACTORISE_UP_TO", 5)
    coef, _ = ridge(X, np.zeros_like(Y), 0.7, intercept=False)
    assert not coef.any()
