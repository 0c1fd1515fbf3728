"""Regularized least squares: min ‖X W' − Y‖² + alpha ‖W‖², on sparse or dense X, for one alpha.

Eq. 4 of Dasgupta et al. 2007 with K = X X' (documents in rows here). There is no factor 1/n and no
penalty on the intercept, which is handled by centring without making X dense. For many values of
alpha, and for leave-one-out, see `ridge_path`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.linalg.lapack import dpocon

from laconic.errors import LaconicError
from laconic.numerics.quotient import quotient
from laconic.numerics.ridge.gram import by_documents, by_terms, centring, column_means, squared_norm
from laconic.numerics.spectral.rank import zero_up_to
from laconic.types import Floats, Matrix

# A square matrix of this side takes 1.2 GB. Larger ones are not factorized.
FACTORISE_UP_TO = 12_000
# Below this side a factorization is faster than the first iterations.
ITERATE_FROM = 3_000
# Cost of an iteration per entry of X, and per entry and column of Y, relative to one operation of a
# Cholesky factorization (measured).
ENTRY_COST, COLUMN_COST = 76.0, 18.0
# Relative residual of the iterations; coefficients are less accurate by the condition number.
TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Solution:
    """Coefficients (n_columns, n_terms) and intercepts (n_columns,) for all columns of Y.

    `condition` is the condition number of the linear system, in the 1-norm and estimated by LAPACK
    if it was factorized; NaN if it was solved by iterations.
    """

    coef: Floats
    intercept: Floats
    condition: float


def ridge(X: Matrix, Y: Floats, alpha: float, intercept: bool) -> Solution:
    """Solve for all columns of Y at once.

    Uses the smaller of the primal system (terms) and the dual one (documents), by Cholesky or, if
    estimated to be cheaper, by conjugate gradients.
    """
    x_mean = column_means(X) if intercept else np.zeros(X.shape[1])
    y_mean = Y.mean(axis=0) if intercept else np.zeros(Y.shape[1])
    condition = np.nan
    if _iterates(X, Y.shape[1], alpha):
        coef = _conjugate_gradients(X, Y - y_mean, alpha, x_mean)
    elif X.shape[1] < X.shape[0]:
        # (Xc'Xc + alpha I) W = Xc'Y; the mean of Y is 0 wherever x_mean is not
        right = np.asarray(X.T @ (Y - y_mean))
        coef, condition = solve_system(
            by_terms(X, x_mean), right, alpha, centring(X.shape[0], x_mean)
        )
    else:
        # W = Xc'C with (Xc Xc' + alpha I) C = Y
        C, condition = solve_system(
            by_documents(X, x_mean), Y - y_mean, alpha, centring(X.shape[0], x_mean)
        )
        coef = centred_back(X, C, x_mean)
    return Solution(coef.T, y_mean - x_mean @ coef, condition)


def residuals(X: Matrix, Y: Floats, solution: Solution, alpha: float, intercept: bool) -> Floats:
    """Residual of the normal equations for each column of Y: ‖Xc'(Y − XW' − b) − alpha W'‖.

    Relative to ‖X‖‖Y‖ (Frobenius), an upper bound of their right-hand side Xc'Y, which itself may
    be 0 if labels contradict each other.
    """
    x_mean = column_means(X) if intercept else np.zeros(X.shape[1])
    errors = Y - np.asarray(X @ solution.coef.T) - solution.intercept
    lengths = column_lengths(centred_back(X, errors, x_mean) - alpha * solution.coef.T)
    return quotient(lengths, np.sqrt(squared_norm(X)) * column_lengths(Y))


def centred_back(X: Matrix, C: Floats, x_mean: Floats) -> Floats:
    """Xc'C."""
    back: Floats = np.asarray(X.T @ C)
    return back - np.outer(x_mean, C.sum(axis=0)) if x_mean.any() else back


def _iterates(X: Matrix, n_columns: int, alpha: float) -> bool:
    """Whether conjugate gradients are cheaper, or the only choice."""
    side = min(X.shape)
    if side > FACTORISE_UP_TO and alpha == 0:
        raise least_norm_needs(X.shape, "either")
    if side > FACTORISE_UP_TO or side < ITERATE_FROM or alpha == 0:
        return bool(side > FACTORISE_UP_TO)
    entries = getattr(X, "nnz", X.shape[0] * X.shape[1])
    operations = (
        entries * (ENTRY_COST + COLUMN_COST * n_columns) * expected_iterations(X, side, alpha)
    )
    # 1.5, because text needs up to 1.8 times as many iterations (20 Newsgroups)
    return bool(1.5 * operations < side**3 / 3.0)


