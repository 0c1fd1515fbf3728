"""Logistic regression to a stated gap: binary problems of several rows, or one multinomial.

Rows that have no finite optimum have the limit of w, and an intercept as if half a document of
weight 1 were on the side, or in the class, that has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log1p
from typing import Self

import numpy as np

from laconic.errors import LaconicError
from laconic.numerics.blocks import Blocks
from laconic.numerics.logistic.block_documents import ScaledDocuments
from laconic.numerics.logistic.losses import BinaryProblems, LogisticLoss, Sigmoids, Softmax
from laconic.numerics.logistic.newton import Newton
from laconic.numerics.svm.input import Rows
from laconic.types import Bools, Columns, Floats, Int64s

# The largest number of Newton steps.
STEPS = 200
# Binary problems that are solved together.
BLOCK = 24
# With up to this many scores, a problem is solved to at least this gap, and then takes one more
# step: that is cheap and leaves only rounding.
SMALL, FINE = 10_000, 1e-8


@dataclass(frozen=True, eq=False)
class LogisticSolution:
    """Coefficients (n_rows, n_columns) and intercepts; `gap`, `solved` and `steps` per problem.

    Steps are Newton steps, or passes over blocks.
    """

    coef: Floats
    intercept: Floats
    gap: Floats
    solved: Bools
    steps: Int64s

    @classmethod
    def empty(cls, n_rows: int, n_columns: int, n_problems: int) -> Self:
        """All coefficients and gaps 0, every problem solved."""
        return cls(
            np.zeros((n_rows, n_columns)),
            np.zeros(n_rows),
            np.zeros(n_problems),
            np.ones(n_problems, dtype=bool),
            np.zeros(n_problems, dtype=np.int64),
        )

    def write(self, rows: Columns, packed: Floats, unit: float) -> None:
        """Rows as the solver stores them, for documents that are divided by the unit."""
        self.coef[rows] = packed[:-1].T / unit
        self.intercept[rows] = packed[-1]

    def put(self, rows: Columns, part: LogisticSolution) -> None:
        """Write the solutions of some independent rows."""
        for whole, of_rows in (
            (self.coef, part.coef),
            (self.intercept, part.intercept),
            (self.gap, part.gap),
            (self.solved, part.solved),
            (self.steps, part.steps),
        ):
            whole[rows] = of_rows


@dataclass(frozen=True, eq=False)
class PrimalStart:
    """Coefficients and intercepts to start from; other columns start at 0."""

    coef: Floats
    intercept: Floats

    def moved(self, here: PrimalStart, before: PrimalStart) -> PrimalStart:
        """This start plus the way from `before` to `here`, in the columns of `here`.

        From the solution of another size at this alpha, and the way between the two sizes at
        another alpha, it is near the solution of the new size.
        """
        coef = here.coef.copy()
        for other, sign in ((self, 1.0), (before, -1.0)):
            n_shared = min(coef.shape[1], other.coef.shape[1])
            coef[:, :n_shared] += sign * other.coef[:, :n_shared]
        return PrimalStart(coef, self.intercept + here.intercept - before.intercept)

    def packed(self, rows: Columns, n_columns: int, unit: float, intercept: bool) -> Floats:
        """As the solver stores them, for documents that are divided by the unit."""
        packed = np.zeros((n_columns + 1, rows.size))
        n_shared = min(n_columns, self.coef.shape[1])
        packed[:n_shared] = unit * self.coef[rows, :n_shared].T
        if intercept:
            packed[-1] = self.intercept[rows]
        return packed


def solve_sigmoids(
    documents: Rows | Blocks,
    y_signed: Floats,
    costs: Floats,
    alpha: float,
    *,
    intercept: bool = True,
    start: PrimalStart | None = None,
    tolerance: float = 1e-8,
) -> LogisticSolution:
    """One binary problem per column of y_signed and costs."""
    scaled, loss = ScaledDocuments.of(documents), Sigmoids(y_signed, costs)
    solution, one_sided = solve_rows(scaled, loss, alpha, intercept, start, tolerance)
    for row in one_sided:
        solution.intercept[row] = _one_sided_intercept(y_signed[:, row], costs[:, row])
    return solution


def solve_rows(
    documents: ScaledDocuments,
    loss: BinaryProblems,
    alpha: float,
    intercept: bool,
    start: PrimalStart | None,
    tolerance: float,
) -> tuple[LogisticSolution, Columns]:
    """All binary problems, and those that have no finite intercept, which are 0."""
    n_rows = loss.costs.shape[1]
    solution = LogisticSolution.empty(n_rows, documents.n_columns, n_rows)
    one_sided = np.zeros(n_rows, dtype=bool)
    if intercept:
        one_sided = _one_sided(loss.y_signed, loss.costs)
    order = np.argsort((loss.costs * (loss.y_signed > 0)).sum(axis=0), kind="stable")
    order = order[~one_sided[order]]
    for first in range(0, order.size, BLOCK):
        block = order[first : first + BLOCK]
        _solve(documents, loss.only(block), alpha, intercept, block, start, tolerance, solution)
    return solution, np.flatnonzero(one_sided)


def solve_softmax(
    documents: Rows | Blocks,
    codes: Int64s,
    n_classes: int,
    costs: Floats,
    alpha: float,
    *,
    intercept: bool = True,
    start: PrimalStart | None = None,
    tolerance: float = 1e-8,
) -> LogisticSolution:
    """One multinomial problem; `codes` are the numbers of the documents' classes."""
    scaled = ScaledDocuments.of(documents)
    solution = LogisticSolution.empty(n_classes, documents.n_columns, 1)
    present = np.arange(n_classes)
    if intercept:
        present = np.flatnonzero(np.bincount(codes, weights=costs, minlength=n_classes) > 0)
    if present.size > 1:
        places = np.searchsorted(present, np.where(costs > 0, codes, present[0]))
        loss = Softmax(places, costs, present.size)
        _solve(scaled, loss, alpha, intercept, present, start, tolerance, solution)
        solution.intercept[present] -= solution.intercept[present].mean()
    if present.size < n_classes:
        absent = np.setdiff1d(np.arange(n_classes), present)
        solution.intercept[absent] = _absent_intercept(scaled, costs, solution, present)
    return solution


