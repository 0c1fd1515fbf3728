"""A position on the path of the logistic loss, log(1 + exp(−margin)).

Its path is curved: a direction is a tangent, and every document has its own curvature, so that the
factor is computed again for every Newton step. The minimum that a Newton step looks for exists at
every λ₁ > 0, also without λ₂: the gradients that the loss can have form a convex set whose closure
contains 0, so with λ₁ s it contains all of the way from there to 0. Damped steps find it.
"""

from __future__ import annotations

import numpy as np

from laconic.numerics.lars_documents import Documents, Floats
from laconic.numerics.lars_jumps import CORRECTIONS, JumpingPosition
from laconic.numerics.lars_position import PIECES, Direction, largest
from laconic.numerics.newton import LOGISTIC, curvature, share_of_step, slope

# So many times the negligible error is close enough where Newton's method gets no closer.
CLOSE = 1e4
# λ₁ below this share of the first is 0: further down many features are tied.
SMALLEST = 1e-8


class LogisticPosition(JumpingPosition):
    """All documents count as active: the loss has one part only."""

    def __init__(self, documents: Documents, y_signed: Floats, alpha: float) -> None:
        super().__init__(documents, y_signed, PIECES["squared"], alpha)
        self.residuals = -0.5 * y_signed
        self.smallest = SMALLEST

    @property
    def curvature(self) -> Floats:
        return curvature(self.margins, LOGISTIC)

    def direction(self) -> Direction:
        coef = -self.factor.solve(self.pulls)
        ahead = self.rows.combination(coef, self._ahead)
        return Direction(coef, self.y_signed * ahead, self.curvature * ahead, 0.0)

    def measure(self) -> Floats:
        self.margins = self.y_signed * self.rows.combination(self.coef, self._ahead)
        self.residuals = self.y_signed * slope(self.margins, LOGISTIC)
        return self.error

    def polish(self) -> bool:
        return self.settle()

    def settle(self) -> bool:
        """Damped Newton steps, to the last digit; the factor is that of the last point."""
        error, before = self.measure(), np.inf
        for _ in range(CORRECTIONS):
            if not self.refactor():
                return False
            now = largest(error)
            if now <= self.negligible or before / 2 < now <= CLOSE * self.negligible:
                return True
            error, before = self.correct(error), now
        return False

    def correct(self, error: Floats) -> Floats:
        """A Newton step against the error, as much of it as leads down; the error that is left."""
        change = -self.factor.solve(error)
        ahead = self.y_signed * self.rows.combination(change, self._ahead)
        quadratic = self.alpha * float(change @ change)
        share = share_of_step(self.margins, ahead, float(error @ change), quadratic, LOGISTIC)
        self.coef = self.coef + share * change
        return self.measure()
