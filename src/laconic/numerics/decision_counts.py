"""What thresholds and temperatures are fitted on: a few numbers instead of all decision values.

Thresholds need, for each column, how many positive and negative documents have a decision value in
each of N_BINS bins: (n_columns, N_BINS, 2), negative documents first. A threshold is one of
`EDGES`; the bins are finest near 0, where thresholds are. A temperature needs the log loss at each
of `TEMPERATURES`, summed over documents.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from laconic.numerics.quotient import quotient
from laconic.types import Floats, Int32s, Int64s, Rule

N_BINS = 256
# Ascending; exactly 0 is among them. Steps are 0.0125 at 0, 0.05 at 1 and 0.2 at 4.
EDGES: Floats = 0.25 * np.sinh(0.05 * np.arange(-127, 128))
CENTRES: Floats = np.concatenate([EDGES[:1], (EDGES[1:] + EDGES[:-1]) / 2, EDGES[-1:]])
# The place of the threshold 0, which a model has if nothing is tuned.
ZERO = 127
# Positive documents of all columns that count for the threshold of each.
PRIOR = 20.0
TEMPERATURES: Floats = 2.0 ** np.arange(-6.0, 4.0)


def count_decisions(decision: Floats, y_signed: Floats) -> Int32s:
    """Documents by column, bin of the decision value, and label; without a label they are left out.

    f > EDGES[k] is true exactly for the bins above k.
    """
    n_columns = decision.shape[1]
    bins = np.searchsorted(EDGES, decision)
    cells = (np.arange(n_columns) * N_BINS + bins) * 2 + (y_signed > 0)
    counts = np.bincount(cells[~np.isnan(y_signed)], minlength=n_columns * N_BINS * 2)
    return counts.reshape(n_columns, N_BINS, 2).astype(np.int32)


def positives_above(counts: Int32s) -> tuple[Int64s, Int64s]:
    """For each column and edge: true positives, and all documents above it."""
    above = counts[:, ::-1].cumsum(axis=1, dtype=np.int64)[:, ::-1][:, 1:]
    return above[:, :, 1], above.sum(axis=2)


def log_losses(decision: Floats, y_signed: Floats) -> Floats:
    """The log loss at each temperature, of documents with one class each, summed.

    A document whose class has no column is left out: no temperature is right for it.
    """
    known = np.asarray((y_signed > 0).any(axis=1))
    return code_losses(decision[known], (y_signed[known] > 0).argmax(axis=1))


def code_losses(decision: Floats, codes: Int64s) -> Floats:
    """The same from the number of each document's class."""
    return _log_losses(np.ascontiguousarray(decision), codes, TEMPERATURES)


@njit(nogil=True, cache=True)
def _log_losses(decision: Floats, codes: Int64s, temperatures: Floats) -> Floats:
    losses = np.zeros(temperatures.size)
    for doc in range(codes.size):
        row = decision[doc]
        largest = row.max()
        for place, temperature in enumerate(temperatures):
            total = 0.0
            for value in row:
                total += np.exp((value - largest) / temperature)
            losses[place] += np.log(total) - (row[codes[doc]] - largest) / temperature
    return losses


def best_temperature(losses: Floats) -> float:
    """The temperature of the least loss: a parabola through the best one and its neighbours."""
    best = int(losses.argmin())
    if best in (0, losses.size - 1):
        return float(TEMPERATURES[best])
    before, least, after = losses[best - 1 : best + 2]
    curvature = before - 2 * least + after
    shift = 0.5 * (before - after) / curvature if curvature > 0 else 0.0
    return float(TEMPERATURES[best] * 2.0**shift)


def tuning_of(decision: Floats, y_signed: Floats, rule: Rule) -> NDArray[Any]:
    """What a study stores of decision values: log losses for one class each, else counts."""
    if rule == "argmax":
        return log_losses(decision, y_signed)
    return count_decisions(decision, y_signed)


def scale_of(tuning: NDArray[Any]) -> float:
    """The temperature of the decision values: of all labels together, if there are several."""
    if tuning.ndim == 1:
        return best_temperature(tuning)
    negative, positive = tuning.sum(axis=0).T
    values = CENTRES / TEMPERATURES[:, None]
    losses = np.logaddexp(0.0, -values) @ positive + np.logaddexp(0.0, values) @ negative
    return best_temperature(losses)


def f1_above(counts: Int32s) -> Floats:
    """F1 of each column at each edge."""
    hits, n_above = positives_above(counts)
    return quotient(2.0 * hits, n_above + counts[:, :, 1].sum(axis=1)[:, None])


def common_threshold(counts: Int32s, *, micro: bool) -> Int64s:
    """The edge, the same for all columns, with the largest micro- or macro-F1; ties: nearest 0."""
    if micro:
        values = f1_above(counts.sum(axis=0, keepdims=True))[0]
    else:
        values = f1_above(counts).mean(axis=0)
    return np.full(len(counts), _nearest_best(values[None])[0])


def separate_thresholds(counts: Int32s) -> Int64s:
    """The edge of each column with its largest F1.

    Every column also counts `PRIOR` documents of all columns together, so a rare label has nearly
    the common threshold: its own documents are too few to choose one.
    """
    pooled = counts.sum(axis=0, keepdims=True)
    share = PRIOR / max(1, int(pooled[:, :, 1].sum()))
    hits, n_above = positives_above(counts)
    pooled_hits, pooled_above = positives_above(pooled)
    n_true = counts[:, :, 1].sum(axis=1)[:, None]
    values = 2.0 * (hits + share * pooled_hits) / (n_above + n_true + share * pooled_above + PRIOR)
    return _nearest_best(values)


def _nearest_best(values: Floats) -> Int64s:
    """The place of the largest value of each row; of tied ones that nearest to the edge 0."""
    best = values >= values.max(axis=1, keepdims=True) * (1.0 - 1e-12)
    distance = np.abs(np.arange(values.shape[1]) - ZERO)
    return np.asarray(np.where(best, distance, values.shape[1]).argmin(axis=1))


def confusion_at(counts: Int32s, edges: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """True positives, predicted positives and positives of each column at its edge."""
    hits, n_above = positives_above(counts)
    columns = np.arange(len(counts))
    return hits[columns, edges], n_above[columns, edges], counts[:, :, 1].sum(axis=1)
