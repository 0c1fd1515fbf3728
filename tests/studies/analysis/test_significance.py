"""Paired tests: against definitions, statsmodels, published examples and hand computation."""

from __future__ import annotations

from collections import Counter
from dataclasses import FrozenInstanceError
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from statsmodels.stats import contingency_tables
from statsmodels.stats.multitest import multipletests

from laconic.errors import LaconicError
from laconic.studies.analysis.intervals import Interval, band, interval
from laconic.studies.analysis.significance import (
    holm,
    macro_t,
    mcnemar,
    micro_sign,
    paired_t,
    wilcoxon,
)

RNG = np.random.default_rng
CLOSE = {"rel": 1e-10, "abs": 1e-12}

# Demšar 2006, Table 2: AUC of C4.5 and of C4.5 with tuned m, over 14 datasets.
C45 = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1, 0.940, 0.619, 0.972, 0.957]
C45_M = [
    *(0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1, 0.962, 0.666, 0.981, 0.978)
]


def decisions(only_a, only_b, both=0, neither=0):
    """right_a, right_b with these counts."""
    right_a = np.repeat([True, False, True, False], [only_a, only_b, both, neither])
    right_b = np.repeat([False, True, True, False], [only_a, only_b, both, neither])
    return right_a, right_b


fine = st.floats(0, 1, width=16)


@st.composite
def metrics(draw, values=fine):
    n = draw(st.integers(2, 14))
    vector = hnp.arrays(np.float64, n, elements=values)
    return draw(vector), draw(vector)


coarse = metrics(st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7]))  # many ties and zeros
outcomes = metrics(st.sampled_from([0.0, 1.0]))
counts = st.integers(0, 60)


# paired t


@given(metrics())
def test_t_is_scipys(case):
    a, b = case
    found, d = paired_t(a, b), a - b
    if np.ptp(d) > 1e-12:
        wanted = stats.ttest_rel(a, b)
        assert found.statistic == pytest.approx(wanted.statistic, **CLOSE)
        assert found.p == pytest.approx(wanted.pvalue, **CLOSE)
        assert found.effect == pytest.approx(d.mean() / np.sqrt(d.var(ddof=1)), **CLOSE)
        assert (found.effect_name, found.n, found.note) == ("d_z", len(a), "")


def test_t_by_hand():
    # d = 1, 2, 3: mean 2, s = 1, so t = 2√3 with 2 degrees: p = 1 − t/√(2 + t²)
    found = paired_t([2, 4, 6], [1, 2, 3])
    assert (found.statistic, found.effect) == pytest.approx((2 * np.sqrt(3), 2))
    assert found.p == pytest.approx(1 - np.sqrt(12 / 14))


@given(metrics(), st.floats(0.01, 2))
def test_corrected_t_is_nadeau_and_bengios(case, test_share):
    a, b = case
    found, d, n = paired_t(a, b, test_share=test_share), a - b, len(a)
    if np.ptp(d) > 1e-12:
        t = d.mean() / np.sqrt((1 / n + test_share) * d.var(ddof=1))
        assert found.statistic == pytest.approx(t, **CLOSE)
        assert found.p == pytest.approx(2 * stats.t.cdf(-abs(t), n - 1), **CLOSE)
        assert found.effect == paired_t(a, b).effect
        assert found.p >= paired_t(a, b).p
        assert found.test == "corrected resampled t-test"


def test_the_correction_of_ten_folds():
    # 1/10 + 1/9 = 19/90 in place of 1/10: t shrinks by √(9/19)
    a, b = RNG(0).random((2, 10))
    ratio = paired_t(a, b, test_share=1 / 9).statistic / paired_t(a, b).statistic
    assert ratio == pytest.approx(np.sqrt(9 / 19))


