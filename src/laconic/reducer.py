"""The contract `Reducer`: fit once, then cut at any size."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from laconic.reduction import Reduction, Selection, columns_for
from laconic.text.matrices import read_documents
from laconic.types import Columns, Matrix


class Reducer(TransformerMixin, BaseEstimator, metaclass=ABCMeta):
    """`fit(X, y)` does the work that does not depend on size; `at(size)` returns a reduction.

    A subclass has a parameter `size` (None for all available), calls `_read` first in its `fit`,
    and implements `_cut` and `available_`. `laconic.testing.check_reducer` tests it.
    """

    size: int | float | None

    @abstractmethod
    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Learn everything that `at` needs, for all sizes."""

    @property
    @abstractmethod
    def available_(self) -> int:
        """The largest available size."""

    @property
    def order(self) -> Columns | None:
        """The terms, best first, if each selection is the first terms of it, without weights."""
        return None

    @abstractmethod
    def _cut(self, size: int) -> Reduction:
        """The reduction of this size (draws may select fewer); does not change self.

        Raises SizeUnavailable if there is none.
        """

    def at(self, size: int | float | None) -> Reduction:
        """The reduction to `size` columns: a number, a share in (0, 1], or None for all.

        Raises SizeUnavailable if there is none.
        """
        check_is_fitted(self)
        return self._cut(columns_for(size, self.available_))

    def transform(self, X: Matrix) -> Matrix:
        """The documents reduced by `at(self.size)`."""
        check_is_fitted(self)
        return self.at(self.size).apply(read_documents(self, X, reset=False))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The words of a selection; numbered names for a projection."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        reduction = self.at(self.size)
        if isinstance(reduction, Selection):
            return np.asarray(names[reduction.terms], dtype=object)
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{i}" for i in range(reduction.size)], dtype=object)

    def _read(self, X: Matrix) -> Matrix:
        return read_documents(self, X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags
