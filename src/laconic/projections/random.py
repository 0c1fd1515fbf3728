"""`RandomProjection`: columns that mix all words by chance, and keep distances on average."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from laconic.errors import LaconicError
from laconic.projections.fitted import ProjectionReducer
from laconic.reduction import Floats, Matrix, Projection
from laconic.selectors.sampled import RandomState, integer_state

Kind: TypeAlias = Literal["gaussian", "sparse"]


class RandomProjection(ProjectionReducer):
    """Columns with random weights: `at(n)` has entries of mean 0 and variance 1/n.

    With that variance squared lengths are kept on average, whatever n. Torkkola does not give the
    variance (section 6); N(0, 1) would make every document √n times as long, which matters to a
    kernel of fixed width. A smaller size has the first columns of a larger one, rescaled.

    Parameters
    ----------
    size : int, float or None
        How many columns: a number up to that of the terms, a share in (0, 1], None for as many as
        there are documents or terms, whichever are fewer.
    kind : "gaussian" or "sparse", default="gaussian"
        Normal entries; or two thirds of them 0 and the others of one length (Achlioptas 2003).
    random_state : int, RandomState, Generator or None
        An int gives the same columns always.
    longest : int or None
        Make no more columns than that, whatever `size`.

    Attributes
    ----------
    components_ : array of shape (n_terms, columns), of variance 1: before they are rescaled
    random_state_ : int, which repeats them
    """

    def __init__(
        self,
        size: int | float | None = None,
        *,
        kind: Kind = "gaussian",
        random_state: RandomState = 0,
        longest: int | None = None,
    ) -> None:
        self.size = size
        self.kind = kind
        self.random_state = random_state
        self.longest = longest

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Draw the columns; of the documents only their number and that of the terms matter."""
        if self.kind not in get_args(Kind):
            raise LaconicError(f"kind={self.kind!r}: choose from {', '.join(get_args(Kind))}")
        n_docs, n_terms = self._read(X).shape
        wanted = min(self._wanted(min(n_docs, n_terms)), n_terms)
        self.random_state_ = integer_state(self.random_state)
        self.components_ = self._drawn(wanted, n_terms)
        return self

    def _drawn(self, size: int, n_terms: int) -> Floats:
        """One column after the other, so that more columns begin with the same ones."""
        rng = np.random.default_rng(self.random_state_)
        if self.kind == "gaussian":
            return rng.standard_normal((size, n_terms)).T
        thrown = rng.integers(6, size=(size, n_terms), dtype=np.int8).T
        return np.sqrt(3.0) * ((thrown == 0).astype(np.float64) - (thrown == 1))

    def _cut(self, size: int) -> Projection:
        return Projection(super()._cut(size).components / np.sqrt(size))

    def _end(self) -> str:
        return f"{self.available_} columns were drawn for {self.components_.shape[0]} terms."
