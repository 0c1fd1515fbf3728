"""Support vector machines by their dual, one yes/no problem at a time.

    min ½ ‖w‖² + Σ C_i loss(y_i (x_i'w + b)),      loss(m) = max(0, 1 − m), or its square,

by coordinate descent over the documents in random order, with shrinking (Hsieh et al. 2008), and
b without penalty by the method of multipliers. Far down, where the documents on the margin are
known, Newton steps over these take turns with the passes. `dual_passes` has the dual itself.

    the paper (Kołcz & Chowdhury 2007)   here
    α^j, y^j, d^j                        `alphas`, `signs`, `rows`
    C                                    `costs`, one a document
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.numerics.dual_passes import (
    Arrays,
    Columns,
    Floats,
    Places,
    Point,
    gather,
    newton,
    one_pass,
    products,
    squared_lengths,
    violation,
)

Loss: TypeAlias = Literal["hinge", "squared_hinge"]

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
# Sums of costs that differ by this share are equal.
TIE = 1e-12


@dataclass(frozen=True, eq=False)
class Rows:
    """Documents as the descent reads them: parts of the rows of a CSR matrix, scaled.

    Document i is `values[starts[i]:ends[i]] * scales[i]`. Where columns are numbered by rank, and
    rows sorted, the best n words of every document are a prefix of its row: nothing is copied.
    """

    starts: Places
    ends: Places
    columns: Columns
    values: Floats
    scales: Floats
    n_columns: int

    @classmethod
    def of(cls, X: csr_array) -> Self:
        """Whole rows, as they are."""
        bounds = np.asarray(X.indptr, dtype=np.int64)
        columns = np.asarray(X.indices, dtype=np.int32)
        values = np.asarray(X.data, dtype=np.float64)
        return cls(bounds[:-1], bounds[1:], columns, values, np.ones(X.shape[0]), X.shape[1])


@dataclass(frozen=True, eq=False)
class Dual:
    """Where the descent ended.

    `coef` is Σ alphas_i y_i x_i. `violation` is the largest of the optimality conditions over all
    documents, in units of the margin; `gap` the duality gap as a share of the primal value.
    `solved` says that the violation is within the tolerance, or that there is no gap.
    """

    alphas: Floats
    coef: Floats
    intercept: float
    violation: float
    gap: float
    epochs: int
    solved: bool


def support(alphas: Floats, costs: Floats) -> NDArray[np.bool_]:
    """Which documents are support vectors."""
    return np.asarray(alphas > SUPPORT * costs)


def descend(
    rows: Rows,
    signs: Floats,
    costs: Floats,
    *,
    loss: Loss = "hinge",
    intercept: bool = True,
    start: Floats | None = None,
    start_intercept: float = 0.0,
    tolerance: float = 1e-6,
    epochs: int = 5000,
    seed: int = 0,
) -> Dual:
    """The optimum to `tolerance`, or what `epochs` passes make of `start`.

    `start` is cut to the box of the duals. With up to 3 epochs every pass goes over all documents.
    The intercept at the end is the best for `coef`; where several are, the middle of them.
    """
    if loss not in get_args(Loss):
        raise LaconicError(f"loss={loss!r}: choose from {', '.join(get_args(Loss))}")
    _refuse(rows, {"signs": signs, "costs": costs, "start": start})
    problem = _Problem.of(rows, signs, costs, loss, intercept)
    point = problem.started(start, start_intercept)
    if intercept and problem.one_sided:
        return problem.without_words()
    return _Descent.begun(problem, point, seed).run(tolerance, epochs)


def _refuse(rows: Rows, given: dict[str, Floats | None]) -> None:
    """Compiled functions do not look where an array ends."""
    for name, numbers in given.items():
        if numbers is not None and np.shape(numbers) != rows.starts.shape:
            raise LaconicError(
                f"{name} of shape {np.shape(numbers)} for {rows.starts.size} documents: "
                "give one number a document"
            )


@dataclass(frozen=True, eq=False)
class _Problem:
    """What does not change: the arrays, and what they were made of."""

    rows: Rows
    arrays: Arrays
    costs: Floats
    loss: Loss
    intercept: bool

    @classmethod
    def of(cls, rows: Rows, signs: Floats, costs: Floats, loss: Loss, intercept: bool) -> Self:
        signs = np.ascontiguousarray(signs, dtype=np.float64)
        costs = np.ascontiguousarray(costs, dtype=np.float64)
        softness = np.zeros(costs.size)
        uppers = costs
        if loss == "squared_hinge":
            uppers = np.where(costs > 0, np.inf, 0.0)
            np.divide(0.5, costs, out=softness, where=costs > 0)
        lengths = squared_lengths(rows.starts, rows.ends, rows.values, rows.scales)
        ridge = _ridge(lengths[costs > 0], costs[costs > 0]) if intercept else 0.0
        parts = rows.starts, rows.ends, rows.columns, rows.values, rows.scales
        arrays = Arrays(*parts, signs, uppers, softness, lengths + softness, ridge)
        return cls(rows, arrays, costs, loss, intercept)

    @property
    def one_sided(self) -> bool:
        kept = self.arrays.signs[self.costs > 0]
        return bool(kept.size == 0 or (kept == kept[0]).all())

    def without_words(self) -> Dual:
        """All documents say the same, and the intercept says it alone."""
        kept = self.arrays.signs[self.costs > 0]
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
        arrays = self.arrays
        gather(arrays, point)
        values = products(arrays, point.coef)
        b = 0.0
        if self.intercept:
            b = best_intercept(values, arrays.signs, self.costs, self.loss)
        worst = violation(arrays, point, values, b)
        # without a free intercept r is 0
        worst = max(worst, arrays.ridge * abs(float(point.bias[1])))
        gap = self._gap(point, values, b)
        # where several b are best, a dual of rounding size contradicts some of them
        solved = worst <= tolerance or gap <= ROUNDING
        return Dual(point.alphas, point.coef, b, worst, gap, epochs, solved)

    def _gap(self, point: Point, values: Floats, intercept: float) -> float:
        """Primal minus dual, a document at a time: no term is below 0, so nothing cancels."""
        short = 1.0 - self.arrays.signs * (values + intercept)
        alphas, lost = point.alphas, np.maximum(short, 0.0)
        if self.loss == "squared_hinge":
            lost = lost**2
        terms = self.costs * lost - alphas * short + 0.5 * self.arrays.softness * alphas**2
        primal = 0.5 * float(point.coef @ point.coef) + float(self.costs @ lost)
        open_ = float(terms.sum()) + abs(intercept * float(point.bias[1]))
        return max(open_, 0.0) / primal if primal > 0.0 else 0.0


@dataclass(eq=False)
class _Descent:
    """Passes over the documents that are left, and Newton steps, until all conditions hold."""

    problem: _Problem
    point: Point
    order: Places
    state: NDArray[np.uint64]
    scratch: Floats
    epochs: int = 0
    next_newton: int = FIRST_NEWTON

    @classmethod
    def begun(cls, problem: _Problem, point: Point, seed: int) -> Self:
        order = np.arange(point.alphas.size, dtype=np.int64)
        state = np.random.default_rng(seed).integers(1, 2**63, 1, dtype=np.uint64)
        return cls(problem, point, order, state, np.zeros(point.coef.size))

    def run(self, tolerance: float, epochs: int) -> Dual:
        aim = AIM * tolerance
        while True:
            self._approach(aim, epochs)
            found = self.problem.ended(self.point, self.epochs, tolerance)
            if found.solved or self.epochs >= epochs:
                return found
            aim *= AIM

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


def _unlimited() -> Floats:
    return np.array([np.inf, -np.inf])


def _ridge(lengths: Floats, costs: Floats) -> float:
    """As much curvature for b as documents have for their duals, within the box of these."""
    if not costs.size:
        return 1.0
    return RIDGE * max(float(lengths.mean()), 1.0 / (float(costs.mean()) * sqrt(costs.size)))


def best_intercept(values: Floats, signs: Floats, costs: Floats, loss: Loss) -> float:
    """The b that minimises Σ C loss(y (x'w + b)), `values` being x'w.

    Document i is on the margin at b = y − x'w. The slope in b starts at −Σ C over y = 1 and grows:
    for the hinge by C at each of these borders, whichever side the document is on.
    """
    counted = costs > 0
    borders = (signs - values)[counted]
    order = np.argsort(borders, kind="stable")
    borders, weights = borders[order], costs[counted][order]
    positive = signs[counted][order] > 0
    if loss == "hinge":
        return _middle(borders, weights, float(weights[positive].sum()))
    return _root(borders, weights, positive)


def _middle(borders: Floats, weights: Floats, target: float) -> float:
    """The border where the sum of weights passes the target, or between two if it is met there."""
    passed = np.cumsum(weights)
    slack = TIE * float(passed[-1])
    first = int(np.searchsorted(passed, target - slack))
    last = int(np.searchsorted(passed, target + slack, side="right"))
    return 0.5 * float(borders[first] + borders[min(last, borders.size - 1)])


def _root(borders: Floats, weights: Floats, positive: NDArray[np.bool_]) -> float:
    """The zero of Σ C (b − border) over documents short of the margin: y = 1 above b, else below.

    Between two borders the same documents are short. Where none are, the slope is 0 from the one
    border to the other.
    """
    above, below = np.where(positive, weights, 0.0), np.where(positive, 0.0, weights)
    mass = above.sum() - np.cumsum(above) + np.cumsum(below)
    moment = (above * borders).sum() - np.cumsum(above * borders) + np.cumsum(below * borders)
    slack = TIE * float(weights.sum())
    place = int(np.argmax(mass * borders - moment >= -slack))
    numbers = np.arange(borders.size)
    if not ((numbers > place) == positive).any():
        return 0.5 * float(borders[place] + borders[place + 1])
    short = (numbers >= place) == positive
    return float(np.average(borders[short], weights=weights[short]))
