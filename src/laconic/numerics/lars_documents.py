"""Documents as LARS reads them: by columns, with a constant column after the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csc_array, hstack

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
Places: TypeAlias = NDArray[np.int64]
# An array or a scipy sparse array; scipy has no types to say so.
Matrix: TypeAlias = Any


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
        whole = csc_array(hstack([columns, np.ones((columns.shape[0], 1))], format="csc"))
        return cls(whole, np.sqrt(whole.power(2).sum(axis=0)))

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

    def column(self, column: int) -> Floats:
        """One column, as long as there are documents."""
        X, found = self.by_column, np.zeros(self.n_docs)
        entries = slice(X.indptr[column], X.indptr[column + 1])
        found[X.indices[entries]] = X.data[entries]
        return found

    def products(self, columns: Places, vector: Floats) -> Floats:
        """Inner products of columns with a vector."""
        X = self.by_column
        found: Floats = _products(X.indptr, X.indices, X.data, columns, vector)
        return found


@njit(nogil=True, cache=True)
def product(starts: Ints, docs: Ints, values: Floats, column: int, vector: Floats) -> float:
    """One column times a vector.

    Unsigned places, because a signed one is first asked whether it counts from the end.
    """
    total = 0.0
    for entry in range(np.uint64(starts[column]), np.uint64(starts[column + 1])):
        total += values[entry] * vector[np.uint64(docs[entry])]
    return total


@njit(nogil=True, cache=True)
def _products(starts: Ints, docs: Ints, values: Floats, columns: Places, vector: Floats) -> Floats:
    found = np.empty(columns.size)
    for at in range(columns.size):
        found[at] = product(starts, docs, values, columns[at], vector)
    return found
