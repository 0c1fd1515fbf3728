"""Values: `Selection`, `Projection`, `Ranking`, and the `Promise` of a method.

A `Reduction` is a linear map from the vocabulary to `size` columns. It holds no data and has no
`fit`; `apply` maps documents forward, `lift` maps coefficients back. `(X T) W' = X (T W')`, so a
linear classifier on the reduced documents is linear over the original vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from laconic.arrays import frozen
from laconic.errors import LaconicError, SizeUnavailable
from laconic.numerics.blocks import Blocks, ScaleColumns
from laconic.types import Columns, Floats, Matrix
from laconic.validation import is_number


def columns_for(size: int | float | None, available: int) -> int:
    """The number of columns for a size: a number, a share in (0, 1], or None for all.

    The method checks whether that many are available.
    """
    if size is None:
        return available
    if not is_number(size):
        raise LaconicError(f"size={size!r}: give a number of columns, a share in (0, 1], or None")
    if isinstance(size, int | np.integer):
        if size < 1:
            raise LaconicError(f"size={size}: must be at least 1")
        return int(size)
    if not 0 < size <= 1:
        raise LaconicError(f"size={size}: a share lies in (0, 1]; write a count as a whole number")
    return max(1, round(float(size) * available))


def check_vocabulary(X: Matrix, n_terms_in: int, owner: str, name: str = "X") -> None:
    """Raise LaconicError if the documents do not have as many columns as the vocabulary."""
    if X.shape[1] != n_terms_in:
        raise LaconicError(
            f"{name} has {X.shape[1]} columns, but {owner} a vocabulary of {n_terms_in}. Vectorize "
            "the documents with the same vocabulary."
        )


@runtime_checkable
class Reduction(Protocol):
    """A linear map from the vocabulary to `size` columns."""

    @property
    def size(self) -> int: ...

    @property
    def n_terms_in(self) -> int: ...

    @property
    def terms(self) -> Columns: ...

    def apply(self, X: Matrix) -> Matrix:
        """(docs, terms) -> (docs, size)"""

    def lift(self, coef: Floats) -> Matrix:
        """(classes, size) -> (classes, terms)"""


@dataclass(frozen=True)
class Promise:
    """What a method guarantees for its selection on the documents X that it was fitted on.

    With U the `rank` leading right singular vectors of X (all of them, if `rank` is that of X) and
    S the diagonal matrix of squared weights, the eigenvalues of U'SU lie between `low` and `high`.
    A certificate checks this independently.
    """

    rank: int
    low: float
    high: float

    def __post_init__(self) -> None:
        if self.rank < 1 or not 0 <= self.low <= self.high < np.inf:
            raise ValueError(
                f"eigenvalues from {self.low} to {self.high} in {self.rank} dimensions: give "
                "finite bounds with 0 ≤ low ≤ high, and at least one dimension"
            )


@dataclass(frozen=True, eq=False)
class Selection:
    """Distinct columns of the vocabulary, best first, each with a weight.

    Parameters
    ----------
    terms : array-like of shape (size,)
        Distinct columns of the vocabulary.
    weights : array-like of shape (size,) or None
        Finite weights; None for 1 everywhere.
    n_terms_in : int
        Size of the vocabulary.
    promise : Promise or None, default=None
        What the method guarantees for this selection.
    """

    terms: Columns
    weights: Floats
    n_terms_in: int
    promise: Promise | None = None

    def __init__(
        self,
        terms: ArrayLike,
        weights: ArrayLike | None,
        n_terms_in: int,
        promise: Promise | None = None,
    ) -> None:
        chosen = frozen(terms, np.intp)
        weight = frozen(np.ones(chosen.size) if weights is None else weights, np.float64)
        if chosen.ndim != 1 or weight.shape != chosen.shape:
            raise ValueError(
                f"{chosen.shape} terms with {weight.shape} weights: give one weight per term"
            )
        if np.unique(chosen).size != chosen.size:
            raise ValueError("a Selection has distinct terms: merge repeats to weight √Σt")
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < n_terms_in:
            raise ValueError(f"terms lie outside the vocabulary of {n_terms_in}")
        if not np.isfinite(weight).all():
            raise ValueError("weights must be finite")
        object.__setattr__(self, "terms", chosen)
        object.__setattr__(self, "weights", weight)
        object.__setattr__(self, "n_terms_in", int(n_terms_in))
        object.__setattr__(self, "promise", promise)

    @property
    def size(self) -> int:
        """The number of columns of the reduced documents."""
        return int(self.terms.size)

    @property
    def plain(self) -> bool:
        """Whether every weight is 1."""
        return bool((self.weights == 1.0).all())

    @property
    def ascending(self) -> Self:
        """The same columns in the order of the vocabulary."""
        order = np.argsort(self.terms)
        return type(self)(self.terms[order], self.weights[order], self.n_terms_in, self.promise)

    def apply(self, X: Matrix) -> Matrix:
        """Documents over the selected columns, times their weights.

        Sparse documents stay sparse, and blocks stay blocks, which are weighted when they are read.
        """
        check_vocabulary(X, self.n_terms_in, "the selection was made for")
        Z = X[:, self.terms]
        if self.plain:
            return Z
        if isinstance(Z, Blocks):
            return Z.map(ScaleColumns(self.weights))
        return ScaleColumns(self.weights)(Z.tocsr()) if issparse(Z) else Z * self.weights

    def lift(self, coef: Floats) -> csr_array:
        """Sparse coefficients over the vocabulary; every selected term has an entry, even 0."""
        n_classes = coef.shape[0]
        by_column = np.argsort(self.terms, kind="stable")
        values = (np.asarray(coef) * self.weights)[:, by_column]
        return csr_array(
            (
                values.ravel(),
                np.tile(self.terms[by_column], n_classes),
                np.arange(n_classes + 1) * self.size,
            ),
            shape=(n_classes, self.n_terms_in),
        )


@dataclass(frozen=True, eq=False)
class Projection:
    """A dense linear map.

    Parameters
    ----------
    components : array-like of shape (n_terms, size)
    """

    components: Floats

    def __init__(self, components: ArrayLike) -> None:
        matrix = frozen(components, np.float64)
        if matrix.ndim != 2:
            raise ValueError(f"components must be (terms, size), not of shape {matrix.shape}")
        object.__setattr__(self, "components", matrix)

    @property
    def size(self) -> int:
        """The number of components."""
        return int(self.components.shape[1])

    @property
    def n_terms_in(self) -> int:
        """Size of the vocabulary."""
        return int(self.components.shape[0])

    @property
    def terms(self) -> Columns:
        """Columns of the vocabulary that any component reads, ascending."""
        return np.flatnonzero(self.components.any(axis=1))

    def apply(self, X: Matrix) -> Floats:
        """Documents over the components, always dense, of blocks too."""
        check_vocabulary(X, self.n_terms_in, "the projection was made for")
        return np.asarray(X @ self.components)

    def lift(self, coef: Floats) -> Floats:
        """Coefficients of components as coefficients of words, dense."""
        return np.asarray(coef) @ self.components.T

    def after(self, first: Reduction) -> Projection:
        """One matrix for both: `self.after(first).apply(X)` is `self.apply(first.apply(X))`."""
        lifted = first.lift(self.components.T)
        dense = lifted.toarray() if issparse(lifted) else lifted
        return Projection(dense.T)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Terms, best first; `top(n)` is always a prefix. A random sample is a ranking too.

    A draw gives each term i one uniform number u_i. "Select i with probability min(1, r·p_i)" is
    "select i iff r > u_i / p_i", its *arrival*. Sorted by arrival, samples of all sizes are nested.

    Parameters
    ----------
    order : array-like
        Columns of the vocabulary, best first, without terms that can never be drawn (p = 0).
    n_terms_in : int
        Size of the vocabulary.
    chance : array-like of shape (n_terms_in,) or None, default=None
        The probabilities p of a draw.
    arrival : array-like of shape (n_terms_in,) or None, default=None
        The arrivals of a draw, infinite where p = 0.
    """

    order: Columns
    n_terms_in: int
    chance: Floats | None = field(default=None)
    arrival: Floats | None = field(default=None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", frozen(self.order, np.intp))
        for name in ("chance", "arrival"):
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, frozen(values, np.float64))

    @classmethod
    def by_score(cls, score: ArrayLike, ties: ArrayLike | None = None) -> Self:
        """Highest score first; equal scores by highest `ties` (e.g. document frequency), column."""
        scores = np.asarray(score, dtype=np.float64)
        if np.isnan(scores).any():
            raise ValueError(f"{np.isnan(scores).sum()} scores are NaN")
        keys = (-scores,) if ties is None else (-np.asarray(ties, dtype=np.float64), -scores)
        return cls(np.lexsort(keys), scores.size)

    @classmethod
    def by_draw(cls, chance: ArrayLike, rng: np.random.Generator) -> Self:
        """A draw with probabilities proportional to `chance`."""
        weights = np.asarray(chance, dtype=np.float64)
        total = weights.sum()
        if weights.ndim != 1 or (weights < 0).any() or not 0 < total < np.inf:
            raise ValueError("probabilities must be non-negative and finite, with a positive sum")
        p = weights / total
        # 1 - U[0, 1) lies in (0, 1]: an arrival is never 0, so no small budget is certain to hit
        u = 1.0 - rng.random(p.size)
        arrival = np.full(p.size, np.inf)
        np.divide(u, p, out=arrival, where=p > 0)
        reachable = np.flatnonzero(p > 0)
        order = reachable[np.argsort(arrival[reachable], kind="stable")]
        return cls(order, p.size, p, arrival)

    @property
    def available(self) -> int:
        """The number of ranked terms."""
        return int(self.order.size)

    def top(self, size: int) -> Selection:
        """Exactly `size` terms. A draw uses the arrival of the next term as its budget.

        With that budget the weights 1/√min(1, r·p) are unbiased (Ohlsson 1998; Duffield, Lund
        and Thorup 2007).
        """
        if not 0 < size <= self.available:
            missing = self.n_terms_in - self.available
            never = f" ({missing} more have probability 0)" if missing else ""
            raise SizeUnavailable(
                size,
                f"only {self.available} terms can be ranked{never}. "
                f"Ask for a size from 1 to {self.available}.",
            )
        terms = self.order[:size]
        if self.arrival is None:
            return Selection(terms, None, self.n_terms_in)
        budget = self.arrival[self.order[size]] if size < self.available else np.inf
        return Selection(terms, self._draw_weights(terms, budget), self.n_terms_in)

    def within(self, budget: float) -> Selection:
        """The Bernoulli draw of Dasgupta et al., Fig. 1: expected size at most `budget`."""
        if self.arrival is None:
            raise TypeError("a ranking by score has no draw: use top(size)")
        if not budget > 0:
            raise ValueError(f"budget {budget}: must be positive")
        terms = self.order[self.arrival[self.order] < budget]
        return Selection(terms, self._draw_weights(terms, budget), self.n_terms_in)

    def _draw_weights(self, terms: Columns, budget: float) -> Floats:
        assert self.chance is not None
        return 1.0 / np.sqrt(np.minimum(1.0, budget * self.chance[terms]))
