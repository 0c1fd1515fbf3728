from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array, random_array
from sklearn.linear_model import Ridge

from laconic.errors import LaconicError
from laconic.numerics.ridge import solve as module
from laconic.numerics.ridge.gram import by_documents, by_terms, lower_gram
from laconic.numerics.ridge.path import factorize
from laconic.numerics.ridge.solve import ridge, solve_in_step
from tests.oracles import leave_one_out, ridge_by_stacking
from tests.restricted_matrix import OnlyProducts
from tests.strategies import counts

FORMS = [csr_array, csc_array, csr_array.toarray, OnlyProducts]
SHAPES = [(40, 15), (15, 40), (20, 20)]
ALPHAS = np.array([1e-3, 0.1, 1.0, 50.0])


def problem(n_docs, n_terms, seed=0):
    rng = np.random.default_rng(seed)
    X = random_array((n_docs, n_terms), density=0.3, rng=rng, format="csr")
    return X, np.where(rng.random((n_docs, 3)) < 0.4, 1.0, -1.0)


def in_form(X, form):
    return form(X.toarray()) if form is OnlyProducts else form(X)


def iterate(monkeypatch):
    monkeypatch.setattr(module, "FACTORISE_UP_TO", 5)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("alpha", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("form", FORMS)
def test_ridge_is_the_stacked_least_squares_problem(shape, alpha, form):
    X, Y = problem(*shape)
    found = ridge(in_form(X, form), Y, alpha, intercept=False)
    assert found.intercept.tolist() == [0.0] * 3
    for column in range(3):
        expected = ridge_by_stacking(X.toarray(), Y[:, column], alpha)
        np.testing.assert_allclose(found.coef[column], expected, atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_intercept_is_not_penalised(shape):
    X, Y = problem(*shape)
    found = ridge(X, Y + 5.0, 0.5, intercept=True)
    peer = Ridge(alpha=0.5, solver="svd").fit(X.toarray(), Y + 5.0)
    np.testing.assert_allclose(found.coef, peer.coef_, atol=1e-9)
    np.testing.assert_allclose(found.intercept, peer.intercept_, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kernel", [ridge, lambda X, Y, a, i: factorize(X, i).solve(Y, a)])
def test_alpha_0_gives_the_least_norm_solution_also_of_a_singular_system(shape, kernel):
    X, Y = problem(*shape)
    dense = np.hstack([X.toarray(), X.toarray()[:, :3], np.zeros((shape[0], 2))])
    found = kernel(csr_array(dense), Y, 0.0, False)
    np.testing.assert_allclose(found.coef.T, np.linalg.pinv(dense) @ Y, atol=1e-8)


@pytest.mark.parametrize("kernel", [ridge, lambda X, Y, a, i: factorize(X, i).solve(Y, a)])
def test_documents_without_words_have_no_coefficients(kernel):
    for alpha in (0.0, 1.0):
        assert not kernel(csr_array((4, 6)), np.ones((4, 2)), alpha, False).coef.any()


@pytest.mark.parametrize("shape", [(60, 30), (30, 60)])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_conjugate_gradients_find_the_same(shape, intercept, form, monkeypatch):
    X, Y = problem(*shape)
    expected = ridge(X, Y, 0.01, intercept)
    iterate(monkeypatch)
    found = ridge(in_form(X, form), Y, 0.01, intercept)
    assert np.isnan(found.condition)
    np.testing.assert_allclose(found.coef, expected.coef, atol=1e-9)
    np.testing.assert_allclose(found.intercept, expected.intercept, atol=1e-9)


def test_conjugate_gradients_leave_a_zero_right_side_alone(monkeypatch):
    X, Y = problem(30, 20)
    iterate(monkeypatch)
    assert not ridge(X, np.zeros_like(Y), 0.7, intercept=False).coef.any()


@pytest.mark.parametrize(("decades", "refresh", "reached"), [(4, 200, True), (8, 20, False)])
def test_conjugate_gradients_tell_the_true_residual(decades, refresh, reached):
    A = np.diag(np.logspace(0, decades, 40))
    B = np.random.default_rng(0).normal(size=(40, 2))
    found, residual = solve_in_step(lambda V: A @ V, B, tolerance=1e-9, refresh=refresh)
    true = np.linalg.norm(B - A @ found, axis=0) / np.linalg.norm(B, axis=0)
    assert residual == pytest.approx(true.max(), rel=1e-3)
    assert (residual <= 1e-9) == reached


def test_conjugate_gradients_end_where_rounding_lets_them_go_no_further():
    A, B = np.diag(np.logspace(0, 3, 40)), np.ones((40, 1))
    products = []
    found, residual = solve_in_step(lambda V: (products.append(1), A @ V)[1], B, 1e-16, 60)
    np.testing.assert_allclose(A @ found, B, rtol=1e-9)
    assert 1e-16 < residual < 1e-12
    assert len(products) < 300


def test_the_cheaper_way_is_taken(monkeypatch):
    X, Y = problem(120, 60)
    monkeypatch.setattr(module, "ITERATE_FROM", 50)
    monkeypatch.setattr(module, "ENTRY_COST", 0.0)
    ways = []
    for price in (1e-6, 1e6):
        monkeypatch.setattr(module, "COLUMN_COST", price)
        ways.append([np.isnan(ridge(it, Y, 1.0, False).condition) for it in (X, X.toarray())])
    assert ways == [[True, True], [False, False]]


def test_alpha_0_on_what_cannot_be_factorized_says_what_to_do(monkeypatch):
    X, Y = problem(30, 20)
    iterate(monkeypatch)
    with pytest.raises(LaconicError, match=r"alpha=0 on 30 documents and 20 terms.*alpha > 0"):
        ridge(X, Y, 0.0, intercept=False)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("intercept", [False, True])
def test_the_condition_is_that_of_the_system(shape, intercept):
    X, Y = problem(*shape)
    centred = X.toarray() - (X.toarray().mean(axis=0) if intercept else 0.0)
    gram = centred @ centred.T if shape[0] <= shape[1] else centred.T @ centred
    system = gram + 0.1 * np.eye(len(gram))
    estimated = ridge(X, Y, 0.1, intercept).condition
    assert 0.95 < estimated / np.linalg.cond(system, 1) <= 1 + 1e-9, "LAPACK bounds it from below"
    exact = factorize(X, intercept).solve(Y, 0.1).condition
    assert exact == pytest.approx(np.linalg.cond(system, 2))


@given(counts())
def test_the_gram_matrix_of_any_side(X):
    mean = X.mean(axis=0)
    for it in (csr_array(X), csc_array(X), X, OnlyProducts(X)):
        for kernel, expected in (
            (lambda it: by_documents(it, 0 * mean), X @ X.T),
            (lambda it: by_terms(it, 0 * mean), X.T @ X),
            (lambda it: by_documents(it, mean), (X - mean) @ (X - mean).T),
            (lambda it: by_terms(it, mean), (X - mean).T @ (X - mean)),
        ):
            np.testing.assert_allclose(np.tril(kernel(it)), np.tril(expected), atol=1e-9)


def test_the_gram_matrix_of_entries_stored_twice_and_out_of_order():
    X = coo_array((np.array([1.0, 2.0, 3.0, 4.0]), ([0, 0, 1, 0], [2, 0, 2, 2])), shape=(2, 3))
    untidy = csr_array((X.data, [2, 0, 2, 2], [0, 2, 4]), shape=(2, 3))
    assert not untidy.has_canonical_format
    dense = untidy.toarray()
    np.testing.assert_allclose(np.tril(lower_gram(untidy)), np.tril(dense @ dense.T))
    assert untidy.nnz == 4, "the caller's matrix stays as it was"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_one_factorization_solves_for_every_alpha(shape, intercept, form):
    X, Y = problem(*shape)
    factors = factorize(in_form(X, form), intercept)
    for alpha in ALPHAS:
        found, expected = factors.solve(Y, alpha), ridge(X, Y, alpha, intercept)
        np.testing.assert_allclose(found.coef, expected.coef, atol=1e-9)
        np.testing.assert_allclose(found.intercept, expected.intercept, atol=1e-9)


@pytest.mark.parametrize("shape", [*SHAPES, (2, 1), (2, 5)])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_columns", [1, 3])
def test_leave_one_out_is_refitting_without_each_document(shape, intercept, form, n_columns):
    X, Y = problem(*shape)
    Y = Y[:, :n_columns]
    found = list(factorize(in_form(X, form), intercept).leave_one_out(Y, ALPHAS))
    assert len(found) == len(ALPHAS)
    for alpha, residuals in zip(ALPHAS, found, strict=True):
        expected = leave_one_out(X.toarray(), Y, alpha, intercept)
        np.testing.assert_allclose(residuals, expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 1e-300, 0.01, 1.0])
def test_leave_one_out_of_documents_that_come_twice(shape, intercept, alpha):
    X, Y = problem(*shape)
    dense = np.vstack([X.toarray(), X.toarray()[:6], np.zeros((2, shape[1]))])
    labels = np.vstack([Y, -Y[:3], Y[3:6], Y[:2]])
    (found,) = factorize(csr_array(dense), intercept).leave_one_out(labels, [alpha])
    expected = leave_one_out(dense, labels, alpha if alpha > 1e-200 else 0.0, intercept)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


@given(counts(), st.sampled_from([1e-2, 1.0, 30.0]), st.booleans(), st.integers(0, 99))
def test_leave_one_out_for_inputs_nobody_thought_of(X, alpha, intercept, seed):
    if X.shape[0] < 2:
        return
    Y = np.random.default_rng(seed).choice([-1.0, 1.0], size=(X.shape[0], 2))
    (found,) = factorize(csr_array(X), intercept).leave_one_out(Y, [alpha])
    np.testing.assert_allclose(found, leave_one_out(X, Y, alpha, intercept), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
def test_leave_one_out_of_the_least_norm_solution(shape):
    X, Y = problem(*shape)
    for intercept in (False, True):
        (found,) = factorize(X, intercept).leave_one_out(Y, [0.0])
        expected = leave_one_out(X.toarray(), Y, 0.0, intercept)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_alphas_come_in_the_order_they_were_asked_for():
    X, Y = problem(15, 40)
    factors = factorize(X, True)
    alphas = [5.0, 0.0, 1e-3, 0.0, 0.2]
    for alpha, residuals in zip(alphas, factors.leave_one_out(Y, alphas), strict=True):
        # a product with more right-hand sides rounds differently on some CPUs
        alone = next(factors.leave_one_out(Y, [alpha]))
        np.testing.assert_allclose(residuals, alone, rtol=1e-12)


def test_without_any_other_document_leave_one_out_is_not_a_number():
    (found,) = factorize(csr_array([[1.0, 2.0]]), True).leave_one_out(np.ones((1, 2)), [1.0])
    assert np.isnan(found).all()


def test_more_columns_of_the_basis_than_one_block_holds():
    X, Y = problem(300, 280)
    for documents, labels in ((X, Y), (X.T.tocsr(), Y[:280])):
        (found,) = factorize(documents, True).leave_one_out(labels, [0.5])
        for i in (0, 150, 279):
            others = np.arange(len(labels)) != i
            refit = ridge(documents.toarray()[others], labels[others], 0.5, True)
            value = documents.toarray()[i] @ refit.coef.T + refit.intercept
            np.testing.assert_allclose(found[i], labels[i] - value, rtol=1e-8)
