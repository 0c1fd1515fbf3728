"""Compiled parts of the dual descent: a pass of coordinate descent, and a Newton step.

The dual of one binary problem, with x_i documents, y_i = ±1, uppers u_i and softness s_i:

    min ½ ‖Σ α_i y_i x_i‖² + ½ Σ s_i α_i² − Σ α_i,      0 ≤ α_i ≤ u_i,      Σ α_i y_i = 0.

The hinge has u = C and s = 0, the squared hinge u = ∞ and s = 1/(2C). The last condition applies
if the intercept b is free. b is its multiplier: the method of multipliers adds ½ r (Σ α y)² to
the dual, which acts as a column of √r beside the words, and sometimes moves b by r Σ α y.

If Σ α y = 0 this is also the dual of the documents x − μ, for any μ, with the same w and b. With μ
their mean these are short, and the descent is fast. They are never formed: with the tilts
t_i = μ'x_i − ½ ‖μ‖², (x_i − μ)'(x_j − μ) = x_i'x_j − t_i − t_j. So the value of a document is
x_i'w − t_i Σ α y + b, and a step for it moves b by −t_i per unit of α_i y_i.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from laconic.types import Floats, Int32s, Int64s

HingeLoss: TypeAlias = Literal["hinge", "squared_hinge"]

# A projected gradient up to this counts as 0.
ZERO_GRADIENT = 1e-16
# Share of its terms up to which a difference may be rounding.
CANCELLED = 1e-15
# Conjugate gradients end at CG_SHARE of the first residual, after CG_STEPS, or where the dual has
# less than FLAT of the curvature of its diagonal.
CG_SHARE = 1e-5
CG_STEPS = 300
FLAT = 1e-14
TINY = 1e-300
# r of a Newton step, relative to r of the passes.
STRICT = 1000.0
HALVINGS = 6


class ProblemArrays(NamedTuple):
    """One problem as arrays for compiled functions. `squares` are ‖x − μ‖² + s; `ridge` is r."""

    starts: Int64s
    ends: Int64s
    columns: Int32s
    values: Floats
    scales: Floats
    y_signed: Floats
    uppers: Floats
    softness: Floats
    squares: Floats
    tilts: Floats
    ridge: float


class DualPoint(NamedTuple):
    """The current iterate, changed in place: w = Σ α y x; `bias` holds b and Σ α y."""

    alphas: Floats
    coef: Floats
    bias: Floats


@njit(nogil=True, cache=True)
def dot(arrays: ProblemArrays, doc: int, coef: Floats) -> float:
    """x'w, in four independent sums: additions to one sum would wait for each other."""
    columns, values = arrays.columns, arrays.values
    at, end = np.uint64(arrays.starts[doc]), np.uint64(arrays.ends[doc])
    single, four = np.uint64(1), np.uint64(4)
    first = second = third = fourth = 0.0
    while at + four <= end:
        first += values[at] * coef[np.uint64(columns[at])]
        second += values[at + single] * coef[np.uint64(columns[at + single])]
        third += values[at + single + single] * coef[np.uint64(columns[at + single + single])]
        fourth += values[at + four - single] * coef[np.uint64(columns[at + four - single])]
        at += four
    while at < end:
        first += values[at] * coef[np.uint64(columns[at])]
        at += single
    return float(arrays.scales[doc] * (first + second + third + fourth))


@njit(nogil=True, cache=True)
def add(arrays: ProblemArrays, doc: int, weight: float, coef: Floats) -> None:
    """w += weight · x."""
    scaled = weight * arrays.scales[doc]
    for at in range(np.uint64(arrays.starts[doc]), np.uint64(arrays.ends[doc])):
        coef[np.uint64(arrays.columns[at])] += scaled * arrays.values[at]


@njit(nogil=True, cache=True)
def mean(arrays: ProblemArrays, docs: Int64s, n_columns: int) -> Floats:
    """The mean of some documents; 0 if there are none."""
    total = np.zeros(n_columns)
    for doc in docs:
        add(arrays, doc, 1.0 / docs.size, total)
    return total


