"""One class's way along a LARS path, and its row of the model wherever the way has led."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from laconic.errors import LaconicError
from laconic.model import Norm
from laconic.numerics.forward import forward
from laconic.numerics.lars import Bias, Documents, LarsPoint, lars
from laconic.numerics.lars_fast import fast_lars
from laconic.numerics.lars_left_out import left_out
from laconic.numerics.newton import curvature, minimum
from laconic.numerics.quotient import quotient
from laconic.numerics.weighing import scaled
from laconic.reduction import Floats

Loss: TypeAlias = Literal["squared_hinge", "squared", "modified_huber", "logistic"]
Mode: TypeAlias = Literal["fast", "exact", "aggressive"]

WALKS: Final = {"fast": fast_lars, "exact": lars, "aggressive": forward}
ENDINGS: Final = {
    "finished": "no other word says anything more",
    "saturated": "they explain every document that counts",
    "singular": "they do not determine how to go on",
}
NO_POINT: Final = LarsPoint(
    np.empty(0, np.int64), np.empty(0), 0.0, 0.0, np.empty(0), np.empty(0, np.int64)
)


@dataclass(frozen=True)
class Settings:
    """What the classes of a classifier have in common."""

    l2: float
    loss: Loss
    mode: Mode
    bias: Bias
    refit: bool
    norm: Norm

    def __post_init__(self) -> None:
        for name, known in (("loss", Loss), ("mode", Mode), ("norm", Norm)):
            if (given := getattr(self, name)) not in get_args(known):
                raise LaconicError(f"{name}={given!r}: choose from {', '.join(get_args(known))}")
        if self.bias not in ("always", "selectable", None):
            raise LaconicError(f"bias={self.bias!r}: choose from always, selectable, None")
        number = isinstance(self.l2, int | float | np.number) and not isinstance(self.l2, bool)
        if not (number and 0.0 <= self.l2 < np.inf):
            raise LaconicError(f"l2={self.l2!r}: give a number of at least 0, or 'loo'")
        object.__setattr__(self, "l2", float(self.l2))
        if self.loss == "logistic" and self.mode == "exact":
            raise LaconicError(
                "loss='logistic' with mode='exact': its path is curved, and has no exact corners. "
                "Choose mode='fast', which follows it to the last digit"
            )


@dataclass(frozen=True, eq=False)
class Trained:
    """A class's row of a model.

    `examples` are the documents in the squared part of the loss. `solved` is False where an optimum
    was looked for and not found.
    """

    columns: NDArray[np.int64]
    coef: Floats
    intercept: float
    examples: NDArray[np.int64]
    solved: bool = True


class Walk:
    """The path of one class, walked as far as it has been asked for."""

    def __init__(self, documents: Documents, signs: Floats, settings: Settings) -> None:
        self.documents = documents
        self.signs = signs
        self.settings = settings
        self.point = NO_POINT
        self._points = self._path()
        self._row: Trained | None = None

    def _path(self) -> Iterator[LarsPoint]:
        one = self.settings
        if one.bias == "always" and (self.signs == self.signs[0]).all():
            return iter(())  # a label that every document has, or none, needs no word
        return WALKS[one.mode](self.documents, self.signs, loss=one.loss, l2=one.l2, bias=one.bias)

    def go(self, size: float) -> None:
        """To the point of `size` words, or to the end of the path."""
        while self.point.size < size and (point := next(self._points, None)) is not None:
            self.point, self._row = point, None

    def end(self) -> str:
        """Why there are no more words, and what to do; to be asked at the end of the path."""
        if not self.point.size:
            return "no word says anything about the classes. Give other documents"
        ending = self.point.ending or "finished"
        verb = "saturated" if ending == "saturated" else "the path ends"
        more = "" if self.settings.l2 > 0.0 else ", or give l2 a number above 0"
        return (
            f"{verb} at {self.point.size} words: {ENDINGS[ending]}. "
            f"Ask for a size up to {self.point.size}{more}"
        )

    def row(self) -> Trained:
        """The row of the model at the point that has been reached."""
        if self._row is None:
            one = self.settings
            anew = one.refit or one.norm == "kept" or not self.point.size
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
        return left_out(self._seen(), self.signs, point, loss=one.loss, l2=one.l2, bias=bias)

    @property
    def _biased(self) -> bool:
        return self.settings.bias == "always" or self.point.intercept != 0.0

    def _found(self) -> Trained:
        point = self.point
        return Trained(point.columns, point.coef, point.intercept, point.examples)

    def _optimum(self) -> Trained:
        """Over the chosen words alone, looked for from the path's own model.

        So it does not depend on other sizes, as a start from the next smaller one would make it.
        """
        one, point = self.settings, self.point
        Z, start = self._seen(), point.coef
        if self._biased:
            Z = csr_array(hstack([Z, np.ones((Z.shape[0], 1))], format="csr"))
            start = np.append(start, point.intercept)
        best = minimum(Z, self.signs, loss=one.loss, l2=one.l2, start=start)
        intercept = float(best.coef[-1]) if self._biased else 0.0
        examples = np.flatnonzero(curvature(best.margins, one.loss))
        return Trained(point.columns, best.coef[: point.size], intercept, examples, best.solved)

    def _seen(self) -> csr_array:
        """Documents over the chosen words, as the norm has them."""
        Z = csr_array(self.documents.by_column[:, self.point.columns])
        if self.settings.norm == "kept":
            return scaled(Z, quotient(1.0, np.sqrt(Z.power(2).sum(axis=1))))
        return Z
