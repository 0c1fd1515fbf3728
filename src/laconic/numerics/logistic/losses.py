"""The two losses, each with its value, slopes and curvature for the scores of all documents.

`Sigmoids`: one problem per row, Σ c log(1 + exp(−y f)), y = ±1. `Softmax`: one problem over all
rows, Σ c (log Σ exp f − f of the document's class). The solver treats a quantity of a problem as a
vector over rows: `per_problem` gives every row of a problem the same total.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import log
from typing import Any, Protocol, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from laconic.numerics.logistic.products import DocumentArrays, sigmoid_product, softmax_product
from laconic.types import Columns, Floats, Int64s

# Up to here, three terms of the series of log(1 + x) are exact.
SERIES = 1e-5


@dataclass(frozen=True, eq=False)
class Slopes:
    """The loss of each row's problem, its derivatives by the scores, and what curvature needs."""

    values: Floats
    residuals: Floats
    curvature: Floats

    def only(self, rows: Columns) -> Slopes:
        """Some of the rows."""
        return Slopes(
            self.values[rows],
            np.ascontiguousarray(self.residuals[:, rows]),
            np.ascontiguousarray(self.curvature[:, rows]),
        )


class LogisticLoss(Protocol):
    """What the solver needs of a loss."""

    @property
    def n_scores(self) -> int: ...

    @property
    def largest_curvature(self) -> float: ...

    def slopes(self, scores: Floats) -> Slopes: ...

    def per_problem(self, totals: Floats) -> Floats: ...

    def diagonal(self, curvature: NDArray[Any]) -> NDArray[Any]: ...

    def per_document(self, curvature: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """What `product` reads of each document."""

    @staticmethod
    def product(documents: DocumentArrays, *inputs: NDArray[Any]) -> None:
        """The inputs are those per document, a vector, and the array for its product."""

    def intercept_step(self, slopes: Slopes) -> Floats: ...

    def only(self, rows: Columns) -> Self: ...


@dataclass(frozen=True, eq=False)
class BinaryProblems(ABC):
    """Independent binary problems; `y_signed` and `costs` have the shape (n_docs, n_rows)."""

    y_signed: Floats
    costs: Floats

    @property
    @abstractmethod
    def largest_curvature(self) -> float: ...

    @abstractmethod
    def slopes(self, scores: Floats) -> Slopes: ...

    @property
    def n_scores(self) -> int:
        return self.costs.size

    def per_problem(self, totals: Floats) -> Floats:
        return totals

    def diagonal(self, curvature: NDArray[Any]) -> NDArray[Any]:
        return curvature

    def per_document(self, curvature: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (curvature,)

    @staticmethod
    def product(documents: DocumentArrays, *inputs: NDArray[Any]) -> None:
        sigmoid_product(documents, *inputs)

    def intercept_step(self, slopes: Slopes) -> Floats:
        gradient, total = slopes.residuals.sum(axis=0), slopes.curvature.sum(axis=0)
        return np.asarray(np.divide(-gradient, total, out=np.zeros_like(total), where=total > 0))

    def only(self, rows: Columns) -> Self:
        y_signed, costs = self.y_signed[:, rows], self.costs[:, rows]
        return type(self)(np.ascontiguousarray(y_signed), np.ascontiguousarray(costs))


@dataclass(frozen=True, eq=False)
class Sigmoids(BinaryProblems):
    """Σ c log(1 + exp(−y f)) of each row."""

    @property
    def largest_curvature(self) -> float:
        return 0.25 * float(self.costs.max(initial=0.0))

    def slopes(self, scores: Floats) -> Slopes:
        # numpy's exponentials and logarithms are several at a time
        small = np.abs(scores)
        np.negative(small, out=small)
        np.exp(small, out=small)
        logs = np.add(small, 1.0)
        np.log(logs, out=logs)
        values = sigmoid_slopes(scores, self.y_signed, self.costs, small, logs)
        return Slopes(values, small, logs)


@dataclass(frozen=True, eq=False)
class Softmax:
    """One problem over all rows; `codes` is the class and `costs` the weight of each document."""

    codes: Int64s
    costs: Floats
    n_classes: int

    @property
    def n_scores(self) -> int:
        return self.costs.size * self.n_classes

    @property
    def largest_curvature(self) -> float:
        return 0.25 * float(self.costs.max(initial=0.0))

    def slopes(self, scores: Floats) -> Slopes:
        # numpy's exponentials are several at a time
        largest = row_maxima(scores)
        chances = np.subtract(scores, largest[:, None])
        np.exp(chances, out=chances)
        residuals = np.empty(scores.shape)
        value = softmax_slopes(scores, largest, self.codes, self.costs, residuals, chances)
        return Slopes(np.full(scores.shape[1], value), residuals, chances)

    def per_problem(self, totals: Floats) -> Floats:
        return np.full(totals.shape, totals.sum())

    def diagonal(self, curvature: NDArray[Any]) -> NDArray[Any]:
        costs = self.costs.astype(curvature.dtype)
        return np.asarray(costs[:, None] * curvature * (1.0 - curvature))

    def per_document(self, curvature: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return self.costs.astype(curvature.dtype), curvature

    @staticmethod
    def product(documents: DocumentArrays, *inputs: NDArray[Any]) -> None:
        softmax_product(documents, *inputs)

    def intercept_step(self, slopes: Slopes) -> Floats:
        """The Newton step of least length: a constant added to all intercepts changes nothing."""
        weighted = self.costs[:, None] * slopes.curvature
        hessian = np.diag(weighted.sum(axis=0)) - slopes.curvature.T @ weighted
        step, *_ = np.linalg.lstsq(hessian, -slopes.residuals.sum(axis=0), rcond=None)
        return np.asarray(step)

    def only(self, rows: Columns) -> Softmax:
        return self


@njit(nogil=True, cache=True)
def sigmoid_slopes(
    scores: Floats, y_signed: Floats, costs: Floats, small: Floats, logs: Floats
) -> Floats:
    """Replaces exp(−|scores|) by residuals and log(1 + exp(−|scores|)) by curvature.

    Returns the loss of each row.
    """
    values = np.zeros(scores.shape[1])
    for doc in range(scores.shape[0]):
        for row in range(values.size):
            label, cost, tail = y_signed[doc, row], costs[doc, row], small[doc, row]
            margin = label * scores[doc, row]
            share = 1.0 / (1.0 + tail)
            # where the sum 1 + tail is rounded, the series of the logarithm
            series = tail * (1.0 - tail * (0.5 - tail / 3.0))
            loss = logs[doc, row] if tail > SERIES else series
            values[row] += cost * (loss - min(margin, 0.0))
            small[doc, row] = -cost * label * share * (tail if margin > 0 else 1.0)
            logs[doc, row] = cost * tail * share * share
    return values


@njit(nogil=True, cache=True, fastmath={"nnan"})
def row_maxima(scores: Floats) -> Floats:
    maxima = scores[:, 0].copy()
    for doc in range(scores.shape[0]):
        for row in range(scores.shape[1]):
            maxima[doc] = max(maxima[doc], scores[doc, row])
    return maxima


@njit(nogil=True, cache=True)
def softmax_slopes(
    scores: Floats,
    largest: Floats,
    codes: Int64s,
    costs: Floats,
    residuals: Floats,
    chances: Floats,
) -> float:
    """Makes exp(scores − largest) probabilities, and fills residuals; returns the loss."""
    value = 0.0
    for doc in range(scores.shape[0]):
        p, cost, code = chances[doc], costs[doc], codes[doc]
        total = 0.0
        for row in range(p.size):
            total += p[row]
        share = 1.0 / total
        for row in range(p.size):
            p[row] *= share
            residuals[doc, row] = cost * p[row]
        residuals[doc, code] -= cost
        value += cost * (log(total) + largest[doc] - scores[doc, code])
    return value
