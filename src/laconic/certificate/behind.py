"""The effect of a reduction on the span of the training documents, for any model trained on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from laconic.certificate.parts import NotComputed
from laconic.certificate.span_parts import Distortion, Promised
from laconic.numerics.bounds import span as spans
from laconic.numerics.bounds import suprema as of
from laconic.numerics.bounds.allowances import Rounding
from laconic.numerics.quotient import quotient
from laconic.reduction import Projection, Promise, Reduction, Selection
from laconic.types import Floats

# Eigenvalues may exceed a promise by this much because of rounding.
PROMISE_SLACK = 1e-9
# A promise is not checked if rounding may rotate its subspace by more than this.
MAX_ROTATION = 1e-6


@dataclass(frozen=True, eq=False)
class ReducedSpan:
    """The span of the training documents and a reduction of it; independent of any model."""

    span: spans.Span
    reduction: Reduction

    @cached_property
    def reduced(self) -> spans.Reduced:
        return spans.Reduced(self.span, self.reduction.apply)

    @cached_property
    def stretch(self) -> float:
        """‖T‖, rounded up."""
        if isinstance(self.reduction, Selection):
            return of.largest(np.abs(self.reduction.weights))
        return (1.0 + 1e-9) * float(np.sqrt(of.largest(_squared_values(self.reduction)[0])))

    @cached_property
    def mixing(self) -> float:
        """The Frobenius norm of a projection T, whose sums are rounded; 0 for a selection."""
        components = getattr(self.reduction, "components", np.zeros(0))
        return float(np.linalg.norm(components))

    @cached_property
    def rounding(self) -> Rounding:
        """Rounding of products with X after the reduction."""
        return Rounding.of(self.span.X, self.reduction.n_terms_in if self.mixing else 0)

    def square(self, rows: Floats) -> Floats:
        """rows S, with S = TT'."""
        return of.dense(self.reduction.lift(self.reduction.apply(rows)))

    def lowered(self, rows: Floats) -> Floats:
        """ω such that ωT' approximates the rows; the nearest in exact arithmetic."""
        reduction = self.reduction
        if isinstance(reduction, Selection):
            return quotient(rows[:, reduction.terms], np.abs(reduction.weights)) * np.sign(
                reduction.weights
            )
        values, vectors = _squared_values(reduction)
        inverse = quotient(1.0, np.where(values > 1e-12 * of.largest(values), values, 0.0))
        return np.asarray((reduction.apply(rows) @ vectors * inverse) @ vectors.T)

    @property
    def square_norm(self) -> float:
        """‖S‖, or its substitute in the rounding of products with a projection."""
        more = self.rounding.unit / self.span.products.unit
        return max(self.stretch, self.mixing) * self.stretch * more

    @cached_property
    def spectrum(self) -> spans.Spectrum:
        return spans.Spectrum.of(self.reduced, self.square_norm)

    @cached_property
    def distortion(self) -> Distortion:
        spectrum = self.spectrum
        squared = spans.Reduced(self.span, _squared(self.reduction).apply)
        return Distortion(
            rank=self.span.rank,
            m=spectrum.m,
            M=spectrum.M,
            epsilon=spectrum.epsilon,
            premise=spectrum.epsilon <= 0.5,
            off_span=spans.off_span_ratio(self.reduced, squared),
        )

    def promised(self, promise: Promise) -> Promised | NotComputed:
        if promise.rank > self.span.rank:
            return NotComputed(
                f"the promise is about {promise.rank:,} directions, but X has rank "
                f"{self.span.rank:,}: it is not the X that the method was fitted on, or it has "
                "documents so short compared with the others that they are lost in rounding"
            )
        rotation = self.span.turned(promise.rank)
        if rotation > MAX_ROTATION:
            return NotComputed(
                f"the promise is about the {promise.rank:,} leading directions of X, but the next "
                "singular value is the same up to rounding, so these directions are not determined"
            )
        m, M = self.reduced.leading(promise.rank)
        slack = max(PROMISE_SLACK, 2 * rotation * self.spectrum.M, self.spectrum.rounding)
        low, high = max(promise.low - slack, 0.0), promise.high + slack
        kept = low <= m and high >= M
        whole = promise.rank == self.span.rank
        factor = spans.in_span_factor(low, high) if kept and whole else None
        return Promised(promise.rank, promise.low, promise.high, m, M, kept, factor)


def _squared_values(reduction: Reduction) -> tuple[Floats, Floats]:
    """Eigenvalues and eigenvectors of C'C for a projection S = CC'."""
    assert isinstance(reduction, Projection)
    values, vectors = np.linalg.eigh(reduction.components.T @ reduction.components)
    return np.maximum(values, 0.0), vectors


def _squared(reduction: Reduction) -> Reduction:
    """The reduction with S² in place of S; for S = CC' it is C(C'C)^½ up to a rotation."""
    if isinstance(reduction, Selection):
        return Selection(reduction.terms, reduction.weights**2, reduction.n_terms_in)
    assert isinstance(reduction, Projection)
    values, vectors = _squared_values(reduction)
    return Projection(reduction.components @ (vectors * np.sqrt(values)))
