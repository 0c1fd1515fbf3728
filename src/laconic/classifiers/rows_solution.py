"""`RowsSolution`: what a classifier learns from `Rows`, and where the next fit may start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from laconic.model import LinearModel, Normalize
from laconic.text.labels import LabelEncoding
from laconic.types import Bools, Floats, Matrix


@dataclass(frozen=True, eq=False)
class RowsSolution:
    """Coefficients (n_rows, n_columns) and intercepts, and how far they are from the optimum.

    `gap` is an upper bound on (objective − optimum) / objective of each problem, `solved` whether
    the problem is solved to the tolerance. `start` is for the next fit on the same documents and
    labels, with another alpha, other weights, or more or fewer of the ranked columns. `calibration`
    is that of `LinearModel`, if the decisions are log-odds; `duals` are those of an SVM.
    """

    coef: Floats
    intercept: Floats
    solved: Bools
    gap: Floats
    start: Any
    calibration: Floats | None = None
    duals: Any = None

    def model(
        self, encoding: LabelEncoding, coef: Matrix | None = None, normalize: Normalize = "all"
    ) -> LinearModel:
        """The model; `coef` are the coefficients over the vocabulary, if columns were selected."""
        return LinearModel(
            self.coef if coef is None else coef,
            self.intercept,
            encoding.classes,
            self.coef.shape[1],
            normalize=normalize,
            rule=encoding.rule,
            calibration=self.calibration,
        )
