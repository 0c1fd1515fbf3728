"""Compiled parts of Newton's method in w and b, for the squared hinge.

    min ½ ‖w‖² + Σ C_i max(0, 1 − y_i (x_i'w + b))²

is smooth, convex and piecewise quadratic. Only the documents inside the margin bend it: `inside`
are these, and `bends` their 2 C. The Hessian in w is I + Σ bend x x'; eliminating b centres it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from laconic.numerics.svm.passes import ProblemArrays, add, dot
from laconic.types import Floats, Int64s

CG_STEPS = 250
SEARCH_STEPS = 40
# A line search ends with the step that promises a decrease below this share of the value.
LEVEL = 1e-14
# Determinants up to this share of their product are 0.
FLAT = 1e-12


@njit(nogil=True, cache=True)
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
    `share` of the first one. With fewer columns than documents they are scaled by the diagonal.
    """
    centre, diagonal = _centre(arrays, inside, bends, gradient.size)
    total = bends.sum() if intercept else 0.0
    inverse = 1.0 / total if total > 0.0 else 0.0
    scale = np.ones(gradient.size)
    if gradient.size < inside.size:
        scale = 1.0 / np.maximum(diagonal - inverse * centre * centre, 1.0)
    solution, residual = np.zeros(gradient.size), inverse * slope * centre - gradient
    target = share * share * (residual @ residual)
    ahead = scale * residual
    energy = residual @ ahead
    for _ in range(CG_STEPS):
        if residual @ residual <= target:
            break
        curved = ahead - (inverse * (centre @ ahead)) * centre
        for at in range(inside.size):
            add(arrays, inside[at], bends[at] * dot(arrays, inside[at], ahead), curved)
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
def _centre(
    arrays: ProblemArrays, inside: Int64s, bends: Floats, n_columns: int
) -> tuple[Floats, Floats]:
    """Σ bend x, and the diagonal of the Hessian."""
    centre, diagonal = np.zeros(n_columns), np.ones(n_columns)
    for index in range(inside.size):
        doc = inside[index]
        scaled = bends[index] * arrays.scales[doc]
        for at in range(np.uint64(arrays.starts[doc]), np.uint64(arrays.ends[doc])):
            column, value = np.uint64(arrays.columns[at]), arrays.values[at]
            centre[column] += scaled * value
            diagonal[column] += scaled * arrays.scales[doc] * value * value
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
