"""The active set of the logistic loss, log(1 + exp(−margin)).

Its path is curved: a direction is a tangent, and every document has its own curvature, so the
factor is recomputed for every Newton step. The minimum exists at every λ₁ > 0, even with
alpha = 0: the possible gradients of the loss form a convex set whose closure contains 0, so with
λ₁ s the set contains the whole segment from λ₁ s to 0. Damped Newton steps converge to it.
"""

from __future__ import annotations

import numpy as np

from laconic.numerics.lars.active_set import PIECES, Direction, largest
from laconic.numerics.lars.documents import Documents
from laconic.numerics.lars.jumps import MAX_CORRECTIONS, JumpingActiveSet
from laconic.numerics.lars.newton import LOGISTIC, curvature, share_of_step, slope
from laconic.types import Floats

# If Newton's method stalls, this many times the negligible error is close enough.
CLOSE = 1e4
# λ₁ below this share of the first counts as 0: further down many features are tied.
SMALLEST = 1e-8


class LogisticActiveSet(JumpingActiveSet):
    """All documents count as active: the loss has a single part."""

    def __init__(self, documents: Documents, y_signed: Floats, alpha: float) -> None:
        super().__init__(documents, y_signed, PIECES["squared"], alpha)
        self.residuals = -0.5 * y_signed
        self.smallest = SMALLEST

    @property
    def curvature(self) -> Floats:
        return curvature(self.margins, LOGISTIC)

    def direction(self) -> Direction:
        coef = -self.factor.solve(self.entry_signs)
        shift = self.rows.combination(coef, self._shift)
        return Direction(coef, self.y_signed * shift, self.curvature * shift, 0.0)

    def recompute(self) -> Floats:
        self.margins = self.y_signed * self.rows.combination(self.coef, self._shift)
        self.residuals = self.y_signed * slope(self.margins, LOGISTIC)
        return self.error

    def polish(self) -> bool:
        return self.return_to_path()

    def return_to_path(self) -> bool:
        """Damped Newton steps to rounding accuracy; the factor is that of the final point."""
        error, last_size = self.recompute(), np.inf
        for _ in range(MAX_CORRECTIONS):
            if not self.refactor():
                return False
            size = largest(error)
            if size <= self.negligible or last_size / 2 < size <= CLOSE * self.negligible:
                return True
            error, last_size = self.correct(error), size
        return False

    def correct(self, error: Floats) -> Floats:
        """Damped Newton step against the error; returns the error that is left."""
        change = -self.factor.solve(error)
        margin_change = self.y_signed * self.rows.combination(change, self._shift)
        quadratic = self.alpha * float(change @ change)
        share = share_of_step(
            self.margins, margin_change, float(error @ change), quadratic, LOGISTIC
        )
        self.coef = self.coef + share * change
        return self.recompute()
