"""Documents as counts of the model's words, however they come: texts, mappings or a matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from laconic.compact.settings import TextSettings
from laconic.errors import LaconicError
from laconic.vectors.counting import Terms, count
from laconic.vectors.scanning import described

Document: TypeAlias = str | Mapping[str, float]


def counts_of(documents: Any, names: Any, terms: Terms, text: TextSettings | None) -> csr_array:
    """Counts over the terms; other words are left out."""
    if names is not None:
        return _of_matrix(documents, names, terms)
    if isinstance(documents, str | bytes | Mapping) or not isinstance(documents, Iterable):
        raise LaconicError(
            f"documents: expected a list, found {described(documents)}. Put a single document "
            "into a list: [text]."
        )
    rest = iter(documents)
    for first in rest:
        every = chain([first], rest)
        if isinstance(first, Mapping):
            return _of_mappings(every, terms)
        if text is None:
            raise LaconicError(
                "this model was trained on vectors, so that nothing is known about how to find "
                "its words in texts. Give each document as a mapping of words to counts, or a "
                "matrix with the names of its columns."
            )
        return count(every, text.reader, text.ngrams, terms, 1)
    return csr_array((0, len(terms.column)))


def _of_mappings(documents: Iterable[Any], terms: Terms) -> csr_array:
    columns: list[int] = []
    values: list[float] = []
    starts = [0]
    for position, document in enumerate(documents):
        if not isinstance(document, Mapping):
            raise LaconicError(
                f"documents[{position}]: expected a mapping of words to counts like the first "
                f"document, found {described(document)}"
            )
        found = [(terms.column[w], n) for w, n in document.items() if w in terms.column]
        columns += [column for column, _ in found]
        values += [_count(n, position) for _, n in found]
        starts.append(len(columns))
    shape = (len(starts) - 1, len(terms.column))
    return _checked(csr_array((np.array(values, np.float64), columns, starts), shape=shape))


def _count(value: Any, position: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise LaconicError(f"documents[{position}]: a count is {described(value)}, not a number")
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _of_matrix(X: Any, names: Any, terms: Terms) -> csr_array:
    columns = [str(name) for name in names]
    documents = csr_array(X, dtype=np.float64)
    if documents.ndim != 2 or documents.shape[1] != len(columns):
        raise LaconicError(
            f"{len(columns):,} names for a matrix of shape {documents.shape}: give one a column"
        )
    if len(set(columns)) != len(columns):
        raise LaconicError("two columns have the same name. Give each its own.")
    places = [(at, terms.column[name]) for at, name in enumerate(columns) if name in terms.column]
    known, own = (
        (np.array(part, np.intp) for part in zip(*places, strict=True))
        if places
        else (
            np.empty(0, np.intp),
            np.empty(0, np.intp),
        )
    )
    picked = documents[:, known].tocoo()
    shape = (documents.shape[0], len(terms.column))
    return _checked(csr_array((picked.data, (picked.row, own[picked.col])), shape=shape))


def _checked(counts: csr_array) -> csr_array:
    counts.eliminate_zeros()
    if not ((counts.data > 0) & np.isfinite(counts.data)).all():
        raise LaconicError("a count is negative or no number. Counts of words are numbers from 0.")
    return counts
