"""The end of a descent whose passes do not settle: Newton's method in w and b.

Passes over the duals are slow where costs are large beside the lengths of documents, because then w
is a small difference of large duals. With a free intercept they may go in circles. Here w and b are
variables of their own, and each document has one dual that follows from its margin m_i:

    α_i = (1 − m_i + ε a_i) / (s_i + ε), cut to 0 ≤ α_i ≤ u_i,

a_i being the dual of the round before (uppers u and softness s as in `dual_passes`). This is the
proximal point method in the duals. For a fixed ε the objective is smooth, convex and piecewise
quadratic, so that Newton steps with an exact line search end after finitely many. Every round
divides ε by ten: the first rounds have an easy problem, the last ones that which was asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.numerics.dual_passes import Arrays, Floats
from laconic.numerics.rank import EPS

# The most numbers in the matrix that a Newton step decomposes.
AFFORDABLE = 1_000_000
ROUNDS = 60
STEPS = 60
# ε from round to round, and in the end: in squared lengths of documents, or 1 / costs if less.
SHARPER = 0.1
LEAST = 1e-6
# A sum of products is right to this share of the sum of their sizes.
ROUNDING = 4 * EPS
# Slopes along a step that are this share of the first one are 0.
LEVEL = 1e-10

Mask = NDArray[np.bool_]


class Finish(NamedTuple):
    """Weights, intercept and duals after a round."""

    coef: Floats
    intercept: float
    alphas: Floats


def rounds(arrays: Arrays, costs: Floats, n_columns: int, intercept: bool) -> Iterator[Finish]:
    """What each round ends with. There are none if the documents are too many or too long."""
    problem = _Primal.of(arrays, costs, n_columns, intercept)
    if not np.isfinite(problem.costs).all() or not problem.costs.any():
        return
    place = _Place(np.zeros(n_columns), 0.0, np.zeros(costs.size))
    largest = float(problem.costs.max())
    epsilon, least = max(1.0, 1.0 / largest), LEAST / max(largest, 1.0)
    for _ in range(ROUNDS):
        try:
            found = _Round(problem, place.duals, epsilon).ended(place)
        except np.linalg.LinAlgError:
            found = None
        if found is None:
            return
        place = found
        unit = problem.unit
        yield Finish(place.coef / unit, place.intercept, place.duals / unit**2)
        epsilon = max(SHARPER * epsilon, least)


@dataclass(frozen=True, eq=False)
class _Primal:
    """The problem with documents of length 1 at most, each times its sign; `unit` is a power of 2.

    w of these is `unit` times that of the documents; costs and duals are `unit`² times theirs.
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
    def of(cls, arrays: Arrays, costs: Floats, n_columns: int, intercept: bool) -> Self:
        documents = _signed(arrays, n_columns)
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


class _Place(NamedTuple):
    coef: Floats
    intercept: float
    duals: Floats


class _Step(NamedTuple):
    coef: Floats
    intercept: float


