"""Directions that separate classes: S_b w = θ S w with S = S_w + λI (Torkkola, eq. 4).

    paper   here
    S_w     X'X/N − B B'; the columns of B are √(N_c/N)·m_c, m_c being the mean of class c
    S_b     M M', M = B E, E an orthonormal basis of the complement of √(N_c/N)
    λ       `ridge`: `reg` times the mean variance within classes

N counts each document once; a document of several classes is shared among them (the rows of H sum
to 1). Class means are weighted by the share of their class, covariances divided by N_c. No matrix
of documents is centred, and S_w⁻¹S_b, which is not symmetric, is never formed.

S_b has rank classes − 1 at most. Further directions are found in the Euclidean orthogonal
complement of the earlier ones (Okada & Tomita 1985), block by block: `discriminants` and
`reduced_discriminants` yield blocks, until class means no longer differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import linalg

from laconic.errors import LaconicError
from laconic.numerics.blocks import Blocks, normal_product
from laconic.numerics.ridge.conjugate_gradients import TOLERANCE, solve
from laconic.numerics.spectral.rank import zero_share
from laconic.numerics.spectral.spectrum import as_floats, column_squares, gram
from laconic.types import Floats, Matrix

# After solving for directions, a remainder of the class means up to this share of them is rounding.
SOLVED = 100 * TOLERANCE

# Variances within classes up to this share of the squared entries are rounding.
ALIKE = 1e-13


@dataclass(frozen=True, eq=False)
class Block:
    """Directions as columns, best first, with w'(S_w + λI)w = 1; and their w'S_b w."""

    directions: Floats
    ratios: Floats


@dataclass(frozen=True, eq=False)
class Scatter:
    """S = S_w + λI and M, accessed through products."""

    documents: Matrix
    columns: Matrix
    B: Floats
    M: Floats
    ridge: float
    diagonal: Floats

    @classmethod
    def of(cls, X: Matrix, H: Matrix, reg: float) -> Scatter:
        """λ is `reg` times the mean variance within classes, tr(S_w)/terms.

        H (documents × classes) has the share of each class in each document, summing to 1.
        """
        X = as_floats(X)
        counts = np.asarray(H.sum(axis=0), dtype=np.float64).ravel()
        total = float(counts.sum())
        columns = X.T.tocsr() if hasattr(X, "tocsr") else X.T
        sums = _class_sums(X, H)
        B = sums / np.sqrt(counts * total)
        squares = column_squares(X) / total
        variances = np.maximum(squares - np.einsum("ij,ij->i", B, B), 0.0)
        if variances.sum() <= ALIKE * squares.sum():
            raise LaconicError(
                "all documents of a class are identical, so no direction is better than another. "
                "Give more documents of each class"
            )
        ridge = reg * float(variances.mean())
        M = B @ _orthogonal_to(np.sqrt(counts / total))
        return cls(X, columns, B, M, ridge, variances + ridge)

    def apply(self, V: Floats) -> Floats:
        """S V"""
        if isinstance(self.documents, Blocks):
            spread = normal_product(self.documents, V)
        else:
            spread = np.asarray(self.columns @ np.asarray(self.documents @ V))
        product: Floats = spread / self.documents.shape[0] - self.B @ (self.B.T @ V)
        return product + self.ridge * V

    def within(self) -> Floats:
        """S as a matrix, for documents with few columns, dense or in blocks."""
        S = _squared(self.documents) / self.documents.shape[0] - self.B @ self.B.T
        S[np.diag_indices_from(S)] += self.ridge
        return np.asarray(S)


def _class_sums(X: Matrix, H: Matrix) -> Floats:
    """X'H"""
    if isinstance(X, Blocks):
        return np.asarray(X.total(_dense_back_product, H))
    return np.asarray((H.T @ X).todense() if hasattr(X, "tocsr") else H.T @ X).T


def _dense_back_product(block: Matrix, H: Matrix) -> Floats:
    return np.asarray((block.T @ H).toarray(), dtype=np.float64)


