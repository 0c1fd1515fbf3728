"""Orthogonal rotations after which directions can be read: few words, or few documents, each.

Both criteria are raised two columns x, y at a time (Jacobi). With z = x + iy, a turn by φ makes
z·exp(−iφ) of z and changes the criterion to a constant + Re(M·exp(−4iφ)), so that a quarter of the
angle of M is the best turn of the pair, and |M| − Re M what it gains. The criterion never falls,
and in the end no plane rotation raises it.

References: Kaiser (1958), The varimax criterion; Kabán & Girolami (2000), Clustering of text
documents by skewness maximisation; the turn for third moments is that of De Lathauwer, De Moor &
Vandewalle (1996).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Complexes: TypeAlias = NDArray[np.complex128]

# A round of all pairs that gains less is the last; criteria are at most of the order of 1.
TOLERANCE = 1e-13


def varimax(A: Floats) -> Floats:
    """R, orthogonal, for which A R has the largest Σ_j var_i((A R)_ij²): few large entries each.

    A is (terms, rank). The columns are not divided by anything before (raw varimax).
    """
    return _turned(A, _varimax_moment)


def skewed(Z: Floats) -> Floats:
    """R, orthogonal, for which the third central moments of Z R have the largest sum of squares.

    Z is (documents, rank); of whitened columns the moments are skewnesses.
    """
    return _turned(Z - Z.mean(axis=0), _skewness_moment)


def positive_tails(Z: Floats, R: Floats) -> Floats:
    """R with signs for which the documents have their long tail at the positive end of Z R."""
    centred = (Z - Z.mean(axis=0)) @ R
    return R * np.where(np.mean(centred**3, axis=0) < 0, -1.0, 1.0)


def _turned(A: Floats, moment: Callable[[Complexes], Any]) -> Floats:
    """The rotation by which pair after pair has been turned to its best."""
    rank = A.shape[1]
    R = np.eye(rank)
    B = _scaled(A.T)
    gain = np.inf
    while gain > TOLERANCE:
        gain = 0.0
        for i, j in combinations(range(rank), 2):
            z = B[i] + 1j * B[j]
            M = moment(z)
            gain += abs(M) - M.real
            turn = np.exp(-0.25j * np.angle(M))
            z *= turn
            B[i], B[j] = z.real, z.imag
            r = (R[:, i] + 1j * R[:, j]) * turn
            R[:, i], R[:, j] = r.real, r.imag
    return R


def _scaled(B: Floats) -> Floats:
    """Columns (here rows) with a mean fourth power of lengths of 1: the scale changes no angle."""
    largest = np.abs(B).max(initial=0.0)
    if not largest > 0:
        return np.zeros(B.shape)
    B = B / largest
    B /= np.mean(np.square(B).sum(axis=0) ** 2) ** 0.25
    return B


def _varimax_moment(z: Complexes) -> Any:
    """Of Σ_j [mean b_j⁴ − (mean b_j²)²] for the two columns of z."""
    w = z * z
    return 0.25 * (np.mean(w * w) - np.mean(w) ** 2)


def _skewness_moment(z: Complexes) -> Any:
    """Of (mean x³)² + (mean y³)²: the third moments z³ and z²z̄ turn with −3φ and −φ."""
    w = z * z
    return 0.375 * np.mean(w * z) * np.mean(w * z.conj())
