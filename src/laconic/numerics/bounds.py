"""How far may a small linear model be from the full one? The mathematics of `docs/certificates.md`.

D = w̃ − w and b = b̃ − b, one row a class. X' = U Σ V' is the thin SVD of the training documents
(rows of X), K = X X'. A reduction T gives S = T T', K̃ = X S X' and M̂ = U' S U, whose extreme
eigenvalues are m and M; ε̂ = ‖M̂ − I‖. A query q has coordinates u = U'q and the rest q⊥ = q − U u.

| Dasgupta et al. 2007 | here |
|---|---|
| A (terms × documents) | X' |
| α, β | a = V Σ⁻¹ u, and the coordinates of q⊥ |
| λ | alpha |
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse import issparse
from scipy.special import betaincinv

Floats: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = Any
Map: TypeAlias = Callable[[Matrix], Matrix]

EPS = float(np.finfo(np.float64).eps)
# The Gram matrix squares the condition: a singular value below this share of the largest, yet above
# rounding, can be told neither from 0 nor from its neighbours.
DOUBTFUL = 1e-5
# A margin that equals its bound up to rounding proves nothing.
ROUNDING = 1e-12


def dense(matrix: Matrix) -> Floats:
    values: Floats = matrix.toarray() if issparse(matrix) else np.asarray(matrix, dtype=np.float64)
    return values


def lengths(Q: Matrix) -> Floats:
    """Euclidean length of each row."""
    squares = Q.power(2) if issparse(Q) else np.square(Q)
    return np.asarray(np.sqrt(np.asarray(squares.sum(axis=1)).ravel()))


# --- suprema (Propositions 1 to 4) -----------------------------------------------------------


def reach(D: Floats) -> Floats:
    """sup of D q over q ≥ 0, ‖q‖ ≤ 1: the length of the positive part of each row."""
    return lengths(np.maximum(D, 0.0))


def off_selection(w: Floats, kept: NDArray[np.bool_]) -> Floats:
    """‖w off the selection‖: at least so far is any model that reads only `kept`."""
    return lengths(np.where(kept, 0.0, w))


def tail(w: Floats, sizes: NDArray[np.intp]) -> Floats:
    """The same for the best conceivable selection of that many words: the smallest |w| are left."""
    ascending = np.cumsum(np.sort(np.abs(w), axis=1) ** 2, axis=1)
    left = w.shape[1] - sizes
    rows = np.flatnonzero(left > 0)
    floor = np.zeros(w.shape[0])
    floor[rows] = np.sqrt(ascending[rows, left[rows] - 1])
    return floor


def serving_range(w_off: Floats, chosen_lengths: Floats, document_lengths: Floats) -> Floats:
    """What unseen non-negative words may add: (n_docs, n_rows, 2), low and high."""
    rest = np.sqrt(np.maximum(np.square(document_lengths) - np.square(chosen_lengths), 0.0))
    ends = np.stack([-reach(-w_off), reach(w_off)], axis=-1)
    return np.asarray(rest[:, None, None] * ends)


# --- decisions and labels (Propositions 5 and 9) ---------------------------------------------


def contrasts(values: Floats, decided: Floats, rule: str) -> Floats:
    """Values signed by what `decided` says: its decision stands while all of a row are positive.

    For "argmax" the decided class minus each other one; else each value with its sign.
    """
    if rule != "argmax":
        return values * np.where(decided > 0, 1.0, -1.0)
    chosen = decided.argmax(axis=1)[:, None]
    gaps = np.take_along_axis(values, chosen, axis=1) - values
    others = np.ones(values.shape, dtype=bool)
    np.put_along_axis(others, chosen, False, axis=1)
    return np.asarray(gaps[others].reshape(values.shape[0], values.shape[1] - 1))


def margin(decided: Floats, rule: str) -> Floats:
    """The smallest contrast of a document with itself."""
    return np.asarray(contrasts(decided, decided, rule).min(axis=1, initial=np.inf))


def margin_loss(full: Floats, small: Floats, rule: str) -> Floats:
    """How much of the small model's contrasts the full model takes back, at the worst one.

    A changed decision has a loss of at least the margin.
    """
    change = contrasts(small, small, rule) - contrasts(full, small, rule)
    return np.asarray(change.max(axis=1, initial=-np.inf))


def changed(full: Floats, small: Floats, rule: str) -> NDArray[np.bool_]:
    """Documents that the two models decide differently."""
    if rule == "argmax":
        return np.asarray(full.argmax(axis=1) != small.argmax(axis=1))
    return np.asarray(((full > 0) != (small > 0)).any(axis=1))


def cannot_change(
    small: Floats, D: Floats, b: Floats, length: Floats, rule: str, nonnegative: bool
) -> NDArray[np.bool_]:
    """Documents whose contrasts exceed the worst case over all documents of their length."""
    sup = reach if nonnegative else lengths
    slack = ROUNDING * (1.0 + np.abs(small).max(axis=1, keepdims=True))
    if rule != "argmax":
        yes, no = np.outer(length, sup(D)) + b, np.outer(length, sup(-D)) - b
        limit = np.where(small > 0, yes, no) + slack
        return np.asarray((contrasts(small, small, rule) > limit).all(axis=1))
    chosen = small.argmax(axis=1)
    safe = np.zeros(small.shape[0], dtype=bool)
    for a in np.unique(chosen):
        mine, other = chosen == a, np.arange(small.shape[1]) != a
        limit = np.outer(length[mine], sup(D[a] - D[other])) + (b[a] - b[other]) + slack[mine]
        safe[mine] = (small[mine][:, [a]] - small[mine][:, other] > limit).all(axis=1)
    return safe


def documents_needed(confidence: float) -> int:
    """The fewest documents n for which ⌈(n + 1)·confidence⌉ ≤ n."""
    return math.ceil(round(confidence / (1.0 - confidence), 9))


def conformal_bound(scores: Floats, confidence: float) -> float:
    """The ⌈(n + 1)·confidence⌉-th smallest score; infinite where there are too few."""
    # rounded first: 10 · 0.9 must not become 9.000000000000002 and then 10
    place = math.ceil(round((scores.size + 1) * confidence, 9))
    return float(np.sort(scores)[place - 1]) if place <= scores.size else math.inf


def rate_limit(hits: int, trials: int, confidence: float) -> float:
    """Clopper and Pearson's one-sided upper limit on a rate."""
    return 1.0 if hits >= trials else float(betaincinv(hits + 1, trials - hits, confidence))


