"""ROC AUC and best F1 of a masked decision at every size, from 1 to all words.

From one size to the next, only documents with the next word move. So all values that documents ever
take are known in advance and sorted once. Neither metric depends on the order of two positive or
two negative documents, so neighbouring values of one kind share a level: if one kind is rare, there
are few levels and the trees are small. Two Fenwick trees count negative and positive documents per
level. All counts are integers and values are summed in the order of `prefix_decisions`, so the
results equal `metrics.roc_auc` and `metrics.best_f1` of its decisions exactly.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numba import njit

from laconic.errors import LaconicError
from laconic.numerics.svm.ranked import Ranked, check_coefficients, decision_of
from laconic.types import Bools, Floats, Int8s, Int32s, Int64s

Kinds: TypeAlias = Int8s

# The kind of a value: taken by negative documents, by positive ones, or by both.
NEGATIVE, POSITIVE, BOTH = 0, 1, 2


def auc_at_every_size(
    ranked: Ranked, coef: Floats, truth: Bools, *, normalize_selected: bool
) -> Floats:
    """Area under the ROC curve of the best 1, 2, … words; ties count ½.

    `coef` is by rank, `normalize_selected` as in `prefix_decisions`. NaN if all labels are equal.
    """
    _check_truth(ranked, truth)
    n_pairs = int(truth.sum()) * int((~truth).sum())
    if not n_pairs:
        return np.full(ranked.n_ranks, np.nan)
    return _doubled_wins(_all_moves(ranked, coef, truth, normalize_selected)) / 2 / n_pairs


def best_f1_at_every_size(
    ranked: Ranked, coef: Floats, truth: Bools, *, normalize_selected: bool
) -> Floats:
    """The best F1 at any threshold, for the best 1, 2, … words; a tie is never split.

    Each threshold is chosen on the same documents, so this is an oracle value. NaN if no document
    is positive.
    """
    _check_truth(ranked, truth)
    if not truth.any():
        return np.full(ranked.n_ranks, np.nan)
    return _best_f1(_all_moves(ranked, coef, truth, normalize_selected))


class Moves(NamedTuple):
    """Changes of documents' levels, by the rank of the word that causes them.

    Parameters
    ----------
    starts : (n_ranks + 1,) where the moves of each rank start
    before, after : (n_moves,) levels, from 1; a higher level is a larger value
    kinds : (n_moves,) POSITIVE or NEGATIVE, kind of the document that moves
    origin : level of the value 0, where every document starts
    n_levels : a power of 2, so all paths up a Fenwick tree meet
    totals : (2,) numbers of negative and of positive documents
    """

    starts: Int64s
    before: Int32s
    after: Int32s
    kinds: Kinds
    origin: int
    n_levels: int
    totals: Int64s


def _all_moves(ranked: Ranked, coef: Floats, truth: Bools, normalize_selected: bool) -> Moves:
    check_coefficients(ranked, coef)
    kinds = truth.astype(np.int8)
    values, kind_of = _values(
        ranked.starts, ranked.ranks, ranked.values, coef, kinds, normalize_selected
    )
    levels = _levels(np.argsort(values), values, kind_of)
    moves = _moves(ranked.starts, ranked.ranks, levels, kinds, ranked.n_ranks)
    n_levels = 1 << int(levels.max()).bit_length()
    return Moves(*moves, int(levels[-1]), n_levels, np.bincount(kinds, minlength=2))


def _check_truth(ranked: Ranked, truth: Bools) -> None:
    if truth.shape != (ranked.n_docs,) or truth.dtype != np.bool_:
        raise LaconicError(
            f"truth of shape {truth.shape} and type {truth.dtype} for {ranked.n_docs} documents. "
            f"Give True or False for each document."
        )


@njit(nogil=True, cache=True)
def _values(
    starts: Int64s,
    ranks: Int32s,
    values: Floats,
    coef: Floats,
    kinds: Kinds,
    normalize_selected: bool,
) -> tuple[Floats, Kinds]:
    """Decisions after each entry of a document, with the initial 0 last; and their kinds."""
    n_entries = ranks.size
    decisions, kind_of = np.empty(n_entries + 1), np.empty(n_entries + 1, dtype=np.int8)
    decisions[n_entries], kind_of[n_entries] = 0.0, BOTH
    for doc in range(starts.size - 1):
        total, square = 0.0, 0.0
        for entry in range(starts[doc], starts[doc + 1]):
            total += coef[ranks[entry]] * values[entry]
            square += values[entry] * values[entry]
            decisions[entry] = decision_of(total, square, normalize_selected)
            kind_of[entry] = kinds[doc]
    return decisions, kind_of


@njit(nogil=True, cache=True)
def _levels(order: Int64s, values: Floats, kind_of: Kinds) -> Int32s:
    """The level of each value; equal values, and neighbours of one kind, share a level."""
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
    """Entries that change a document's level, sorted by rank (counting sort)."""
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
def _initial_trees(origin: int, n_levels: int, totals: Int64s) -> Int64s:
    """Fenwick trees of negative and of positive documents, all at the origin; node 0 is unused."""
    trees = np.zeros((2, n_levels + 1), dtype=np.int64)
    level = origin
    while level <= n_levels:
        trees[:, level] = totals
        level += level & -level
    return trees