@njit(nogil=True, cache=True)
def centred(arrays: ProblemArrays, centre: Floats) -> tuple[Floats, Floats]:
    """‖x − μ‖² and the tilt of every document, μ being the centre."""
    lengths, tilts = np.empty(arrays.scales.size), np.zeros(arrays.scales.size)
    square = centre @ centre
    for doc in range(lengths.size):
        length = 0.0
        for at in range(np.uint64(arrays.starts[doc]), np.uint64(arrays.ends[doc])):
            length += arrays.values[at] * arrays.values[at]
        length *= arrays.scales[doc] * arrays.scales[doc]
        if square > 0.0:
            tilts[doc] = dot(arrays, doc, centre) - 0.5 * square
        # cancellation may leave too small a length, and so too long a step
        lengths[doc] = max(length - 2.0 * tilts[doc], CANCELLED * (length + square))
    return lengths, tilts


@njit(nogil=True, cache=True)
def gather(arrays: ProblemArrays, point: DualPoint) -> None:
    """Recompute w and Σ α y from the alphas, without the rounding of many small steps."""
    point.coef[:] = 0.0
    point.bias[1] = 0.0
    for doc in range(point.alphas.size):
        if point.alphas[doc] != 0.0:
            weight = point.alphas[doc] * arrays.y_signed[doc]
            add(arrays, doc, weight, point.coef)
            point.bias[1] += weight


@njit(nogil=True, cache=True)
def products(arrays: ProblemArrays, coef: Floats) -> Floats:
    """x'w of every document."""
    values = np.empty(arrays.y_signed.size)
    for doc in range(values.size):
        values[doc] = dot(arrays, doc, coef)
    return values


@njit(nogil=True, cache=True)
def shuffle(order: Int64s, n_active: int, state: NDArray[np.uint64]) -> None:
    """Fisher-Yates shuffle with Marsaglia's xorshift."""
    x = state[0]
    for at in range(n_active - 1, 0, -1):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        other = np.int64(x % np.uint64(at + 1))
        order[at], order[other] = order[other], order[at]
    state[0] = x


@njit(nogil=True, cache=True)
def one_pass(
    arrays: ProblemArrays,
    point: DualPoint,
    order: Int64s,
    n_active: int,
    limits: Floats,
    state: NDArray[np.uint64],
) -> int:
    """One step for each of the first `n_active` documents of `order`, after shuffling them.

    A document at a bound whose gradient points out of the box by more than `limits` is moved behind
    the others (shrinking). Returns how many are left; `limits` become the extreme projected
    gradients.
    """
    alphas, bias = point.alphas, point.bias
    high, low = limits[0], limits[1]
    highest, lowest = -np.inf, np.inf
    shuffle(order, n_active, state)
    at = 0
    while at < n_active:
        doc = order[at]
        label, alpha, upper = arrays.y_signed[doc], alphas[doc], arrays.uppers[doc]
        value = dot(arrays, doc, point.coef) + bias[0] - arrays.tilts[doc] * bias[1]
        slope = label * value - 1.0 + arrays.softness[doc] * alpha
        if (alpha == 0.0 and slope > high) or (alpha == upper and slope < low):
            n_active -= 1
            order[at], order[n_active] = order[n_active], order[at]
            continue
        at += 1
        projected = slope
        if alpha == 0.0:
            projected = min(slope, 0.0)
        if alpha == upper:
            projected = max(projected, 0.0)
        highest, lowest = max(highest, projected), min(lowest, projected)
        if abs(projected) > ZERO_GRADIENT:
            square = arrays.squares[doc] + arrays.ridge
            # the dual of an empty document without an intercept is linear
            new = upper if square == 0.0 else min(max(alpha - slope / square, 0.0), upper)
            change = (new - alpha) * label
            alphas[doc] = new
            bias[0] += (arrays.ridge - arrays.tilts[doc]) * change
            bias[1] += change
            add(arrays, doc, change, point.coef)
    limits[0], limits[1] = highest, lowest
    return n_active


@njit(nogil=True, cache=True)
def violation(arrays: ProblemArrays, point: DualPoint, values: Floats, intercept: float) -> float:
    """The largest projected gradient over all documents, `values` being x'w."""
    largest = 0.0
    for doc in range(values.size):
        alpha, upper = point.alphas[doc], arrays.uppers[doc]
        slope = arrays.y_signed[doc] * (values[doc] + intercept) - 1.0
        slope += arrays.softness[doc] * alpha
        if alpha > 0.0 and slope > largest:
            largest = slope
        if alpha < upper and -slope > largest:
            largest = -slope
    return largest


