"""Documents as matrices that estimators read, and as the vectors of the runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.numerics.blocks import FLOATS, Blocks
from laconic.runtime.counts import Terms, Vectors
from laconic.runtime.documents import check_finite
from laconic.types import Matrix

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def read_documents(
    estimator: BaseEstimator, X: Matrix, *, reset: bool = True, as_floats: bool = True
) -> Matrix:
    """Validated documents: CSR, CSC or dense, or blocks. `reset` while fitting."""
    if not isinstance(X, Blocks):
        # whoever predicts with a stored model need not wait for scikit-learn
        from sklearn.utils.validation import validate_data

        return validate_data(
            estimator, X, accept_sparse=("csr", "csc"), dtype=np.float64, reset=reset
        )
    if reset:
        estimator.n_features_in_ = X.shape[1]
    elif X.shape[1] != estimator.n_features_in_:
        raise LaconicError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    return X.map(FLOATS) if as_floats else X


def check_labelled(X: Matrix, n_labelled: int) -> None:
    """Raise unless every document has a label."""
    if n_labelled != X.shape[0]:
        raise LaconicError(
            f"X has {X.shape[0]:,} documents, y has labels of {n_labelled:,}. Give the labels of "
            "each document"
        )


def vectors_of(X: csr_array) -> Vectors:
    """The documents of a matrix."""
    return Vectors(X.indices.astype(np.int32), X.data, X.indptr.astype(np.int64))


def matrix_of(vectors: Vectors, n_columns: int) -> csr_array:
    """The same documents, with unsorted indices of 32 bits where these are enough."""
    columns, values, starts = vectors
    index = np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64
    indices = columns.astype(index, copy=False), starts.astype(index)
    return csr_array((values, *indices), shape=(vectors.n_docs, n_columns))


def counts_of_matrix(X: Matrix, names: Any, terms: Terms) -> Vectors:
    """The columns whose names are terms, as counts over the terms."""
    columns = [str(name) for name in names]
    documents = csr_array(X, dtype=np.float64)
    if documents.ndim != 2 or documents.shape[1] != len(columns):
        raise LaconicError(
            f"{len(columns):,} names for a matrix of shape {documents.shape}: give one per column"
        )
    if len(set(columns)) != len(columns):
        raise LaconicError("two columns have the same name. Give distinct names.")
    term_of = np.array(terms.columns(columns), np.intp)
    picked = documents[:, term_of >= 0].tocoo()
    entries = picked.data, (picked.row, term_of[term_of >= 0][picked.col])
    counts = csr_array(entries, shape=(documents.shape[0], len(terms.column)))
    counts.eliminate_zeros()
    return check_finite(vectors_of(counts))
