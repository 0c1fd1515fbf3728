"""Documents as LARS reads them: by columns, with a constant column after the last."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csc_array

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
Places: TypeAlias = NDArray[np.int64]
# An array or a scipy sparse array; scipy has no types to say so.
Matrix: TypeAlias = Any


class Columns(NamedTuple):
    """A sparse matrix by columns, as compiled functions take it."""

    starts: Ints
    docs: Ints
    values: Floats


@dataclass(frozen=True, eq=False)
class Documents:
    """X and a column of ones, and the length of every column.

    It is made once and serves as many paths over the same X as there are classes.
    """

    by_column: csc_array
    lengths: Floats

    @classmethod
    def of(cls, X: Matrix | Documents) -> Documents:
        """From a sparse or dense matrix; what is prepared already stays as it is."""
        if isinstance(X, Documents):
            return X
        columns = csc_array(X, dtype=np.float64)
        if not columns.has_canonical_format:
            columns = columns.copy()
            columns.sum_duplicates()
        whole = _with_constant(columns)
        return cls(whole, _lengths(whole.indptr, whole.data))

    @property
    def n_docs(self) -> int:
        return int(self.by_column.shape[0])

    @property
    def constant(self) -> int:
        """The number of the constant column, which is the number of terms too."""
        return int(self.by_column.shape[1]) - 1

    @cached_property
    def columns(self) -> Columns:
        return Columns(self.by_column.indptr, self.by_column.indices, self.by_column.data)

    def column(self, column: int) -> Floats:
        """One column, as long as there are documents."""
        X, found = self.by_column, np.zeros(self.n_docs)
        entries = slice(X.indptr[column], X.indptr[column + 1])
        found[X.indices[entries]] = X.data[entries]
        return found

    def products(self, columns: Places, vector: Floats) -> Floats:
        """Inner products of columns with a vector."""
        found: Floats = _products(self.columns, columns, vector)
        return found


def _with_constant(X: csc_array) -> csc_array:
    """A column of ones behind X. (`hstack` would take several times the memory.)"""
    n_docs, n_terms = X.shape
    values = np.append(X.data, np.ones(n_docs))
    docs = np.append(X.indices, np.arange(n_docs, dtype=X.indices.dtype))
    starts = np.append(X.indptr, X.indptr[-1:] + X.indptr.dtype.type(n_docs))
    return csc_array((values, docs, starts), shape=(n_docs, n_terms + 1))


@njit(nogil=True, cache=True)
def _lengths(starts: Ints, values: Floats) -> Floats:
    squares = np.zeros(starts.size - 1)
    for column in range(squares.size):
        for entry in range(starts[column], starts[column + 1]):
            squares[column] += values[entry] * values[entry]
    return np.sqrt(squares)


@njit(nogil=True, cache=True)
def product(X: Columns, column: int, vector: Floats) -> float:
    """One column times a vector.

    Unsigned places, because a signed one is first asked whether it counts from the end.
    """
    total = 0.0
    for entry in range(np.uint64(X.starts[column]), np.uint64(X.starts[column + 1])):
        total += X.values[entry] * vector[np.uint64(X.docs[entry])]
    return total


@njit(nogil=True, cache=True)
def _products(X: Columns, columns: Places, vector: Floats) -> Floats:
    found = np.empty(columns.size)
    for at in range(columns.size):
        found[at] = product(X, columns[at], vector)
    return found
