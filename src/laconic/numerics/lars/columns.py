"""The active columns, stored by rows: what is read at every corner of the path.

By rows, a weighted sum of columns reads its weights from a vector as short as the model and writes
each document once; by columns it would write to scattered documents. The rows are copied only when
a column enters, which is rare.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from laconic.numerics.lars.documents import Documents
from laconic.types import Floats, Int32s, Int64s, Ints


class ActiveRows:
    """Rows of X over the active columns, which are numbered in the order of entry."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.size = 0
        self._starts: Int64s = np.zeros(documents.n_docs + 1, np.int64)
        self._places: Int32s = np.empty(0, np.int32)
        self._values: Floats = np.empty(0)

    def append(self, column: int) -> None:
        X = self.documents.by_column
        entries = slice(X.indptr[column], X.indptr[column + 1])
        self._starts, self._places, self._values = _appended(
            self._starts,
            self._places,
            self._values,
            X.indices[entries],
            X.data[entries],
            self.size,
        )
        self.size += 1

    def combination(self, weights: Floats, out: Floats) -> Floats:
        """Write the weighted sum of the columns to `out`.

        Allocating a new array would cost more than the sum: its memory pages are mapped one by one.
        """
        _combination(self._starts, self._places, self._values, weights, out)
        return out

    def products(self, docs: Int64s, weights: Floats) -> Floats:
        """Weighted sum of some rows."""
        total: Floats = _products(
            self._starts, self._places, self._values, docs, weights, self.size
        )
        return total

    def gram(self, weights: Floats) -> Floats:
        """X' diag(weights) X; upper triangle only."""
        product: Floats = _gram(self._starts, self._places, self._values, weights, self.size)
        return product

    def row(self, doc: int) -> Floats:
        row = np.zeros(self.size)
        entries = slice(self._starts[doc], self._starts[doc + 1])
        row[self._places[entries]] = self._values[entries]
        return row


@njit(nogil=True, cache=True)
def _appended(
    starts: Int64s, places: Int32s, values: Floats, docs: Ints, column: Floats, place: int
) -> tuple[Int64s, Int32s, Floats]:
    """Append one column: an entry at the end of each row that has it; `docs` ascend."""
    new_starts = np.empty(starts.size, np.int64)
    new_places = np.empty(places.size + docs.size, np.int32)
    new_values = np.empty(places.size + docs.size)
    added = 0
    for doc in range(starts.size - 1):
        new_starts[doc] = starts[doc] + added
        for entry in range(starts[doc], starts[doc + 1]):
            new_places[entry + added] = places[entry]
            new_values[entry + added] = values[entry]
        if added < docs.size and docs[added] == doc:
            new_places[starts[doc + 1] + added] = place
            new_values[starts[doc + 1] + added] = column[added]
            added += 1
    new_starts[-1] = new_places.size
    return new_starts, new_places, new_values


@njit(nogil=True, cache=True)
def _combination(
    starts: Int64s, places: Int32s, values: Floats, weights: Floats, out: Floats
) -> None:
    """Indices are unsigned: signed ones would be checked for counting from the end."""
    for doc in range(out.size):
        inner = 0.0
        for entry in range(np.uint64(starts[doc]), np.uint64(starts[doc + 1])):
            inner += values[entry] * weights[np.uint64(places[entry])]
        out[doc] = inner


@njit(nogil=True, cache=True)
def _products(
    starts: Int64s, places: Int32s, values: Floats, docs: Int64s, weights: Floats, size: int
) -> Floats:
    total = np.zeros(size)
    for at in range(docs.size):
        for entry in range(np.uint64(starts[docs[at]]), np.uint64(starts[docs[at] + 1])):
            total[np.uint64(places[entry])] += weights[at] * values[entry]
    return total


@njit(nogil=True, cache=True)
def _gram(starts: Int64s, places: Int32s, values: Floats, weights: Floats, size: int) -> Floats:
    """Column numbers ascend in a row, so all products are on or above the diagonal."""
    product = np.zeros((size, size))
    for doc in range(weights.size):
        if weights[doc] == 0.0:
            continue
        end = np.uint64(starts[doc + 1])
        for entry in range(np.uint64(starts[doc]), end):
            line, weight = product[places[entry]], weights[doc] * values[entry]
            for other in range(entry, end):
                line[np.uint64(places[other])] += weight * values[other]
    return product
