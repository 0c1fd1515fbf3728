"""A matrix that can do only what numerics may ask of X."""

from __future__ import annotations

import numpy as np


class OnlyProducts:
    """Offers X @ V, X.T @ U, X[:, terms], shape and sum over documents; anything else fails."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = np.asarray(array, dtype=np.float64)
        self.shape = self._array.shape

    @property
    def T(self) -> OnlyProducts:  # noqa: N802 - numpy's name
        return OnlyProducts(self._array.T)

    def __matmul__(self, other):
        return self._array @ (other._array if isinstance(other, OnlyProducts) else other)

    def sum(self, axis: int):
        assert axis == 0
        return self._array.sum(axis=0)

    def __getitem__(self, key):
        assert isinstance(key, tuple)
        assert key[0] == slice(None)
        return OnlyProducts(self._array[key])
