"""The squared hinge over blocks, by Newton's method in w and b: one pass per product.

    min Σ c max(0, 1 − y (x'w + b))² + alpha ‖w‖²

The gap. With slack s = max(0, 1 − y f), the duals of (w, b) are 2 c s / (2 alpha), and their w is
v = w − g / (2 alpha), g being the gradient by w. If the intercept is free, only duals with
Σ y α = 0 bound the objective from below: those of the heavier side are scaled down by a share δ,
which moves v by at most |Σ y α| times the longest document. The gap is then at most

    δ² Σ c s² + (‖g‖ + |g_b| longest)² / (4 alpha),    δ = |g_b| / Σ 2 c s of the heavier side,

with g_b the gradient by b, which is 0 up to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from laconic.numerics.blocks import Blocks
from laconic.numerics.logistic.block_documents import BlockDocuments, ScaledDocuments
from laconic.numerics.logistic.losses import BinaryProblems, Slopes
from laconic.numerics.logistic.newton import Newton
from laconic.numerics.logistic.solve import LogisticSolution, PrimalStart, alpha_in, solve_rows
from laconic.numerics.quotient import quotient
from laconic.types import Floats

# The solver's own bound ends a little below the tolerance, for the rounding of the intercept.
CAREFUL = 0.999


@dataclass(frozen=True, eq=False)
class SquaredHinges(BinaryProblems):
    """Σ c max(0, 1 − y f)² of each row."""

    @property
    def largest_curvature(self) -> float:
        return 2.0 * float(self.costs.max(initial=0.0))

    def slopes(self, scores: Floats) -> Slopes:
        residuals, curvature = np.empty(scores.shape), np.empty(scores.shape)
        values = hinge_slopes(scores, self.y_signed, self.costs, residuals, curvature)
        return Slopes(values, residuals, curvature)


@njit(nogil=True, cache=True)
def hinge_slopes(
    scores: Floats, y_signed: Floats, costs: Floats, residuals: Floats, curvature: Floats
) -> Floats:
    """Fills residuals and curvature; returns the loss of each row."""
    values = np.zeros(scores.shape[1])
    for doc in range(scores.shape[0]):
        for row in range(values.size):
            label, cost = y_signed[doc, row], costs[doc, row]
            slack = max(0.0, 1.0 - label * scores[doc, row])
            values[row] += cost * slack * slack
            residuals[doc, row] = -2.0 * cost * label * slack
            curvature[doc, row] = 2.0 * cost if slack > 0.0 else 0.0
    return values


@dataclass(frozen=True, eq=False)
class PrimalMachines:
    """The solution, and the signed duals α y of shape (n_docs, n_rows), with C = c / (2 alpha)."""

    solution: LogisticSolution
    duals: Floats


def solve_squared_hinges(
    documents: Blocks,
    y_signed: Floats,
    costs: Floats,
    alpha: float,
    *,
    intercept: bool = True,
    start: PrimalStart | None = None,
    tolerance: float = 1e-8,
) -> PrimalMachines:
    """One machine per column of y_signed and costs.

    Rows whose documents are all on one side have w = 0 and b = ±1.
    """
    scaled, loss = ScaledDocuments.of(documents), SquaredHinges(y_signed, costs)
    inputs = alpha, intercept, start, CAREFUL * tolerance
    solution, one_sided = solve_rows(scaled, loss, *inputs)
    for row in one_sided:
        labels = y_signed[costs[:, row] > 0, row]
        solution.intercept[row] = labels[0] if labels.size else 0.0
    gaps, residuals = certificate(scaled, loss, alpha, intercept, solution)
    certified = replace(solution, gap=gaps, solved=gaps <= tolerance)
    return PrimalMachines(certified, residuals / (-2.0 * alpha))


def certificate(
    documents: ScaledDocuments,
    loss: SquaredHinges,
    alpha: float,
    intercept: bool,
    solution: LogisticSolution,
) -> tuple[Floats, Floats]:
    """The duality gap of each row as a share of its objective, and the residuals of documents.

    Computed from the coefficients alone, by two passes.
    """
    blocks, unit = documents.documents, documents.unit
    assert isinstance(blocks, BlockDocuments)
    rows, scaled_alpha = np.arange(loss.costs.shape[1]), alpha_in(unit, alpha)
    point = PrimalStart(solution.coef, solution.intercept)
    packed = point.packed(rows, documents.n_columns, unit, intercept)
    newton = Newton.start(blocks, loss, scaled_alpha, intercept, packed)
    lengths = np.linalg.norm(newton.gradient[:-1], axis=0)
    residuals, bound = newton.slopes.residuals, np.zeros(rows.size)
    if intercept:
        balance = np.abs(newton.gradient[-1])
        sides = np.array([np.maximum(sign * residuals, 0.0).sum(axis=0) for sign in (-1, 1)])
        share = quotient(balance, sides.max(axis=0))
        bound = share**2 * newton.slopes.values
        lengths = lengths + balance * (blocks.longest / unit)
    bound = bound + lengths**2 / (4.0 * scaled_alpha)
    return quotient(bound, newton.objective), residuals
