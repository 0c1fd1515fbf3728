"""Regularized least squares for many alpha: one factorization, and exact leave-one-out.

The Gram matrix of the smaller side, of documents (K = Xc Xc') or of terms (A = Xc'Xc), is reduced
to tridiagonal form Q T Q' once. Then for each alpha (T + alpha I)⁻¹ costs O(side) per column, and
the diagonal of Q (T + alpha I)⁻¹ Q' O(side²). The eigenvectors of T, which would double the time,
are only needed for the pseudo-inverse at alpha = 0.

Leave-one-out (Rifkin & Lippert 2007). With G = K + alpha I, the full one, and C = G⁻¹Y:

    y_i − f_{−i}(x_i) = C_i / (G⁻¹)_ii = r_i / (1 − h_i),    r = alpha C,   1 − h = alpha diag G⁻¹

An intercept is refitted too: its direction, the constant vector, is projected out of G⁻¹ on both
sides, which makes the denominator 1 − h_i − 1/n_docs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numba import njit
from scipy import linalg
from scipy.linalg.lapack import dorgqr, dsytrd, dsytrd_lwork

from laconic.numerics.ridge.gram import (
    by_documents,
    by_terms,
    centring,
    column_means,
    refuse_overflow,
)
from laconic.numerics.ridge.solve import Solution, centred_back
from laconic.numerics.spectral.rank import zero_up_to
from laconic.types import Floats, Matrix

# Columns of Q at a time: their products with X are dense.
BLOCK = 256
# Columns multiplied by Q at once: with fewer, reading Q from memory dominates.
COLUMNS = 100
# A document with 1 − h_i up to this is fitted exactly when alpha = 0, for any label.
INTERPOLATED = 1e-9
# Attributes of a factorization that are computed once.
COMPUTED = ("extremes", "sound_spectrum")


@dataclass(frozen=True, eq=False)
class Factorization:
    """Xc Xc' (`dual`) or Xc'Xc as Q T Q', with T tridiagonal.

    `X` are the n_docs documents of the factorization; for `held_out` of Xc'Xc, any of them.
    """

    X: Matrix
    n_docs: int
    intercept: bool
    dual: bool
    x_mean: Floats
    Q: Floats
    diagonal: Floats
    off_diagonal: Floats

    @property
    def trace(self) -> float:
        """Sum of the squared lengths of the (centred) documents."""
        return float(self.diagonal.sum())

    def condition(self, alpha: float) -> float:
        """Condition number of the system that `solve` solves."""
        if self._vanishes(alpha):
            values = self.sound_spectrum[0]
            return float(values[-1] / values[0]) if values.size else 1.0
        lowest, highest = self.extremes
        return float((highest + alpha) / (max(lowest, 0.0) + alpha))

    def solve(self, Y: Floats, alpha: float) -> Solution:
        """Coefficients and intercepts for one alpha."""
        y_mean = Y.mean(axis=0) if self.intercept else np.zeros(Y.shape[1])
        return self.solve_right(self._right_side(Y - y_mean), y_mean, alpha)

    def solve_right(self, right: Floats, y_mean: Floats, alpha: float) -> Solution:
        """The same for the right-hand side of the system, Yc (dual) or X'Yc."""
        C = self._inverse(self.Q.T @ right, alpha)
        coef = centred_back(self.X, C, self.x_mean) if self.dual else C
        return Solution(coef.T, y_mean - self.x_mean @ coef, self.condition(alpha))

    def leave_one_out(self, Y: Floats, alphas: Floats) -> Iterator[Floats]:
        """Yield for each alpha the residuals y_i − f_{−i}(x_i), in the shape of Y.

        f_{−i} is trained without document i, intercept included. An alpha of 0, or one below the
        rounding errors of the Gram matrix, gives the limit alpha → 0: the least-norm solution
        without i. Exact up to rounding; NaN if nothing is left to train on.
        """
        Yc = Y - Y.mean(axis=0) if self.intercept else Y
        right = self._right_side(Yc)
        yield from self.held_out(Yc, right, alphas, self.inverses(right, alphas))

    def inverses(self, right: Floats, alphas: Floats) -> Iterator[Floats]:
        """G⁻¹ times the right-hand side, for each alpha that does not vanish."""
        values = np.asarray(alphas, dtype=np.float64)
        vanishing = [self._vanishes(alpha) for alpha in values]
        return self._inverses(self.Q.T @ right, values[~np.array(vanishing, dtype=bool)])

    def held_out(
        self, Yc: Floats, right: Floats, alphas: Floats, solved: Iterable[Floats]
    ) -> Iterator[Floats]:
        """The same for the documents X, from the right-hand side of all and its `inverses`."""
        values = np.asarray(alphas, dtype=np.float64)
        vanishing = np.array([self._vanishes(alpha) for alpha in values], dtype=bool)
        pairs = zip(self._diagonals(values[~vanishing]), solved, strict=False)
        for vanishes in vanishing:
            if vanishes:
                yield self._residuals_at_0(Yc, right)
            else:
                diagonal, C = next(pairs)
                yield self._residuals(Yc, C, diagonal)

    def of(self, X: Matrix) -> Self:
        """The factorization with other documents; what is computed of T stays."""
        other = replace(self, X=X)
        known = {name: self.__dict__[name] for name in COMPUTED if name in self.__dict__}
        other.__dict__.update(known)
        return other

    def _residuals(self, Yc: Floats, C: Floats, diagonal: Floats) -> Floats:
        if self.dual:
            return _quotient(C, diagonal)
        rest = 1.0 - diagonal - (1.0 / self.n_docs if self.intercept else 0.0)
        return _quotient(Yc - self._forward(C), rest)

    def _residuals_at_0(self, Yc: Floats, right: Floats) -> Floats:
        """lim C_i / (G⁻¹)_ii: r_i / (1 − h_i), or with pseudo-inverses if that is 0 / 0."""
        values, vectors = self.sound_spectrum
        U, fitted = vectors, vectors.T @ right
        if not self.dual:
            U, fitted = self._forward(vectors) / np.sqrt(values), fitted / np.sqrt(values)[:, None]
        rest = 1.0 - np.einsum("ij,ij->i", U, U) - (1.0 / self.n_docs if self.intercept else 0.0)
        limits = _quotient(U @ (fitted / values[:, None]), (U * U) @ (1.0 / values))
        return np.where((rest > INTERPOLATED)[:, None], _quotient(Yc - U @ fitted, rest), limits)

    def _right_side(self, Yc: Floats) -> Floats:
        """The right-hand side of the system."""
        return Yc if self.dual else np.asarray(self.X.T @ Yc)

    def _forward(self, W: Floats) -> Floats:
        values: Floats = np.asarray(self.X @ W)
        return values - self.x_mean @ W if self.intercept else values

    def _inverse(self, B: Floats, alpha: float) -> Floats:
        """Q (T + alpha I)⁻¹ B; by the pseudo-inverse if alpha vanishes."""
        if not self._vanishes(alpha):
            return next(self._inverses(B, np.array([alpha])))
        values, vectors = self.sound_spectrum
        return np.asarray(vectors @ ((vectors.T @ (self.Q @ B)) / values[:, None]))

    def _inverses(self, B: Floats, alphas: Floats) -> Iterator[Floats]:
        """Q (T + alpha I)⁻¹ B for each alpha."""
        at_once = max(1, COLUMNS // B.shape[1])
        for first in range(0, alphas.size, at_once):
            factors = _factors(self.diagonal, self.off_diagonal, alphas[first : first + at_once])
            parts = [_substitute(*factor, B) for factor in zip(*factors, strict=True)]
            yield from np.hsplit(self.Q @ np.hstack(parts), len(parts))

    def _diagonals(self, alphas: Floats) -> Floats:
        """(n_alphas, n_docs): the diagonal of G⁻¹ (dual), or of Xc (A + alpha I)⁻¹ Xc'."""
        pivots, below = _factors(self.diagonal, self.off_diagonal, alphas)
        total = np.zeros((alphas.size, self.X.shape[0]))
        state = np.zeros_like(total)
        for start in range(0, self.Q.shape[1], BLOCK):
            block = self._documents_in(self.Q[:, start : start + BLOCK])
            _gather(np.ascontiguousarray(block.T), start, pivots, below, state, total)
        return total

    def _documents_in(self, columns: Floats) -> Floats:
        if not self.dual:
            return self._forward(columns)
        # project out the constant vector before 1 / alpha can amplify its rounding error
        return columns - columns.mean(axis=0) if self.intercept else columns

    def _vanishes(self, alpha: float) -> bool:
        return bool(alpha <= self._zero_up_to(self.extremes[1]))

    def _zero_up_to(self, largest: float) -> float:
        return zero_up_to(largest + centring(self.n_docs, self.x_mean), self.diagonal.size)

    @cached_property
    def extremes(self) -> Floats:
        """The smallest and the largest eigenvalue."""
        if self.diagonal.size == 1:
            return np.repeat(self.diagonal, 2)
        last = self.diagonal.size - 1
        values = [
            linalg.eigvalsh_tridiagonal(
                self.diagonal, self.off_diagonal, select="i", select_range=(place, place)
            )[0]
            for place in (0, last)
        ]
        return np.array(values)

    @cached_property
    def sound_spectrum(self) -> tuple[Floats, Floats]:
        """Nonzero eigenvalues of the Gram matrix, ascending, and their eigenvectors."""
        if self.diagonal.size == 1:
            values, vectors = self.diagonal, np.ones((1, 1))
        else:
            values, vectors = linalg.eigh_tridiagonal(self.diagonal, self.off_diagonal)
        sound = values > self._zero_up_to(values[-1])
        return values[sound], np.asarray(self.Q @ vectors[:, sound])


def factorize(X: Matrix, intercept: bool) -> Factorization:
    """The expensive step: about 8/3 side³ multiplications, and memory for side² numbers."""
    x_mean = column_means(X) if intercept else np.zeros(X.shape[1])
    dual = X.shape[0] <= X.shape[1]
    gram = by_documents(X, x_mean) if dual else by_terms(X, x_mean)
    return Factorization(X, X.shape[0], intercept, dual, x_mean, *tridiagonal(gram))


def tridiagonal(A: Floats) -> tuple[Floats, Floats, Floats]:
    """Q, the diagonal and the off-diagonal of T, from the lower triangle of A."""
    # LAPACK squares the off-diagonal entries
    with np.errstate(over="ignore"):
        refuse_overflow(float(np.square(A.diagonal().sum())))
    side = A.shape[0]
    Q = np.zeros((side, side), order="F")
    Q[0, 0] = 1.0
    if side == 1:
        return Q, A[0].copy(), np.zeros(0)
    work = int(dsytrd_lwork(side, lower=1)[0])
    reflected, diagonal, off_diagonal, tau, _ = dsytrd(A, lower=1, lwork=work, overwrite_a=1)
    Q[1:, 1:] = dorgqr(reflected[1:, :-1], tau, lwork=work)[0]
    return Q, diagonal, off_diagonal


def _quotient(part: Floats, whole: Floats) -> Floats:
    """Row-wise quotient; NaN where the denominator is not positive."""
    safe = np.where(whole > 0, whole, np.nan)
    return np.asarray(part / safe[:, None])


@njit(nogil=True, cache=True)
def _factors(diagonal: Floats, off_diagonal: Floats, alphas: Floats) -> tuple[Floats, Floats]:
    """T + alpha I = L D L': D and the subdiagonal of L, for each alpha."""
    pivots = np.empty((alphas.size, diagonal.size))
    below = np.zeros((alphas.size, diagonal.size))
    for a in range(alphas.size):
        pivots[a, 0] = diagonal[0] + alphas[a]
        for k in range(1, diagonal.size):
            below[a, k] = off_diagonal[k - 1] / pivots[a, k - 1]
            pivots[a, k] = diagonal[k] + alphas[a] - below[a, k] * off_diagonal[k - 1]
    return pivots, below


@njit(nogil=True, cache=True)
def _substitute(pivots: Floats, below: Floats, B: Floats) -> Floats:
    """(L D L')⁻¹ B."""
    Z = B.copy()
    for k in range(1, Z.shape[0]):
        Z[k] -= below[k] * Z[k - 1]
    for k in range(Z.shape[0]):
        Z[k] /= pivots[k]
    for k in range(Z.shape[0] - 2, -1, -1):
        Z[k] -= below[k + 1] * Z[k + 1]
    return Z


@njit(nogil=True, cache=True)
def _gather(
    block: Floats, start: int, pivots: Floats, below: Floats, state: Floats, total: Floats
) -> None:
    """Add the squares of L⁻¹ block, divided by D, to `total`; `state` is the last solved row."""
    width = 64
    for first in range(0, block.shape[1], width):
        docs = slice(first, min(first + width, block.shape[1]))
        for k in range(block.shape[0]):
            row = block[k, docs]
            for a in range(pivots.shape[0]):
                factor, share = below[a, start + k], 1.0 / pivots[a, start + k]
                last, sums = state[a, docs], total[a, docs]
                for i in range(row.size):
                    value = row[i] - factor * last[i]
                    last[i] = value
                    sums[i] += share * value * value
