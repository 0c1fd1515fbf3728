"""Leverage of terms: the diagonal of the projector onto the row space of X or a subspace of it.

    the paper (Dasgupta et al. 2007)   here
    A, terms × documents               X.T, documents × terms
    U, Σ, V of A = U Σ V'              row space of X; leverage of term i is ‖U_(i)‖²  (eq. 9)
    U_k                                `rank`                                          (eq. 22)
    K = A'A                            gram(X), documents × documents
    λ                                  `alpha`

Full rank needs no basis, only the Cholesky factor of the Gram matrix that `row_basis` also uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy import linalg
from scipy.linalg import lapack
from scipy.sparse import csr_array, issparse

from laconic.numerics.blocks import ENTRY_BYTES, Blocks, occurrences, unchanged
from laconic.numerics.spectral.basis import davis_kahan, pivoted, row_basis, term_vectors
from laconic.numerics.spectral.rank import n_positive, zero_up_to
from laconic.numerics.spectral.spectrum import gram, gram_fits, leading
from laconic.types import Floats, Integers, Matrix

# A dense block of terms × columns takes at most this much memory.
BLOCK_BYTES = 64_000_000


@dataclass(frozen=True, eq=False)
class Leverage:
    """One score per term in [0, 1], their sum, and an error bound for any score.

    `rank` is the dimension of the subspace; for ridge leverage the effective dimension, a fraction.
    `error` covers the error of the subspace only: 0 for the whole row space.
    """

    scores: Floats
    rank: float
    error: float = 0.0


def full_leverage(X: Matrix) -> Leverage:
    """Leverage in the whole row space. The scores sum to the rank of X."""
    if X.shape[0] <= X.shape[1]:
        return _through_documents(X)
    return _through_terms(X)


def ridge_leverage(X: Matrix, alpha: float) -> Leverage:
    """x_i'(X X' + alpha I)⁻¹x_i: directions far below alpha hardly count.

    If alpha is below the rounding of the Gram matrix, its limit, `full_leverage`.
    """
    by_documents = X.shape[0] <= X.shape[1]
    K = gram(X if by_documents else X.T)
    if alpha <= zero_up_to(K.diagonal().max(initial=0.0), K.shape[0]):
        return full_leverage(X)
    K[np.diag_indices_from(K)] += alpha
    factor = linalg.cholesky(K, lower=True, overwrite_a=True)
    if by_documents:
        docs = np.arange(X.shape[0])
        scores = _inverse_forms(X, factor, docs, np.ones(X.shape[0]))
    else:
        # G (G + alpha I)⁻¹ = I − alpha (G + alpha I)⁻¹
        scores = 1.0 - alpha * _inverse(factor).diagonal()
    scores = np.clip(scores, 0.0, 1.0)
    return Leverage(scores, float(scores.sum()))


def truncated_leverage(X: Matrix, rank: int) -> Leverage:
    """Leverage in the span of the top `rank` right singular vectors; the row space if X has fewer.

    `error` is Davis and Kahan's bound: the projectors P, P̂ of equal rank onto the true and the
    computed subspace have |ℓ_i − ℓ̂_i| = |e_i'(P − P̂)e_i| ≤ ‖P − P̂‖ = sin θ ≤ ‖R‖_F / δ, with
    R = X'XV − V(V'X'XV) and δ the gap between V'X'XV and the first omitted singular value. The
    latter comes from its own Ritz pair, so a Krylov method must not have missed an earlier one.
    Infinite if the gap is 0: then the subspace is not defined.
    """
    if rank >= min(X.shape):
        return full_leverage(X)
    subspace = leading(X, rank, further=1)
    held = n_positive(subspace.values[:rank], min(X.shape))
    if held < rank and (gram_fits(X) or not held):
        return full_leverage(X) if held else Leverage(np.zeros(X.shape[1]), 0.0)
    rank = held
    V = term_vectors(X, subspace)
    scores = np.einsum("ij,ij->i", V[:, :rank], V[:, :rank])
    return Leverage(np.minimum(scores, 1.0), float(rank), davis_kahan(X, V, rank))


def _through_documents(X: Matrix) -> Leverage:
    """x_iP'(K_PP)⁻¹x_iP for independent documents P."""
    factor, order, lengths = pivoted(gram(X))
    rank = factor.shape[1]
    independent = order[:rank]
    scores = _inverse_forms(X, factor[:rank], independent, 1.0 / lengths[independent])
    return Leverage(np.clip(scores, 0.0, 1.0), float(rank))


def _through_terms(X: Matrix) -> Leverage:
    U = row_basis(X)
    return Leverage(np.minimum(np.einsum("ij,ij->i", U, U), 1.0), float(U.shape[1]))


def _inverse_forms(X: Matrix, factor: Floats, docs: Integers, scale: Floats) -> Floats:
    """x'S(L L')⁻¹S x for every column x of X[docs]."""
    if issparse(X) or isinstance(X, Blocks):
        inverse = _inverse(factor)
        inverse *= scale[:, None]
        inverse *= scale
        return np.concatenate([_sparse_forms(part, docs, inverse) for part in _by_terms(X)])
    weights = np.zeros((X.shape[0], docs.size))
    weights[docs] = (
        linalg.solve_triangular(factor, np.eye(docs.size), lower=True).T * scale[:, None]
    )
    scores = np.zeros(X.shape[1])
    for block in _blocks(docs.size, X.shape[1]):
        Z = np.asarray(X.T @ weights[:, block])
        scores += np.einsum("ij,ij->i", Z, Z)
    return scores


def _by_terms(X: Matrix) -> Iterator[csr_array]:
    """Documents over slices of the terms, each within the memory that the blocks may take."""
    if not isinstance(X, Blocks):
        yield X
        return
    entries = np.cumsum(X.total(occurrences))
    first = 0
    while first < entries.size:
        before = entries[first - 1] if first else 0
        limit = before + max(X.memory, BLOCK_BYTES) // ENTRY_BYTES
        last = max(first + 1, int(np.searchsorted(entries, limit, side="right")))
        yield X[:, first:last].stack(unchanged)
        first = last


def _sparse_forms(X: csr_array, docs: Integers, M: Floats) -> Floats:
    columns = X.tocsr()[docs].tocsc()
    columns.sort_indices()
    return np.asarray(_quadratic_forms(columns.indptr, columns.indices, columns.data, M))


def _inverse(factor: Floats) -> Floats:
    """(L L')⁻¹ by rows; only the upper triangle is valid."""
    if not factor.size:
        return np.zeros((0, 0))
    lower: Floats = lapack.dpotri(factor, lower=1)[0]
    return lower.T


@njit(nogil=True, cache=True)
def _quadratic_forms(start: Integers, docs: Integers, values: Floats, M: Floats) -> Floats:
    """x'Mx for every sparse column x, from the upper triangle of M: df²/2 products per term."""
    forms = np.zeros(start.size - 1)
    for term in range(forms.size):
        for i in range(start[term], start[term + 1]):
            row = M[docs[i]]
            inner = 0.5 * values[i] * row[docs[i]]
            for j in range(i + 1, start[term + 1]):
                inner += values[j] * row[docs[j]]
            forms[term] += 2.0 * values[i] * inner
    return forms


def _blocks(n_columns: int, height: int) -> list[slice]:
    width = max(1, BLOCK_BYTES // (8 * max(1, height)))
    return [slice(first, first + width) for first in range(0, n_columns, width)]
