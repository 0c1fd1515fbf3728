"""What the projections share: columns that were fitted, of which a cut takes the first."""

from __future__ import annotations

from abc import abstractmethod
from math import inf

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from laconic.errors import LaconicError, SizeUnavailable
from laconic.reducer import Reducer
from laconic.reduction import Floats, Projection, columns_for


class ProjectionReducer(Reducer):
    """A reducer with `components_` of shape (terms, available), best column first.

    A subclass asks `_wanted` how many columns to fit, and says in `_end` why there are no more.
    """

    components_: Floats
    longest: int | None

    @property
    def available_(self) -> int:
        check_is_fitted(self)
        return int(self.components_.shape[1])

    def _cut(self, size: int) -> Projection:
        if size > self.available_:
            raise SizeUnavailable(size, self._why(size))
        return Projection(self.components_[:, :size])

    def _wanted(self, all_: int) -> int:
        """Columns to fit: `size` if it is a number, else all of them, and never above `longest`."""
        longest = self.longest
        whole = isinstance(longest, int | np.integer) and not isinstance(longest, bool)
        if longest is not None and not (whole and longest >= 1):
            raise LaconicError(f"longest={longest!r}: give a number of columns, or None")
        asked = columns_for(self.size, all_)  # refuses what is no size
        counted = isinstance(self.size, int | np.integer)
        return int(min(asked if counted else all_, inf if longest is None else longest))

    def _why(self, size: int) -> str:
        name, available = type(self).__name__, self.available_
        if available == self.longest:
            return (
                f"{name} ends at {available} columns, because of longest={self.longest}. "
                f"Ask for a size up to {available}, or raise longest."
            )
        if available == self.size:
            return (
                f"only {available} columns were fitted. Fit {name}(size={size}), or ask for a "
                f"size up to {available}."
            )
        return f"{self._end()} Ask for a size up to {available}."

    @abstractmethod
    def _end(self) -> str:
        """Why there are no more columns than were fitted, whatever was asked: a sentence."""


def fix_signs(components: ArrayLike) -> Floats:
    """Columns with their signs such that the largest entry of each is positive."""
    C = np.array(components, dtype=np.float64, order="C")
    largest = np.abs(C).argmax(axis=0)
    C *= np.where(C[largest, np.arange(C.shape[1])] < 0, -1.0, 1.0)
    return C
