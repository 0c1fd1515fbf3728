"""By how much models miss the equations of RLS, and where queries lie; both rounded outwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

from laconic.certificate.behind import ReducedSpan
from laconic.model import LinearModel
from laconic.numerics import bounds as of
from laconic.numerics.rank import EPS
from laconic.reduction import Floats, Matrix

# For a block of class rows: left of the equations, right side, missed and outside.
Part: TypeAlias = tuple[Floats, Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class Equations:
    """What is left of the equations of one model.

    `shares` has for each class row what is left, relative to the longest right side. `missed` and
    `outside` are in the worst row and rounded upwards: ‖r‖ and 0 for the full model, ‖ρ‖ and ‖z‖
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
            left = of.lengths(gradient - alpha * w)
            slack = rounding.gradient(_length(y_signed), w) + 4 * EPS * alpha * of.lengths(w)
            parts.append((left, of.lengths(right), left + slack, np.zeros(len(w))))
        return cls._of(parts)

    @classmethod
    def of_small(
        cls, model: LinearModel, reduced_span: ReducedSpan, y_signed: Floats, alpha: float
    ) -> Equations:
        """SX'(y − Xw̃) = αw̃, which has one solution: w̃ = SX'c with c = (y − Xw̃)/α."""
        parts, rounding = [], reduced_span.rounding
        for w, gradient, right in _gradients(reduced_span.span.X, y_signed, model):
            left = of.lengths(reduced_span.square(gradient) - alpha * w)
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
            parts.append((left, of.lengths(reduced_span.square(right)), rho, z))
        return cls._of(parts)

    @classmethod
    def _of(cls, parts: list[Part]) -> Equations:
        left, right, missed, outside = (np.concatenate(each) for each in zip(*parts, strict=True))
        scale = of.largest(right)
        shares = left / scale if scale > 0 else left
        return cls(shares, of.largest(missed), of.largest(outside))


def _gradients(
    X: Matrix, y_signed: Floats, model: LinearModel
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """w, X'(y − Xw) and X'y of a few class rows at a time."""
    misses = y_signed - model.decision(X)
    for rows in of.row_blocks(model.coef.shape):
        w = of.dense(model.coef[rows])
        yield w, np.asarray(X.T @ misses[:, rows]).T, np.asarray(X.T @ y_signed[:, rows]).T


def _length(y_signed: Floats) -> float:
    return float(np.sqrt(y_signed.shape[0]))


@dataclass(frozen=True, eq=False)
class Query:
    """Documents q = X'a + q⊥: coordinates U'q, ‖a‖, ‖q⊥‖ and ‖U'Sq⊥‖, with what they are at most.

    `crossed` up to `noise` counts as 0 in ratios; that it may be more by `crossed_noise` is allowed
    for in bounds.
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
