"""Passes over the documents: scores, sums over documents, and products with the Hessian.

Coefficients are stored as (n_columns + 1, n_rows), one row of the model per column, so that the
innermost loops go over adjacent numbers; the last line is the intercept. Document i is
`values[starts[i]:ends[i]] * scales[i]` and, for the intercept, a 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from laconic.numerics.logistic.lanes import add_products, padded, spread, width
from laconic.numerics.svm.input import Rows
from laconic.types import Floats, Int64s


class DocumentArrays(NamedTuple):
    """The arrays of `Rows`, for compiled functions.

    Columns are unsigned, so that the innermost loops do not test for negative numbers.
    """

    starts: Int64s
    ends: Int64s
    columns: NDArray[np.uint32]
    values: NDArray[Any]
    scales: NDArray[Any]

    @classmethod
    def of(cls, rows: Rows) -> DocumentArrays:
        columns = rows.columns.view(np.uint32)
        return cls(rows.starts, rows.ends, columns, rows.values, rows.scales)

    def scores(self, coef: Floats) -> Floats:
        """X coef, the intercept included."""
        values = np.empty((self.starts.size, coef.shape[1]))
        write_scores(self, padded(coef, np.float64), values)
        return values

    def sums(self, weights: NDArray[Any], out: Floats) -> None:
        """out = X' weights, the intercept included."""
        total = np.empty((out.shape[0], width(out.shape[1])), self.values.dtype)
        write_sums(self, weights, total)
        out[:] = total[:, : out.shape[1]]

    def copied(self) -> DocumentArrays:
        """Only the entries of these documents, multiplied by the scales."""
        bounds = np.concatenate([[0], np.cumsum(self.ends - self.starts)])
        columns, values = np.empty(bounds[-1], np.uint32), np.empty(bounds[-1])
        copy_entries(self, bounds, columns, values)
        return DocumentArrays(bounds[:-1], bounds[1:], columns, values, np.ones(self.scales.size))

    def rounded(self) -> DocumentArrays:
        """In single precision."""
        values, scales = self.values.astype(np.float32), self.scales.astype(np.float32)
        return self._replace(values=values, scales=scales)

    def squared(self) -> DocumentArrays:
        return self._replace(values=self.values**2, scales=self.scales**2)


@njit(nogil=True, cache=True)
def copy_entries(
    documents: DocumentArrays,
    bounds: Int64s,
    columns: NDArray[np.uint32],
    values: NDArray[Any],
) -> None:
    for doc in range(documents.starts.size):
        shift, scale = documents.starts[doc] - bounds[doc], documents.scales[doc]
        for at in range(bounds[doc], bounds[doc + 1]):
            columns[at] = documents.columns[at + shift]
            values[at] = documents.values[at + shift] * scale


@njit(nogil=True, cache=True)
def write_scores(documents: DocumentArrays, coef: Floats, out: Floats) -> None:
    """out = X coef; `coef` is padded."""
    last = coef[-1]
    line = np.empty(coef.shape[1], coef.dtype)
    for doc in range(documents.starts.size):
        line[:] = 0.0
        start, end, scale = documents.starts[doc], documents.ends[doc], documents.scales[doc]
        add_products(documents.columns, documents.values, start, end, coef, line)
        for row in range(out.shape[1]):
            out[doc, row] = scale * line[row] + last[row]


@njit(nogil=True, cache=True)
def write_sums(documents: DocumentArrays, weights: NDArray[Any], out: NDArray[Any]) -> None:
    """out = X' weights; `out` is padded."""
    out[:] = 0.0
    last = out[-1]
    line = np.zeros(out.shape[1], out.dtype)
    for doc in range(documents.starts.size):
        start, end, scale = documents.starts[doc], documents.ends[doc], documents.scales[doc]
        for row in range(weights.shape[1]):
            line[row] = scale * weights[doc, row]
            last[row] += weights[doc, row]
        spread(documents.columns, documents.values, start, end, line, out)


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc"})
def sigmoid_product(
    documents: DocumentArrays, curvature: NDArray[Any], vector: NDArray[Any], out: NDArray[Any]
) -> None:
    """out = X' D X vector; `curvature` has the diagonal of D for each row."""
    out[:] = 0.0
    last, constant = out[-1], vector[-1]
    line = np.empty(out.shape[1], out.dtype)
    for doc in range(documents.starts.size):
        start, end, scale = documents.starts[doc], documents.ends[doc], documents.scales[doc]
        line[:] = 0.0
        add_products(documents.columns, documents.values, start, end, vector, line)
        for row in range(curvature.shape[1]):
            line[row] = curvature[doc, row] * (scale * line[row] + constant[row])
            last[row] += line[row]
            line[row] *= scale
        spread(documents.columns, documents.values, start, end, line, out)


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc"})
def softmax_product(
    documents: DocumentArrays,
    costs: NDArray[Any],
    chances: NDArray[Any],
    vector: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """out = X' D X vector with D = c (diag(p) − p p') for each document."""
    out[:] = 0.0
    last, constant = out[-1], vector[-1]
    line = np.empty(out.shape[1], out.dtype)
    for doc in range(documents.starts.size):
        start, end, scale = documents.starts[doc], documents.ends[doc], documents.scales[doc]
        line[:] = 0.0
        add_products(documents.columns, documents.values, start, end, vector, line)
        cost, p = costs[doc], chances[doc]
        mean = line.dtype.type(0.0)
        for row in range(p.size):
            line[row] = p[row] * (scale * line[row] + constant[row])
            mean += line[row]
        for row in range(p.size):
            line[row] = cost * (line[row] - mean * p[row])
            last[row] += line[row]
            line[row] *= scale
        spread(documents.columns, documents.values, start, end, line, out)
