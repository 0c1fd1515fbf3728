"""The base class of the projections: fitted components, of which `at(size)` returns the first."""

from __future__ import annotations

from abc import abstractmethod
from math import inf

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from laconic.errors import LaconicError, SizeUnavailable
from laconic.reducer import Reducer
from laconic.reduction import Projection, columns_for
from laconic.types import Floats
from laconic.validation import is_whole


class ProjectionReducer(Reducer):
    """A reducer with `components_` of shape (n_terms, available), best first.

    A subclass fits as many as `_n_components` returns; `_end` says why there are no more.
    """

    components_: Floats
    longest: int | None

    @property
    def available_(self) -> int:
        check_is_fitted(self)
        return int(self.components_.shape[1])

    def _cut(self, size: int) -> Projection:
        if size > self.available_:
            raise SizeUnavailable(size, self._reason(size))
        return Projection(self.components_[:, :size])

    def _n_components(self, available: int) -> int:
        """Components to fit: `size` if it is a number, else all, and at most `longest`."""
        longest = self.longest
        if longest is not None and not is_whole(longest, 1):
            raise LaconicError(f"longest={longest!r}: give a number of components, or None")
        requested = columns_for(self.size, available)  # raises if it is not a size
        if not isinstance(self.size, int | np.integer):
            requested = available
        return int(min(requested, inf if longest is None else longest))

    def _reason(self, size: int) -> str:
        name, available = type(self).__name__, self.available_
        if available == self.longest:
            return (
                f"{name} ends at {available} components because of longest={self.longest}. "
                f"Ask for a size up to {available}, or raise longest."
            )
        if available == self.size:
            return (
                f"only {available} components were fitted. Fit {name}(size={size}), or ask for a "
                f"size up to {available}."
            )
        return f"{self._end()} Ask for a size up to {available}."

    @abstractmethod
    def _end(self) -> str:
        """A sentence: why more components cannot be fitted."""


def fix_signs(components: ArrayLike) -> Floats:
    """The components with their signs such that the largest entry of each is positive."""
    C = np.array(components, dtype=np.float64, order="C")
    largest = np.abs(C).argmax(axis=0)
    C *= np.where(C[largest, np.arange(C.shape[1])] < 0, -1.0, 1.0)
    return C
