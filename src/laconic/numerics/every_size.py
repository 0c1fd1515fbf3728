"""Area under the curve and best F1 of a masked decision at every size, 1 to all words.

From one size to the next only documents with the next word move. So every value that a document
ever has is known beforehand, and they are sorted once. Values between which no document of the
other kind ever lies become one level, because neither measure asks for the order of two true or
two false documents: where one kind is rare there are few levels, and the trees are small.
The numbers of true and false documents at the levels are kept in two Fenwick trees. All counts are
integers and values are summed in the order of `prefix_decisions`, so the results are exactly those
of `measures.auc` and `measures.best_f1` of its decisions.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.numerics.ranked import Ranked, check_coefficients, decision_of

Flags: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Int32s: TypeAlias = NDArray[np.int32]
Int64s: TypeAlias = NDArray[np.int64]
Kinds: TypeAlias = NDArray[np.int8]

# A value may be had by false documents, by true ones, or by both.
FALSE, TRUE, BOTH = 0, 1, 2


def auc_at_every_size(ranked: Ranked, coef: Floats, truth: Flags, *, kept: bool) -> Floats:
    """Area under the ROC curve of the best 1, 2, … words; ties count ½.

    `coef` is by rank, `kept` as in `prefix_decisions`. NaN where all documents are of one kind.
    """
    _check_truth(ranked, truth)
    n_pairs = int(truth.sum()) * int((~truth).sum())
    if not n_pairs:
        return np.full(ranked.n_ranks, np.nan)
    return _doubled_wins(_all_moves(ranked, coef, truth, kept)) / 2 / n_pairs


def best_f1_at_every_size(ranked: Ranked, coef: Floats, truth: Flags, *, kept: bool) -> Floats:
    """The best F1 that any threshold gives to the best 1, 2, … words; a tie is never split.

    Each threshold is chosen on these very documents: an oracle number, and to be called so.
    NaN where no document is true.
    """
    _check_truth(ranked, truth)
    if not truth.any():
        return np.full(ranked.n_ranks, np.nan)
    return _best_f1(_all_moves(ranked, coef, truth, kept))


class Moves(NamedTuple):
    """Documents that change their level, by the rank of the word that moves them.

    Parameters
    ----------
    starts : (n_ranks + 1,) where the moves of each rank start
    before, after : (n_moves,) levels, from 1; a higher one is a larger value
    kinds : (n_moves,) TRUE or FALSE, of the document that moves
    origin : level of the value 0, where every document starts
    n_levels : a power of 2, so that all ways up a Fenwick tree meet
    totals : (2,) numbers of false and of true documents
    """

    starts: Int64s
    before: Int32s
    after: Int32s
    kinds: Kinds
    origin: int
    n_levels: int
    totals: Int64s


def _all_moves(ranked: Ranked, coef: Floats, truth: Flags, kept: bool) -> Moves:
    check_coefficients(ranked, coef)
    kinds = truth.astype(np.int8)
    values, kind_of = _values(ranked.starts, ranked.ranks, ranked.values, coef, kinds, kept)
    levels = _levels(np.argsort(values), values, kind_of)
    moves = _moves(ranked.starts, ranked.ranks, levels, kinds, ranked.n_ranks)
    n_levels = 1 << int(levels.max()).bit_length()
    return Moves(*moves, int(levels[-1]), n_levels, np.bincount(kinds, minlength=2))


def _check_truth(ranked: Ranked, truth: Flags) -> None:
    if truth.shape != (ranked.n_docs,) or truth.dtype != np.bool_:
        raise LaconicError(
            f"truth of shape {truth.shape} and type {truth.dtype} for {ranked.n_docs} documents. "
            f"Give True or False for each."
        )


@njit(nogil=True, cache=True)
def _values(
    starts: Int64s,
    ranks: Int32s,
    values: Floats,
    coef: Floats,
    kinds: Kinds,
    kept: bool,
) -> tuple[Floats, Kinds]:
    """Decisions after each entry of a document, and last the 0 before any; and whose they are."""
    n_entries = ranks.size
    decisions, kind_of = np.empty(n_entries + 1), np.empty(n_entries + 1, dtype=np.int8)
    decisions[n_entries], kind_of[n_entries] = 0.0, BOTH
    for doc in range(starts.size - 1):
        total, square = 0.0, 0.0
        for entry in range(starts[doc], starts[doc + 1]):
            total += coef[ranks[entry]] * values[entry]
            square += values[entry] * values[entry]
            decisions[entry] = decision_of(total, square, kept)
            kind_of[entry] = kinds[doc]
    return decisions, kind_of


@njit(nogil=True, cache=True)
def _levels(order: Int64s, values: Floats, kind_of: Kinds) -> Int32s:
    """The level of each value; equal values, and neighbours of one kind, share theirs."""
    levels = np.empty(values.size, dtype=np.int32)
    level, kind_below, first = 0, BOTH, 0
    while first < order.size:
        last, kind = first + 1, kind_of[order[first]]
        while last < order.size and values[order[last]] == values[order[first]]:
            if kind_of[order[last]] != kind:
                kind = BOTH
            last += 1
        if kind == BOTH or kind != kind_below:
            level += 1
        levels[order[first:last]] = level
        kind_below, first = kind, last
    return levels


@njit(nogil=True, cache=True)
def _moves(
    starts: Int64s, ranks: Int32s, levels: Int32s, kinds: Kinds, n_ranks: int
) -> tuple[Int64s, Int32s, Int32s, Kinds]:
    """Entries that change a document's level, counted and then put in place by rank."""
    firsts = np.zeros(n_ranks + 1, dtype=np.int64)
    for doc in range(starts.size - 1):
        level = levels[-1]
        for entry in range(starts[doc], starts[doc + 1]):
            firsts[ranks[entry] + 1] += levels[entry] != level
            level = levels[entry]
    firsts[:] = np.cumsum(firsts)
    places = firsts.copy()
    before, after = np.empty(firsts[-1], dtype=np.int32), np.empty(firsts[-1], dtype=np.int32)
    kind_of = np.empty(firsts[-1], dtype=np.int8)
    for doc in range(starts.size - 1):
        level = levels[-1]
        for entry in range(starts[doc], starts[doc + 1]):
            if levels[entry] != level:
                place = places[ranks[entry]]
                before[place], after[place], kind_of[place] = level, levels[entry], kinds[doc]
                places[ranks[entry]] += 1
                level = levels[entry]
    return firsts, before, after, kind_of


