"""Documents as LARS reads them: by columns and by rows, with a constant column after the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, hstack

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
Places: TypeAlias = NDArray[np.int64]
# An array or a scipy sparse array; scipy has no types to say so.
Matrix: TypeAlias = Any


@dataclass(frozen=True, eq=False)
class Documents:
    """X and a column of ones, in both orders, and the length of every column.

    It is made once and serves as many paths over the same X as there are classes.
    """

    by_column: csc_array
    by_row: csr_array
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
        whole = csc_array(hstack([columns, np.ones((columns.shape[0], 1))], format="csc"))
        return cls(whole, whole.tocsr(), np.sqrt(whole.power(2).sum(axis=0)))

    @property
    def n_docs(self) -> int:
        return int(self.by_column.shape[0])

    @property
    def constant(self) -> int:
        """The number of the constant column, which is the number of terms too."""
        return int(self.by_column.shape[1]) - 1

    @property
    def entries(self) -> int:
        return int(self.by_column.nnz)

    def combination(self, columns: Places, weights: Floats) -> Floats:
        """The sum of columns times weights."""
        X = self.by_column
        total: Floats = _combination(X.indptr, X.indices, X.data, columns, weights, self.n_docs)
        return total

    def products(self, columns: Places, vector: Floats) -> Floats:
        """Inner products of columns with a vector."""
        X = self.by_column
        found: Floats = _products(X.indptr, X.indices, X.data, columns, vector)
        return found

    def row(self, doc: int, place: Places, size: int) -> Floats:
        """A document in the columns that have a place."""
        X = self.by_row
        found: Floats = _row(X.indptr, X.indices, X.data, doc, place, size)
        return found

    def gram(self, columns: Places, weights: Floats) -> Floats:
        """X' diag(weights) X of some columns."""
        X = self.by_column[:, columns]
        return np.asarray((X.T @ X.multiply(weights[:, None])).toarray())


@njit(nogil=True, cache=True)
def _combination(
    starts: Ints, docs: Ints, values: Floats, columns: Places, weights: Floats, n_docs: int
) -> Floats:
    total = np.zeros(n_docs)
    for at in range(columns.size):
        weight = weights[at]
        for entry in range(starts[columns[at]], starts[columns[at] + 1]):
            total[docs[entry]] += weight * values[entry]
    return total


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def product(starts: Ints, docs: Ints, values: Floats, column: int, vector: Floats) -> float:
    """One column times a vector."""
    total = 0.0
    for entry in range(starts[column], starts[column + 1]):
        total += values[entry] * vector[docs[entry]]
    return total


@njit(nogil=True, cache=True)
def _products(starts: Ints, docs: Ints, values: Floats, columns: Places, vector: Floats) -> Floats:
    found = np.empty(columns.size)
    for at in range(columns.size):
        found[at] = product(starts, docs, values, columns[at], vector)
    return found


@njit(nogil=True, cache=True)
def _row(starts: Ints, terms: Ints, values: Floats, doc: int, place: Places, size: int) -> Floats:
    found = np.zeros(size)
    for entry in range(starts[doc], starts[doc + 1]):
        if place[terms[entry]] >= 0:
            found[place[terms[entry]]] = values[entry]
    return found
