"""Leave-one-out along a LARS path in closed form: the details that Keerthi (2005) omits.

With the features, their signs, λ₁ and the parts of the loss held fixed, the model without document
i solves a linear system that differs by that document only, H − w_i x_i x_i' with w_i the curvature
of its loss (1 in the squared part, else 0). So

    f_{−i}(x_i) = f(x_i) + ρ_i h_i / (1 − w_i h_i),      h_i = x_i'H⁻¹x_i

with ρ_i the derivative of its loss: nothing changes for documents in the zero part, and in the
squared part r_{−i} = r_i / (1 − h_i). The formula ignores that without document i the order of
features, the λ₁ of the next entry and the parts of other documents may differ.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from laconic.numerics.lars.active_set import LINEAR, PIECES, SQUARED, ZERO, slopes
from laconic.numerics.lars.documents import Documents
from laconic.numerics.lars.newton import LOGISTIC, curvature, slope
from laconic.numerics.lars.state import Bias, LarsPoint
from laconic.types import Floats, Int64s, Matrix

# With 1 − w_i h_i up to this a document determines its own value nearly alone, and the formula
# is far from a path without it (measured: thousands instead of ones).
ALONE = 0.05
# A dense block of documents × features takes at most this much memory.
BLOCK_BYTES = 64_000_000


def leave_one_out(
    X: Matrix | Documents,
    y_signed: Floats,
    point: LarsPoint,
    *,
    loss: str = "squared_hinge",
    alpha: float = 1.0,
    bias: Bias = "always",
) -> Floats:
    """f_{−i}(x_i) of every document, at a point of the path with the same settings.

    NaN if the other documents hardly determine it: near saturation, or if a document is nearly the
    only one with some feature (alpha = 0).
    """
    documents = Documents.of(X)
    columns = _columns(documents, point, bias)
    A = documents.by_column[:, columns]
    fitted = np.asarray(A @ np.append(point.coef, point.intercept)[: columns.size])
    residuals, curvatures = _derivatives(y_signed * fitted, y_signed, point.examples, loss)
    H = np.asarray((A.T @ A.multiply(curvatures[:, None])).toarray())
    H[np.diag_indices_from(H)] += alpha
    moved = np.flatnonzero((residuals != 0.0) | (curvatures > 0.0))
    leverage = _leverage(A[moved], H)
    rest = 1.0 - curvatures[moved] * leverage
    rest[rest <= ALONE] = np.nan
    fitted[moved] += residuals[moved] * leverage / rest
    return fitted


def _columns(documents: Documents, point: LarsPoint, bias: Bias) -> Int64s:
    """The columns of the point, and the constant column if it has a bias."""
    biased = bias == "always" or (bias == "selectable" and point.intercept != 0.0)
    return np.append(point.columns, documents.constant) if biased else point.columns


def _derivatives(
    margins: Floats, y_signed: Floats, examples: Int64s, loss: str
) -> tuple[Floats, Floats]:
    """First and second derivatives of the loss by f(x_i); `examples` are in the squared part."""
    if loss == LOGISTIC:
        return y_signed * slope(margins, loss), curvature(margins, loss)
    lower = PIECES[loss].lower
    parts = np.where(margins <= lower, LINEAR, ZERO).astype(np.int8)
    parts[examples] = SQUARED
    return y_signed * slopes(margins, parts, lower), (parts == SQUARED).astype(np.float64)


def _leverage(A: Matrix, H: Floats) -> Floats:
    """x'H⁻¹x for the rows x of A; NaN if H is singular."""
    leverage = np.full(A.shape[0], np.nan)
    try:
        U = linalg.cholesky(H)
    except linalg.LinAlgError:
        return leverage
    block = max(1, BLOCK_BYTES // (8 * max(1, A.shape[1])))
    for first in range(0, A.shape[0], block):
        rows = A[first : first + block].toarray()
        P = linalg.solve_triangular(U, rows.T, trans=1, overwrite_b=True, check_finite=False)
        leverage[first : first + block] = np.einsum("ij,ij->j", P, P)
    return leverage
