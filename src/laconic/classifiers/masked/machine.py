"""The SVM of one class on all words, and the smaller ones derived from it (Kołcz & Chowdhury 2007).

With d_j the support vectors, α_j and y_j their dual variables and labels (±1), and m the mask that
selects the words with the largest |w|:

    mask      f(x) = Σ_i m_i w_i x_i + b
    sv_set    f(x) = Σ_i m_i x̄_i Σ_j α_j y_j d_ij / ‖m∘d_j‖ + b,    x̄ = x / ‖m∘x‖
    repaired  a few passes of dual coordinate descent, starting from the α of sv_set
    exact     passes until convergence

The paper's formula of sv_set lacks y_j. The bias is never masked, ranked or divided by a length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Self, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from laconic.classifiers.svm import SVMLoss
from laconic.model import Normalize
from laconic.numerics.quotient import quotient
from laconic.numerics.svm.agreement import containment, cosine, overlap, pearson, recall
from laconic.numerics.svm.class_problems import ClassProblems
from laconic.numerics.svm.dual import Dual, Rows, descend, support
from laconic.numerics.svm.ranked import Ranked, masked_coefficients, prefix_decisions
from laconic.numerics.svm.start import SupportDuals
from laconic.reduction import columns_for
from laconic.types import Columns, Floats, Matrix

Variant: TypeAlias = Literal["mask", "sv_set", "repaired", "exact"]


@dataclass(frozen=True)
class MaskSettings:
    """Settings of the smaller SVMs. `epochs` is for "repaired"."""

    variant: Variant
    loss: SVMLoss
    intercept: bool
    normalize: Normalize
    epochs: int
    tolerance: float


@dataclass(frozen=True)
class Agreement:
    """How similar an SVM retrained on `size` words is to the one on all words.

    `cosine` and `pearson` compare the weights of the selected words. With the support vectors A
    before and B after, `overlap` is |A∩B| / |A∪B|, `containment` |A∩B| / |B|, `recall` |A∩B| / |A|.
    """

    size: int
    cosine: float
    pearson: float
    overlap: float
    containment: float
    recall: float


class SmallerMachine(NamedTuple):
    """An SVM on fewer words: the weights of the selected words, best first.

    `coef` is not a view of a larger array: many sizes stay in memory until all classes are done.
    `solved` and `gap` are those of the training that the weights come from.
    """

    coef: Floats
    intercept: float
    solved: bool
    gap: float
    agreement: Agreement | None = None


@dataclass(frozen=True, eq=False)
class Machine:
    """The SVM of one class, on all words.

    `order` has the words that occur in its support vectors, largest |w| first, ties by column;
    `coef` has their weights. `alphas` (dual variables), `y_signed` and `costs` have one entry per
    training document; they are made when read, from `duals` and the problem of this `row`. `gap` is
    the duality gap as a share of the objective.
    """

    order: Columns
    coef: Floats
    intercept: float
    duals: SupportDuals
    problems: ClassProblems
    row: int
    solved: bool
    gap: float

    @classmethod
    def of(cls, X: csr_array, dual: Dual, problems: ClassProblems, row: int) -> Self:
        """The solution for training documents X, with its words ranked."""
        _, costs = problems.column(row)
        vectors = X[support(dual.alphas, costs)]
        words = np.flatnonzero(np.bincount(vectors.indices[vectors.data != 0]))
        order = words[np.argsort(-np.abs(dual.coef[words]), kind="stable")]
        return cls(
            order,
            dual.coef[order],
            dual.intercept,
            SupportDuals.of(dual.alphas),
            problems,
            row,
            dual.solved,
            dual.gap,
        )

    @property
    def alphas(self) -> Floats:
        return self.duals.dense(self.problems.n_docs)

    @property
    def y_signed(self) -> Floats:
        return self.problems.column(self.row)[0]

    @property
    def costs(self) -> Floats:
        return self.problems.column(self.row)[1]

    @property
    def available(self) -> int:
        return int(self.order.size)

    def size(self, requested: int | float | None) -> int:
        """The number of words for a requested size: at most those available."""
        return min(columns_for(requested, self.available), self.available)

    def smaller(
        self, X: csr_array, sizes: Sequence[int], settings: MaskSettings
    ) -> Iterator[SmallerMachine]:
        """The SVM of each size, from the training documents X."""
        if settings.variant == "mask" or not self.available:
            yield from (self._untrained(self.coef[:size]) for size in sizes)
        elif settings.variant == "sv_set":
            yield from self._renormalized(X, sizes, settings)
        else:
            documents = Ranked.of(X, self.order)
            yield from (self._retrained(documents, size, settings) for size in sizes)

    def decisions(self, X: Matrix, sizes: Sequence[int], normalize: Normalize) -> Floats:
        """Decisions on X of the masked SVMs of these sizes, (n_sizes, n_docs), in one pass."""
        ascending, positions = np.unique(sizes, return_inverse=True)
        documents, selected = Ranked.of(X, self.order), normalize == "selected"
        values = prefix_decisions(documents, self.coef, ascending, normalize_selected=selected)
        return values[positions] + self.intercept

    def _renormalized(
        self, X: csr_array, sizes: Sequence[int], settings: MaskSettings
    ) -> Iterator[SmallerMachine]:
        vectors = Ranked.of(X[self.duals.docs], self.order)
        dual_coef = self.duals.values * self.y_signed[self.duals.docs]
        for size in sizes:
            ends = vectors.ends(size)
            lengths = _divisors(vectors, ends, settings.normalize)
            coef = masked_coefficients(vectors, ends, lengths, dual_coef)[:size]
            yield self._untrained(coef.copy())

    def _untrained(self, coef: Floats) -> SmallerMachine:
        """Weights derived from this SVM without training."""
        return SmallerMachine(coef, self.intercept, self.solved, self.gap)

    def _retrained(self, documents: Ranked, size: int, settings: MaskSettings) -> SmallerMachine:
        ends = documents.ends(size)
        lengths = _divisors(documents, ends, settings.normalize)
        scales = quotient(1.0, lengths)
        rows = Rows(
            documents.starts[:-1], ends, documents.ranks, documents.values, scales, self.available
        )
        repaired = settings.variant == "repaired"
        y_signed, costs = self.problems.column(self.row)
        dual = descend(
            rows,
            y_signed,
            costs,
            loss=settings.loss,
            intercept=settings.intercept,
            start=self.alphas if repaired else self._start(lengths),
            start_intercept=self.intercept,
            tolerance=settings.tolerance,
            **({"epochs": settings.epochs} if repaired else {}),
        )
        coef = dual.coef[:size].copy()
        agreement = self._agreement(coef, dual.alphas)
        return SmallerMachine(coef, dual.intercept, dual.solved, dual.gap, agreement)

    def _start(self, lengths: Floats) -> Floats:
        """Half-way between keeping α and keeping α / length, that is w: the fastest start.

        Every size starts from the SVM on all words, not from the previous size, so the model of a
        size does not depend on which other sizes are requested.
        """
        return np.asarray(self.alphas * np.sqrt(lengths))

    def _agreement(self, coef: Floats, alphas: Floats) -> Agreement:
        masked = self.coef[: coef.size]
        costs = self.costs
        before, after = support(self.alphas, costs), support(alphas, costs)
        return Agreement(
            coef.size,
            cosine(masked, coef),
            pearson(masked, coef),
            overlap(before, after),
            containment(before, after),
            recall(before, after),
        )


@dataclass(frozen=True, eq=False)
class MaskedDecisions:
    """Decisions of masked SVMs at several sizes, all computed when the first is needed.

    `sizes` has one sequence per row of the model.
    """

    machines: Sequence[Machine]
    sizes: Sequence[Sequence[int]]
    queries: Matrix
    normalize: Normalize

    def at(self, position: int) -> Floats:
        """Decisions of the size at this position on all queries: (n_docs, n_rows)."""
        return self._all[position]

    @cached_property
    def _all(self) -> list[Floats]:
        by_row = [
            machine.decisions(self.queries, sizes, self.normalize)
            for machine, sizes in zip(self.machines, self.sizes, strict=True)
        ]
        return [np.column_stack(values) for values in zip(*by_row, strict=True)]


def _divisors(ranked: Ranked, ends: np.ndarray, normalize: Normalize) -> Floats:
    return ranked.lengths(ends) if normalize == "selected" else np.ones(ends.size)