@dataclass(frozen=True, eq=False)
class _Round:
    """The problem of one ε."""

    problem: _Primal
    anchors: Floats
    epsilon: float

    @property
    def soft(self) -> Floats:
        return self.problem.softness + self.epsilon

    def ended(self, start: _Place) -> _Place | None:
        """The minimum; or None if a step is not affordable.

        Duals before they are cut go along with the steps: after many steps, those computed from the
        margins would have the rounding of these divided by ε.
        """
        coef, b = start.coef, start.intercept
        margins = self.problem.margins(coef, b)
        uncut = (1.0 - margins + self.epsilon * self.anchors) / self.soft
        tiny = ROUNDING * max(1.0, float(np.abs(margins).max()))
        for _ in range(STEPS):
            step = self._newton(coef, self._cut(uncut))
            if step is None:
                return None
            moved = self.problem.margins(*step)
            length = self._search(coef, step, uncut, moved)
            coef, b = coef + length * step.coef, b + length * step.intercept
            before, uncut = uncut, uncut - length * moved / self.soft
            same = np.array_equal(self._sides(before), self._sides(uncut))
            if same and (length == 1.0 or length * np.abs(moved).max() <= tiny):
                break
        return _Place(coef, b, self._cut(uncut))

    def _cut(self, uncut: Floats) -> Floats:
        return np.minimum(np.maximum(uncut, 0.0), self.problem.uppers)

    def _sides(self, duals: Floats) -> NDArray[np.int8]:
        """0 up to the lower border, 1 between, 2 from the upper one on."""
        return (duals > 0).astype(np.int8) + (duals >= self.problem.uppers)

    def _newton(self, coef: Floats, duals: Floats) -> _Step | None:
        """The step to the minimum of the quadratic piece where this is."""
        problem = self.problem
        free = np.flatnonzero(self._sides(duals) == 1)
        if free.size * coef.size > AFFORDABLE:
            return None
        pull = problem.documents.T @ duals - coef
        noise = ROUNDING * (problem.sizes.T @ duals + np.abs(coef))
        rows, curvatures = problem.documents[free].toarray(), 1.0 / self.soft[free]
        if not problem.intercept:
            return _Step(_solved(rows, curvatures, pull, noise), 0.0)
        balance = float(problem.y_signed @ duals)
        if not free.size:
            # nothing but b can make a document free
            settled = abs(balance) <= ROUNDING * duals.sum()
            return _Step(pull, 0.0) if settled else _Step(np.zeros(coef.size), balance)
        # without b: documents seen from their mean
        y_signed, total = problem.y_signed[free], float(curvatures.sum())
        centre = (curvatures * y_signed) @ rows / total
        rows -= y_signed[:, None] * centre
        noise += ROUNDING * np.abs(centre) * duals.sum()
        change = _solved(rows, curvatures, pull - centre * balance, noise)
        return _Step(change, balance / total - float(centre @ change))

    def _search(self, coef: Floats, step: _Step, uncut: Floats, moved: Floats) -> float:
        """How many steps lead to the least value along the step: 1 if that is where it ends."""
        change = moved / self.soft

        def slope(length: float) -> float:
            duals = self._cut(uncut - length * change)
            return float((coef + length * step.coef) @ step.coef - duals @ moved)

        if abs(slope(1.0)) <= LEVEL * abs(slope(0.0)):
            return 1.0
        bends = self._bends(uncut, change)
        low, high = 0, bends.size - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if slope(bends[middle]) >= 0 else (middle, high)
        return _zero(bends[low], bends[high], slope(bends[low]), slope(bends[high]))

    def _bends(self, uncut: Floats, change: Floats) -> Floats:
        """0, where a dual reaches a border along the step, and a place beyond."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found = np.concatenate([uncut / change, (uncut - self.problem.uppers) / change])
        found = np.sort(found[np.isfinite(found) & (found > 0)])
        return np.concatenate([[0.0], found, [2.0 * found.max(initial=1.0)]])


def _zero(low: float, high: float, below: float, above: float) -> float:
    """Where a straight line from (low, below) to (high, above) is 0."""
    if above <= below:
        return high
    found = low - below * (high - low) / (above - below)
    return 1.0 if abs(found - 1.0) <= LEVEL else float(found)


def _solved(rows: Floats, curvatures: Floats, pull: Floats, noise: Floats) -> Floats:
    """(I + R'DR)⁻¹ pull. What is left of `pull` in a direction may be noise: then it is 0."""
    size = float(np.linalg.norm(noise))
    _, values, directions = np.linalg.svd(rows * np.sqrt(curvatures)[:, None], full_matrices=False)
    parts = directions @ pull
    rest = pull - directions.T @ parts
    parts[np.abs(parts) <= size] = 0.0
    if np.linalg.norm(rest) <= size:
        rest[:] = 0.0
    return np.asarray(directions.T @ (parts / (1.0 + values**2)) + rest)


def _signed(arrays: Arrays, n_columns: int) -> csr_array:
    """The documents as a matrix of their own, each times its sign."""
    counts = arrays.ends - arrays.starts
    bounds = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(bounds[-1]) + np.repeat(arrays.starts - bounds[:-1], counts)
    weights = np.repeat(arrays.scales * arrays.y_signed, counts)
    parts = arrays.values[places] * weights, arrays.columns[places], bounds
    return csr_array(parts, shape=(counts.size, n_columns))
