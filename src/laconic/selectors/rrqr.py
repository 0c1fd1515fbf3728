"""`RRQR`: terms in the order of QR with column pivoting."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from laconic.errors import LaconicError, SizeUnavailable
from laconic.numerics.pivoting import order_after_swaps, pivot_rounds, pivots
from laconic.numerics.spectrum import column_squares
from laconic.reducer import Reducer
from laconic.reduction import Columns, Matrix, Ranking, Selection

Beyond: TypeAlias = Literal["raise", "again", "columns"]


class RRQR(Reducer):
    """Terms that add most to those before them, whatever the labels (Paul & Drineas 2014, 5.1).

    The next term is the one whose column sticks out farthest from the span of the columns before
    it; of equals (duplicate words) the first. After as many terms as the rank no column sticks out,
    so that the method has nothing to say about larger sizes.

    Parameters
    ----------
    rank : int or None
        Stop after so many terms. None: the numerical rank of the documents.
    beyond : "raise", "again" or "columns", default="raise"
        What a size beyond that gives: SizeUnavailable; the terms of QR on the columns that are
        left, and again on those that are left then; or the columns that were never pivots, in the
        order in which LAPACK happens to leave them. The last is nearly the order of the vocabulary
        and means nothing: it is what the tables of the paper measured.
    size : int, float or None
        How many terms: a number, a share in (0, 1] of those that can be had, None for all of them.
        "again" orders no more than a number asks for.

    Attributes
    ----------
    rank_ : int, the terms that were found before anything beyond
    ranking_ : Ranking
    """

    def __init__(
        self,
        rank: int | None = None,
        *,
        beyond: Beyond = "raise",
        size: int | float | None = None,
    ) -> None:
        self.rank = rank
        self.beyond = beyond
        self.size = size

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Order the terms; labels are not used."""
        self._refuse()
        documents = self._read(X)
        order = self._order(documents)
        if not self.rank_:
            raise LaconicError("every term is empty: there is nothing to choose from")
        self.ranking_ = Ranking(order, documents.shape[1])
        return self

    def _order(self, X: Matrix) -> Columns:
        if self.beyond == "again":
            passes = self._passes(X)
            self.rank_ = passes[0].size if passes else 0
            self._occurring = int(np.count_nonzero(column_squares(X)))
            return np.concatenate([np.empty(0, dtype=np.intp), *passes])
        taken = pivots(X, self.rank)
        self.rank_ = taken.size
        return order_after_swaps(taken, X.shape[1]) if self.beyond == "columns" else taken

    def _passes(self, X: Matrix) -> list[Columns]:
        """As many as `size` needs: on small texts all of them are a hundred."""
        enough = self.size if isinstance(self.size, int | np.integer) else X.shape[1]
        passes: list[Columns] = []
        for found in pivot_rounds(X, self.rank):
            passes.append(found)
            if sum(map(len, passes)) >= enough:
                break
        return passes

    @property
    def available_(self) -> int:
        return self._occurring if self.beyond == "again" else self.ranking_.available

    def _cut(self, size: int) -> Selection:
        if size > self.rank_ and self.beyond == "raise":
            raise SizeUnavailable(size, self._why())
        if self.ranking_.available < size <= self.available_:
            ordered = self.ranking_.available
            raise SizeUnavailable(
                size,
                f"{ordered} terms were ordered, because RRQR was fitted for size={self.size}. "
                f"Ask for a size up to {ordered}, or fit RRQR(size={size}).",
            )
        return self.ranking_.top(size)

    def _why(self) -> str:
        if self.rank_ == self.rank:
            return (
                f"RRQR was told to stop after {self.rank} terms. "
                f"Ask for a size up to {self.rank_}, or fit it with a larger rank."
            )
        return (
            f"the documents have rank {self.rank_}, and QR orders no terms beyond it. "
            f"Ask for a size up to {self.rank_}, or set beyond=again."
        )

    def _refuse(self) -> None:
        rank = self.rank
        whole = isinstance(rank, int | np.integer) and not isinstance(rank, bool) and rank >= 1
        if rank is not None and not whole:
            raise LaconicError(
                f"rank={rank!r}: give a whole number of at least 1, or None for the numerical rank"
            )
        if self.beyond not in get_args(Beyond):
            raise LaconicError(f"beyond={self.beyond!r}: choose from {', '.join(get_args(Beyond))}")
