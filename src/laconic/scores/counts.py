"""Scores from counting documents: pure functions (X, y) -> one number per term."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from laconic.reduction import Matrix


def document_frequency(X: Matrix, y: ArrayLike | None = None) -> NDArray[np.float64]:
    """In how many documents each term occurs. Labels are not used.

    A stored entry of a sparse matrix is an occurrence, also where its weight is 0: `Weighting`
    keeps the entries of words whose idf is 0, because presence is a matter of counts.
    """
    if not issparse(X):
        return np.count_nonzero(X, axis=0).astype(np.float64)
    documents = X if X.format == "csr" else csr_array(X)
    return np.bincount(documents.indices, minlength=X.shape[1]).astype(np.float64)
