"""The part about RLS behind a reduction: eigenvalues of M̂, and the bounds that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from laconic.certificate.parts import InSpan, NotComputed, QueryBounds
from laconic.errors import LaconicError
from laconic.model import LinearModel
from laconic.numerics import bounds as of
from laconic.reduction import Floats, Reduction
from laconic.vectors.targets import Targets

# How well both models must satisfy the equations of RLS, relative to the right-hand side.
TRAINED = 1e-7
# Queries at a time: their products with all training documents are dense.
BLOCK = 2_000


@dataclass(frozen=True, eq=False)
class Trained:
    """Two RLS models at one alpha, the small one behind a reduction; checked, not believed."""

    full: LinearModel
    small: LinearModel
    span: of.Span
    signs: Floats
    reduction: Reduction
    alpha: float

    @cached_property
    def change(self) -> Floats:
        return of.dense(self.small.coef) - of.dense(self.full.coef)

    @classmethod
    def read(
        cls,
        models: tuple[LinearModel, LinearModel],
        span: of.Span,
        y: ArrayLike | None,
        reduction: Reduction | None,
        alpha: float | None,
    ) -> Trained | NotComputed:
        if y is None or reduction is None or alpha is None:
            given = {"y": y, "reduction": reduction, "alpha": alpha}
            missing = ", ".join(name for name, value in given.items() if value is None)
            return NotComputed(f"give also {missing}; this part is for RLS behind a reduction")
        if not (np.isfinite(alpha) and alpha > 0):
            return NotComputed(
                f"alpha={alpha}: must be positive; least-norm models are not checked"
            )
        if reduction.n_terms_in != models[0].n_terms_in:
            raise LaconicError(
                f"the reduction was made for a vocabulary of {reduction.n_terms_in}, but the "
                f"models for {models[0].n_terms_in}. Give the one that the small model was "
                "trained behind."
            )
        if any(model.intercept.any() for model in models):
            return NotComputed("the models have intercepts; the theorems are for RLS without")
        trained = cls(*models, span, _signs(y, span, models[0]), reduction, float(alpha))
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
        return of.dense(self.reduction.lift(self.reduction.apply(rows)))

    @cached_property
    def _reduced(self) -> of.Reduced:
        return of.Reduced(self.span, self.reduction.apply)

    @cached_property
    def _spectrum(self) -> of.Spectrum:
        return of.Spectrum.of(self._reduced)

    @cached_property
    def _change_inside(self) -> Floats:
        return self.span.coordinates(self.change)

    @cached_property
    def _seen_lengths(self) -> Floats:
        return of.lengths(self.span.on_documents(self.signs).T)

    def in_span(self) -> InSpan:
        spectrum = self._spectrum
        factor = spectrum.in_span_factor
        at_documents = np.asarray(self.span.X @ self.change.T).T
        return InSpan(
            rank=self.span.rank,
            m=spectrum.m,
            M=spectrum.M,
            epsilon=spectrum.epsilon,
            premise=spectrum.epsilon <= 0.5,
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
        reduced, spectrum = self._reduced, self._spectrum
        u = span.coordinates(Q)
        lengths, f = of.lengths(Q), np.abs(self.full.decision(Q))
        rest = np.sqrt(np.maximum(lengths**2 - (u**2).sum(axis=1), 0.0))
        a_length = of.lengths(u / span.sigma)
        crossed = of.lengths(reduced.crossed(Q) - u @ reduced.gram)
        # V'y has a length for each class row, y the same one for all
        aligned = np.outer(of.shrunk(u, span.sigma, alpha), self._seen_lengths)
        noise = 1e-12 * lengths * (1 + spectrum.M)
        epsilon = of.query_epsilon(crossed, rest, spectrum.epsilon, noise)
        outside = rest * y_length
        return QueryBounds(
            change=np.abs(np.asarray(Q @ self.change.T)),
            in_span_change=np.abs(u @ self._change_inside.T),
            in_span=spectrum.in_span_factor * a_length * y_length,
            off_span=spectrum.off_span_factor(alpha) * crossed * y_length,
            epsilon=epsilon,
            theorem_1=of.theorem_1(epsilon, spectrum, alpha, aligned, outside),
            theorem_1_printed=of.theorem_1_printed(epsilon, spectrum, a_length, outside, y_length),
            gamma=np.divide(aligned, f, out=np.full_like(f, np.inf), where=f > 0),
            theorem_2=2 * spectrum.epsilon * spectrum.condition * aligned,
        )


def _relative(misses: Floats, scale: Floats) -> float:
    largest = float(of.lengths(scale).max())
    return float(of.lengths(misses).max()) / largest if largest > 0 else float(np.abs(misses).max())


def _signs(y: ArrayLike, span: of.Span, model: LinearModel) -> Floats:
    targets = Targets.of(y)
    if targets.rule != model.rule or not np.array_equal(targets.classes, model.classes):
        raise LaconicError(
            f"y has the classes {targets.classes.tolist()} ({targets.rule}), the models "
            f"{model.classes.tolist()} ({model.rule}). Give the y that both were trained on."
        )
    if targets.signs.shape[0] != span.X.shape[0]:
        raise LaconicError(f"{targets.signs.shape[0]} labels for {span.X.shape[0]} documents")
    return targets.signs
