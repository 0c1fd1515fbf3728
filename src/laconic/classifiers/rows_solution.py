"""`RowsSolution`: what a classifier learns from `Rows`, and where the next fit may start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from laconic.types import Bools, Floats


@dataclass(frozen=True, eq=False)
class RowsSolution:
    """Coefficients (n_rows, n_columns) and intercepts, and how far they are from the optimum.

    `gap` is an upper bound on (objective − optimum) / objective of each problem, `solved` whether
    the problem is solved to the tolerance. `start` is for the next fit on the same documents and
    labels, with another alpha, other weights, or more or fewer of the ranked columns. `calibration`
    is that of `LinearModel`, if the decisions are log-odds.
    """

    coef: Floats
    intercept: Floats
    solved: Bools
    gap: Floats
    start: Any
    calibration: Floats | None = None