@pytest.mark.parametrize("share", [0, -0.1, np.nan, np.inf])
def test_a_share_that_is_none_is_refused(share):
    for ask in (
        lambda: paired_t([1, 2], [2, 4], test_share=share),
        lambda: interval([1, 2], test_share=share),
    ):
        with pytest.raises(LaconicError, match="n_test / n_train"):
            ask()


@given(metrics())
def test_macro_t_is_the_paired_t_over_categories(case):
    found, wanted = macro_t(*case), paired_t(*case)
    assert found.test == "macro t-test"
    assert (found.statistic, found.p, found.effect) == (wanted.statistic, wanted.p, wanted.effect)


# sign tests


@given(counts, counts, st.integers(2, 9))
def test_the_exact_sign_test_counts_coins(only_a, only_b, both):
    right_a, right_b = decisions(only_a, only_b, both)
    n = only_a + only_b
    # the definition: all sequences of n fair coins that are at least as uneven
    wanted = sum(comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= abs(only_a - only_b)) / 2**n
    result = micro_sign(right_a, right_b)
    assert result.p == pytest.approx(wanted, **CLOSE)
    assert result.n == n
    assert result.effect == pytest.approx((only_a - only_b) / n if n else 0, **CLOSE)
    assert result.note == ("exact binomial" if n else "the systems never differ")
    z = (only_a - n / 2) / (0.5 * np.sqrt(n)) if n else 0
    assert result.statistic == pytest.approx(z, **CLOSE)


def test_yang_and_lius_rule():
    """Exact up to 12, Z above: k = 10 of n = 13, whose exact p is 0.0923."""
    for only_a, only_b, p in [(10, 2, 0.03857421875), (10, 3, 2 * stats.norm.sf(7 / np.sqrt(13)))]:
        assert micro_sign(*decisions(only_a, only_b), exact_up_to=12).p == pytest.approx(p)
    assert micro_sign(*decisions(10, 3), exact_up_to=12).note == "normal approximation"
    assert micro_sign(*decisions(10, 3)).p == pytest.approx(0.09228515625)


def test_demsars_counts_of_wins():
    """The tuned tree wins on 10 datasets, loses on 2; the 2 equal ones are left out."""
    found = micro_sign(np.greater(C45_M, C45), np.greater(C45, C45_M))
    assert (found.n, found.effect) == (12, pytest.approx(8 / 12))
    assert found.p == pytest.approx(2 * (1 + 12 + 66) / 2**12)


def test_millions_of_decisions():
    right_a, right_b = decisions(1_502_000, 1_498_000, 100, 100)
    found = micro_sign(right_a.reshape(-1, 100), right_b.reshape(-1, 100))
    assert (found.n, found.note) == (3_000_000, "normal approximation")
    assert found.p == pytest.approx(2 * stats.norm.sf(4000 / np.sqrt(3e6)))
    exact = micro_sign(right_a, right_b, exact_up_to=10**9)
    assert exact.p == pytest.approx(stats.binomtest(1_498_000, 3_000_000).pvalue)
    assert exact.p == pytest.approx(found.p, rel=0.003)
    assert micro_sign(*decisions(10**6, 0)).p == 0
    assert micro_sign(*decisions(500_000, 500_000)).p == 1
    assert (micro_sign(*decisions(500_000, 500_000)).note, exact.note) == ("exact binomial",) * 2
    assert micro_sign(*decisions(500_001, 500_000)).note == "normal approximation"


# McNemar


@given(counts, counts, st.booleans(), st.sampled_from([True, False, "auto"]))
def test_mcnemar_is_statsmodels(only_a, only_b, correction, exact):
    right_a, right_b = decisions(only_a, only_b, 5, 3)
    found = mcnemar(right_a, right_b, correction=correction, exact=exact)
    n = only_a + only_b
    if n == 0:
        assert (found.statistic, found.p, found.effect) == (0, 1, 1)
        return
    binomial = n < 25 if exact == "auto" else exact
    table = [[5, only_a], [only_b, 3]]
    wanted = contingency_tables.mcnemar(table, exact=binomial, correction=correction)
    # where both are equal statsmodels corrects 0 to 1/n; a correction should not overshoot
    statistic, p = (wanted.statistic, wanted.pvalue) if only_a != only_b or binomial else (0, 1)
    assert found.statistic == pytest.approx(statistic, **CLOSE)
    assert found.p == pytest.approx(p, **CLOSE)
    assert found.n == n
    assert found.effect == (only_a / only_b if only_b else np.inf)
    assert ("exact" in found.note) == binomial