def _squared(X: Matrix) -> Floats:
    """X'X"""
    if not isinstance(X, Blocks):
        return np.asarray(X.T @ X)
    lower = np.tril(gram(X.T))
    return np.asarray(lower + np.tril(lower, -1).T)


def discriminants(X: Matrix, H: Matrix, reg: float) -> Iterator[Block]:
    """Blocks of directions for sparse or dense X, using only products with it.

    A block needs S⁻¹M in the complement, by conjugate gradients, and a classes × classes problem,
    in coordinates where S has a diagonal of 1 (Jacobi preconditioning).
    """
    scatter = Scatter.of(X, H, reg)
    scale = 1.0 / np.sqrt(np.where(scatter.diagonal > 0, scatter.diagonal, 1.0))[:, None]
    M = scale * scatter.M
    taken = np.empty((X.shape[1], 0))
    rounding = SOLVED * linalg.norm(scale * scatter.B)
    while (means := _factor(_outside(taken, M), rounding)) is not None:
        U, R = means
        Z = solve(partial(_apply_scaled, scatter, scale, taken), U)
        # with U'Z = K'K and KR = P σ V', the columns of S⁻¹M V σ⁻¹ have w'Sw = 1, w'S_b w = σ²
        sigma, Vt = linalg.svd(_cholesky(U.T @ Z) @ R, full_matrices=False)[1:]
        W = scale * (Z @ (R @ Vt.T / sigma))
        yield Block(W, sigma**2)
        taken = _extend_basis(taken, scale * W)


def _apply_scaled(scatter: Scatter, scale: Floats, taken: Floats, V: Floats) -> Floats:
    """S in the complement of `taken`, the identity on its span: definite despite rounding."""
    free = _outside(taken, V)
    return _outside(taken, scale * scatter.apply(scale * free)) + (V - free)


def reduced_discriminants(Z: Floats, H: Matrix, reg: float) -> Iterator[Block]:
    """The same for documents over few columns, by a Cholesky factor of S and an SVD."""
    scatter = Scatter.of(Z, H, reg)
    S = scatter.within()
    free = np.eye(Z.shape[1])
    rounding = zero_share(Z.shape[1]) * linalg.norm(scatter.B)
    while (means := _factor(free.T @ scatter.M, rounding)) is not None:
        U, R = means
        K = _cholesky(free.T @ S @ free)
        whitened = linalg.solve_triangular(K, U, trans="T") @ R
        left, sigma = linalg.svd(whitened, full_matrices=False)[:2]
        rank = U.shape[1]
        W = linalg.solve_triangular(K, left[:, :rank])
        yield Block(free @ W, sigma[:rank] ** 2)
        free = free @ linalg.qr(W)[0][:, rank:]


def _orthogonal_to(unit: Floats) -> Floats:
    """An orthonormal basis of the vectors orthogonal to a unit vector."""
    return np.asarray(linalg.qr(unit[:, None])[0][:, 1:])


def _outside(Q: Floats, V: Floats) -> Floats:
    """V without its part in the span of Q."""
    return V - Q @ (Q.T @ V) if Q.shape[1] else V


def _extend_basis(Q: Floats, V: Floats) -> Floats:
    """An orthonormal basis of Q and V."""
    new = linalg.qr(_outside(Q, V), mode="economic")[0]
    return np.hstack([Q, linalg.qr(_outside(Q, new), mode="economic")[0]])


def _factor(M: Floats, rounding: float) -> tuple[Floats, Floats] | None:
    """M = U R with orthonormal U and R of full rank; None if M is only rounding."""
    if not M.size:
        return None
    U, R, order = linalg.qr(M, mode="economic", pivoting=True)
    rank = int((np.abs(R.diagonal()) > rounding).sum())
    return (np.ascontiguousarray(U[:, :rank]), R[:rank, np.argsort(order)]) if rank else None


def _cholesky(S: Floats) -> Floats:
    """The upper factor."""
    try:
        factor: Floats = linalg.cholesky((S + S.T) / 2)
    except linalg.LinAlgError:
        raise LaconicError(
            "documents do not vary within their classes in every direction: S_w + λI has no "
            "inverse. Give a larger reg, or more documents."
        ) from None
    return factor
