"""The threshold of a decision that gives the best F-measure on documents that were left out."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


def best_threshold(values: Floats, y_signed: Floats) -> float:
    """Where "yes iff the value is above" has the largest F1; of equals that nearest to 0.

    It lies half-way between two values, or one gap beyond the last of them. Without a true document
    every threshold is as good: 0. An infinite value is an answer that no threshold changes.
    """
    truth = y_signed > 0.0
    finite = np.unique(values[np.isfinite(values)])
    if not truth.any() or not finite.size:
        return 0.0
    gaps = np.diff(finite) if finite.size > 1 else np.ones(1)
    below, above = finite[0] - gaps[0], finite[-1] + gaps[-1]
    places = np.concatenate([[below], (finite[:-1] + finite[1:]) / 2.0, [above]])
    f1 = _f1_above(places, values, truth)
    best = places[f1 >= f1.max() * (1.0 - 1e-12)]
    return float(best[np.abs(best).argmin()])


def _f1_above(places: Floats, values: Floats, truth: NDArray[np.bool_]) -> Floats:
    """F1 of each threshold, from one sorted pass."""
    ascending, of_true = np.sort(values), np.sort(values[truth])
    yes = values.size - np.searchsorted(ascending, places, side="right")
    hits = of_true.size - np.searchsorted(of_true, places, side="right")
    return np.asarray(2.0 * hits / (yes + of_true.size))
