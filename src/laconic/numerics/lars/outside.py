"""Columns that are not in memory: would any of them have entered a path over those that are?

A column k outside enters where |g_k| = |x_k'ρ| reaches λ₁, with ρ the residuals of the path. The
active columns do not change between two points of the path, at λ₁ = a and b < a.

With the squared loss, ρ is linear in λ₁ there. So are g_k and −g_k, and a linear function that is
at most λ₁ at both ends is at most λ₁ in between: it suffices to compare at the points. Other losses
have corners between the points, where documents cross a border, or are curved. By the bound of
`laconic.numerics.lars.fast`, at the share τ of the way,

    ‖ρ(τ) − chord‖² ≤ τ(1 − τ)·bend,   bend = ((a − b) s'Δβ − ‖Δρ‖²/c − alpha ‖Δβ‖²) c,

for a loss whose slope grows by at most c (¼ for the logistic loss, 1 for others). So column k does
not reach λ₁ if 4pq ≥ ‖x_k‖²·bend, with p and q its slack λ₁ ∓ g_k at the two ends. A greedy path
(`forward`) selects columns at its points only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from laconic.numerics.blocks import Blocks
from laconic.numerics.lars.documents import Documents
from laconic.numerics.lars.fast import STRAIGHT
from laconic.numerics.lars.newton import LOGISTIC, minimum, slope
from laconic.numerics.lars.state import FEATURE_TIE, ZERO_L1, Bias, LarsPoint
from laconic.numerics.spectral.spectrum import column_squares
from laconic.types import Floats, Int64s

NO_COLUMNS: Int64s = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Trace:
    """A path over the columns in memory.

    `points` are all points, the first without columns. `at_points` is True if columns can enter at
    the points only.
    """

    documents: Documents
    y_signed: Floats
    points: Sequence[LarsPoint]
    loss: str
    alpha: float
    at_points: bool

    @property
    def tie(self) -> float:
        """Gradients that differ by less are tied."""
        documents = self.documents
        rounding = ZERO_L1 * float(documents.lengths.max()) * np.sqrt(documents.n_docs)
        return max(2.0 * FEATURE_TIE * self.points[0].l1, float(rounding))

    def residuals(self, point: LarsPoint) -> Floats:
        fitted = self.documents.by_column[:, point.columns] @ point.coef + point.intercept
        return self.y_signed * slope(self.y_signed * fitted, self.loss)

    def bend(self, first: LarsPoint, last: LarsPoint, residuals: Floats) -> float:
        """How far the residuals may be from the chord between neighbouring points, see above."""
        if self.at_points:
            return 0.0
        growth = 0.25 if self.loss == LOGISTIC else 1.0
        before = np.append(first.coef, np.zeros(last.size - first.size))
        signed = self.documents.products(last.columns, residuals[:, 0]) + self.alpha * before
        coef, moved = before - last.coef, residuals[:, 0] - residuals[:, 1]
        total = (1.0 - last.l1 / first.l1) * float(signed @ coef)
        penalty = float(coef @ coef) + (first.intercept - last.intercept) ** 2
        bend = (total - float(moved @ moved) / growth - self.alpha * penalty) * growth
        return bend if bend > STRAIGHT * total else 0.0


def start(y_signed: Floats, first_l1: float, *, loss: str, alpha: float, bias: Bias) -> LarsPoint:
    """The point without columns, where λ₁ is `first_l1`."""
    intercept = 0.0
    if bias == "always":
        ones = csr_array(np.ones((y_signed.size, 1)))
        intercept = float(minimum(ones, y_signed, loss=loss, alpha=alpha).coef[0])
    empty = np.empty(0)
    return LarsPoint(NO_COLUMNS, empty, intercept, first_l1, empty, NO_COLUMNS)


def excess(traces: Sequence[Trace], outside: Blocks) -> Floats:
    """The largest |g| / λ₁ of each column that might have entered one of the paths, else 0.

    The gradients of so many points are computed in one pass over the blocks as fit into memory.
    """
    largest = np.zeros(outside.shape[1])
    limit = max(2, outside.memory // (16 * sum(outside.shape)))
    for windows in _passes(traces, limit):
        residuals = [np.column_stack([*map(trace.residuals, points)]) for trace, points in windows]
        g, squares = outside.total(gradients, np.hstack(residuals))
        ends = np.cumsum([len(points) for _, points in windows])
        for (trace, points), known, of_points in zip(
            windows, residuals, np.split(g, ends[:-1], axis=1), strict=True
        ):
            np.maximum(largest, _entering(trace, points, known, of_points, squares), out=largest)
    return largest


def gradients(block: csr_array, residuals: Floats) -> tuple[Floats, Floats]:
    """X'ρ of all residuals, and the squared length of each column."""
    return np.asarray(block.T @ residuals), column_squares(block)


Window = tuple[Trace, Sequence[LarsPoint]]


def _passes(traces: Sequence[Trace], limit: int) -> Iterator[list[Window]]:
    """Neighbouring points, at most `limit` together; windows of one path share a point."""
    windows: list[Window] = []
    for trace in traces:
        for first in range(0, max(len(trace.points) - 1, 1), limit - 1):
            points = trace.points[first : first + limit]
            if windows and sum(len(others) for _, others in windows) + len(points) > limit:
                yield windows
                windows = []
            windows.append((trace, points))
    if windows:
        yield windows


def _entering(
    trace: Trace, points: Sequence[LarsPoint], residuals: Floats, g: Floats, squares: Floats
) -> Floats:
    """The largest |g| / λ₁ of each column that might enter at these points, or between them."""
    l1, tie = np.array([point.l1 for point in points]), trace.tie
    might = ((np.abs(g) > l1 - tie) & (np.abs(g) > tie)).any(axis=1)
    for at in range(len(points) - 1):
        bend = trace.bend(points[at], points[at + 1], residuals[:, at : at + 2])
        for side in (-1.0, 1.0) if bend > 0.0 else ():
            p, q = (np.maximum(l1[end] - side * g[:, end], 0.0) for end in (at, at + 1))
            might |= 4.0 * p * q < squares * bend
    ratios = np.abs(g) / np.maximum(l1, tie)
    return np.where(might, np.maximum(ratios.max(axis=1), tie), 0.0)
