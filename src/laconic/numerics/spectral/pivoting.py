"""QR with column pivoting (Businger & Golub 1965): the columns that add most to the earlier ones.

X is accessed through `X.T @ q` and `X[:, columns] @ V`; only Q, documents × pivots, is stored.

Of documents in blocks the pivots come from a Cholesky factor of X'X with the same pivoting, whose
columns are computed for many candidates in one pass over the blocks. Then terms × pivots is stored,
and squared lengths below about n·10⁻¹⁵ of the longest count as 0, because X'X does not show them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.sparse import csc_array, csr_array, issparse

from laconic.errors import LaconicError
from laconic.numerics.blocks import Blocks
from laconic.numerics.spectral.rank import zero_length_share, zero_share
from laconic.numerics.spectral.spectrum import LARGEST_GRAM_OF_BLOCKS, column_squares
from laconic.types import Floats, Indices, Matrix

# Squared lengths that differ by less are tied, and the lowest column is chosen.
TIE = 1e-9
# Lengths are recomputed when the longest square has fallen below this share: it may be rounding.
TRUSTED = 1e-6
# Columns or directions per dense block, candidates per pass over documents in blocks.
BLOCK = 64


def pivots(X: Matrix, rank: int | None = None) -> Indices:
    """Columns of X, each the farthest from the span of the earlier ones.

    They end after `rank`, or at the numerical rank, when no column is outside the span by more than
    rounding. Squared lengths are downdated, ‖r‖² − (x'q)², and recomputed before cancellation
    spoils them: each time the longest has fallen by a factor of 10⁶, so a few times at most.
    """
    X = _by_column(X)
    return _pivots(X, rank, _squares(X))


def pivot_rounds(X: Matrix, rank: int | None = None) -> Iterator[Indices]:
    """Yield the pivots of X, then those of the remaining columns, and so on until all are 0."""
    X = _by_column(X)
    squares = _squares(X)
    rest = np.flatnonzero(squares)
    while rest.size:
        chosen = _pivots(X[:, rest], rank, squares[rest])
        yield rest[chosen]
        rest = np.delete(rest, chosen)


def order_after_swaps(taken: Indices, n_terms: int) -> Indices:
    """The order of all columns after LAPACK has swapped each pivot to the front in turn."""
    order, place = np.arange(n_terms), np.arange(n_terms)
    for front, pivot in enumerate(taken):
        there, displaced = place[pivot], order[front]
        order[front], order[there] = pivot, displaced
        place[pivot], place[displaced] = front, there
    return order


def _pivots(X: Matrix, rank: int | None, squares: Floats) -> Indices:
    if isinstance(X, Blocks):
        return _pivots_of_blocks(X, rank, squares)
    n_docs, n_terms = X.shape
    most = min(n_docs, n_terms, n_docs if rank is None else rank)
    Q = np.empty((n_docs, most), order="F")
    chosen: list[int] = []
    left = squares.copy()
    dependent = left.max() * zero_length_share(max(n_docs, n_terms)) ** 2
    trusted = TRUSTED * left.max()
    while len(chosen) < most:
        span = Q[:, : len(chosen)]
        if left.max() < trusted:
            left = _squares_outside(X, span)
            trusted = TRUSTED * left.max()
        pivot = _longest(left)
        if left[pivot] <= dependent:
            break
        q = Q[:, len(chosen)]
        q[:] = _direction(X, pivot, span)
        left -= np.square(X.T @ q)
        chosen.append(pivot)
    return np.array(chosen, dtype=np.intp)


def _pivots_of_blocks(X: Blocks, rank: int | None, squares: Floats) -> Indices:
    n_terms = X.shape[1]
    if rank is None and n_terms > LARGEST_GRAM_OF_BLOCKS:
        raise LaconicError(
            f"all pivots of {X.shape[0]:,} documents in blocks with {n_terms:,} terms: the limit "
            f"is {LARGEST_GRAM_OF_BLOCKS:,} terms. Give a rank (such as 300), or select terms."
        )
    most = min(*X.shape, n_terms if rank is None else rank)
    L = np.empty((n_terms, most), order="F")
    chosen: list[int] = []
    left, products = squares.copy(), dict[int, Floats]()
    dependent = left.max() * zero_share(max(X.shape))
    while len(chosen) < most and left.max() > dependent:
        pivot = _longest(left)
        if pivot not in products:
            products = _candidate_products(X, pivot, left)
        span = L[:, : len(chosen)]
        column = L[:, len(chosen)]
        column[:] = (products[pivot] - span @ span[pivot]) / np.sqrt(left[pivot])
        left -= np.square(column)
        left[pivot] = 0.0
        chosen.append(pivot)
    return np.array(chosen, dtype=np.intp)


def _candidate_products(X: Blocks, pivot: int, left: Floats) -> dict[int, Floats]:
    """X'x for the pivot and the columns that are longest after it, in one pass."""
    few = min(BLOCK, left.size)
    candidates = np.union1d(pivot, np.argpartition(-left, few - 1)[:few])
    G = X.total(ColumnProducts(candidates))
    return dict(zip(candidates.tolist(), G.T, strict=True))


@dataclass(frozen=True, eq=False)
class ColumnProducts:
    """block -> its summand of X'X[:, columns]"""

    columns: Indices

    def __call__(self, block: csr_array) -> Floats:
        chosen = block[:, self.columns].astype(np.float64)
        return np.asarray((block.T @ chosen).toarray())


def _squares(X: Matrix) -> Floats:
    if isinstance(X, Blocks):
        return column_squares(X)
    return _squares_outside(X, np.empty((X.shape[0], 0)))


def _by_column(X: Matrix) -> Matrix:
    return csc_array(X) if issparse(X) else X


def _longest(squares: Floats) -> int:
    return int(np.argmax(squares >= squares.max() * (1.0 - TIE)))


def _direction(X: Matrix, column: int, Q: Floats) -> Floats:
    """The part of a column outside the span of Q, normalised."""
    r: Floats = np.asarray(X[:, [column]] @ np.ones(1))
    # one pass leaves rounding of the size of x along Q; two suffice (Kahan; Parlett 1998, 6.9)
    for _ in range(2):
        r = r - Q @ (Q.T @ r)
    return r / np.linalg.norm(r)


def _squares_outside(X: Matrix, Q: Floats) -> Floats:
    """Squared length of every column outside the span of Q, without cancellation.

    Either Q is projected out, or columns are projected onto a basis of its complement: whichever
    has fewer directions.
    """
    n_docs, rank = Q.shape
    return _by_projecting_out(X, Q) if rank <= n_docs - rank else _by_complement(X, Q)


def _by_projecting_out(X: Matrix, Q: Floats) -> Floats:
    n_terms = X.shape[1]
    squares = np.empty(n_terms)
    for start in range(0, n_terms, BLOCK):
        block = slice(start, min(start + BLOCK, n_terms))
        R = np.asarray(X[:, block] @ np.eye(block.stop - start))
        R = R - Q @ (Q.T @ R)
        squares[block] = np.einsum("ij,ij->j", R, R)
    return squares


def _by_complement(X: Matrix, Q: Floats) -> Floats:
    rest = linalg.qr(Q)[0][:, Q.shape[1] :]
    squares = np.zeros(X.shape[1])
    for start in range(0, rest.shape[1], BLOCK):
        P = np.asarray(X.T @ rest[:, start : start + BLOCK])
        squares += np.einsum("ij,ij->i", P, P)
    return squares
