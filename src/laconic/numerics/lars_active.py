"""The columns that have entered, kept by rows: what is read at every corner of the path.

A sum over rows reads its weights from a vector as short as the model and writes each document once;
over columns it would write all over the documents. The rows are copied when a column enters, which
is rare.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from laconic.numerics.lars_documents import Documents, Floats, Ints, Places

Int32s = NDArray[np.int32]


class ActiveRows:
    """Documents in the columns that have entered, numbered as they came."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.size = 0
        self._starts: Places = np.zeros(documents.n_docs + 1, np.int64)
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
        """The sum of the columns times their weights, written to `out`.

        A fresh array of some size costs more than the sum: the system hands out its pages one by
        one, each time.
        """
        _combination(self._starts, self._places, self._values, weights, out)
        return out

    def products(self, docs: Places, weights: Floats) -> Floats:
        """The sum of some rows times their weights."""
        found: Floats = _products(
            self._starts, self._places, self._values, docs, weights, self.size
        )
        return found

    def gram(self, weights: Floats) -> Floats:
        """X' diag(weights) X; its upper triangle only."""
        found: Floats = _gram(self._starts, self._places, self._values, weights, self.size)
        return found

    def row(self, doc: int) -> Floats:
        found = np.zeros(self.size)
        entries = slice(self._starts[doc], self._starts[doc + 1])
        found[self._places[entries]] = self._values[entries]
        return found


@njit(nogil=True, cache=True)
def _appended(
    starts: Places, places: Int32s, values: Floats, docs: Ints, column: Floats, place: int
) -> tuple[Places, Int32s, Floats]:
    """One more entry at the end of the rows that have it; `docs` ascend."""
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
    starts: Places, places: Int32s, values: Floats, weights: Floats, out: Floats
) -> None:
    """Unsigned places, because a signed one is first asked whether it counts from the end."""
    for doc in range(out.size):
        inner = 0.0
        for entry in range(np.uint64(starts[doc]), np.uint64(starts[doc + 1])):
            inner += values[entry] * weights[np.uint64(places[entry])]
        out[doc] = inner


@njit(nogil=True, cache=True)
def _products(
    starts: Places, places: Int32s, values: Floats, docs: Places, weights: Floats, size: int
) -> Floats:
    found = np.zeros(size)
    for at in range(docs.size):
        for entry in range(np.uint64(starts[docs[at]]), np.uint64(starts[docs[at] + 1])):
            found[np.uint64(places[entry])] += weights[at] * values[entry]
    return found


@njit(nogil=True, cache=True)
def _gram(starts: Places, places: Int32s, values: Floats, weights: Floats, size: int) -> Floats:
    """Places ascend in a row, so that all of its products are above the diagonal."""
    found = np.zeros((size, size))
    for doc in range(weights.size):
        if weights[doc] == 0.0:
            continue
        end = np.uint64(starts[doc + 1])
        for entry in range(np.uint64(starts[doc]), end):
            line, weight = found[places[entry]], weights[doc] * values[entry]
            for other in range(entry, end):
                line[np.uint64(places[other])] += weight * values[other]
    return found
