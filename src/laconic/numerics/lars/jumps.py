"""An active set that can jump: λ₁ moves past many corners at once, then the model is corrected.

The correction is Newton's method on f − λ₁ s'β over the active columns. f has a second derivative
except on the borders between parts of the loss. A step that moves documents across a border is
followed by another, computed with their new parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from laconic.numerics.lars.active_set import LINEAR, SQUARED, ZERO, ActiveSet, Parts, slopes
from laconic.types import Floats, Int64s

# A document less than this past a border has not crossed it.
NOT_CROSSED = 1e-12
# A document this close to a border is on it.
ON_BORDER = 1e-10
# Newton steps before a correction is given up.
MAX_CORRECTIONS = 30
# Up to this many documents are cheap to move one by one, however few columns there are.
FEW = 20


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state that is restored after a failed jump."""

    l1: float
    coef: Floats
    margins: Floats
    residuals: Floats
    parts: Parts


class JumpingActiveSet(ActiveSet):
    """An active set whose model can be corrected after a jump."""

    def return_to_path(self) -> bool:
        """Correct the model at this λ₁ after a move along a straight line.

        False if that fails, or leaves a document between two parts of the loss. f is quadratic as
        long as no document crosses a border, so the error of a move, and of every Newton step
        after it, comes only from the documents that crossed one.
        """
        for _ in range(MAX_CORRECTIONS):
            docs, parts = self._misplaced()
            if not docs.size:
                return not self.is_on_border()
            predicted = self.residuals[docs]
            if not self._reassign(docs, parts):
                return False
            error = self.rows.products(docs, self.residuals[docs] - predicted)
            self._apply_correction(-self.factor.solve(error))
        return False

    def is_on_border(self) -> bool:
        """Whether a document is between two parts, so its next part is undetermined."""
        return bool(_is_on_border(self.margins, self.pieces.lower, self.pieces.upper, ON_BORDER))

    def snapshot(self) -> Snapshot:
        return Snapshot(
            self.l1, self.coef, self.margins.copy(), self.residuals.copy(), self.parts.copy()
        )

    def restore(self, snapshot: Snapshot) -> bool:
        """Return to an earlier state; False if its factor cannot be recomputed."""
        self.l1, self.coef, self.parts = snapshot.l1, snapshot.coef, snapshot.parts
        self.margins, self.residuals = snapshot.margins, snapshot.residuals
        self.held[:] = False
        return self.refactor()

    def _misplaced(self) -> tuple[Int64s, Parts]:
        """Documents whose margins belong to another part of the loss, and that part."""
        pieces = self.pieces
        docs, parts = _misplaced(self.margins, self.parts, pieces.lower, pieces.upper, NOT_CROSSED)
        return docs, parts

    def _reassign(self, docs: Int64s, parts: Parts) -> bool:
        """Move documents to other parts of the loss; update the residuals and the factor."""
        derivatives = slopes(self.margins[docs], parts, self.pieces.lower)
        self.residuals[docs] = self.y_signed[docs] * derivatives
        if docs.size > max(self.columns.size, FEW):
            self.admissions += int((parts == SQUARED).sum())
            self.parts[docs] = parts
            return self.refactor()
        # those that join the squared part first: the system stays as regular as possible
        order = np.argsort(parts != SQUARED, kind="stable")
        return all(map(self.move_document, docs[order], parts[order]))

    def _apply_correction(self, change: Floats) -> None:
        """Apply a Newton step to the model as if no document crossed a border."""
        shift = self.rows.combination(change, self._shift)
        self.coef = self.coef + change
        _apply_shift(self.margins, self.residuals, shift, self.y_signed, self.parts)


@njit(nogil=True, cache=True)
def _apply_shift(
    margins: Floats, residuals: Floats, shift: Floats, y_signed: Floats, parts: Parts
) -> None:
    """Change f(x_i) by `shift`."""
    for doc in range(margins.size):
        margins[doc] += y_signed[doc] * shift[doc]
        residuals[doc] += shift[doc] if parts[doc] == SQUARED else 0.0


@njit(nogil=True, cache=True)
def _misplaced(
    margins: Floats, parts: Parts, lower: float, upper: float, tolerance: float
) -> tuple[Int64s, Parts]:
    docs, new_parts = [], []
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
            new_parts.append(part)
    return np.array(docs, dtype=np.int64), np.array(new_parts, dtype=np.int8)


@njit(nogil=True, cache=True)
def _is_on_border(margins: Floats, lower: float, upper: float, tolerance: float) -> bool:
    for doc in range(margins.size):
        if abs(margins[doc] - upper) <= tolerance or abs(margins[doc] - lower) <= tolerance:
            return True
    return False
