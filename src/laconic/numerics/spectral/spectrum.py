"""Gram matrices, and the leading singular subspace of documents X on either side.

X is accessed through `X @ V`, `X.T @ U` and its Gram product. Of documents in blocks, a Gram matrix
of up to 12,000 documents or terms is a sum or stack over the blocks; beyond that the leading
subspace comes from block Lanczos, a pass over the blocks per step (two if there are fewer documents
than half of the terms).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from scipy import linalg
from scipy.sparse import csr_array, issparse
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from laconic.errors import LaconicError
from laconic.numerics.blocks import Blocks, Transposed, normal_product, refuse_gram, unchanged
from laconic.numerics.ridge.gram import lower_gram, refuse_overflow
from laconic.numerics.spectral.krylov import lanczos
from laconic.types import Floats, Matrix

# A Gram matrix of this side takes 16 GB.
LARGEST_GRAM = 45_000
# The same of documents in blocks, where a sum needs two of 1.2 GB.
LARGEST_GRAM_OF_BLOCKS = 12_000
# Up to this side, and five times the rank, the Gram matrix of blocks takes less time than Lanczos.
GRAM_OF_BLOCKS_UP_TO = 2_000
# A share of the norm of blocks is held by at most so many singular vectors.
LARGEST_RANK_OF_BLOCKS = 512
# Up to this side all singular values are computed at once from the Gram matrix.
WHOLE_SPECTRUM_UP_TO = 5_000


@dataclass(frozen=True, eq=False)
class Leading:
    """The largest eigenvalues of the smaller Gram matrix, descending, and its eigenvectors."""

    values: Floats
    vectors: Floats
    of_terms: bool


def as_floats(X: Matrix) -> Matrix:
    """Sparse X as sorted CSR of float64 without duplicates, dense X as float64; else unchanged."""
    if isinstance(X, np.ndarray):
        return np.asarray(X, dtype=np.float64)
    if not issparse(X):
        return X
    documents = csr_array(X, dtype=np.float64)
    if not documents.has_canonical_format:
        documents = documents.copy()
        documents.sum_duplicates()
    return documents


def column_squares(X: Matrix) -> Floats:
    """Squared length of every column."""
    if isinstance(X, Blocks):
        return np.asarray(X.total(column_squares))
    if not issparse(X):
        dense = np.asarray(X, dtype=np.float64)
        return np.asarray(np.einsum("ij,ij->j", dense, dense))
    documents = as_floats(X)
    squares: Floats = np.zeros(X.shape[1])
    squares += np.bincount(documents.indices, documents.data**2, minlength=X.shape[1])
    return squares


def gram(X: Matrix) -> Floats:
    """X X' in Fortran order; only the lower triangle is valid. For X'X pass X.T."""
    in_blocks = isinstance(X, Blocks | Transposed)
    largest = LARGEST_GRAM_OF_BLOCKS if in_blocks else LARGEST_GRAM
    if X.shape[0] > largest:
        fewer = f"up to {largest:,} documents or selected terms" if in_blocks else "fewer documents"
        raise LaconicError(
            f"{X.shape[0]:,} documents or terms need a Gram matrix of "
            f"{X.shape[0] ** 2 * 8e-9:,.0f} GB. Give a rank (of LSI: a size) such as 100, or "
            f"{fewer}."
        )
    if isinstance(X, Transposed):
        refuse_gram(X.blocks)
        return np.asarray(X.blocks.total(_term_gram))
    return _document_gram(X) if isinstance(X, Blocks) else lower_gram(X)


def _term_gram(block: csr_array) -> Floats:
    return lower_gram(block.T)


def _document_gram(X: Blocks) -> Floats:
    """Inner products of the documents of each block with those from there on."""
    K: Floats = np.zeros((X.shape[0], X.shape[0]), order="F")
    for first, last in pairwise(X.starts):
        block = X.take(np.arange(first, last)).stack(unchanged)
        K[first:, first:last] = X.take(np.arange(first, X.shape[0])).stack(InnerProducts(block))
    refuse_overflow(float(K.diagonal().sum()))
    return K


@dataclass(frozen=True, eq=False)
class InnerProducts:
    """block -> inner products of its documents with others"""

    others: csr_array

    def __call__(self, block: csr_array) -> Floats:
        return np.asarray((block @ self.others.T).toarray(), dtype=np.float64)


def gram_fits(X: Matrix) -> bool:
    """Whether `gram` of the smaller side is not refused."""
    largest = LARGEST_GRAM_OF_BLOCKS if isinstance(X, Blocks) else LARGEST_GRAM
    return bool(min(X.shape) <= largest)


def leading(X: Matrix, rank: int, further: int = 0) -> Leading:
    """The `rank` largest eigenvalues of the smaller of X X' and X'X, or all if there are fewer.

    With `further` = 1 also the next one. If X is in blocks, it is less accurate.
    """
    if isinstance(X, Blocks):
        return _leading_of_blocks(X, rank, further)
    rank += further
    of_terms = X.shape[1] <= X.shape[0]
    n = min(X.shape)
    rank = min(rank, n)
    if gram_is_cheaper(n, rank, stored(X)):
        return Leading(*_by_gram(X.T if of_terms else X, rank), of_terms)
    try:
        return Leading(*_by_krylov(X.T if of_terms else X, rank), of_terms)
    except ArpackError:
        return Leading(*_by_gram(X.T if of_terms else X, rank), of_terms)


def _leading_of_blocks(X: Blocks, rank: int, further: int) -> Leading:
    n = min(X.shape)
    if rank + 1 >= n or n <= min(max(GRAM_OF_BLOCKS_UP_TO, 5 * rank), LARGEST_GRAM_OF_BLOCKS):
        of_terms = X.shape[1] <= X.shape[0]
        return Leading(*_by_gram(X.T if of_terms else X, min(rank + further, n)), of_terms)
    # a step with documents takes two passes, X'U and X(X'U)
    of_terms = X.shape[1] <= 2 * X.shape[0]
    apply = partial(normal_product, X if of_terms else X.T)
    values, vectors = lanczos(apply, X.shape[1] if of_terms else X.shape[0], rank)
    return Leading(values[: rank + further], vectors[:, : rank + further], of_terms)


def stored(X: Matrix) -> int:
    return int(X.nnz) if issparse(X) else int(np.prod(X.shape))


def gram_is_cheaper(n: int, rank: int, n_stored: int) -> bool:
    """Whether eigenvectors of the n × n Gram matrix cost less than `rank` Krylov vectors.

    The model is in seconds on one core, fitted to text-like X with n = 500 … 20,000 and rank =
    10 … n/4: Lanczos takes about 4·rank + 200 steps, each with two products and an
    orthogonalisation.
    """
    krylov = (4 * rank + 200) * (3e-9 * n_stored + 2.6e-9 * n * rank)
    dense = 9e-11 * n**3 + 2.7e-10 * n**2 * rank
    return rank + 1 >= n or (dense < krylov and n <= LARGEST_GRAM)


def _by_gram(X: Matrix, rank: int) -> tuple[Floats, Floats]:
    n = X.shape[0]
    values, vectors = linalg.eigh(gram(X), subset_by_index=(n - rank, n - 1), overwrite_a=True)
    return values[::-1], vectors[:, ::-1]


def _by_krylov(X: Matrix, rank: int) -> tuple[Floats, Floats]:
    """Restarted Lanczos (ARPACK) on v -> X X'v to machine precision, from a fixed start.

    The start is random: a constant vector would miss antisymmetric eigenvectors.
    """
    n = X.shape[0]
    forward = X.tocsr() if issparse(X) else X
    backward = X.T.tocsr() if issparse(X) else X.T
    operator = LinearOperator((n, n), matvec=lambda v: forward @ (backward @ v), dtype=np.float64)
    start = np.random.default_rng(0).normal(size=n)
    # the seed is for restarts of ARPACK where the Krylov space is exhausted
    values, vectors = eigsh(operator, k=rank, v0=start, tol=0, rng=0)
    descending = np.argsort(-values)
    return values[descending], vectors[:, descending]


def rank_holding(X: Matrix, share: float) -> int:
    """The smallest rank whose top singular values have `share` of the squared Frobenius norm."""
    n = min(X.shape)
    if n <= WHOLE_SPECTRUM_UP_TO:
        return _rank_in_spectrum(X, share)
    target = share * float(column_squares(X).sum())
    for rank in _ranks_to_try(X):
        held = np.cumsum(leading(X, rank).values)
        if held[-1] >= target:
            return _first_at_least(held, target)
    if not gram_fits(X):
        raise LaconicError(
            f"rank={share}: {rank} singular vectors hold {share * held[-1] / target:.1%} of the "
            f"squared norm of the {X.shape[0]:,} documents in blocks. Give a smaller share, or a "
            "whole number"
        )
    return _rank_in_spectrum(X, share)


def _ranks_to_try(X: Matrix) -> Iterator[int]:
    n, rank = min(X.shape), 64
    if isinstance(X, Blocks):
        while rank <= LARGEST_RANK_OF_BLOCKS:
            yield rank
            rank *= 2
    else:
        while not gram_is_cheaper(n, rank, stored(X)):
            yield rank
            rank *= 2


def _rank_in_spectrum(X: Matrix, share: float) -> int:
    K = gram(X if X.shape[0] <= X.shape[1] else X.T)
    values = linalg.eigvalsh(K, overwrite_a=True)[::-1]
    held = np.cumsum(np.maximum(values, 0.0))
    return _first_at_least(held, share * held[-1])


def _first_at_least(held: Floats, target: float) -> int:
    # the slack allows for rounding if equal singular values reach the target exactly
    return min(int(np.searchsorted(held, target * (1 - 1e-12))) + 1, held.size)
