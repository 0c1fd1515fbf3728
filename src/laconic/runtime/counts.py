"""Counts from texts, batch by batch: scan, tokenize, join to n-grams, count.

Kernels do the work. Python code runs between them, once for each distinct chunk or n-gram, never
for every token.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from laconic.runtime.scanner import Scan, batches
from laconic.runtime.tokenizers import Unit
from laconic.types import Floats, Int32s, Int64s

if TYPE_CHECKING:
    from laconic.numerics.text.ngrams import Grams


class Vectors(NamedTuple):
    """Counts or weights of documents: the rows of a sparse matrix (CSR), with unsorted columns.

    Document i has the entries `starts[i]` to `starts[i + 1]`.
    """

    columns: Int32s
    values: Floats
    starts: Int64s

    @property
    def n_docs(self) -> int:
        return self.starts.size - 1

    def part(self, begin: int, end: int) -> Vectors:
        """The documents from `begin` to `end`, or to the last one."""
        starts = self.starts[begin : end + 1]
        entries = slice(starts[0], starts[-1])
        return Vectors(self.columns[entries], self.values[entries], starts - starts[0])


def count(texts: Iterable[str], unit: Unit, ngrams: tuple[int, int], terms: Terms) -> Vectors:
    """The counts of the terms in each document; columns are those of `terms`."""
    shortest, longest = ngrams
    pieces: list[Vectors] = []
    # without n-grams, units are terms and need no second numbering
    lexicon = Lexicon(unit, terms if longest == 1 else Terms())
    for batch in batches(texts, unit.batch):
        scan = unit.scan(batch)
        grams = lexicon.grams(longest, lexicon.places(scan.chunks), scan)
        columns = columns_of(grams, shortest, lexicon, terms)
        pieces.append(count_part(len(terms.column), grams, columns))
    return stacked(pieces)


def columns_of(grams: Grams, shortest: int, lexicon: Lexicon, terms: Terms) -> list[Int32s]:
    """The column of each n-gram, for each counted length; the last entry, -1, is for no n-gram."""
    if lexicon.terms is terms:
        return []
    names = list(lexicon.terms.column)
    orders = [names]
    for prefix, unit in grams.pairs:
        firsts = map(orders[-1].__getitem__, prefix.tolist())
        lasts = map(names.__getitem__, unit.tolist())
        orders.append(list(map(lexicon.unit.joiner.join, zip(firsts, lasts, strict=True))))
    return [np.array([*terms.columns(order), -1], np.int32) for order in orders[shortest - 1 :]]


def count_part(n_columns: int, grams: Grams, columns: list[Int32s]) -> Vectors:
    """The counts of one batch; without `columns`, units are columns."""
    from laconic.numerics.text.tokens import count as count_columns

    lines = grams.ids
    if columns:
        used = lines[-len(columns) :]
        lines = np.stack([column[line] for column, line in zip(columns, used, strict=True)])
    return Vectors(*count_columns(lines, grams.starts, n_columns))


def stacked(pieces: list[Vectors]) -> Vectors:
    """The documents of all batches, one after the other."""
    if len(pieces) == 1:
        return pieces[0]
    lengths = [np.diff(piece.starts) for piece in pieces]
    return Vectors(
        np.concatenate([np.empty(0, np.int32), *(piece.columns for piece in pieces)]),
        np.concatenate([np.empty(0), *(piece.values for piece in pieces)]),
        np.append(0, np.cumsum(np.concatenate([np.empty(0, np.int64), *lengths]))),
    )


class Terms:
    """The columns of terms: fixed by a vocabulary, or growing with each new term."""

    def __init__(self, vocabulary: Iterable[str] | None = None) -> None:
        self.fixed = vocabulary is not None
        self.column: dict[str, int] = {}
        if vocabulary is not None:
            self.column.update(zip(vocabulary, itertools.count(), strict=False))

    def columns(self, terms: list[str]) -> list[int]:
        """The column of each term; -1 if it is not in a fixed vocabulary."""
        column = self.column
        if self.fixed:
            return [column.get(term, -1) for term in terms]
        if not column:
            # faster for the first terms, if they are distinct
            column.update(zip(terms, itertools.count(), strict=False))
            if len(column) == len(terms):
                return list(range(len(terms)))
            column.clear()
        return [column.setdefault(term, len(column)) for term in terms]


class Lexicon:
    """The units of each distinct chunk, tokenized once for all batches.

    The chunk at place k has `sizes[k]` units, from `units[firsts[k]]` on; -1 is no unit.
    """

    def __init__(self, unit: Unit, terms: Terms) -> None:
        self.unit = unit
        self.terms = terms
        self.place: dict[str, int] = {}
        self.latest: list[str] = []
        self.firsts, self.sizes, self.units = (np.empty(0, np.int32) for _ in range(3))

    def places(self, chunks: list[str]) -> Int32s:
        """The place of each chunk; new chunks are added."""
        self._index_latest()
        place, n_chunks = self.place, len(self.place)
        new = [chunk for chunk in chunks if chunk not in place] if place else chunks
        self._add_chunks(new)
        if len(new) == len(chunks):
            return np.arange(n_chunks, n_chunks + len(new), dtype=np.int32)
        self._index_latest()
        return np.fromiter(map(place.__getitem__, chunks), np.int32, len(chunks))

    def _index_latest(self) -> None:
        """Index the chunks of the previous batch. Delayed: the last batch is often the only one."""
        self.place.update(zip(self.latest, itertools.count(len(self.place)), strict=False))
        self.latest = []

    def _add_chunks(self, chunks: list[str]) -> None:
        firsts, sizes, is_counted, names = self.unit.read(chunks)
        units = np.full(is_counted.size, -1, np.int32)
        units[is_counted] = self.terms.columns(names)
        self.latest = chunks
        self.firsts = np.append(self.firsts, firsts + np.int32(self.units.size))
        self.sizes = np.append(self.sizes, sizes)
        self.units = np.append(self.units, units)

    def grams(self, longest: int, places: Int32s, scan: Scan) -> Grams:
        """The n-grams of the scanned documents, over the counted units."""
        from laconic.numerics.text.ngrams import grams
        from laconic.numerics.text.tokens import expand

        firsts, sizes = self.firsts[places], self.sizes[places]
        units, starts = expand(scan.ids, scan.starts, firsts, sizes, self.units)
        return grams(units, starts, len(self.terms.column), longest)
