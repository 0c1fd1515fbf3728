"""Values: the parts of a `Certificate` that depend on the span of the training documents."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from laconic.types import Floats


@dataclass(frozen=True)
class Distortion:
    """The effect of the reduction on the span of the training documents, for any model on it.

    m and M are the extreme eigenvalues of M̂ = U'SU, and epsilon = ‖M̂ − I‖; `premise` is that of
    the papers, epsilon ≤ ½. `off_span` is the supremum of ‖U'Sq‖/‖q‖ over q orthogonal to the span.
    """

    rank: int
    m: float
    M: float
    epsilon: float
    premise: bool
    off_span: float

    def sentence(self) -> str:
        """The part as plain sentences."""
        holds = "holds" if self.premise else "does not hold"
        return (
            "About the reduction and the training documents alone, not about decisions: it "
            f"multiplies the squared length of mixtures of them (rank {self.rank:,}) by "
            f"{self.m:.3g} to {self.M:.3g}. The premise of the papers' theorems (ε ≤ ½) {holds}: "
            f"ε = {self.epsilon:.3g}. A document orthogonal to all of them gets a product of up "
            f"to {self.off_span:.3g} with a mixture, both of length 1 (exact worst case; the "
            "theorems assume at most ε)."
        )


@dataclass(frozen=True)
class Promised:
    """The method's promise, checked on an independently computed basis.

    It promises eigenvalues of M̂ from `low` to `high` on the `rank` leading directions of the
    training documents. m and M are the extreme eigenvalues there; `kept` is whether they lie within
    the promise, up to rounding. `factor` follows from a kept promise about all directions: for
    exactly solved RLS with normalize="all" and without intercept, |f̃ − f| ≤ factor·‖a‖‖y‖ for every
    mixture X'a of these directions.
    """

    rank: int
    low: float
    high: float
    m: float
    M: float
    kept: bool
    factor: float | None

    def sentence(self) -> str:
        """The part as plain sentences."""
        kept = "the promise is kept" if self.kept else "the promise is broken"
        return (
            f"The method promised factors of {self.low:.3g} to {self.high:.3g} for the squared "
            f"lengths in the {self.rank:,} leading directions of the training documents; computed "
            f"independently they are {self.m:.3g} to {self.M:.3g}: {kept}.{self._consequence()}"
        )

    def _consequence(self) -> str:
        if self.factor is not None:
            return (
                " From the promise alone: with exactly solved RLS, normalize='all' and no "
                "intercept, a decision value at a mixture X'a of these directions changes by at "
                f"most {self.factor:.3g}·‖a‖‖y‖, for any alpha."
            )
        if self.kept:
            return " It is not about all directions, so no bound on decisions follows."
        return ""


@dataclass(frozen=True)
class InSpan(Distortion):
    """RLS at one alpha: |f̃ − f| ≤ `bound`·‖a‖ for every query X'a; `attained` is the supremum.

    bound = factor·‖y‖ + `residual`. `cut` is the part of the factor due to directions of the
    training documents that count as 0, `residual` is due to the residuals of both models in their
    equations. Both include rounding.
    """

    condition: float
    sigma_min: float
    sigma_max: float
    factor: float
    cut: float
    residual: float
    bound: float
    attained: float

    def sentence(self) -> str:
        """The part as plain sentences."""
        return (
            f"For RLS (condition {self.condition:.3g}) a decision value at a mixture X'a of "
            f"training documents changes by at most {self.bound:.3g}·‖a‖ (factor "
            f"{self.factor:.3g}; {self.residual:.3g} for the residuals of both models); for these "
            f"labels the exact maximum is {self.attained:.3g}·‖a‖."
        )


@dataclass(frozen=True, eq=False)
class QueryBounds:
    """Bounds for each held-out document q = X'a + q⊥ (first axis) and class row (second, if any).

    change ≤ in_span + off_span always; ≤ theorem_1 (repaired) if epsilon < 1, and ≤ the printed
    right-hand side if epsilon ≤ ½. in_span_change is the change at X'a alone: ≤ in_span, and
    ≤ theorem_2 = 2·ε̂·gamma·κ·|f| if ε̂ ≤ ½. Every bound includes the residuals of both models,
    directions that count as 0, and rounding.
    """

    change: Floats
    in_span_change: Floats
    in_span: Floats
    off_span: Floats
    epsilon: Floats
    theorem_1: Floats
    theorem_1_printed: Floats
    gamma: Floats
    theorem_2: Floats

    @classmethod
    def stacked(cls, blocks: list[QueryBounds]) -> QueryBounds:
        names = [item.name for item in fields(cls)]
        return cls(*(np.concatenate([getattr(block, name) for block in blocks]) for name in names))

    def medians(self) -> Queries:
        def median(values: Floats) -> float:
            return float(np.median(values.max(axis=1) if values.ndim == 2 else values))

        return Queries(
            n_documents=self.change.shape[0],
            median_change=median(self.change),
            median_bound=median(self.in_span + self.off_span),
            premise_share=float((self.epsilon <= 0.5).mean()),
            median_theorem_1=median(self.theorem_1),
            median_theorem_1_printed=median(self.theorem_1_printed),
            median_gamma=median(self.gamma),
            median_theorem_2=median(self.theorem_2),
        )


@dataclass(frozen=True)
class Queries:
    """Medians of `QueryBounds` over the held-out documents, each at its largest class row."""

    n_documents: int
    median_change: float
    median_bound: float
    premise_share: float
    median_theorem_1: float
    median_theorem_1_printed: float
    median_gamma: float
    median_theorem_2: float

    def sentence(self) -> str:
        """The part as plain sentences."""
        repaired = self.median_theorem_1
        theorem = f"{repaired:.3g}" if math.isfinite(repaired) else "nothing (ε ≥ 1)"
        return (
            f"For held-out documents the median change is {self.median_change:.3g}; the bound in "
            f"and off the span is {self.median_bound:.3g}, the repaired Theorem 1 gives {theorem}; "
            f"its premise holds for {self.premise_share:.1%} of them."
        )
