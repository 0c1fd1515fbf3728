"""Residuals of models in the equations of RLS, and the position of queries; rounded outwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

from laconic.certificate.behind import ReducedSpan
from laconic.model import LinearModel
from laconic.numerics.bounds import suprema as of
from laconic.numerics.spectral.rank import EPS
from laconic.types import Floats, Matrix

# For a block of class rows: residual, right-hand side, missed and outside.
EquationBlock: TypeAlias = tuple[Floats, Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class Equations:
    """The residuals of one model.

    `shares` has the residual of each class row, relative to the longest right-hand side. `missed`
    and `outside` are those of the worst row, rounded up: ‖r‖ and 0 for the full model, ‖ρ‖ and ‖z‖
    for the small one (Proposition 12).
    """

    shares: Floats
    missed: float
    outside: float

    @classmethod
    def of_full(
        cls, model: LinearModel, reduced_span: ReducedSpan, y_signed: Floats, alpha: float
    ) -> Equations:
        """X'(y − Xw) = αw."""
        parts, rounding = [], reduced_span.span.products
        for w, gradient, right in _gradients(reduced_span.span.X, y_signed, model):
            residual = of.lengths(gradient - alpha * w)
            slack = rounding.gradient(_length(y_signed), w) + 4 * EPS * alpha * of.lengths(w)
            parts.append((residual, of.lengths(right), residual + slack, np.zeros(len(w))))
        return cls._of(parts)

    @classmethod
    def of_small(
        cls, model: LinearModel, reduced_span: ReducedSpan, y_signed: Floats, alpha: float
    ) -> Equations:
        """SX'(y − Xw̃) = αw̃, which has one solution: w̃ = SX'c with c = (y − Xw̃)/α. α is alpha."""
        parts, rounding = [], reduced_span.rounding
        for w, gradient, right in _gradients(reduced_span.span.X, y_signed, model):
            residual = of.lengths(reduced_span.square(gradient) - alpha * w)
            omega = reduced_span.lowered(w)
            rho = of.lengths(of.dense(reduced_span.reduction.apply(gradient)) - alpha * omega)
            rho += reduced_span.stretch * rounding.gradient(_length(y_signed), w)
            rho += (
                rounding.unit
                * max(reduced_span.mixing, reduced_span.stretch)
                * of.lengths(gradient)
            )
            rho += 4 * EPS * alpha * of.lengths(omega)
            z = of.lengths(of.dense(reduced_span.reduction.lift(omega)) - w)
            z += rounding.unit * (of.lengths(w) + reduced_span.mixing * of.lengths(omega))
            parts.append((residual, of.lengths(reduced_span.square(right)), rho, z))
        return cls._of(parts)

    @classmethod
    def _of(cls, parts: list[EquationBlock]) -> Equations:
        residual, right, missed, outside = map(np.concatenate, zip(*parts, strict=True))
        scale = of.largest(right)
        shares = residual / scale if scale > 0 else residual
        return cls(shares, of.largest(missed), of.largest(outside))


def _gradients(
    X: Matrix, y_signed: Floats, model: LinearModel
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """w, X'(y − Xw) and X'y of a few class rows at a time."""
    errors = y_signed - model.decision(X)
    for rows in of.row_blocks(model.coef.shape):
        w = of.dense(model.coef[rows])
        yield w, np.asarray(X.T @ errors[:, rows]).T, np.asarray(X.T @ y_signed[:, rows]).T


def _length(y_signed: Floats) -> float:
    return float(np.sqrt(y_signed.shape[0]))


@dataclass(frozen=True, eq=False)
class Query:
    """Documents q = X'a + q⊥: coordinates U'q, ‖a‖, ‖q⊥‖ and ‖U'Sq⊥‖, with upper bounds.

    `crossed` up to `noise` counts as 0 in ratios; bounds add its possible error `crossed_noise`.
    """

    u: Floats
    a_length: Floats
    a_most: Floats
    rest: Floats
    rest_most: Floats
    crossed: Floats
    crossed_noise: Floats
    noise: Floats

    @classmethod
    def of(cls, Q: csr_array, reduced_span: ReducedSpan) -> Query:
        span, spectrum, reduced = reduced_span.span, reduced_span.spectrum, reduced_span.reduced
        u, lengths = span.coordinates(Q), of.lengths(Q)
        rest = np.sqrt(np.maximum(lengths**2 - (u**2).sum(axis=1), 0.0))
        a_length = of.lengths(u / span.sigma)
        error = 2 * reduced_span.rounding.unit * reduced_span.rounding.length / spectrum.sigma_min
        crossing = (2 * span.rounding + error) * max(1.0, reduced_span.square_norm)
        return cls(
            u,
            a_length,
            a_length * (1.0 + 4 * span.rounding) + lengths * error / spectrum.sigma_min,
            rest,
            np.sqrt(rest**2 + (4 * span.rounding + 2 * error) * lengths**2),
            of.lengths(reduced.crossed(Q) - u @ reduced.gram),
            lengths * crossing,
            1e-12 * lengths * (1.0 + spectrum.M),
        )
