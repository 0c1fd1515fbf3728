"""The next column to enter, without evaluating most columns.

For an inactive column k, g_k = x_k'ρ, with ρ the residuals. Around the last evaluation of all
columns, at λ⁰ with g⁰ and its change ġ⁰ per unit that λ₁ falls,

    |g_k(λ)| ≤ |g⁰_k + (λ⁰ − λ) ġ⁰_k| + ‖x_k‖ ‖ρ(λ) − ρ⁰ − (λ⁰ − λ) ρ̇⁰‖

The right side is convex on a straight segment of the path: if it is at most λ at both ends, column
k does not enter in between. Only columns that fail this test are evaluated. The same test with
`radius`, an upper bound of the norm, over a longer range of λ₁ gives a short list of columns to
test.

All columns are evaluated again when the single evaluations have cost as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from laconic.numerics.lars.active_set import ActiveSet, Direction
from laconic.numerics.lars.documents import Documents, SparseColumns, product
from laconic.types import Bools, Floats, Int64s

# A gradient that changes at this nearly the rate of λ₁ stays parallel to it and does not enter.
PARALLEL = 1e-10
# The short list covers a range this many times longer than the segment that needs it.
LOOKAHEAD = 4.0


@dataclass(frozen=True)
class Entry:
    """A column whose gradient reaches λ₁, how far λ₁ falls until then, and the gradient's sign.

    The step is negative if the gradient is above λ₁ already, and −∞ if the entry is unknown.
    `divergence` is the rate at which |g| − λ₁ would grow if the column did not enter.
    """

    column: int
    step: float
    sign: float
    divergence: float


class Evaluation(NamedTuple):
    """The gradients of all columns at some λ₁, and the residuals that gave them."""

    l1: float
    g: Floats
    change: Floats
    residuals: Floats
    velocity: Floats


class Segment(NamedTuple):
    """A straight segment of the path, on which λ₁ falls by `reach`."""

    l1: float
    reach: float
    residuals: Floats
    velocity: Floats


class Screening:
    """Holds the last evaluation of all columns, and the list of columns that may reach λ₁."""

    _evaluation: Evaluation
    _list: Int64s
    _floor: float
    _top: float
    _radius: float

    def __init__(self, documents: Documents, excluded: Bools, tie: float) -> None:
        self.documents = documents
        # active, refused, empty, or not selectable
        self.excluded = excluded
        self.tie = tie
        self.passes = 0
        self._cost = np.inf
        self._last_step = tie
        self._discard_list()

    def first_entry(self, active: ActiveSet, direction: Direction, horizon: float) -> Entry | None:
        """The first column that enters while λ₁ falls by `horizon`; the lowest of tied columns."""
        window = min(horizon, LOOKAHEAD * self._last_step)
        while True:
            entry = self._first_entry_within(active, direction, window)
            if entry is not None or window >= horizon:
                return entry
            window = min(horizon, LOOKAHEAD * window)

    def readmit(self, columns: list[int]) -> None:
        """Let refused columns enter again."""
        if columns:
            self.excluded[columns] = False
            self._discard_list()

    def may_have_reached_l1(
        self, l1: float, residuals: Floats, active: ActiveSet, bend: float, limit: int
    ) -> Int64s:
        """The first `limit` columns that may have reached λ₁ since it was `l1`, with `residuals`.

        On the way ρ stays within √(τ(1−τ)·bend) of the chord, at the share τ of it (`lars_fast`).
        With slack p = λ₁ ∓ g_k at one end and q at the other, a column does not reach λ₁ if
        p(1−τ) + qτ ≥ ‖x_k‖ √(τ(1−τ)·bend) for every τ, that is, if 4pq ≥ ‖x_k‖²·bend.
        """
        zeros = np.zeros_like(residuals)
        first = Segment(l1, 0.0, residuals, zeros)
        last = Segment(active.l1, 0.0, active.residuals, zeros)
        passed, cost = _may_have_reached_l1(
            self.documents.columns, self.documents.lengths, self.excluded, self._evaluation,
            first, last, _distances(self._evaluation, first)[0],
            _distances(self._evaluation, last)[0], bend, limit,
        )  # fmt: skip
        self._cost += cost
        columns: Int64s = passed
        return columns

    def _first_entry_within(
        self, active: ActiveSet, direction: Direction, window: float
    ) -> Entry | None:
        segment = Segment(active.l1, window + self.tie, active.residuals, direction.residuals)
        if self._cost > self.documents.columns.values.size:
            self._evaluate_all(segment)
        near, far = _distances(self._evaluation, segment)
        watched = self._watch_list(segment, max(near, far))
        steps, cost = _steps(
            self.documents.columns, self.documents.lengths, watched, self.excluded,
            self._evaluation, segment, near, far, self.tie,
        )  # fmt: skip
        self._cost += cost
        if steps.min(initial=np.inf) > window:
            return None
        return self._lowest(watched, steps, segment)

    def _lowest(self, watched: Int64s, steps: Floats, segment: Segment) -> Entry:
        chosen = int(np.flatnonzero(steps <= steps.min() + self.tie)[0])
        column, step = watched[chosen : chosen + 1], float(steps[chosen])
        g = float(self.documents.products(column, segment.residuals)[0])
        change = float(self.documents.products(column, segment.velocity)[0])
        sign = 1.0 if g + max(step, 0.0) * change >= 0.0 else -1.0
        self._last_step = max(min(abs(step), segment.l1), self._last_step / LOOKAHEAD, self.tie)
        return Entry(int(column[0]), step, sign, 1.0 + sign * change)

    def _evaluate_all(self, segment: Segment) -> None:
        g, change = _all_products(self.documents.columns, segment.residuals, segment.velocity)
        self._evaluation = Evaluation(
            segment.l1, g, change, segment.residuals.copy(), segment.velocity.copy()
        )
        self._cost = 0.0
        self._discard_list()
        self.passes += 1

    def _watch_list(self, segment: Segment, distance: float) -> Int64s:
        """Columns that may reach λ₁ between floor and top, while ρ stays within the radius."""
        end = segment.l1 - segment.reach
        if end < self._floor or segment.l1 > self._top or distance > self._radius:
            self._floor = min(end, max(end - LOOKAHEAD * (self._evaluation.l1 - end), 0.0))
            self._top, self._radius = segment.l1, LOOKAHEAD * distance
            self._list = _near(
                self._evaluation, self.documents.lengths, self.excluded, self._floor, self._top,
                self._radius, self.tie,
            )  # fmt: skip
        return self._list

    def _discard_list(self) -> None:
        """Discard the list of columns to watch."""
        self._floor, self._top, self._radius = np.inf, -np.inf, 0.0


@njit(nogil=True, cache=True)
def _all_products(X: SparseColumns, residuals: Floats, velocity: Floats) -> tuple[Floats, Floats]:
    g, change = np.empty(X.starts.size - 1), np.empty(X.starts.size - 1)
    for column in range(g.size):
        g[column] = product(X, column, residuals)
        change[column] = product(X, column, velocity)
    return g, change


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _distances(evaluation: Evaluation, segment: Segment) -> tuple[float, float]:
    """Distance of the residuals from their prediction, at both ends of the segment."""
    near, far, elapsed = 0.0, 0.0, evaluation.l1 - segment.l1
    for doc in range(evaluation.residuals.size):
        here = (
            segment.residuals[doc] - evaluation.residuals[doc] - elapsed * evaluation.velocity[doc]
        )
        there = here + segment.reach * (segment.velocity[doc] - evaluation.velocity[doc])
        near += here * here
        far += there * there
    return np.sqrt(near), np.sqrt(far)


@njit(nogil=True, cache=True)
def _near(
    evaluation: Evaluation,
    lengths: Floats,
    excluded: Bools,
    floor: float,
    top: float,
    radius: float,
    tie: float,
) -> Int64s:
    columns, n_columns = np.empty(lengths.size, np.int64), 0
    for column in range(lengths.size):
        g, change, slack = (
            evaluation.g[column],
            evaluation.change[column],
            lengths[column] * radius + 2 * tie,
        )
        above = abs(g + (evaluation.l1 - top) * change) + slack
        below = abs(g + (evaluation.l1 - floor) * change) + slack
        if (above > top or below > floor) and not excluded[column]:
            columns[n_columns] = column
            n_columns += 1
    return columns[:n_columns].copy()


@njit(nogil=True, cache=True)
def _steps(
    X: SparseColumns,
    lengths: Floats,
    watched: Int64s,
    excluded: Bools,
    evaluation: Evaluation,
    segment: Segment,
    near: float,
    far: float,
    tie: float,
) -> tuple[Floats, float]:
    """Steps within reach at which watched columns enter, and the cost of evaluating them."""
    steps, cost = np.full(watched.size, np.inf), 0.0
    elapsed, end = evaluation.l1 - segment.l1, segment.l1 - segment.reach
    for at in range(watched.size):
        column = watched[at]
        if excluded[column]:
            continue
        predicted, rate = (
            evaluation.g[column] + elapsed * evaluation.change[column],
            evaluation.change[column],
        )
        above = abs(predicted) + lengths[column] * near + 2 * tie
        below = abs(predicted + segment.reach * rate) + lengths[column] * far + 2 * tie
        if above <= segment.l1 and below <= end:
            continue
        g = product(X, column, segment.residuals)
        change = product(X, column, segment.velocity)
        cost += 2.0 * (X.starts[column + 1] - X.starts[column])
        step = step_to_entry(g, change, segment.l1)
        if abs(g) > segment.l1 + tie and step > 0.0:
            # it returns from above λ₁: λ₁ has fallen too far, by an unknown amount
            step = -np.inf
        if step <= segment.reach:
            steps[at] = step
    return steps, cost


@njit(nogil=True, cache=True)
def _may_have_reached_l1(
    X: SparseColumns,
    lengths: Floats,
    excluded: Bools,
    evaluation: Evaluation,
    first: Segment,
    last: Segment,
    near: float,
    far: float,
    bend: float,
    limit: int,
) -> tuple[Int64s, float]:
    """Decided by the last evaluation of a column, else by its gradients; and the cost of these."""
    columns, n_columns, cost = np.empty(lengths.size, np.int64), 0, 0.0
    for column in range(lengths.size):
        if n_columns == limit:
            break
        if excluded[column]:
            continue
        g, change, length = evaluation.g[column], evaluation.change[column], lengths[column]
        needed = bend * length * length
        p = first.l1 - abs(g + (evaluation.l1 - first.l1) * change) - length * near
        q = last.l1 - abs(g + (evaluation.l1 - last.l1) * change) - length * far
        if p > 0.0 and q > 0.0 and 4.0 * p * q >= needed:
            continue
        g_first, g_last = product(X, column, first.residuals), product(X, column, last.residuals)
        cost += 2.0 * (X.starts[column + 1] - X.starts[column])
        for side in (-1.0, 1.0):
            p, q = max(first.l1 - side * g_first, 0.0), max(last.l1 - side * g_last, 0.0)
            if 4.0 * p * q < needed:
                columns[n_columns] = column
                n_columns += 1
                break
    return columns[:n_columns].copy(), cost


@njit(nogil=True, cache=True)
def step_to_entry(g: float, change: float, l1: float) -> float:
    """The smallest step with |g + step · change| = l1 − step (2b: both roots, and min₊).

    Negative only if |g| > l1 already: by rounding, or because λ₁ has fallen too far.
    """
    step = np.inf
    if 1.0 + change > PARALLEL:
        step = (l1 - g) / (1.0 + change)
    if 1.0 - change > PARALLEL:
        step = min(step, (l1 + g) / (1.0 - change))
    return step