def _solve(
    rows: ScaledDocuments,
    loss: LogisticLoss,
    alpha: float,
    intercept: bool,
    block: Columns,
    start: PrimalStart | None,
    tolerance: float,
    solution: LogisticSolution,
) -> None:
    """Solve the rows of a block, and write them into the solution."""
    unit, passed = rows.unit, rows.passes(0)
    packed = np.zeros((rows.n_columns + 1, block.size))
    if start is not None:
        packed = start.packed(block, rows.n_columns, unit, intercept)
    newton = Newton.start(rows.documents, loss, alpha_in(unit, alpha), intercept, packed)
    small = rows.in_memory and newton.scores.size <= SMALL
    if small:
        tolerance = min(tolerance, FINE)
    for step in range(STEPS + 1):
        done = newton.gaps <= tolerance
        if done.any() or step == STEPS:
            done = newton.settle(tolerance)
            if small and done.any():
                newton.step(0.0)
                done = newton.settle(tolerance)
        gaps = newton.gaps
        finished = np.flatnonzero(done | (step == STEPS))
        solution.write(block[finished], newton.coef[:, finished], unit)
        # the rows of a multinomial are one problem, and finish together
        problems = np.minimum(block[finished], solution.gap.size - 1)
        solution.gap[problems], solution.solved[problems] = gaps[finished], done[finished]
        solution.steps[problems] = rows.passes(step) - passed
        if finished.size == block.size:
            return
        if finished.size:
            rest = np.setdiff1d(np.arange(block.size), finished)
            block, newton = block[rest], newton.only(rest)
        newton.step(tolerance)


def alpha_in(unit: float, alpha: float) -> float:
    """The alpha that makes documents in this unit the same problem."""
    scaled = alpha / unit / unit
    if not (isfinite(scaled) and scaled > 0.0):
        raise LaconicError(
            f"documents of a length of about {unit:.0e}: alpha={alpha:g} over the squared length "
            "overflows or underflows. Divide documents by their lengths"
        )
    return scaled


def _one_sided(y_signed: Floats, costs: Floats) -> Bools:
    """Rows whose documents with a weight all have the same label."""
    yes, no = (costs * (y_signed > 0)).sum(axis=0), (costs * (y_signed < 0)).sum(axis=0)
    return np.asarray((yes == 0) | (no == 0))


def _half_document(total: float) -> float:
    """The log odds of all documents against half a document of weight 1."""
    return log1p(2.0 * total)


def _one_sided_intercept(y_signed: Floats, costs: Floats) -> float:
    labels = y_signed[costs > 0]
    return float(labels[0]) * _half_document(float(costs.sum())) if labels.size else 0.0


def _absent_intercept(
    rows: ScaledDocuments, costs: Floats, solution: LogisticSolution, present: Columns
) -> float:
    """The intercept of classes without documents, below the mean log Σ exp f of the others."""
    total = float(costs.sum())
    if total == 0.0:
        return 0.0
    packed = np.vstack([rows.unit * solution.coef[present].T, solution.intercept[present]])
    values = rows.documents.scores(packed)
    largest = values.max(axis=1)
    logs = largest + np.log(np.exp(values - largest[:, None]).sum(axis=1))
    return float(costs @ logs) / total - _half_document(total)