def test_agrestis_approval_of_the_prime_minister():
    """Agresti, Categorical Data Analysis: 794, 150; 86, 570 approve twice, once … z₀ = −4.17."""
    right_a, right_b = decisions(86, 150, 794, 570)
    found = mcnemar(right_a, right_b, correction=False)
    assert found.statistic == pytest.approx(64**2 / 236)
    assert np.sqrt(found.statistic) == pytest.approx(4.17, abs=0.005)
    assert found.p < 0.0001
    assert found.effect == pytest.approx(86 / 150)
    corrected = mcnemar(right_a, right_b)
    assert corrected.statistic == pytest.approx(63**2 / 236)
    assert "with continuity" in corrected.note
    assert "without continuity" in found.note


def test_dietterichs_formula():
    """Dietterich 1998: (|n₀₁ − n₁₀| − 1)² / (n₀₁ + n₁₀), here (20 − 1)² / 40."""
    found = mcnemar(*decisions(30, 10, 50, 10))
    assert found.statistic == pytest.approx(9.025)
    assert found.p == pytest.approx(stats.chi2.sf(9.025, 1))


def test_mcnemar_changes_to_chi_square_at_25():
    assert "exact" in mcnemar(*decisions(16, 8)).note
    assert "χ²" in mcnemar(*decisions(16, 9)).note


def test_odds_ratio_of_zeros():
    assert mcnemar(*decisions(3, 0, 2)).effect == np.inf
    assert mcnemar(*decisions(0, 3, 2)).effect == 0


def test_mcnemar_knows_its_options():
    with pytest.raises(LaconicError, match="exact='never'"):
        mcnemar([1, 0], [0, 1], exact="never")


# Wilcoxon


def test_demsars_wilcoxon():
    """R⁺ = 93 and R⁻ = 12 of 105: below the critical 21, so significant at 0.05."""
    found = wilcoxon(C45_M, C45)
    assert (found.statistic, found.n) == (93 - 12, 14)
    assert found.effect == pytest.approx(81 / 105)
    variance = 14 * 15 * 29 / 24 - 2 * (2**3 - 2) / 48  # two tied pairs: the zeros, and ±0.005
    assert found.p == pytest.approx(2 * stats.norm.sf((52.5 - 12) / np.sqrt(variance)))
    assert found.note == "normal approximation with tie correction; 2 zeros, ranks split"


def distinct(n, seed):
    rng = RNG(seed)
    return (rng.permutation(n) + 1.0) * rng.choice([-1, 1], n)


def ways(n):
    """In how many of the 2ⁿ signs R⁻ has each value."""
    counts = Counter({0: 1})
    for rank in range(1, n + 1):
        counts = counts + Counter({total + rank: times for total, times in counts.items()})
    return counts


