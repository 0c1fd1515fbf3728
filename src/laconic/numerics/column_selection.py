"""Selected columns of CSR matrices and their lengths, without holding Python's lock.

numpy's indexing and `bincount` hold it, so that threads would wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.numerics.blocks import csr_of
from laconic.types import Columns, Floats, Int32s, Int64s, Ints


@dataclass(frozen=True, eq=False)
class SelectColumns:
    """The entries of some columns. `place` has the new number of each column, or -1."""

    place: Int32s
    n_columns: int
    ascending: bool

    @classmethod
    def of(cls, columns: Columns, n_columns_in: int) -> Self:
        if np.unique(columns).size < columns.size:
            raise LaconicError("X[:, columns] of blocks: a column is named twice")
        place = np.full(n_columns_in, -1, np.int32)
        place[columns] = np.arange(columns.size, dtype=np.int32)
        return cls(place, columns.size, bool((np.diff(columns) > 0).all()))

    def __call__(self, block: csr_array) -> csr_array:
        starts, columns, values = select_entries(
            block.indptr, block.indices, block.data, self.place
        )
        selected = csr_of(values, columns, starts, self.n_columns, in_order=self.ascending)
        if not self.ascending:
            selected.sort_indices()
            selected.has_canonical_format = True
        return selected


@dataclass(frozen=True, eq=False)
class DivideByLengths:
    """block -> block whose documents are divided by their lengths, then columns weighted"""

    weights: Floats | None

    def __call__(self, block: csr_array) -> csr_array:
        weights = np.ones(block.shape[1]) if self.weights is None else self.weights
        values = divided_by_lengths(block.indptr, block.indices, block.data, weights)
        return csr_of(values, block.indices, block.indptr, block.shape[1])


@njit(nogil=True, cache=True)
def divided_by_lengths(starts: Ints, columns: Ints, values: Floats, weights: Floats) -> Floats:
    """The lengths are those before the weights; a document without entries stays as it is."""
    result = np.empty(values.size)
    for doc in range(starts.size - 1):
        square = 0.0
        for entry in range(starts[doc], starts[doc + 1]):
            square += values[entry] * values[entry]
        inverse = 1.0 / np.sqrt(square) if square > 0.0 else 0.0
        for entry in range(starts[doc], starts[doc + 1]):
            result[entry] = values[entry] * weights[columns[entry]] * inverse
    return result


@njit(nogil=True, cache=True)
def renumbered(columns: Int32s, numbers: Int32s) -> Int32s:
    """numbers[columns]"""
    result = np.empty(columns.size, np.int32)
    for entry in range(columns.size):
        result[entry] = numbers[columns[entry]]
    return result


@njit(nogil=True, cache=True)
def frequencies(columns: Ints, n_columns: int) -> Int64s:
    """How often each column occurs."""
    counts = np.zeros(n_columns, np.int64)
    for column in columns:
        counts[column] += 1
    return counts


@njit(nogil=True, cache=True)
def select_entries(
    starts: Ints, columns: Ints, values: NDArray[Any], place: Int32s
) -> tuple[Int64s, Int32s, NDArray[Any]]:
    n_entries = 0
    for entry in range(columns.size):
        n_entries += place[columns[entry]] >= 0
    bounds = np.zeros(starts.size, np.int64)
    chosen, numbers = np.empty(n_entries, np.int32), np.empty(n_entries, values.dtype)
    at = 0
    for doc in range(starts.size - 1):
        for entry in range(starts[doc], starts[doc + 1]):
            column = place[columns[entry]]
            if column >= 0:
                chosen[at], numbers[at] = column, values[entry]
                at += 1
        bounds[doc + 1] = at
    return bounds, chosen, numbers
