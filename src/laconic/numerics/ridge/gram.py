"""Gram matrices of the smaller side of a sparse or dense X, centred if there is an intercept."""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.sparse import csr_array, issparse

from laconic.errors import LaconicError
from laconic.types import Floats, Ints, Matrix


def column_means(X: Matrix) -> Floats:
    total: Floats = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
    return total / float(X.shape[0])


def squared_norm(X: Matrix) -> float:
    """The sum of the squared entries."""
    data = X.data if issparse(X) else np.asarray(X)
    with np.errstate(over="ignore"):
        return float(np.vdot(data, data))


def refuse_overflow(product: float) -> None:
    """Raise if a product of entries of X, or a sum of products, is not finite."""
    if not np.isfinite(product):
        raise LaconicError(
            "the entries of X are so large that products of them overflow, or they are not "
            "finite. Divide the documents by their lengths, or all of X by its largest entry."
        )


def centring(n_docs: int, x_mean: Floats) -> float:
    """How much centring may reduce the Gram matrix's largest eigenvalue: n_docs·‖x_mean‖²."""
    return float(n_docs * (x_mean @ x_mean))


def by_documents(X: Matrix, x_mean: Floats) -> Floats:
    """Xc Xc' in Fortran order; only the lower triangle is valid, which is all LAPACK reads."""
    K = lower_gram(X)
    if x_mean.any():
        shift = np.asarray(X @ x_mean)
        K -= shift[:, None]
        K -= (shift - x_mean @ x_mean)[None, :]
    return K


def by_terms(X: Matrix, x_mean: Floats) -> Floats:
    """Xc'Xc in Fortran order; only the lower triangle is valid."""
    return centred_gram(lower_gram(X.T), x_mean, X.shape[0])


def centred_gram(A: Floats, x_mean: Floats, n_docs: int) -> Floats:
    """Xc'Xc from X'X, in place."""
    if x_mean.any():
        scaled = np.sqrt(n_docs) * x_mean
        A -= np.outer(scaled, scaled).T
    return A


def lower_gram(X: Matrix) -> Floats:
    """X X' in Fortran order; only the lower triangle is valid."""
    with np.errstate(over="ignore", invalid="ignore"):
        product = _lower_product(X)
    refuse_overflow(float(product.diagonal().sum()))
    return product


def _lower_product(X: Matrix) -> Floats:
    if not issparse(X):
        return np.array(X @ X.T, dtype=np.float64, order="F")
    rows = csr_array(X)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    columns = rows.tocsc()
    product = np.zeros((rows.shape[0], rows.shape[0]))
    _upper_product(
        rows.indptr, rows.indices, rows.data, columns.indptr, columns.indices, columns.data, product
    )
    return product.T


@njit(nogil=True, cache=True)
def _upper_product(
    row_ends: Ints,
    row_terms: Ints,
    row_values: Floats,
    column_ends: Ints,
    column_docs: Ints,
    column_values: Floats,
    product: Floats,
) -> None:
    """Rows in order; `begins` skips the entries of each column in earlier rows."""
    begins = column_ends[:-1].copy()
    for doc in range(row_ends.size - 1):
        line = product[doc]
        for entry in range(row_ends[doc], row_ends[doc + 1]):
            term, value = row_terms[entry], row_values[entry]
            for other in range(begins[term], column_ends[term + 1]):
                line[column_docs[other]] += value * column_values[other]
            begins[term] += 1
