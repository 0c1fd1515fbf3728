"""The span of the training documents under a reduction: the mathematics of `docs/certificates.md`.

X' = U Σ V' is the thin SVD of the training documents (rows of X), K = X X'. A reduction T gives
S = T T', K̃ = X S X' and M̂ = U' S U, whose extreme eigenvalues are m and M; ε̂ = ‖M̂ − I‖. A query q
has coordinates u = U'q and the remainder q⊥ = q − U u.

| Dasgupta et al. 2007 | Paul & Drineas 2014 | here |
|---|---|---|
| A (terms × documents) | X | X' |
| S (terms × terms) | RᵀR | S |
| α, β | α, β | a = V Σ⁻¹ u, and the coordinates of q⊥ |
| λ | λ | alpha |
| d | ℓ, r | rank, size |
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from scipy import linalg

from laconic.numerics.bounds.allowances import Rounding
from laconic.numerics.bounds.suprema import dense, lengths, row_blocks
from laconic.numerics.ridge.gram import lower_gram
from laconic.numerics.spectral.rank import EPS, zero_up_to
from laconic.types import Floats, Matrix

Map: TypeAlias = Callable[[Matrix], Matrix]

# The Gram matrix squares the condition: a singular value below this share of the largest, yet above
# rounding, is indistinguishable from 0 and from its neighbours.
DOUBTFUL = 1e-5


@dataclass(frozen=True, eq=False)
class Span:
    """The row space of X by the eigenvectors of its smaller Gram matrix; U only if it is small.

    `cut` is at least ‖X₀‖, the part of X in the directions that count as 0.
    """

    X: Matrix
    sigma: Floats
    V: Floats | None
    U: Floats | None
    doubtful: int
    cut: float

    @classmethod
    def of(cls, X: Matrix) -> Span:
        """Singular values descending; those lost in rounding count as 0."""
        by_documents = X.shape[0] <= X.shape[1]
        documents = X if by_documents else X.T
        values, vectors = linalg.eigh(lower_gram(documents), overwrite_a=True)
        squares, vectors = values[::-1], vectors[:, ::-1]
        lost = squares <= zero_up_to(squares[0], squares.size)
        sigma = np.sqrt(squares[~lost])
        basis = np.ascontiguousarray(vectors[:, ~lost])
        doubtful = int((sigma < DOUBTFUL * sigma[:1]).sum())
        V, U = (basis, None) if by_documents else (None, basis)
        return cls(X, sigma, V, U, doubtful, _length_along(documents, vectors[:, lost]))

    @property
    def rank(self) -> int:
        return int(self.sigma.size)

    @property
    def condition(self) -> float:
        return float(self.sigma[0] / self.sigma[-1])

    @cached_property
    def products(self) -> Rounding:
        return Rounding.of(self.X)

    @property
    def rounding(self) -> float:
        """How far U'U may be from I: the errors of the Gram matrix over its smallest eigenvalue."""
        entries = self.products.unit * self.products.length**2
        decomposition = 2 * min(self.X.shape) * EPS * float(self.sigma[0]) ** 2
        return float((entries + decomposition) / self.sigma[-1] ** 2)

    @property
    def blur(self) -> float:
        """Error bound of the coordinates of a vector of length 1."""
        return 2 * self.products.unit * self.products.length / float(self.sigma[-1]) + self.rounding

    def turned(self, rank: int) -> float:
        """How far rounding may rotate the `rank` leading directions; infinite if they are tied."""
        if rank == self.rank:
            return 0.0
        squares = self.sigma**2
        gap = float(squares[rank - 1] - squares[rank])
        noise = min(self.X.shape) * EPS * float(squares[0])
        return noise / gap if gap > 0 else math.inf

    def coordinates(self, Q: Matrix) -> Floats:
        """Q U; U = X' V Σ⁻¹ is not formed if there are fewer documents than terms."""
        if self.U is not None:
            return dense(Q @ self.U)
        return dense(Q @ self.X.T) @ self.scaled

    @cached_property
    def scaled(self) -> Floats:
        """V Σ⁻¹, or U Σ⁻¹ if U is the stored basis."""
        basis = self.U if self.V is None else self.V
        assert basis is not None
        return basis / self.sigma

    def outside(self, D: Floats) -> Floats:
        """D − D U U', projected twice: one pass leaves up to `rounding` of D, two its square."""
        rest = D
        for _ in range(2):
            rest = rest - self._back(self.coordinates(rest))
        return rest

    def _back(self, coordinates: Floats) -> Floats:
        if self.U is not None:
            return coordinates @ self.U.T
        return np.asarray((coordinates @ self.scaled.T) @ self.X)

    def on_documents(self, Y: Floats) -> Floats:
        """V'Y."""
        if self.V is not None:
            return self.V.T @ Y
        return np.asarray(self.scaled.T @ np.asarray(self.X.T @ Y))


