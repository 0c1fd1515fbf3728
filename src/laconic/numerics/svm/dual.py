"""Support vector machines in the dual, one binary problem at a time.

    min ½ ‖w‖² + Σ C_i loss(y_i (x_i'w + b)),      loss(m) = max(0, 1 − m), or its square,

by coordinate descent over the documents in random order, with shrinking (Hsieh et al. 2008). The
intercept b is not penalised; it is found by the method of multipliers on centred documents. Near
the optimum, once the documents on the margin are known, the passes alternate with Newton steps over
these documents. `dual_passes` has the dual itself. One multiplier step after each pass is fast, but
cycles on some problems: those not solved after PATIENCE passes go to `dual_finish`.

    the paper (Kołcz & Chowdhury 2007)   here
    α^j, y^j, d^j                        `alphas`, `y_signed`, `rows`
    C                                    `costs`, one per document
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Self, get_args

import numpy as np
from numpy.typing import NDArray

from laconic.numerics.svm.finish import proximal_rounds
from laconic.numerics.svm.gap import (
    balanced,
    duality_gap,
    stretch,
    violation_aim,
    violation_limit,
)
from laconic.numerics.svm.input import (
    Rows,
    costs_in,
    refuse_long,
    refuse_numbers,
    refuse_shapes,
)
from laconic.numerics.svm.intercept import best_intercept
from laconic.numerics.svm.passes import (
    DualPoint,
    HingeLoss,
    ProblemArrays,
    centred,
    gather,
    mean,
    newton,
    one_pass,
    products,
    violation,
)
from laconic.types import Bools, Floats, Int64s
from laconic.validation import check_choice

__all__ = ["Dual", "Rows", "descend", "support"]

# A document with α above this share of C is a support vector.
SUPPORT = 1e-6
# With up to this many epochs every pass goes over all documents.
WHOLE = 3
# The first Newton step comes after this many epochs; the next after NEWTON_WAIT more, or after
# NEWTON_SHARE of the cost of the last one, if that is longer.
FIRST_NEWTON = 20
NEWTON_WAIT = 5
NEWTON_SHARE = 0.5
# r of the passes, in units of mean squared lengths or inverse costs. A larger r slows down the
# passes, a smaller one slows down b.
RIDGE = 0.1
# Share of `violation_aim` that the passes reach; applied again if the result is not solved.
AIM = 0.5
# A duality gap up to this share of the primal value counts as 0.
ROUNDING = 1e-14
# Σ α y may be this share of the sum of all duals.
BALANCED = 1e-12
# After this many epochs without a solution the problem goes to `dual_finish`.
PATIENCE = 1000
# The mean of this many documents is near enough to the mean of all.
SAMPLE = 1000


@dataclass(frozen=True, eq=False)
class Dual:
    """The result of the descent.

    `coef` is Σ alphas_i y_i x_i. `violation` is the largest violation of the optimality conditions
    over all documents, in units of the margin; `gap` is the duality gap as a share of the primal
    value. `solved` means that both are within their limits. If several intercepts are optimal,
    `intercept` is the middle one, and the conditions may hold for another of them only.
    """

    alphas: Floats
    coef: Floats
    intercept: float
    violation: float
    gap: float
    epochs: int
    solved: bool


def support(alphas: Floats, costs: Floats) -> Bools:
    """Which documents are support vectors.

    α must exceed a share of C, or of the largest α if that is far below C: with long documents, or
    if C is so large that no α reaches it.
    """
    largest = float(alphas.max(initial=0.0))
    return np.asarray(alphas > SUPPORT * np.minimum(costs, largest))


def descend(
    rows: Rows,
    y_signed: Floats,
    costs: Floats,
    *,
    loss: HingeLoss = "hinge",
    intercept: bool = True,
    start: Floats | None = None,
    start_intercept: float = 0.0,
    tolerance: float = 1e-6,
    epochs: int = 5000,
    random_state: int = 0,
) -> Dual:
    """The optimum to `tolerance`, or the result of `epochs` passes from `start`.

    `start` is clipped to the box of the duals. With up to 3 epochs every pass goes over all
    documents. The final intercept is optimal for `coef`; the middle one if several are.
    """
    check_choice("loss", loss, get_args(HingeLoss))
    refuse_shapes(rows.starts.size, {"y_signed": y_signed, "costs": costs, "start": start})
    refuse_numbers(y_signed, costs, start, start_intercept)
    unit = rows.unit
    rows, costs = replace(rows, scales=rows.scales / unit), costs_in(unit, costs)
    # after few passes Σ α y is not 0, and then w of the centred documents is not w of these
    problem = _Problem.of(rows, y_signed, costs, loss, intercept, centring=epochs > WHOLE)
    point = problem.starting_point(None if start is None else start * unit**2, start_intercept)
    if intercept and problem.one_sided:
        return problem.constant_solution()
    dual = _Descent.start(problem, point, random_state).run(tolerance, epochs)
    return replace(dual, alphas=dual.alphas / unit**2, coef=dual.coef / unit)


@dataclass(frozen=True, eq=False)
class _Problem:
    """The fixed part of the descent: the arrays, and the input they were made from."""

    rows: Rows
    arrays: ProblemArrays
    costs: Floats
    loss: HingeLoss
    intercept: bool

    @classmethod
    def of(
        cls,
        rows: Rows,
        y_signed: Floats,
        costs: Floats,
        loss: HingeLoss,
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
        inputs = rows.starts, rows.ends, rows.columns, rows.values, rows.scales
        uncentred = ProblemArrays(
            *inputs, y_signed, uppers, softness, softness, softness, ridge=0.0
        )
        weighted = np.flatnonzero(costs > 0)
        # without a free intercept Σ α y is not 0, and documents must not be centred
        sample = centring_sample(weighted) if intercept and centring else weighted[:0]
        lengths, tilts = centred(uncentred, mean(uncentred, sample, rows.n_columns))
        refuse_long(lengths)
        ridge = ridge_of(lengths[weighted], costs[weighted]) if intercept else 0.0
        arrays = uncentred._replace(squares=lengths + softness, tilts=tilts, ridge=ridge)
        return cls(rows, arrays, costs, loss, intercept)

    @property
    def one_sided(self) -> bool:
        """Whether all documents with a cost have the same label."""
        labels = self.arrays.y_signed[self.costs > 0]
        return bool(labels.size == 0 or (labels == labels[0]).all())

    def constant_solution(self) -> Dual:
        """The solution of a one-sided problem: the intercept alone."""
        labels = self.arrays.y_signed[self.costs > 0]
        label = float(labels[0]) if labels.size else 0.0
        zeros = np.zeros(self.costs.size), np.zeros(self.rows.n_columns)
        return Dual(*zeros, label, violation=0.0, gap=0.0, epochs=0, solved=True)

    def starting_point(self, start: Floats | None, intercept: float) -> DualPoint:
        alphas = np.zeros(self.costs.size)
        if start is not None:
            np.clip(start, 0.0, self.arrays.uppers, out=alphas)
        bias = np.array([intercept if self.intercept else 0.0, 0.0])
        point = DualPoint(alphas, np.zeros(self.rows.n_columns), bias)
        gather(self.arrays, point)
        return point

    def result(self, point: DualPoint, epochs: int, tolerance: float) -> Dual:
        """The point with its best intercept, evaluated over all documents."""
        gather(self.arrays, point)
        return self._best_of(point, point.coef, epochs, tolerance)

    def finish(self, epochs: int, tolerance: float) -> Dual | None:
        """The best result of the Newton rounds; one more round is run after the first solution."""
        best: Dual | None = None
        inputs = self.arrays, self.costs, self.rows.n_columns, self.intercept
        for coef, intercept, alphas in proximal_rounds(*inputs):
            point = DualPoint(alphas, np.zeros(coef.size), np.array([intercept, 0.0]))
            gather(self.arrays, point)
            dual = self._best_of(point, coef, epochs, tolerance)
            if best is not None and best.solved:
                return min(best, dual, key=_unsolved_gap)
            best = dual if best is None else min(best, dual, key=_unsolved_gap)
        return best

    def _best_of(self, point: DualPoint, coef: Floats, epochs: int, tolerance: float) -> Dual:
        """`coef` as it is, or stretched if that is better."""
        dual = self._evaluate(point, coef, epochs, tolerance)
        if dual.solved or dual.violation > tolerance or self.loss != "hinge":
            return dual
        return min(dual, self._stretch(dual, point, tolerance), key=_unsolved_gap)

    def _evaluate(self, point: DualPoint, coef: Floats, epochs: int, tolerance: float) -> Dual:
        """`coef` with its best intercept; `coef` is the w of `point`, or near it."""
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
        # if several b are optimal, a dual of rounding size violates the conditions for some of them
        other = violation(arrays, point, values, float(point.bias[0])) if gap <= ROUNDING else worst
        limit = violation_limit(tolerance)
        solved = gap <= tolerance and min(worst, max(other, unbalanced)) <= limit
        if self.intercept and (not solved or unbalanced > tolerance):
            gap = self._balanced_gap(point.alphas, coef, values, b)
            solved = solved and gap <= tolerance
        return Dual(point.alphas, coef, b, worst, gap, epochs, solved)

    def _balanced_gap(self, alphas: Floats, coef: Floats, values: Floats, b: float) -> float:
        """The gap to a dual value that bounds the objective from below, however early the stop."""
        point = DualPoint(balanced(self.arrays, alphas), np.zeros(coef.size), np.array([b, 0.0]))
        gather(self.arrays, point)
        return duality_gap(self.arrays, point, self.costs, self.loss, coef, values, b)

    def _stretch(self, dual: Dual, point: DualPoint, tolerance: float) -> Dual:
        """With w stretched so no document is short of the margin by rounding alone."""
        values = products(self.arrays, dual.coef) + dual.intercept
        factor = stretch(self.arrays, dual.alphas, values)
        alphas = np.minimum(factor * dual.alphas, self.arrays.uppers)
        stretched = DualPoint(alphas, np.zeros(dual.coef.size), factor * point.bias)
        gather(self.arrays, stretched)
        return self._evaluate(stretched, factor * dual.coef, dual.epochs, tolerance)


@dataclass(eq=False)
class _Descent:
    """Passes over the unshrunk documents, and Newton steps, until all conditions hold."""

    problem: _Problem
    point: DualPoint
    order: Int64s
    state: NDArray[np.uint64]
    scratch: Floats
    epochs: int = 0
    aim: float = AIM
    next_newton: int = FIRST_NEWTON

    @classmethod
    def start(cls, problem: _Problem, point: DualPoint, random_state: int) -> Self:
        order = np.arange(point.alphas.size, dtype=np.int64)
        state = np.random.default_rng(random_state).integers(1, 2**63, 1, dtype=np.uint64)
        return cls(problem, point, order, state, np.zeros(point.coef.size))

    def run(self, tolerance: float, epochs: int) -> Dual:
        dual = self._descend(tolerance, min(epochs, PATIENCE))
        if dual.solved or epochs <= PATIENCE:
            return dual
        finish = self.problem.finish(self.epochs, tolerance)
        if finish is not None and finish.solved:
            return finish
        dual = self._descend(tolerance, epochs)
        return dual if finish is None else min(dual, finish, key=_unsolved_gap)

    def _descend(self, tolerance: float, epochs: int) -> Dual:
        while True:
            self._approach(self.aim * violation_aim(tolerance), epochs)
            dual = self.problem.result(self.point, self.epochs, tolerance)
            if dual.solved or self.epochs >= epochs:
                return dual
            self.aim *= AIM

    def _approach(self, aim: float, epochs: int) -> None:
        """Run passes until the projected gradients over all documents are within `aim`."""
        limits, shrinks = _unlimited(), epochs > WHOLE
        n_active = self.order.size
        while self.epochs < epochs:
            whole = n_active == self.order.size
            inputs = self.problem.arrays, self.point, self.order, n_active, limits, self.state
            n_active = one_pass(*inputs)
            self.epochs += 1
            steepest, shift = max(limits[0], -limits[1]), abs(self._move_intercept())
            if whole and max(steepest, shift) <= aim:
                return
            if steepest <= max(aim, shift):
                # the unshrunk documents are solved: unshrink
                limits, n_active = _unlimited(), self.order.size
                continue
            if shrinks and self.epochs >= self.next_newton:
                cost = newton(self.problem.arrays, self.point, self.scratch)
                self.next_newton = self.epochs + max(NEWTON_WAIT, int(NEWTON_SHARE * cost))
            if not shrinks or limits[0] <= 0.0:
                limits[0] = np.inf
            if not shrinks or limits[1] >= 0.0:
                limits[1] = -np.inf

    def _move_intercept(self) -> float:
        """Take one multiplier step for b; returns its change."""
        shift = self.problem.arrays.ridge * float(self.point.bias[1])
        self.point.bias[0] += shift
        return shift


def _unsolved_gap(dual: Dual) -> tuple[bool, float]:
    """Sort key: solved results first, then the smaller gap."""
    return not dual.solved, dual.gap


def _unlimited() -> Floats:
    return np.array([np.inf, -np.inf])


def centring_sample(docs: Int64s) -> Int64s:
    """Evenly spaced documents, about SAMPLE of them at most."""
    return np.ascontiguousarray(docs[:: max(1, docs.size // SAMPLE)])


def ridge_of(lengths: Floats, costs: Floats) -> float:
    """Curvature for b similar to that of the documents for their duals, within their box."""
    if not costs.size:
        return 1.0
    return RIDGE * max(float(lengths.mean()), 1.0 / (float(costs.mean()) * sqrt(costs.size)))
