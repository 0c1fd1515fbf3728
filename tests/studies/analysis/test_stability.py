"""Stability of selections: against the papers' formulas on dense 0/1 matrices."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.studies.analysis.stability import Stability, jaccard, kuncheva, nogueira

RNG = np.random.default_rng


def dense(selections, n_terms):
    Z = np.zeros((len(selections), n_terms))
    for row, terms in zip(Z, selections, strict=True):
        row[list(terms)] = 1
    return Z


def jaccard_by_sets(selections):
    values = []
    for a, b in combinations([set(np.asarray(s).tolist()) for s in selections], 2):
        values.append(len(a & b) / len(a | b) if a | b else 1.0)
    return np.mean(values)


def kuncheva_by_pairs(selections, n_terms):
    k, d = len(selections[0]), n_terms
    pairs = combinations([set(np.asarray(s).tolist()) for s in selections], 2)
    return np.mean([(len(a & b) * d - k * k) / (k * (d - k)) for a, b in pairs])


def nogueira_dense(selections, n_terms):
    """Definition 4 and Corollary 9 as they are printed: Φ̂ and its variance."""
    Z = dense(selections, n_terms)
    M, d = Z.shape
    variances = Z.var(axis=0, ddof=1)  # s_f² is the unbiased variance of a Bernoulli variable
    k, k_mean = Z.sum(axis=1), Z.sum() / M
    chance = k_mean / d * (1 - k_mean / d)
    value = 1 - variances.mean() / chance
    phi = np.zeros(M)
    for i in range(M):
        agreed = sum(Z[i, f] * Z[:, f].mean() for f in range(d)) / d
        drift = 2 * k_mean * k[i] / d**2 - k[i] / d - k_mean / d + 1
        phi[i] = (agreed - k[i] * k_mean / d**2 + value / 2 * drift) / chance
    return value, 4 / M**2 * ((phi - phi.mean()) ** 2).sum()


@st.composite
def runs(draw, one_size=False):
    n_terms = draw(st.integers(2, 12))
    n_runs = draw(st.integers(2, 6))
    size = draw(st.integers(1, n_terms - 1))
    terms = st.permutations(range(n_terms))
    cut = st.just(size) if one_size else st.integers(0, n_terms)
    return [np.array(draw(terms)[: draw(cut)], dtype=int) for _ in range(n_runs)], n_terms


@given(runs())
def test_jaccard_is_the_mean_over_pairs(case):
    selections, _ = case
    assert jaccard(selections) == pytest.approx(jaccard_by_sets(selections), abs=1e-12)


@given(runs(one_size=True))
def test_kuncheva_is_the_mean_over_pairs(case):
    assert kuncheva(*case) == pytest.approx(kuncheva_by_pairs(*case), abs=1e-12)


@given(runs(), st.sampled_from([(0.95, 1.959963984540054), (0.5, 0.6744897501960817)]))
def test_nogueira_is_the_papers_formula(case, level):
    selections, n_terms = case
    assume(0 < sum(map(len, selections)) < len(selections) * n_terms)
    share, z = level
    value, variance = nogueira_dense(selections, n_terms)
    found = nogueira(selections, n_terms, share)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.high - found.value == pytest.approx(z * np.sqrt(variance), abs=1e-9)
    assert found.value - found.low == pytest.approx(z * np.sqrt(variance), abs=1e-9)


@given(runs(one_size=True))
def test_for_one_size_nogueira_is_kuncheva(case):
    assert nogueira(*case).value == pytest.approx(kuncheva(*case), abs=1e-12)


@given(runs())
def test_nogueira_is_1_just_if_all_are_the_same_and_at_least_its_bound(case):
    selections, n_terms = case
    value = nogueira(selections, n_terms).value
    assume(not np.isnan(value))
    same = len({frozenset(s.tolist()) for s in selections}) == 1
    assert (value == 1) == same
    assert -1 / (len(selections) - 1) - 1e-12 <= value <= 1


@given(runs(), st.randoms(use_true_random=False))
def test_order_of_runs_and_terms_and_names_of_terms_change_nothing(case, random):
    selections, n_terms = case
    names = list(range(n_terms))
    random.shuffle(names)
    other = [np.array(names, dtype=int)[s][::-1] for s in selections]
    random.shuffle(other)
    assert jaccard(other) == pytest.approx(jaccard(selections), abs=1e-12)
    before, after = nogueira(selections, n_terms), nogueira(other, n_terms)
    assert after == pytest.approx(before, abs=1e-9, nan_ok=True)


def test_worked_by_hand():
    selections = [[0, 1], [1, 2], [0, 1]]  # of 4 terms; pairs share 1, 2, 1
    assert jaccard(selections) == pytest.approx((1 / 3 + 1 + 1 / 3) / 3)
    # (4r − 4) / 4 = r − 1, so 0, 1, 0
    assert kuncheva(selections, 4) == pytest.approx(1 / 3)
    # s² = 3/2 · (2/9, 0, 2/9, 0), mean 1/6, over 1/2 · 1/2
    assert nogueira(selections, 4).value == pytest.approx(1 - 4 / 6)


def test_apart_is_the_minimum():
    assert jaccard([[0, 1], [2, 3]]) == 0
    assert kuncheva([[0, 1], [2, 3]], 4) == -1
    assert nogueira([[0, 1], [2, 3]], 4).value == -1


def test_random_selections_have_stability_0():
    """5 standard errors of the mean: a false alarm in 10⁶ seeds, for each of the two.

    With the sizes given, pairs share k_i k_j / d terms in expectation, the mean of which is
    (k̄² − S²/M) / d; from it the small negative bias that `nogueira` states.
    """
    rng = RNG(0)
    equal, unequal = [], []
    for _ in range(400):
        equal.append(kuncheva([rng.permutation(60)[:15] for _ in range(6)], 60))
        sizes = rng.integers(1, 50, size=6)
        bias = -sizes.var(ddof=1) / (6 * sizes.mean() * (60 - sizes.mean()))
        unequal.append(nogueira([rng.permutation(60)[:k] for k in sizes], 60).value - bias)
    for values in (equal, unequal):
        assert abs(np.mean(values)) < 5 * np.std(values) / np.sqrt(len(values))


def test_the_interval_covers_the_true_stability():
    """Terms chosen independently with chances p_f, so that Φ is known: 1 − mean p(1−p) / p̄(1−p̄).

    Of 300 intervals at 0.9 about 270 cover it; fewer than 240 has a chance below 10⁻⁶ at 0.9, and
    the asymptotics may cost a little. More than 295 would say that they are far too wide.
    """
    rng = RNG(1)
    p = rng.beta(0.3, 0.7, size=80)
    truth = 1 - (p * (1 - p)).mean() / (p.mean() * (1 - p.mean()))
    covered = 0
    for _ in range(300):
        found = nogueira([np.flatnonzero(rng.random(80) < p) for _ in range(40)], 80, 0.9)
        covered += found.low <= truth <= found.high
    assert 240 <= covered <= 295


def test_a_million_terms():
    rng = RNG(2)
    selections = [rng.choice(1_000_000, 5000, replace=False) for _ in range(20)]
    assert abs(kuncheva(selections, 1_000_000)) < 0.01
    assert nogueira(selections, 1_000_000).value == pytest.approx(kuncheva(selections, 1_000_000))
    assert 0 < jaccard(selections) < 0.01
    assert nogueira([selections[0]] * 3, 1_000_000) == (1, 1, 1)


@pytest.mark.parametrize("selections", [[], [[0, 1]]])
def test_fewer_than_two_selections_are_nan(selections):
    assert np.isnan(jaccard(selections))
    assert np.isnan(kuncheva(selections, 5))
    assert np.isnan(nogueira(selections, 5)).all()


@pytest.mark.parametrize("terms", [[], [0, 1, 2]])
def test_none_or_all_of_three_terms_in_every_run(terms):
    assert jaccard([terms, terms]) == 1
    assert np.isnan(kuncheva([terms, terms], 3))
    assert np.isnan(nogueira([terms, terms], 3)).all()


def test_one_empty_run_among_others_counts():
    assert jaccard([[], [0]]) == 0
    assert isinstance(nogueira([[], [0]], 3), Stability)
    assert nogueira([[], [0]], 3).value == pytest.approx(nogueira_dense([[], [0]], 3)[0])


@pytest.mark.parametrize(
    ("selections", "says"),
    [
        ([[0], [0, 0]], "selection 1 has 2 columns, but only 1 distinct"),
        ([[0], [-1]], "selection 1: column -1 is negative"),
        ([[0.5], [1]], "selection 0 must be a 1-D array of column numbers"),
        ([[[0]], [1]], "selection 0 must be a 1-D array of column numbers"),
        ([[True], [False]], "selection 0 must be a 1-D array of column numbers"),
        ([[0], [4]], "selection 1 has column 4, but n_terms=4"),
    ],
)
def test_bad_selections_are_refused(selections, says):
    with pytest.raises(LaconicError, match=says):
        nogueira(selections, 4)


def test_kuncheva_refuses_unequal_sizes():
    with pytest.raises(LaconicError, match="range from 1 to 2"):
        kuncheva([[0], [1, 2]], 4)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_outside_is_refused(level):
    with pytest.raises(LaconicError, match=f"level={level}"):
        nogueira([[0], [1]], 4, level)
