"""From texts to a sparse matrix of counts, batch by batch: scan, read, join to n-grams, count.

Kernels run in threads, a part of the batch in each. What needs Python happens between them, once
for each distinct chunk or n-gram: never for every token.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.vectors.scanning import Scan, batches, parts
from laconic.vectors.units import Unit

if TYPE_CHECKING:
    from laconic.numerics.ngrams import Grams

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]


class Piece(NamedTuple):
    """The counts of a few documents: columns, how often, and where each document starts."""

    columns: Int32s
    counts: NDArray[np.float64]
    starts: Int64s


def count(
    texts: Iterable[str], unit: Unit, ngrams: tuple[int, int], terms: Terms, n_jobs: int
) -> csr_array:
    """The counts of the terms, document by document; columns as `terms` has numbered them."""
    shortest, longest = ngrams
    pieces: list[Piece] = []
    # single units are terms, with no need to be numbered twice
    lexicon = Lexicon(unit, terms if longest == 1 else Terms())
    with ThreadPoolExecutor(n_jobs) as pool:
        each = pool.map if n_jobs > 1 else map
        for batch in batches(texts, unit.batch):
            scans = unit.scan(parts(batch, n_jobs), each)
            places = lexicon.places(scans.chunks)
            found = list(each(partial(lexicon.grams, longest, places), scans.parts))
            columns = [columns_of(grams, shortest, lexicon, terms) for grams in found]
            pieces += each(partial(counted, len(terms.column)), found, columns)
    return assembled(pieces, len(terms.column))


def columns_of(grams: Grams, shortest: int, lexicon: Lexicon, terms: Terms) -> list[Int32s]:
    """The column of each n-gram, for each length that counts; -1 at the end, for no n-gram."""
    if lexicon.terms is terms:
        return []
    names = list(lexicon.terms.column)
    orders = [names]
    for prefix, unit in grams.pairs:
        firsts = map(orders[-1].__getitem__, prefix.tolist())
        lasts = map(names.__getitem__, unit.tolist())
        orders.append(list(map(lexicon.unit.joiner.join, zip(firsts, lasts, strict=True))))
    return [np.array([*terms.columns(order), -1], np.int32) for order in orders[shortest - 1 :]]


def counted(n_columns: int, grams: Grams, columns: list[Int32s]) -> Piece:
    """The counts of one part of a batch; without `columns` the units are columns themselves."""
    from laconic.numerics.tokens import count as count_columns

    lines = grams.ids
    if columns:
        used = lines[-len(columns) :]
        lines = np.stack([column[line] for column, line in zip(columns, used, strict=True)])
    return Piece(*count_columns(lines, grams.starts, n_columns))


def assembled(pieces: list[Piece], n_columns: int) -> csr_array:
    """One matrix from the counts of all parts; its columns are not sorted."""
    lengths = [np.diff(piece.starts) for piece in pieces]
    starts = np.append(0, np.cumsum(np.concatenate([np.empty(0, np.int64), *lengths])))
    counts = np.concatenate([np.empty(0), *(piece.counts for piece in pieces)])
    columns = np.concatenate([np.empty(0, np.int32), *(piece.columns for piece in pieces)])
    index = np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64
    shape = (starts.size - 1, n_columns)
    return csr_array((counts, columns.astype(index), starts.astype(index)), shape=shape)


class Terms:
    """A numbering of terms: one that grows or, from a vocabulary, one that is fixed."""

    def __init__(self, vocabulary: Iterable[str] | None = None) -> None:
        self.fixed = vocabulary is not None
        self.column: dict[str, int] = {}
        if vocabulary is not None:
            self.column.update(zip(vocabulary, itertools.count(), strict=False))

    def columns(self, terms: list[str]) -> list[int]:
        """The column of each term; -1 for one that is not in a fixed vocabulary."""
        column = self.column
        if self.fixed:
            return [column.get(term, -1) for term in terms]
        return [column.setdefault(term, len(column)) for term in terms]


class Lexicon:
    """What each distinct chunk was read as, so that it is read once in all batches and threads.

    The chunk at place k stands for `sizes[k]` units from `units[firsts[k]]` on; -1 is none.
    """

    def __init__(self, unit: Unit, terms: Terms) -> None:
        self.unit = unit
        self.terms = terms
        self.place: dict[str, int] = {}
        self.latest: list[str] = []
        self.firsts, self.sizes, self.units = (np.empty(0, np.int32) for _ in range(3))

    def places(self, chunks: list[str]) -> Int32s:
        """The place of each chunk, be it known or new."""
        self._remember()
        place, n_known = self.place, len(self.place)
        new = [chunk for chunk in chunks if chunk not in place] if place else chunks
        self._learn(new)
        if len(new) == len(chunks):
            return np.arange(n_known, n_known + len(new), dtype=np.int32)
        self._remember()
        return np.fromiter(map(place.__getitem__, chunks), np.int32, len(chunks))

    def _remember(self) -> None:
        """Only now, since nobody asks for the chunks of the last batch: often the only one."""
        self.place.update(zip(self.latest, itertools.count(len(self.place)), strict=False))
        self.latest = []

    def _learn(self, chunks: list[str]) -> None:
        firsts, sizes, counted, names = self.unit.read(chunks)
        units = np.full(counted.size, -1, np.int32)
        units[counted] = self.terms.columns(names)
        self.latest = chunks
        self.firsts = np.append(self.firsts, firsts + np.int32(self.units.size))
        self.sizes = np.append(self.sizes, sizes)
        self.units = np.append(self.units, units)

    def grams(self, longest: int, places: Int32s, scan: Scan) -> Grams:
        """The n-grams of the scanned documents, over the units that are counted."""
        from laconic.numerics.ngrams import grams
        from laconic.numerics.tokens import expand

        at = places[scan.common]
        units, starts = expand(scan.ids, scan.starts, self.firsts[at], self.sizes[at], self.units)
        return grams(units, starts, len(self.terms.column), longest)
