"""A model of LARS and what its decisions about left-out documents are worth: what `loo` chooses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from laconic.classifiers.lars_walk import Walk
from laconic.model import LinearModel
from laconic.numerics.metrics import accuracy, apply_rule, f1_macro
from laconic.numerics.thresholds import best_threshold
from laconic.reduction import Floats


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model, the way to it, and the decision about each document by a model that lacks it.

    `left_out` has a column a row of the model; it is None where nobody asked.
    """

    model: LinearModel
    order: list[NDArray[np.int64]]
    entry_l1: list[Floats]
    alpha: float
    y_signed: Floats
    solved: NDArray[np.bool_]
    residual: Floats
    left_out: Floats | None = None

    def judged(self, walks: list[Walk]) -> Self:
        """With leave-one-out of the walks that have led here."""
        return replace(self, left_out=np.column_stack([walk.left_out() for walk in walks]))

    def tuned(self) -> Self:
        """With the threshold of the best F-measure, folded into the intercept."""
        safe = self._pessimistic
        pairs = zip(safe.T, self.y_signed.T, strict=True)
        shift = np.array([best_threshold(values, y_signed) for values, y_signed in pairs])
        model = replace(self.model, intercept=self.model.intercept - shift)
        assert self.left_out is not None
        return replace(self, model=model, left_out=self.left_out - shift)

    @property
    def worth(self) -> float:
        """Accuracy where one of several classes is chosen, else the mean F1 of the rows."""
        chosen = apply_rule(self._pessimistic, self.model.rule)
        metric = accuracy if self.model.rule == "argmax" else f1_macro
        return metric(chosen, self.y_signed)

    @property
    def _pessimistic(self) -> Floats:
        """A decision that is not available counts as wrong."""
        assert self.left_out is not None
        return np.where(np.isnan(self.left_out), -np.inf * self.y_signed, self.left_out)
