"""`RandomProjection`: random components, which preserve squared distances on average."""

from __future__ import annotations

from math import sqrt
from typing import Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from laconic.projections.fitted import ProjectionReducer
from laconic.reduction import Projection
from laconic.selectors.sampled import RandomState, integer_state
from laconic.types import Floats, Matrix
from laconic.validation import check_choice

ProjectionKind: TypeAlias = Literal["gaussian", "sparse"]


class RandomProjection(ProjectionReducer):
    """Random components: `at(n)` has entries with mean 0 and variance 1/n.

    This variance preserves squared lengths on average, for any n. Torkkola does not give the
    variance (section 6); N(0, 1) would make every document √n times as long, which matters to a
    kernel of fixed width. A smaller size has the first components of a larger one, rescaled.

    Parameters
    ----------
    size : int, float or None, default=None
        Number of components: a number up to that of the terms, a share in (0, 1], None for the
        number of documents or terms, whichever is smaller.
    kind : "gaussian" or "sparse", default="gaussian"
        Normal entries; or ±1 (scaled) with probability 1/6 each and 0 otherwise (Achlioptas 2003).
    random_state : int, RandomState, Generator or None, default=0
        Pass an int for reproducible components.
    longest : int or None, default=None
        The largest number of components, whatever `size`.

    Attributes
    ----------
    components_ : array of shape (n_terms, n_components)
        The entries before rescaling, with variance 1.
    random_state_ : int
        The random state that repeats them.
    """

    def __init__(
        self,
        size: int | float | None = None,
        *,
        kind: ProjectionKind = "gaussian",
        random_state: RandomState = 0,
        longest: int | None = None,
    ) -> None:
        self.size = size
        self.kind = kind
        self.random_state = random_state
        self.longest = longest

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Draw the components; only the shape of X matters."""
        check_choice("kind", self.kind, get_args(ProjectionKind))
        n_docs, n_terms = self._read(X).shape
        n_components = min(self._n_components(min(n_docs, n_terms)), n_terms)
        self.random_state_ = integer_state(self.random_state)
        self.components_ = self._draw(n_components, n_terms)
        return self

    def _draw(self, size: int, n_terms: int) -> Floats:
        """Component by component, so a larger number begins with the same components."""
        rng = np.random.default_rng(self.random_state_)
        if self.kind == "gaussian":
            return rng.standard_normal((size, n_terms)).T
        dice = rng.integers(6, size=(size, n_terms), dtype=np.int8).T
        entries: Floats = (dice == 0).astype(np.float64) - (dice == 1)
        return sqrt(3.0) * entries

    def _cut(self, size: int) -> Projection:
        return Projection(super()._cut(size).components / np.sqrt(size))

    def _end(self) -> str:
        return f"{self.available_} components were drawn for {self.components_.shape[0]} terms."