def _length_along(documents: Matrix, directions: Floats) -> float:
    """‖documents' · directions‖ in the Frobenius norm, rounded upwards, in blocks of directions.

    Uses products with X itself, because the Gram matrix has lost these digits.
    """
    blocks = row_blocks((directions.shape[1], max(documents.shape)))
    parts = [float(np.linalg.norm(documents.T @ directions[:, block])) for block in blocks]
    exact = Rounding.of(documents)
    return math.hypot(*parts) + exact.unit * exact.length


@dataclass(frozen=True, eq=False)
class Reduced:
    """The span under a reduction, whose map is applied once."""

    span: Span
    apply: Map

    @cached_property
    def _image(self) -> Matrix:
        """U'T if U is stored, else XT."""
        U = self.span.U
        return self.apply(self.span.X) if U is None else dense(self.apply(U.T))

    @cached_property
    def gram(self) -> Floats:
        """M̂ = U'SU."""
        gram = dense(self._image @ self._image.T)
        return gram if self.span.V is None else self.span.scaled.T @ gram @ self.span.scaled

    def leading(self, rank: int) -> tuple[float, float]:
        """Extreme eigenvalues of M̂ on the `rank` leading directions."""
        values = linalg.eigvalsh(self.gram[:rank, :rank])
        return max(float(values[0]), 0.0), max(float(values[-1]), 0.0)

    def crossed(self, Q: Matrix) -> Floats:
        """Q S U."""
        products = dense(self.apply(Q) @ self._image.T)
        return products if self.span.V is None else products @ self.span.scaled


@dataclass(frozen=True)
class Spectrum:
    """Extreme eigenvalues of M̂ and extreme singular values of X."""

    m: float
    M: float
    sigma_min: float
    sigma_max: float
    rounding: float

    @classmethod
    def of(cls, reduced: Reduced, square: float = 1.0) -> Spectrum:
        """`square` is ‖S‖, which multiplies the rounding of products under the reduction."""
        span = reduced.span
        m, M = reduced.leading(span.rank)
        slack = span.rounding * max(1.0, M, square)
        return cls(m, M, float(span.sigma[-1]), float(span.sigma[0]), slack)

    @property
    def epsilon(self) -> float:
        return max(abs(self.M - 1.0), abs(1.0 - self.m))

    @property
    def condition(self) -> float:
        return self.sigma_max / self.sigma_min

    @property
    def in_span_factor(self) -> float:
        """Proposition 6: |f̃ − f|(X₁'a) ≤ factor·‖a‖‖y‖ for alpha > 0. Rounded outwards."""
        return in_span_factor(max(self.m - self.rounding, 0.0), self.M + self.rounding)

    def off_span_factor(self, alpha: float) -> float:
        """Proposition 7: |f̃(q⊥)| ≤ factor·‖U'Sq⊥‖‖y‖ for alpha > 0. Rounded outwards."""
        m, M = max(self.m - self.rounding, 0.0), self.M + self.rounding
        least, most = m * self.sigma_min**2, M * self.sigma_max**2
        crude = self.sigma_max / (least + alpha)
        if m == 0:
            return crude
        peak = min(max(alpha, least), most)
        return min(crude, math.sqrt(peak / m) / (peak + alpha))


