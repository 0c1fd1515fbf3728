"""`Prefixes`: ranked documents, of which the selected words of every size are a prefix.

Columns are relabelled by rank once; then a selection of any size reads less of each row, and
nothing is copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from laconic.numerics.blocks import Blocks
from laconic.numerics.quotient import quotient
from laconic.numerics.svm.input import Rows
from laconic.numerics.svm.ranked import Ranked
from laconic.runtime.choices import Normalize
from laconic.types import Columns, Floats, Int32s, Int64s, Matrix


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Documents by rank, normalized over all words (as they are) or over the selected ones."""

    ranked: Ranked
    normalize: Normalize

    @classmethod
    def of(cls, X: Matrix, order: Columns, normalize: Normalize) -> Self | None:
        """The words of the order only; None if these do not fit into memory."""
        if not isinstance(X, Blocks):
            return cls(Ranked.of(csr_array(X), order), normalize)
        selected = X[:, order].gathered()
        if isinstance(selected, Blocks):
            return None
        return cls(Ranked.of(selected, np.arange(order.size)), normalize)

    def rows(self, size: int) -> Rows:
        """The documents over the best `size` words."""
        ranked, ends = self.ranked, self.ranked.ends(size)
        scales = np.ones(ranked.n_docs)
        if self.normalize == "selected":
            scales = quotient(1.0, ranked.lengths(ends))
        return Rows(ranked.starts[:-1], ends, ranked.ranks, ranked.values, scales, size)


def decisions_of(rows: Rows | Blocks, coef: Floats, intercept: Floats) -> Floats:
    """X @ coef.T + intercept for the documents of `rows`."""
    by_column = np.ascontiguousarray(coef.T)
    if isinstance(rows, Blocks):
        return np.asarray(rows @ by_column) + intercept
    return _products(
        rows.starts, rows.ends, rows.columns, rows.values, rows.scales, by_column, intercept
    )


@njit(nogil=True, cache=True)
def _products(
    starts: Int64s,
    ends: Int64s,
    columns: Int32s,
    values: Floats,
    scales: Floats,
    by_column: Floats,
    intercept: Floats,
) -> Floats:
    n_classes = intercept.size
    decisions = np.zeros((starts.size, n_classes))
    for doc in range(starts.size):
        row = decisions[doc]
        for entry in range(starts[doc], ends[doc]):
            weights, value = by_column[columns[entry]], values[entry]
            for place in range(n_classes):
                row[place] += value * weights[place]
        for place in range(n_classes):
            row[place] = row[place] * scales[doc] + intercept[place]
    return decisions
