"""Documents by rank: the best N words of a document are a prefix of its row.

Columns are relabelled once by an order of words, best first. Then masking means reading less of
each row, and the length over the selected words is a running sum: a family of models, one per size,
is evaluated without a copy (Kołcz & Chowdhury 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.types import Floats, Int32s, Int64s, Integers, Matrix

ZERO, ONE = np.uint64(0), np.uint64(1)
# A de Bruijn sequence: the top six bits of each shift are different and identify the shift.
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
PLACES = np.zeros(64, dtype=np.int64)
PLACES[[(int(DE_BRUIJN) << place) % (1 << 64) >> 58 for place in range(64)]] = np.arange(64)


@dataclass(frozen=True, eq=False)
class Ranked:
    """Documents whose columns are relabelled by rank, ascending in each row.

    Parameters
    ----------
    starts : (n_docs + 1,) where each row starts, and the last one ends
    ranks : (n_entries,) rank of the word, 0 for the best
    values : (n_entries,)
    n_ranks : number of ranked words, including those that no document has
    """

    starts: Int64s
    ranks: Int32s
    values: Floats
    n_ranks: int

    @classmethod
    def of(cls, X: Matrix, order: Integers) -> Ranked:
        """Column order[r] gets rank r; columns that are not in the order are dropped.

        Entries are sorted by marking bits, without comparisons: O(n_entries).
        """
        ranks = _ranks_of(np.asarray(order), X.shape[1])
        documents = _sum_duplicates(csr_array(X, dtype=np.float64))
        n_ranks = int(np.size(order))
        parts = _relabel(documents.indptr, documents.indices, documents.data, ranks, n_ranks)
        return cls(*parts, n_ranks)

    @property
    def n_docs(self) -> int:
        return self.starts.size - 1

    def ends(self, size: int) -> Int64s:
        """Where the words of rank below `size` end in each row."""
        return _ends(self.starts, self.ranks, size)

    def lengths(self, ends: Int64s) -> Floats:
        """Euclidean length of each row up to its end; 0 for an empty one."""
        return _lengths(self.starts, self.values, ends)


def prefix_decisions(
    ranked: Ranked, coef: Floats, sizes: Sequence[int] | Integers, *, normalize_selected: bool
) -> Floats:
    """Decision values of the best N words for each N of `sizes`, shape (n_sizes, n_docs).

    `coef` is by rank, `sizes` ascend; all come from one pass over the entries. With
    `normalize_selected` values are divided by the length over these N words, 0 for a document
    without any. There is no intercept.
    """
    ascending = np.asarray(sizes, dtype=np.int64)
    check_coefficients(ranked, coef)
    if (np.diff(ascending) < 0).any():
        raise LaconicError(
            f"prefix_decisions: sizes must ascend, got {ascending.tolist()}. Sort them first."
        )
    return _prefix_decisions(
        ranked.starts, ranked.ranks, ranked.values, coef, ascending, normalize_selected
    )


def masked_coefficients(
    ranked: Ranked, ends: Int64s, lengths: Floats, alphas_signed: Floats
) -> Floats:
    """Coefficients from support vectors over the selected words, each rescaled to unit length.

    f_sv of the paper, with the label y_j that is missing in print: w_r = Σ_j α_j y_j d_jr / ‖d_j‖,
    with ‖d_j‖ over the selected words. Documents with α = 0 are not read. The result has `n_ranks`
    entries, 0 beyond the prefix.
    """
    return _masked_coefficients(
        ranked.starts, ranked.ranks, ranked.values, ends, lengths, alphas_signed, ranked.n_ranks
    )


def check_coefficients(ranked: Ranked, coef: Floats) -> None:
    """Require one coefficient per rank: compiled code does not check array bounds."""
    if coef.shape != (ranked.n_ranks,):
        raise LaconicError(
            f"coefficients of shape {coef.shape} for documents with {ranked.n_ranks} ranks. "
            f"Give one coefficient per rank, best first."
        )


def _ranks_of(order: Integers, n_terms: int) -> Int32s:
    """The rank of each column, -1 if it has none."""
    ranks = np.full(n_terms, -1, dtype=np.int32)
    if not order.size or (order.min() >= 0 and order.max() < n_terms):
        ranks[order] = np.arange(order.size, dtype=np.int32)
    if np.count_nonzero(ranks >= 0) < order.size:
        raise LaconicError(
            f"Ranked.of: the order must have columns between 0 and {n_terms - 1}, each at most "
            f"once; this one has other columns, or repeats. Give the columns, best first."
        )
    return ranks


def _sum_duplicates(documents: csr_array) -> csr_array:
    if documents.has_canonical_format:
        return documents
    # a copy, because it shares its arrays with the caller's matrix
    documents = documents.copy()
    documents.sum_duplicates()
    return documents


@njit(nogil=True, cache=True)
def _lowest(word: np.uint64) -> int:
    """Index of the lowest set bit, by its product with the de Bruijn sequence."""
    bit = word & (~word + ONE)
    place: int = PLACES[(bit * DE_BRUIJN) >> np.uint64(58)]
    return place


@njit(nogil=True, cache=True)
def _relabel(
    starts: Integers, columns: Integers, values: Floats, ranks: Int32s, n_ranks: int
) -> tuple[Int64s, Int32s, Floats]:
    """Sort each row by marking its ranks in a two-level bit map and reading the map in order."""
    new_starts = _new_starts(starts, columns, ranks)
    new_ranks, new_values = np.empty(new_starts[-1], dtype=np.int32), np.empty(new_starts[-1])
    by_rank = np.empty(n_ranks)
    words = np.zeros(n_ranks // 64 + 1, dtype=np.uint64)
    pages = np.zeros(n_ranks // 4096 + 1, dtype=np.uint64)
    place = 0
    for doc in range(starts.size - 1):
        for entry in range(starts[doc], starts[doc + 1]):
            rank = ranks[columns[entry]]
            if rank >= 0:
                by_rank[rank] = values[entry]
                words[rank >> 6] |= ONE << np.uint64(rank & 63)
                pages[rank >> 12] |= ONE << np.uint64((rank >> 6) & 63)
        for page in range(pages.size):
            while pages[page]:
                word = (page << 6) + _lowest(pages[page])
                pages[page] &= pages[page] - ONE
                bits, words[word] = words[word], ZERO
                while bits:
                    rank = (word << 6) + _lowest(bits)
                    bits &= bits - ONE
                    new_ranks[place], new_values[place] = rank, by_rank[rank]
                    place += 1
    return new_starts, new_ranks, new_values


@njit(nogil=True, cache=True)
def _new_starts(starts: Integers, columns: Integers, ranks: Int32s) -> Int64s:
    """Where rows start after entries without a rank are dropped."""
    new_starts = np.zeros(starts.size, dtype=np.int64)
    for doc in range(starts.size - 1):
        n_ranked = 0
        for entry in range(starts[doc], starts[doc + 1]):
            n_ranked += ranks[columns[entry]] >= 0
        new_starts[doc + 1] = new_starts[doc] + n_ranked
    return new_starts


@njit(nogil=True, cache=True)
def _ends(starts: Int64s, ranks: Int32s, size: int) -> Int64s:
    ends = np.empty(starts.size - 1, dtype=np.int64)
    for doc in range(ends.size):
        low, high = starts[doc], starts[doc + 1]
        while low < high:
            middle = (low + high) // 2
            if ranks[middle] < size:
                low = middle + 1
            else:
                high = middle
        ends[doc] = low
    return ends


@njit(nogil=True, cache=True)
def _lengths(starts: Int64s, values: Floats, ends: Int64s) -> Floats:
    lengths = np.empty(ends.size)
    for doc in range(ends.size):
        square = 0.0
        for entry in range(starts[doc], ends[doc]):
            square += values[entry] * values[entry]
        lengths[doc] = np.sqrt(square)
    return lengths


@njit(nogil=True, cache=True)
def decision_of(total: float, square: float, normalize_selected: bool) -> float:
    """The decision value of a prefix, from its weighted sum and its squared length."""
    if not normalize_selected:
        return total
    return total / np.sqrt(square) if square > 0.0 else 0.0


@njit(nogil=True, cache=True)
def _prefix_decisions(
    starts: Int64s,
    ranks: Int32s,
    values: Floats,
    coef: Floats,
    sizes: Int64s,
    normalize_selected: bool,
) -> Floats:
    n_docs, n_sizes = starts.size - 1, sizes.size
    decisions = np.empty((n_sizes, n_docs))
    for doc in range(n_docs):
        total, square, at = 0.0, 0.0, 0
        for entry in range(starts[doc], starts[doc + 1]):
            rank, value = ranks[entry], values[entry]
            while at < n_sizes and rank >= sizes[at]:
                decisions[at, doc] = decision_of(total, square, normalize_selected)
                at += 1
            if at == n_sizes:
                break
            total += coef[rank] * value
            square += value * value
        for rest in range(at, n_sizes):
            decisions[rest, doc] = decision_of(total, square, normalize_selected)
    return decisions


@njit(nogil=True, cache=True)
def _masked_coefficients(
    starts: Int64s,
    ranks: Int32s,
    values: Floats,
    ends: Int64s,
    lengths: Floats,
    alphas: Floats,
    n_ranks: int,
) -> Floats:
    coef = np.zeros(n_ranks)
    for doc in range(alphas.size):
        # a length of 0: no selected word, or only zeros, which have no direction
        if alphas[doc] == 0.0 or lengths[doc] == 0.0:
            continue
        scale = alphas[doc] / lengths[doc]
        for entry in range(starts[doc], ends[doc]):
            coef[ranks[entry]] += scale * values[entry]
    return coef
