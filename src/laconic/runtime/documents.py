"""Documents as counts of the model's words, from texts or mappings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from threading import Lock
from typing import Any, TypeAlias

import numpy as np

from laconic.errors import LaconicError
from laconic.runtime.counts import Lexicon, Terms, Vectors, count, count_part, stacked
from laconic.runtime.scanner import batches, describe
from laconic.runtime.settings import TextSettings
from laconic.types import Int32s

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

    def counts(self, texts: Iterable[str]) -> Vectors:
        unit, n_columns = self._text.reader, len(self._terms.column)
        if self._text.ngrams[1] > 1:
            return count(texts, unit, self._text.ngrams, self._terms)
        pieces = []
        for batch in batches(texts, unit.batch):
            scan = unit.scan(batch)
            lexicon, places = self._places(scan.chunks)
            pieces.append(count_part(n_columns, lexicon.grams(1, places, scan), []))
        return stacked(pieces)

    def _places(self, chunks: list[str]) -> tuple[Lexicon, Int32s]:
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


def counts_of(documents: Any, terms: Terms, reader: Reader | None) -> Vectors:
    """Counts over the terms; other words are ignored."""
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
    return stacked([])


def _of_mappings(documents: Iterable[Any], terms: Terms) -> Vectors:
    columns: list[int] = []
    values: list[float] = []
    starts = [0]
    for position, document in enumerate(documents):
        if not isinstance(document, Mapping):
            raise LaconicError(
                f"documents[{position}]: expected a mapping of words to counts like the first "
                f"document, found {describe(document)}"
            )
        for word, number in document.items():
            if word in terms.column and (value := _count(number, position)) != 0:
                columns.append(terms.column[word])
                values.append(value)
        starts.append(len(columns))
    counts = Vectors(np.array(columns, np.int32), np.array(values), np.array(starts, np.int64))
    return check_finite(counts)


def check_finite(counts: Vectors) -> Vectors:
    if not np.isfinite(counts.values).all():
        raise LaconicError("a count is not a number. Counts of words are numbers from 0.")
    return counts


def _count(value: Any, position: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise LaconicError(f"documents[{position}]: a count is {describe(value)}, not a number")
    try:
        return float(value)
    except OverflowError:
        return float("inf")
