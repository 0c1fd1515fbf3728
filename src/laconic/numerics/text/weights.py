"""Term weights from counts, and normalization of documents; for training and serving."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.numerics.quotient import quotient
from laconic.types import Floats

Length: TypeAlias = Literal["l1", "l2"]


def term_weights(tf: Floats, scheme: str) -> Floats:
    """Weights of positive counts, before any idf."""
    if scheme == "ltc":
        return np.asarray(np.maximum(0.0, 1.0 + np.log(tf)))
    return np.ones_like(tf) if scheme == "binary" else tf


# The idf of a word that occurs in df of n documents, by scheme; other schemes have none.
IDF: dict[str, Callable[[int, NDArray[np.intp]], Floats]] = {
    "ltc": lambda n, df: np.log(n / df),
    "tfidf": lambda n, df: 1.0 + np.log((1 + n) / (1 + df)),
}


def idf(scheme: str, n_docs: int, document_frequency: NDArray[np.intp]) -> Floats | None:
    return IDF[scheme](n_docs, document_frequency) if scheme in IDF else None


def normalize_rows(X: csr_array, length: Length) -> csr_array:
    """Each document divided by its length; a document without words is unchanged."""
    return scale_rows(X, quotient(1.0, _lengths(X.data, X.indptr, length)))


def scale_rows(X: csr_array, factors: Floats) -> csr_array:
    """Each document multiplied by its factor; X is unchanged."""
    data = X.data * np.repeat(factors, np.diff(X.indptr))
    return csr_array((data, X.indices, X.indptr), shape=X.shape)


def _lengths(values: Floats, starts: NDArray[Any], length: Length) -> Floats:
    docs = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    sizes = np.abs(values) if length == "l1" else values**2
    totals: Floats = np.bincount(docs, sizes, starts.size - 1).astype(np.float64, copy=False)
    return np.sqrt(totals) if length == "l2" else totals
