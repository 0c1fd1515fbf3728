"""`SampledTerms` and `SubspaceSampling`: terms drawn at random and rescaled to be unbiased.

One draw is a ranking (`Ranking.by_draw`), so samples of all sizes are nested. The weights belong to
the reduction: training documents and queries are rescaled alike (Fig. 1 of Dasgupta et al. 2007).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from laconic.errors import LaconicError, SizeUnavailable
from laconic.reducer import Reducer
from laconic.reduction import Ranking, Reduction, Selection
from laconic.scores import Score, score_named
from laconic.scores.spectral import measure_leverage
from laconic.types import Columns, Floats, Matrix
from laconic.validation import check_choice

RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None

DRAWS = ("exact", "bernoulli", "iid")


class RandomSelector(Reducer):
    """A reducer that draws terms at random; a subclass implements `_score`."""

    draw: str
    random_state: RandomState

    @abstractmethod
    def _score(self, X: Matrix, y: ArrayLike | None) -> Floats:
        """One number per term, at least 0, proportional to its probability."""

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Score the terms and draw once, for all sizes."""
        check_choice("draw", self.draw, DRAWS)
        documents = self._read(X)
        self.scores_ = self._score(documents, y)
        self.probabilities_ = _probabilities(self.scores_, documents.shape[1])
        self.random_state_ = integer_state(self.random_state)
        self.ranking_ = Ranking.by_draw(self.probabilities_, self._generator(0))
        return self

    @property
    def available_(self) -> int:
        return self.ranking_.available

    def at(self, size: int | float | None) -> Reduction:
        """The sample of this size; None for every term that can be drawn, with weight 1."""
        check_is_fitted(self)
        return self.ranking_.top(self.available_) if size is None else super().at(size)

    def _cut(self, size: int) -> Selection:
        exact = self.ranking_.top(size)  # raises if the size is not available
        if self.draw == "exact":
            return exact
        return self._bernoulli(size) if self.draw == "bernoulli" else self._iid(size)

    def _bernoulli(self, budget: int) -> Selection:
        """Fig. 1 of the paper: each term is selected with probability min(1, r·p)."""
        selection = self.ranking_.within(budget)
        if not selection.size:
            empty = np.prod(1.0 - np.minimum(1.0, budget * self.probabilities_))
            raise SizeUnavailable(
                budget,
                f"this draw is empty, as one in {1 / empty:,.0f} is. "
                'Ask for a larger size, another random_state, or draw="exact".',
            )
        return selection

    def _iid(self, n_draws: int) -> Selection:
        """The first n draws with replacement; a term drawn c times has weight √(c/(n·p))."""
        sample = self._with_replacement(n_draws)
        distinct, first, count = np.unique(sample, return_index=True, return_counts=True)
        by_arrival = np.argsort(first)
        terms = distinct[by_arrival]
        weights = np.sqrt(count[by_arrival] / (n_draws * self.probabilities_[terms]))
        return Selection(terms, weights, self.probabilities_.size)

    def _with_replacement(self, n_draws: int) -> Columns:
        """The generator restarts at every call, so fewer draws are a prefix of more."""
        drawable = np.sort(self.ranking_.order)
        steps = np.cumsum(self.probabilities_[drawable])
        u = self._generator(1).random(n_draws) * steps[-1]
        position = np.searchsorted(steps, u, side="right")
        sample: Columns = drawable[np.minimum(position, drawable.size - 1)]
        return sample

    def _generator(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.random_state_, purpose])


