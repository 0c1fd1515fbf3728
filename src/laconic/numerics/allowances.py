"""What is added to the bounds of exact models on all directions (`docs/certificates.md`, 12 to 14).

A model that was computed misses its equations; directions of the training documents counted as 0
are not; and every product is rounded. Nothing here depends on how a model was trained.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from laconic.numerics.bounds import Floats, Matrix, largest, lengths
from laconic.numerics.gram import squared_norm
from laconic.numerics.rank import EPS


@dataclass(frozen=True)
class Rounding:
    """How far products with documents X may be from the truth.

    `unit` is the relative error of a sum over all words of a document or over all documents,
    `length` is ‖X‖ in the Frobenius norm.
    """

    unit: float
    length: float

    @classmethod
    def of(cls, X: Matrix, further: int = 0) -> Rounding:
        """`further` entries are added up where a reduction mixes words."""
        terms = 2 * (max_entries(X) + X.shape[0] + further) + 16
        return cls(EPS * terms, math.sqrt(squared_norm(X)))

    def gradient(self, y_length: float, w: Floats) -> Floats:
        """How far a computed X'(y − Xw) may be from it, for each row of w."""
        return 2 * self.unit * self.length * (y_length + self.length * lengths(w))


@dataclass(frozen=True)
class Missed:
    """By how much two models miss their equations, in the worst class row (Proposition 12).

    r = X'(y − Xw) − λw; ρ = T'X'(y − Xw̃) − λω and z = Tω − w̃, for any ω.
    """

    r: float
    rho: float
    z: float


@dataclass(frozen=True)
class Allowance:
    """For RLS at `alpha` on documents of ‖X‖ ≤ `sigma`, behind a reduction of ‖T‖ ≤ `stretch`.

    `cut` is at least ‖X₀‖, X₀ being the part of X in the directions that count as 0.
    """

    alpha: float
    sigma: float
    stretch: float
    cut: float

    @property
    def in_span_factor(self) -> float:
        """Of ‖a‖‖y‖: ‖g(K) − g(K₁)‖ + ‖g(K̃) − g(K̃₁)‖ (Proposition 13)."""
        return min(1.0, self.cut * (1.0 + self.stretch) / math.sqrt(self.alpha))

    @property
    def off_span_factor(self) -> float:
        """Of ‖U'Sq⊥‖‖y‖: σ‖(K̃ + λI)⁻¹ − (K̃₁ + λI)⁻¹‖."""
        return self.sigma / self.alpha * min(1.0, self.cut * self.stretch / math.sqrt(self.alpha))

    @property
    def rest_factor(self) -> float:
        """Of ‖q⊥‖‖y‖: what q⊥ has in common with X₀, in the full model and in the small one."""
        return self.cut / self.alpha * (1.0 + self.stretch**2)

    def of_mixture(self, missed: Missed) -> float:
        """Of ‖a‖, from the residuals of both models."""
        full = missed.r * peak(self.sigma, self.alpha)
        small = missed.rho * peak(self.stretch * self.sigma, self.alpha)
        return full + small + self.sigma * missed.z

    def of_rest(self, missed: Missed) -> float:
        """Of ‖q⊥‖, from the residuals of both models."""
        within = (missed.r + self.stretch * missed.rho) / self.alpha
        return within + missed.z * (1.0 + self.stretch * self.sigma / (2 * math.sqrt(self.alpha)))


def peak(sigma: float, alpha: float) -> float:
    """The maximum of s/(s² + alpha) over 0 ≤ s ≤ sigma."""
    s = min(sigma, math.sqrt(alpha))
    return s / (s * s + alpha)


def max_entries(X: Matrix) -> int:
    """Stored entries of the longest document."""
    if hasattr(X, "indptr"):
        return int(largest(np.diff(X.tocsr().indptr)))
    return int(X.shape[1])
