"""What the solver reads of documents, for blocks: each of these is one pass over all of them.

A pass sends coefficients to every block and adds up what comes back. Scores, and what the loss
makes of them, stay in memory: one number per document and row of the model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.numerics.blocks import Blocks
from laconic.numerics.logistic.hessian import CurvatureDocuments, Curved, single_precision
from laconic.numerics.logistic.lanes import padded, width
from laconic.numerics.logistic.losses import LogisticLoss
from laconic.numerics.logistic.products import DocumentArrays, write_scores, write_sums
from laconic.numerics.svm.input import Rows, refuse_largest, refuse_longest, unit_of
from laconic.types import Floats


class SolverDocuments(Protocol):
    """Documents in memory, `DocumentArrays`, or in blocks."""

    def scores(self, coef: Floats) -> Floats:
        """X coef, the intercept included."""

    def sums(self, weights: NDArray[Any], out: Floats) -> None:
        """out = X' weights, the intercept included."""


@dataclass(frozen=True, eq=False)
class ScaledDocuments:
    """Documents divided by their `unit`, which makes their lengths ordinary numbers."""

    documents: SolverDocuments
    unit: float
    n_columns: int

    @classmethod
    def of(cls, rows: Rows | Blocks) -> Self:
        if isinstance(rows, Blocks):
            documents = BlockDocuments.of(rows)
            return cls(documents, documents.unit, rows.n_columns)
        unit = rows.unit
        refuse_longest(rows)
        scaled = replace(rows, scales=rows.scales / unit)
        return cls(DocumentArrays.of(scaled), unit, rows.n_columns)

    @property
    def in_memory(self) -> bool:
        return not isinstance(self.documents, BlockDocuments)

    def passes(self, n_steps: int) -> int:
        """Passes over the blocks so far; of documents in memory, the Newton steps."""
        documents = self.documents
        return documents.n_passes if isinstance(documents, BlockDocuments) else n_steps


@dataclass(eq=False)
class BlockDocuments:
    """Blocks whose documents are divided by `unit`; the figures are those before.

    Parameters
    ----------
    X : Blocks
    unit : power of 2, 1 for ordinary documents
    largest : the largest absolute entry
    longest : the largest Euclidean length
    squared_norm : the sum of the squared entries
    n_passes : passes so far
    """

    X: Blocks
    unit: float
    largest: float
    longest: float
    squared_norm: float
    n_passes: int = 1

    @classmethod
    def of(cls, X: Blocks) -> Self:
        largest, squares = X.stack(extents)
        entry = float(largest.max(initial=0.0))
        refuse_largest(entry)
        longest = float(np.sqrt(squares.max(initial=0.0)))
        return cls(X, unit_of(entry), entry, longest, float(squares.sum()))

    def scores(self, coef: Floats) -> Floats:
        n_rows = coef.shape[1]
        if not coef.any():
            return np.zeros((self.X.shape[0], n_rows))
        self.n_passes += 1
        return np.asarray(self.X.stack(Scores(padded(coef, np.float64), n_rows, self.unit)))

    def sums(self, weights: NDArray[Any], out: Floats) -> None:
        self.n_passes += 1
        total = self.X.total(Sums(self.unit, np.float64), weights)
        out[:] = total[:, : out.shape[1]]

    def curved(self, loss: LogisticLoss, alpha: float) -> CurvatureBlocks:
        figures = self.largest / self.unit, self.squared_norm / self.unit**2
        single = single_precision(loss, alpha, *figures)
        return CurvatureBlocks(self, np.float32 if single else np.float64)


@dataclass(frozen=True, eq=False)
class CurvatureBlocks:
    """Products with the Hessian, one pass each."""

    documents: BlockDocuments
    dtype: type[np.floating[Any]]

    def product(
        self, loss: LogisticLoss, curvature: NDArray[Any], vector: NDArray[Any]
    ) -> NDArray[Any]:
        self.documents.n_passes += 1
        step = CurvatureProduct(type(loss), vector, self.documents.unit)
        total: NDArray[Any] = self.documents.X.total(step, *loss.per_document(curvature))
        return total

    def square_sums(self, weights: NDArray[Any], out: Floats) -> None:
        self.documents.n_passes += 1
        total = self.documents.X.total(SquareSums(self.documents.unit, self.dtype), weights)
        out[:] = total[:, : out.shape[1]]


def curved(documents: SolverDocuments, loss: LogisticLoss, alpha: float) -> Curved:
    """The documents as products with the Hessian read them."""
    if isinstance(documents, BlockDocuments):
        return documents.curved(loss, alpha)
    assert isinstance(documents, DocumentArrays)
    return CurvatureDocuments.of(documents, loss, alpha)


@dataclass(frozen=True, eq=False)
class Scores:
    """block -> its scores, of shape (n_docs, n_rows)"""

    coef: Floats
    n_rows: int
    unit: float

    def __call__(self, block: csr_array) -> Floats:
        values = np.empty((block.shape[0], self.n_rows))
        write_scores(block_arrays(block, self.unit), self.coef, values)
        return values


@dataclass(frozen=True, eq=False)
class Sums:
    """(block, weights) -> block' weights, with a line for the intercept, padded"""

    unit: float
    dtype: type[np.floating[Any]]

    def __call__(self, block: csr_array, weights: NDArray[Any]) -> NDArray[Any]:
        total = np.empty((block.shape[1] + 1, width(weights.shape[1])), self.dtype)
        write_sums(self._documents(block), weights, total)
        return total

    def _documents(self, block: csr_array) -> DocumentArrays:
        return block_arrays(block, self.unit, self.dtype)


@dataclass(frozen=True, eq=False)
class SquareSums(Sums):
    """The same of squared entries."""

    def _documents(self, block: csr_array) -> DocumentArrays:
        return super()._documents(block).squared()


@dataclass(frozen=True, eq=False)
class CurvatureProduct:
    """(block, per document) -> block' D block vector"""

    loss: type[LogisticLoss]
    vector: NDArray[Any]
    unit: float

    def __call__(self, block: csr_array, *per_document: NDArray[Any]) -> NDArray[Any]:
        total = np.empty_like(self.vector)
        documents = block_arrays(block, self.unit, self.vector.dtype.type)
        self.loss.product(documents, *per_document, self.vector, total)
        return total


def block_arrays(
    block: csr_array, unit: float, dtype: type[np.floating[Any]] = np.float64
) -> DocumentArrays:
    """The documents of a block, divided by the unit."""
    rows = Rows.of(block)
    documents = DocumentArrays.of(replace(rows, scales=rows.scales / unit))
    return documents.rounded() if dtype == np.float32 else documents


def extents(block: csr_array) -> tuple[Floats, Floats]:
    """The largest absolute entry and the squared length of each document."""
    largest, squares = np.zeros(block.shape[0]), np.zeros(block.shape[0])
    filled = np.flatnonzero(np.diff(block.indptr))
    if filled.size:
        starts = block.indptr[filled]
        largest[filled] = np.maximum.reduceat(np.abs(block.data), starts)
        with np.errstate(over="ignore"):
            squares[filled] = np.add.reduceat(np.square(block.data), starts)
    return largest, squares