def in_span_factor(low: float, high: float) -> float:
    """Proposition 6 for low ≤ M̂ ≤ high."""
    below, above = math.sqrt(low), math.sqrt(high)
    return max((1 - below) / (1 + below), (above - 1) / (above + 1))


def off_span_ratio(reduced: Reduced, squared: Reduced) -> float:
    """Proposition 11: sup of ‖U'Sq‖/‖q‖ over q ⊥ U, √λ_max(U'S²U − M̂²); `squared` is for S²."""
    gram = reduced.gram
    last = gram.shape[0] - 1
    excess = squared.gram - gram @ gram
    most = float(linalg.eigvalsh(excess, subset_by_index=(last, last))[0])
    return math.sqrt(max(most, 0.0))


# --- Dasgupta et al. 2007, section 5.4, repaired (Proposition 8) -----------------------------


def shrunk(coordinates: Floats, sigma: Floats, alpha: float) -> Floats:
    """‖(I + λΣ⁻²)⁻¹ V'a‖ for each query, with V'a = Σ⁻¹u."""
    return lengths(coordinates * (sigma / (sigma**2 + alpha)))


def query_epsilon(crossed_rest: Floats, rest: Floats, at_least: float, noise: Floats) -> Floats:
    """The least ε with ‖M̂ − I‖ ≤ ε (`at_least`) and ‖U'Sq⊥‖ ≤ ε‖q⊥‖, for each query."""
    above = np.where(crossed_rest > noise, crossed_rest, 0.0)
    ratio = np.divide(above, rest, out=np.where(above > 0, np.inf, 0.0), where=rest > 0)
    return np.maximum(ratio, at_least)


def repaired_20(epsilon: Floats | float, spectrum: Spectrum, alpha: float) -> Floats:
    """Prefactor ελκ / ((1−ε)σ²_min + λ) of eq. 20, for ε < 1."""
    eps = np.asarray(epsilon, dtype=np.float64)
    below = (1 - eps) * spectrum.sigma_min**2 + alpha
    return np.asarray(eps * alpha * spectrum.condition / below)


def repaired_21(epsilon: Floats | float, spectrum: Spectrum, alpha: float) -> Floats:
    """Factor of ‖q⊥‖‖y‖ before eq. 21, for ε < 1: ε / (((1−ε) + λ/σ²_max)·σ_min)."""
    eps = np.asarray(epsilon, dtype=np.float64)
    below = ((1 - eps) + alpha / spectrum.sigma_max**2) * spectrum.sigma_min
    return np.asarray(eps / below)


def theorem_1(
    epsilon: Floats, spectrum: Spectrum, alpha: float, aligned: Floats, outside: Floats
) -> Floats:
    """The repaired theorem; infinite if ε ≥ 1.

    `aligned` (queries, rows) is ‖(I + λΣ⁻²)⁻¹V'a‖‖V'y‖, `outside` (queries,) is ‖q⊥‖‖y‖.
    """
    sound = epsilon < 1
    eps = np.where(sound, epsilon, 0.0)
    off = repaired_21(eps, spectrum, alpha) * outside
    total = repaired_20(eps, spectrum, alpha)[:, None] * aligned + off[:, None]
    return np.where(sound[:, None], total, np.inf)


def theorem_1_printed(
    epsilon: Floats, spectrum: Spectrum, a_length: Floats, outside: Floats, y_length: float
) -> Floats:
    """The right-hand side of (10): 2εκ‖a‖‖y‖ + 2εκ/σ_max·‖q⊥‖‖y‖."""
    finite = np.isfinite(epsilon)
    eps = np.where(finite, epsilon, 0.0)
    total = 2 * eps * spectrum.condition * (a_length * y_length + outside / spectrum.sigma_max)
    return np.where(finite, total, np.inf)
