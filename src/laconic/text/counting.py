"""The words of texts, counted block by block: each block has its own vocabulary until they merge.

A vocabulary that grows with all texts would need a dictionary of Python strings that every word of
every block is looked up in. A block is scanned with a vocabulary of its own, which is sorted, so
that the numbers of its words ascend in the merged vocabulary too: a block is never written again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.numerics.blocks import csr_of, row_stack
from laconic.runtime.counts import Terms, count
from laconic.text.array_file import write_arrays
from laconic.text.options import TextOptions
from laconic.types import Bytes, Int32s, Int64s

# Characters of a block: large enough that its vocabulary is a small part of it.
BLOCK_CHARACTERS = 1 << 25
# Vocabularies that are merged at a time.
GROUP = 16


class CountedBlock(NamedTuple):
    """The counts of a block of documents over its own words, which are sorted and packed."""

    words: Bytes
    starts: Int64s
    columns: Int32s
    counts: Int32s

    def matrix(self, columns: Int32s, n_columns: int) -> csr_array:
        """The counts over a larger vocabulary, in which the words have these numbers."""
        from laconic.numerics.column_selection import renumbered

        return csr_of(self.counts, renumbered(self.columns, columns), self.starts, n_columns)


def count_block(texts: Iterable[str], options: TextOptions) -> CountedBlock:
    """Count the terms of some documents."""
    from laconic.numerics.text.words import in_order, packed, sorted_rows

    terms = Terms()
    vectors = count(texts, options.reader, options.ngrams, terms)
    words, rank = in_order(packed(list(terms.column)))
    columns, counts = sorted_rows(*vectors, rank)
    return CountedBlock(words, vectors.starts, columns, counts)


class BlockJob(NamedTuple):
    """Counts some texts and writes them; in a process that imports only what it needs for that."""

    where: Path
    texts: Sequence[str]
    options: TextOptions

    def __str__(self) -> str:
        return self.where.name


def write_block(job: BlockJob) -> None:
    block = count_block(job.texts, job.options)
    write_arrays(job.where, {"docs": len(job.texts)}, block._asdict())


def merged(vocabularies: list[Bytes]) -> tuple[Bytes, list[Int32s]]:
    """The sorted words of all, and the number of each word of each vocabulary among them."""
    from laconic.numerics.text.words import numbered_together

    if len(vocabularies) <= GROUP:
        return numbered_together(vocabularies)
    groups = [merged(vocabularies[at : at + GROUP]) for at in range(0, len(vocabularies), GROUP)]
    words, places = merged([words for words, _ in groups])
    pairs = zip(groups, places, strict=True)
    return words, [place[numbers] for (_, group), place in pairs for numbers in group]


def merged_counts(blocks: list[CountedBlock]) -> tuple[NDArray[np.object_], list[csr_array]]:
    """The words of all blocks, sorted, and the counts of each block over them."""
    from laconic.numerics.text.words import unpacked

    words, columns = merged([block.words for block in blocks or [no_counts()]])
    names = np.array(unpacked(words), dtype=object)
    pairs = zip(blocks, columns, strict=False)
    return names, [block.matrix(numbers, names.size) for block, numbers in pairs]


def count_known(texts: Iterable[str], options: TextOptions, terms: Terms) -> csr_array:
    """The counts of terms that are given; others are dropped."""
    from laconic.numerics.text.words import sorted_rows

    vectors = count(texts, options.reader, options.ngrams, terms)
    n_terms = len(terms.column)
    columns, counts = sorted_rows(*vectors, np.arange(n_terms, dtype=np.int32))
    return csr_of(counts, columns, vectors.starts, n_terms)


def joined(blocks: list[csr_array], n_columns: int) -> csr_array:
    """The documents of all blocks, one after the other; empties the list."""
    return row_stack(blocks) if blocks else csr_array((0, n_columns), dtype=np.int32)


def no_counts() -> CountedBlock:
    """The block of no documents."""
    none = np.empty(0, np.int32)
    return CountedBlock(np.empty(0, np.uint8), np.zeros(1, np.int64), none, none)
