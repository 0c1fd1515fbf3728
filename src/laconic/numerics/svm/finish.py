"""The end of a descent whose passes do not converge: Newton's method in w and b.

Passes over the duals are slow if costs are large relative to the lengths of documents, because then
w is a small difference of large duals. With a free intercept they may cycle. Here w and b are the
variables, and each document has a dual that follows from its margin m_i:

    α_i = (1 − m_i + ε a_i) / (s_i + ε), clipped to 0 ≤ α_i ≤ u_i,

a_i being the dual of the previous round (uppers u and softness s as in `dual_passes`). This is the
proximal point method in the duals. For a fixed ε the objective is smooth, convex and piecewise
quadratic, so Newton steps with an exact line search terminate. Every round divides ε by ten: the
first rounds solve an easy problem, the last ones the original problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array

from laconic.numerics.spectral.rank import EPS
from laconic.numerics.svm.passes import ProblemArrays
from laconic.types import Floats, Int8s

# The largest matrix, in numbers, that a Newton step decomposes.
AFFORDABLE = 1_000_000
MAX_ROUNDS = 60
MAX_STEPS = 60
# Factor of ε from round to round, and its final value: in squared lengths of documents, or in
# 1 / costs if that is less.
SHARPER = 0.1
LEAST = 1e-6
# A sum of products is accurate to this share of the sum of their absolute values.
ROUNDING = 4 * EPS
# Slopes along a step up to this share of the first one are 0.
LEVEL = 1e-10


class Finish(NamedTuple):
    """Weights, intercept and duals after a round."""

    coef: Floats
    intercept: float
    alphas: Floats


def proximal_rounds(
    arrays: ProblemArrays, costs: Floats, n_columns: int, intercept: bool
) -> Iterator[Finish]:
    """Yield the result of each round; nothing if the documents are too many or too long."""
    problem = _Primal.of(arrays, costs, n_columns, intercept)
    if not np.isfinite(problem.costs).all() or not problem.costs.any():
        return
    iterate = _Iterate(np.zeros(n_columns), 0.0, np.zeros(costs.size))
    largest = float(problem.costs.max())
    epsilon, least = max(1.0, 1.0 / largest), LEAST / max(largest, 1.0)
    for _ in range(MAX_ROUNDS):
        try:
            minimum = _Round(problem, iterate.duals, epsilon).minimum(iterate)
        except np.linalg.LinAlgError:
            minimum = None
        if minimum is None:
            return
        iterate = minimum
        unit = problem.unit
        yield Finish(iterate.coef / unit, iterate.intercept, iterate.duals / unit**2)
        epsilon = max(SHARPER * epsilon, least)


@dataclass(frozen=True, eq=False)
class _Primal:
    """The problem scaled to documents of length at most 1, each times its label.

    `unit` is a power of 2. The scaled w is `unit` times the original one; scaled costs and duals
    are `unit`² times the original ones.
    """

    documents: csr_array
    sizes: csr_array
    y_signed: Floats
    costs: Floats
    uppers: Floats
    softness: Floats
    intercept: bool
    unit: float

    @classmethod
    def of(cls, arrays: ProblemArrays, costs: Floats, n_columns: int, intercept: bool) -> Self:
        documents = _documents_times_labels(arrays, n_columns)
        lengths = np.sqrt(np.asarray(documents.multiply(documents).sum(axis=1)))
        unit = 2.0 ** np.ceil(np.log2(max(float(lengths.max(initial=0.0)), 1e-150)))
        documents.data /= unit
        with np.errstate(over="ignore"):
            square = unit**2
            return cls(
                documents,
                abs(documents),
                arrays.y_signed,
                costs * square,
                arrays.uppers * np.where(arrays.uppers > 0, square, 1.0),
                arrays.softness / square,
                intercept,
                unit,
            )

    def margins(self, coef: Floats, intercept: float) -> Floats:
        return np.asarray(self.documents @ coef + self.y_signed * intercept)


class _Iterate(NamedTuple):
    coef: Floats
    intercept: float
    duals: Floats


class _Step(NamedTuple):
    coef: Floats
    intercept: float


@dataclass(frozen=True, eq=False)
class _Round:
    """The problem for one ε."""

    problem: _Primal
    anchors: Floats
    epsilon: float

    @property
    def soft(self) -> Floats:
        return self.problem.softness + self.epsilon

    def minimum(self, start: _Iterate) -> _Iterate | None:
        """The minimum; None if a step is too expensive.

        Unclipped duals are updated with each step: after many steps, duals computed from the
        margins would carry the rounding error of these divided by ε.
        """
        coef, b = start.coef, start.intercept
        margins = self.problem.margins(coef, b)
        unclipped = (1.0 - margins + self.epsilon * self.anchors) / self.soft
        tiny = ROUNDING * max(1.0, float(np.abs(margins).max()))
        for _ in range(MAX_STEPS):
            step = self._newton(coef, self._clip(unclipped))
            if step is None:
                return None
            moved = self.problem.margins(*step)
            length = self._search(coef, step, unclipped, moved)
            coef, b = coef + length * step.coef, b + length * step.intercept
            before, unclipped = unclipped, unclipped - length * moved / self.soft
            same = np.array_equal(self._sides(before), self._sides(unclipped))
            if same and (length == 1.0 or length * np.abs(moved).max() <= tiny):
                break
        return _Iterate(coef, b, self._clip(unclipped))

    def _clip(self, unclipped: Floats) -> Floats:
        return np.minimum(np.maximum(unclipped, 0.0), self.problem.uppers)

    def _sides(self, duals: Floats) -> Int8s:
        """0 up to the lower bound, 1 between the bounds, 2 from the upper bound."""
        return (duals > 0).astype(np.int8) + (duals >= self.problem.uppers)

    def _newton(self, coef: Floats, duals: Floats) -> _Step | None:
        """The step to the minimum of the current quadratic piece; None if too expensive."""
        problem = self.problem
        free = np.flatnonzero(self._sides(duals) == 1)
        if free.size * coef.size > AFFORDABLE:
            return None
        target = problem.documents.T @ duals - coef
        noise = ROUNDING * (problem.sizes.T @ duals + np.abs(coef))
        rows, curvatures = problem.documents[free].toarray(), 1.0 / self.soft[free]
        if not problem.intercept:
            return _Step(_solve(rows, curvatures, target, noise), 0.0)
        balance = float(problem.y_signed @ duals)
        if not free.size:
            # only b can make a document free
            settled = abs(balance) <= ROUNDING * duals.sum()
            return _Step(target, 0.0) if settled else _Step(np.zeros(coef.size), balance)
        # b is eliminated: centre the documents
        y_signed, total = problem.y_signed[free], float(curvatures.sum())
        centre = (curvatures * y_signed) @ rows / total
        rows -= y_signed[:, None] * centre
        noise += ROUNDING * np.abs(centre) * duals.sum()
        change = _solve(rows, curvatures, target - centre * balance, noise)
        return _Step(change, balance / total - float(centre @ change))

    def _search(self, coef: Floats, step: _Step, unclipped: Floats, moved: Floats) -> float:
        """The step length with the smallest value along the step; 1 for a full step."""
        change = moved / self.soft

        def slope(length: float) -> float:
            duals = self._clip(unclipped - length * change)
            return float((coef + length * step.coef) @ step.coef - duals @ moved)

        if abs(slope(1.0)) <= LEVEL * abs(slope(0.0)):
            return 1.0
        kinks = self._kinks(unclipped, change)
        low, high = 0, kinks.size - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if slope(kinks[middle]) >= 0 else (middle, high)
        return _zero(kinks[low], kinks[high], slope(kinks[low]), slope(kinks[high]))

    def _kinks(self, unclipped: Floats, change: Floats) -> Floats:
        """0, the step lengths at which a dual reaches a bound, and one beyond them."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            kinks = np.concatenate([unclipped / change, (unclipped - self.problem.uppers) / change])
        kinks = np.sort(kinks[np.isfinite(kinks) & (kinks > 0)])
        return np.concatenate([[0.0], kinks, [2.0 * kinks.max(initial=1.0)]])


