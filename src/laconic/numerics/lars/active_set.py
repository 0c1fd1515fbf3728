"""The active set of a LARS path: the model, each document's part of the loss, and the factor.

    the paper (Keerthi 2005)       here
    β_A, t, λ₁, λ₂                 `coef`, `y_signed`, `l1`, `alpha`
    s_A                            `entry_signs`: gradient signs at entry; 0 for bias="always"
    y_i = t_i r_i                  margin − 1, with margin t_i f(x_i)
    I                              documents in the SQUARED part of the loss
    H_A = λ₂E + X_IA'X_IA          `factor`
    r, on I                        `residuals`: derivatives of the loss by f(x_i), on all parts

On the path λ₂β + X_A'residuals = λ₁ s_A. As λ₁ falls by a step, β moves by −step · H⁻¹s_A (eq. 7).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numba import njit

from laconic.numerics.lars.cholesky import Factor
from laconic.numerics.lars.columns import ActiveRows
from laconic.numerics.lars.documents import Documents
from laconic.types import Bools, Floats, Int8s, Int64s

Parts = Int8s

ZERO: Final = 0
SQUARED: Final = 1
LINEAR: Final = 2

# λ₁ below this share of the first counts as 0. With alpha = 0 it shrinks with the residuals, down
# to rounding.
SMALLEST, SMALLEST_WITHOUT_ALPHA = 1e-12, 1e-10
# A Newton step with a sound factor leaves less than this share of the error, or a negligible one.
SOUND = 0.1
NEGLIGIBLE = 1e-14
# Documents slower than this share of the fastest move by rounding only.
SLOW = 1e-12


@dataclass(frozen=True)
class Pieces:
    """½(1 − margin)² between two margins, 0 above the upper, linear below the lower."""

    lower: float
    upper: float


PIECES: Final = {
    "squared": Pieces(-np.inf, np.inf),
    "squared_hinge": Pieces(-np.inf, 1.0),
    "modified_huber": Pieces(-1.0, 1.0),
}


@dataclass(frozen=True, eq=False)
class Direction:
    """Change per unit that λ₁ falls: of coefficients, margins (`speeds`) and residuals.

    Margins slower than `slow` move by rounding only. The arrays over documents belong to the active
    set; the next direction overwrites them.
    """

    coef: Floats
    speeds: Floats
    residuals: Floats
    slow: float


class ActiveSet:
    """A point of the path, moved in place by its methods.

    `columns` are the active columns in the order of entry, `index_of` their inverse (-1 elsewhere).
    """

    def __init__(
        self, documents: Documents, y_signed: Floats, pieces: Pieces, alpha: float
    ) -> None:
        self.documents = documents
        self.y_signed = y_signed
        self.pieces = pieces
        self.alpha = alpha
        self.l1 = 0.0
        self.smallest = SMALLEST if alpha > 0.0 else SMALLEST_WITHOUT_ALPHA
        self.columns: Int64s = np.empty(0, np.int64)
        self.entry_signs: Floats = np.empty(0)
        self.coef: Floats = np.empty(0)
        self.index_of: Int64s = np.full(documents.constant + 1, -1, np.int64)
        self.margins: Floats = np.zeros(documents.n_docs)
        self.parts: Parts = np.full(documents.n_docs, SQUARED, np.int8)
        self.residuals: Floats = -y_signed
        self.rows = ActiveRows(documents)
        self._shift, self._speeds, self._velocity = np.zeros((3, documents.n_docs))
        self.factor = Factor()
        # documents that cannot leave the squared part without making H singular
        self.held: Bools = np.zeros(documents.n_docs, np.bool_)
        # how many documents have joined the squared part
        self.admissions = 0

    @property
    def curvature(self) -> Floats:
        """The second derivative of the loss by f(x_i)."""
        return np.asarray(self.parts == SQUARED, dtype=np.float64)

    @property
    def negligible(self) -> float:
        """An error of this size is rounding."""
        lengths = self.documents.lengths[self.columns]
        return NEGLIGIBLE * float(np.linalg.norm(self.residuals) * lengths.max(initial=0.0))

    @property
    def error(self) -> Floats:
        """How far the gradient of each active column is from λ₁ s."""
        gradient = self.documents.products(self.columns, self.residuals)
        return gradient + self.alpha * self.coef - self.l1 * self.entry_signs

    def direction(self) -> Direction:
        coef = -self.factor.solve(self.entry_signs)
        shift = self.rows.combination(coef, self._shift)
        fastest = _speeds(shift, self.y_signed, self.parts, self._speeds, self._velocity)
        return Direction(coef, self._speeds, self._velocity, SLOW * fastest)

    def move(self, direction: Direction, step: float) -> None:
        self.coef = self.coef + step * direction.coef
        self.l1 -= step
        _move(self.margins, self.residuals, direction.speeds, direction.residuals, step)

    def add_column(self, column: int, sign: float) -> bool:
        """Add a column with coefficient 0; False if it depends linearly on the active ones."""
        values = self.documents.column(column)
        curved = self.curvature * values
        products = self.documents.products(self.columns, curved)
        if not self.factor.append(products, self.alpha + float(values @ curved)):
            return False
        self.rows.append(column)
        self.index_of[column] = self.columns.size
        self.columns = np.append(self.columns, column)
        self.entry_signs = np.append(self.entry_signs, sign)
        self.coef = np.append(self.coef, 0.0)
        return True

    def move_document(self, doc: int, part: int) -> bool:
        """Move a document to another part of the loss; False if that makes H singular."""
        row = self.rows.row(doc)
        if part == SQUARED:
            self.factor.update(row)
            self.held[:] = False
            self.admissions += 1
        elif not self.factor.downdate(row):
            return False
        self.parts[doc] = part
        return True

    def snap_to_border(self, doc: int, margin: float) -> None:
        """Put a document exactly on the border of two parts, so rounding cannot take it back."""
        self.margins[doc] = margin
        self.residuals[doc] = self.y_signed[doc] * (margin - 1.0)

    def polish(self) -> bool:
        """Recompute the margins and take a Newton step; if it fails, recompute the factor.

        False if the system is singular.
        """
        before = self.recompute()
        after = self.correct(before)
        if largest(after) <= max(SOUND * largest(before), self.negligible):
            return True
        if not self.refactor():
            return False
        self.correct(after)
        return True

    def recompute(self) -> Floats:
        """Recompute margins and residuals from the coefficients; returns the error."""
        fitted = self.rows.combination(self.coef, self.margins)
        _recompute(
            fitted, self.y_signed, self.parts, self.pieces.lower, self.margins, self.residuals
        )
        return self.error

    def correct(self, error: Floats) -> Floats:
        """Newton step against the error; returns the error that is left."""
        self.coef = self.coef - self.factor.solve(error)
        return self.recompute()

    def refactor(self) -> bool:
        H = self.rows.gram(self.curvature)
        H[np.diag_indices_from(H)] += self.alpha
        return self.factor.replace(H)


def largest(error: Floats) -> float:
    return float(np.abs(error).max(initial=0.0))


def slopes(margins: Floats, parts: Parts, lower: float) -> Floats:
    """Derivatives of the loss by the margin, each in its document's part."""
    clipped = np.where(parts == LINEAR, lower, margins)
    return np.where(parts == ZERO, 0.0, clipped - 1.0)


