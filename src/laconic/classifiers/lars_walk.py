"""One class's way along a LARS path, and its row of the model wherever the way has led."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from laconic.errors import LaconicError
from laconic.model import Normalize
from laconic.numerics.forward import forward
from laconic.numerics.lars import Bias, Documents, LarsPoint, lars
from laconic.numerics.lars_fast import fast_lars
from laconic.numerics.lars_left_out import leave_one_out
from laconic.numerics.newton import curvature, minimum, slope
from laconic.numerics.quotient import quotient
from laconic.numerics.weighing import scale_rows
from laconic.reduction import Floats

Loss: TypeAlias = Literal["squared_hinge", "squared", "modified_huber", "logistic"]
Mode: TypeAlias = Literal["fast", "exact", "aggressive"]

WALKS: Final = {"fast": fast_lars, "exact": lars, "aggressive": forward}
ENDINGS: Final = {
    "finished": "no other word says anything more",
    "saturated": "they explain every document that counts",
    "singular": "they do not determine how to go on",
}
# A larger violation of the optimality conditions is more than rounding.
SOLVED: Final = 1e-6
TINY: Final = float(np.finfo(np.float64).tiny)
NO_POINT: Final = LarsPoint(
    np.empty(0, np.int64), np.empty(0), 0.0, 0.0, np.empty(0), np.empty(0, np.int64)
)


@dataclass(frozen=True)
class Settings:
    """What the classes of a classifier have in common."""

    alpha: float
    loss: Loss
    mode: Mode
    bias: Bias
    refit: bool
    normalize: Normalize

    def __post_init__(self) -> None:
        for name, known in (("loss", Loss), ("mode", Mode), ("normalize", Normalize)):
            if (given := getattr(self, name)) not in get_args(known):
                raise LaconicError(f"{name}={given!r}: choose from {', '.join(get_args(known))}")
        if self.bias not in ("always", "selectable", None):
            raise LaconicError(f"bias={self.bias!r}: choose from always, selectable, None")
        number = isinstance(self.alpha, int | float | np.number) and not isinstance(
            self.alpha, bool
        )
        if not (number and 0.0 <= self.alpha < np.inf):
            raise LaconicError(f"alpha={self.alpha!r}: give a number of at least 0, or 'loo'")
        object.__setattr__(self, "alpha", float(self.alpha))
        if self.loss == "logistic" and self.mode == "exact":
            raise LaconicError(
                "loss='logistic' with mode='exact': its path is curved, and has no exact corners. "
                "Choose mode='fast', which follows it to the last digit"
            )


@dataclass(frozen=True, eq=False)
class Trained:
    """A class's row of a model.

    `examples` are the documents in the squared part of the loss. `residual` is the largest
    violation of the optimality conditions, relative to the largest gradient of a word where no word
    is in. `solved` is False where that is more than rounding, or where an optimum was not found.
    """

    columns: NDArray[np.int64]
    coef: Floats
    intercept: float
    examples: NDArray[np.int64]
    residual: float
    solved: bool


class Walk:
    """The path of one class, walked as far as it has been asked for."""

    def __init__(self, documents: Documents, y_signed: Floats, settings: Settings) -> None:
        self.documents = documents
        self.y_signed = y_signed
        self.settings = settings
        self.point = NO_POINT
        self._points = self._path()
        self._row: Trained | None = None

    def _path(self) -> Iterator[LarsPoint]:
        one = self.settings
        if one.bias == "always" and (self.y_signed == self.y_signed[0]).all():
            return iter(())  # a label that every document has, or none, needs no word
        return WALKS[one.mode](
            self.documents, self.y_signed, loss=one.loss, alpha=one.alpha, bias=one.bias
        )

    def go(self, size: float) -> None:
        """To the point of `size` words, or to the end of the path."""
        while self.point.size < size and (point := next(self._points, None)) is not None:
            self.point, self._row = point, None

    def reason(self) -> str:
        """Why there are no more words; to be asked at the end of the path."""
        if (self.y_signed == self.y_signed[0]).all():
            return "all documents have the same answer"
        if not self.point.size:
            return "no word says anything about the classes"
        ending = self.point.ending or "finished"
        verb = "saturated" if ending == "saturated" else "the path ends"
        return f"{verb} at {self.point.size} words: {ENDINGS[ending]}"

    def end(self) -> str:
        """Why there are no more words, and what to do; to be asked at the end of the path."""
        if not self.point.size:
            return f"{self.reason()}. Give other documents"
        more = "" if self.settings.alpha > 0.0 else ", or give alpha a number above 0"
        return f"{self.reason()}. Ask for a size up to {self.point.size}{more}"

    def row(self) -> Trained:
        """The row of the model at the point that has been reached."""
        if self._row is None:
            one = self.settings
            anew = one.refit or one.normalize == "selected" or not self.point.size
            self._row = self._optimum() if anew else self._found()
        return self._row

    def left_out(self) -> Floats:
        """The decision about each document by the row that lacks it; NaN where it is not known.

        The formula that numerics derive, at the row's own optimum, for the words chosen with the
        document: after a choice by the labels, leave-one-out is optimistic.
        """
        one, row = self.settings, self.row()
        places = np.arange(row.columns.size)
        point = LarsPoint(places, row.coef, row.intercept, 0.0, np.empty(0), row.examples)
        bias: Bias = "always" if self._biased else None
        return leave_one_out(
            self._seen(), self.y_signed, point, loss=one.loss, alpha=one.alpha, bias=bias
        )

    @property
    def _biased(self) -> bool:
        """Whether the bias is in. One to be selected is in before a path ends without a word."""
        if self.settings.bias == "selectable":
            return self.point.intercept != 0.0 or not self.point.size
        return self.settings.bias == "always"

    def _found(self) -> Trained:
        point, residual = self.point, self._violation()
        solved = residual <= SOLVED
        return Trained(point.columns, point.coef, point.intercept, point.examples, residual, solved)

    def _violation(self) -> float:
        """At the point of the path: of |g| = λ₁ inside and |g| ≤ λ₁ outside, by the first λ₁.

        A bias that is always in has g = 0; so have all words that are in after a greedy choice.
        """
        one, point, constant = self.settings, self.point, self.documents.constant
        columns, coef = np.append(point.columns, constant), np.append(point.coef, point.intercept)
        margins = self.y_signed * (self.documents.by_column[:, columns] @ coef)
        g = self.documents.by_column.T @ (self.y_signed * slope(margins, one.loss))
        g[columns] += one.alpha * coef
        excess = np.abs(g) - point.l1
        greedy = one.mode == "aggressive"
        excess[point.columns] = np.abs(g[point.columns]) - (0.0 if greedy else point.l1)
        excess[constant] = self._violation_of_bias(float(abs(g[constant])), greedy)
        excess[columns] = np.abs(excess[columns])
        return float(max(excess.max(), 0.0) / point.entry_l1[0])

    def _violation_of_bias(self, g: float, greedy: bool) -> float:
        if self.settings.bias is None or (not self._biased and g <= self.point.l1):
            return 0.0
        return g if self.settings.bias == "always" or greedy else g - self.point.l1

    def _optimum(self) -> Trained:
        """Over the chosen words alone, looked for from the path's own model.

        So it does not depend on other sizes, as a start from the next smaller one would make it.
        """
        one, point = self.settings, self.point
        Z, start = self._seen(), point.coef
        if self._biased:
            Z = csr_array(hstack([Z, np.ones((Z.shape[0], 1))], format="csr"))
            start = np.append(start, point.intercept)
        best = minimum(Z, self.y_signed, loss=one.loss, alpha=one.alpha, start=start)
        intercept = float(best.coef[-1]) if self._biased else 0.0
        examples = np.flatnonzero(curvature(best.margins, one.loss))
        g = Z.T @ best.residuals + one.alpha * best.coef
        nothing = Z.T @ (self.y_signed * slope(np.zeros(self.y_signed.size), one.loss))
        words = nothing[: point.size] if point.size else nothing
        residual = np.abs(g).max(initial=0.0) / max(np.abs(words).max(initial=0.0), TINY)
        coef = best.coef[: point.size]
        return Trained(point.columns, coef, intercept, examples, float(residual), best.solved)

    def _seen(self) -> csr_array:
        """Documents over the chosen words, as the norm has them."""
        Z = csr_array(self.documents.by_column[:, self.point.columns])
        if self.settings.normalize == "selected":
            return scale_rows(Z, quotient(1.0, np.sqrt(Z.power(2).sum(axis=1))))
        return Z
