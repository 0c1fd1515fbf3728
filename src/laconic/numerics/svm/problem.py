"""The problems of all classes for the squared hinge, each class against the rest, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from laconic.numerics.svm.all_classes import ClassArrays, certificates, products_of_all
from laconic.numerics.svm.dual import RIDGE, Dual, centring_sample
from laconic.numerics.svm.gap import violation_limit
from laconic.numerics.svm.input import Rows, refuse_long
from laconic.numerics.svm.passes import ProblemArrays, centred, mean
from laconic.numerics.svm.start import Start
from laconic.types import Floats, Int64s


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """Documents and classes, one column per class."""

    rows: Rows
    shared: ProblemArrays
    classes: ClassArrays
    free_intercept: bool

    def of(self, places: Int64s) -> Self:
        """Some of the classes."""
        classes = ClassArrays(*(columns(matrix, places) for matrix in self.classes))
        return replace(self, classes=classes)

    def start(self, starts: Sequence[Start], unit: float) -> tuple[Floats, Floats]:
        """The signed duals, within their box, and the intercepts."""
        duals = np.zeros(self.classes.costs.shape)
        for place, (alphas, _) in enumerate(starts):
            if alphas is not None:
                duals[:, place] = alphas
        np.maximum(duals, 0.0, out=duals)
        duals *= unit**2 * self.classes.y_signed * (self.classes.costs > 0)
        return duals, np.array([b if self.free_intercept else 0.0 for _, b in starts])

    def certified(
        self, duals: Floats, coefs: Floats, intercepts: Floats, epochs: int, tolerance: float
    ) -> tuple[list[Dual], Floats]:
        """Duals and their w with the best intercepts, and how far they are from the optimum.

        Then the largest violation of each document.
        """
        best, squares = intercepts.copy(), np.einsum("ij,ij->j", coefs, coefs)
        inputs = duals, products_of_all(self.rows, coefs), squares, best, self.free_intercept
        gaps, violations, largest = certificates(self.shared, self.classes, *inputs)
        solved = (gaps <= tolerance) & (violations <= violation_limit(tolerance))
        alphas, vectors = np.ascontiguousarray(np.abs(duals).T), np.ascontiguousarray(coefs.T)
        figures = np.array([best, violations, gaps]).T.tolist()
        results = [
            Dual(alphas[at], vectors[at], b, violation, gap, epochs, bool(solved[at]))
            for at, (b, violation, gap) in enumerate(figures)
        ]
        return results, largest


def columns(matrix: NDArray[Any], places: Int64s) -> NDArray[Any]:
    return np.ascontiguousarray(matrix[..., places])


def shared_arrays(rows: Rows, intercept: bool) -> ProblemArrays:
    """What all classes share; `squares` are ‖x − μ‖², without softness."""
    zeros = np.zeros(rows.starts.size)
    inputs = rows.starts, rows.ends, rows.columns, rows.values, rows.scales
    arrays = ProblemArrays(*inputs, zeros, zeros, zeros, zeros, zeros, ridge=0.0)
    docs = np.arange(zeros.size if intercept else 0)
    lengths, tilts = centred(arrays, mean(arrays, centring_sample(docs), rows.n_columns))
    refuse_long(lengths)
    return arrays._replace(squares=lengths, tilts=tilts)


def class_arrays(
    shared: ProblemArrays, y_signed: Floats, costs: Floats, intercept: bool
) -> ClassArrays:
    weighted = costs > 0
    n_docs, ridges = np.count_nonzero(weighted, axis=0), np.zeros(costs.shape[1])
    if intercept:
        # `dual.ridge_of` of every class
        lengths = shared.squares @ weighted / n_docs
        ridges = RIDGE * np.maximum(lengths, np.sqrt(n_docs) / costs.sum(axis=0))
    softness = np.divide(0.5, costs, out=np.zeros(costs.shape), where=weighted)
    squares = softness + shared.squares[:, None] + ridges
    steps = np.divide(1.0, squares, out=np.zeros(costs.shape), where=weighted)
    y_signed = np.ascontiguousarray(y_signed, dtype=np.float64)
    return ClassArrays(y_signed, np.ascontiguousarray(costs), softness, steps, ridges)
