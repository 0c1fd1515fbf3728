"""Forward selection on a ladder of sizes, with swaps at every rung."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from laconic.numerics.joint.optimum import Objective, Optimum
from laconic.numerics.joint.screening import GainComparison, Screen
from laconic.numerics.logistic.losses import LogisticLoss
from laconic.numerics.svm.input import Rows, refuse_longest
from laconic.types import Columns

# A swap is kept if the objective falls by this share of itself.
FALLS = 1e-4
# WordColumns that were nearly added can replace the added ones: so many per step.
RUNNERS_UP = 20
# Up to this size words are swapped one by one; above, many at a time.
FEW = 100
# Replacements that are tried for a word, failures after which a sweep ends, and sweeps.
CANDIDATES = 3
PATIENCE = 10
SWEEPS = 2
# The largest share of words that are swapped together, and attempts.
SHARE = 0.2
ATTEMPTS = 2


@dataclass(frozen=True, eq=False)
class Rung:
    """The selected words of one size, and the words that are added next, in order."""

    words: Columns
    following: Columns


def ladder(longest: int) -> Iterator[int]:
    """10, 20, 30, 50, 100, 200, …, longest."""
    unit = 10
    while True:
        for digit in (1, 2, 3, 5):
            if digit * unit >= longest:
                yield longest
                return
            yield digit * unit
        unit *= 10


@dataclass(frozen=True, eq=False)
class Ladder:
    """All rungs, and the comparisons of gains that led to them."""

    objective: Objective
    rungs: list[Rung]
    comparisons: list[GainComparison]

    @classmethod
    def of(
        cls, X: csr_array, loss: LogisticLoss, alpha: float, longest: int | None, batch: float
    ) -> Self:
        """Up to `longest` words, or as many as occur."""
        rows = Rows.of(X)
        refuse_longest(rows)
        objective = Objective.of(X, loss, alpha)
        occurring = int(np.count_nonzero(np.diff(objective.words.starts)))
        screen = Screen.at(Optimum.start(objective), rows)
        limit = occurring if longest is None else min(longest, occurring)
        return cls(objective, list(climb(screen, limit, batch)), screen.comparisons)


def climb(screen: Screen, longest: int, batch: float) -> Iterator[Rung]:
    """One rung after the other; the first has no words, and all others follow the last.

    The screen is at the point without words.
    """
    point = screen.point
    pool = point.order
    for size in ladder(longest):
        below = point.order
        while point.order.size < size:
            n_added = min(max(1, int(batch * point.order.size)), size - point.order.size)
            words, _ = screen.best(point, n_added + RUNNERS_UP)
            pool = np.union1d(pool, words)
            point = point.plus(words[:n_added])
        yield Rung(below, point.order[below.size :])
        point = one_by_one(point, pool) if size <= FEW else together(screen, point)
    others, _ = screen.best(point, point.objective.words.n_words)
    yield Rung(point.order, others)


def one_by_one(point: Optimum, pool: Columns) -> Optimum:
    """Replace words by those of the pool where the objective falls, the least useful first."""
    for _ in range(SWEEPS):
        before, failures = point, 0
        for word in point.order[np.argsort(point.costs(), kind="stable")]:
            swapped = _replaced(point, word, pool)
            point, failures = swapped, 0 if swapped is not point else failures + 1
            if failures == PATIENCE:
                break
        if point is before:
            break
    return point


def _replaced(point: Optimum, word: int, pool: Columns) -> Optimum:
    """The best of some replacements of a word, or the same point if the objective never falls."""
    rest = point.without(np.flatnonzero(point.order == word))
    others = np.setdiff1d(pool, point.order)
    gains = rest.gains(others)
    best, limit = point, point.value * (1.0 - FALLS)
    for place in np.lexsort((others, -gains))[:CANDIDATES]:
        if rest.value - 0.5 * gains[place] > limit:
            break
        trial = rest.plus(others[[place]])
        if trial.value < limit:
            best, limit = trial, trial.value
    return best


def together(screen: Screen, point: Optimum) -> Optimum:
    """Swap the least useful words for the most useful ones; half as many after a failure."""
    n_swapped = max(1, int(SHARE * point.order.size))
    for _ in range(ATTEMPTS):
        words, gains = screen.best(point, n_swapped)
        costs = point.costs()
        cheapest = np.argsort(costs, kind="stable")[: words.size]
        n_swapped = int(np.count_nonzero(gains > costs[cheapest]))
        if not n_swapped:
            break
        trial = point.without(cheapest[:n_swapped]).plus(words[:n_swapped])
        if trial.value < point.value * (1.0 - FALLS):
            point = trial
        else:
            n_swapped = max(1, n_swapped // 2)
    return point
