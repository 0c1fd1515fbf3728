"""Error terms added to the bounds for exact models (`docs/certificates.md`, 12 to 14).

A computed model satisfies its equations only approximately; directions of the training documents
that count as 0 are not exactly 0; and every product is rounded. Nothing here depends on how a model
was trained.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from laconic.numerics.bounds.suprema import largest, lengths
from laconic.numerics.ridge.gram import squared_norm
from laconic.numerics.spectral.rank import EPS
from laconic.types import Floats, Matrix


@dataclass(frozen=True)
class Rounding:
    """How far computed products with documents X may be from the exact ones.

    `unit` is the relative error of a sum over the words of a document or over all documents,
    `length` is ‖X‖ in the Frobenius norm.
    """

    unit: float
    length: float

    @classmethod
    def of(cls, X: Matrix, further: int = 0) -> Rounding:
        """`further` is the number of additional entries summed if a reduction mixes words."""
        terms = 2 * (max_entries(X) + X.shape[0] + further) + 16
        return cls(EPS * terms, math.sqrt(squared_norm(X)))

    def gradient(self, y_length: float, w: Floats) -> Floats:
        """Error bound of a computed X'(y − Xw), for each row of w."""
        return 2 * self.unit * self.length * (y_length + self.length * lengths(w))


@dataclass(frozen=True)
class EquationResiduals:
    """Residuals of two models' equations, in the worst class (Proposition 12).

    r = X'(y − Xw) − λw; ρ = T'X'(y − Xw̃) − λω and z = Tω − w̃, for any ω; λ is alpha.
    """

    r: float
    rho: float
    z: float


@dataclass(frozen=True)
class Allowance:
    """Error terms of ridge with `alpha` on documents of ‖X‖ ≤ `sigma`, reduced by ‖T‖ ≤ `stretch`.

    `cut` is at least ‖X₀‖, X₀ being the part of X in the directions that count as 0.
    """

    alpha: float
    sigma: float
    stretch: float
    cut: float

    @property
    def in_span_factor(self) -> float:
        """Factor of ‖a‖‖y‖: ‖g(K) − g(K₁)‖ + ‖g(K̃) − g(K̃₁)‖ (Proposition 13)."""
        return min(1.0, self.cut * (1.0 + self.stretch) / math.sqrt(self.alpha))

    @property
    def off_span_factor(self) -> float:
        """Factor of ‖U'Sq⊥‖‖y‖: σ‖(K̃ + λI)⁻¹ − (K̃₁ + λI)⁻¹‖."""
        return self.sigma / self.alpha * min(1.0, self.cut * self.stretch / math.sqrt(self.alpha))

    @property
    def rest_factor(self) -> float:
        """Factor of ‖q⊥‖‖y‖: the overlap of q⊥ with X₀, in the full and in the small model."""
        return self.cut / self.alpha * (1.0 + self.stretch**2)

    def of_mixture(self, residuals: EquationResiduals) -> float:
        """Factor of ‖a‖, from the residuals of both models."""
        full = residuals.r * peak(self.sigma, self.alpha)
        small = residuals.rho * peak(self.stretch * self.sigma, self.alpha)
        return full + small + self.sigma * residuals.z

    def of_rest(self, residuals: EquationResiduals) -> float:
        """Factor of ‖q⊥‖, from the residuals of both models."""
        within = (residuals.r + self.stretch * residuals.rho) / self.alpha
        return within + residuals.z * (
            1.0 + self.stretch * self.sigma / (2 * math.sqrt(self.alpha))
        )


def peak(sigma: float, alpha: float) -> float:
    """The maximum of s/(s² + alpha) over 0 ≤ s ≤ sigma."""
    s = min(sigma, math.sqrt(alpha))
    return s / (s * s + alpha)


def max_entries(X: Matrix) -> int:
    """Largest number of stored entries in a document."""
    if hasattr(X, "indptr"):
        return int(largest(np.diff(X.tocsr().indptr)))
    return int(X.shape[1])
