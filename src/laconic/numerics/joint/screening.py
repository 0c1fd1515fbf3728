"""Which words may have the largest gains, without computing those of all words.

Let r be the residuals and d the curvature of a document (one number per row), L its length over
the selected words, and v = x / √(L² + x²) the entry of a word that would be added. The gain of the
word is ‖g / √(h + ridge)‖² with g = Σ v r and h = Σ v² d over its documents. From one point to
another (primed), with u = max(v, v') and q = max(L, L') / min(L, L'),

    ‖v' r' − v r‖ ≤ u (‖r' − r‖ + (1 − 1/q) ‖r‖)
    |v'² d' − v² d| ≤ u² (|d' − d| + (1 − 1/q²) d)

Summed over documents and points, these bound the change of g by G and that of h by H, so that

    √gain' ≤ √(1 + H / ridge) · √gain + G / √ridge.

Only words whose bound reaches the smallest gain that is searched for are computed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Self

import numpy as np
from numba import njit

from laconic.numerics.joint.optimum import Optimum
from laconic.numerics.logistic.products import DocumentArrays
from laconic.numerics.svm.input import Rows
from laconic.types import Columns, Floats

# The gains of at least so many words with the largest bounds are computed first.
FIRST = 64
# Documents that move by less than this share of the largest move are bounded together.
NEGLIGIBLE = 0.005
# Bounds are computed from rounded gains.
ROUNDING = 1e-4


@dataclass(frozen=True, eq=False)
class GainComparison:
    """The words with the largest gains at the point of these coefficients, and their smallest gain.

    The smallest gain is 0 if fewer words were left than asked for.
    """

    order: Columns
    coef: Floats
    words: Columns
    smallest: float


@dataclass(eq=False)
class Screen:
    """The root of each word's gain where it was computed last, and how far it may have moved."""

    documents: DocumentArrays
    point: Optimum
    roots: Floats
    drifts: Floats
    n_computed: int = 0
    comparisons: list[GainComparison] = field(default_factory=list)

    @classmethod
    def at(cls, point: Optimum, documents: Rows) -> Self:
        n_words = point.objective.words.n_words
        roots = np.sqrt(point.gains(np.arange(n_words)))
        return cls(DocumentArrays.of(documents), point, roots, np.zeros((2, n_words)), n_words)

    def best(self, point: Optimum, n: int) -> tuple[Columns, Floats]:
        """The n unselected words with the largest gains, largest first; ties: by column."""
        self.drifts, self.point = self._drifts(point), point
        which, values = self._largest(point, n)
        self.roots[which], self.drifts[:, which] = np.sqrt(values), 0.0
        order = np.lexsort((which, -values))[:n]
        smallest = float(values[order[-1]]) if order.size == n else 0.0
        compared = GainComparison(point.order, point.newton.coef, which[order], smallest)
        self.comparisons.append(compared)
        return which[order], values[order]

    def _largest(self, point: Optimum, n: int) -> tuple[Columns, Floats]:
        """WordColumns, with gains, among which are the n largest."""
        ridge, (slope, bend) = point.objective.ridge, self.drifts
        bounds = np.sqrt(1.0 + bend / ridge) * self.roots + slope / np.sqrt(ridge)
        bounds[point.order] = -1.0
        n_first = min(max(FIRST, 2 * n), bounds.size)
        first = np.argpartition(-bounds, n_first - 1)[:n_first]
        first = np.sort(first[bounds[first] >= 0.0])
        values = point.gains(first)
        smallest = np.sqrt(np.sort(values)[-n]) if values.size >= n else 0.0
        bounds[first] = -1.0
        more = np.flatnonzero(bounds >= smallest * (1.0 - ROUNDING))
        self.n_computed += first.size + more.size
        return np.append(first, more), np.append(values, point.gains(more))

    def _drifts(self, point: Optimum) -> Floats:
        """Bounds on the changes of g and h of each word since they were computed."""
        before, words = self.point, point.objective.words
        lengths = before.selected.squared_lengths, point.selected.squared_lengths
        moved = moves(
            before.residuals, point.residuals, before.curvature, point.curvature, *lengths
        )
        drifts = self.drifts.copy()
        far = moved[0] > NEGLIGIBLE * moved[0].max(initial=0.0)
        spread_moves(self.documents, np.flatnonzero(far), moved, np.minimum(*lengths), drifts)
        n_documents = np.diff(words.starts)
        for drift, move in zip(drifts, moved, strict=True):
            drift += np.sqrt(n_documents * (move[~far] @ move[~far]))
        return drifts


@njit(nogil=True, cache=True)
def moves(
    residuals: Floats,
    new_residuals: Floats,
    curvature: Floats,
    new_curvature: Floats,
    squared: Floats,
    new_squared: Floats,
) -> Floats:
    """Of each document: ‖r' − r‖ + (1 − 1/q) ‖r‖, and the largest |d' − d| + (1 − 1/q²) d."""
    moved = np.zeros((2, squared.size))
    for doc in range(squared.size):
        low, high = min(squared[doc], new_squared[doc]), max(squared[doc], new_squared[doc])
        ratio = low / high if high > 0.0 else 1.0
        change, length, bend, largest = 0.0, 0.0, 0.0, 0.0
        for row in range(residuals.shape[1]):
            step = new_residuals[doc, row] - residuals[doc, row]
            change += step * step
            length += residuals[doc, row] * residuals[doc, row]
            bend = max(bend, abs(new_curvature[doc, row] - curvature[doc, row]))
            largest = max(largest, curvature[doc, row])
        moved[0, doc] = sqrt(change) + (1.0 - sqrt(ratio)) * sqrt(length)
        moved[1, doc] = bend + (1.0 - ratio) * largest
    return moved


@njit(nogil=True, cache=True)
def spread_moves(
    documents: DocumentArrays, which: Columns, moved: Floats, squared: Floats, drifts: Floats
) -> None:
    """drifts += (Σ u · move of r, Σ u² · move of d) over these documents."""
    for doc in which:
        for entry in range(documents.starts[doc], documents.ends[doc]):
            square = documents.values[entry] * documents.values[entry]
            if square > 0.0:
                share = square / (squared[doc] + square)
                drifts[0, documents.columns[entry]] += sqrt(share) * moved[0, doc]
                drifts[1, documents.columns[entry]] += share * moved[1, doc]
