"""Weights of whole counts, compiled: the same numbers as `weights.weighted`, several times faster.

A count is a small whole number, so its weight comes from a table instead of a logarithm.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from laconic.numerics.text.weights import term_weights, weighted
from laconic.types import Floats, Int32s, Ints

# A larger count is weighted by its formula.
LARGEST = 1 << 16
LENGTHS = {None: 0, "l1": 1, "l2": 2}


def weighted_counts(
    counts: Int32s,
    columns: Ints,
    starts: Ints,
    scheme: str,
    word_idf: Floats | None,
    length: str | None,
) -> Floats:
    """As `weighted`, for whole numbers: by a table if all are from 1 to `LARGEST`."""
    largest = int(counts.max(initial=1))
    if largest > LARGEST or counts.min(initial=1) < 1:
        return weighted(counts.astype(np.float64), columns, starts, scheme, word_idf, length)
    table = term_weights(np.arange(1.0, largest + 1.0), scheme)
    idf = np.empty(0) if word_idf is None else word_idf
    weights = np.empty(counts.size)
    weigh(counts, columns, starts, table, idf, LENGTHS[length], weights)
    return weights


@njit(nogil=True, cache=True)
def weigh(
    counts: Int32s,
    columns: Ints,
    starts: Ints,
    table: Floats,
    idf: Floats,
    length: int,
    weights: Floats,
) -> None:
    for doc in range(starts.size - 1):
        total = 0.0
        for entry in range(starts[doc], starts[doc + 1]):
            weight = table[counts[entry] - 1]
            if idf.size:
                weight *= idf[columns[entry]]
            weights[entry] = weight
            total += weight * weight if length == 2 else abs(weight)
        if length == 0:
            continue
        if length == 2:
            total = np.sqrt(total)
        factor = 1.0 / total if total > 0.0 else 0.0
        for entry in range(starts[doc], starts[doc + 1]):
            weights[entry] *= factor
