"""Paired significance tests of two systems.

Each test takes the results of two systems on the same items, in the same order, and returns a
`PairedTest`. All p-values are two-sided: the papers' one-sided ones are half as large (for
symmetric statistics). Of Yang & Liu (SIGIR 1999), `micro_sign` is the s-test over decisions,
`macro_t` the T-test over categories.

Folds share most of their training documents: see `paired_t` for `test_share`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from laconic.errors import LaconicError
from laconic.studies.analysis.intervals import check_share, finite, mean_scale, numbers
from laconic.types import Bools, Floats, Indices

# Yang & Liu use the normal approximation above n = 12, where tables end. The binomial now costs
# microseconds; above this bound the two differ by less than 0.3 % of p at p = 0.05.
EXACT_SIGNS = 1_000_000
# The customary bound below which χ² is a poor approximation.
FEW_DISCORDANT = 25
# All 2ⁿ signs are counted up to this n; a double holds these counts exactly.
EXACT_RANKS = 50
# Values that differ by a few rounding errors (0.3 and 0.1 + 0.2) are treated as equal.
ROUNDINGS = 8


@dataclass(frozen=True)
class PairedTest:
    """The result of a paired test of systems a and b.

    statistic and effect are positive if a is better, and change sign if a and b are swapped;
    McNemar's statistic does not, and its odds ratio becomes the reciprocal.
    """

    test: str
    statistic: float
    p: float
    """Two-sided; NaN for fewer than two pairs."""
    effect: float
    effect_name: str
    n: int
    """Pairs used: for sign tests and McNemar only those that differ."""
    note: str = ""
    """How ties, zeros, approximations and degenerate input were handled."""


def paired_t(a: ArrayLike, b: ArrayLike, *, test_share: float | None = None) -> PairedTest:
    """Paired t-test: is the mean of a − b zero?

    Parameters
    ----------
    a, b : one value per fold (draw, category)
    test_share : n_test / n_train of a fold, so 1/9 for 10 folds (not 1/10)
        With it the corrected resampled t-test (Nadeau & Bengio 2003): folds share training
        documents, so their differences are correlated, and the variance of their mean is
        (1/n + n_test/n_train) s² rather than s²/n. Without it, p is far too small on folds.

    The effect is Cohen's d_z = mean / standard deviation of the differences, corrected or not.
    A constant difference other than zero has no variance: statistic ±inf, p NaN.
    """
    check_share(test_share)
    name = "paired t-test" if test_share is None else "corrected resampled t-test"
    return _t_test(name, "paired_t", a, b, test_share)


def macro_t(f1_a: ArrayLike, f1_b: ArrayLike) -> PairedTest:
    """Yang & Liu's macro t-test (T-test): the paired t-test over the F1 of categories.

    All categories have the same weight, rare or not.
    """
    return _t_test("macro t-test", "macro_t", f1_a, f1_b, None)


def micro_sign(
    right_a: ArrayLike, right_b: ArrayLike, *, exact_up_to: int = EXACT_SIGNS
) -> PairedTest:
    """Yang & Liu's micro sign test (s-test) over all decisions about a document and a category.

    Parameters
    ----------
    right_a, right_b : was the decision right? booleans (or 0, 1) of equal shape, any dimension
    exact_up_to : p is exact (binomial) for n up to this, above it the normal approximation
        without continuity correction. 12 is Yang & Liu's rule.

    n is the number of decisions that exactly one system got right, k of them system a. The
    statistic is always Yang & Liu's Z = (k − n/2) / (√n / 2), the effect (k − (n − k)) / n.
    The test assumes independent decisions, although those about one document are not.
    """
    only_a, only_b, n_pairs = _discordant("micro_sign", right_a, right_b)
    name, n = "micro sign test", only_a + only_b
    if n_pairs < 2:
        return _too_few(name, "net wins", n_pairs)
    if n == 0:
        return PairedTest(name, 0.0, 1.0, 0.0, "net wins", 0, "the systems never differ")
    z = (only_a - only_b) / float(np.sqrt(n))
    if n <= exact_up_to:
        p, note = float(stats.binomtest(only_a, n).pvalue), "exact binomial"
    else:
        p, note = float(2 * stats.norm.sf(abs(z))), "normal approximation"
    return PairedTest(name, z, p, (only_a - only_b) / n, "net wins", n, note)


def mcnemar(
    right_a: ArrayLike,
    right_b: ArrayLike,
    *,
    correction: bool = True,
    exact: bool | Literal["auto"] = "auto",
) -> PairedTest:
    """McNemar's test (1947) on documents: are both systems wrong equally often? Dietterich 1998.

    Parameters
    ----------
    right_a, right_b : was the document classified right? booleans (or 0, 1)
    correction : Edwards' continuity correction, χ² = (|n₀₁ − n₁₀| − 1)² / (n₀₁ + n₁₀), at least 0
    exact : the binomial distribution instead of χ²; "auto" below 25 discordant pairs

    The statistic is χ², or the smaller count if the test is exact. The effect is the odds ratio of
    discordant pairs, only a right / only b right: inf if b never wins, 1 if neither does.
    """
    if exact != "auto" and not isinstance(exact, bool | np.bool_):
        raise LaconicError(f"mcnemar: exact={exact!r} is unknown. Give True, False or 'auto'")
    only_a, only_b, n_pairs = _discordant("mcnemar", right_a, right_b)
    name, n = "McNemar's test", only_a + only_b
    if n_pairs < 2:
        return _too_few(name, "odds ratio", n_pairs)
    if n == 0:
        return PairedTest(name, 0.0, 1.0, 1.0, "odds ratio", 0, "the systems never differ")
    odds = only_a / only_b if only_b else np.inf
    if exact is True or (exact == "auto" and n < FEW_DISCORDANT):
        p, smaller = float(stats.binomtest(only_a, n).pvalue), float(min(only_a, only_b))
        note = "exact binomial; the statistic is the smaller count"
        return PairedTest(name, smaller, p, odds, "odds ratio", n, note)
    excess = max(abs(only_a - only_b) - bool(correction), 0)
    chi2 = excess**2 / n
    note = "χ² with continuity correction" if correction else "χ² without continuity correction"
    return PairedTest(name, chi2, float(stats.chi2.sf(chi2, 1)), odds, "odds ratio", n, note)


def wilcoxon(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Wilcoxon's signed-rank test over datasets, as recommended by Demšar 2006 (section 3.1.3).

    Zeros are kept and their ranks split evenly between both systems; one is dropped if their number
    is odd. Differences that are equal up to rounding are ties and share their mean rank.
    p is exact up to 50 pairs without ties or zeros, otherwise from the normal approximation with
    tie correction, without continuity correction.

    The statistic is R⁺ − R⁻ (Demšar's T = min(R⁺, R⁻) follows from it), the effect the
    matched-pairs rank-biserial correlation (R⁺ − R⁻) / (R⁺ + R⁻).
    """
    a, b = _pairs("wilcoxon", a, b)
    name, effect_name = "Wilcoxon signed-rank test", "rank-biserial correlation"
    d = _differences(a, b)
    if len(d) < 2:
        return _too_few(name, effect_name, len(d))
    if not d.any():
        return PairedTest(name, 0.0, 1.0, 0.0, effect_name, len(d), "the systems never differ")
    zeros = np.flatnonzero(d == 0)
    d = np.delete(d, zeros[: len(zeros) % 2])
    levels = _levels(np.abs(d), _rounding(a, b))
    side, ranks = np.sign(d), stats.rankdata(levels)
    exact = len(d) <= EXACT_RANKS and np.bincount(levels).max() == 1
    p = stats.wilcoxon(
        side * (levels + 1),  # scipy would see no tie where rounding makes a difference
        zero_method="zsplit",
        correction=False,
        method="exact" if exact else "asymptotic",
    ).pvalue
    statistic, effect = float(ranks @ side), float(ranks @ side / ranks.sum())
    note = "exact" if exact else "normal approximation with tie correction"
    note += _about_zeros(len(zeros))
    return PairedTest(name, statistic, float(p), effect, effect_name, len(d), note)


