"""The decision threshold with the best F1 on held-out documents."""

from __future__ import annotations

import numpy as np

from laconic.types import Bools, Floats

ROUNDING = 1e-9


def best_threshold(values: Floats, y_signed: Floats) -> float:
    """The threshold with the largest F1 of value > threshold; of tied ones that nearest to 0.

    It is halfway between two values, or one gap beyond the first or last. Without a positive
    document it is 0, since no threshold is better. Infinite values are decided for any threshold.
    """
    truth = y_signed > 0.0
    finite = np.unique(values[np.isfinite(values)])
    if not truth.any() or not finite.size:
        return 0.0
    gaps = np.diff(finite)
    # equal documents have values that differ by rounding: no threshold is between them
    wide = gaps > ROUNDING * np.abs(finite).max()
    ends = gaps[wide] if wide.any() else np.ones(1)
    below, above = finite[0] - ends[0], finite[-1] + ends[-1]
    candidates = np.concatenate([[below], ((finite[:-1] + finite[1:]) / 2.0)[wide], [above]])
    f1 = _f1_above(candidates, values, truth)
    best = candidates[f1 >= f1.max() * (1.0 - 1e-12)]
    return float(best[np.abs(best).argmin()])


def _f1_above(thresholds: Floats, values: Floats, truth: Bools) -> Floats:
    """F1 of each threshold, from one sorted pass."""
    ascending, positives = np.sort(values), np.sort(values[truth])
    n_predicted = values.size - np.searchsorted(ascending, thresholds, side="right")
    hits = positives.size - np.searchsorted(positives, thresholds, side="right")
    return np.asarray(2.0 * hits / (n_predicted + positives.size))