@njit(nogil=True, cache=True)
def _move(tree: Int64s, before: int, after: int) -> None:
    """Move one document: both paths up the tree are updated until they meet."""
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
    """Twice the pairs with the positive document above the negative one, plus the tied pairs."""
    starts, totals = moves.starts, moves.totals
    trees = _initial_trees(moves.origin, moves.n_levels, totals)
    at_level = np.zeros(trees.shape, dtype=np.int64)
    at_level[:, moves.origin] = totals
    # all are tied
    wins = totals[0] * totals[1]
    wins_by_rank = np.empty(starts.size - 1, dtype=np.int64)
    for rank in range(wins_by_rank.size):
        for move in range(starts[rank], starts[rank + 1]):
            kind, old, new = moves.kinds[move], moves.before[move], moves.after[move]
            low, high = min(old, new), max(old, new)
            opposite = at_level[1 - kind]
            # documents at `low` and `high` are tied before or after the move, and count once
            passed = 2 * _between(trees[1 - kind], low, high) + opposite[low] - opposite[high]
            wins += passed if (kind == POSITIVE) == (new > old) else -passed
            _move(trees[kind], old, new)
            at_level[kind, old] -= 1
            at_level[kind, new] += 1
        wins_by_rank[rank] = wins
    return wins_by_rank


@njit(nogil=True, cache=True)
def _threshold(trees: Int64s, totals: Int64s, hits: int) -> tuple[int, int]:
    """Positives and negatives above the highest threshold that has at least `hits` positives."""
    missed, below, step = totals[1] - hits, 0, (trees.shape[1] - 1) // 2
    n_positive = n_negative = 0
    while step:
        # the largest `below` with at most `missed` positives at the levels up to it
        if n_positive + trees[1, below + step] <= missed:
            below += step
            n_positive += trees[1, below]
            n_negative += trees[0, below]
        step >>= 1
    return totals[1] - n_positive, totals[0] - n_negative


@njit(nogil=True, cache=True)
def _best_f1(moves: Moves) -> Floats:
    starts, totals = moves.starts, moves.totals
    trees = _initial_trees(moves.origin, moves.n_levels, totals)
    f1_by_rank = np.empty(starts.size - 1)
    best_hits, best_whole = totals[1], totals[0] + 2 * totals[1]
    for rank in range(f1_by_rank.size):
        for move in range(starts[rank], starts[rank + 1]):
            _move(trees[moves.kinds[move]], moves.before[move], moves.after[move])
        if starts[rank] < starts[rank + 1]:
            best_hits, best_whole = _best_threshold(trees, totals, best_hits)
        f1_by_rank[rank] = 2 * best_hits / best_whole
    return f1_by_rank


@njit(nogil=True, cache=True)
def _best_threshold(trees: Int64s, totals: Int64s, guess: int) -> tuple[int, int]:
    """Hits, and predicted + actual positives, of the best threshold; F1 is 2 · hits / their sum.

    m more hits need at least m more predicted positives: thresholds that cannot beat the best so
    far are skipped. A good guess of the hits, from the previous size, makes the skips long.
    """
    n_positive = totals[1]
    hits, n_negative = _threshold(trees, totals, guess)
    best_hits, best_whole = hits, hits + n_negative + n_positive
    hits, whole = 0, n_positive
    while True:
        # the least m with (hits + m) / (whole + m) > best_hits / best_whole
        lack = best_hits * whole - hits * best_whole
        hits += lack // (best_whole - best_hits) + 1
        if hits > n_positive:
            return best_hits, best_whole
        hits, n_negative = _threshold(trees, totals, hits)
        whole = hits + n_negative + n_positive
        if hits * best_whole > best_hits * whole:
            best_hits, best_whole = hits, whole
