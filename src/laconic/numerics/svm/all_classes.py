"""Compiled parts of the joint descent: passes over the documents that serve all classes at once.

Coefficients are stored as (n_columns, n_classes), so a word of a document reads one stretch of
memory, and the sums of all classes grow together. Duals are signed here: α y.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from laconic.numerics.svm.input import Rows
from laconic.numerics.svm.passes import ProblemArrays, shuffle
from laconic.types import Floats, Int64s

# Below this share of the classes, each is updated by itself.
FEW = 0.2


def products_of_all(rows: Rows, coefs: Floats) -> Floats:
    """x'w of every document and class, from coefficients (n_classes, n_columns), in their order."""
    columns_first = np.ascontiguousarray(coefs.T)
    products = np.empty((rows.starts.size, coefs.shape[0]))
    arrays = rows.starts, rows.ends, rows.columns, rows.values, rows.scales
    _products(*arrays, columns_first, products)
    return np.ascontiguousarray(products.T)


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
    y_signed: Floats,
    costs: Floats,
    ridges: Floats,
    duals: Floats,
    coefs: Floats,
    biases: Floats,
    order: Int64s,
    state: NDArray[np.uint64],
    worst: Floats,
) -> None:
    """One step of each class for each document, in random order, for the squared hinge.

    `passes.one_pass` for all classes, without shrinking, and with the multiplier step at the end.
    `biases` holds b and Σ α y of each class; `worst` becomes the largest projected gradient.
    """
    n_classes = ridges.size
    sums, changes, moved = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes, np.int64)
    shuffle(order, order.size, state)
    worst[:] = 0.0
    for doc in order:
        start, end = arrays.starts[doc], arrays.ends[doc]
        scale, tilt, square = arrays.scales[doc], arrays.tilts[doc], arrays.squares[doc]
        _dots(arrays.columns, arrays.values, start, end, coefs, sums)
        for label in range(n_classes):
            weighted, y = costs[doc, label] > 0.0, y_signed[doc, label]
            soft = 0.5 / costs[doc, label] if weighted else 1.0
            alpha, ridge = y * duals[doc, label], ridges[label]
            value = scale * sums[label] + biases[0, label] - tilt * biases[1, label]
            slope = y * value - 1.0 + soft * alpha
            new = max(alpha - slope / (square + soft + ridge), 0.0)
            projected = abs(slope) if alpha > 0.0 else max(-slope, 0.0)
            worst[label] = max(worst[label], projected if weighted else 0.0)
            change = y * (new - alpha) if weighted else 0.0
            duals[doc, label] += change
            biases[0, label] += (ridge - tilt) * change
            biases[1, label] += change
            changes[label] = scale * change
        n_moved = 0
        for label in range(n_classes):
            moved[n_moved] = label
            n_moved += changes[label] != 0.0
        _add(arrays.columns, arrays.values, start, end, changes, coefs, moved[:n_moved])
    for label in range(n_classes):
        shift = ridges[label] * biases[1, label]
        biases[0, label] += shift
        worst[label] = max(worst[label], abs(shift))
