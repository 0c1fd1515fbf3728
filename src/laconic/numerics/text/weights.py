"""Term weights from counts, and normalization of documents; for training and serving."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.numerics.quotient import quotient
from laconic.numerics.text.numpy_kernels import documents, totals
from laconic.types import Floats, Indices

# The count at which a saturated term frequency is half of its limit: the usual k1 of BM25.
HALF = 1.2


def term_weights(tf: Floats, scheme: str) -> Floats:
    """Weights of positive counts, before any idf."""
    if scheme == "ltc":
        return np.asarray(np.maximum(0.0, 1.0 + np.log(tf)))
    if scheme == "saturated":
        return tf / (tf + HALF)
    return np.ones_like(tf) if scheme == "binary" else tf


# The idf of a word that occurs in df of n documents, by scheme; other schemes have none.
IDF: dict[str, Callable[[int, Indices], Floats]] = {
    "ltc": lambda n, df: np.log(n / df),
    "tfidf": lambda n, df: 1.0 + np.log((1 + n) / (1 + df)),
    "saturated": lambda n, df: np.log(n / df),
}


def idf(scheme: str, n_docs: int, document_frequency: Indices) -> Floats | None:
    return IDF[scheme](n_docs, document_frequency) if scheme in IDF else None


def weighted(
    tf: Floats,
    columns: NDArray[Any],
    starts: NDArray[Any],
    scheme: str,
    word_idf: Floats | None,
    length: str | None,
) -> Floats:
    """Weights of the counts of documents, divided by their "l1" or "l2" length, if there is one.

    A document without words is unchanged.
    """
    weights = term_weights(tf, scheme)
    if word_idf is not None:
        weights = weights * word_idf[columns]
    if length is None:
        return weights
    factors = quotient(1.0, _lengths(weights, starts, length))
    return weights * np.repeat(factors, np.diff(starts))


def _lengths(values: Floats, starts: NDArray[Any], length: str) -> Floats:
    sizes = np.abs(values) if length == "l1" else values**2
    sums = totals(documents(starts), sizes, (starts.size - 1, 1))[:, 0]
    return np.sqrt(sums) if length == "l2" else sums
