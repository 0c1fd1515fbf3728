"""Regularized least squares: min ‖X W' − Y‖² + alpha ‖W‖², on sparse or dense X.

Eq. 4 of Dasgupta et al. 2007 with K = X X' (documents in rows here). No 1/n, and no penalty on the
intercept, which centring takes care of without making X dense.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse import issparse

Floats: TypeAlias = NDArray[np.float64]
# An array or a scipy sparse array; scipy has no types to say so.
Matrix: TypeAlias = Any

# Beyond this many documents and terms a factorisation costs more than the iterations.
FACTORISE_UP_TO = 5_000


def ridge(X: Matrix, Y: Floats, alpha: float, intercept: bool) -> tuple[Floats, Floats]:
    """Coefficients (n_columns, n_terms) and intercepts (n_columns,) for all columns of Y at once.

    By shape: the primal system of terms, the dual one of documents, or conjugate gradients where
    both are large.
    """
    x_mean = _mean(X) if intercept else np.zeros(X.shape[1])
    y_mean = Y.mean(axis=0) if intercept else np.zeros(Y.shape[1])
    smaller = min(X.shape)
    if smaller > FACTORISE_UP_TO and alpha > 0:
        coef = _conjugate_gradients(X, Y - y_mean, alpha, x_mean)
    elif X.shape[1] <= X.shape[0]:
        coef = _primal(X, Y - y_mean, alpha, x_mean)
    else:
        coef = _dual(X, Y - y_mean, alpha, x_mean)
    return coef.T, y_mean - x_mean @ coef


def _mean(X: Matrix) -> Floats:
    total: Floats = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
    return total / float(X.shape[0])


def _dense(product: Any) -> Floats:
    dense: Floats = product.toarray() if issparse(product) else np.asarray(product)
    return dense


def _primal(X: Matrix, Y: Floats, alpha: float, x_mean: Floats) -> Floats:
    """(Xc'Xc + alpha I) W = Xc'Y; the mean of Y is 0 wherever x_mean is not."""
    A = _dense(X.T @ X) - X.shape[0] * np.outer(x_mean, x_mean)
    return _solve(A, np.asarray(X.T @ Y), alpha)


def _dual(X: Matrix, Y: Floats, alpha: float, x_mean: Floats) -> Floats:
    """W = Xc'C with (Xc Xc' + alpha I) C = Y."""
    shift = np.asarray(X @ x_mean)
    K = _dense(X @ X.T) - shift[:, None] - shift[None, :] + x_mean @ x_mean
    C = _solve(K, Y, alpha)
    return np.asarray(X.T @ C) - np.outer(x_mean, C.sum(axis=0))


def _solve(A: Floats, B: Floats, alpha: float) -> Floats:
    """(A + alpha I)⁻¹ B for positive semi-definite A; the pseudo-inverse where it is singular."""
    shifted = A.copy()
    shifted[np.diag_indices_from(shifted)] += alpha
    if alpha > 0:
        try:
            factor = linalg.cho_factor(shifted, lower=True, overwrite_a=True)
        except linalg.LinAlgError:
            pass
        else:
            return np.asarray(linalg.cho_solve(factor, B))
    values, vectors = linalg.eigh(A)
    cut = max(values[-1], 0.0) * values.size * np.finfo(np.float64).eps
    sound = values > cut
    scaled = (vectors[:, sound].T @ B) / (values[sound] + alpha)[:, None]
    return np.asarray(vectors[:, sound] @ scaled)


def _conjugate_gradients(
    X: Matrix, Y: Floats, alpha: float, x_mean: Floats, tolerance: float = 1e-10
) -> Floats:
    """Normal equations for all columns of Y in step, each with its own step length."""

    def forward(W: Floats) -> Floats:
        return np.asarray(X @ W) - x_mean @ W

    def normal(W: Floats) -> Floats:
        R = forward(W)
        return np.asarray(X.T @ R) - np.outer(x_mean, R.sum(axis=0)) + alpha * W

    W = np.zeros((X.shape[1], Y.shape[1]))
    R = np.asarray(X.T @ Y) - np.outer(x_mean, Y.sum(axis=0))
    P = R.copy()
    rr = (R * R).sum(axis=0)
    goal = tolerance**2 * rr
    for _ in range(2 * X.shape[1]):
        if (rr <= goal).all():
            break
        Q = normal(P)
        curvature = (P * Q).sum(axis=0)
        step = np.divide(rr, curvature, out=np.zeros_like(rr), where=curvature > 0)
        W += step * P
        R -= step * Q
        previous, rr = rr, (R * R).sum(axis=0)
        P = R + np.divide(rr, previous, out=np.zeros_like(rr), where=previous > 0) * P
    return W