@njit(nogil=True, cache=True)
def _hessian_product(
    arrays: ProblemArrays, free: Int64s, vector: Floats, ridge: float, scratch: Floats
) -> Floats:
    """(Q + s + r yy') v over the free documents, Q_ij = y_i y_j (x_i'x_j − t_i − t_j).

    `scratch` becomes Σ v y x.
    """
    scratch[:] = 0.0
    balance = shift = 0.0
    for at in range(free.size):
        weight = vector[at] * arrays.y_signed[free[at]]
        add(arrays, free[at], weight, scratch)
        balance += weight
        shift += (ridge - arrays.tilts[free[at]]) * weight
    product = np.empty(free.size)
    for at in range(free.size):
        doc = free[at]
        value = dot(arrays, doc, scratch) + shift - arrays.tilts[doc] * balance
        product[at] = arrays.y_signed[doc] * value + arrays.softness[doc] * vector[at]
    return product


@njit(nogil=True, cache=True)
def _conjugate(
    arrays: ProblemArrays,
    free: Int64s,
    alphas: Floats,
    slopes: Floats,
    ridge: float,
    scratch: Floats,
) -> tuple[Floats, int, bool]:
    """(Q + s + r yy')⁻¹ (−slopes), by conjugate gradients scaled by the diagonal without r.

    They end at the first step that leaves the box, beyond which the minimum is another one. Returns
    the solution, the number of steps, and whether the last one left the box.
    """
    uppers, scale = arrays.uppers[free], 1.0 / np.maximum(arrays.squares[free], TINY)
    solution, residual = np.zeros(free.size), -slopes
    scaled = scale * residual
    direction = scaled.copy()
    energy = residual @ scaled
    target = CG_SHARE * CG_SHARE * energy
    steps = 0
    while steps < CG_STEPS and energy > target:
        curved = _hessian_product(arrays, free, direction, ridge, scratch)
        bend = direction @ curved
        if bend <= FLAT * (direction @ (direction / scale)):
            break
        step = energy / bend
        solution += step * direction
        steps += 1
        moved = alphas[free] + solution
        if (moved < 0.0).any() or (moved > uppers).any():
            return solution, steps, True
        residual -= step * curved
        scaled = scale * residual
        before, energy = energy, residual @ scaled
        direction = scaled + (energy / before) * direction
    return solution, steps, False


@njit(nogil=True, cache=True)
def newton(arrays: ProblemArrays, point: DualPoint, scratch: Floats) -> int:
    """Step to the minimum over the free documents, clipped to the box; returns its cost in passes.

    The dual has the multiplier b and a large r, so Σ α y becomes almost 0. The step is halved until
    this dual decreases.
    """
    alphas, coef, bias, y_signed = point.alphas, point.coef, point.bias, arrays.y_signed
    free = np.flatnonzero((alphas > 0.0) & (alphas < arrays.uppers))
    ridge = STRICT * arrays.ridge
    slopes = np.empty(free.size)
    for at in range(free.size):
        doc = free[at]
        value = dot(arrays, doc, coef) + bias[0] + (ridge - arrays.tilts[doc]) * bias[1]
        slopes[at] = y_signed[doc] * value - 1.0 + arrays.softness[doc] * alphas[doc]
    change, steps, cut = _conjugate(arrays, free, alphas, slopes, ridge, scratch)
    for _ in range(HALVINGS):
        moved = np.minimum(np.maximum(alphas[free] + change, 0.0), arrays.uppers[free])
        moved -= alphas[free]
        curved = _hessian_product(arrays, free, moved, ridge, scratch)
        if slopes @ moved + 0.5 * (moved @ curved) < 0.0:
            _move(arrays, point, free, moved)
            coef += scratch
            bias[0] += (arrays.ridge if cut else ridge) * bias[1]
            break
        change *= 0.5
    return 2 * steps


@njit(nogil=True, cache=True)
def _move(arrays: ProblemArrays, point: DualPoint, free: Int64s, moved: Floats) -> None:
    for at in range(free.size):
        doc = free[at]
        new = point.alphas[doc] + moved[at]
        point.alphas[doc] = min(max(new, 0.0), arrays.uppers[doc])
        change = arrays.y_signed[doc] * moved[at]
        point.bias[0] -= arrays.tilts[doc] * change
        point.bias[1] += change
