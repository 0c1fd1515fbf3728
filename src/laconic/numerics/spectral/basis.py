"""Orthonormal bases of the row space of X: terms × rank with U'U = I; leverage is ‖U_(i)‖².

The basis of the whole row space comes from a pivoted Cholesky factor of the smaller Gram matrix,
not from its eigenvectors: a fraction of the work, and dependent documents show up as pivots of 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from laconic.numerics.blocks import Blocks, normal_product
from laconic.numerics.spectral.rank import EPS, n_positive, zero_share, zero_up_to
from laconic.numerics.spectral.spectrum import Leading, gram, gram_fits, leading
from laconic.types import Floats, Integers, Matrix


@dataclass(frozen=True, eq=False)
class Subspace:
    """The leading right singular vectors, best first, and a bound on the sine of their angle.

    The angle is that between their span and the true subspace: Davis and Kahan's bound for
    documents in blocks, 0 where it is only rounding.
    """

    vectors: Floats
    error: float = 0.0


def row_basis(X: Matrix) -> Floats:
    """Basis of the whole row space."""
    if X.shape[0] > X.shape[1]:
        return _from_terms(X)
    factor, order, lengths = pivoted(gram(X))
    rank = factor.shape[1]
    documents = order[:rank]
    # the pivot rows of X are L times an orthonormal matrix, up to their lengths
    weights = np.zeros((X.shape[0], rank))
    inverse = linalg.solve_triangular(factor[:rank], np.eye(rank), lower=True)
    weights[documents] = inverse.T / lengths[documents][:, None]
    return _orthonormal(np.asarray(X.T @ weights))


def leading_basis(X: Matrix, rank: int) -> Floats:
    """The top `rank` right singular vectors, best first; fewer if X has lower rank."""
    if rank < min(X.shape):
        subspace = leading(X, rank)
        if subspace.values[-1] > zero_up_to(subspace.values[0], min(X.shape)):
            return term_vectors(X, subspace)
    U = row_basis(X)
    rotation = linalg.svd(np.asarray(X @ U), full_matrices=False)[2]
    return np.ascontiguousarray((U @ rotation.T)[:, :rank])


def leading_subspace(X: Matrix, rank: int) -> Subspace:
    """The same with its error, also for documents in blocks."""
    if not isinstance(X, Blocks):
        return Subspace(leading_basis(X, rank))
    if rank < min(X.shape):
        subspace = leading(X, rank, further=1)
        held = n_positive(subspace.values[:rank], min(X.shape))
        if held == rank or not gram_fits(X):
            V = term_vectors(X, subspace)
            return Subspace(np.ascontiguousarray(V[:, :held]), davis_kahan(X, V, held))
    U = row_basis(X)
    # through X'X: the documents over U may be too many for one place
    values, rotation = linalg.eigh(U.T @ normal_product(X, U))
    return Subspace(np.ascontiguousarray((U @ rotation[:, np.argsort(-values)])[:, :rank]))


def pivoted(K: Floats) -> tuple[Floats, Integers, Floats]:
    """A factor L of full column rank, the order of its rows, and the lengths √K_ii: K = S L L' S.

    K is scaled to a diagonal of 1, so one tolerance fits long and short documents, frequent and
    rare terms. Its lower triangle is read and overwritten.
    """
    lengths = np.sqrt(K.diagonal())
    scale = np.where(lengths > 0, lengths, 1.0)
    K /= scale[:, None]
    K /= scale
    packed, pivots, rank, _ = lapack.dpstrf(K, tol=zero_share(scale.size), lower=1, overwrite_a=1)
    return np.tril(packed[:, :rank]), pivots - 1, lengths


def term_vectors(X: Matrix, subspace: Leading) -> Floats:
    """Right singular vectors, orthonormal to rounding; arbitrary for singular values near 0."""
    if subspace.of_terms:
        return subspace.vectors
    V: Floats = linalg.qr(np.asarray(X.T @ subspace.vectors), mode="economic", overwrite_a=True)[0]
    return V


def _from_terms(X: Matrix) -> Floats:
    factor, order, lengths = pivoted(gram(X.T))
    U = np.empty(factor.shape)
    U[order] = linalg.qr(factor * lengths[order][:, None], mode="economic", overwrite_a=True)[0]
    return U


def _orthonormal(U: Floats) -> Floats:
    """Reorthogonalise nearly orthonormal columns: the Gram matrix squared the condition."""
    factor = linalg.cholesky(U.T @ U, lower=True)
    Q: Floats = linalg.solve_triangular(factor, U.T, lower=True, overwrite_b=False).T
    return Q


def davis_kahan(X: Matrix, V: Floats, rank: int) -> float:
    """‖X'XV − V(V'X'XV)‖_F / δ for the first `rank` columns of V; the next is the first omitted."""
    if not rank:
        return 0.0
    Y = normal_product(X, V)
    inside, outside = V[:, :rank], V[:, rank]
    H = inside.T @ Y[:, :rank]
    ritz = linalg.eigvalsh((H + H.T) / 2)
    first_out = float(outside @ Y[:, rank])
    first_out += float(np.linalg.norm(Y[:, rank] - first_out * outside))
    rounding = np.sqrt(rank) * 8 * EPS * ritz[-1]
    residual = float(np.linalg.norm(Y[:, :rank] - inside @ H)) + rounding
    gap = float(ritz[0]) - first_out - rounding
    return residual / gap if gap > 0 else float("inf")
