"""Compiled parts of the joint descent: passes over the documents that serve all classes at once.

Coefficients are stored as (n_columns, n_classes), so a word of a document reads one stretch of
memory, and the sums of all classes grow together. Duals are signed here: α y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from laconic.numerics.svm.input import Rows
from laconic.numerics.svm.passes import TINY, ProblemArrays, shuffle
from laconic.types import Floats, Int64s

# Below this share of the classes, each is updated by itself.
FEW = 0.2
# The search for an intercept ends with a step below this share of it.
LEVEL = 1e-14
SEARCH_STEPS = 60


class ClassArrays(NamedTuple):
    """The classes, one column each, for compiled functions; `steps` are 1/(‖x − μ‖² + s + r).

    Softness and step are 0 for documents without a cost.
    """

    y_signed: Floats
    costs: Floats
    softness: Floats
    steps: Floats
    ridges: Floats


def products_of_all(rows: Rows, coefs: Floats) -> Floats:
    """x'w of every document and class, from coefficients (n_columns, n_classes)."""
    products = np.empty((rows.starts.size, coefs.shape[1]))
    arrays = rows.starts, rows.ends, rows.columns, rows.values, rows.scales
    _products(*arrays, np.ascontiguousarray(coefs), products)
    return products


@njit(nogil=True, cache=True)
def _products(
    starts: Int64s,
    ends: Int64s,
    columns: NDArray[np.int32],
    values: Floats,
    scales: Floats,
    coefs: Floats,
    products: Floats,
) -> None:
    sums = np.empty(coefs.shape[1])
    for doc in range(starts.size):
        _dots(columns, values, starts[doc], ends[doc], coefs, sums)
        for label in range(sums.size):
            products[doc, label] = scales[doc] * sums[label]


@njit(nogil=True, cache=True, inline="always")
def _dots(
    columns: NDArray[np.int32], values: Floats, start: int, end: int, coefs: Floats, sums: Floats
) -> None:
    """The sums of all classes over the words of a document, four words at a time."""
    sums[:] = 0.0
    at, stop = np.uint64(start), np.uint64(end)
    single, four = np.uint64(1), np.uint64(4)
    while at + four <= stop:
        b, c, d = at + single, at + single + single, at + four - single
        first, second = np.uint64(columns[at]), np.uint64(columns[b])
        third, fourth = np.uint64(columns[c]), np.uint64(columns[d])
        for label in range(sums.size):
            pair = values[at] * coefs[first, label] + values[b] * coefs[second, label]
            other = values[c] * coefs[third, label] + values[d] * coefs[fourth, label]
            sums[label] += pair + other
        at += four
    while at < stop:
        first = np.uint64(columns[at])
        for label in range(sums.size):
            sums[label] += values[at] * coefs[first, label]
        at += single


@njit(nogil=True, cache=True, inline="always")
def _add(
    columns: NDArray[np.int32],
    values: Floats,
    start: int,
    end: int,
    changes: Floats,
    coefs: Floats,
    moved: Int64s,
) -> None:
    """w += change · x of the classes that moved."""
    first, stop = np.uint64(start), np.uint64(end)
    if moved.size < FEW * changes.size:
        for label in moved:
            for at in range(first, stop):
                coefs[np.uint64(columns[at]), label] += changes[label] * values[at]
        return
    for at in range(first, stop):
        column, value = np.uint64(columns[at]), values[at]
        for label in range(changes.size):
            coefs[column, label] += value * changes[label]


@njit(nogil=True, cache=True)
def add_duals(arrays: ProblemArrays, duals: Floats, coefs: Floats) -> None:
    """w += Σ α y x of all classes."""
    for doc in range(duals.shape[0]):
        changes = arrays.scales[doc] * duals[doc]
        moved = np.flatnonzero(changes)
        if moved.size:
            start, end = arrays.starts[doc], arrays.ends[doc]
            _add(arrays.columns, arrays.values, start, end, changes, coefs, moved)


# divisions that may raise would keep the loop over classes from being vectorized
@njit(nogil=True, cache=True, error_model="numpy")
def pass_for_all(
    arrays: ProblemArrays,
    classes: ClassArrays,
    duals: Floats,
    coefs: Floats,
    biases: Floats,
    order: Int64s,
    state: NDArray[np.uint64],
    gaps: Floats,
) -> None:
    """One step of each class for each document, in random order, for the squared hinge.

    `passes.one_pass` for all classes, without shrinking, and with the multiplier step at the end.
    `biases` holds b and Σ α y of each class. `gaps` become estimates of the duality gaps, as shares
    of the objective: each document adds its part before its step, and the objective is ½ Σ α at
    the optimum.
    """
    n_classes = gaps.size
    changes, moved = np.empty(n_classes), np.empty(n_classes, np.int64)
    sums, totals = np.empty(n_classes), np.zeros(n_classes)
    gaps[:] = 0.0
    shuffle(order, order.size, state)
    for doc in order:
        start, end = arrays.starts[doc], arrays.ends[doc]
        scale, tilt = arrays.scales[doc], arrays.tilts[doc]
        _dots(arrays.columns, arrays.values, start, end, coefs, sums)
        for label in range(n_classes):
            y, soft = classes.y_signed[doc, label], classes.softness[doc, label]
            alpha = y * duals[doc, label]
            value = scale * sums[label] + biases[0, label] - tilt * biases[1, label]
            slack = 1.0 - y * value
            short = max(slack, 0.0)
            new = max(alpha + (slack - soft * alpha) * classes.steps[doc, label], 0.0)
            gaps[label] += classes.costs[doc, label] * short * short
            gaps[label] += alpha * (0.5 * soft * alpha - slack)
            totals[label] += new
            change = y * (new - alpha)
            duals[doc, label] += change
            biases[0, label] += (classes.ridges[label] - tilt) * change
            biases[1, label] += change
            changes[label] = scale * change
        n_moved = 0
        for label in range(n_classes):
            moved[n_moved] = label
            n_moved += changes[label] != 0.0
        _add(arrays.columns, arrays.values, start, end, changes, coefs, moved[:n_moved])
    for label in range(n_classes):
        biases[0, label] += classes.ridges[label] * biases[1, label]
        gaps[label] += 0.5 * biases[1, label] ** 2
        gaps[label] /= 0.5 * totals[label] if totals[label] > 0.0 else 1.0


