"""One table of counts for all terms and classes, and the scores computed from it.

For a term and a class, `present` counts the documents of the class that have the term. With the
document frequency `df` and the size of the class this gives all four cells,

                   in the class      not in the class
    with term      both              df − both
    without term   size − both       n_docs − df − size + both

and `n_docs · count − (row total) · (column total)` is the same number in all four, up to its sign:
the surplus. It is an exact integer, so nothing cancels if a term is almost independent of the
class (64 bits suffice for 3 · 10⁹ documents).

A class with no documents, or with all of them, has score 0 for every term.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log1p
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from scipy.special import ndtri

from laconic.numerics.blocks import Blocks
from laconic.numerics.quotient import quotient
from laconic.types import Floats, Int32s, Int64s, Integers, Matrix

# A dense X is read in blocks of about this many entries, so its pattern takes little memory.
DENSE_ENTRIES = 1 << 22
# Cells of a table that one pass over the documents counts (4 bytes each, twice), and of which
# scores are computed at a time (four numbers of 8 bytes each).
COUNTED_CELLS = 1 << 26
SCORED_CELLS = 1 << 22
# The memory of a worker of a cluster per cell: an eighth of it holds a table.
WORKER_BYTES = 32
# Forman 2003, section 2.2: rates of 0 and 1 have no finite quantile.
LOWEST_RATE = 0.0005
# Below this, log(1 + x) and x cancel, and a series is used; five terms are exact to 1e-15.
SMALL = 0.1


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """How often terms and classes occur together.

    Parameters
    ----------
    present : (n_terms, n_columns) documents of the class that have the term
    df : (n_terms,) documents that have the term
    class_sizes : (n_columns,) documents of the class
    n_docs : all documents
    """

    present: Int64s
    df: Int64s
    class_sizes: Int64s
    n_docs: int

    @property
    def surplus(self) -> Int64s:
        """n_docs · present − df · class_sizes, exactly; 0 means independence."""
        return self.n_docs * self.present - self.df[:, None] * self.class_sizes


def contingency_tables(X: Matrix, indicator: Matrix) -> Iterator[ContingencyTable]:
    """The table of counts in slices of consecutive terms, so that its size does not matter.

    A document belongs to the columns where `indicator` (±1 or 0/1) is positive. A term occurs
    where a sparse X has an entry, even an explicit 0, and where a dense X is not 0.
    """
    labels, documents = csr_array(indicator > 0), as_blocks(X)
    n_terms, n_columns = documents.shape[1], labels.shape[1]
    sizes = np.bincount(labels.indices, minlength=n_columns)
    memory = documents.engine.memory if documents.engine is not None else None
    cells = COUNTED_CELLS if memory is None else min(COUNTED_CELLS, memory // WORKER_BYTES)
    for first, last in _slices(n_terms, cells // n_columns):
        present = documents.total(Tally(first, last, n_columns), labels)
        for start, end in _slices(last - first, SCORED_CELLS // n_columns):
            counts = present[start:end].astype(np.int64)
            yield ContingencyTable(counts[:, :-1], counts[:, -1], sizes, labels.shape[0])


def _slices(length: int, size: int) -> Iterator[tuple[int, int]]:
    step = max(1, size)
    for first in range(0, length, step):
        yield first, min(first + step, length)


def as_blocks(X: Matrix) -> Blocks:
    """The documents; a dense X as blocks of their nonzero entries."""
    if isinstance(X, Blocks):
        return X.pattern
    if issparse(X):
        return Blocks.of(X)
    step = max(1, DENSE_ENTRIES // max(1, X.shape[1]))
    parts = (NonzeroRows(X[first : first + step]) for first in range(0, X.shape[0], step))
    return Blocks(tuple(parts) or (NonzeroRows(X),), X.shape[1])


@dataclass(frozen=True, eq=False)
class NonzeroRows:
    """Rows of a dense X as a block that has an entry where X is not 0."""

    rows: NDArray[Any]

    @property
    def n_docs(self) -> int:
        return len(self.rows)

    def read(self) -> csr_array:
        return csr_array(self.rows != 0)


@dataclass(frozen=True)
class Tally:
    """How many documents of a block have each of the terms first … last − 1 and are of a class.

    The last column is that of all documents.
    """

    first: int
    last: int
    n_columns: int

    def __call__(self, block: csr_array, labels: csr_array) -> Int32s:
        present = np.zeros((self.last - self.first, self.n_columns + 1), np.int32)
        entries = block.indptr, block.indices
        _tally(*entries, labels.indptr, labels.indices, self.first, self.last, present)
        return present


@njit(nogil=True, cache=True)
def _tally(
    starts: Integers,
    terms: Integers,
    label_starts: Integers,
    labels: Integers,
    first: int,
    last: int,
    present: Int32s,
) -> None:
    for doc in range(starts.size - 1):
        doc_labels = labels[label_starts[doc] : label_starts[doc + 1]]
        for term in terms[starts[doc] : starts[doc + 1]]:
            if first <= term < last:
                present[term - first, -1] += 1
                for label in doc_labels:
                    present[term - first, label] += 1


def information_gain(table: ContingencyTable) -> Floats:
    """Eq. 24 of Dasgupta et al. 2007 in nats, with 0 · log 0 = 0; shape (n_terms, n_columns)."""
    gains = np.empty(table.present.shape)
    _gains(table.surplus, table.df, table.class_sizes, table.n_docs, gains)
    return gains


@njit(nogil=True, cache=True)
def _gains(surplus: Int64s, df: Int64s, sizes: Int64s, n_docs: int, out: Floats) -> None:
    for term in range(df.size):
        n_with, n_without = df[term], n_docs - df[term]
        for column in range(sizes.size):
            size, rest = sizes[column], n_docs - sizes[column]
            excess = surplus[term, column]
            # in pairs, so a class and its complement have exactly the same gain
            out[term, column] = (
                (_cell(n_with * size, excess) + _cell(n_without * rest, excess))
                + (_cell(n_with * rest, -excess) + _cell(n_without * size, -excess))
            ) / float(n_docs) ** 2


@njit(nogil=True, cache=True)
def _cell(margins: int, surplus: int) -> float:
    """n_docs² P log(P / Q), minus n_docs² (P − Q), which sums to 0 over the four cells.

    P is the cell's share, Q = margins / n_docs² its share under independence. In this form no cell
    is negative, and neither is their sum.
    """
    if margins == 0:
        return 0.0
    return margins * _excess(surplus / margins)


@njit(nogil=True, cache=True)
def _excess(x: float) -> float:
    """(1 + x) log(1 + x) − x for x ≥ −1, without cancellation."""
    if x <= -1.0:
        return 1.0
    if abs(x) > SMALL:
        return (1.0 + x) * log1p(x) - x
    # log(1 + x) = 2 artanh(r) = 2r + 2r³/3 + 2r⁵/5 + …, and 2r − x = −rx
    r = x / (2.0 + x)
    s = r * r
    tail = 1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s / 11)))
    return (1.0 + x) * r * (2.0 * s * tail - x) + x * x


def chi_squared(table: ContingencyTable) -> Floats:
    """Pearson's statistic of the four cells, uncorrected; shape (n_terms, n_columns)."""
    n_docs, df, sizes = table.n_docs, table.df[:, None], table.class_sizes
    # n_docs · surplus² / (product of the four margins), where surplus = ad − bc
    by_term = quotient(table.surplus, df * (n_docs - df))
    by_class = quotient(table.surplus, sizes * (n_docs - sizes))
    return n_docs * by_term * by_class


def bi_normal_separation(table: ContingencyTable) -> Floats:
    """|F⁻¹(tpr) − F⁻¹(fpr)| of Forman 2003, F the normal distribution; (n_terms, n_columns).

    tpr is the share of the class's documents that have the term, fpr that of the other documents.
    """
    n_others = table.n_docs - table.class_sizes
    tpr = quotient(table.present, table.class_sizes)
    fpr = quotient(table.df[:, None] - table.present, n_others)
    separation = np.abs(_quantile(tpr) - _quantile(fpr))
    separation[:, (table.class_sizes == 0) | (n_others == 0)] = 0.0
    return separation


def _quantile(rate: Floats) -> Floats:
    quantile: Floats = ndtri(np.clip(rate, LOWEST_RATE, 1 - LOWEST_RATE))
    return quantile