@pytest.mark.parametrize("n", [2, 3, 5, 10, 25, 49, 50, 51, 80])
@pytest.mark.parametrize("seed", range(3))
def test_wilcoxon_without_ties(n, seed):
    d = distinct(n, seed)
    result = wilcoxon(d, np.zeros(n))
    assert result.statistic == d.sum()
    if n <= 50:
        smaller = (n * (n + 1) // 2 - abs(int(d.sum()))) // 2
        tail = sum(times for total, times in ways(n).items() if total <= smaller)
        wanted = min(1, 2 * tail / 2**n)
    else:
        wanted = 2 * stats.norm.sf(abs(d.sum()) / np.sqrt(n * (n + 1) * (2 * n + 1) / 6))
    assert result.p == pytest.approx(wanted, **CLOSE)
    assert (result.note == "exact") == (n <= 50)


@pytest.mark.parametrize("n", [2, 3, 6, 9])
def test_exact_wilcoxon_counts_all_signs(n):
    ranks, d = np.arange(1, n + 1), distinct(n, 7)
    found = wilcoxon(d, np.zeros(n))
    sums = np.array([np.dot(ranks, y_signed) for y_signed in product([-1, 1], repeat=n)])
    assert found.p == pytest.approx((np.abs(sums) >= abs(np.abs(d) @ np.sign(d))).mean())


@given(coarse)
def test_wilcoxon_with_ties_and_zeros_splits_the_ranks_of_zeros(case):
    a, b = case
    d = np.round(a - b, 9)
    zeros = np.flatnonzero(d == 0)
    if len(zeros) % 2:  # Demšar leaves one out
        d = np.delete(d, zeros[0])
    magnitudes = np.unique(np.abs(d))
    found = wilcoxon(a, b)
    if not d.any():
        assert (found.statistic, found.p, found.effect) == (0, 1, 0)
    elif len(magnitudes) < len(d):
        n, ties = len(d), np.unique_counts(np.abs(d)).counts
        ranks = [(np.abs(d) < abs(x)).sum() + ((np.abs(d) == abs(x)).sum() + 1) / 2 for x in d]
        statistic = np.dot(ranks, np.sign(d))
        variance = n * (n + 1) * (2 * n + 1) / 6 - (ties**3 - ties).sum() / 12
        assert found.p == pytest.approx(
            2 * stats.norm.sf(abs(statistic) / np.sqrt(variance)), **CLOSE
        )
        assert found.statistic == pytest.approx(statistic)
        assert found.n == n
        assert "tie correction" in found.note


def test_an_odd_zero_is_left_out_and_said():
    found = wilcoxon([3, 1, 4, 9], [3, 2, 2, 4])
    assert (found.n, found.statistic) == (3, 2 + 3 - 1)
    assert found.note == "exact; 1 zero dropped"
    assert wilcoxon([1, 1, 1, 3], [1, 1, 1, 2]).note.endswith("; 3 zeros, ranks split, one dropped")


@given(coarse)
def test_rank_biserial_is_the_sum_of_favourable_minus_unfavourable_ranks(case):
    found = wilcoxon(*case)
    assert -1 <= found.effect <= 1
    if found.note != "the systems never differ":
        assert found.effect == pytest.approx(found.statistic / (found.n * (found.n + 1) / 2))


def test_roundings_make_ties_and_zeros():
    """0.1 + 0.2 is not 0.3, and 0.3 − 0.2 not 0.2 − 0.1, but as measures they are."""
    noisy, plain = [0.1 + 0.2, 0.7 + 0.1, 0.5], [0.3, 0.8, 0.5]
    for test in (paired_t, wilcoxon):
        assert (test(noisy, plain).statistic, test(noisy, plain).p) == (0, 1)
    found = wilcoxon([0.3, 0.2, 0.9], [0.2, 0.1, 0.1])
    assert "tie correction" in found.note
    assert paired_t([0.3, 0.2, 0.9], [0.2, 0.1, 0.8]).statistic == np.inf


# Holm


@pytest.mark.full
@settings(max_examples=30)  # multipletests takes 50 ms
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_statsmodels(ps):
    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1], **CLOSE)


@given(st.lists(st.one_of(st.floats(0, 1), st.just(np.nan)), max_size=12))
def test_holm_keeps_order_and_nan(ps):
    p, adjusted = np.array(ps, dtype=float), holm(ps)
    known = ~np.isnan(p)
    np.testing.assert_array_equal(np.isnan(adjusted), ~known)
    np.testing.assert_array_equal(adjusted[known], holm(p[known]))
    assert (adjusted[known] >= p[known]).all()
    assert (adjusted[known] <= 1).all()
    assert (np.diff(adjusted[known][np.argsort(p[known])]) >= 0).all()


