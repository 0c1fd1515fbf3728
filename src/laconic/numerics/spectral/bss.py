"""Spectral sparsification: few rows of U, reweighted, with nearly the same Gram matrix.

    the paper (Paul & Drineas 2014, Algorithm 1)   here
    U, d × ℓ with U'U = I                          U, terms × rank
    r                                              `size`, the number of steps
    L_τ, U_τ                                       `lower`, `upper`: barriers about the eigenvalues
    Φ, Φ̂                                           traces of the inverses at the barriers
    𝓛(u), 𝓤(u)                                     u'Fu, u'Gu: quadratic forms (`_Forms`)

Each step adds t·uu' of one row to A and moves both barriers. A row may be taken if 𝓤(u) ≤ 𝓛(u);
rows are tested by decreasing length, in blocks, until one passes. The result is the same as testing
all of them. Blocks always hold the same rows, so rounding is reproducible. The form F − G halves
the cost per row, but costs rank³ to compute: it is used once more rows than the rank are tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numba import njit
from scipy.linalg import lapack

from laconic.types import Floats, Integers

# Rows in the first block; each further one has twice as many.
FIRST_BLOCK = 64
# Lengths that differ by less are equal: identical words, ordered by column.
TIE = 1e-9
# A row shorter than this share of the longest counts as 0.
ZERO_LENGTH = 1e-9


@dataclass(frozen=True, eq=False)
class Sparsified:
    """Distinct rows in the order they were taken, their squared weights, and Lemma 1's bounds.

    `low` ≤ eigenvalues of U'SU ≤ `high`, S the diagonal matrix of the squared weights.
    """

    rows: Integers
    squares: Floats
    low: float
    high: float


def sparsify(U: Floats, size: int, *, gamma: float = 0.0, repeat: float = 0.2) -> Sparsified:
    """Algorithm 1 in `size` > rank steps, with weights √t and repeated rows merged.

    Each step takes the longest admissible row that was not taken before. A row is taken again if
    there is no other, or if the longest other has less than `repeat` times its length: t grows
    as 1/‖u‖². `gamma` is a reading of the paper's γ, meant for an ill-conditioned A: A = 0 becomes
    γI, once. The matrices inverted here, A between its barriers, are well conditioned without it.
    """
    rank = U.shape[1]
    s = sqrt(rank / size)
    stride = (1 + s) / (1 - s)
    rows = _Rows.of(U, repeat)
    barriers = _Barriers.around(gamma * np.eye(rank), sqrt(size * rank), stride)
    total = np.zeros(U.shape[0])
    arrival: dict[int, None] = {}
    for _ in range(size):
        forms = barriers.advance()
        row = rows.first(forms, total)
        u = U[row]
        t = 2.0 / float(np.sum(forms.values(u[None])))
        barriers.add(u, t)
        total[row] += t
        arrival[row] = None
    chosen = np.fromiter(arrival, dtype=np.intp)
    return Sparsified(chosen, total[chosen] * (1 - s) / size, (1 - s) ** 2, (1 + s) ** 2)


@dataclass(eq=False)
class _Barriers:
    """A between its barriers, and the inverses of A − lower·I and upper·I − A."""

    A: Floats
    lower: float
    upper: float
    stride: float
    below: Floats
    above: Floats

    @classmethod
    def around(cls, A: Floats, distance: float, stride: float) -> _Barriers:
        lower, upper = -distance, stride * distance
        inverses = _shifted_inverse(A, -lower), _shifted_inverse(-A, upper)
        return cls(A, lower, upper, stride, *inverses)

    def advance(self) -> _Forms:
        """Move both barriers one step. Potentials differ by δ·tr(P_new P_old), which are sums."""
        self.lower += 1.0
        self.upper += self.stride
        old_below, old_above = self.below, self.above
        self.below = _shifted_inverse(self.A, -self.lower)
        self.above = _shifted_inverse(-self.A, self.upper)
        rise = float(np.vdot(self.below, old_below))
        fall = self.stride * float(np.vdot(self.above, old_above))
        return _Forms(self.below, self.above, rise, fall)

    def add(self, u: Floats, t: float) -> None:
        """Add t·uu' to A; its inverses follow by Sherman and Morrison."""
        self.A += t * np.outer(u, u)
        self.below = _rank_one_update(self.below, u, t)
        self.above = _rank_one_update(self.above, u, -t)


