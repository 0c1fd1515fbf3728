"""Documents as LARS reads them: by columns, with a constant column appended."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.sparse import csc_array

from laconic.types import Floats, Int64s, Ints, Matrix


class SparseColumns(NamedTuple):
    """A sparse matrix by columns, in the form that compiled functions take."""

    starts: Ints
    docs: Ints
    values: Floats


@dataclass(frozen=True, eq=False)
class Documents:
    """X with a column of ones appended, and the length of every column.

    Made once and shared by the paths of all classes over the same X.
    """

    by_column: csc_array
    lengths: Floats

    @classmethod
    def of(cls, X: Matrix | Documents) -> Documents:
        """From a sparse or dense matrix; a `Documents` is returned unchanged."""
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
        """Index of the constant column, which equals the number of terms."""
        return int(self.by_column.shape[1]) - 1

    @cached_property
    def columns(self) -> SparseColumns:
        return SparseColumns(self.by_column.indptr, self.by_column.indices, self.by_column.data)

    def column(self, column: int) -> Floats:
        """One column as a dense vector."""
        X, values = self.by_column, np.zeros(self.n_docs)
        entries = slice(X.indptr[column], X.indptr[column + 1])
        values[X.indices[entries]] = X.data[entries]
        return values

    def products(self, columns: Int64s, vector: Floats) -> Floats:
        """Inner products of columns with a vector."""
        values: Floats = _products(self.columns, columns, vector)
        return values


def _with_constant(X: csc_array) -> csc_array:
    """X with a column of ones appended. (`hstack` would take several times the memory.)"""
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
def product(X: SparseColumns, column: int, vector: Floats) -> float:
    """Inner product of one column with a vector.

    Indices are unsigned: signed ones would be checked for counting from the end.
    """
    total = 0.0
    for entry in range(np.uint64(X.starts[column]), np.uint64(X.starts[column + 1])):
        total += X.values[entry] * vector[np.uint64(X.docs[entry])]
    return total


@njit(nogil=True, cache=True)
def _products(X: SparseColumns, columns: Int64s, vector: Floats) -> Floats:
    values = np.empty(columns.size)
    for at in range(columns.size):
        values[at] = product(X, columns[at], vector)
    return values
