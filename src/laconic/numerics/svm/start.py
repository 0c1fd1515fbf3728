"""`DualStart`: duals of all classes, from which the next training starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from laconic.types import Floats, Int64s

# Duals and intercept from which a class starts; None for duals of 0.
Start: TypeAlias = "tuple[Floats | None, float]"


class SupportDuals(NamedTuple):
    """The documents with α > 0, and their α: memory follows the support vectors."""

    docs: Int64s
    values: Floats

    @classmethod
    def of(cls, alphas: Floats) -> Self:
        docs = np.flatnonzero(alphas)
        return cls(docs, alphas[docs])

    def dense(self, n_docs: int) -> Floats:
        alphas = np.zeros(n_docs)
        alphas[self.docs] = self.values
        return alphas


@dataclass(frozen=True, eq=False)
class DualStart:
    """Dual variables (n_rows, n_docs) and intercepts to start from, solved for `alpha`."""

    alphas: csr_array
    intercept: Floats
    alpha: float

    @classmethod
    def of(
        cls, rows: Sequence[SupportDuals], intercept: Floats, alpha: float, n_docs: int
    ) -> DualStart:
        """From the duals of each row."""
        docs = np.concatenate([row.docs for row in rows])
        ends = np.append(0, np.cumsum([row.docs.size for row in rows]))
        values = np.concatenate([row.values for row in rows])
        return cls(csr_array((values, docs, ends), shape=(len(rows), n_docs)), intercept, alpha)

    def row(self, row: int, alpha: float) -> Start:
        """The start of a row; duals below their bounds grow as alpha falls."""
        ends = self.alphas.indptr
        part = slice(ends[row], ends[row + 1])
        alphas = np.zeros(self.alphas.shape[1])
        alphas[self.alphas.indices[part]] = self.alphas.data[part]
        return alphas * (self.alpha / alpha), float(self.intercept[row])
