"""Which eigenvalues, pivots and lengths count as 0: the package's one definition of rank."""

from __future__ import annotations

import numpy as np

from laconic.types import Floats

EPS = float(np.finfo(np.float64).eps)


def zero_share(side: int) -> float:
    """An eigenvalue or pivot of a Gram matrix up to this share of the largest counts as 0.

    The matrix is side × side. 4·side·EPS covers its decomposition, 64·EPS the rounding of its
    entries, each a sum over many words; with few documents only the latter matters.
    """
    return (4 * side + 64) * EPS


def zero_up_to(largest: float, side: int) -> float:
    """The same as an absolute value, for a Gram matrix with this largest eigenvalue."""
    return zero_share(side) * max(float(largest), 0.0)


def n_positive(values: Floats, side: int) -> int:
    """How many of these eigenvalues, descending, do not count as 0."""
    return int(np.count_nonzero(values > zero_up_to(values[0], side)))


def zero_length_share(side: int) -> float:
    """The same for lengths computed from X itself; a Gram matrix squares their errors."""
    return side * EPS
