"""How far a small linear model may be from the full one: the mathematics of `docs/certificates.md`.

D = w̃ − w and b = b̃ − b, one row per class. This file has suprema over documents, changed decisions
and bounds from held-out documents; `span.py` has what depends on the training documents.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.special import betaincinv

from laconic.types import Bools, Floats, Integers, Matrix

# A margin that equals its bound up to this rounding proves nothing; a change this small is none.
ROUNDING = 1e-12
# Numbers in a dense block of class rows: 4 MB.
BLOCK_ENTRIES = 500_000
# Pairs of classes are compared word by word if that reads at most so many entries: seconds.
PAIR_ENTRIES = 200_000_000


def dense(matrix: Matrix) -> Floats:
    values: Floats = matrix.toarray() if issparse(matrix) else np.asarray(matrix, dtype=np.float64)
    return values


def row_blocks(shape: tuple[int, int]) -> list[slice]:
    """Slices of rows, each small enough to be made dense."""
    height = max(1, BLOCK_ENTRIES // max(1, shape[1]))
    return [slice(first, first + height) for first in range(0, shape[0], height)]


def by_rows(function: Callable[[Floats], Floats], W: Matrix) -> Floats:
    """A function of each row of W, which is made dense block by block."""
    return np.concatenate([function(dense(W[rows])) for rows in row_blocks(W.shape)])


@dataclass(frozen=True, eq=False)
class Difference:
    """D = w̃ − w, one row per class; `D[rows]` is computed on demand."""

    small: Matrix
    full: Matrix

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.full.shape[0]), int(self.full.shape[1])

    def __getitem__(self, rows: slice) -> Floats:
        return dense(self.small[rows]) - dense(self.full[rows])


def largest(values: Any) -> float:
    """The maximum; 0 if there are no values."""
    return float(np.max(values, initial=0.0))


def lengths(Q: Matrix) -> Floats:
    """Euclidean length of each row."""
    squares = Q.power(2) if issparse(Q) else np.square(Q)
    return np.asarray(np.sqrt(np.asarray(squares.sum(axis=1)).ravel()))


# --- suprema (Propositions 1 to 4) -----------------------------------------------------------


def reach(D: Floats) -> Floats:
    """sup of D q over q ≥ 0, ‖q‖ ≤ 1: the length of the positive part of each row."""
    return lengths(np.maximum(D, 0.0))


@dataclass(frozen=True, eq=False)
class ChangeLimits:
    """The largest changes: f̃ − f is at most `up`, f − f̃ at most `down`, one per row.

    `leads[a, c]` is the most that the lead of class a over c is smaller in the full model; −∞ for
    a = c. For rules other than "argmax" it is not used.
    """

    up: Floats
    down: Floats
    leads: Floats

    def margin(self, rule: str) -> float:
        """A decision of the small model with a larger margin is that of the full one."""
        return (
            largest(self.leads) if rule == "argmax" else max(largest(self.up), largest(self.down))
        )

    def stand(self, small: Floats, rule: str, slack: Floats) -> Bools:
        """The documents whose decision values in the small model decide for the full one too."""
        if rule != "argmax":
            limit = np.where(small > 0, self.up, self.down)
            return np.asarray((contrasts(small, small, rule) > limit + slack[:, None]).all(axis=1))
        chosen = small.argmax(axis=1)
        gaps = np.take_along_axis(small, chosen[:, None], axis=1) - small
        return np.asarray((gaps > self.leads[chosen] + slack[:, None]).all(axis=1))


def added_leads(up: Floats, down: Floats) -> Floats:
    """Leads from the suprema of both rows: not the least, but of rows that differ in any way."""
    leads = up[:, None] + down
    np.fill_diagonal(leads, -np.inf)
    return leads


def limits(D: Matrix, b: Floats, rule: str) -> ChangeLimits:
    """The limits for documents q ≥ 0 with ‖q‖ ≤ 1 if both models see the same document."""
    up, down = by_rows(lambda rows: np.array([reach(rows), reach(-rows)]).T, D).T
    shift = ROUNDING * np.abs(b)
    up, down = up * (1.0 + ROUNDING) + b + shift, down * (1.0 + ROUNDING) - b + shift
    leads = added_leads(up, down)
    if rule == "argmax" and D.shape[0] * D.shape[0] * D.shape[1] <= PAIR_ENTRIES:
        for a in range(D.shape[0]):
            apart = by_rows(partial(_lead, reach, D[a : a + 1]), D) * (1.0 + ROUNDING)
            leads[a] = np.minimum(leads[a], apart + b[a] - b + shift[a] + shift)
    return ChangeLimits(up, down, leads)


def off_selection(w: Floats, selected: Bools) -> Floats:
    """‖w off the selection‖: any model that reads only `selected` words is at least this far."""
    return lengths(np.where(selected, 0.0, w))


def tail(w: Floats, sizes: Integers) -> Floats:
    """The same for the best possible selection of `sizes` words, which omits the smallest |w|."""
    ascending = np.cumsum(np.sort(np.abs(w), axis=1) ** 2, axis=1)
    n_omitted = w.shape[1] - sizes
    rows = np.flatnonzero(n_omitted > 0)
    floor = np.zeros(w.shape[0])
    floor[rows] = np.sqrt(ascending[rows, n_omitted[rows] - 1])
    return floor


def serving_range(w_off: Floats, chosen_lengths: Floats, document_lengths: Floats) -> Floats:
    """Range of what unseen non-negative words may add: (n_docs, n_rows, 2), low and high."""
    rest = np.sqrt(np.maximum(np.square(document_lengths) - np.square(chosen_lengths), 0.0))
    ends = np.stack([-reach(-w_off), reach(w_off)], axis=-1)
    return np.asarray(rest[:, None, None] * ends)


# --- decisions and labels (Propositions 5 and 9) ---------------------------------------------


def contrasts(values: Floats, decided: Floats, rule: str) -> Floats:
    """Values signed by the decisions of `decided`; a decision stands if its row is all positive.

    For "argmax" the decided class minus each other class; otherwise each value times its decision.
    """
    if rule != "argmax":
        return values * np.where(decided > 0, 1.0, -1.0)
    chosen = decided.argmax(axis=1)[:, None]
    gaps = np.take_along_axis(values, chosen, axis=1) - values
    rejected = np.ones(values.shape, dtype=bool)
    np.put_along_axis(rejected, chosen, False, axis=1)
    return np.asarray(gaps[rejected].reshape(values.shape[0], values.shape[1] - 1))


def margin(decided: Floats, rule: str) -> Floats:
    """The smallest contrast of each document under its own decision."""
    return np.asarray(contrasts(decided, decided, rule).min(axis=1, initial=np.inf))


def margin_loss(full: Floats, small: Floats, rule: str) -> Floats:
    """Largest reduction of the small model's contrasts in the full model.

    A changed decision has a loss of at least the margin.
    """
    change = contrasts(small, small, rule) - contrasts(full, small, rule)
    return np.asarray(change.max(axis=1, initial=-np.inf))


def changed(full: Floats, small: Floats, rule: str) -> Bools:
    """Documents that the two models decide differently.

    A value that crosses the border by rounding, up to 1e-12 of the largest decision value of any
    document, does not count.
    """
    slack = ROUNDING * max(largest(np.abs(full)), largest(np.abs(small)))
    moved = small - full
    if rule != "argmax":
        return np.asarray((((full > 0) != (small > 0)) & (np.abs(moved) > slack)).any(axis=1))
    documents, before, after = np.arange(len(full)), full.argmax(axis=1), small.argmax(axis=1)
    shift = moved[documents, after] - moved[documents, before]
    return np.asarray((before != after) & (shift > slack))


def cannot_change(
    small: Floats,
    D: Matrix,
    b: Floats,
    length: Floats,
    rule: str,
    nonnegative: bool,
    weight: float = 1.0,
) -> Bools:
    """Documents whose contrasts exceed the worst case over all documents of their length.

    `weight` is the length of the longest row of the small model, whose products are rounded.
    """
    sup = reach if nonnegative else lengths
    slack = ROUNDING * (1.0 + np.abs(small).max(axis=1) + length * weight)[:, None]
    if rule != "argmax":
        yes = np.outer(length, by_rows(sup, D)) + b
        no = np.outer(length, by_rows(lambda rows: sup(-rows), D)) - b
        limit = np.where(small > 0, yes, no) + slack
        return np.asarray((contrasts(small, small, rule) > limit).all(axis=1))
    chosen = small.argmax(axis=1)
    safe = np.zeros(small.shape[0], dtype=bool)
    for a in np.unique(chosen):
        docs, rivals = chosen == a, np.arange(small.shape[1]) != a
        leads = by_rows(partial(_lead, sup, D[a : a + 1]), D)[rivals]
        limit = np.outer(length[docs], leads) + (b[a] - b[rivals]) + slack[docs]
        safe[docs] = (small[docs][:, [a]] - small[docs][:, rivals] > limit).all(axis=1)
    return safe


def _lead(sup: Callable[[Floats], Floats], first: Floats, rows: Floats) -> Floats:
    return sup(first - rows)


def documents_needed(confidence: float) -> int:
    """The fewest documents n for which ⌈(n + 1)·confidence⌉ ≤ n."""
    return math.ceil(round(confidence / (1.0 - confidence), 9))


def conformal_bound(scores: Floats, confidence: float) -> float:
    """The ⌈(n + 1)·confidence⌉-th smallest score; infinite if there are too few."""
    # rounded first: 10 · 0.9 must not become 9.000000000000002 and then 10
    place = math.ceil(round((scores.size + 1) * confidence, 9))
    return float(np.sort(scores)[place - 1]) if place <= scores.size else math.inf


def rate_limit(hits: int, trials: int, confidence: float) -> float:
    """One-sided upper confidence limit of a rate (Clopper and Pearson)."""
    return 1.0 if hits >= trials else float(betaincinv(hits + 1, trials - hits, confidence))
