"""Newton's method for min Σ c loss + alpha ‖w‖², with conjugate gradients for the steps.

The bound. Let b be optimal for w, and g the gradient by w. Then F(w) = min_b f(w, b) is
2 alpha-strongly convex with gradient g, so F(w) − min F ≤ ‖g‖² / (4 alpha). This is the duality
gap: the probabilities at (w, b) are feasible for the dual, and their w is w − g / (2 alpha).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from laconic.numerics.logistic.block_documents import SolverDocuments, curved
from laconic.numerics.logistic.hessian import Curved, Hessian, move, turn
from laconic.numerics.logistic.losses import LogisticLoss, Slopes
from laconic.types import Bools, Columns, Floats

# Conjugate gradients stop at FORCING of the first residual, or at less near the optimum.
FORCING = 0.3
CG_STEPS = 500
# A step also ends where its residual promises this share of the tolerance; SHARPER of it after the
# promise was broken, because the intercept was not optimal.
PROMISE = 0.5
SHARPER = 0.1
SUFFICIENT = 1e-4
HALVINGS = 40
INTERCEPT_STEPS = 60
# The gradient by the intercept may be this share of the weights of all documents.
BALANCED = 1e-13
TINY = 1e-300


@dataclass(eq=False)
class Newton:
    """The current point of all problems, its scores and its gradient."""

    documents: SolverDocuments
    loss: LogisticLoss
    alpha: float
    intercept: bool
    coef: Floats
    scores: Floats
    slopes: Slopes
    gradient: Floats
    first: Floats
    promise: float = PROMISE
    copies: Curved | None = None

    @classmethod
    def start(
        cls,
        documents: SolverDocuments,
        loss: LogisticLoss,
        alpha: float,
        intercept: bool,
        coef: Floats,
    ) -> Newton:
        values = documents.scores(coef)
        slopes, empty = loss.slopes(values), np.empty(0)
        newton = cls(
            documents, loss, alpha, intercept, coef, values, slopes, np.empty_like(coef), empty
        )
        newton.find_gradient()
        newton.first = newton.lengths()
        return newton

    @property
    def penalty(self) -> Floats:
        """Twice alpha for words, 0 for the intercept."""
        penalty = np.full((self.coef.shape[0], 1), 2.0 * self.alpha)
        penalty[-1] = 0.0
        return penalty

    @property
    def objective(self) -> Floats:
        """The objective of each row's problem."""
        return self.slopes.values + self.alpha * self._total(self.coef[:-1], self.coef[:-1])

    @property
    def gaps(self) -> Floats:
        """The bound as a share of the objective; valid where the intercepts are optimal."""
        objective = self.objective
        bound = self._total(self.gradient[:-1], self.gradient[:-1]) / (4.0 * self.alpha)
        return np.asarray(np.divide(bound, objective, out=bound, where=objective > 0))

    def lengths(self) -> Floats:
        return np.asarray(np.sqrt(self._total(self.gradient, self.gradient)))

    def find_gradient(self) -> None:
        self.documents.sums(self.slopes.residuals, self.gradient)
        self.gradient += self.penalty * self.coef
        if not self.intercept:
            self.gradient[-1] = 0.0

    def only(self, rows: Columns) -> Newton:
        """Some of the independent problems."""
        loss, slopes = self.loss.only(rows), self.slopes.only(rows)
        arrays = (self.coef, self.scores, self.gradient)
        coef, values, gradient = (np.ascontiguousarray(array[:, rows]) for array in arrays)
        return replace(
            self,
            loss=loss,
            coef=coef,
            scores=values,
            slopes=slopes,
            gradient=gradient,
            first=self.first[rows],
        )

    def balance(self) -> None:
        """Make the intercepts optimal for the coefficients, to rounding, by Newton steps."""
        if not self.intercept:
            return
        rounding = BALANCED * np.abs(self.slopes.residuals).sum(axis=0) + TINY
        for _ in range(INTERCEPT_STEPS):
            if (np.abs(self.slopes.residuals.sum(axis=0)) <= rounding).all():
                break
            shift = self.loss.intercept_step(self.slopes)
            if not self._shift_intercept(shift):
                break
        self.find_gradient()

    def _shift_intercept(self, shift: Floats) -> bool:
        """Move intercepts by as much of the shift as does not raise the loss; False if none."""
        trial = self.scores + shift
        slopes = self.loss.slopes(trial)
        for _ in range(HALVINGS):
            slope = self.loss.per_problem(shift * slopes.residuals.sum(axis=0))
            raised = (slopes.values > self.slopes.values) & (slope > 0)
            if not raised.any():
                break
            shift = np.where(raised, 0.5 * shift, shift)
            trial = self.scores + shift
            slopes = self.loss.slopes(trial)
        self.coef[-1] += shift
        self.scores, self.slopes = trial, slopes
        return bool(shift.any())

    def settle(self, tolerance: float) -> Bools:
        """Make intercepts optimal; which problems are then solved."""
        near = self.gaps <= tolerance
        self.balance()
        solved = np.asarray(self.gaps <= tolerance)
        if (near & ~solved).any():
            self.promise *= SHARPER
        return solved

    def step(self, tolerance: float) -> None:
        """One Newton step with a line search in each problem."""
        direction = self.direction(tolerance)
        change = self.documents.scores(direction)
        before = self.objective
        descent = self._total(self.gradient, direction)
        length = np.ones(self.coef.shape[1])
        coef, values = self.coef, self.scores
        for _ in range(HALVINGS):
            self.coef, self.scores = coef + length * direction, values + length * change
            self.slopes = self.loss.slopes(self.scores)
            enough = self.objective <= before + SUFFICIENT * length * descent
            if enough.all():
                break
            enough |= self._slope(direction, change) <= 0.0
            if enough.all():
                break
            length = np.where(enough, length, 0.5 * length)
        self.find_gradient()

    def _slope(self, direction: Floats, change: Floats) -> Floats:
        """The derivative along the direction; immune to the rounding of the objective."""
        by_scores = np.einsum("ij,ij->j", self.slopes.residuals, change)
        by_coef = 2.0 * self.alpha * np.einsum("ij,ij->j", self.coef[:-1], direction[:-1])
        return self.loss.per_problem(by_scores + by_coef)

    def direction(self, tolerance: float) -> Floats:
        """Conjugate gradients on the Newton system, preconditioned by its diagonal."""
        hessian = self.hessian()
        residual, inverse = -self.gradient, 1.0 / hessian.diagonal()
        along, product = inverse * residual, np.empty_like(residual)
        solution = np.zeros_like(residual)
        energy = self._total(residual, along)
        forcing = np.minimum(FORCING, np.sqrt(self.lengths() / np.maximum(self.first, TINY)))
        target = forcing**2 * energy
        promise = self.promise * tolerance * 4.0 * self.alpha * self.objective
        running = self._total(residual[:-1], residual[:-1]) > promise
        for _ in range(CG_STEPS):
            curvature = self.loss.per_problem(hessian.product(along, product))
            running &= (energy > 0) & (curvature > 0)
            length = np.divide(energy, curvature, out=np.zeros_like(energy), where=running)
            totals = move(length, along, product, inverse, solution, residual)
            new, squares = (self.loss.per_problem(total) for total in totals)
            running &= (new > target) & (squares > promise)
            if not running.any():
                break
            turn(np.where(running, new / np.maximum(energy, TINY), 0.0), inverse, residual, along)
            energy = new
        return solution

    def hessian(self) -> Hessian:
        if self.copies is None:
            self.copies = curved(self.documents, self.loss, self.alpha)
        curvature, penalty = self.slopes.curvature, self.penalty[:, 0]
        return Hessian.at(self.copies, self.loss, curvature, penalty, self.intercept)

    def _total(self, left: Floats, right: Floats) -> Floats:
        return self.loss.per_problem(np.einsum("ij,ij->j", left, right))
