"""The LARS path of one class, and its row of the model at any point of the path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from scipy.sparse import csr_array, hstack

from laconic.errors import LaconicError
from laconic.model import Normalize, scale_rows
from laconic.numerics.lars.fast import fast_lars
from laconic.numerics.lars.forward import forward
from laconic.numerics.lars.leave_one_out import leave_one_out
from laconic.numerics.lars.newton import curvature, minimum, slope
from laconic.numerics.lars.outside import Trace, start
from laconic.numerics.lars.path import Bias, Documents, LarsPoint, lars
from laconic.numerics.quotient import quotient
from laconic.types import Floats, Int64s
from laconic.validation import check_choice, is_non_negative

LarsLoss: TypeAlias = Literal["squared_hinge", "squared", "modified_huber", "logistic"]
Mode: TypeAlias = Literal["fast", "exact", "aggressive"]

WALKS: Final = {"fast": fast_lars, "exact": lars, "aggressive": forward}
ENDINGS: Final = {
    "finished": "no other word improves the fit",
    "saturated": "they fit every document that counts",
    "singular": "they do not determine the next step",
}
# A larger violation of the optimality conditions is more than rounding error.
SOLVED: Final = 1e-6
TINY: Final = float(np.finfo(np.float64).tiny)
NO_POINT: Final = LarsPoint(
    np.empty(0, np.int64), np.empty(0), 0.0, 0.0, np.empty(0), np.empty(0, np.int64)
)


@dataclass(frozen=True)
class LarsSettings:
    """Settings that all classes share."""

    alpha: float
    loss: LarsLoss
    mode: Mode
    bias: Bias
    refit: bool
    normalize: Normalize

    def __post_init__(self) -> None:
        for name, kind in (("loss", LarsLoss), ("mode", Mode), ("normalize", Normalize)):
            check_choice(name, getattr(self, name), get_args(kind))
        check_choice("bias", self.bias, ("always", "selectable", None))
        if not is_non_negative(self.alpha):
            raise LaconicError(f"alpha={self.alpha!r}: give a number of at least 0, or 'loo'")
        object.__setattr__(self, "alpha", float(self.alpha))
        if self.loss == "logistic" and self.mode == "exact":
            raise LaconicError(
                "loss='logistic' with mode='exact': its path is curved and has no exact corners. "
                "Choose mode='fast', which follows it to the last digit"
            )


@dataclass(frozen=True, eq=False)
class ModelRow:
    """A class's row of a model.

    `examples` are the documents in the squared part of the loss. `residual` is the largest
    violation of the optimality conditions, relative to the largest gradient of a word at the start
    of the path. `solved` is False where that is more than rounding error, or where the optimum was
    not found.
    """

    columns: Int64s
    coef: Floats
    intercept: float
    examples: Int64s
    residual: float
    solved: bool


class Walk:
    """The path of one class, computed as far as needed."""

    def __init__(self, documents: Documents, y_signed: Floats, settings: LarsSettings) -> None:
        self.documents = documents
        self.y_signed = y_signed
        self.settings = settings
        self.point = NO_POINT
        self._points = self._path()
        self._row: ModelRow | None = None

    @property
    def moves(self) -> bool:
        """False for a constant label, which needs the bias only."""
        return self.settings.bias != "always" or bool((self.y_signed != self.y_signed[0]).any())

    def _path(self) -> Iterator[LarsPoint]:
        settings = self.settings
        if not self.moves:
            return iter(())
        return WALKS[settings.mode](
            self.documents,
            self.y_signed,
            loss=settings.loss,
            alpha=settings.alpha,
            bias=settings.bias,
        )

    def go(self, size: float) -> None:
        """Continue to the point of `size` words, or to the end of the path."""
        while self.point.size < size and (point := next(self._points, None)) is not None:
            self.point, self._row = point, None

    def trace(self, sizes: Sequence[float]) -> Trace:
        """All points up to the largest of these sizes, which ascend, and the start.

        Then the walk starts again, and has the points of these sizes only.
        """
        settings, points, reached = self.settings, [], []
        for size in sizes:
            while self.point.size < size and (point := next(self._points, None)) is not None:
                self.point = point
                # the documents of all points would take too much memory
                points.append(replace(point, examples=NO_POINT.examples))
            reached.append(self.point)
        self.point, self._points = NO_POINT, iter(reached)
        loss, alpha, bias = settings.loss, settings.alpha, settings.bias
        first_l1 = float(points[0].entry_l1[0]) if points else 0.0
        first = start(self.y_signed, first_l1, loss=loss, alpha=alpha, bias=bias)
        at_points = settings.loss == "squared" or settings.mode == "aggressive"
        traced = [first, *points]
        return Trace(self.documents, self.y_signed, traced, loss, alpha, at_points)

    def reason(self) -> str:
        """Why there are no more words, at the end of the path."""
        if (self.y_signed == self.y_signed[0]).all():
            return "all documents are on one side"
        if not self.point.size:
            return "no word distinguishes the classes"
        ending = self.point.ending or "finished"
        verb = "saturated" if ending == "saturated" else "the path ends"
        return f"{verb} at {self.point.size} words: {ENDINGS[ending]}"

    def end(self) -> str:
        """Why there are no more words, and what to do, at the end of the path."""
        if not self.point.size:
            return f"{self.reason()}. Give other documents"
        more = "" if self.settings.alpha > 0.0 else ", or give alpha a number above 0"
        return f"{self.reason()}. Ask for a size up to {self.point.size}{more}"

    def row(self) -> ModelRow:
        """The row of the model at the current point."""
        if self._row is None:
            settings = self.settings
            refit = settings.refit or settings.normalize == "selected" or not self.point.size
            self._row = self._optimum() if refit else self._row_of_path()
        return self._row

    def left_out(self) -> Floats:
        """The leave-one-out decision value of each document; NaN where it is not determined.

        The formula of `laconic.numerics.lars.leave_one_out`, at the optimum of this row. The words
        were selected with the document, so leave-one-out is optimistic.
        """
        settings, row = self.settings, self.row()
        columns = np.arange(row.columns.size)
        point = LarsPoint(columns, row.coef, row.intercept, 0.0, np.empty(0), row.examples)
        bias: Bias = "always" if self._biased else None
        return leave_one_out(
            self._reduced(),
            self.y_signed,
            point,
            loss=settings.loss,
            alpha=settings.alpha,
            bias=bias,
        )

    @property
    def _biased(self) -> bool:
        """Whether the bias is in the model. A selectable one enters even where no word does."""
        if self.settings.bias == "selectable":
            return self.point.intercept != 0.0 or not self.point.size
        return self.settings.bias == "always"

    def _row_of_path(self) -> ModelRow:
        point, residual = self.point, self._violation()
        return ModelRow(
            point.columns,
            point.coef,
            point.intercept,
            point.examples,
            residual,
            residual <= SOLVED,
        )

    def _violation(self) -> float:
        """Violation of |g| = λ₁ for selected words and |g| ≤ λ₁ for others, over the first λ₁.

        A bias that is always in has g = 0; so have all words that were selected greedily.
        """
        settings, point, constant = self.settings, self.point, self.documents.constant
        columns, coef = np.append(point.columns, constant), np.append(point.coef, point.intercept)
        margins = self.y_signed * (self.documents.by_column[:, columns] @ coef)
        g = self.documents.by_column.T @ (self.y_signed * slope(margins, settings.loss))
        g[columns] += settings.alpha * coef
        excess = np.abs(g) - point.l1
        greedy = settings.mode == "aggressive"
        excess[point.columns] = np.abs(g[point.columns]) - (0.0 if greedy else point.l1)
        excess[constant] = self._violation_of_bias(float(abs(g[constant])), greedy)
        excess[columns] = np.abs(excess[columns])
        return float(max(excess.max(), 0.0) / point.entry_l1[0])

    def _violation_of_bias(self, g: float, greedy: bool) -> float:
        if self.settings.bias is None or (not self._biased and g <= self.point.l1):
            return 0.0
        return g if self.settings.bias == "always" or greedy else g - self.point.l1

    def _optimum(self) -> ModelRow:
        """The optimum over the selected words, starting from the model of the path.

        A start from the next smaller size would make it depend on which sizes are requested.
        """
        settings, point = self.settings, self.point
        loss, alpha = settings.loss, settings.alpha
        Z, start = self._reduced(), point.coef
        if self._biased:
            Z = csr_array(hstack([Z, np.ones((Z.shape[0], 1))], format="csr"))
            start = np.append(start, point.intercept)
        best = minimum(Z, self.y_signed, loss=loss, alpha=alpha, start=start)
        intercept = float(best.coef[-1]) if self._biased else 0.0
        examples = np.flatnonzero(curvature(best.margins, loss))
        g = Z.T @ best.residuals + alpha * best.coef
        g_at_zero = Z.T @ (self.y_signed * slope(np.zeros(self.y_signed.size), loss))
        of_words = g_at_zero[: point.size] if point.size else g_at_zero
        residual = np.abs(g).max(initial=0.0) / max(np.abs(of_words).max(initial=0.0), TINY)
        coef = best.coef[: point.size]
        return ModelRow(point.columns, coef, intercept, examples, float(residual), best.solved)

    def _reduced(self) -> csr_array:
        """Documents over the selected words, divided by their length over these for "selected"."""
        Z = csr_array(self.documents.by_column[:, self.point.columns])
        if self.settings.normalize == "selected":
            return scale_rows(Z, quotient(1.0, np.sqrt(Z.power(2).sum(axis=1))))
        return Z
