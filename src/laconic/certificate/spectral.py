"""RLS at one alpha after a reduction: checks of the two models, and the bounds that follow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from laconic.certificate.behind import ReducedSpan
from laconic.certificate.equations import Equations, Query
from laconic.certificate.parts import NotComputed
from laconic.certificate.span_parts import InSpan, QueryBounds
from laconic.errors import LaconicError
from laconic.model import LinearModel
from laconic.numerics.blocks import Blocks
from laconic.numerics.bounds import span as spans
from laconic.numerics.bounds import suprema as of
from laconic.numerics.bounds.allowances import Allowance, EquationResiduals
from laconic.text.labels import LabelEncoding
from laconic.types import Floats

NO_REDUCTION = NotComputed("needs the reduction of the small model")
# The largest residual of both models in the equations of RLS, relative to the right-hand side.
MAX_RESIDUAL = 1e-7
# Queries per block: their products with all training documents are dense.
BLOCK = 2_000


@dataclass(frozen=True, eq=False)
class RidgePair:
    """Two RLS models at one alpha, the small one after a reduction; checked by their equations."""

    full: LinearModel
    small: LinearModel
    reduced_span: ReducedSpan
    y_signed: Floats
    alpha: float

    @property
    def span(self) -> spans.Span:
        return self.reduced_span.span

    @cached_property
    def change(self) -> of.Difference:
        return of.Difference(self.small.coef, self.full.coef)

    @classmethod
    def read(
        cls,
        models: tuple[LinearModel, LinearModel],
        reduced_span: ReducedSpan | NotComputed,
        y: ArrayLike | None,
        alpha: float | None,
    ) -> RidgePair | NotComputed:
        if isinstance(reduced_span, NotComputed) and reduced_span != NO_REDUCTION:
            return reduced_span
        if y is None or isinstance(reduced_span, NotComputed) or alpha is None:
            reduction = reduced_span if isinstance(reduced_span, ReducedSpan) else None
            arguments = {"y": y, "reduction": reduction, "alpha": alpha}
            missing = ", ".join(name for name, value in arguments.items() if value is None)
            return NotComputed(f"needs {missing}: this part is for RLS after a reduction")
        if not (np.isfinite(alpha) and alpha > 0):
            return NotComputed(
                f"alpha={alpha}: must be positive; least-norm models are not checked"
            )
        if any(model.intercept.any() for model in models):
            return NotComputed(
                "the models have intercepts or thresholds; the theorems are for RLS without"
            )
        y_signed = _y_signed(y, reduced_span.span, models[0])
        pair = cls(*models, reduced_span, y_signed, float(alpha))
        return pair._check_residuals() or pair

    def _check_residuals(self) -> NotComputed | None:
        for name, shares in (("full", self._full.shares), ("small", self._small.shares)):
            if not shares.max() <= MAX_RESIDUAL:
                return NotComputed(
                    f"the {name} model is not RLS with alpha={self.alpha:g} on X, y and this "
                    f"reduction: the residual of its equations is {shares.max():.1e}"
                )
        return None

    @cached_property
    def _full(self) -> Equations:
        return Equations.of_full(self.full, self.reduced_span, self.y_signed, self.alpha)

    @cached_property
    def _small(self) -> Equations:
        return Equations.of_small(self.small, self.reduced_span, self.y_signed, self.alpha)

    @cached_property
    def allowance(self) -> Allowance:
        span = self.span
        sigma = float(span.sigma[0]) * (1.0 + span.rounding) + span.cut
        return Allowance(self.alpha, sigma, self.reduced_span.stretch, span.cut)

    @cached_property
    def missed(self) -> EquationResiduals:
        return EquationResiduals(self._full.missed, self._small.missed, self._small.outside)

    @property
    def factor(self) -> float:
        """The factor of ‖a‖‖y‖ for exact models: Propositions 6 and 13."""
        return min(1.0, self.reduced_span.spectrum.in_span_factor + self.allowance.in_span_factor)

    @cached_property
    def _change_inside(self) -> Floats:
        return of.by_rows(self.span.coordinates, self.change)

    @cached_property
    def _y_in_span_lengths(self) -> Floats:
        return of.lengths(self.span.on_documents(self.y_signed).T)

    def in_span(self) -> InSpan:
        spectrum, X = self.reduced_span.spectrum, self.span.X
        at_documents = of.by_rows(lambda D: of.lengths(np.asarray(X @ D.T).T), self.change)
        residual = self.allowance.of_mixture(self.missed)
        return InSpan(
            **vars(self.reduced_span.distortion),
            condition=spectrum.condition,
            sigma_min=spectrum.sigma_min,
            sigma_max=spectrum.sigma_max,
            factor=self.factor,
            cut=self.allowance.in_span_factor,
            residual=residual,
            bound=self.factor * self._y_length + residual,
            attained=float(at_documents.max()),
        )

    @property
    def _y_length(self) -> float:
        return float(np.sqrt(self.y_signed.shape[0]))

    def query_bounds(self, Q: Blocks) -> QueryBounds:
        groups = np.split(np.arange(Q.shape[0]), range(BLOCK, Q.shape[0], BLOCK))
        documents = (Q.take(group).stack(csr_array) for group in groups)
        return QueryBounds.stacked([self._of_block(group) for group in documents])

    def _of_block(self, Q: csr_array) -> QueryBounds:
        span, alpha, y_length = self.span, self.alpha, self._y_length
        spectrum, query = self.reduced_span.spectrum, Query.of(Q, self.reduced_span)
        f = np.abs(self.full.decision(Q))
        # V'y has a length for each class row, y the same one for all
        aligned = np.outer(spans.shrunk(query.u, span.sigma, alpha), self._y_in_span_lengths)
        least = spectrum.epsilon + spectrum.rounding
        epsilon = spans.query_epsilon(query.crossed, query.rest, least, query.noise)
        outside = query.rest * y_length
        in_span, off_span = self._allowed(query)
        factor = spectrum.off_span_factor(alpha) * y_length
        # crossed products that count as 0 in epsilon do not count as 0 in a bound
        both = in_span + off_span + factor * np.minimum(query.crossed, query.noise)
        scale = 1.0 + 8 * span.rounding
        theorem_1 = scale * spans.theorem_1(epsilon, spectrum, alpha, aligned, outside)
        printed = scale * spans.theorem_1_printed(
            epsilon, spectrum, query.a_length, outside, y_length
        )
        return QueryBounds(
            change=np.abs(of.by_rows(lambda D: np.asarray(Q @ D.T).T, self.change).T),
            in_span_change=np.abs(query.u @ self._change_inside.T),
            in_span=spectrum.in_span_factor * query.a_length * y_length + in_span,
            off_span=factor * query.crossed + off_span,
            epsilon=epsilon,
            theorem_1=theorem_1 + both[:, None],
            theorem_1_printed=printed + both,
            gamma=np.divide(aligned, f, out=np.full_like(f, np.inf), where=f > 0),
            theorem_2=scale * 2 * least * spectrum.condition * aligned + in_span[:, None],
        )

    def _allowed(self, query: Query) -> tuple[Floats, Floats]:
        """What is added to bounds in the span and off it (Propositions 12 to 14)."""
        allowance, missed, y_length = self.allowance, self.missed, self._y_length
        spectrum = self.reduced_span.spectrum
        mixture = allowance.in_span_factor * y_length + allowance.of_mixture(missed)
        blurred = (query.a_most - query.a_length) * max(1.0, spectrum.condition) * y_length
        crossing = spectrum.off_span_factor(self.alpha) * query.crossed_noise
        crossing = crossing + allowance.off_span_factor * (query.crossed + query.crossed_noise)
        rest = allowance.rest_factor * y_length + allowance.of_rest(missed)
        return query.a_most * mixture + blurred, crossing * y_length + query.rest_most * rest


def _encoding(y: ArrayLike) -> LabelEncoding:
    try:
        return LabelEncoding.of(y)
    except LaconicError:
        raise
    except (TypeError, ValueError) as failure:
        raise LaconicError(
            f"y cannot be read as classes ({failure}). Give one class per document of X, without "
            "None or NaN, or an indicator matrix."
        ) from None


def _y_signed(y: ArrayLike, span: spans.Span, model: LinearModel) -> Floats:
    encoding = _encoding(y)
    if encoding.rule != model.rule or not np.array_equal(encoding.classes, model.classes):
        raise LaconicError(
            f"y has the classes {encoding.classes.tolist()} ({encoding.rule}), the models "
            f"{model.classes.tolist()} ({model.rule}). Give the y that both were trained on."
        )
    if encoding.y_signed.shape[0] != span.X.shape[0]:
        raise LaconicError(f"{encoding.y_signed.shape[0]} labels for {span.X.shape[0]} documents")
    return encoding.y_signed