def _zero(low: float, high: float, below: float, above: float) -> float:
    """The zero of the straight line from (low, below) to (high, above)."""
    if above <= below:
        return high
    zero = low - below * (high - low) / (above - below)
    return 1.0 if abs(zero - 1.0) <= LEVEL else float(zero)


def _solve(rows: Floats, curvatures: Floats, target: Floats, noise: Floats) -> Floats:
    """(I + R'DR)⁻¹ target. Parts of `target` within the noise are set to 0."""
    size = float(np.linalg.norm(noise))
    _, values, directions = np.linalg.svd(rows * np.sqrt(curvatures)[:, None], full_matrices=False)
    parts = directions @ target
    rest = target - directions.T @ parts
    parts[np.abs(parts) <= size] = 0.0
    if np.linalg.norm(rest) <= size:
        rest[:] = 0.0
    return np.asarray(directions.T @ (parts / (1.0 + values**2)) + rest)


def _documents_times_labels(arrays: ProblemArrays, n_columns: int) -> csr_array:
    """The documents as a matrix, each times its label."""
    counts = arrays.ends - arrays.starts
    bounds = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(bounds[-1]) + np.repeat(arrays.starts - bounds[:-1], counts)
    weights = np.repeat(arrays.scales * arrays.y_signed, counts)
    parts = arrays.values[places] * weights, arrays.columns[places], bounds
    return csr_array(parts, shape=(counts.size, n_columns))
