"""`TopTerms`: the terms with the highest scores."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags

from laconic.reducer import Reducer
from laconic.reduction import Ranking, Selection
from laconic.scores import SCORES, Score, document_frequency, score_named
from laconic.types import Columns, Matrix

# Names of `SCORES` that need no labels.
UNSUPERVISED = frozenset({"df", "uniform", "ws"})


class TopTerms(Reducer):
    """Ranks terms by a score; ties by document frequency, then by column.

    Parameters
    ----------
    by : str or callable (X, y) -> one number per term, default="ig"
        A name of `laconic.scores.SCORES`, such as "ig" (information gain), "chi2", "rfe" or "df"
        (document frequency, which needs no labels); or a function.
    size : int, float or None, default=None
        Number of terms: a number, a share in (0, 1], None for all.

    Attributes
    ----------
    scores_ : array of shape (n_terms,)
        The score of each term.
    ranking_ : Ranking
        The terms, highest score first.
    """

    def __init__(self, by: str | Score = "ig", *, size: int | float | None = None) -> None:
        self.by = by
        self.size = size

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Score and rank every term."""
        documents = self._read(X)
        self.scores_ = np.asarray(score_named(self.by)(documents, y), dtype=np.float64)
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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        supervised = [score for name, score in SCORES.items() if name not in UNSUPERVISED]
        score = SCORES.get(self.by.lower()) if isinstance(self.by, str) else self.by
        # a partial of a score has the labels of the score
        tags.target_tags.required = getattr(score, "func", score) in supervised
        return tags
