"""One of the machines that are trained together: its iterate and its Newton steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from laconic.numerics.svm.dual import Dual
from laconic.numerics.svm.passes import TINY, DualPoint, ProblemArrays, gather
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
    values: Floats
    intercept: float
    free_intercept: bool
    first: float = 0.0

    def __post_init__(self) -> None:
        self._derive_duals()

    @property
    def gradient(self) -> Floats:
        return self.coef - self.point.coef

    def _derive_duals(self) -> None:
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
        self._derive_duals()

    def unsolved(self) -> Dual:
        """The duals as they are, without a certificate."""
        alphas, coef = self.point.alphas, self.point.coef
        return Dual(alphas, coef, self.intercept, np.inf, np.inf, epochs=0, solved=False)
