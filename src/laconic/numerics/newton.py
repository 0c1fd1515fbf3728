"""The minimum of λ₂/2 ‖β‖² + Σ loss(t_i z_i'β) over few columns, by Newton's method.

The losses are those of LARS. With clip(m) the margin m cut to the borders of the squared part,

    loss(m) = ½ (clip(m) − 1)² + (clip(m) − 1)(m − clip(m)),      loss'(m) = clip(m) − 1,

which is 0 above the upper border and a straight line below the lower one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy import linalg
from scipy.sparse import csr_array
from scipy.special import expit

from laconic.errors import LaconicError
from laconic.numerics.lars_documents import Floats, Ints
from laconic.numerics.lars_position import PIECES

LOGISTIC = "logistic"
LOSSES = (*PIECES, LOGISTIC)
# A gradient below this share of the largest it could be is 0.
ACCURATE = 1e-13
STEPS = 200
# A step is halved until the slope at its end is at most this share of the one at its start.
OVERSHOT = 0.1
HALVINGS = 100
# Without λ₂ this share of the largest squared length of a column keeps the system regular, also
# where no document is left in the squared part.
RIDGE = 1e-10


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where the gradient is 0; `solved` is False where Newton's method did not get there."""

    coef: Floats
    margins: Floats
    residuals: Floats
    solved: bool


def minimum(
    Z: csr_array, y_signed: Floats, *, loss: str, alpha: float, start: Floats | None = None
) -> Minimum:
    """The coefficients of all columns of Z, looked for from `start`.

    Z has sorted rows; a column of ones in it is the bias. `residuals` are the derivatives of the
    loss by z_i'β. Without alpha the minimum may be one of many, that near `start`; or, for the
    logistic loss, none at all.
    """
    if loss not in LOSSES:
        raise LaconicError(f"loss={loss!r}: choose from {', '.join(LOSSES)}")
    coef = np.zeros(Z.shape[1]) if start is None else np.asarray(start, dtype=np.float64)
    by_column = Z.T.tocsr()
    longest = float(np.sqrt(Z.power(2).sum(axis=0).max(initial=0.0)))
    # no gradient of residuals up to 1 exceeds √n_docs times this
    negligible = ACCURATE * np.sqrt(y_signed.size) * longest
    ridge = alpha if alpha > 0.0 else RIDGE * longest**2
    H, weights = np.zeros((coef.size, coef.size)), np.zeros(y_signed.size)
    margins = y_signed * (Z @ coef)
    for step in range(STEPS + 1):
        residuals = y_signed * slope(margins, loss)
        gradient = by_column @ residuals + alpha * coef
        solved = bool(np.abs(gradient).max(initial=0.0) <= negligible)
        if solved or step == STEPS:
            break
        newest = curvature(margins, loss)
        _add_gram(H, Z.indptr, Z.indices, Z.data, newest - weights)
        weights = newest
        change = -_solved(H, ridge, gradient)
        ahead = y_signed * (Z @ change)
        downhill, quadratic = float(gradient @ change), alpha * float(change @ change)
        share = share_of_step(margins, ahead, downhill, quadratic, loss)
        coef, margins = coef + share * change, margins + share * ahead
    return Minimum(coef, y_signed * (Z @ coef), residuals, solved)


def slope(margins: Floats, loss: str) -> Floats:
    """The derivative of the loss by the margin."""
    if loss == LOGISTIC:
        return np.asarray(-expit(-margins))
    return np.clip(margins, PIECES[loss].lower, PIECES[loss].upper) - 1.0


def curvature(margins: Floats, loss: str) -> Floats:
    """The second derivative; on a border, that of the squared part."""
    if loss == LOGISTIC:
        return np.asarray(expit(margins) * expit(-margins))
    within = (margins >= PIECES[loss].lower) & (margins <= PIECES[loss].upper)
    return within.astype(np.float64)


def share_of_step(
    margins: Floats, ahead: Floats, downhill: float, quadratic: float, loss: str
) -> float:
    """The share of a Newton step to take: all of it, unless that leads far up the other side.

    The margins change by `ahead` in a full step. `downhill` is the slope of the objective along the
    step at its start, which is below 0. What the objective has beside the loss is quadratic: over a
    full step it adds `quadratic` to that slope.
    """
    start = float(slope(margins, loss) @ ahead)

    def uphill(share: float) -> float:
        change = float(slope(margins + share * ahead, loss) @ ahead) - start
        return downhill + change + share * quadratic

    share = 1.0
    for _ in range(HALVINGS):
        if uphill(share) <= OVERSHOT * abs(downhill):
            break
        share /= 2.0
    return share


def _solved(H: Floats, ridge: float, gradient: Floats) -> Floats:
    """(H + ridge E)⁻¹ gradient, of H the upper triangle."""
    system = H.copy()
    system[np.diag_indices_from(system)] += ridge
    factor = linalg.cho_factor(system, lower=False, overwrite_a=True, check_finite=False)
    return np.asarray(linalg.cho_solve(factor, gradient, check_finite=False))


@njit(nogil=True, cache=True)
def _add_gram(H: Floats, starts: Ints, places: Ints, values: Floats, weights: Floats) -> None:
    """H += Z' diag(weights) Z, its upper triangle; rows of weight 0 cost nothing."""
    for doc in range(weights.size):
        if weights[doc] == 0.0:
            continue
        end = np.uint64(starts[doc + 1])
        for entry in range(np.uint64(starts[doc]), end):
            line, weight = H[places[entry]], weights[doc] * values[entry]
            for other in range(entry, end):
                line[np.uint64(places[other])] += weight * values[other]
