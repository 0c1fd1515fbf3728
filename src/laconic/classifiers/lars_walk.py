"""One class's way along a LARS path, and its row of the model wherever the way has led."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from laconic.model import Norm
from laconic.numerics.forward import forward
from laconic.numerics.lars import Bias, Documents, LarsPoint, lars
from laconic.numerics.lars_fast import fast_lars
from laconic.numerics.newton import minimum
from laconic.reduction import Floats

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

    loss: str
    l2: float
    mode: Mode
    bias: Bias
    refit: bool
    norm: Norm


@dataclass(frozen=True, eq=False)
class Row:
    """A class's row of a model; `solved` is False where the optimum was not found."""

    columns: NDArray[np.int64]
    coef: Floats
    intercept: float
    solved: bool = True


class Walk:
    """The path of one class, walked as far as it has been asked for."""

    def __init__(self, documents: Documents, signs: Floats, settings: Settings) -> None:
        self.documents = documents
        self.signs = signs
        self.settings = settings
        self.point = NO_POINT
        self._points = self._path()
        self._row: Row | None = None

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

    def row(self) -> Row:
        """The row of the model at the point that has been reached."""
        if self._row is None:
            one = self.settings
            anew = one.refit or one.norm == "kept" or not self.point.size
            self._row = self._optimum() if anew else self._found()
        return self._row

    def _found(self) -> Row:
        return Row(self.point.columns, self.point.coef, self.point.intercept)

    def _optimum(self) -> Row:
        """Over the chosen words alone, looked for from the path's own model.

        So it does not depend on other sizes, as a start from the next smaller one would make it.
        """
        one, point = self.settings, self.point
        biased = one.bias == "always" or point.intercept != 0.0
        start = np.append(point.coef, point.intercept) if biased else point.coef
        best = minimum(self._seen(biased), self.signs, loss=one.loss, l2=one.l2, start=start)
        intercept = float(best.coef[-1]) if biased else 0.0
        return Row(point.columns, best.coef[: point.size], intercept, best.solved)

    def _seen(self, biased: bool) -> csr_array:
        """Documents over the chosen words, as the norm has them, and 1 for the bias."""
        Z = csr_array(self.documents.by_column[:, self.point.columns])
        if self.settings.norm == "kept":
            lengths = np.sqrt(Z.power(2).sum(axis=1))
            inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
            Z.data = Z.data * np.repeat(inverse, np.diff(Z.indptr))
        ones = np.ones((Z.shape[0], int(biased)))
        return csr_array(hstack([Z, csr_array(ones)], format="csr"))