def holm(ps: ArrayLike) -> Floats:
    """Holm's step-down adjustment (1979) of a family of p-values.

    The i-th smallest of m is multiplied by m − i + 1; results are made monotone and at most 1.
    NaN stays NaN and is not counted in m: a test that was not made cannot be a false alarm.
    """
    p = numbers("holm", "ps", ps)
    valid = ~np.isnan(p)
    if not ((p[valid] >= 0) & (p[valid] <= 1)).all():
        raise LaconicError(
            f"holm: p-values must be in [0, 1], but got {p[valid]}. Give raw p-values"
        )
    order = np.argsort(p, kind="stable")[: valid.sum()]  # NaN sort last
    steps = np.arange(len(order), 0, -1)
    adjusted = np.full_like(p, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps * p[order]), 1)
    return adjusted


def _t_test(
    name: str, function: str, a: ArrayLike, b: ArrayLike, share: float | None
) -> PairedTest:
    a, b = _pairs(function, a, b)
    d = _differences(a, b)
    n = len(d)
    if n < 2:
        return _too_few(name, "d_z", n)
    if not d.any():
        return PairedTest(name, 0.0, 1.0, 0.0, "d_z", n, "the systems never differ")
    mean = float(d.mean())
    if np.ptp(d) <= _rounding(a, b):
        infinite = float(np.copysign(np.inf, mean))
        # no variance: this happens with few folds of few documents
        return PairedTest(name, infinite, np.nan, infinite, "d_z", n, "the difference is constant")
    effect = mean / float(d.std(ddof=1))
    t = effect / mean_scale(n, share)
    return PairedTest(name, t, float(2 * stats.t.sf(abs(t), n - 1)), effect, "d_z", n)


