"""The minimum of alpha/2 ‖β‖² + Σ loss(y_i z_i'β) over few columns, by Newton's method.

The losses are those of LARS, y = ±1. With clip(m) the margin m clipped to the squared part,

    loss(m) = ½ (clip(m) − 1)² + (clip(m) − 1)(m − clip(m)),      loss'(m) = clip(m) − 1,

which is 0 above the upper border and linear below the lower one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy import linalg
from scipy.sparse import csr_array
from scipy.special import expit

from laconic.numerics.lars.active_set import PIECES
from laconic.types import Floats, Ints
from laconic.validation import check_choice

LOGISTIC = "logistic"
LOSSES = (*PIECES, LOGISTIC)
# A gradient below this share of its largest possible value is 0.
TOLERANCE = 1e-13
MAX_STEPS = 200
# A step is halved until the slope at its end is at most this share of the slope at its start.
OVERSHOT = 0.1
MAX_HALVINGS = 100
# If alpha = 0, this share of the largest squared column length keeps the system regular, even if no
# document is left in the squared part.
RIDGE = 1e-10


@dataclass(frozen=True, eq=False)
class Minimum:
    """The point where the gradient is 0; `solved` is False if Newton's method did not converge."""

    coef: Floats
    margins: Floats
    residuals: Floats
    solved: bool


def minimum(
    Z: csr_array, y_signed: Floats, *, loss: str, alpha: float, start: Floats | None = None
) -> Minimum:
    """Optimal coefficients for all columns of Z, starting from `start`.

    Z has sorted rows; a column of ones acts as the bias. `residuals` are the derivatives of the
    loss by z_i'β. With alpha = 0 there may be many minima, and the one near `start` is returned; or
    none, for the logistic loss.
    """
    check_choice("loss", loss, LOSSES)
    coef = np.zeros(Z.shape[1]) if start is None else np.asarray(start, dtype=np.float64)
    by_column = Z.T.tocsr()
    longest = float(np.sqrt(Z.power(2).sum(axis=0).max(initial=0.0)))
    # residuals are at most 1, so no gradient exceeds √n_docs times this
    negligible = TOLERANCE * np.sqrt(y_signed.size) * longest
    ridge = alpha if alpha > 0.0 else RIDGE * longest**2
    H, weights = np.zeros((coef.size, coef.size)), np.zeros(y_signed.size)
    margins = y_signed * (Z @ coef)
    for step in range(MAX_STEPS + 1):
        residuals = y_signed * slope(margins, loss)
        gradient = by_column @ residuals + alpha * coef
        solved = bool(np.abs(gradient).max(initial=0.0) <= negligible)
        if solved or step == MAX_STEPS:
            break
        new_weights = curvature(margins, loss)
        _add_gram(H, Z.indptr, Z.indices, Z.data, new_weights - weights)
        weights = new_weights
        change = -_solve(H, ridge, gradient)
        margin_change = y_signed * (Z @ change)
        descent, quadratic = float(gradient @ change), alpha * float(change @ change)
        share = share_of_step(margins, margin_change, descent, quadratic, loss)
        coef, margins = coef + share * change, margins + share * margin_change
    return Minimum(coef, y_signed * (Z @ coef), residuals, solved)


def slope(margins: Floats, loss: str) -> Floats:
    """First derivative of the loss by the margin."""
    if loss == LOGISTIC:
        return np.asarray(-expit(-margins))
    return np.clip(margins, PIECES[loss].lower, PIECES[loss].upper) - 1.0


def curvature(margins: Floats, loss: str) -> Floats:
    """Second derivative of the loss by the margin; on a border, that of the squared part."""
    if loss == LOGISTIC:
        return np.asarray(expit(margins) * expit(-margins))
    within = (margins >= PIECES[loss].lower) & (margins <= PIECES[loss].upper)
    return within.astype(np.float64)


def share_of_step(
    margins: Floats, margin_change: Floats, descent: float, quadratic: float, loss: str
) -> float:
    """The share of a Newton step to take: all of it, unless that overshoots the minimum by far.

    A full step changes the margins by `margin_change`. `descent` is the slope of the objective
    along the step at its start, which is negative. The penalty is quadratic: over a full step it
    adds `quadratic` to that slope.
    """
    start = float(slope(margins, loss) @ margin_change)

    def slope_after(share: float) -> float:
        change = float(slope(margins + share * margin_change, loss) @ margin_change) - start
        return descent + change + share * quadratic

    share = 1.0
    for _ in range(MAX_HALVINGS):
        if slope_after(share) <= OVERSHOT * abs(descent):
            break
        share /= 2.0
    return share


def _solve(H: Floats, ridge: float, gradient: Floats) -> Floats:
    """(H + ridge I)⁻¹ gradient, from the upper triangle of H."""
    system = H.copy()
    system[np.diag_indices_from(system)] += ridge
    factor = linalg.cho_factor(system, lower=False, overwrite_a=True, check_finite=False)
    return np.asarray(linalg.cho_solve(factor, gradient, check_finite=False))


@njit(nogil=True, cache=True)
def _add_gram(H: Floats, starts: Ints, places: Ints, values: Floats, weights: Floats) -> None:
    """H += Z' diag(weights) Z, upper triangle only; rows of weight 0 are skipped."""
    for doc in range(weights.size):
        if weights[doc] == 0.0:
            continue
        end = np.uint64(starts[doc + 1])
        for entry in range(np.uint64(starts[doc]), end):
            line, weight = H[places[entry]], weights[doc] * values[entry]
            for other in range(entry, end):
                line[np.uint64(places[other])] += weight * values[other]
