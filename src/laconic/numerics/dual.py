"""Support vector machines by their dual, one yes/no problem at a time.

    min ½ ‖w‖² + Σ C_i loss(y_i (x_i'w + b)),      loss(m) = max(0, 1 − m), or its square,

by coordinate descent over the documents in random order, with shrinking (Hsieh et al. 2008), and
b without penalty by the method of multipliers, which sees documents from their mean. Far down,
where those on the margin are known, Newton steps over these take turns with the passes.
`dual_passes` has the dual itself. A step of the multiplier after each pass is quick, but on some
problems it goes in circles: what PATIENCE passes have not solved goes to `dual_finish`.

    the paper (Kołcz & Chowdhury 2007)   here
    α^j, y^j, d^j                        `alphas`, `signs`, `rows`
    C                                    `costs`, one a document
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray

from laconic.numerics.dual_finish import rounds
from laconic.numerics.dual_gap import balanced, duality_gap, stretch
from laconic.numerics.dual_input import (
    Rows,
    costs_in,
    refuse_long,
    refuse_loss,
    refuse_numbers,
    refuse_shapes,
)
from laconic.numerics.dual_passes import (
    Arrays,
    Floats,
    Loss,
    Places,
    Point,
    centred,
    gather,
    mean,
    newton,
    one_pass,
    products,
    violation,
)
from laconic.numerics.intercept import best_intercept

__all__ = ["Dual", "Rows", "descend", "support"]

# α above this share of C is a support vector's.
SUPPORT = 1e-6
# Up to so many epochs every pass goes over all documents.
WHOLE = 3
# The first Newton step comes after so many epochs; the next after this many more, or after this
# share of what it cost.
FIRST_NEWTON = 20
NEWTON_WAIT = 5
NEWTON_SHARE = 0.5
# r of the passes, in mean squared lengths or costs of documents. More makes them slow, less b.
RIDGE = 0.1
# Of the tolerance, what the passes aim at; and of that again, if the examination is not passed.
AIM = 0.5
# A duality gap of this share of the primal value is none.
ROUNDING = 1e-14
# Of the sum of all duals, what Σ α y may be.
BALANCED = 1e-12
# After so many epochs without a solution it is asked of `dual_finish`.
PATIENCE = 1000
# So many documents have a mean that is near enough to that of all.
SAMPLE = 1000


@dataclass(frozen=True, eq=False)
class Dual:
    """Where the descent ended.

    `coef` is Σ alphas_i y_i x_i. `violation` is the largest of the optimality conditions over all
    documents, in units of the margin; `gap` the duality gap as a share of the primal value.
    `solved` says that both are within the tolerance. Where several intercepts are best, the
    conditions may hold for one of them and not for `intercept`, the middle.
    """

    alphas: Floats
    coef: Floats
    intercept: float
    violation: float
    gap: float
    epochs: int
    solved: bool


def support(alphas: Floats, costs: Floats) -> NDArray[np.bool_]:
    """Which documents are support vectors.

    A share of C, or of the largest α where that is far below: with long documents, or where C is
    so large that no document can cost so much.
    """
    largest = float(alphas.max(initial=0.0))
    return np.asarray(alphas > SUPPORT * np.minimum(costs, largest))


def descend(
    rows: Rows,
    y_signed: Floats,
    costs: Floats,
    *,
    loss: Loss = "hinge",
    intercept: bool = True,
    start: Floats | None = None,
    start_intercept: float = 0.0,
    tolerance: float = 1e-6,
    epochs: int = 5000,
    random_state: int = 0,
) -> Dual:
    """The optimum to `tolerance`, or what `epochs` passes make of `start`.

    `start` is cut to the box of the duals. With up to 3 epochs every pass goes over all documents.
    The intercept at the end is the best for `coef`; where several are, the middle of them.
    """
    refuse_loss(loss)
    refuse_shapes(rows.starts.size, {"signs": y_signed, "costs": costs, "start": start})
    refuse_numbers(y_signed, costs, start, start_intercept)
    unit = rows.unit
    rows, costs = replace(rows, scales=rows.scales / unit), costs_in(unit, costs)
    # a few passes leave Σ α y away from 0, and then a w of centred documents is not that of these
    problem = _Problem.of(rows, y_signed, costs, loss, intercept, centring=epochs > WHOLE)
    point = problem.started(None if start is None else start * unit**2, start_intercept)
    if intercept and problem.one_sided:
        return problem.without_words()
    found = _Descent.begun(problem, point, random_state).run(tolerance, epochs)
    return replace(found, alphas=found.alphas / unit**2, coef=found.coef / unit)


@dataclass(frozen=True, eq=False)
class _Problem:
    """What does not change: the arrays, and what they were made of."""

    rows: Rows
    arrays: Arrays
    costs: Floats
    loss: Loss
    intercept: bool

    @classmethod
    def of(
        cls,
        rows: Rows,
        y_signed: Floats,
        costs: Floats,
        loss: Loss,
        intercept: bool,
        centring: bool,
    ) -> Self:
        y_signed = np.ascontiguousarray(y_signed, dtype=np.float64)
        costs = np.ascontiguousarray(costs, dtype=np.float64)
        softness = np.zeros(costs.size)
        uppers = costs
        if loss == "squared_hinge":
            uppers = np.where(costs > 0, np.inf, 0.0)
            np.divide(0.5, costs, out=softness, where=costs > 0)
        parts = rows.starts, rows.ends, rows.columns, rows.values, rows.scales
        unmeasured = Arrays(*parts, y_signed, uppers, softness, softness, softness, ridge=0.0)
        counted = np.flatnonzero(costs > 0)
        # without a free intercept Σ α y is not 0, and documents stay where they are
        seen = _sample(counted) if intercept and centring else counted[:0]
        lengths, tilts = centred(unmeasured, mean(unmeasured, seen, rows.n_columns))
        refuse_long(lengths)
        ridge = _ridge(lengths[counted], costs[counted]) if intercept else 0.0
        arrays = unmeasured._replace(squares=lengths + softness, tilts=tilts, ridge=ridge)
        return cls(rows, arrays, costs, loss, intercept)

    @property
    def one_sided(self) -> bool:
        kept = self.arrays.y_signed[self.costs > 0]
        return bool(kept.size == 0 or (kept == kept[0]).all())

    def without_words(self) -> Dual:
        """All documents say the same, and the intercept says it alone."""
        kept = self.arrays.y_signed[self.costs > 0]
        sign = float(kept[0]) if kept.size else 0.0
        nothing = np.zeros(self.costs.size), np.zeros(self.rows.n_columns)
        return Dual(*nothing, sign, violation=0.0, gap=0.0, epochs=0, solved=True)

    def started(self, start: Floats | None, intercept: float) -> Point:
        alphas = np.zeros(self.costs.size)
        if start is not None:
            np.clip(start, 0.0, self.arrays.uppers, out=alphas)
        bias = np.array([intercept if self.intercept else 0.0, 0.0])
        point = Point(alphas, np.zeros(self.rows.n_columns), bias)
        gather(self.arrays, point)
        return point

    def ended(self, point: Point, epochs: int, tolerance: float) -> Dual:
        """The point with its best intercept, examined over all documents."""
        gather(self.arrays, point)
        return self._settled(point, point.coef, epochs, tolerance)

    def finished(self, epochs: int, tolerance: float) -> Dual | None:
        """The best that the rounds of Newton's method give; one more after the first solution."""
        best: Dual | None = None
        parts = self.arrays, self.costs, self.rows.n_columns, self.intercept
        for coef, intercept, alphas in rounds(*parts):
            point = Point(alphas, np.zeros(coef.size), np.array([intercept, 0.0]))
            gather(self.arrays, point)
            found = self._settled(point, coef, epochs, tolerance)
            if best is not None and best.solved:
                return min(best, found, key=_open)
            best = found if best is None else min(best, found, key=_open)
        return best

    def _settled(self, point: Point, coef: Floats, epochs: int, tolerance: float) -> Dual:
        found = self._examined(point, coef, epochs, tolerance)
        if found.solved or found.violation > tolerance or self.loss != "hinge":
            return found
        return min(found, self._stretched(found, point, tolerance), key=_open)

    def _examined(self, point: Point, coef: Floats, epochs: int, tolerance: float) -> Dual:
        """`coef` with its best intercept. It is the sum of documents in `point`, or near it."""
        arrays = self.arrays
        values = products(arrays, coef)
        b = 0.0
        if self.intercept:
            b = best_intercept(values, arrays.y_signed, self.costs, self.loss)
        # without a free intercept r is 0
        rounding = BALANCED * float(point.alphas.sum())
        unbalanced = arrays.ridge * max(abs(float(point.bias[1])) - rounding, 0.0)
        worst = max(violation(arrays, point, values, b), unbalanced)
        gap = duality_gap(arrays, point, self.costs, self.loss, coef, values, b)
        # where several b are best, a dual of rounding size contradicts some of them
        other = violation(arrays, point, values, float(point.bias[0])) if gap <= ROUNDING else worst
        solved = gap <= tolerance and min(worst, max(other, unbalanced)) <= tolerance
        if self.intercept and not solved:
            gap = self._balanced_gap(point.alphas, coef, values, b)
        return Dual(point.alphas, coef, b, worst, gap, epochs, solved)

    def _balanced_gap(self, alphas: Floats, coef: Floats, values: Floats, b: float) -> float:
        """The gap to a dual value that no objective is below, however early the descent ended."""
        point = Point(balanced(self.arrays, alphas), np.zeros(coef.size), np.array([b, 0.0]))
        gather(self.arrays, point)
        return duality_gap(self.arrays, point, self.costs, self.loss, coef, values, b)

    def _stretched(self, found: Dual, point: Point, tolerance: float) -> Dual:
        """With w so much longer that no document is short of the margin by rounding alone."""
        values = products(self.arrays, found.coef) + found.intercept
        longer = stretch(self.arrays, found.alphas, values)
        alphas = np.minimum(longer * found.alphas, self.arrays.uppers)
        stretched = Point(alphas, np.zeros(found.coef.size), longer * point.bias)
        gather(self.arrays, stretched)
        return self._examined(stretched, longer * found.coef, found.epochs, tolerance)


