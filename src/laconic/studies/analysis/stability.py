"""Stability of selections: are the same terms selected when the documents change slightly?

selections : sequence of 1-D integer arrays, the columns that each run selected, in any order

Only selected columns are stored, so a million terms cost nothing. In the papers' notation:
M selections, d = n_terms, k_i terms in the i-th, h_f selections with term f, p̂_f = h_f / M.

All indices are NaN for fewer than two selections. The two that are corrected for chance are NaN
too if every run selected no term, or every term (0/0).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.studies.analysis.intervals import check_level
from laconic.types import Floats, Int64s


class Stability(NamedTuple):
    """An estimate with its asymptotic confidence limits, which may exceed 1 (they are not cut)."""

    value: float
    low: float
    high: float


def jaccard(selections: Sequence[ArrayLike]) -> float:
    """Mean over pairs of |A ∩ B| / |A ∪ B|: 1 if all are equal (two empty ones are), 0 if disjoint.

    Not corrected for chance: larger random selections agree more, so it compares methods at equal
    size only (Nogueira et al. 2018).
    """
    chosen = [_selection(number, terms) for number, terms in enumerate(selections)]
    if len(chosen) < 2:
        return np.nan
    first, second = np.triu_indices(len(chosen), 1)
    shared = _intersections(chosen)[first, second]
    sizes = np.array([len(terms) for terms in chosen])
    union = sizes[first] + sizes[second] - shared
    return float(np.where(union, shared / np.maximum(union, 1), 1.0).mean())


def kuncheva(selections: Sequence[ArrayLike], n_terms: int) -> float:
    """Kuncheva's consistency index (2007), mean over pairs: (r d − k²) / (k (d − k)), r = |A ∩ B|.

    1 if all are equal, 0 in expectation for random selections. It is defined for equal sizes;
    extensions to unequal ones (Lustgarten et al. 2009) have bounds that depend on the sizes, which
    is misleading (Nogueira et al. 2018). So unequal sizes raise: `nogueira` is the generalisation,
    and equal to it for equal sizes and any number of runs.
    """
    chosen, sizes = _selections(selections, n_terms)
    if len(set(sizes.tolist())) > 1:
        raise LaconicError(
            f"kuncheva: selections must have equal sizes, but they range from {sizes.min()} to "
            f"{sizes.max()}. Use nogueira, which allows different sizes"
        )
    if len(chosen) < 2 or sizes[0] in (0, n_terms):
        return np.nan
    size, n_pairs = int(sizes[0]), len(chosen) * (len(chosen) - 1) // 2
    times = np.unique_counts(np.concatenate(chosen)).counts
    # a term in h runs is in h(h−1)/2 pairs
    shared = int((times * (times - 1) // 2).sum()) / n_pairs
    return (shared * n_terms - size**2) / (size * (n_terms - size))


def nogueira(selections: Sequence[ArrayLike], n_terms: int, level: float = 0.95) -> Stability:
    """The stability of Nogueira, Sechidis & Brown (JMLR 18(174), 2018), for sizes that may differ.

    Φ̂ = 1 − (1/d) Σ_f s_f² / (k̄/d (1 − k̄/d)), with s_f² = M/(M−1) p̂_f (1 − p̂_f)   (Definition 4)

    Exactly 1 if all selections are equal, at least −1/(M−1). For random selections of one size
    its expectation is 0; sizes of variance S² make it −S² / (M k̄ (d − k̄)), which is 0 only for
    many selections. The limits are Φ̂ ± z √v (Corollary 9), asymptotic in the number of
    selections: with few of them, or if all are equal, they are too narrow.
    """
    check_level(level)
    chosen, sizes = _selections(selections, n_terms)
    n_chosen = int(sizes.sum())
    if len(chosen) < 2 or n_chosen in (0, len(chosen) * n_terms):
        return Stability(np.nan, np.nan, np.nan)
    columns = np.unique_inverse(np.concatenate(chosen)).inverse_indices
    times = np.bincount(columns)
    value = 1 - _spread(times, len(chosen), n_terms) / _chance(sizes, n_terms)
    of_run = np.repeat(np.arange(len(chosen)), sizes)
    agreed = np.bincount(of_run, weights=times[columns], minlength=len(chosen)) / len(chosen)
    influence = _influence(value, agreed, sizes, n_terms)
    error = float(2 * influence.std() / np.sqrt(len(chosen)))  # v = 4/M² Σ (φ_i − φ̄)²
    reach = float(stats.norm.ppf((1 + level) / 2)) * error
    return Stability(value, value - reach, value + reach)


def _spread(times: Int64s, n_runs: int, n_terms: int) -> float:
    """(1/d) Σ_f s_f², from integers, so it is exactly 0 if all runs agree."""
    return int((times * (n_runs - times)).sum()) / (n_runs * (n_runs - 1)) / n_terms


def _chance(sizes: Int64s, n_terms: int) -> float:
    """k̄/d (1 − k̄/d): the spread of random selections."""
    share = float(sizes.mean()) / n_terms
    return share * (1 - share)


def _influence(value: float, agreed: Floats, sizes: Int64s, n_terms: int) -> Floats:
    """φ_i of the variance in Corollary 9: each run's part in Φ̂; `agreed` is Σ_f z_if p̂_f."""
    share, shares = float(sizes.mean()) / n_terms, sizes / n_terms
    centred = agreed / n_terms - shares * share
    drift = value / 2 * (2 * shares * share - shares - share + 1)
    return np.asarray((centred + drift) / _chance(sizes, n_terms))


def _intersections(chosen: list[Int64s]) -> Int64s:
    """|A ∩ B| of all pairs."""
    columns = np.unique_inverse(np.concatenate(chosen)).inverse_indices
    ends = np.cumsum([0] + [len(terms) for terms in chosen])
    n_columns = int(columns.max(initial=-1)) + 1
    shape = (len(chosen), n_columns)
    Z = csr_array((np.ones(len(columns), dtype=np.int64), columns, ends), shape=shape)
    return np.asarray((Z @ Z.T).toarray())


def _selections(selections: Sequence[ArrayLike], n_terms: int) -> tuple[list[Int64s], Int64s]:
    chosen = [_selection(number, terms) for number, terms in enumerate(selections)]
    for number, terms in enumerate(chosen):
        if len(terms) and terms.max() >= n_terms:
            raise LaconicError(
                f"selection {number} has column {terms.max()}, but n_terms={n_terms}. "
                "Give the number of terms that it was selected from"
            )
    return chosen, np.array([len(terms) for terms in chosen], dtype=np.int64)


def _selection(number: int, terms: ArrayLike) -> Int64s:
    array = np.asarray(terms)
    if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
        raise LaconicError(
            f"selection {number} must be a 1-D array of column numbers, but its shape is "
            f"{array.shape} and its type {array.dtype}. Give np.flatnonzero(mask) of a mask"
        )
    if len(array) and array.min() < 0:
        raise LaconicError(f"selection {number}: column {array.min()} is negative. Count from 0")
    if len(np.unique(array)) < len(array):
        raise LaconicError(
            f"selection {number} has {len(array)} columns, but only {len(np.unique(array))} "
            "distinct ones. Give each column once"
        )
    return array.astype(np.int64)
