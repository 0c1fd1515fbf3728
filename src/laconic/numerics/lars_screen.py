"""The next column to enter, without looking at most columns.

For a column k outside, g_k = x_k'ρ, with ρ the residuals. Around the last evaluation of all
columns, at λ⁰ with g⁰ and its change ġ⁰ for each unit that λ₁ falls,

    |g_k(λ)| ≤ |g⁰_k + (λ⁰ − λ) ġ⁰_k| + ‖x_k‖ ‖ρ(λ) − ρ⁰ − (λ⁰ − λ) ρ̇⁰‖

The right side is convex on a straight segment of the path: where it is up to λ at both ends, column
k does not enter in between. Only columns that fail are evaluated. The same argument with the norm
replaced by a roof, and over a longer way of λ₁, gives a short list of columns to check at all.

All columns are evaluated again when the single evaluations have cost as much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from laconic.numerics.lars_documents import Flags, Floats, Ints, Places, product
from laconic.numerics.lars_position import Direction, Position

# A column this close to the pace of λ₁ runs along it: it neither enters nor leaves.
ALONG = 1e-10
# The short list looks so much further than the segment that asks for it.
OUTLOOK = 4.0


@dataclass(frozen=True)
class Entry:
    """A column that reaches λ₁, how far λ₁ falls until then, and the sign of its gradient.

    The step is below 0 where the gradient is above λ₁ already, and infinitely so where it cannot
    be said how long.
    `apart` is how fast it would leave the cone |g| ≤ λ₁ if it did not enter.
    """

    column: int
    step: float
    pull: float
    apart: float


class Screen:
    """Remembers the last evaluation of all columns, and which columns may come near λ₁."""

    def __init__(self, position: Position, excluded: Flags, tie: float) -> None:
        self.documents = position.documents
        # refused, empty, or not to be selected
        self.excluded = excluded
        self.tie = tie
        self.passes = 0
        self._spent = np.inf
        self._last = tie
        self._floor = self._roof = 0.0

    def first_entry(self, position: Position, direction: Direction, horizon: float) -> Entry | None:
        """The first column that enters while λ₁ falls by `horizon`; of equals the lowest."""
        window = min(horizon, OUTLOOK * self._last)
        while True:
            found = self._within(position, direction, window)
            if found is not None or window >= horizon:
                return found
            window = min(horizon, OUTLOOK * window)

    def readmit(self, columns: list[int]) -> None:
        """Columns that had been refused may enter again."""
        if columns:
            self.excluded[columns] = False
            self._floor = np.inf

    def _within(self, position: Position, direction: Direction, window: float) -> Entry | None:
        if self._spent > self.documents.entries:
            self._evaluate_all(position, direction)
        elapsed, reach = self._l1 - position.l1, window + self.tie
        near, far = _distances(
            position.residuals, direction.residuals, self._residuals, self._velocity, elapsed, reach
        )
        watched = self._watched(position, reach, max(near, far))
        X = self.documents.by_column
        steps, cost = _steps(
            X.indptr, X.indices, X.data, watched, position.place, self.excluded,
            position.residuals, direction.residuals, position.l1, reach,
            self._g, self._change, self.documents.lengths, elapsed, near, far, self.tie,
        )  # fmt: skip
        self._spent += cost
        if steps.min(initial=np.inf) > window:
            return None
        return self._lowest(watched, steps, position, direction)

    def _lowest(
        self, watched: Places, steps: Floats, position: Position, direction: Direction
    ) -> Entry:
        chosen = int(np.flatnonzero(steps <= steps.min() + self.tie)[0])
        column, step = watched[chosen : chosen + 1], float(steps[chosen])
        g = float(self.documents.products(column, position.residuals)[0])
        change = float(self.documents.products(column, direction.residuals)[0])
        pull = 1.0 if g + max(step, 0.0) * change >= 0.0 else -1.0
        self._last = max(min(abs(step), position.l1), self._last / OUTLOOK, self.tie)
        return Entry(int(column[0]), step, pull, 1.0 + pull * change)

    def _evaluate_all(self, position: Position, direction: Direction) -> None:
        X = self.documents.by_column
        self._g, self._change = _all_products(
            X.indptr, X.indices, X.data, position.residuals, direction.residuals
        )
        self._l1 = position.l1
        self._residuals, self._velocity = position.residuals.copy(), direction.residuals.copy()
        self._spent = 0.0
        self._floor = np.inf
        self.passes += 1

    def _watched(self, position: Position, reach: float, distance: float) -> Places:
        """Columns that may reach λ₁ before it falls below the floor, or ρ leaves the roof."""
        end = position.l1 - reach
        if end < self._floor or distance > self._roof:
            self._floor = min(end, max(end - OUTLOOK * (self._l1 - end), 0.0))
            self._roof = OUTLOOK * distance
            self._list: Places = _near(
                self._g, self._change, self.documents.lengths, self._roof, position.l1,
                self._floor, self._l1, self.tie, self.excluded,
            )  # fmt: skip
        return self._list


@njit(nogil=True, cache=True)
def _all_products(
    starts: Ints, docs: Ints, values: Floats, residuals: Floats, velocity: Floats
) -> tuple[Floats, Floats]:
    g, change = np.empty(starts.size - 1), np.empty(starts.size - 1)
    for column in range(g.size):
        g[column] = product(starts, docs, values, column, residuals)
        change[column] = product(starts, docs, values, column, velocity)
    return g, change


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _distances(
    residuals: Floats,
    velocity: Floats,
    residuals0: Floats,
    velocity0: Floats,
    elapsed: float,
    horizon: float,
) -> tuple[float, float]:
    """How far the residuals are from where they were foreseen, at both ends of the segment."""
    near, far = 0.0, 0.0
    for doc in range(residuals.size):
        here = residuals[doc] - residuals0[doc] - elapsed * velocity0[doc]
        there = here + horizon * (velocity[doc] - velocity0[doc])
        near += here * here
        far += there * there
    return np.sqrt(near), np.sqrt(far)


@njit(nogil=True, cache=True)
def _near(
    g: Floats,
    change: Floats,
    lengths: Floats,
    roof: float,
    top: float,
    floor: float,
    l1: float,
    tie: float,
    excluded: Flags,
) -> Places:
    found, n_found = np.empty(g.size, np.int64), 0
    for column in range(g.size):
        room = lengths[column] * roof + 2 * tie
        above = abs(g[column] + (l1 - top) * change[column]) + room
        below = abs(g[column] + (l1 - floor) * change[column]) + room
        if (above > top or below > floor) and not excluded[column]:
            found[n_found] = column
            n_found += 1
    return found[:n_found].copy()


@njit(nogil=True, cache=True)
def _steps(
    starts: Ints,
    docs: Ints,
    values: Floats,
    watched: Places,
    place: Places,
    excluded: Flags,
    residuals: Floats,
    velocity: Floats,
    l1: float,
    reach: float,
    g0: Floats,
    change0: Floats,
    lengths: Floats,
    elapsed: float,
    near: float,
    far: float,
    tie: float,
) -> tuple[Floats, float]:
    """Steps within reach at which watched columns enter, and what evaluating them cost."""
    steps, cost = np.full(watched.size, np.inf), 0.0
    for at in range(watched.size):
        column = watched[at]
        if place[column] >= 0 or excluded[column]:
            continue
        above = abs(g0[column] + elapsed * change0[column]) + lengths[column] * near
        ahead = abs(g0[column] + (elapsed + reach) * change0[column]) + lengths[column] * far
        if above + 2 * tie <= l1 and ahead + 2 * tie <= l1 - reach:
            continue
        g = product(starts, docs, values, column, residuals)
        change = product(starts, docs, values, column, velocity)
        cost += 2.0 * (starts[column + 1] - starts[column])
        step = step_to_entry(g, change, l1)
        if abs(g) > l1 + tie and step > 0.0:
            # it has entered the cone from outside: λ₁ has fallen too far, nobody knows how much
            step = -np.inf
        if step <= reach:
            steps[at] = step
    return steps, cost


@njit(nogil=True, cache=True)
def step_to_entry(g: float, change: float, l1: float) -> float:
    """The smallest step with |g + step · change| = l1 − step (2b: both roots, and min₊).

    Below 0 only where |g| > l1 already: by rounding, or where λ₁ has fallen too far.
    """
    step = np.inf
    if 1.0 + change > ALONG:
        step = (l1 - g) / (1.0 + change)
    if 1.0 - change > ALONG:
        step = min(step, (l1 + g) / (1.0 - change))
    return step
