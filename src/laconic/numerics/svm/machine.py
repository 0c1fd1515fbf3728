"""One of the machines that are trained together: its iterate, its Newton steps, its certificate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from laconic.numerics.svm.dual import Dual, ridge_of
from laconic.numerics.svm.gap import duality_gap
from laconic.numerics.svm.passes import TINY, DualPoint, ProblemArrays, gather, violation
from laconic.numerics.svm.primal import direction, search
from laconic.types import Floats

# Conjugate gradients of a Newton step end at this share of the gradient, or at the share of the
# first gradient that is left, if that is less.
SHARE = 0.1


@dataclass(eq=False)
class Machine:
    """The iterate of one class: w and b, the products of w, and the duals of both.

    `point` has the duals and their own w, which is that of the machine at the optimum only.
    """

    arrays: ProblemArrays
    costs: Floats
    coef: Floats
    free_intercept: bool
    point: DualPoint
    values: Floats
    intercept: float = 0.0
    first: float = 0.0
    result: Dual | None = None

    @classmethod
    def of(
        cls,
        shared: ProblemArrays,
        y_signed: Floats,
        costs: Floats,
        n_columns: int,
        free_intercept: bool,
    ) -> Self:
        weighted = costs > 0
        softness = np.divide(0.5, costs, out=np.zeros(costs.size), where=weighted)
        ridge = ridge_of(shared.squares[weighted], costs[weighted]) if free_intercept else 0.0
        arrays = shared._replace(
            y_signed=np.ascontiguousarray(y_signed, dtype=np.float64),
            uppers=np.where(weighted, np.inf, 0.0),
            softness=softness,
            squares=shared.squares + softness,
            ridge=ridge,
        )
        zeros = np.zeros(costs.size)
        point = DualPoint(zeros, np.zeros(n_columns), np.zeros(2))
        return cls(arrays, costs, point.coef, free_intercept, point, zeros)

    def start(self, alphas: Floats | None, intercept: float, unit: float) -> None:
        if alphas is not None:
            clipped = np.clip(alphas * unit**2, 0.0, self.arrays.uppers)
            self.point = self.point._replace(alphas=clipped)
        self.point.bias[0] = intercept if self.free_intercept else 0.0

    @property
    def gradient(self) -> Floats:
        return self.coef - self.point.coef

    def derive_duals(self) -> None:
        """The duals of w and b, and their w."""
        slack = 1.0 - self.arrays.y_signed * (self.values + self.intercept)
        alphas = 2.0 * self.costs * np.maximum(slack, 0.0)
        self.point = DualPoint(alphas, np.zeros(self.coef.size), np.array([self.intercept, 0.0]))
        gather(self.arrays, self.point)

    def direction(self, aim: float) -> tuple[Floats, float]:
        """The Newton step of w and b, to a residual not below `aim`."""
        gradient = self.gradient
        size = max(float(np.linalg.norm(gradient)), TINY)
        self.first = self.first or size
        inside = np.flatnonzero(self.point.alphas > 0.0)
        bends, slope = 2.0 * self.costs[inside], -float(self.point.bias[1])
        share = max(min(SHARE, size / self.first), aim / size)
        inputs = self.arrays, inside, bends, gradient, slope, share
        return direction(*inputs, self.free_intercept)

    def move(self, step: Floats, shift: float, changes: Floats) -> None:
        """Move along `step` to the best length and intercept; `changes` are its products."""
        penalties = np.array([self.coef @ self.coef, self.coef @ step, step @ step])
        start = np.array([1.0, self.intercept + shift])
        inputs = self.arrays.y_signed, self.costs, self.values, changes, penalties, start
        length, self.intercept = search(*inputs, self.free_intercept)
        self.coef = self.coef + length * step
        self.values = self.values + length * changes

    def certify(self, values: Floats, epochs: int, tolerance: float) -> None:
        """The result of the duals as they are; `values` are the products of their w."""
        arrays, point = self.arrays, self.point
        penalties = np.array([point.coef @ point.coef, 0.0, 0.0])
        start = np.array([0.0, float(point.bias[0])])
        inputs = arrays.y_signed, self.costs, values, np.zeros(values.size), penalties, start
        b = float(search(*inputs, self.free_intercept)[1])
        unbalanced = arrays.ridge * abs(float(point.bias[1]))
        worst = max(violation(arrays, point, values, b), unbalanced)
        gap = duality_gap(arrays, point, self.costs, "squared_hinge", point.coef, values, b)
        solved = gap <= tolerance and worst <= tolerance
        self.result = Dual(point.alphas, point.coef, b, worst, gap, epochs, solved)

    @property
    def solved(self) -> bool:
        return self.result is not None and self.result.solved

    def dual(self, unit: float) -> Dual:
        """The result, in the original unit of documents."""
        alphas, coef = self.point.alphas / unit**2, self.point.coef / unit
        if self.result is not None:
            return replace(self.result, alphas=alphas, coef=coef)
        return Dual(alphas, coef, self.intercept, np.inf, np.inf, 0, solved=False)
