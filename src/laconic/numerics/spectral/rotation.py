"""Orthogonal rotations to interpretable directions: few words, or few documents, per direction.

Both criteria are increased by rotating two columns x, y at a time (Jacobi). With z = x + iy, a
rotation by φ maps z to z·exp(−iφ) and changes the criterion to a constant + Re(M·exp(−4iφ)). So the
best rotation of the pair is a quarter of the angle of M, and its gain is |M| − Re M. The criterion
never decreases, and at the end no plane rotation increases it.

References: Kaiser (1958), The varimax criterion; Kabán & Girolami (2000), Clustering of text
documents by skewness maximisation; the rotation for third moments is that of De Lathauwer, De Moor
& Vandewalle (1996).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic.types import Floats

Complexes: TypeAlias = NDArray[np.complex128]

# Stop after a round over all pairs that gains less; criteria are of order 1 at most.
TOLERANCE = 1e-13


def varimax(A: Floats) -> Floats:
    """Orthogonal R that maximizes Σ_j var_i((A R)_ij²): few large entries per column of A R.

    A is (terms, rank). Without Kaiser's normalization (raw varimax).
    """
    return _rotation(A, _varimax_moment)


def maximize_skewness(Z: Floats) -> Floats:
    """Orthogonal R that maximizes the sum of squared third central moments of Z R.

    Z is (documents, rank); for whitened columns the moments are skewnesses.
    """
    return _rotation(Z - Z.mean(axis=0), _skewness_moment)


def flip_to_positive_tails(Z: Floats, R: Floats) -> Floats:
    """R with column signs flipped, so the long tail of each column of Z R is positive."""
    centred = (Z - Z.mean(axis=0)) @ R
    return R * np.where(np.mean(centred**3, axis=0) < 0, -1.0, 1.0)


def _rotation(A: Floats, moment: Callable[[Complexes], Any]) -> Floats:
    """The rotation found by rotating pairs of columns until no pair gains."""
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
            phase = np.exp(-0.25j * np.angle(M))
            z *= phase
            B[i], B[j] = z.real, z.imag
            r = (R[:, i] + 1j * R[:, j]) * phase
            R[:, i], R[:, j] = r.real, r.imag
    return R


def _scaled(B: Floats) -> Floats:
    """B scaled to a mean fourth power of its columns' lengths of 1; this changes no angle."""
    largest = np.abs(B).max(initial=0.0)
    if not largest > 0:
        return np.zeros(B.shape)
    B = B / largest
    B /= np.mean(np.square(B).sum(axis=0) ** 2) ** 0.25
    return B


def _varimax_moment(z: Complexes) -> Any:
    """M of Σ_j [mean b_j⁴ − (mean b_j²)²] for the two columns of z."""
    w = z * z
    return 0.25 * (np.mean(w * w) - np.mean(w) ** 2)


def _skewness_moment(z: Complexes) -> Any:
    """M of (mean x³)² + (mean y³)²: the third moments z³ and z²z̄ rotate by −3φ and −φ."""
    w = z * z
    return 0.375 * np.mean(w * z) * np.mean(w * z.conj())