def test_holm_by_hand():
    # 0.01·4, 0.02·3, 0.03·2 → 0.06 as well (monotone), 0.04·1 → 0.06
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.7]) == pytest.approx([1, 1])
    assert holm([]).shape == (0,)


def test_demsars_holm():
    """Demšar 2006, section 3.2.2, three variants of C4.5 against it: the first two are rejected.

    0.016 < 0.05/3 and 0.019 < 0.05/2, but 0.607 > 0.05.
    """
    adjusted = holm([0.019, 0.607, 0.016])
    assert adjusted == pytest.approx([0.048, 0.607, 0.048])
    assert (adjusted < 0.05).tolist() == [True, False, True]


@pytest.mark.parametrize("ps", [[-0.1], [1.1], [[0.5]], ["x"]])
def test_holm_refuses_what_are_no_p_values(ps):
    with pytest.raises(LaconicError, match="holm"):
        holm(ps)


# intervals


@given(hnp.arrays(np.float64, st.integers(2, 12), elements=st.floats(0, 1)), st.floats(0.1, 0.999))
def test_interval_is_scipys(values, level):
    found = interval(values, level)
    if values.std() > 1e-9:
        wanted = stats.t.interval(level, len(values) - 1, values.mean(), stats.sem(values))
        assert (found.low, found.high) == pytest.approx(wanted, **CLOSE)
    assert found.mean == pytest.approx(values.mean())
    assert found.low <= found.mean <= found.high


def test_interval_by_hand_and_widened():
    # 1, 2, 3: s = 1, and t of 2 degrees at 0.975 is 4.302653
    assert interval([1, 2, 3]) == pytest.approx((2, 2 - 4.3026527 / 3**0.5, 2 + 4.3026527 / 3**0.5))
    wide = interval([1, 2, 3], test_share=0.5)
    assert wide.high == pytest.approx(2 + 4.3026527 * np.sqrt(1 / 3 + 1 / 2))


def test_interval_agrees_with_the_test():
    """The interval of a − b at level 1 − p ends at 0, corrected or not."""
    a, b = RNG(3).random((2, 8))
    for share in (None, 0.25):
        ends = interval(a - b, 1 - paired_t(a, b, test_share=share).p, test_share=share)
        assert min(abs(ends.low), abs(ends.high)) == pytest.approx(0, abs=1e-9)


def test_few_values_have_no_limits():
    assert interval([0.7]) == pytest.approx((0.7, np.nan, np.nan), nan_ok=True)
    assert interval([]) == pytest.approx((np.nan,) * 3, nan_ok=True)
    assert band([[0.6, 0.8]]) == pytest.approx((0.7, np.nan, np.nan), nan_ok=True)


def test_band_counts_folds_not_seeds():
    values = RNG(4).random((5, 3))
    assert band(values, 0.9, test_share=0.25) == pytest.approx(
        interval(values.mean(axis=1), 0.9, test_share=0.25)
    )
    assert band(np.repeat(values, 7, axis=1)) == pytest.approx(band(values))
    assert isinstance(band(values), Interval)
    # folds weigh the same, however many seeds
    assert band([[1, 1, 1], [3]]).mean == 2


def test_intervals_refuse():
    for bad, says in [
        (lambda: interval([1, np.nan]), "the first at 1"),
        (lambda: interval([1, 2], 95), "level=95"),
        (lambda: interval([[1, 2]]), "one dimension"),
        (lambda: band([[1], []]), "a fold has no values"),
        (lambda: band([[1], [np.inf]]), "must be finite"),
    ]:
        with pytest.raises(LaconicError, match=says):
            bad()


# all tests

OF_VALUES = [paired_t, macro_t, wilcoxon]
OF_DECISIONS = [micro_sign, mcnemar]


