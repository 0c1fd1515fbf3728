"""The Hessian of the objective at a point: its products with vectors, and its diagonal.

Conjugate gradients need products only approximately, because the gradient and the bound are exact.
So they are in single precision, which halves the bytes and doubles the numbers per instruction,
unless the regularization is too small beside the rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from laconic.numerics.logistic.lanes import padded
from laconic.numerics.logistic.losses import LogisticLoss
from laconic.numerics.logistic.products import DocumentArrays
from laconic.numerics.spectral.rank import EPS
from laconic.types import Floats

# Single precision needs a regularization of at least this share of the curvature of all words,
# entries and weights whose products are far from the limits of single precision,
ROUNDING = 1e-6
ORDINARY = 1e6
# and more scores than this, or it saves nothing.
SMALL = 10_000
TINY = 1e-300


class Curved(Protocol):
    """Documents as products with the Hessian read them."""

    @property
    def dtype(self) -> type[np.floating[Any]]: ...

    def product(
        self, loss: LogisticLoss, curvature: NDArray[Any], vector: NDArray[Any]
    ) -> NDArray[Any]:
        """X' D X vector; all are padded."""

    def square_sums(self, weights: NDArray[Any], out: Floats) -> None:
        """out = Σ weight x² over the documents."""


@dataclass(frozen=True, eq=False)
class CurvatureDocuments:
    """Copies of the documents and of their squares."""

    documents: DocumentArrays
    squares: DocumentArrays

    @classmethod
    def of(cls, documents: DocumentArrays, loss: LogisticLoss, alpha: float) -> Self:
        copies = documents.copied()
        values = copies.values
        largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
        if single_precision(loss, alpha, largest, float(values @ values)):
            copies = copies.rounded()
        return cls(copies, copies.squared())

    @property
    def dtype(self) -> type[np.floating[Any]]:
        kind: type[np.floating[Any]] = self.documents.values.dtype.type
        return kind

    def product(
        self, loss: LogisticLoss, curvature: NDArray[Any], vector: NDArray[Any]
    ) -> NDArray[Any]:
        total = np.empty_like(vector)
        loss.product(self.documents, *loss.per_document(curvature), vector, total)
        return total

    def square_sums(self, weights: NDArray[Any], out: Floats) -> None:
        self.squares.sums(weights, out)


def single_precision(loss: LogisticLoss, alpha: float, largest: float, squared_norm: float) -> bool:
    """Whether it suffices for documents with this largest entry and sum of squares, and saves."""
    curvature = loss.largest_curvature
    if loss.n_scores <= SMALL:
        return False
    if not (max(largest, curvature) < ORDINARY and min(largest, curvature) > 1.0 / ORDINARY):
        return False
    return 2.0 * alpha >= ROUNDING * curvature * squared_norm


@dataclass(frozen=True, eq=False)
class Hessian:
    """X' D X + 2 alpha, with D from the curvature of the loss."""

    documents: Curved
    loss: LogisticLoss
    curvature: NDArray[Any]
    n_rows: int
    penalty: Floats
    intercept: bool

    @classmethod
    def at(
        cls,
        documents: Curved,
        loss: LogisticLoss,
        curvature: Floats,
        penalty: Floats,
        intercept: bool,
    ) -> Self:
        rounded = padded(curvature, documents.dtype)
        return cls(documents, loss, rounded, curvature.shape[1], penalty, intercept)

    def product(self, vector: Floats, out: Floats) -> Floats:
        """out = the Hessian times the vector; returns vector · out of each row."""
        narrow = padded(vector, self.documents.dtype)
        total = self.documents.product(self.loss, self.curvature, narrow)
        if not self.intercept:
            total[-1] = 0.0
        return add_penalty(total, self.penalty, vector, out)

    def diagonal(self) -> Floats:
        """At least the rounding of the largest number, so that it has an inverse."""
        diagonal = np.empty((self.penalty.size, self.n_rows))
        self.documents.square_sums(self.loss.diagonal(self.curvature)[:, : self.n_rows], diagonal)
        diagonal += self.penalty[:, None]
        floor = EPS * diagonal.max(axis=0) + TINY
        return np.asarray(np.maximum(diagonal, floor))


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc"})
def add_penalty(total: NDArray[Any], penalty: Floats, vector: Floats, out: Floats) -> Floats:
    """out = total + penalty · vector; returns the sums of vector · out."""
    sums = np.zeros(vector.shape[1])
    for line in range(vector.shape[0]):
        for row in range(sums.size):
            out[line, row] = total[line, row] + penalty[line] * vector[line, row]
            sums[row] += vector[line, row] * out[line, row]
    return sums


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc"})
def move(
    length: Floats,
    along: Floats,
    product: Floats,
    inverse: Floats,
    solution: Floats,
    residual: Floats,
) -> tuple[Floats, Floats]:
    """One step of conjugate gradients; returns the energy and the squared length of residuals.

    The squared length is without the intercept.
    """
    energy, squares = np.zeros(length.size), np.zeros(length.size)
    n_words = along.shape[0] - 1
    for line in range(along.shape[0]):
        for row in range(length.size):
            solution[line, row] += length[row] * along[line, row]
            rest = residual[line, row] - length[row] * product[line, row]
            residual[line, row] = rest
            energy[row] += inverse[line, row] * rest * rest
            if line < n_words:
                squares[row] += rest * rest
    return energy, squares


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc"})
def turn(ratio: Floats, inverse: Floats, residual: Floats, along: Floats) -> None:
    """along = ratio · along + the preconditioned residual."""
    for line in range(along.shape[0]):
        for row in range(ratio.size):
            scaled = inverse[line, row] * residual[line, row]
            along[line, row] = ratio[row] * along[line, row] + scaled