@dataclass(eq=False)
class _Descent:
    """Passes over the documents that are left, and Newton steps, until all conditions hold."""

    problem: _Problem
    point: Point
    order: Places
    state: NDArray[np.uint64]
    scratch: Floats
    epochs: int = 0
    aim: float = AIM
    next_newton: int = FIRST_NEWTON

    @classmethod
    def begun(cls, problem: _Problem, point: Point, random_state: int) -> Self:
        order = np.arange(point.alphas.size, dtype=np.int64)
        state = np.random.default_rng(random_state).integers(1, 2**63, 1, dtype=np.uint64)
        return cls(problem, point, order, state, np.zeros(point.coef.size))

    def run(self, tolerance: float, epochs: int) -> Dual:
        found = self._descended(tolerance, min(epochs, PATIENCE))
        if found.solved or epochs <= PATIENCE:
            return found
        finished = self.problem.finished(self.epochs, tolerance)
        if finished is not None and finished.solved:
            return finished
        found = self._descended(tolerance, epochs)
        return found if finished is None else min(found, finished, key=_open)

    def _descended(self, tolerance: float, epochs: int) -> Dual:
        while True:
            self._approach(self.aim * tolerance, epochs)
            found = self.problem.ended(self.point, self.epochs, tolerance)
            if found.solved or self.epochs >= epochs:
                return found
            self.aim *= AIM

    def _approach(self, aim: float, epochs: int) -> None:
        """Until the projected gradients of a pass over all documents are within `aim`."""
        limits, shrinks = _unlimited(), epochs > WHOLE
        n_active = self.order.size
        while self.epochs < epochs:
            whole = n_active == self.order.size
            parts = self.problem.arrays, self.point, self.order, n_active, limits, self.state
            n_active = one_pass(*parts)
            self.epochs += 1
            steepest, shift = max(limits[0], -limits[1]), abs(self._multiplied())
            if whole and max(steepest, shift) <= aim:
                return
            if steepest <= max(aim, shift):
                # the documents that are left have done their part: ask the others
                limits, n_active = _unlimited(), self.order.size
                continue
            if shrinks and self.epochs >= self.next_newton:
                cost = newton(self.problem.arrays, self.point, self.scratch)
                self.next_newton = self.epochs + max(NEWTON_WAIT, int(NEWTON_SHARE * cost))
            if not shrinks or limits[0] <= 0.0:
                limits[0] = np.inf
            if not shrinks or limits[1] >= 0.0:
                limits[1] = -np.inf

    def _multiplied(self) -> float:
        """b one step of its multiplier on: by how much."""
        shift = self.problem.arrays.ridge * float(self.point.bias[1])
        self.point.bias[0] += shift
        return shift


def _open(found: Dual) -> tuple[bool, float]:
    """What is solved comes first, then the smaller gap."""
    return not found.solved, found.gap


def _unlimited() -> Floats:
    return np.array([np.inf, -np.inf])


def _sample(docs: Places) -> Places:
    """Every so many-th, up to about SAMPLE."""
    return np.ascontiguousarray(docs[:: max(1, docs.size // SAMPLE)])


def _ridge(lengths: Floats, costs: Floats) -> float:
    """As much curvature for b as documents have for their duals, within the box of these."""
    if not costs.size:
        return 1.0
    return RIDGE * max(float(lengths.mean()), 1.0 / (float(costs.mean()) * sqrt(costs.size)))
