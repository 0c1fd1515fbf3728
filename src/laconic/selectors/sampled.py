"""`SampledTerms` and `SubspaceSampling`: terms drawn by chance, rescaled so that nothing is biased.

One draw is a ranking (`Ranking.by_draw`), so samples of all sizes are nested. The weights belong to
the reduction: training documents and queries are rescaled alike (Fig. 1 of Dasgupta et al. 2007).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from laconic.errors import LaconicError, SizeUnavailable
from laconic.reducer import Reducer
from laconic.reduction import Floats, Matrix, Ranking, Reduction, Selection
from laconic.scores.spectral import measure_leverage, uniform
from laconic.selectors.top import Score

RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None

DRAWS = ("exact", "bernoulli", "iid")


class RandomSelector(Reducer):
    """What every draw shares; a subclass writes `_score`."""

    draw: str
    random_state: RandomState

    @abstractmethod
    def _score(self, X: Matrix, y: ArrayLike | None) -> Floats:
        """One number of at least 0 a term, proportional to its chance."""

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Score every term and draw once, for all sizes."""
        if self.draw not in DRAWS:
            raise LaconicError(f"draw={self.draw!r}: choose from {', '.join(DRAWS)}")
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
        """The first of the draw; None for every term that can be drawn, as it is."""
        check_is_fitted(self)
        return self.ranking_.top(self.available_) if size is None else super().at(size)

    def _cut(self, size: int) -> Selection:
        exact = self.ranking_.top(size)  # refuses a size that cannot be had
        if self.draw == "exact":
            return exact
        return self._bernoulli(size) if self.draw == "bernoulli" else self._iid(size)

    def _bernoulli(self, budget: int) -> Selection:
        """Fig. 1 of the paper: each term is kept with probability min(1, r·p)."""
        kept = self.ranking_.within(budget)
        if not kept.size:
            empty = np.prod(1.0 - np.minimum(1.0, budget * self.probabilities_))
            raise SizeUnavailable(
                budget,
                f"this draw came out empty, as one in {1 / empty:,.0f} does. "
                'Ask for a larger size, another random_state, or draw="exact".',
            )
        return kept

    def _iid(self, n_draws: int) -> Selection:
        """The first draws with replacement; a term drawn c times has weight √(c/(n·p))."""
        drawn = self._drawn(n_draws)
        distinct, first, count = np.unique(drawn, return_index=True, return_counts=True)
        by_arrival = np.argsort(first)
        terms = distinct[by_arrival]
        weights = np.sqrt(count[by_arrival] / (n_draws * self.probabilities_[terms]))
        return Selection(terms, weights, self.probabilities_.size)

    def _drawn(self, n_draws: int) -> NDArray[np.intp]:
        """The generator is made anew for each cut: fewer draws are a prefix of more."""
        drawable = np.sort(self.ranking_.order)
        steps = np.cumsum(self.probabilities_[drawable])
        u = self._generator(1).random(n_draws) * steps[-1]
        place = np.searchsorted(steps, u, side="right")
        drawn: NDArray[np.intp] = drawable[np.minimum(place, drawable.size - 1)]
        return drawn

    def _generator(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.random_state_, purpose])


class SampledTerms(RandomSelector):
    """Terms drawn with a chance proportional to a score, and rescaled by it.

    Parameters
    ----------
    by : callable (X, y) -> one number of at least 0 per term, default=uniform
        `uniform` (US), `squared_norm` (WS) or any other score.
    draw : "exact", "bernoulli" or "iid"
        Exactly `size` terms with weights 1/√min(1, r·p), r the arrival of the next term; the
        paper's independent coins with budget r = `size`, which keep `size` terms or fewer on
        average; or `size` draws with replacement, a term drawn c times having weight √(c/(size·p)).
    size : int, float or None
        A number, a share in (0, 1], None for every term that can be drawn, with weight 1.
    random_state : int, RandomState, Generator or None
        An int gives the same draw always.

    Attributes
    ----------
    scores_, probabilities_ : arrays of shape (n_terms,); the chances sum to 1
    ranking_ : Ranking
    random_state_ : int, which repeats this draw
    """

    def __init__(
        self,
        by: Score = uniform,
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
        return np.asarray(self.by(X, y), dtype=np.float64)


class SubspaceSampling(RandomSelector):
    """SS(k) of Dasgupta et al. 2007: terms drawn by their leverage (eq. 9 and 22), and rescaled.

    Parameters
    ----------
    rank : int, float or None
        Leverage in the top singular vectors only: so many, or a share in (0, 1) of the squared
        Frobenius norm. None for all.
    ridge : float, default=0.0
        Ridge leverage: a term counts as far as a ridge classifier with this alpha uses it. Not
        together with `rank`.
    draw, size, random_state : see SampledTerms

    Attributes
    ----------
    scores_, probabilities_ : arrays of shape (n_terms,); the scores lie in [0, 1], the chances sum to 1
    rank_ : the rank used, the sum of the scores; with ridge > 0 the effective dimension
    error_ : how far a score may be off, by Davis and Kahan's bound; 0 for full rank
    ranking_ : Ranking
    random_state_ : int, which repeats this draw
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
        found = measure_leverage(X, rank=self.rank, ridge=self.ridge)
        self.rank_ = found.rank if self.ridge > 0 else int(found.rank)
        self.error_ = found.error
        return found.scores


def _probabilities(scores: Floats, n_terms: int) -> Floats:
    if scores.shape != (n_terms,):
        raise LaconicError(f"scores of shape {scores.shape} for {n_terms} terms: give one each")
    if not np.isfinite(scores).all():
        raise LaconicError(f"{(~np.isfinite(scores)).sum()} scores are not finite numbers")
    if (scores < 0).any():
        raise LaconicError(
            f"{(scores < 0).sum()} scores are negative, and a chance cannot be. "
            "Draw by their absolute values, or rank by them with TopTerms."
        )
    total = scores.sum()
    if not total > 0:
        raise LaconicError("every score is 0: no term can be drawn. Are all documents empty?")
    return np.asarray(scores / total)


def integer_state(random_state: Any) -> int:
    """A number that repeats the draw, from all that scikit-learn takes, and numpy's Generator."""
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
