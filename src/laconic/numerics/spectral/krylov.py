"""Block Lanczos: the leading eigenvectors of A, symmetric and positive, from few products with it.

A product with documents in blocks is a pass over them, so a step multiplies a block of vectors. The
space is spanned by Q with Q'Q = I and A Q = Q T + (what is outside of Q, of the last block only).
Eigenvectors of T are Ritz vectors, and their residuals follow without a product. All vectors are
orthogonalised against all of Q; when Q is full, it restarts from its best Ritz vectors (thick
restart, Wu & Simon 2000). The start is random with a fixed seed: an eigenvalue that occurs up to
`width` times has all of its copies in the space with probability 1. To find more copies, random
vectors are added once the result has converged, and it must stay so for `TEST_STEPS` more steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np
from scipy import linalg

from laconic.numerics.ridge.conjugate_gradients import Operator
from laconic.types import Floats

# Stop when the sine of the angle to the true subspace is at most this (Davis and Kahan's bound) ...
ACCURACY = 1e-6
# ... or when residuals are at most this share of the largest eigenvalue, whatever the gap.
SMALLEST_RESIDUAL = 1e-12
# Directions shorter than this share of the largest eigenvalue are rounding.
NO_DIRECTION = 1e-13
# Vectors per step: a quarter of the rank takes about as much time as single vectors in memory.
SMALLEST_WIDTH = 16
# Text takes 30 to 40 steps at rank 100. The bound says how far the last one got.
MAX_STEPS = 150
# Steps after convergence, with random vectors that may show what the start has missed.
TEST_STEPS = 4
# Rows of Q that are rotated at once.
ROWS = 4096


@dataclass(frozen=True, eq=False)
class Ritz:
    """Approximate eigenvalues, descending, in coordinates of Q, and their residuals."""

    values: Floats
    coordinates: Floats
    residuals: Floats

    @classmethod
    def of(cls, T: Floats, R: Floats) -> Ritz:
        """R are the parts of A Q outside of Q, for the last columns of Q."""
        values, coordinates = linalg.eigh(T)
        values, coordinates = values[::-1], coordinates[:, ::-1]
        last = coordinates[T.shape[0] - R.shape[1] :]
        return cls(values, coordinates, np.asarray(linalg.norm(R @ last, axis=0)))

    def converged(self, rank: int) -> bool:
        """Whether the first `rank` vectors span their subspace as accurately as they should."""
        if self.values.size <= rank:
            return False
        residual = float(linalg.norm(self.residuals[:rank]))
        gap = float(self.values[rank - 1] - self.values[rank] - self.residuals[rank])
        exact = linalg.norm(self.residuals[: rank + 1]) <= SMALLEST_RESIDUAL * self.values[0]
        return bool(exact or residual <= ACCURACY * gap)


def lanczos(apply: Operator, n: int, rank: int) -> tuple[Floats, Floats]:
    """The `rank + 1` largest eigenvalues of A, descending, and eigenvectors; rank < n.

    `apply` is V -> A V. The first `rank` are accurate; the next one only as far as the gap to it
    needs. Memory: n × about 4·rank.
    """
    rng, n_tests = np.random.default_rng(0), 0
    width = min(n, max(SMALLEST_WIDTH, rank // 4))
    n_restart = rank + width
    room = min(n, max(4 * rank, n_restart + 6 * width))
    Q, T = np.empty((n, room), order="F"), np.zeros((room, room))
    block, size = _fresh(Q[:, :0], width, rng), 0
    for step in count(1):
        first, size = size, size + block.shape[1]
        Q[:, first:size] = block
        T[:size, first:size], block, R = _split(Q[:, :size], apply(block))
        T[first:size, :first] = T[:first, first:size].T
        ritz = Ritz.of(T[:size, :size], R)
        n_tests = n_tests + 1 if ritz.converged(rank) else 0
        if size == n or step == MAX_STEPS or n_tests > TEST_STEPS:
            break
        if n_tests == 1 or not block.shape[1]:
            known = np.hstack([Q[:, :size], block])
            more = _fresh(known, min(width, n - known.shape[1]), rng)
            block = np.hstack([block, more])
        if size + block.shape[1] > room:
            _rotate(Q, ritz.coordinates[:, :n_restart])
            size = n_restart
            T[:size, :size] = np.diag(ritz.values[:size])
    _rotate(Q, ritz.coordinates[:, : rank + 1])
    return ritz.values[: rank + 1], Q[:, : rank + 1].copy(order="F")


def _split(Q: Floats, Y: Floats) -> tuple[Floats, Floats, Floats]:
    """H, B and R with Y = Q H + B R, and B orthonormal and orthogonal to Q."""
    H = Q.T @ Y
    largest = float(linalg.norm(H, axis=0).max())
    B, R = _directions(Y - Q @ H, NO_DIRECTION * largest)
    if not B.size:
        return H, B, R
    # unit vectors once more: one projection leaves rounding of the size of Y along Q
    rest = Q.T @ B
    B, scale = linalg.qr(B - Q @ rest, mode="economic")
    return H + rest @ R, B, scale @ R


def _directions(Y: Floats, rounding: float) -> tuple[Floats, Floats]:
    """Y = B R with orthonormal B, without directions that are only rounding."""
    B, R, order = linalg.qr(Y, mode="economic", pivoting=True)
    rank = int((np.abs(R.diagonal()) > rounding).sum())
    return B[:, :rank], R[:rank, np.argsort(order)]


def _fresh(Q: Floats, width: int, rng: np.random.Generator) -> Floats:
    """Random orthonormal vectors orthogonal to Q: the start, and after an invariant subspace."""
    B = rng.normal(size=(Q.shape[0], width))
    for _ in range(2):
        B = linalg.qr(B - Q @ (Q.T @ B), mode="economic")[0]
    return B


def _rotate(Q: Floats, S: Floats) -> None:
    """Q S in place of the first columns of Q."""
    size, width = S.shape
    for first in range(0, Q.shape[0], ROWS):
        rows = slice(first, first + ROWS)
        Q[rows, :width] = Q[rows, :size] @ S
