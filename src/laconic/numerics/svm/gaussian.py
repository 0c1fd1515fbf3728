"""The Gaussian kernel exp(−‖x − z‖² / width²) between documents, and sums of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import issparse

from laconic.types import Floats

# Number of values per block: small enough for the processor's cache.
BLOCK = 1 << 17


def gaussian_kernel(X: Any, Z: Any, width: float) -> Floats:
    """The kernel between all documents of X and all of Z; either may be sparse."""
    K = np.empty((X.shape[0], Z.shape[0]))
    for block, rows in _rows(X, Z, width):
        K[block] = rows
    return K


def gaussian_sums(X: Any, Z: Any, width: float, dual: Floats) -> Floats:
    """Σ dual_i · kernel(x, z_i) for every document of X and every row of `dual`."""
    sums = np.empty((X.shape[0], dual.shape[0]))
    for block, rows in _rows(X, Z, width):
        sums[block] = rows @ dual.T
    return sums


def _rows(X: Any, Z: Any, width: float) -> Iterator[tuple[slice, Floats]]:
    """The kernel in blocks of X's documents, one block in memory at a time."""
    x_squares, z_squares = _squared_lengths(X), _squared_lengths(Z)
    columns = Z.T.tocsr() if issparse(Z) else np.asarray(Z).T
    step = max(1, BLOCK // max(1, Z.shape[0]))
    for start in range(0, X.shape[0], step):
        block = slice(start, start + step)
        # ‖x − z‖² = ‖x‖² + ‖z‖² − 2 x'z, which rounding can bring below 0
        squares = -2.0 * _dense(X[block] @ columns)
        squares += x_squares[block, None]
        squares += z_squares
        np.maximum(squares, 0.0, out=squares)
        squares *= -1.0 / width**2
        yield block, np.exp(squares, out=squares)


def _squared_lengths(X: Any) -> Floats:
    squares = X.multiply(X).sum(axis=1) if issparse(X) else np.square(X).sum(axis=1)
    return np.asarray(squares, dtype=np.float64).ravel()


def _dense(product: Any) -> Floats:
    return np.asarray(product.toarray() if issparse(product) else product, dtype=np.float64)