@njit(nogil=True, cache=True, error_model="numpy")
def certificates(
    arrays: ProblemArrays,
    classes: ClassArrays,
    duals: Floats,
    values: Floats,
    squares: Floats,
    intercepts: Floats,
    free_intercept: bool,
) -> tuple[Floats, Floats, Floats]:
    """The duality gaps, as shares of the objective, and the largest violations of the conditions.

    The violations by class, then by document.

    `values` are x'w of the w of the duals, `squares` ‖w‖². `intercepts` are replaced with the best
    ones if they are free. Then only duals with Σ α y = 0 bound the objective from below: the gap is
    that of duals whose heavier side is scaled down, and adds ½ ‖w − v‖², v being their w, or more.
    """
    n_classes = squares.size
    sides, lengths = np.zeros((2, n_classes)), np.zeros((2, n_classes))
    if free_intercept:
        improve_intercepts(classes, values, intercepts)
        _sum_sides(arrays, duals, sides, lengths)
    gaps, losses, worst = np.zeros(n_classes), np.zeros(n_classes), np.zeros(n_classes)
    largest = np.zeros(values.shape[0])
    balances = sides[1] - sides[0]
    shares = np.ones((2, n_classes))
    for label in range(n_classes):
        heavier = np.int64(balances[label] > 0.0)
        total = max(sides[heavier, label], TINY)
        if balances[label] != 0.0:
            shares[heavier, label] = sides[1 - heavier, label] / total
        distance = balances[label] * lengths[heavier, label] / total
        gaps[label] = 0.5 * distance * distance
    for doc in range(values.shape[0]):
        for label in range(n_classes):
            y, soft = classes.y_signed[doc, label], classes.softness[doc, label]
            cost, alpha = classes.costs[doc, label], y * duals[doc, label]
            slack = 1.0 - y * (values[doc, label] + intercepts[label])
            loss = cost * max(slack, 0.0) ** 2
            losses[label] += loss
            scaled = alpha * (shares[1, label] if y > 0.0 else shares[0, label])
            gaps[label] += loss + scaled * (0.5 * soft * scaled - slack)
            slope = soft * alpha - slack
            projected = abs(slope) if alpha > 0.0 else max(-slope, 0.0)
            projected = projected if cost > 0.0 else 0.0
            worst[label] = max(worst[label], projected)
            largest[doc] = max(largest[doc], projected)
    for label in range(n_classes):
        objective = 0.5 * squares[label] + losses[label]
        gaps[label] = max(gaps[label], 0.0) / objective if objective > 0.0 else 0.0
        worst[label] = max(worst[label], classes.ridges[label] * abs(balances[label]))
    return gaps, worst, largest


@njit(nogil=True, cache=True)
def _sum_sides(arrays: ProblemArrays, duals: Floats, sides: Floats, lengths: Floats) -> None:
    """Σ α and Σ α ‖x‖ of the documents of each class with y = −1 and y = 1."""
    for doc in range(duals.shape[0]):
        # ‖x‖² from ‖x − μ‖² and the tilt
        length = np.sqrt(max(arrays.squares[doc] + 2.0 * arrays.tilts[doc], 0.0))
        for label in range(duals.shape[1]):
            above, below = max(duals[doc, label], 0.0), max(-duals[doc, label], 0.0)
            sides[0, label] += below
            sides[1, label] += above
            lengths[0, label] += below * length
            lengths[1, label] += above * length


@njit(nogil=True, cache=True, error_model="numpy")
def improve_intercepts(classes: ClassArrays, values: Floats, intercepts: Floats) -> None:
    """The b of each class with the smallest Σ C max(0, 1 − y (x'w + b))², from `intercepts`.

    The slope in b is increasing and piecewise linear. By Newton's method, or the middle of the
    last two points of opposite slopes if that leaves their interval.
    """
    n_classes = intercepts.size
    low, high = np.full(n_classes, -np.inf), np.full(n_classes, np.inf)
    slopes, curves = np.empty(n_classes), np.empty(n_classes)
    for _ in range(SEARCH_STEPS):
        slopes[:] = 0.0
        curves[:] = 0.0
        for doc in range(values.shape[0]):
            for label in range(n_classes):
                y = classes.y_signed[doc, label]
                slack = 1.0 - y * (values[doc, label] + intercepts[label])
                cost = classes.costs[doc, label] if slack > 0.0 else 0.0
                slopes[label] -= cost * slack * y
                curves[label] += cost
        moved = False
        for label in range(n_classes):
            b, slope = intercepts[label], slopes[label]
            low[label] = b if slope < 0.0 else low[label]
            high[label] = b if slope > 0.0 else high[label]
            if slope != 0.0:
                new = b - slope / curves[label]
                if not low[label] <= new <= high[label]:
                    new = 0.5 * (low[label] + high[label])
                moved = moved or abs(new - b) > LEVEL * max(abs(b), 1.0)
                intercepts[label] = new
        if not moved:
            return