@njit(nogil=True, cache=True)
def _speeds(
    shift: Floats, y_signed: Floats, parts: Parts, speeds: Floats, residuals: Floats
) -> float:
    """Fill `speeds` and `residuals`; returns the largest speed."""
    fastest = 0.0
    for doc in range(shift.size):
        speeds[doc] = y_signed[doc] * shift[doc]
        residuals[doc] = shift[doc] if parts[doc] == SQUARED else 0.0
    for doc in range(shift.size):
        fastest = max(fastest, abs(shift[doc]))
    return fastest


@njit(nogil=True, cache=True)
def _move(margins: Floats, residuals: Floats, speeds: Floats, changes: Floats, step: float) -> None:
    for doc in range(margins.size):
        margins[doc] += step * speeds[doc]
        residuals[doc] += step * changes[doc]


@njit(nogil=True, cache=True)
def _recompute(
    fitted: Floats, y_signed: Floats, parts: Parts, lower: float, margins: Floats, residuals: Floats
) -> None:
    """Fill `margins` and `residuals`, like `slopes` but in place; `fitted` may be `margins`."""
    for doc in range(fitted.size):
        margins[doc] = y_signed[doc] * fitted[doc]
        residuals[doc] = 0.0
        if parts[doc] == SQUARED:
            residuals[doc] = y_signed[doc] * (margins[doc] - 1.0)
        elif parts[doc] == LINEAR:
            residuals[doc] = y_signed[doc] * (lower - 1.0)
