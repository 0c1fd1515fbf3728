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
from typing import NamedTuple

import numpy as np
from numba import njit

from laconic.numerics.lars_documents import Columns, Documents, Flags, Floats, Places, product
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


class Evaluation(NamedTuple):
    """The gradients of all columns at some λ₁, and the residuals that gave them."""

    l1: float
    g: Floats
    change: Floats
    residuals: Floats
    velocity: Floats


class Segment(NamedTuple):
    """A straight piece of the path, on which λ₁ falls by `reach`."""

    l1: float
    reach: float
    residuals: Floats
    velocity: Floats


class Screen:
    """Remembers the last evaluation of all columns, and which columns may come near λ₁."""

    _known: Evaluation
    _list: Places
    _floor: float
    _top: float
    _roof: float

    def __init__(self, documents: Documents, excluded: Flags, tie: float) -> None:
        self.documents = documents
        # entered, refused, empty, or not to be selected
        self.excluded = excluded
        self.tie = tie
        self.passes = 0
        self._spent = np.inf
        self._last = tie
        self._forget()

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
            self._forget()

    def may_have_passed(
        self, l1: float, residuals: Floats, position: Position, bend: float, most: int
    ) -> Places:
        """The first `most` columns that may have come up to λ₁ since it was `l1`, with `residuals`.

        On the way ρ stays within √(τ(1−τ)·bend) of the chord, at the share τ of it (`lars_fast`).
        With room p = λ₁ ∓ g_k at one end and q at the other, a column does not reach λ₁ where
        p(1−τ) + qτ ≥ ‖x_k‖ √(τ(1−τ)·bend) for every τ: where 4pq ≥ ‖x_k‖²·bend.
        """
        nothing = np.zeros_like(residuals)
        first = Segment(l1, 0.0, residuals, nothing)
        last = Segment(position.l1, 0.0, position.residuals, nothing)
        passed, cost = _may_have_passed(
            self.documents.columns, self.documents.lengths, self.excluded, self._known,
            first, last, _distances(self._known, first)[0], _distances(self._known, last)[0],
            bend, most,
        )  # fmt: skip
        self._spent += cost
        columns: Places = passed
        return columns

    def _within(self, position: Position, direction: Direction, window: float) -> Entry | None:
        segment = Segment(position.l1, window + self.tie, position.residuals, direction.residuals)
        if self._spent > self.documents.columns.values.size:
            self._evaluate_all(segment)
        near, far = _distances(self._known, segment)
        watched = self._watched(segment, max(near, far))
        steps, cost = _steps(
            self.documents.columns, self.documents.lengths, watched, self.excluded,
            self._known, segment, near, far, self.tie,
        )  # fmt: skip
        self._spent += cost
        if steps.min(initial=np.inf) > window:
            return None
        return self._lowest(watched, steps, segment)

    def _lowest(self, watched: Places, steps: Floats, segment: Segment) -> Entry:
        chosen = int(np.flatnonzero(steps <= steps.min() + self.tie)[0])
        column, step = watched[chosen : chosen + 1], float(steps[chosen])
        g = float(self.documents.products(column, segment.residuals)[0])
        change = float(self.documents.products(column, segment.velocity)[0])
        pull = 1.0 if g + max(step, 0.0) * change >= 0.0 else -1.0
        self._last = max(min(abs(step), segment.l1), self._last / OUTLOOK, self.tie)
        return Entry(int(column[0]), step, pull, 1.0 + pull * change)

    def _evaluate_all(self, segment: Segment) -> None:
        g, change = _all_products(self.documents.columns, segment.residuals, segment.velocity)
        self._known = Evaluation(
            segment.l1, g, change, segment.residuals.copy(), segment.velocity.copy()
        )
        self._spent = 0.0
        self._forget()
        self.passes += 1

    def _watched(self, segment: Segment, distance: float) -> Places:
        """Columns that may reach λ₁ between floor and top, while ρ stays under the roof."""
        end = segment.l1 - segment.reach
        if end < self._floor or segment.l1 > self._top or distance > self._roof:
            self._floor = min(end, max(end - OUTLOOK * (self._known.l1 - end), 0.0))
            self._top, self._roof = segment.l1, OUTLOOK * distance
            self._list = _near(
                self._known, self.documents.lengths, self.excluded, self._floor, self._top,
                self._roof, self.tie,
            )  # fmt: skip
        return self._list

    def _forget(self) -> None:
        """The list of columns to watch is no longer right."""
        self._floor, self._top, self._roof = np.inf, -np.inf, 0.0


