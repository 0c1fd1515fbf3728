"""A position that can jump: λ₁ moves at once, past many corners, and the model is repaired there.

The repair is Newton's method on f − λ₁ s'β over the entered columns. f has a second derivative but
on the borders between the parts of the loss; a step that takes documents over a border is followed
by one that knows where they are now.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from laconic.numerics.lars_documents import Floats, Places
from laconic.numerics.lars_position import (
    LINEAR,
    SQUARED,
    ZERO,
    Parts,
    Position,
    slopes,
)

# A document this little over a border has not crossed it.
ON_BORDER = 1e-12
# A document this close to a border stands on it.
NEARLY = 1e-10
# Newton steps before a repair is given up.
CORRECTIONS = 30
# So many documents are cheap to take over one by one, however few columns there are.
FEW = 20


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a failed jump has to give back."""

    l1: float
    coef: Floats
    margins: Floats
    residuals: Floats
    parts: Parts


class JumpingPosition(Position):
    """A position whose model can be repaired after a jump."""

    def settle(self) -> bool:
        """Back to the path at this λ₁, after a move along a straight line.

        False where that fails, or does not tell in which part of the loss each document is.
        f is quadratic as long as no document crosses a border, so that the error of a move, and of
        every Newton step after it, is what the documents have changed that did cross.
        """
        for _ in range(CORRECTIONS):
            docs, parts = self._astray()
            if not docs.size:
                return not self.is_on_border()
            foreseen = self.residuals[docs]
            if not self._regroup(docs, parts):
                return False
            error = self.rows.products(docs, self.residuals[docs] - foreseen)
            self._correct_along(-self.factor.solve(error))
        return False

    def is_on_border(self) -> bool:
        """Whether some document stands between two parts, so that its next one is not known."""
        return bool(_is_on_border(self.margins, self.pieces.lower, self.pieces.upper, NEARLY))

    def snapshot(self) -> Snapshot:
        return Snapshot(
            self.l1, self.coef, self.margins.copy(), self.residuals.copy(), self.parts.copy()
        )

    def restore(self, kept: Snapshot) -> bool:
        """Back to where it was; False where the factor cannot be had again."""
        self.l1, self.coef, self.parts = kept.l1, kept.coef, kept.parts
        self.margins, self.residuals = kept.margins, kept.residuals
        self.held[:] = False
        return self.refactor()

    def _astray(self) -> tuple[Places, Parts]:
        """Documents that are in another part of the loss than their margins say, and the part."""
        pieces = self.pieces
        docs, parts = _astray(self.margins, self.parts, pieces.lower, pieces.upper, ON_BORDER)
        return docs, parts

    def _regroup(self, docs: Places, parts: Parts) -> bool:
        """Take documents to other parts of the loss; the residuals and the factor follow."""
        derivatives = slopes(self.margins[docs], parts, self.pieces.lower)
        self.residuals[docs] = self.y_signed[docs] * derivatives
        if docs.size > max(self.columns.size, FEW):
            self.admissions += int((parts == SQUARED).sum())
            self.parts[docs] = parts
            return self.refactor()
        # those that come in first, so that the system stays as regular as it can
        order = np.argsort(parts != SQUARED, kind="stable")
        return all(map(self.cross, docs[order], parts[order]))

    def _correct_along(self, change: Floats) -> None:
        """A Newton step, with all that follows from it while no document crosses a border."""
        ahead = self.rows.combination(change, self._ahead)
        self.coef = self.coef + change
        _shift(self.margins, self.residuals, ahead, self.y_signed, self.parts)


@njit(nogil=True, cache=True)
def _shift(
    margins: Floats, residuals: Floats, ahead: Floats, y_signed: Floats, parts: Parts
) -> None:
    for doc in range(margins.size):
        margins[doc] += y_signed[doc] * ahead[doc]
        residuals[doc] += ahead[doc] if parts[doc] == SQUARED else 0.0


@njit(nogil=True, cache=True)
def _astray(
    margins: Floats, parts: Parts, lower: float, upper: float, tolerance: float
) -> tuple[Places, Parts]:
    docs, news = [], []
    for doc in range(margins.size):
        margin, part = margins[doc], parts[doc]
        if part == ZERO and margin < upper - tolerance:
            part = SQUARED if margin >= lower else LINEAR
        elif part == LINEAR and margin > lower + tolerance:
            part = SQUARED if margin <= upper else ZERO
        elif part == SQUARED and margin > upper + tolerance:
            part = ZERO
        elif part == SQUARED and margin < lower - tolerance:
            part = LINEAR
        if part != parts[doc]:
            docs.append(doc)
            news.append(part)
    return np.array(docs, dtype=np.int64), np.array(news, dtype=np.int8)


@njit(nogil=True, cache=True)
def _is_on_border(margins: Floats, lower: float, upper: float, tolerance: float) -> bool:
    for doc in range(margins.size):
        if abs(margins[doc] - upper) <= tolerance or abs(margins[doc] - lower) <= tolerance:
            return True
    return False