@njit(nogil=True, cache=True)
def _planted(origin: int, n_levels: int, totals: Int64s) -> Int64s:
    """Two Fenwick trees, of false and of true documents, all at the origin; node 0 is unused."""
    trees = np.zeros((2, n_levels + 1), dtype=np.int64)
    level = origin
    while level <= n_levels:
        trees[:, level] = totals
        level += level & -level
    return trees


@njit(nogil=True, cache=True)
def _move(tree: Int64s, before: int, after: int) -> None:
    """One document goes elsewhere: both ways up are changed until they meet."""
    while before != after:
        if before < after:
            tree[before] -= 1
            before += before & -before
        else:
            tree[after] += 1
            after += after & -after


@njit(nogil=True, cache=True)
def _between(tree: Int64s, low: int, high: int) -> int:
    """Documents at the levels low + 1 to high, for low ≤ high."""
    count = 0
    while high > low:
        count += tree[high]
        high -= high & -high
    while low > high:
        count -= tree[low]
        low -= low & -low
    return count


@njit(nogil=True, cache=True)
def _doubled_wins(moves: Moves) -> Int64s:
    """Twice the pairs with the true document above the false one, and the tied pairs once."""
    starts, totals = moves.starts, moves.totals
    trees = _planted(moves.origin, moves.n_levels, totals)
    at_level = np.zeros(trees.shape, dtype=np.int64)
    at_level[:, moves.origin] = totals
    # all are tied
    wins = totals[0] * totals[1]
    found = np.empty(starts.size - 1, dtype=np.int64)
    for rank in range(found.size):
        for move in range(starts[rank], starts[rank + 1]):
            kind, old, new = moves.kinds[move], moves.before[move], moves.after[move]
            low, high = min(old, new), max(old, new)
            others = at_level[1 - kind]
            # those at `low` and at `high` are tied before or after, and count once
            passed = 2 * _between(trees[1 - kind], low, high) + others[low] - others[high]
            wins += passed if (kind == TRUE) == (new > old) else -passed
            _move(trees[kind], old, new)
            at_level[kind, old] -= 1
            at_level[kind, new] += 1
        found[rank] = wins
    return found


@njit(nogil=True, cache=True)
def _threshold(trees: Int64s, totals: Int64s, hits: int) -> tuple[int, int]:
    """True and false documents above the highest threshold with at least so many true ones."""
    missed, below, step = totals[1] - hits, 0, (trees.shape[1] - 1) // 2
    n_true = n_false = 0
    while step:
        # the largest `below` with at most `missed` true documents at the levels up to it
        if n_true + trees[1, below + step] <= missed:
            below += step
            n_true += trees[1, below]
            n_false += trees[0, below]
        step >>= 1
    return totals[1] - n_true, totals[0] - n_false


@njit(nogil=True, cache=True)
def _best_f1(moves: Moves) -> Floats:
    starts, totals = moves.starts, moves.totals
    trees = _planted(moves.origin, moves.n_levels, totals)
    found = np.empty(starts.size - 1)
    best_hits, best_whole = totals[1], totals[0] + 2 * totals[1]
    for rank in range(found.size):
        for move in range(starts[rank], starts[rank + 1]):
            _move(trees[moves.kinds[move]], moves.before[move], moves.after[move])
        if starts[rank] < starts[rank + 1]:
            best_hits, best_whole = _best_threshold(trees, totals, best_hits)
        found[rank] = 2 * best_hits / best_whole
    return found


@njit(nogil=True, cache=True)
def _best_threshold(trees: Int64s, totals: Int64s, guess: int) -> tuple[int, int]:
    """Hits and yeses + true documents of the best threshold, F1 = 2 hits / (yeses + true).

    After h hits, m more cost at least m more yeses: what cannot be better than the best so far is
    jumped over. A good guess of the hits, the best of the size before, makes the jumps long.
    """
    n_true = totals[1]
    hits, n_false = _threshold(trees, totals, guess)
    best_hits, best_whole = hits, hits + n_false + n_true
    hits, whole = 0, n_true
    while True:
        # the least m with (hits + m) / (whole + m) > best_hits / best_whole
        lack = best_hits * whole - hits * best_whole
        hits += lack // (best_whole - best_hits) + 1
        if hits > n_true:
            return best_hits, best_whole
        hits, n_false = _threshold(trees, totals, hits)
        whole = hits + n_false + n_true
        if hits * best_whole > best_hits * whole:
            best_hits, best_whole = hits, whole
