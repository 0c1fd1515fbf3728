"""An updatable Cholesky factor H = U'U, for adding columns and adding or removing rows of data.

U is upper triangular and row-major, so every loop runs along a row: appending a column, adding
or removing a row of data, and both triangular solves. Each costs O(size²).

Downdating is LINPACK's: solve U'p = x, then rotate (p, √(1 − ‖p‖²)) into a unit vector, from the
last row to the first. ‖p‖² = x'H⁻¹x is the leverage of x; if it is 1, H − xx' is singular.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy import linalg

from laconic.types import Floats

# A pivot up to this share of its diagonal entry, or 1 − leverage up to this, counts as 0.
SINGULAR = 1e-9
FIRST_CAPACITY = 32


class Factor:
    """U with U'U = H.

    `append` and `downdate` return False and change nothing if H would become singular. Vectors are
    as long as H.
    """

    def __init__(self, capacity: int = FIRST_CAPACITY) -> None:
        self.size = 0
        self._U: Floats = np.zeros((capacity, capacity))

    @property
    def U(self) -> Floats:  # noqa: N802 - a matrix
        """The upper triangle; the values below it are undefined."""
        return self._U[: self.size, : self.size]

    def append(self, column: Floats, diagonal: float) -> bool:
        """Append a column (without its last entry, `diagonal`) to H."""
        if self.size == self._U.shape[0]:
            self._U = _enlarged(self._U)
        accepted = bool(_append(self._U, self.size, column, diagonal, SINGULAR))
        self.size += accepted
        return accepted

    def update(self, x: Floats) -> None:
        """H + xx'."""
        _update(self._U, self.size, x)

    def downdate(self, x: Floats) -> bool:
        """H − xx'."""
        return bool(_downdate(self._U, self.size, x, SINGULAR))

    def leverage(self, x: Floats) -> float:
        """x'H⁻¹x."""
        return float(_leverage(self._U, self.size, x))

    def solve(self, b: Floats) -> Floats:
        """H⁻¹b."""
        solution: Floats = _solve(self._U, self.size, b)
        return solution

    def replace(self, H: Floats) -> bool:
        """Replace H by one of the same size; False if it is not positive definite.

        Only its upper triangle is read.
        """
        try:
            self._U[: self.size, : self.size] = linalg.cholesky(H, check_finite=False)
        except linalg.LinAlgError:
            return False
        return True


def _enlarged(U: Floats) -> Floats:
    larger = np.zeros((2 * U.shape[0], 2 * U.shape[0]))
    larger[: U.shape[0], : U.shape[0]] = U
    return larger


@njit(nogil=True, cache=True)
def _forward(U: Floats, size: int, b: Floats) -> Floats:
    """U'⁻¹b, row by row."""
    p = b[:size].copy()
    for k in range(size):
        row = U[k]
        if p[k] != 0.0:
            p[k] /= row[k]
            for j in range(k + 1, size):
                p[j] -= p[k] * row[j]
    return p


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _backward(U: Floats, size: int, p: Floats) -> None:
    """U⁻¹p in place. Sums may be reordered, so the compiler can vectorise them."""
    for k in range(size - 1, -1, -1):
        row, total = U[k], 0.0
        for j in range(k + 1, size):
            total += row[j] * p[j]
        p[k] = (p[k] - total) / row[k]


@njit(nogil=True, cache=True)
def _solve(U: Floats, size: int, b: Floats) -> Floats:
    p = _forward(U, size, b)
    _backward(U, size, p)
    return p


@njit(nogil=True, cache=True)
def _leverage(U: Floats, size: int, x: Floats) -> float:
    p = _forward(U, size, x)
    return float(np.dot(p, p))


@njit(nogil=True, cache=True)
def _append(U: Floats, size: int, column: Floats, diagonal: float, singular: float) -> bool:
    p = _forward(U, size, column)
    pivot = diagonal - np.dot(p, p)
    if pivot <= singular * diagonal:
        return False
    for k in range(size):
        U[k, size] = p[k]
    U[size, size] = np.sqrt(pivot)
    return True


@njit(nogil=True, cache=True)
def _update(U: Floats, size: int, x: Floats) -> None:
    """Rotate the row x, placed below U, into zeros."""
    z = x[:size].copy()
    for k in range(size):
        if z[k] == 0.0:
            continue
        row = U[k]
        length = np.hypot(row[k], z[k])
        cos, sin = row[k] / length, z[k] / length
        row[k] = length
        for j in range(k + 1, size):
            old = row[j]
            row[j] = cos * old + sin * z[j]
            z[j] = cos * z[j] - sin * old


@njit(nogil=True, cache=True)
def _downdate(U: Floats, size: int, x: Floats, singular: float) -> bool:
    p = _forward(U, size, x)
    rest = 1.0 - np.dot(p, p)
    if rest <= singular:
        return False
    remainder = np.sqrt(rest)
    z = np.zeros(size)
    for k in range(size - 1, -1, -1):
        if p[k] == 0.0:
            continue
        row = U[k]
        length = np.hypot(remainder, p[k])
        cos, sin = remainder / length, p[k] / length
        remainder = length
        for j in range(k, size):
            old = row[j]
            row[j] = cos * old - sin * z[j]
            z[j] = cos * z[j] + sin * old
    return True