def _about_zeros(n_zeros: int) -> str:
    if n_zeros < 2:
        return "; 1 zero dropped" * n_zeros
    return f"; {n_zeros} zeros, ranks split" + ", one dropped" * (n_zeros % 2)


def _levels(magnitudes: Floats, rounding: float) -> Indices:
    """0, 1, 2 … for ascending magnitudes; neighbours within `rounding` share a level."""
    order = np.argsort(magnitudes, kind="stable")
    steps = np.diff(magnitudes[order]) > rounding
    levels = np.zeros(len(order), dtype=np.intp)
    levels[order[1:]] = np.cumsum(steps)
    return levels


def _rounding(a: Floats, b: Floats) -> float:
    """The largest difference that rounding alone may cause."""
    return ROUNDINGS * float(np.finfo(float).eps * max(np.abs(a).max(), np.abs(b).max()))


def _differences(a: Floats, b: Floats) -> Floats:
    d = a - b
    if len(d):
        d[np.abs(d) <= _rounding(a, b)] = 0
    return d


def _too_few(name: str, effect_name: str, n: int) -> PairedTest:
    note = f"fewer than 2 pairs ({n}): no test possible"
    return PairedTest(name, np.nan, np.nan, np.nan, effect_name, n, note)


def _pairs(function: str, a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    x, y = numbers(function, "a", a), numbers(function, "b", b)
    _check_shapes(function, x, y)
    return finite(function, "a", x), finite(function, "b", y)


def _check_shapes(function: str, a: NDArray[Any], b: NDArray[Any]) -> None:
    if a.shape != b.shape:
        raise LaconicError(
            f"{function}: results must be paired, but their shapes are {a.shape} and {b.shape}. "
            "Give the results of both systems on the same items, in the same order"
        )


def _discordant(function: str, right_a: ArrayLike, right_b: ArrayLike) -> tuple[int, int, int]:
    """How often only a is right, how often only b, and the number of pairs."""
    a, b = _booleans(function, "right_a", right_a), _booleans(function, "right_b", right_b)
    _check_shapes(function, a, b)
    return int(np.count_nonzero(a & ~b)), int(np.count_nonzero(b & ~a)), a.size


def _booleans(function: str, parameter: str, values: ArrayLike) -> Bools:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise LaconicError(
            f"{function}: {parameter} must be an array of booleans: {error}"
        ) from error
    if array.dtype != bool and not np.all((array == 0) | (array == 1)):
        raise LaconicError(
            f"{function}: {parameter} must be booleans or 0 and 1 (was each decision right?), but "
            f"contains other values ({array.dtype}). Give decisions == labels"
        )
    return array.astype(bool)
