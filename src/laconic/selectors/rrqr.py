"""`RRQR`: terms in the order of QR with column pivoting."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from laconic.errors import LaconicError, SizeUnavailable
from laconic.numerics.blocks import in_memory
from laconic.numerics.spectral.pivoting import order_after_swaps, pivot_rounds, pivots
from laconic.numerics.spectral.spectrum import column_squares
from laconic.reducer import Reducer
from laconic.reduction import Ranking, Selection
from laconic.types import Columns, Matrix
from laconic.validation import check_choice, is_whole

Beyond: TypeAlias = Literal["raise", "again", "columns"]


class RRQR(Reducer):
    """Rank-revealing QR: terms that add most to those before them (Paul & Drineas 2014, 5.1).

    The next term is the one whose column is farthest from the span of the columns before it; ties
    (duplicate words) go to the first column. Beyond the rank every column lies in the span, so the
    method does not order larger sizes. Labels are not used.

    Parameters
    ----------
    rank : int or None, default=None
        Stop after this many terms. None is the numerical rank of the documents; of documents in
        blocks that do not fit into memory, it is available up to 12,000 terms.
    beyond : "raise", "again" or "columns", default="raise"
        What happens at sizes beyond the rank. "raise" raises SizeUnavailable. "again" repeats QR on
        the remaining columns as often as needed. "columns" appends the columns that were never
        pivots in the order in which LAPACK leaves them; this is nearly the order of the vocabulary
        and has no meaning, but it is what the tables of the paper measured.
    size : int, float or None, default=None
        Number of terms: a number, a share in (0, 1] of those available, None for all of them. With
        "again" and a number, no more terms than that are ordered.

    Attributes
    ----------
    rank_ : int
        The number of terms of the first QR.
    ranking_ : Ranking
        The ordered terms.
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
        self._check_parameters()
        documents = in_memory(self._read(X))
        order = self._order(documents)
        if not self.rank_:
            raise LaconicError("every term is empty: there is nothing to select from")
        self.ranking_ = Ranking(order, documents.shape[1])
        return self

    def _order(self, X: Matrix) -> Columns:
        if self.beyond == "again":
            passes = self._passes(X)
            self.rank_ = passes[0].size if passes else 0
            self._occurring = int(np.count_nonzero(column_squares(X)))
            return np.concatenate([np.empty(0, dtype=np.intp), *passes])
        order = pivots(X, self.rank)
        self.rank_ = order.size
        return order_after_swaps(order, X.shape[1]) if self.beyond == "columns" else order

    def _passes(self, X: Matrix) -> list[Columns]:
        """As many passes of QR as `size` needs; on small texts all terms take a hundred."""
        enough = self.size if isinstance(self.size, int | np.integer) else X.shape[1]
        passes: list[Columns] = []
        for order in pivot_rounds(X, self.rank):
            passes.append(order)
            if sum(map(len, passes)) >= enough:
                break
        return passes

    @property
    def available_(self) -> int:
        return self._occurring if self.beyond == "again" else self.ranking_.available

    def _cut(self, size: int) -> Selection:
        if size > self.rank_ and self.beyond == "raise":
            raise SizeUnavailable(size, self._reason())
        if self.ranking_.available < size <= self.available_:
            ordered = self.ranking_.available
            raise SizeUnavailable(
                size,
                f"{ordered} terms were ordered because RRQR was fitted for size={self.size}. "
                f"Ask for a size up to {ordered}, or fit RRQR(size={size}).",
            )
        return self.ranking_.top(size)

    def _reason(self) -> str:
        if self.rank_ == self.rank:
            return (
                f"RRQR stops after {self.rank} terms because of rank={self.rank}. "
                f"Ask for a size up to {self.rank_}, or fit it with a larger rank."
            )
        return (
            f"the documents have rank {self.rank_}, and QR orders no terms beyond it. "
            f"Ask for a size up to {self.rank_}, or set beyond=again."
        )

    def _check_parameters(self) -> None:
        rank = self.rank
        if rank is not None and not is_whole(rank, 1):
            raise LaconicError(
                f"rank={rank!r}: give a whole number of at least 1, or None for the numerical rank"
            )
        check_choice("beyond", self.beyond, get_args(Beyond))
