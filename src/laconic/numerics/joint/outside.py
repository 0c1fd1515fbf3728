"""Joint selection from documents in blocks: on candidates in memory, with a check of other words.

The selection is made from comparisons: at some points, the words with the largest gains are taken.
All else is computed from words that were taken. So if no word outside has a gain that reaches the
smallest one that was taken, at each of these points, the rungs are those of all words. The gain of
a word outside depends on the residuals and curvature of the point, on the lengths of documents over
its words, and on the entries of the word: sums over documents, computed in passes over the blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from laconic.numerics.blocks import Blocks
from laconic.numerics.candidates import CandidateMethod, Checked, on_candidates
from laconic.numerics.joint.forward import Ladder, Rung
from laconic.numerics.joint.optimum import Objective, Optimum
from laconic.numerics.joint.screening import ROUNDING
from laconic.numerics.joint.words import exponent_of
from laconic.numerics.logistic.losses import LogisticLoss
from laconic.types import Columns, Floats, Ints

# Climbing takes twice as much memory for its words as training does, and few candidates are enough.
WORKING = 3
# Gains are compared with this where no word is left.
TINY = 1e-150


@dataclass(frozen=True, eq=False)
class Climbed:
    """A ladder over the candidates, whose entries are divided by 2 to the `exponent`."""

    ladder: Ladder
    exponent: int


def ladder_of_blocks(
    X: Blocks, loss: LogisticLoss, alpha: float, longest: int | None, batch: float
) -> Checked[list[Rung]]:
    """Rungs over all columns. Candidates are the words of the largest gain where none is selected.

    The last rung is followed by all other words, by their gain.
    """
    X = replace(X, memory=max(1, X.memory // WORKING))
    nothing = Objective.of(csr_array((X.shape[0], 0)), loss, alpha)
    (first,) = _gains(X, [Optimum.start(nothing)], 0)
    climbing = partial(_climbed, loss=loss, alpha=alpha, longest=longest, batch=batch)
    checked = on_candidates(X, _descending(first), CandidateMethod(climbing, _used, _excess))
    climbed, columns = checked.result, checked.columns
    *rungs, last = (
        Rung(columns[rung.words], columns[rung.following]) for rung in climbed.ladder.rungs
    )
    (final,) = _gains(X, [_last_point(climbed.ladder)], climbed.exponent)
    others = np.setdiff1d(np.arange(X.shape[1]), last.words)
    last = Rung(last.words, others[_descending(final[others])])
    return Checked([*rungs, last], columns, checked.rounds, checked.n_missed)


def _climbed(
    documents: csr_array, loss: LogisticLoss, alpha: float, longest: int | None, batch: float
) -> Climbed:
    ladder = Ladder.of(documents, loss, alpha, longest, batch)
    return Climbed(ladder, exponent_of(documents.data))


def _used(climbed: Climbed) -> Columns:
    return np.unique(np.concatenate([c.words for c in climbed.ladder.comparisons[:-1]]))


def _excess(climbed: Climbed, outside: Blocks) -> Floats:
    """The largest gain of each word as a share of the smallest that was taken; 0 for smaller ones.

    The last comparison only orders the words that follow the last rung.
    """
    objective, comparisons = climbed.ladder.objective, climbed.ladder.comparisons[:-1]
    points = (Optimum.at(objective, c.order, c.coef) for c in comparisons)
    largest = np.zeros(outside.shape[1])
    for gains, compared in zip(_gains(outside, points, climbed.exponent), comparisons, strict=True):
        reaches = (gains >= compared.smallest * (1.0 - ROUNDING)) & (gains > 0.0)
        share = gains / max(compared.smallest, TINY)
        largest = np.maximum(largest, np.where(reaches, share, 0.0))
    return largest


def _last_point(ladder: Ladder) -> Optimum:
    last = ladder.comparisons[-1]
    return Optimum.at(ladder.objective, last.order, last.coef)


def _descending(gains: Floats) -> Columns:
    return np.argsort(-gains, kind="stable")


def _gains(X: Blocks, points: Iterable[Optimum], exponent: int) -> Iterator[Floats]:
    """The gains of all columns at each point, of so many points in one pass as fit into memory."""
    waiting = iter(points)
    while point := next(waiting, None):
        n_rows = point.objective.n_rows
        limit = max(1, X.memory // (16 * n_rows * (2 * X.shape[1] + X.shape[0])))
        together = [point, *islice(waiting, limit - 1)]
        squared = np.column_stack([p.selected.squared_lengths for p in together])
        residuals = np.stack([p.newton.slopes.residuals for p in together], axis=1)
        curvature = np.stack([p.diagonal for p in together], axis=1)
        slopes, bends = X.total(Derivatives(exponent), squared, residuals, curvature)
        for slope, bend in zip(slopes, bends, strict=True):
            yield (slope**2 / (bend + point.objective.ridge)).sum(axis=1)


@dataclass(frozen=True, eq=False)
class Derivatives:
    """First and second derivatives of the loss by the coefficient of each word, at 0.

    Squared lengths have one column per point; residuals and curvature are of shape (n_docs,
    n_points, n_rows), derivatives of shape (n_points, n_words, n_rows).
    """

    exponent: int

    def __call__(
        self, block: csr_array, squared: Floats, residuals: Floats, curvature: Floats
    ) -> tuple[Floats, Floats]:
        values = np.ldexp(np.asarray(block.data, dtype=np.float64), -self.exponent)
        shape = residuals.shape[1], block.shape[1], residuals.shape[2]
        slopes, bends = np.zeros(shape), np.zeros(shape)
        add_derivatives(
            block.indptr, block.indices, values, squared, residuals, curvature, slopes, bends
        )
        return slopes, bends


@njit(nogil=True, cache=True)
def add_derivatives(
    starts: Ints,
    columns: Ints,
    values: Floats,
    squared: Floats,
    residuals: Floats,
    curvature: Floats,
    slopes: Floats,
    bends: Floats,
) -> None:
    for doc in range(starts.size - 1):
        for entry in range(starts[doc], starts[doc + 1]):
            value, column = values[entry], columns[entry]
            if value == 0.0:
                continue
            for point in range(squared.shape[1]):
                share = value / np.sqrt(squared[doc, point] + value * value)
                for row in range(residuals.shape[2]):
                    slopes[point, column, row] += share * residuals[doc, point, row]
                    bends[point, column, row] += share * share * curvature[doc, point, row]
