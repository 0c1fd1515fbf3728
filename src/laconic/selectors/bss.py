"""`BSS`: terms chosen one by one so that the documents' geometry is kept, by no chance at all."""

from __future__ import annotations

import warnings
from math import sqrt
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.numerics.basis import leading_basis, row_basis
from laconic.numerics.bss import sparsify
from laconic.numerics.spectrum import as_floats, column_squares
from laconic.reducer import Reducer
from laconic.reduction import Matrix, Promise, Selection

# Up to so many documents "auto" takes the whole row space.
WHOLE_UP_TO = 2_000
# Beyond, a step of rank 500 takes 20 ms, of rank 1,000 eight times as much.
LARGEST_RANK = 500
# Words that "auto" has for each direction, so that Lemma 1 promises eigenvalues from ¼ to 2¼.
WORDS_A_DIRECTION = 4
# Of one core: two inverses of rank × rank a step, and what else there is. Hours are worth a word.
SECONDS_A_CUBE = 1e-10
LONG = 0.5


class BSS(Reducer):
    """Deterministic selection by spectral sparsification (Paul & Drineas 2014, Algorithm 1).

    Batson, Spielman and Srivastava's algorithm takes one term after another so that the weighted
    terms keep the length of every mixture of training documents, in the directions that `rank`
    leaves, within the factors 1 ± √(rank/size), whatever the labels (Lemma 1). A term that is taken
    several times is one column with their common weight, so that fewer than `size` columns may be
    kept. Selections of different sizes are not nested: `at` runs the algorithm anew, in time that
    grows as size · rank³: half a second for 300 terms of rank 150, half an hour for 5,000 of 1,500.

    The basis is dense: 8 bytes × terms × rank stay in memory, and as much again during `fit`. For
    50,000 terms that is 40 MB at rank 100, and 800 MB for all directions of 2,000 documents.

    Parameters
    ----------
    rank : "auto", int or None, default="auto"
        Geometry of the top singular vectors only: so many, None for all. "auto" takes all of them
        for up to 2,000 documents, else ⌊size/4⌋, from 1 to 500. A size must exceed the rank; fit
        with the largest that will be asked for.
    gamma : float, default=0.0
        A reading of the paper's γ, which is to mend an ill-conditioned A: it starts from γI. There
        is no need of it, because what is inverted is well conditioned, and it takes the promise.
    repeat : float, default=0.2
        A term is taken again rather than a new one of less than this share of its length, which
        would get an immense weight. 0: only where no new one may be taken.
    size : int, float or None
        Steps of the algorithm: a number, a share in (0, 1]; None, or all: every term as it is.

    Attributes
    ----------
    basis_ : array of shape (n_terms, rank), orthonormal columns
    rank_ : its rank, the largest that is used
    scores_ : array of shape (n_terms,), the leverage of each term in it
    occurs_ : array of shape (n_terms,), whether a term is in any document
    """

    def __init__(
        self,
        rank: int | Literal["auto"] | None = "auto",
        *,
        gamma: float = 0.0,
        repeat: float = 0.2,
        size: int | float | None = None,
    ) -> None:
        self.rank = rank
        self.gamma = gamma
        self.repeat = repeat
        self.size = size

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """An orthonormal basis of the documents; labels are not used."""
        documents = as_floats(self._read(X))
        self._refuse()
        self.occurs_ = column_squares(documents) > 0
        if not self.occurs_.any():
            raise LaconicError("every term is empty: there is nothing to choose from")
        rank = self._fitted_rank(documents.shape[0])
        self.basis_ = row_basis(documents) if rank is None else leading_basis(documents, rank)
        self.rank_ = self.basis_.shape[1]
        self.scores_ = np.einsum("ij,ij->i", self.basis_, self.basis_)
        self._by_size = rank if self.rank == "auto" else None
        return self

    @property
    def available_(self) -> int:
        return int(self.occurs_.sum())

    def _refuse(self) -> None:
        whole = isinstance(self.rank, int | np.integer) and not isinstance(self.rank, bool)
        if self.rank not in ("auto", None) and not (whole and self.rank >= 1):
            raise LaconicError(
                f"rank={self.rank!r}: give a number of singular vectors of at least 1, 'auto', or "
                "None for all"
            )
        if not (_is_number(self.gamma) and 0 <= self.gamma < np.inf):
            raise LaconicError(f"gamma={self.gamma!r}: give a number of at least 0")
        if not (_is_number(self.repeat) and 0 <= self.repeat <= 1):
            raise LaconicError(f"repeat={self.repeat!r}: give a share of a length, from 0 to 1")

    def _fitted_rank(self, n_docs: int) -> int | None:
        if self.rank != "auto":
            return self.rank
        if n_docs <= WHOLE_UP_TO:
            return None
        counted = isinstance(self.size, int | np.integer)
        return self._rank_for(int(self.size)) if counted else LARGEST_RANK

    def _rank_for(self, size: int) -> int:
        return min(max(1, size // WORDS_A_DIRECTION), LARGEST_RANK)

    def _cut(self, size: int) -> Selection:
        n_terms = self.basis_.shape[0]
        if size == self.available_:
            return Selection(np.flatnonzero(self.occurs_), None, n_terms)
        rank = self.rank_
        if self._by_size is not None:
            rank = min(self._rank_for(size), rank)
        self._check_size(size, rank)
        self._check_work(size, rank)
        # threads gain little on small matrices, and the last bits would depend on their number
        with threadpool_limits(1, user_api="blas"):
            found = sparsify(self.basis_[:, :rank], size, gamma=self.gamma, repeat=self.repeat)
        promise = None if self.gamma else Promise(rank, found.low, found.high)
        return Selection(found.rows, np.sqrt(found.squares), n_terms, promise)

    def _check_size(self, size: int, rank: int) -> None:
        if size > self.available_:
            raise SizeUnavailable(
                size, f"only {self.available_} terms occur. Ask for a size up to that."
            )
        if self._by_size is not None and self._rank_for(size) > self._by_size:
            raise SizeUnavailable(
                size,
                f"BSS was fitted for size={self.size}, with {self._by_size} directions of the "
                f"documents. Fit BSS(size={size}).",
            )
        if size <= rank:
            larger = [f"Ask for a size above {rank}"] if rank < self.available_ else []
            lower = [f"set rank={max(1, size // 4)}"] if size > 1 else []
            advice = ", or ".join(larger + lower) or "Ask for all words"
            raise SizeUnavailable(
                size,
                f"BSS keeps {rank} directions of the documents, for which it needs more words "
                f"than that. {advice[0].upper()}{advice[1:]}.",
            )

    def _check_work(self, size: int, rank: int) -> None:
        hours = size * rank**3 * SECONDS_A_CUBE / 3600
        if self.gamma >= sqrt(size * rank):
            raise LaconicError(
                f"gamma={self.gamma:g}: it would put A beyond its barrier. Give less than "
                f"{sqrt(size * rank):.3g}, √(size · rank)"
            )
        if hours > LONG:
            warnings.warn(
                f"BSS, size {size:,} with rank {rank:,}: about {hours:,.0f} hours of work. A lower "
                "rank takes less, as its cube",
                LaconicWarning,
                stacklevel=4,
            )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