@njit(nogil=True, cache=True)
def _all_products(X: Columns, residuals: Floats, velocity: Floats) -> tuple[Floats, Floats]:
    g, change = np.empty(X.starts.size - 1), np.empty(X.starts.size - 1)
    for column in range(g.size):
        g[column] = product(X, column, residuals)
        change[column] = product(X, column, velocity)
    return g, change


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _distances(known: Evaluation, segment: Segment) -> tuple[float, float]:
    """How far the residuals are from where they were foreseen, at both ends of the segment."""
    near, far, elapsed = 0.0, 0.0, known.l1 - segment.l1
    for doc in range(known.residuals.size):
        here = segment.residuals[doc] - known.residuals[doc] - elapsed * known.velocity[doc]
        there = here + segment.reach * (segment.velocity[doc] - known.velocity[doc])
        near += here * here
        far += there * there
    return np.sqrt(near), np.sqrt(far)


@njit(nogil=True, cache=True)
def _near(
    known: Evaluation,
    lengths: Floats,
    excluded: Flags,
    floor: float,
    top: float,
    roof: float,
    tie: float,
) -> Places:
    found, n_found = np.empty(lengths.size, np.int64), 0
    for column in range(lengths.size):
        g, change, room = known.g[column], known.change[column], lengths[column] * roof + 2 * tie
        above = abs(g + (known.l1 - top) * change) + room
        below = abs(g + (known.l1 - floor) * change) + room
        if (above > top or below > floor) and not excluded[column]:
            found[n_found] = column
            n_found += 1
    return found[:n_found].copy()


@njit(nogil=True, cache=True)
def _steps(
    X: Columns,
    lengths: Floats,
    watched: Places,
    excluded: Flags,
    known: Evaluation,
    segment: Segment,
    near: float,
    far: float,
    tie: float,
) -> tuple[Floats, float]:
    """Steps within reach at which watched columns enter, and what evaluating them cost."""
    steps, cost = np.full(watched.size, np.inf), 0.0
    elapsed, end = known.l1 - segment.l1, segment.l1 - segment.reach
    for at in range(watched.size):
        column = watched[at]
        if excluded[column]:
            continue
        foreseen, pace = known.g[column] + elapsed * known.change[column], known.change[column]
        above = abs(foreseen) + lengths[column] * near + 2 * tie
        below = abs(foreseen + segment.reach * pace) + lengths[column] * far + 2 * tie
        if above <= segment.l1 and below <= end:
            continue
        g = product(X, column, segment.residuals)
        change = product(X, column, segment.velocity)
        cost += 2.0 * (X.starts[column + 1] - X.starts[column])
        step = step_to_entry(g, change, segment.l1)
        if abs(g) > segment.l1 + tie and step > 0.0:
            # it comes back from outside: λ₁ has fallen too far, nobody knows how much
            step = -np.inf
        if step <= segment.reach:
            steps[at] = step
    return steps, cost


@njit(nogil=True, cache=True)
def _may_have_passed(
    X: Columns,
    lengths: Floats,
    excluded: Flags,
    known: Evaluation,
    first: Segment,
    last: Segment,
    near: float,
    far: float,
    bend: float,
    most: int,
) -> tuple[Places, float]:
    """By what the last evaluation says of a column, else by its gradients; and what these cost."""
    found, n_found, cost = np.empty(lengths.size, np.int64), 0, 0.0
    for column in range(lengths.size):
        if n_found == most:
            break
        if excluded[column]:
            continue
        g, change, length = known.g[column], known.change[column], lengths[column]
        needed = bend * length * length
        p = first.l1 - abs(g + (known.l1 - first.l1) * change) - length * near
        q = last.l1 - abs(g + (known.l1 - last.l1) * change) - length * far
        if p > 0.0 and q > 0.0 and 4.0 * p * q >= needed:
            continue
        here, there = product(X, column, first.residuals), product(X, column, last.residuals)
        cost += 2.0 * (X.starts[column + 1] - X.starts[column])
        for side in (-1.0, 1.0):
            p, q = max(first.l1 - side * here, 0.0), max(last.l1 - side * there, 0.0)
            if 4.0 * p * q < needed:
                found[n_found] = column
                n_found += 1
                break
    return found[:n_found].copy(), cost


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
