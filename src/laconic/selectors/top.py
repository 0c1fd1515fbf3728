"""`TopTerms`: the terms with the highest scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from laconic.reducer import Reducer
from laconic.reduction import Ranking, Selection
from laconic.scores import document_frequency
from laconic.types import Columns, Floats, Matrix

Score = Callable[[Matrix, ArrayLike | None], Floats]


class TopTerms(Reducer):
    """Ranks terms by a score; ties by document frequency, then by column.

    Parameters
    ----------
    by : callable (X, y) -> one number per term, default=document_frequency
        A function of `laconic.scores`, or a custom one.
    size : int, float or None, default=None
        Number of terms: a number, a share in (0, 1], None for all.

    Attributes
    ----------
    scores_ : array of shape (n_terms,)
        The score of each term.
    ranking_ : Ranking
        The terms, highest score first.
    """

    def __init__(self, by: Score = document_frequency, *, size: int | float | None = None) -> None:
        self.by = by
        self.size = size

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Score and rank every term."""
        documents = self._read(X)
        self.scores_ = np.asarray(self.by(documents, y), dtype=np.float64)
        self.ranking_ = Ranking.by_score(self.scores_, ties=document_frequency(documents))
        return self

    @property
    def available_(self) -> int:
        return self.ranking_.available

    @property
    def order(self) -> Columns:
        return self.ranking_.order

    def _cut(self, size: int) -> Selection:
        return self.ranking_.top(size)
