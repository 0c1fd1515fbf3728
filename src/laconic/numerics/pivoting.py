"""QR with column pivoting (Businger & Golub 1965): which columns add most to those before them.

X is touched through `X.T @ q` and `X[:, columns] @ V`; Q, documents × pivots, is all that is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse import csc_array, issparse

from laconic.numerics.rank import zero_length_share

Floats: TypeAlias = NDArray[np.float64]
Columns: TypeAlias = NDArray[np.intp]
# An array or a scipy sparse array; scipy has no types to say so.
Matrix: TypeAlias = Any

# Squared lengths that differ by less are equal, and the lowest column is taken.
TIE = 1e-9
# Of the longest square at the last measurement: what is left below this share may be rounding.
TRUSTED = 1e-6
# Columns or directions that are dense at one time.
BLOCK = 64


def pivots(X: Matrix, rank: int | None = None) -> Columns:
    """Columns of X, each the one that sticks out farthest from the span of those before it.

    They end after `rank`, or at the numerical rank: where no column sticks out by more than
    rounding. Lengths are downdated, ‖r‖² − (x'q)², and measured anew before cancellation has
    spoilt them: each time the longest square has fallen to a millionth, so a few times at most.
    """
    X = _by_column(X)
    return _pivots(X, rank, _squares_outside(X, np.empty((X.shape[0], 0))))


def pivots_again(X: Matrix, rank: int | None = None) -> Iterator[Columns]:
    """The pivots of X, then those of the columns that are left, and so on while any is not 0."""
    X = _by_column(X)
    squares = _squares_outside(X, np.empty((X.shape[0], 0)))
    rest = np.flatnonzero(squares)
    while rest.size:
        found = _pivots(X[:, rest], rank, squares[rest])
        yield rest[found]
        rest = np.delete(rest, found)


def order_after_swaps(taken: Columns, n_terms: int) -> Columns:
    """Where LAPACK leaves all columns when it has swapped each pivot to the front in its turn."""
    order, place = np.arange(n_terms), np.arange(n_terms)
    for front, pivot in enumerate(taken):
        there, displaced = place[pivot], order[front]
        order[front], order[there] = pivot, displaced
        place[pivot], place[displaced] = front, there
    return order


def _pivots(X: Matrix, rank: int | None, squares: Floats) -> Columns:
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


def _by_column(X: Matrix) -> Matrix:
    return csc_array(X) if issparse(X) else X


def _longest(squares: Floats) -> int:
    return int(np.argmax(squares >= squares.max() * (1.0 - TIE)))


def _direction(X: Matrix, column: int, Q: Floats) -> Floats:
    """The part of a column outside the span of Q, of length 1."""
    r: Floats = np.asarray(X[:, [column]] @ np.ones(1))
    # once leaves rounding of the size of x along Q; twice is enough (Kahan; Parlett 1998, 6.9)
    for _ in range(2):
        r = r - Q @ (Q.T @ r)
    return r / np.linalg.norm(r)


def _squares_outside(X: Matrix, Q: Floats) -> Floats:
    """Squared length of what every column has outside the span of Q, without cancellation.

    It is what is left of a column without its part in Q, or its part in a basis of the rest of the
    space: whichever has fewer directions.
    """
    n_docs, rank = Q.shape
    return _by_removing(X, Q) if rank <= n_docs - rank else _by_projecting(X, Q)


def _by_removing(X: Matrix, Q: Floats) -> Floats:
    n_terms = X.shape[1]
    squares = np.empty(n_terms)
    for start in range(0, n_terms, BLOCK):
        block = slice(start, min(start + BLOCK, n_terms))
        R = np.asarray(X[:, block] @ np.eye(block.stop - start))
        R = R - Q @ (Q.T @ R)
        squares[block] = np.einsum("ij,ij->j", R, R)
    return squares


def _by_projecting(X: Matrix, Q: Floats) -> Floats:
    rest = linalg.qr(Q)[0][:, Q.shape[1] :]
    squares = np.zeros(X.shape[1])
    for start in range(0, rest.shape[1], BLOCK):
        P = np.asarray(X.T @ rest[:, start : start + BLOCK])
        squares += np.einsum("ij,ij->i", P, P)
    return squares
