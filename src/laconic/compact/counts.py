"""Documents as counts of the model's words, from texts, mappings or a matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.compact.settings import TextSettings
from laconic.errors import LaconicError
from laconic.text.counts import Lexicon, Terms, count, count_part, stack_counts
from laconic.text.scanner import batches, describe

Document: TypeAlias = str | Mapping[str, float]


# What a model caches of the texts it has read: distinct chunks, and characters in them.
MOST_CHUNKS = 1 << 16
MOST_CHARACTERS = 1 << 23


class Reader:
    """Counts the terms in texts. Threads may share it.

    The tokens and stems of each chunk of text are cached between calls, up to a limit: texts that
    come one by one have most of their words in common.
    """

    def __init__(self, text: TextSettings, terms: Terms) -> None:
        self._text, self._terms, self._lock = text, terms, Lock()
        self._clear()

    def counts(self, texts: Iterable[str]) -> csr_array:
        unit, n_columns = self._text.reader, len(self._terms.column)
        if self._text.ngrams[1] > 1:
            return count(texts, unit, self._text.ngrams, self._terms, 1)
        pieces = []
        for batch in batches(texts, unit.batch):
            scans = unit.scan([batch], map)
            lexicon, places = self._places(scans.chunks)
            pieces.append(count_part(n_columns, lexicon.grams(1, places, scans.parts[0]), []))
        return stack_counts(pieces, n_columns)

    def _places(self, chunks: list[str]) -> tuple[Lexicon, NDArray[np.int32]]:
        with self._lock:
            lexicon = self._lexicon
            try:
                places = map(lexicon.place.__getitem__, chunks)
                return lexicon, np.fromiter(places, np.int32, len(chunks))
            except KeyError:
                new_places = lexicon.places(chunks)
            self._characters += sum(map(len, chunks))
            n_chunks = len(lexicon.place) + len(lexicon.latest)
            if n_chunks > MOST_CHUNKS or self._characters > MOST_CHARACTERS:
                self._clear()
            return lexicon, new_places

    def _clear(self) -> None:
        self._lexicon, self._characters = Lexicon(self._text.reader, self._terms), 0


def counts_of(documents: Any, names: Any, terms: Terms, reader: Reader | None) -> csr_array:
    """Counts over the terms; other words are ignored."""
    if names is not None:
        return _of_matrix(documents, names, terms)
    if isinstance(documents, str | bytes | Mapping) or not isinstance(documents, Iterable):
        raise LaconicError(
            f"documents: expected a list, found {describe(documents)}. Put a single document "
            "into a list: [text]."
        )
    rest = iter(documents)
    for first in rest:
        every = chain([first], rest)
        if isinstance(first, Mapping):
            return _of_mappings(every, terms)
        if reader is None:
            raise LaconicError(
                "this model was trained on vectors, so it cannot find its words in texts. Give "
                "each document as a mapping of words to counts, or a matrix with the names of its "
                "columns."
            )
        return reader.counts(every)
    return csr_array((0, len(terms.column)))


def _of_mappings(documents: Iterable[Any], terms: Terms) -> csr_array:
    columns: list[int] = []
    values: list[float] = []
    starts = [0]
    for position, document in enumerate(documents):
        if not isinstance(document, Mapping):
            raise LaconicError(
                f"documents[{position}]: expected a mapping of words to counts like the first "
                f"document, found {describe(document)}"
            )
        entries = [(terms.column[w], n) for w, n in document.items() if w in terms.column]
        columns += [column for column, _ in entries]
        values += [_count(n, position) for _, n in entries]
        starts.append(len(columns))
    shape = (len(starts) - 1, len(terms.column))
    return _checked(csr_array((np.array(values, np.float64), columns, starts), shape=shape))


def _count(value: Any, position: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise LaconicError(f"documents[{position}]: a count is {describe(value)}, not a number")
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _of_matrix(X: Any, names: Any, terms: Terms) -> csr_array:
    columns = [str(name) for name in names]
    documents = csr_array(X, dtype=np.float64)
    if documents.ndim != 2 or documents.shape[1] != len(columns):
        raise LaconicError(
            f"{len(columns):,} names for a matrix of shape {documents.shape}: give one per column"
        )
    if len(set(columns)) != len(columns):
        raise LaconicError("two columns have the same name. Give distinct names.")
    places = [(at, terms.column[name]) for at, name in enumerate(columns) if name in terms.column]
    from_columns, to_columns = (
        (np.array(part, np.intp) for part in zip(*places, strict=True))
        if places
        else (
            np.empty(0, np.intp),
            np.empty(0, np.intp),
        )
    )
    picked = documents[:, from_columns].tocoo()
    shape = (documents.shape[0], len(terms.column))
    return _checked(csr_array((picked.data, (picked.row, to_columns[picked.col])), shape=shape))


def _checked(counts: csr_array) -> csr_array:
    counts.eliminate_zeros()
    if not np.isfinite(counts.data).all():
        raise LaconicError("a count is not a number. Counts of words are numbers from 0.")
    return counts
