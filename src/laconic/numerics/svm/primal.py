"""Newton's method in w and b, for the squared hinge.

    min ½ ‖w‖² + Σ C_i max(0, 1 − y_i (x_i'w + b))²

is smooth, convex and piecewise quadratic. Only the documents inside the margin bend it: `inside`
are these, and `bends` their 2 C. The Hessian in w is I + Σ bend x x'; eliminating b centres it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from laconic.numerics.svm.dual import Dual
from laconic.numerics.svm.passes import TINY, DualPoint, ProblemArrays, gather
from laconic.types import Floats, Int32s, Int64s

# Conjugate gradients of a Newton step end at this share of the gradient, or at the share of the
# first gradient that is left, if that is less.
SHARE = 0.1
CG_STEPS = 250
SEARCH_STEPS = 40
# A line search ends with the step that promises a decrease below this share of the value.
LEVEL = 1e-14
# Determinants up to this share of their product are 0.
FLAT = 1e-12


@dataclass(eq=False)
class Iterate:
    """The iterate of one class: w and b, the products of w, and the duals of both.

    `point` has the duals and their own w, which is that of the iterate at the optimum only.
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


class _Inside(NamedTuple):
    """The documents inside the margin, times √bend, over the columns that they have.

    In single precision, for speed: they set the direction of a step only.
    """

    starts: Int64s
    columns: Int32s
    values: NDArray[np.float32]
    present: Int64s


def direction(
    arrays: ProblemArrays,
    inside: Int64s,
    bends: Floats,
    gradient: Floats,
    slope: float,
    share: float,
    intercept: bool,
) -> tuple[Floats, float]:
    """The step of w and b to the minimum of the quadratic, by conjugate gradients.

    `gradient` and `slope` are the derivatives in w and b. The steps end when the residual is the
    `share` of the first one. In columns that no document inside has, the Hessian is 1.
    """
    documents = _Inside(*_compact(arrays, inside, np.sqrt(bends), gradient.size))
    solution, part = -gradient, gradient[documents.present]
    inputs = documents, np.sqrt(bends), part, slope, share, intercept
    solution[documents.present], shift = _conjugate(*inputs)
    return solution, shift


@njit(nogil=True, cache=True)
def _compact(
    arrays: ProblemArrays, inside: Int64s, roots: Floats, n_columns: int
) -> tuple[Int64s, Int32s, NDArray[np.float32], Int64s]:
    """The parts of `_Inside`."""
    starts = np.zeros(inside.size + 1, dtype=np.int64)
    starts[1:] = np.cumsum(arrays.ends[inside] - arrays.starts[inside])
    columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    places, present = np.full(n_columns, -1, np.int32), np.empty(n_columns, np.int64)
    n_present = to = 0
    for index in range(inside.size):
        doc = inside[index]
        for at in range(arrays.starts[doc], arrays.ends[doc]):
            column = arrays.columns[at]
            if places[column] < 0:
                places[column], present[n_present] = n_present, column
                n_present += 1
            columns[to] = places[column]
            values[to] = roots[index] * arrays.scales[doc] * arrays.values[at]
            to += 1
    return starts, columns, values, present[:n_present]


@njit(nogil=True, cache=True)
def _conjugate(
    documents: _Inside,
    roots: Floats,
    gradient: Floats,
    slope: float,
    share: float,
    intercept: bool,
) -> tuple[Floats, float]:
    """The steps of `direction`; scaled by the diagonal with fewer columns than documents."""
    centre, diagonal = _centre(documents, roots, gradient.size)
    total = roots @ roots if intercept else 0.0
    inverse = 1.0 / total if total > 0.0 else 0.0
    scale = np.ones(gradient.size)
    if gradient.size < roots.size:
        scale = 1.0 / np.maximum(diagonal - inverse * centre * centre, 1.0)
    solution, residual = np.zeros(gradient.size), inverse * slope * centre - gradient
    target = share * share * (residual @ residual)
    ahead = scale * residual
    energy = residual @ ahead
    for _ in range(CG_STEPS):
        if residual @ residual <= target:
            break
        curved = ahead - (inverse * (centre @ ahead)) * centre
        _add_products(documents, ahead, curved)
        bend = ahead @ curved
        if not bend > 0.0:
            break
        solution += (energy / bend) * ahead
        residual -= (energy / bend) * curved
        scaled = scale * residual
        before, energy = energy, residual @ scaled
        ahead = scaled + (energy / before) * ahead
    return solution, float(-inverse * (slope + centre @ solution))


