"""A position on the path of the logistic loss, log(1 + exp(−margin)).

Its path is curved: a direction is a tangent, and every document has its own curvature, so that the
factor is computed anew for every Newton step.
"""

from __future__ import annotations

import numpy as np

from laconic.numerics.lars_documents import Documents, Floats
from laconic.numerics.lars_jumps import CORRECTIONS, JumpingPosition
from laconic.numerics.lars_position import PIECES, Direction, largest
from laconic.numerics.newton import LOGISTIC, slope

# So many times the negligible error is close enough where Newton's method gets no closer.
CLOSE = 1e4


class LogisticPosition(JumpingPosition):
    """All documents count as active: the loss has one part only."""

    farthest = 0.9

    def __init__(self, documents: Documents, signs: Floats, l2: float) -> None:
        super().__init__(documents, signs, PIECES["squared"], l2)
        self.residuals = -0.5 * signs

    @property
    def curvature(self) -> Floats:
        wrong = np.abs(self.residuals)
        return wrong * (1.0 - wrong)

    def direction(self) -> Direction:
        coef = -self.factor.solve(self.pulls)
        ahead = self.rows.combination(coef, self._ahead)
        return Direction(coef, self.signs * ahead, self.curvature * ahead, 0.0)

    def measure(self) -> Floats:
        self.margins = self.signs * self.rows.combination(self.coef, self._ahead)
        self.residuals = self.signs * slope(self.margins, LOGISTIC)
        return self.error

    def polish(self) -> bool:
        return self.settle()

    def settle(self) -> bool:
        """Newton's method, to the last digit; the factor is that of the last point."""
        error, before = self.measure(), np.inf
        for _ in range(CORRECTIONS):
            if not self.refactor():
                return False
            now = largest(error)
            if now <= self.negligible or before / 2 < now <= CLOSE * self.negligible:
                return True
            error, before = self.correct(error), now
        return False
