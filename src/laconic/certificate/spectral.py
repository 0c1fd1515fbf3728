"""What a reduction does to the training span, and the bounds for RLS that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from laconic.certificate.parts import NotComputed
from laconic.certificate.span_parts import Distortion, InSpan, Promised, QueryBounds
from laconic.errors import LaconicError
from laconic.model import LinearModel
from laconic.numerics import bounds as of
from laconic.numerics import span as spans
from laconic.reduction import Floats, Projection, Promise, Reduction, Selection
from laconic.vectors.targets import Targets

NO_REDUCTION = NotComputed("give also the reduction that the small model was trained behind")
# How well both models must satisfy the equations of RLS, relative to the right-hand side.
TRAINED = 1e-7
# Queries at a time: their products with all training documents are dense.
BLOCK = 2_000
# An eigenvalue beyond its promise by less than this is within it.
KEPT_WITHIN = 1e-9
# Directions that rounding may turn by more are no subspace that a promise can be checked on.
TURNED = 1e-6


@dataclass(frozen=True, eq=False)
class Behind:
    """The training span behind a reduction; about no model."""

    span: spans.Span
    reduction: Reduction

    @cached_property
    def reduced(self) -> spans.Reduced:
        return spans.Reduced(self.span, self.reduction.apply)

    @cached_property
    def spectrum(self) -> spans.Spectrum:
        return spans.Spectrum.of(self.reduced)

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
                f"the promise is about {promise.rank:,} directions, but the rank of X is "
                f"{self.span.rank:,} here: it is another X than the method was fitted on, or has "
                "documents so short beside the others that they are lost in rounding"
            )
        turned = self.span.turned(promise.rank)
        if turned > TURNED:
            return NotComputed(
                f"the promise is about the {promise.rank:,} leading directions of X, but the next "
                "singular value is the same up to rounding, so that these directions are not "
                "determined"
            )
        m, M = self.reduced.leading(promise.rank)
        slack = max(KEPT_WITHIN, 2 * turned * self.spectrum.M, self.spectrum.rounding)
        kept = promise.low - slack <= m and promise.high + slack >= M
        whole = promise.rank == self.span.rank
        factor = spans.in_span_factor(promise.low, promise.high) if kept and whole else None
        return Promised(promise.rank, promise.low, promise.high, m, M, kept, factor)


def _squared(reduction: Reduction) -> Reduction:
    """The reduction whose S is the S² of this one; for S = CC', C(C'C)^½ up to a rotation."""
    if isinstance(reduction, Selection):
        return Selection(reduction.terms, reduction.weights**2, reduction.n_terms_in)
    assert isinstance(reduction, Projection)
    C = reduction.components
    values, vectors = np.linalg.eigh(C.T @ C)
    return Projection(C @ (vectors * np.sqrt(np.maximum(values, 0.0))))


@dataclass(frozen=True, eq=False)
class Trained:
    """Two RLS models at one alpha, the small one behind a reduction; checked, not believed."""

    full: LinearModel
    small: LinearModel
    behind: Behind
    signs: Floats
    alpha: float

    @property
    def span(self) -> spans.Span:
        return self.behind.span

    @cached_property
    def change(self) -> Floats:
        return of.dense(self.small.coef) - of.dense(self.full.coef)

    @classmethod
    def read(
        cls,
        models: tuple[LinearModel, LinearModel],
        behind: Behind | NotComputed,
        y: ArrayLike | None,
        alpha: float | None,
    ) -> Trained | NotComputed:
        if isinstance(behind, NotComputed) and behind != NO_REDUCTION:
            return behind
        if y is None or isinstance(behind, NotComputed) or alpha is None:
            reduction = behind if isinstance(behind, Behind) else None
            given = {"y": y, "reduction": reduction, "alpha": alpha}
            missing = ", ".join(name for name, value in given.items() if value is None)
            return NotComputed(f"give also {missing}; this part is for RLS behind a reduction")
        if not (np.isfinite(alpha) and alpha > 0):
            return NotComputed(
                f"alpha={alpha}: must be positive; least-norm models are not checked"
            )
        if any(model.intercept.any() for model in models):
            return NotComputed("the models have intercepts; the theorems are for RLS without")
        trained = cls(*models, behind, _signs(y, behind.span, models[0]), float(alpha))
        return trained._doubt() or trained

    def _doubt(self) -> NotComputed | None:
        for name, residual in (("full", self._residual_full()), ("small", self._residual_small())):
            if residual > TRAINED:
                return NotComputed(
                    f"the {name} model is not RLS with alpha={self.alpha:g} on X, y and this "
                    f"reduction: it misses its equations by {residual:.1e}"
                )
        return None

    def _gradient(self, model: LinearModel) -> tuple[Floats, Floats]:
        X = self.span.X
        misses = self.signs - model.decision(X)
        return np.asarray(X.T @ misses).T, np.asarray(X.T @ self.signs).T

    def _residual_full(self) -> float:
        """X'(y − Xw) = αw."""
        gradient, scale = self._gradient(self.full)
        return _relative(gradient - self.alpha * of.dense(self.full.coef), scale)

    def _residual_small(self) -> float:
        """SX'(y − Xw̃) = αw̃, which has one solution: w̃ = SX'c with c = (y − Xw̃)/α."""
        gradient, scale = (self._square(part) for part in self._gradient(self.small))
        return _relative(gradient - self.alpha * of.dense(self.small.coef), scale)

    def _square(self, rows: Floats) -> Floats:
        """rows S, with S = TT'."""
        reduction = self.behind.reduction
        return of.dense(reduction.lift(reduction.apply(rows)))

    @cached_property
    def _change_inside(self) -> Floats:
        return self.span.coordinates(self.change)

    @cached_property
    def _seen_lengths(self) -> Floats:
        return of.lengths(self.span.on_documents(self.signs).T)

    def in_span(self) -> InSpan:
        spectrum = self.behind.spectrum
        factor = spectrum.in_span_factor
        at_documents = np.asarray(self.span.X @ self.change.T).T
        return InSpan(
            **vars(self.behind.distortion),
            condition=spectrum.condition,
            sigma_min=spectrum.sigma_min,
            sigma_max=spectrum.sigma_max,
            factor=factor,
            bound=factor * self._y_length,
            attained=float(of.lengths(at_documents).max()),
        )

    @property
    def _y_length(self) -> float:
        return float(np.sqrt(self.signs.shape[0]))

    def query_bounds(self, Q: csr_array) -> QueryBounds:
        starts = range(0, Q.shape[0], BLOCK)
        return QueryBounds.stacked([self._of_block(Q[i : i + BLOCK]) for i in starts])

    def _of_block(self, Q: csr_array) -> QueryBounds:
        span, alpha, y_length = self.span, self.alpha, self._y_length
        reduced, spectrum = self.behind.reduced, self.behind.spectrum
        u = span.coordinates(Q)
        lengths, f = of.lengths(Q), np.abs(self.full.decision(Q))
        rest = np.sqrt(np.maximum(lengths**2 - (u**2).sum(axis=1), 0.0))
        a_length = of.lengths(u / span.sigma)
        crossed = of.lengths(reduced.crossed(Q) - u @ reduced.gram)
        # V'y has a length for each class row, y the same one for all
        aligned = np.outer(spans.shrunk(u, span.sigma, alpha), self._seen_lengths)
        noise = 1e-12 * lengths * (1 + spectrum.M)
        epsilon = spans.query_epsilon(crossed, rest, spectrum.epsilon, noise)
        outside = rest * y_length
        return QueryBounds(
            change=np.abs(np.asarray(Q @ self.change.T)),
            in_span_change=np.abs(u @ self._change_inside.T),
            in_span=spectrum.in_span_factor * a_length * y_length,
            off_span=spectrum.off_span_factor(alpha) * crossed * y_length,
            epsilon=epsilon,
            theorem_1=spans.theorem_1(epsilon, spectrum, alpha, aligned, outside),
            theorem_1_printed=spans.theorem_1_printed(
                epsilon, spectrum, a_length, outside, y_length
            ),
            gamma=np.divide(aligned, f, out=np.full_like(f, np.inf), where=f > 0),
            theorem_2=2 * spectrum.epsilon * spectrum.condition * aligned,
        )


def _relative(misses: Floats, scale: Floats) -> float:
    largest = float(of.lengths(scale).max())
    return float(of.lengths(misses).max()) / largest if largest > 0 else float(np.abs(misses).max())


def _signs(y: ArrayLike, span: spans.Span, model: LinearModel) -> Floats:
    targets = Targets.of(y)
    if targets.rule != model.rule or not np.array_equal(targets.classes, model.classes):
        raise LaconicError(
            f"y has the classes {targets.classes.tolist()} ({targets.rule}), the models "
            f"{model.classes.tolist()} ({model.rule}). Give the y that both were trained on."
        )
    if targets.signs.shape[0] != span.X.shape[0]:
        raise LaconicError(f"{targets.signs.shape[0]} labels for {span.X.shape[0]} documents")
    return targets.signs
