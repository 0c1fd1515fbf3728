"""A LARS model and its leave-one-out score, by which "loo" chooses alpha and size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from laconic.classifiers.lars.walk import Walk
from laconic.model import LinearModel
from laconic.numerics.metrics import accuracy, apply_rule, mean_f1
from laconic.numerics.thresholds import best_threshold
from laconic.types import Bools, Columns, Floats, Int64s


@dataclass(frozen=True, eq=False)
class LarsCandidate:
    """A model, the order in which its words entered, and its leave-one-out decision values.

    `left_out` has one column per row of the model, or is None where it was not computed.
    """

    model: LinearModel
    order: list[Int64s]
    entry_l1: list[Floats]
    alpha: float
    y_signed: Floats
    solved: Bools
    residual: Floats
    left_out: Floats | None = None

    def with_leave_one_out(self, walks: list[Walk]) -> Self:
        """With the leave-one-out decision values of its walks."""
        return replace(self, left_out=np.column_stack([walk.left_out() for walk in walks]))

    def over(self, columns: Columns, n_terms: int) -> Self:
        """Over a vocabulary of which its words are these columns, ascending."""
        coef = self.model.coef
        entries = coef.data, columns[coef.indices], coef.indptr
        lifted = csr_array(entries, shape=(coef.shape[0], n_terms))
        order = [np.asarray(columns[words], dtype=np.int64) for words in self.order]
        return replace(self, model=replace(self.model, coef=lifted), order=order)

    def with_threshold(self) -> Self:
        """With the threshold of the best F1 in each row."""
        pairs = zip(self._pessimistic.T, self.y_signed.T, strict=True)
        thresholds = np.array([best_threshold(values, y_signed) for values, y_signed in pairs])
        return replace(self, model=replace(self.model, thresholds=thresholds))

    @property
    def decisions(self) -> Floats:
        """The leave-one-out decision values, after `with_leave_one_out`."""
        assert self.left_out is not None
        return self.left_out

    @property
    def score(self) -> float:
        """Accuracy for the rule "argmax", otherwise the mean F1 of the rows."""
        predictions = apply_rule(self._pessimistic, self.model.rule, self.model.thresholds)
        metric = accuracy if self.model.rule == "argmax" else mean_f1
        return metric(predictions, self.y_signed)

    @property
    def _pessimistic(self) -> Floats:
        """Decision values in which those that are missing count as wrong."""
        return np.where(np.isnan(self.decisions), -np.inf * self.y_signed, self.decisions)