@given(metrics() | coarse | outcomes, st.data())
def test_swap_and_order(case, data):
    a, b = case
    order = np.array(data.draw(st.permutations(range(len(a)))))
    for test in OF_VALUES:
        found, swapped, permuted = test(a, b), test(b, a), test(a[order], b[order])
        assert 0 <= found.p <= 1 or found.note == "the difference is constant"
        assert swapped.p == pytest.approx(found.p, **CLOSE, nan_ok=True)
        assert swapped.statistic == pytest.approx(-found.statistic, **CLOSE)
        assert swapped.effect == pytest.approx(-found.effect, **CLOSE)
        for field in ("p", "statistic", "effect", "n"):
            assert getattr(permuted, field) == pytest.approx(
                getattr(found, field), **CLOSE, nan_ok=True
            )
        assert permuted.note == found.note == swapped.note


@given(outcomes, st.data())
def test_swap_and_order_of_decisions(case, data):
    a, b = case
    order = np.array(data.draw(st.permutations(range(len(a)))))
    for test in OF_DECISIONS:
        found, swapped = test(a, b), test(b, a)
        assert test(a[order], b[order]) == test(a.astype(bool), b.astype(bool)) == found
        assert 0 <= found.p <= 1
        assert swapped.p == found.p
    assert micro_sign(b, a).statistic == -micro_sign(a, b).statistic
    assert micro_sign(b, a).effect == -micro_sign(a, b).effect
    assert mcnemar(b, a).statistic == mcnemar(a, b).statistic
    odds = mcnemar(a, b).effect
    assert mcnemar(b, a).effect == pytest.approx(1 / odds if odds else np.inf)


@pytest.mark.parametrize("test", OF_VALUES + OF_DECISIONS)
def test_identical_systems(test):
    found = test([1, 0, 1], [1, 0, 1])
    assert (found.statistic, found.p) == (0, 1)
    assert found.effect == (1 if test is mcnemar else 0)
    assert found.note == "the systems never differ"


@pytest.mark.parametrize("test", OF_VALUES + OF_DECISIONS)
@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_pairs(test, n):
    found = test([1] * n, [0] * n)
    assert np.isnan([found.p, found.statistic, found.effect]).all()
    assert found.n == n
    assert found.note.startswith("fewer than 2 pairs")


@pytest.mark.parametrize("sign", [1, -1])
def test_a_constant_difference(sign):
    found = paired_t([0.5 + sign * 0.1, 0.7 + sign * 0.1], [0.5, 0.7])
    assert (found.statistic, found.effect) == (sign * np.inf, sign * np.inf)
    assert np.isnan(found.p)
    assert found.note == "the difference is constant"


@pytest.mark.parametrize("test", OF_VALUES + OF_DECISIONS)
def test_what_cannot_be_paired_is_refused(test):
    for a, b in [
        ([1, 0, 1], [1, 0]),
        ([1, np.nan], [1, 0]),
        ([1, 0], [np.nan, 0]),
        ([1, [0]], [1, 0]),
        (["x", "y"], [1, 0]),
    ]:
        with pytest.raises(LaconicError, match=test.__name__):
            test(a, b)


def test_shapes_are_named():
    with pytest.raises(LaconicError, match=r"shapes are \(3,\) and \(2,\)"):
        paired_t([1, 2, 3], [1, 2])
    with pytest.raises(LaconicError, match=r"shapes are \(1, 2\) and \(2,\)"):
        micro_sign([[1, 0]], [1, 0])
    with pytest.raises(LaconicError, match="one dimension"):
        wilcoxon([[1, 2]], [[1, 3]])
    with pytest.raises(LaconicError, match="0 and 1"):
        mcnemar([1, 2], [1, 0])


def test_a_verdict_is_frozen():
    with pytest.raises(FrozenInstanceError):
        paired_t([1, 2], [2, 4]).p = 0