# --- the training span -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Span:
    """The row space of X by the eigenvectors of its smaller Gram matrix; U itself only if small."""

    X: Matrix
    sigma: Floats
    V: Floats | None
    U: Floats | None
    doubtful: int

    @classmethod
    def of(cls, X: Matrix) -> Span:
        """Singular values descending; those lost in rounding count as 0."""
        by_documents = X.shape[0] <= X.shape[1]
        values, vectors = linalg.eigh(dense(X @ X.T if by_documents else X.T @ X))
        squares, vectors = values[::-1], vectors[:, ::-1]
        lost = squares <= max(squares[0], 0.0) * 4 * squares.size * EPS
        sigma = np.sqrt(squares[~lost])
        basis = np.ascontiguousarray(vectors[:, ~lost])
        doubtful = int((sigma < DOUBTFUL * sigma[:1]).sum())
        V, U = (basis, None) if by_documents else (None, basis)
        return cls(X, sigma, V, U, doubtful)

    @property
    def rank(self) -> int:
        return int(self.sigma.size)

    @property
    def condition(self) -> float:
        return float(self.sigma[0] / self.sigma[-1])

    @property
    def rounding(self) -> float:
        """How far U'U may be from I."""
        return float(min(self.X.shape)) * EPS * self.condition**2

    def coordinates(self, Q: Matrix) -> Floats:
        """Q U, with U = X' V Σ⁻¹ unformed where documents are fewer than terms."""
        if self.U is not None:
            return dense(Q @ self.U)
        return dense(Q @ self.X.T) @ self.scaled

    @cached_property
    def scaled(self) -> Floats:
        """V Σ⁻¹, or U Σ⁻¹ where that is the basis at hand."""
        basis = self.U if self.V is None else self.V
        assert basis is not None
        return basis / self.sigma

    def outside(self, D: Floats) -> Floats:
        """D − D U U', projected twice: once leaves up to `rounding` of D, twice its square."""
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


@dataclass(frozen=True, eq=False)
class Reduced:
    """The span behind a reduction, whose map is applied to it once."""

    span: Span
    apply: Map

    @cached_property
    def _image(self) -> Matrix:
        """U'T if U is at hand, else XT."""
        U = self.span.U
        return self.apply(self.span.X) if U is None else dense(self.apply(U.T))

    @cached_property
    def gram(self) -> Floats:
        """M̂ = U'SU."""
        gram = dense(self._image @ self._image.T)
        return gram if self.span.V is None else self.span.scaled.T @ gram @ self.span.scaled

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
    def of(cls, reduced: Reduced) -> Spectrum:
        span, values = reduced.span, linalg.eigvalsh(reduced.gram)
        m, M = max(float(values[0]), 0.0), max(float(values[-1]), 0.0)
        slack = span.rounding * max(1.0, M)
        return cls(m, M, float(span.sigma[-1]), float(span.sigma[0]), slack)

    @property
    def epsilon(self) -> float:
        return max(abs(self.M - 1.0), abs(1.0 - self.m))

    @property
    def condition(self) -> float:
        return self.sigma_max / self.sigma_min

    @property
    def in_span_factor(self) -> float:
        """Proposition 6: |f̃ − f|(X'a) ≤ factor·‖a‖‖y‖, alpha > 0. Rounded outwards, as the next."""
        m, M = max(self.m - self.rounding, 0.0), self.M + self.rounding
        below, above = math.sqrt(m), math.sqrt(M)
        return max((1 - below) / (1 + below), (above - 1) / (above + 1))

    def off_span_factor(self, alpha: float) -> float:
        """Proposition 7: |f̃(q⊥)| ≤ factor·‖U'Sq⊥‖‖y‖, alpha > 0."""
        m, M = max(self.m - self.rounding, 0.0), self.M + self.rounding
        least, most = m * self.sigma_min**2, M * self.sigma_max**2
        crude = self.sigma_max / (least + alpha)
        if m == 0:
            return crude
        peak = min(max(alpha, least), most)
        return min(crude, math.sqrt(peak / m) / (peak + alpha))


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
    """The repaired theorem; infinite where ε ≥ 1.

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
    known = np.isfinite(epsilon)
    eps = np.where(known, epsilon, 0.0)
    total = 2 * eps * spectrum.condition * (a_length * y_length + outside / spectrum.sigma_max)
    return np.where(known, total, np.inf)