@dataclass(eq=False)
class _Forms:
    """𝓛 and 𝓤 of rows, from the inverses at the barriers and the changes of the potentials."""

    below: Floats
    above: Floats
    rise: float
    fall: float
    n_tested: int = 0
    form: Floats | None = None

    def values(self, B: Floats) -> tuple[Floats, Floats]:
        """𝓛 and 𝓤 of each row of B. u'P²u is ‖Pu‖²."""
        low, high = B @ self.below, B @ self.above
        lower = _dots(low, low) / self.rise - _dots(B, low)
        return lower, _dots(high, high) / self.fall + _dots(B, high)

    def gaps(self, B: Floats) -> Floats:
        """𝓛 − 𝓤 of the next rows to test."""
        self.n_tested += len(B)
        if self.form is None and self.n_tested > self.below.shape[0]:
            self.form = self._difference()
        if self.form is not None:
            return _dots(B @ self.form, B)
        lower, upper = self.values(B)
        return lower - upper

    def _difference(self) -> Floats:
        """F − G."""
        below, above = self.below, self.above
        return below @ below / self.rise - below - above @ above / self.fall - above


def _dots(A: Floats, B: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", A, B))


def _shifted_inverse(A: Floats, shift: float) -> Floats:
    """(A + shift·I)⁻¹, which must be positive definite, by its Cholesky factor."""
    shifted = A.copy(order="F")
    shifted[np.diag_indices_from(shifted)] += shift
    factor, failed = lapack.dpotrf(shifted, lower=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("an eigenvalue reached its barrier")
    inverse: Floats = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
    return _mirrored(inverse.T)


def _rank_one_update(inverse: Floats, u: Floats, t: float) -> Floats:
    """The inverse after t·uu' was added."""
    v = inverse @ u
    return inverse - np.outer(t / (1.0 + t * (u @ v)) * v, v)


@njit(nogil=True, cache=True)
def _mirrored(M: Floats) -> Floats:
    """Copy the upper triangle to the lower one."""
    for i in range(M.shape[0]):
        for j in range(i):
            M[i, j] = M[j, i]
    return M


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of U by decreasing length, in blocks; `lengths` is in that order, U is not."""

    order: Integers
    lengths: Floats
    U: Floats
    repeat: float

    @classmethod
    def of(cls, U: Floats, repeat: float) -> _Rows:
        """Rows of 0 would satisfy 0 ≤ 0 with t = ∞, so they are excluded."""
        lengths = np.sqrt(np.einsum("ij,ij->i", U, U))
        order = _by_length(lengths)
        return cls(order, lengths[order], U, repeat)

    def first(self, forms: _Forms, taken: Floats) -> int:
        """The row to take: see `sparsify`."""
        again = nearest = -1
        closest = -np.inf
        for block in self._blocks():
            if again >= 0 and self.lengths[block.start] < self.repeat * self.lengths[again]:
                break
            gaps = forms.gaps(self.U[self.order[block]])
            allowed = gaps >= 0
            fresh = allowed & (taken[self.order[block]] == 0)
            if again < 0 and (allowed & ~fresh).any():
                again = block.start + int((allowed & ~fresh).argmax())
            if fresh.any():
                new = block.start + int(fresh.argmax())
                longer = again if 0 <= again < new else new
                return self._row(new, longer)
            if gaps.max() > closest:
                closest, nearest = float(gaps.max()), block.start + int(gaps.argmax())
        # in theory every step has an admissible row; rounding may make it fail by a digit
        return int(self.order[again if again >= 0 else nearest])

    def _row(self, new: int, again: int) -> int:
        short = self.lengths[new] < self.repeat * self.lengths[again]
        return int(self.order[again if short else new])

    def _blocks(self) -> Iterator[slice]:
        start, width = 0, FIRST_BLOCK
        while start < self.order.size:
            yield slice(start, min(start + width, self.order.size))
            start, width = start + width, 2 * width


def _by_length(lengths: Floats) -> Integers:
    """Longest first; equally long rows in column order."""
    order = np.argsort(-lengths, kind="stable")
    order = order[lengths[order] > ZERO_LENGTH * lengths.max(initial=0.0)]
    group = np.zeros(order.size, dtype=np.intp)
    leader = np.inf
    for place, length in enumerate(lengths[order].tolist()):
        if length < leader * (1 - TIE):
            leader = length
            group[place] = 1
    ranked: Integers = order[np.lexsort((order, np.cumsum(group)))]
    return ranked
