"""Thresholds of a model from the decisions of other folds, and what they are worth.

A fold is decided by thresholds that were fitted on the other folds, as the documents of tomorrow
will be by thresholds from all folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from laconic.numerics import decision_counts as dc
from laconic.numerics.quotient import quotient
from laconic.types import Floats, Int32s, Int64s

# 0; one for all labels; one for each label. A problem of two classes has one label.
Thresholding: TypeAlias = Literal["zero", "common", "separate"]
MODES: tuple[Thresholding, ...] = get_args(Thresholding)
# Standard errors by which thresholds must be better than simpler ones.
CLEARLY = 2.0
# The metrics that thresholds can raise.
TUNABLE = frozenset({"f1", "f1_micro", "f1_macro"})


@dataclass(frozen=True, eq=False)
class ThresholdResult:
    """The value of each metric in each fold, and wrong decisions per document."""

    values: dict[str, list[float]]
    mistakes: list[float]


def fitted_edges(counts: Int32s, metric: str, mode: Thresholding) -> Int64s:
    """The place in EDGES of each label's threshold."""
    if mode == "zero":
        return np.full(len(counts), dc.ZERO)
    if mode == "common":
        return dc.common_threshold(counts, micro=metric == "f1_micro")
    return dc.separate_thresholds(counts)


def evaluate(folds: Sequence[Int32s], metric: str, mode: Thresholding) -> ThresholdResult:
    """Every fold decided by the thresholds of the others; `folds` has the counts of each."""
    total = np.sum(folds, axis=0)
    values: dict[str, list[float]] = {name: [] for name in sorted(TUNABLE)}
    mistakes = []
    for counts in folds:
        hits, n_predicted, n_true = dc.confusion_at(
            counts, fitted_edges(total - counts, metric, mode)
        )
        f1 = float(quotient(2.0 * hits, n_predicted + n_true).mean())
        values["f1_macro"].append(f1)
        values["f1"].append(f1)
        sums = 2.0 * hits.sum(keepdims=True), (n_predicted + n_true).sum(keepdims=True)
        values["f1_micro"].append(float(quotient(*sums)[0]))
        n_docs = counts[0].sum()
        mistakes.append(float((n_predicted + n_true - 2 * hits).sum() / max(1, n_docs)))
    return ThresholdResult(values, mistakes)


def modes_for(metric: str, n_labels: int) -> tuple[Thresholding, ...]:
    """The ways of choosing thresholds that are tried, the simplest first.

    Separate thresholds, each with the best F1 of its label, are for the macro-average.
    """
    if metric not in TUNABLE or (n_labels == 1 and metric != "f1"):
        return ("zero",)
    return MODES if metric == "f1_macro" and n_labels > 1 else MODES[:2]


def simplest(values: Sequence[Floats]) -> int:
    """The first, unless a later one is better by more than CLEARLY standard errors of the pairs."""
    chosen = 0
    for place in range(1, len(values)):
        gain = values[place] - values[chosen]
        error = gain.std(ddof=1) / np.sqrt(gain.size) if gain.size > 1 else 0.0
        if gain.mean() > CLEARLY * error:
            chosen = place
    return chosen


def thresholds_of(counts: Int32s, metric: str, mode: Thresholding) -> Floats:
    """The thresholds themselves, from the counts of all folds."""
    return dc.EDGES[fitted_edges(counts, metric, mode)]
