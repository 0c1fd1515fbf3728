"""The entries of each word, the gain of adding a word, and the documents over selected words.

A document is divided by its length over the selected words. If L is that length before a word is
added, an entry x of the word becomes x / √(L² + x²).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csc_array

from laconic.numerics.logistic.lanes import add_products
from laconic.numerics.logistic.products import DocumentArrays
from laconic.numerics.quotient import quotient
from laconic.types import Columns, Floats, Int64s, Matrix


def exponent_of(values: Floats) -> int:
    """Divided by this power of 2, squares neither overflow nor underflow; lengths do not change."""
    return int(np.frexp(np.abs(values).max(initial=0.0))[1])


class WordColumns(NamedTuple):
    """The columns of a matrix, for compiled functions; `shares` and `squares` are scratch."""

    starts: Int64s
    docs: NDArray[np.uint32]
    values: NDArray[Any]
    shares: NDArray[Any]
    squares: NDArray[Any]

    @classmethod
    def of(cls, X: Matrix, dtype: type[np.floating[Any]] = np.float64) -> WordColumns:
        columns = csc_array(X)
        columns.sum_duplicates()
        columns.eliminate_zeros()
        values = np.asarray(columns.data, dtype=np.float64)
        values = np.ldexp(values, -exponent_of(values))
        starts, docs = columns.indptr.astype(np.int64), columns.indices.astype(np.uint32)
        scratch = np.empty((2, values.size), dtype)
        return cls(starts, docs, values.astype(dtype), *scratch)

    @property
    def n_words(self) -> int:
        return self.starts.size - 1


class Selected(NamedTuple):
    """Documents over selected words, divided by their lengths; the columns are in order."""

    documents: DocumentArrays
    squared_lengths: Floats

    @classmethod
    def of(cls, words: WordColumns, order: Columns, n_docs: int) -> Selected:
        bounds = np.zeros(n_docs + 1, dtype=np.int64)
        squared = np.zeros(n_docs)
        count_entries(words, order, bounds, squared)
        np.cumsum(bounds, out=bounds)
        columns, values = np.empty(bounds[-1], np.uint32), np.empty(bounds[-1])
        fill_entries(words, order, bounds[:-1].copy(), columns, values)
        scales = quotient(1.0, np.sqrt(squared))
        return cls(DocumentArrays(bounds[:-1], bounds[1:], columns, values, scales), squared)


@njit(nogil=True, cache=True)
def count_entries(words: WordColumns, order: Columns, bounds: Int64s, squared: Floats) -> None:
    """bounds[doc + 1] = number of entries; squared = Σ x²."""
    for word in order:
        for entry in range(words.starts[word], words.starts[word + 1]):
            doc = words.docs[entry]
            bounds[doc + 1] += 1
            squared[doc] += words.values[entry] * words.values[entry]


@njit(nogil=True, cache=True)
def fill_entries(
    words: WordColumns, order: Columns, ends: Int64s, columns: NDArray[np.uint32], values: Floats
) -> None:
    for place in range(order.size):
        for entry in range(words.starts[order[place]], words.starts[order[place] + 1]):
            doc = words.docs[entry]
            columns[ends[doc]], values[ends[doc]] = place, words.values[entry]
            ends[doc] += 1


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc", "arcp", "nsz"})
def gains(
    words: WordColumns,
    which: Columns,
    squared_lengths: NDArray[Any],
    residuals: NDArray[Any],
    curvature: NDArray[Any],
    ridge: Any,
) -> NDArray[Any]:
    """Σ over rows of g² / (h + ridge) for each of these words.

    g and h are the first and second derivative of the loss by the coefficient of the word, at 0.
    Residuals and curvature have a multiple of 8 columns; the last ones are 0.
    """
    totals = np.empty(which.size, words.values.dtype)
    slope = np.empty(residuals.shape[1], words.values.dtype)
    bend = np.empty_like(slope)
    for place in range(which.size):
        start, end = words.starts[which[place]], words.starts[which[place] + 1]
        for entry in range(start, end):
            value = words.values[entry]
            share = value / np.sqrt(squared_lengths[words.docs[entry]] + value * value)
            words.shares[entry] = share
            words.squares[entry] = share * share
        slope[:], bend[:] = 0.0, 0.0
        add_products(words.docs, words.shares, start, end, residuals, slope)
        add_products(words.docs, words.squares, start, end, curvature, bend)
        total = ridge - ridge
        for row in range(slope.size):
            total += slope[row] * slope[row] / (bend[row] + ridge)
        totals[place] = total
    return totals