class SampledTerms(RandomSelector):
    """Terms drawn with probabilities proportional to a score, and rescaled by them.

    Parameters
    ----------
    by : str or callable (X, y) -> one number of at least 0 per term, default="uniform"
        "uniform" (US), "ws" (squared weight, WS), another name of `laconic.scores.SCORES`, or a
        function.
    draw : "exact", "bernoulli" or "iid", default="exact"
        "exact" draws exactly `size` terms with weights 1/√min(1, r·p), r the arrival of the next
        term. "bernoulli" is the paper's independent draws with budget r = `size`, which select
        `size` terms or fewer on average. "iid" is `size` draws with replacement; a term drawn c
        times has weight √(c/(size·p)).
    size : int, float or None, default=None
        A number, a share in (0, 1], None for every term that can be drawn, with weight 1.
    random_state : int, RandomState, Generator or None, default=0
        Pass an int for a reproducible draw.

    Attributes
    ----------
    scores_ : array of shape (n_terms,)
        The score of each term.
    probabilities_ : array of shape (n_terms,)
        The scores divided by their sum.
    ranking_ : Ranking
        The terms in the order of the draw.
    random_state_ : int
        The random state that repeats this draw.
    """

    def __init__(
        self,
        by: str | Score = "uniform",
        *,
        draw: str = "exact",
        size: int | float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.by = by
        self.draw = draw
        self.size = size
        self.random_state = random_state

    def _score(self, X: Matrix, y: ArrayLike | None) -> Floats:
        return np.asarray(score_named(self.by)(X, y), dtype=np.float64)


class SubspaceSampling(RandomSelector):
    """SS(k) of Dasgupta et al. 2007: terms drawn by their leverage (eq. 9 and 22), and rescaled.

    Parameters
    ----------
    rank : int, float or None, default=None
        Leverage in the top singular vectors only: their number, or a share in (0, 1) of the squared
        Frobenius norm. None for all.
    ridge : float, default=0.0
        Ridge leverage: a term counts as far as a ridge classifier with this alpha uses it. Cannot
        be combined with `rank`.
    draw : "exact", "bernoulli" or "iid", default="exact"
        As in SampledTerms.
    size : int, float or None, default=None
        A number, a share in (0, 1], None for every term that can be drawn, with weight 1.
    random_state : int, RandomState, Generator or None, default=0
        Pass an int for a reproducible draw.

    Attributes
    ----------
    scores_ : array of shape (n_terms,)
        The leverage of each term, in [0, 1].
    probabilities_ : array of shape (n_terms,)
        The scores divided by their sum.
    rank_ : int or float
        The rank used, which is the sum of the scores; with ridge > 0 the effective dimension.
    error_ : float
        Davis and Kahan's bound on the error of a score; 0 for full rank.
    ranking_ : Ranking
        The terms in the order of the draw.
    random_state_ : int
        The random state that repeats this draw.
    """

    def __init__(
        self,
        *,
        rank: int | float | None = None,
        ridge: float = 0.0,
        draw: str = "exact",
        size: int | float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.rank = rank
        self.ridge = ridge
        self.draw = draw
        self.size = size
        self.random_state = random_state

    def _score(self, X: Matrix, y: ArrayLike | None) -> Floats:
        leverage = measure_leverage(X, rank=self.rank, ridge=self.ridge)
        self.rank_ = leverage.rank if self.ridge > 0 else int(leverage.rank)
        self.error_ = leverage.error
        return leverage.scores


def _probabilities(scores: Floats, n_terms: int) -> Floats:
    if scores.shape != (n_terms,):
        raise LaconicError(f"scores of shape {scores.shape} for {n_terms} terms: give one each")
    if not np.isfinite(scores).all():
        raise LaconicError(f"{(~np.isfinite(scores)).sum()} scores are not finite numbers")
    if (scores < 0).any():
        raise LaconicError(
            f"{(scores < 0).sum()} scores are negative, and a probability cannot be. "
            "Draw by their absolute values, or rank by them with TopTerms."
        )
    total = scores.sum()
    if not total > 0:
        raise LaconicError("every score is 0: no term can be drawn. Are all documents empty?")
    return np.asarray(scores / total)


def integer_state(random_state: Any) -> int:
    """An int that repeats the draw, from any random state of scikit-learn or a numpy Generator."""
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    if random_state is None:
        return int(np.random.default_rng().integers(2**63))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError:
        raise LaconicError(
            f"random_state={random_state!r}: give a whole number of at least 0, a generator or None"
        ) from None