@njit(nogil=True, cache=True)
def _add_products(documents: _Inside, vector: Floats, total: Floats) -> None:
    """Total += Σ bend x x'v, each product in four independent sums, as in `passes.dot`."""
    columns, values = documents.columns, documents.values
    single, four = np.uint64(1), np.uint64(4)
    for doc in range(documents.starts.size - 1):
        start, end = np.uint64(documents.starts[doc]), np.uint64(documents.starts[doc + 1])
        first = second = third = fourth = 0.0
        at = start
        while at + four <= end:
            first += values[at] * vector[np.uint64(columns[at])]
            second += values[at + single] * vector[np.uint64(columns[at + single])]
            third += values[at + single + single] * vector[np.uint64(columns[at + single + single])]
            fourth += values[at + four - single] * vector[np.uint64(columns[at + four - single])]
            at += four
        while at < end:
            first += values[at] * vector[np.uint64(columns[at])]
            at += single
        product = first + second + third + fourth
        for place in range(start, end):
            total[np.uint64(columns[place])] += product * values[place]


@njit(nogil=True, cache=True)
def _centre(documents: _Inside, roots: Floats, n_columns: int) -> tuple[Floats, Floats]:
    """Σ bend x, and the diagonal of the Hessian."""
    centre, diagonal = np.zeros(n_columns), np.ones(n_columns)
    for doc in range(roots.size):
        for at in range(documents.starts[doc], documents.starts[doc + 1]):
            column, value = documents.columns[at], np.float64(documents.values[at])
            centre[column] += roots[doc] * value
            diagonal[column] += value * value
    return centre, diagonal


@njit(nogil=True, cache=True)
def search(
    y_signed: Floats,
    costs: Floats,
    values: Floats,
    changes: Floats,
    penalties: Floats,
    start: Floats,
    intercept: bool,
) -> Floats:
    """The step length t and the b with the smallest objective, from (t, b) = `start`.

    `values` are x'w, `changes` x'd; `penalties` are ‖w‖², w'd and ‖d‖². By Newton's method in
    these two numbers, each step halved until the objective decreases.
    """
    best, lowest = start.copy(), np.inf
    point, step = start.copy(), np.zeros(2)
    for _ in range(SEARCH_STEPS):
        objective, slopes, hessian = _along(y_signed, costs, values, changes, penalties, point)
        if objective <= lowest:
            lowest = objective
            best[:] = point
            step = _newton(slopes, hessian, intercept)
            if not -(slopes @ step) > LEVEL * objective:
                return best + step
        else:
            step *= 0.5
        point = best + step
    return best


@njit(nogil=True, cache=True)
def _along(
    y_signed: Floats,
    costs: Floats,
    values: Floats,
    changes: Floats,
    penalties: Floats,
    point: Floats,
) -> tuple[float, Floats, Floats]:
    """The objective at step length t and intercept b, its slopes, and its curvatures tt, tb, bb."""
    t, b = point[0], point[1]
    losses = slope_t = slope_b = curve_tt = curve_tb = curve_bb = 0.0
    for doc in range(values.size):
        slack = 1.0 - y_signed[doc] * (values[doc] + t * changes[doc] + b)
        if slack > 0.0:
            cost, change = costs[doc], changes[doc]
            pull = cost * slack * y_signed[doc]
            losses += cost * slack * slack
            slope_t -= pull * change
            slope_b -= pull
            curve_tt += cost * change * change
            curve_tb += cost * change
            curve_bb += cost
    penalty = 0.5 * (penalties[0] + 2.0 * t * penalties[1] + t * t * penalties[2])
    slopes = np.array([2.0 * slope_t + penalties[1] + t * penalties[2], 2.0 * slope_b])
    curves = np.array([2.0 * curve_tt + penalties[2], 2.0 * curve_tb, 2.0 * curve_bb])
    return losses + penalty, slopes, curves


@njit(nogil=True, cache=True)
def _newton(slopes: Floats, curves: Floats, intercept: bool) -> Floats:
    """The step to the minimum of the quadratic in t and b; in one of them if it is flat."""
    tt, tb, bb = curves[0], curves[1], curves[2]
    determinant = tt * bb - tb * tb
    if not intercept or bb <= 0.0:
        return np.array([-slopes[0] / tt if tt > 0.0 else 0.0, 0.0])
    if determinant <= FLAT * tt * bb:
        return np.array([0.0, -slopes[1] / bb])
    step = np.array([tb * slopes[1] - bb * slopes[0], tb * slopes[0] - tt * slopes[1]])
    return np.asarray(step / determinant)