def least_norm_needs(shape: tuple[int, ...], side: str) -> LaconicError:
    return LaconicError(
        f"alpha=0 on {shape[0]} documents and {shape[1]} terms: the least-norm solution "
        f"needs at most {FACTORISE_UP_TO} of {side}. Give alpha > 0, or select fewer words"
    )


def expected_iterations(X: Matrix, side: int, alpha: float) -> float:
    """½ √κ ln(2 / tolerance), with κ that of the bulk of the eigenvalues.

    The bulk lies around the mean eigenvalue, ‖X‖² / side; the few large ones of text cost an
    iteration each.
    """
    mean = squared_norm(X) / side
    return float(0.5 * np.sqrt(1.0 + 4.0 * mean / alpha) * np.log(2.0 / TOLERANCE)) + 10.0


def solve_system(A: Floats, B: Floats, alpha: float, centred: float) -> tuple[Floats, float]:
    """(A + alpha I)⁻¹ B for positive semi-definite A; by the pseudo-inverse if it is singular.

    `centred` is how much centring reduced the largest eigenvalue, but not the rounding errors.
    """
    if alpha > 0:
        shifted = A.copy(order="F")
        shifted[np.diag_indices_from(shifted)] += alpha
        length = _norm_1(shifted)
        try:
            factor, _ = linalg.cho_factor(shifted, lower=True, overwrite_a=True)
        except linalg.LinAlgError:
            pass
        else:
            inverse, _ = dpocon(factor, length, uplo="L")
            condition = 1.0 / inverse if inverse > 0 else np.inf
            return np.asarray(linalg.cho_solve((factor, True), B)), float(condition)
    values, vectors = linalg.eigh(A, lower=True)
    sound = values > zero_up_to(values[-1] + centred, values.size)
    if not sound.any():
        return np.zeros_like(B), 1.0
    scaled = (vectors[:, sound].T @ B) / (values[sound] + alpha)[:, None]
    return np.asarray(vectors[:, sound] @ scaled), float(values[-1] / values[sound][0])


def _norm_1(A: Floats) -> float:
    """‖A‖₁ of a symmetric matrix from its lower triangle, column by column."""
    total = np.zeros(A.shape[0])
    for column in range(A.shape[0]):
        below = np.abs(A[column:, column])
        total[column:] += below
        total[column] += below[1:].sum()
    return float(total.max())


def _conjugate_gradients(X: Matrix, Y: Floats, alpha: float, x_mean: Floats) -> Floats:
    """Solve the smaller of the two systems, all columns of Y in step."""

    def forward(W: Floats) -> Floats:
        values: Floats = np.asarray(X @ W)
        return values - x_mean @ W if x_mean.any() else values

    def back(C: Floats) -> Floats:
        return centred_back(X, C, x_mean)

    if X.shape[1] < X.shape[0]:
        return solve_in_step(lambda W: back(forward(W)) + alpha * W, back(Y))[0]
    return back(solve_in_step(lambda C: forward(back(C)) + alpha * C, Y)[0])


def solve_in_step(
    product: Callable[[Floats], Floats], B: Floats, tolerance: float = TOLERANCE, refresh: int = 500
) -> tuple[Floats, float]:
    """A⁻¹B by conjugate gradients, with a step length per column, and the relative residual.

    Ends when no true residual is longer than `tolerance` times its column of B, or when rounding
    stops it from shrinking. The true residual is computed every `refresh` steps and at the end,
    because the recurrence drifts.
    """
    W, target = np.zeros_like(B), tolerance**2 * _squares(B)
    R, excess = B.copy(), np.inf
    for _ in range(2 * B.shape[0] // refresh + 2):
        _steps(product, W, R, target, refresh)
        R = B - product(W)
        last, excess = excess, float(quotient(_squares(R), target).max())
        if excess <= 1.0 or (excess < 1e6 and excess > 0.25 * last):
            break
    return W, tolerance * float(np.sqrt(excess))


def _steps(
    product: Callable[[Floats], Floats], W: Floats, R: Floats, target: Floats, n_steps: int
) -> None:
    """Conjugate gradients from W, in place, until the recurrence's residuals reach `target`."""
    P, rr = R.copy(), _squares(R)
    for _ in range(n_steps):
        if (rr <= 0.25 * target).all():
            break
        Q = product(P)
        step = quotient(rr, np.einsum("ij,ij->j", P, Q))
        W += step * P
        R -= step * Q
        previous, rr = rr, _squares(R)
        P = R + quotient(rr, previous) * P


def column_lengths(R: Floats) -> Floats:
    return np.sqrt(_squares(R))


def _squares(R: Floats) -> Floats:
    squares: Floats = np.einsum("ij,ij->j", R, R)
    return squares
