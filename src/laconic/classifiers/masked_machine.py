"""One class's SVM on all words, and every smaller one that comes of it (Kołcz & Chowdhury 2007).

With d_j the support vectors, α_j and y_j theirs, and m the mask that keeps the best words by |w|:

    mask      f(x) = Σ_i m_i w_i x_i + b
    sv_set    f(x) = Σ_i m_i x̄_i Σ_j α_j y_j d_ij / ‖m∘d_j‖ + b,    x̄ = x / ‖m∘x‖
    repaired  a few passes of dual coordinate descent that start from the α of sv_set
    exact     as many passes as it takes

The paper's formula of sv_set lacks y_j. The bias is never masked, ranked or divided by a length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Self, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from laconic.classifiers.svm import Loss
from laconic.model import Normalize
from laconic.numerics.agreement import containment, cosine, overlap, pearson, recall
from laconic.numerics.dual import Dual, Rows, descend, support
from laconic.numerics.quotient import quotient
from laconic.numerics.ranked import Ranked, masked_coefficients, prefix_decisions
from laconic.reduction import Columns, Floats, Matrix, columns_for

Variant: TypeAlias = Literal["mask", "sv_set", "repaired", "exact"]


@dataclass(frozen=True)
class Settings:
    """How smaller machines are made. `epochs` is for "repaired"."""

    variant: Variant
    loss: Loss
    intercept: bool
    normalize: Normalize
    epochs: int
    tolerance: float


@dataclass(frozen=True)
class Agreement:
    """How near a machine trained anew is to the one on all words, of which it keeps `size` words.

    `cosine` and `pearson` compare the weights of the kept words. Of the support vectors A before
    and B after, `overlap` is |A∩B| / |A∪B|, `containment` |A∩B| / |B|, `recall` |A∩B| / |A|.
    """

    size: int
    cosine: float
    pearson: float
    overlap: float
    containment: float
    recall: float


class Cut(NamedTuple):
    """A smaller machine: weights of the best words, best first.

    They are no view on those of all words: many sizes may wait for the other classes. `solved` and
    `gap` are those of the training that gave the weights.
    """

    coef: Floats
    intercept: float
    solved: bool
    gap: float
    agreement: Agreement | None = None


@dataclass(frozen=True, eq=False)
class Machine:
    """The SVM of one class, on all words.

    `order` are the words that occur in its support vectors, largest |w| first, of equals the first
    column; `coef` their weights; `alphas`, `signs` and `costs` are of the training documents. `gap`
    is the duality gap as a share of the objective.
    """

    order: Columns
    coef: Floats
    intercept: float
    alphas: Floats
    y_signed: Floats
    costs: Floats
    solved: bool
    gap: float

    @classmethod
    def of(cls, X: csr_array, found: Dual, y_signed: Floats, costs: Floats) -> Self:
        """The optimum of training documents X, with its words ranked."""
        vectors = X[support(found.alphas, costs)]
        words = np.flatnonzero(np.bincount(vectors.indices[vectors.data != 0]))
        order = words[np.argsort(-np.abs(found.coef[words]), kind="stable")]
        given = found.alphas, y_signed, costs, found.solved, found.gap
        return cls(order, found.coef[order], found.intercept, *given)

    @property
    def available(self) -> int:
        return int(self.order.size)

    def size(self, asked: int | float | None) -> int:
        """The words that an asked size means: a class that has fewer keeps all it has."""
        return min(columns_for(asked, self.available), self.available)

    def cuts(self, X: csr_array, sizes: Sequence[int], settings: Settings) -> Iterator[Cut]:
        """The machine of each size, from the training documents X."""
        if settings.variant == "mask" or not self.available:
            yield from (self._cut(self.coef[:size]) for size in sizes)
        elif settings.variant == "sv_set":
            yield from self._renormalised(X, sizes, settings)
        else:
            documents = Ranked.of(X, self.order)
            yield from (self._trained(documents, size, settings) for size in sizes)

    def decisions(self, X: Matrix, sizes: Sequence[int], *, kept: bool) -> Floats:
        """Decisions of the masked machines of these sizes about X, (n_sizes, n_docs), in a pass."""
        ascending, places = np.unique(sizes, return_inverse=True)
        values = prefix_decisions(
            Ranked.of(X, self.order), self.coef, ascending, normalize_selected=kept
        )
        return values[places] + self.intercept

    def _renormalised(
        self, X: csr_array, sizes: Sequence[int], settings: Settings
    ) -> Iterator[Cut]:
        weighing = np.flatnonzero(self.alphas)
        vectors = Ranked.of(X[weighing], self.order)
        signed = (self.alphas * self.y_signed)[weighing]
        for size in sizes:
            ends = vectors.ends(size)
            lengths = _divisors(vectors, ends, settings.normalize)
            yield self._cut(masked_coefficients(vectors, ends, lengths, signed)[:size].copy())

    def _cut(self, coef: Floats) -> Cut:
        """Weights that come of this machine without training."""
        return Cut(coef, self.intercept, self.solved, self.gap)

    def _trained(self, documents: Ranked, size: int, settings: Settings) -> Cut:
        ends = documents.ends(size)
        lengths = _divisors(documents, ends, settings.normalize)
        scales = quotient(1.0, lengths)
        rows = Rows(
            documents.starts[:-1], ends, documents.ranks, documents.values, scales, self.available
        )
        repaired = settings.variant == "repaired"
        found = descend(
            rows,
            self.y_signed,
            self.costs,
            loss=settings.loss,
            intercept=settings.intercept,
            start=self.alphas if repaired else self._start(lengths),
            start_intercept=self.intercept,
            tolerance=settings.tolerance,
            **({"epochs": settings.epochs} if repaired else {}),
        )
        coef = found.coef[:size].copy()
        agreement = self._agreement(coef, found.alphas)
        return Cut(coef, found.intercept, found.solved, found.gap, agreement)

    def _start(self, lengths: Floats) -> Floats:
        """Half-way between keeping α and keeping α / length, that is w: the quickest start.

        Also the last of several sizes starts from the machine on all words, and not from that of
        the size before: what comes of a size does not depend on which others are asked for.
        """
        return np.asarray(self.alphas * np.sqrt(lengths))

    def _agreement(self, coef: Floats, alphas: Floats) -> Agreement:
        masked = self.coef[: coef.size]
        before, after = support(self.alphas, self.costs), support(alphas, self.costs)
        return Agreement(
            coef.size,
            cosine(masked, coef),
            pearson(masked, coef),
            overlap(before, after),
            containment(before, after),
            recall(before, after),
        )


@dataclass(frozen=True, eq=False)
class OnePass:
    """Decisions of masked machines, one a row, at several sizes, all made when one is asked for.

    `sizes` are those of each row.
    """

    machines: Sequence[Machine]
    sizes: Sequence[Sequence[int]]
    queries: Matrix
    kept: bool

    def decision(self, place: int) -> Floats:
        """Of the size at this place, about all queries: (n_docs, n_rows)."""
        return self._all[place]

    @cached_property
    def _all(self) -> list[Floats]:
        by_row = [
            machine.decisions(self.queries, own, kept=self.kept)
            for machine, own in zip(self.machines, self.sizes, strict=True)
        ]
        return [np.column_stack(values) for values in zip(*by_row, strict=True)]


def _divisors(ranked: Ranked, ends: np.ndarray, normalize: Normalize) -> Floats:
    return ranked.lengths(ends) if normalize == "selected" else np.ones(ends.size)
