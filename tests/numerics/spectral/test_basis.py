from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csc_array, csr_array

from laconic.numerics.spectral.basis import leading_basis, row_basis
from tests.numerics.spectral.test_leverage import awkward, route, with_spectrum
from tests.restricted_matrix import OnlyProducts
from tests.strategies import counts

FORMS = [csr_array, csc_array, np.asarray, OnlyProducts]


def projector(X):
    """Onto the rows of X, by the singular value decomposition of X with columns of unit length.

    Documents are scaled first: those of 1e-6 and of 1e6 count alike.
    """
    lengths = np.linalg.norm(X, axis=1)
    V = np.linalg.svd(X[lengths > 0] / lengths[lengths > 0][:, None], full_matrices=False)
    return V[2][V[1] > 1e-9].T @ V[2][V[1] > 1e-9]


@pytest.mark.parametrize("name", [name for name in awkward() if "rare" not in name])
@pytest.mark.parametrize("form", FORMS)
def test_a_basis_is_orthonormal_and_spans_the_rows(name, form):
    X = awkward()[name]
    U = row_basis(form(X))
    np.testing.assert_allclose(U.T @ U, np.eye(U.shape[1]), atol=1e-13)
    np.testing.assert_allclose(U @ U.T, projector(X), atol=1e-7)


def test_frequent_and_rare_terms_are_of_one_basis():
    X = awkward()["frequent and rare terms"]
    U = row_basis(csr_array(X))
    assert U.shape == (45, 40)
    np.testing.assert_allclose(U.T @ U, np.eye(40), atol=1e-13)
    assert np.abs(X - X @ U @ U.T).max() < 1e-9 * np.abs(X).max()


@given(counts())
def test_any_counts_have_a_basis(X):
    U = row_basis(csr_array(X))
    assert U.shape == (X.shape[1], np.linalg.matrix_rank(X) if X.size else 0)
    np.testing.assert_allclose(U.T @ U, np.eye(U.shape[1]), atol=1e-12)
    np.testing.assert_allclose(X @ U @ U.T, X, atol=1e-9)


def test_documents_that_are_nearly_dependent_still_give_an_orthonormal_basis():
    X = with_spectrum((30, 200), np.logspace(0, -5, 30))
    U = row_basis(csr_array(X))
    assert U.shape == (200, 30)
    np.testing.assert_allclose(U.T @ U, np.eye(30), atol=1e-13)


@pytest.mark.parametrize("krylov", [False, True])
@pytest.mark.parametrize("shape", [(40, 90), (90, 40)])
@pytest.mark.parametrize("form", FORMS)
def test_the_leading_basis_is_that_of_the_largest_singular_values(monkeypatch, krylov, shape, form):
    route(monkeypatch, krylov)
    X = with_spectrum(shape, np.linspace(5, 1, 20))
    V = np.linalg.svd(X, full_matrices=False)[2]
    U = leading_basis(form(X), 7)
    assert U.shape == (shape[1], 7)
    np.testing.assert_allclose(U.T @ U, np.eye(7), atol=1e-13)
    for rank in (1, 4, 7):
        np.testing.assert_allclose(U[:, :rank] @ U[:, :rank].T, V[:rank].T @ V[:rank], atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rank", [6, 7, 29, 30, 31])
@pytest.mark.parametrize("name", ["low rank, wide", "low rank, tall"])
def test_beyond_the_rank_the_leading_basis_is_the_whole_one_best_first(name, rank, form):
    X = awkward()[name]
    V = np.linalg.svd(X, full_matrices=False)[2]
    U = leading_basis(form(X), rank)
    assert U.shape == (X.shape[1], 6)
    for few in range(1, 7):
        np.testing.assert_allclose(U[:, :few] @ U[:, :few].T, V[:few].T @ V[:few], atol=1e-9)


def test_the_leading_basis_has_no_more_columns_than_asked_for():
    lengths = np.array([1.0, 1, 1, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9])
    X = np.random.default_rng(0).normal(size=(8, 20)) * lengths[:, None]
    assert leading_basis(csr_array(X), 4).shape == (20, 4)
