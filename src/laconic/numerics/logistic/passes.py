"""Passes over the documents: scores, sums over documents, and products with the Hessian.

Coefficients are stored as (n_columns + 1, n_rows), one row of the model per column, so that the
innermost loops go over adjacent numbers; the last line is the intercept. Document i is
`values[starts[i]:ends[i]] * scales[i]` and, for the intercept, a 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from laconic.numerics.svm.input import Rows
from laconic.types import Floats, Int32s, Int64s


class Documents(NamedTuple):
    """The arrays of `Rows`, for compiled functions."""

    starts: Int64s
    ends: Int64s
    columns: Int32s
    values: Floats
    scales: Floats

    @classmethod
    def of(cls, rows: Rows) -> Documents:
        return cls(rows.starts, rows.ends, rows.columns, rows.values, rows.scales)


@njit(nogil=True, cache=True, fastmath=True, inline="always")
def add_products(documents: Documents, doc: int, coef: Floats, line: Floats) -> None:
    """line = the document times `coef`, without scale and intercept, four entries at a time."""
    at, end = documents.starts[doc], documents.ends[doc]
    line[:] = 0.0
    columns, values = documents.columns, documents.values
    while at + 4 <= end:
        first, second = coef[columns[at]], coef[columns[at + 1]]
        third, fourth = coef[columns[at + 2]], coef[columns[at + 3]]
        x1, x2, x3, x4 = values[at], values[at + 1], values[at + 2], values[at + 3]
        for row in range(line.size):
            line[row] += x1 * first[row] + x2 * second[row] + x3 * third[row] + x4 * fourth[row]
        at += 4
    while at < end:
        first = coef[columns[at]]
        x1 = values[at]
        for row in range(line.size):
            line[row] += x1 * first[row]
        at += 1


@njit(nogil=True, cache=True, fastmath=True, inline="always")
def spread(documents: Documents, doc: int, line: Floats, out: Floats) -> None:
    """out += the document, without scale and intercept, times each number of the line."""
    for at in range(documents.starts[doc], documents.ends[doc]):
        value = documents.values[at]
        target = out[documents.columns[at]]
        for row in range(line.size):
            target[row] += value * line[row]


@njit(nogil=True, cache=True, fastmath=True)
def scores(documents: Documents, coef: Floats, out: Floats) -> None:
    """out = X coef, the intercept included."""
    last = coef[-1]
    for doc in range(documents.starts.size):
        line = out[doc]
        add_products(documents, doc, coef, line)
        scale = documents.scales[doc]
        for row in range(line.size):
            line[row] = scale * line[row] + last[row]


@njit(nogil=True, cache=True, fastmath=True)
def sums(documents: Documents, weights: Floats, out: Floats) -> None:
    """out = X' weights, the intercept included."""
    out[:] = 0.0
    last = out[-1]
    line = np.empty(out.shape[1], out.dtype)
    for doc in range(documents.starts.size):
        scale = documents.scales[doc]
        for row in range(line.size):
            line[row] = scale * weights[doc, row]
            last[row] += weights[doc, row]
        spread(documents, doc, line, out)


@njit(nogil=True, cache=True, fastmath=True)
def squared_sums(documents: Documents, weights: Floats, out: Floats) -> None:
    """out = (X squared)' weights, the intercept included: the diagonal of X' diag(weights) X."""
    out[:] = 0.0
    last = out[-1]
    for doc in range(documents.starts.size):
        scale = documents.scales[doc]
        for row in range(last.size):
            last[row] += weights[doc, row]
        for at in range(documents.starts[doc], documents.ends[doc]):
            value = documents.values[at] * scale
            square = value * value
            target = out[documents.columns[at]]
            for row in range(last.size):
                target[row] += square * weights[doc, row]


@njit(nogil=True, cache=True, fastmath=True)
def sigmoid_product(documents: Documents, curvature: Floats, vector: Floats, out: Floats) -> None:
    """out = X' D X vector; `curvature` has the diagonal of D for each row."""
    out[:] = 0.0
    last, constant = out[-1], vector[-1]
    line = np.empty(out.shape[1], out.dtype)
    for doc in range(documents.starts.size):
        add_products(documents, doc, vector, line)
        scale = documents.scales[doc]
        for row in range(line.size):
            line[row] = curvature[doc, row] * (scale * line[row] + constant[row])
            last[row] += line[row]
            line[row] *= scale
        spread(documents, doc, line, out)


@njit(nogil=True, cache=True, fastmath=True)
def softmax_product(
    documents: Documents, costs: Floats, chances: Floats, vector: Floats, out: Floats
) -> None:
    """out = X' D X vector with D = c (diag(p) − p p') for each document."""
    out[:] = 0.0
    last, constant = out[-1], vector[-1]
    line = np.empty(out.shape[1], out.dtype)
    for doc in range(documents.starts.size):
        add_products(documents, doc, vector, line)
        scale, cost, p = documents.scales[doc], costs[doc], chances[doc]
        mean = 0.0
        for row in range(line.size):
            line[row] = p[row] * (scale * line[row] + constant[row])
            mean += line[row]
        for row in range(line.size):
            line[row] = cost * (line[row] - mean * p[row])
            last[row] += line[row]
            line[row] *= scale
        spread(documents, doc, line, out)
