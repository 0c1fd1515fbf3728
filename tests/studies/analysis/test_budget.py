"""Limits and the budget table, on a curve of candidates by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.studies.analysis.budget import budget_rows, choose
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.layout import BUDGET
from laconic.studies.options import LimitOptions


def candidate(n_features: float, mean: float, se: float = 0.01, method: str = "IG") -> Candidate:
    return Candidate("p", method, int(n_features), "accuracy", mean, se, n_features, (mean,))


CURVE = [
    candidate(10, 0.70),
    candidate(50, 0.86),
    candidate(100, 0.885),
    candidate(200, 0.88, method="DF"),
    candidate(500, 0.895),
    candidate(1000, 0.90),
    candidate(5000, 0.891, method="ALL"),
]


def chosen(*limits, curve=CURVE):
    return choose(curve, LimitOptions(*limits), lambda c: 100 * c.n_features)


@pytest.mark.parametrize(
    ("limits", "n_features", "reason"),
    [
        ((), 500, "within one standard error (0.010) of the best"),
        ((0.0,), 1000, "at most 0 below the best"),
        ((0.02,), 100, "at most 0.02 below the best"),
        ((0.04,), 50, "at most 0.04 below the best"),
        ((1.0,), 10, "at most 1 below the best"),
        ((None, 300), 100, "the best within 300 features"),
        ((None, 5000), 1000, "the best within 5,000 features"),
        ((None, None, 60_000), 500, "the best within 60,000 bytes"),
        ((None, 300, 6_000), 50, "the best within 300 features and 6,000 bytes"),
        ((0.05, 300), 50, "at most 0.05 below the best"),
        ((0.02, 600, 10_000), 100, "at most 0.02 below the best"),
    ],
)
def test_limits(limits, n_features, reason):
    choice = chosen(*limits)
    assert (choice.chosen.n_features, choice.reason, choice.missed) == (n_features, reason, "")
    assert choice.best.n_features == 1000


@pytest.mark.parametrize(
    ("limits", "n_features", "missed"),
    [
        ((None, 5), 10, "no model is within 5 features"),
        ((None, None, 500), 10, "no model is within 500 bytes"),
        ((0.01, 60), 50, "no model within 60 features is at most 0.01 below the best"),
        ((0.01, 5, 9), 10, "no model is within 5 features and 9 bytes; no model within 5 features"),
    ],
)
def test_a_limit_that_no_model_meets_is_named_and_the_nearest_is_chosen(limits, n_features, missed):
    choice = chosen(*limits)
    assert choice.chosen.n_features == n_features
    assert choice.missed.startswith(missed)


def test_neighbours_are_the_best_smaller_and_the_smallest_better_one():
    choice = chosen(None, 300)
    assert (choice.cheaper.n_features, choice.better.n_features) == (50, 500)
    choice = chosen(0.0)
    assert (choice.cheaper.n_features, choice.better) == (500, None)
    assert (chosen(1.0).cheaper, chosen(1.0).better.n_features) == (None, 50)


CURVES = st.lists(
    st.tuples(st.integers(1, 99), st.floats(0, 1), st.floats(0, 0.2)), min_size=1, max_size=9
).map(lambda points: [candidate(n, mean, se) for n, mean, se in points])


@given(
    CURVES,
    st.none() | st.floats(0, 1),
    st.none() | st.integers(1, 99),
    st.none() | st.integers(1, 9900),
)
def test_the_choice_is_the_smallest_that_meets_all_limits(curve, loss, n_features, n_bytes):
    choice = chosen(loss, n_features, n_bytes, curve=curve)
    top = max(c.mean for c in curve)

    def meets(c):
        few = n_features is None or c.n_features <= n_features
        return few and (n_bytes is None or 100 * c.n_features <= n_bytes)

    within = [c for c in curve if meets(c)]
    near = [c for c in within if loss is None or c.mean >= top - loss - 1e-12]
    assert bool(choice.missed) == (not near)
    if near:
        assert choice.chosen in near
    if near and loss is not None:
        assert choice.chosen.n_features == min(c.n_features for c in near)
    if within and loss is None and (n_features or n_bytes):
        assert choice.chosen.mean >= max(c.mean for c in within) - 1e-12


def test_the_budget_is_the_smallest_model_for_each_loss():
    rows = budget_rows(CURVE, CURVE[4])
    assert tuple(row.loss for row in rows) == tuple(BUDGET) == (0, 0.005, 0.01, 0.02, 0.05)
    assert [row.candidate.n_features for row in rows] == [1000, 500, 500, 100, 50]
    assert [row.chosen for row in rows] == [False, True, True, False, False]


@given(CURVES)
def test_more_loss_never_needs_more_features(curve):
    rows = budget_rows(curve, curve[0])
    sizes = [row.candidate.n_features for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert rows[0].candidate.mean >= max(c.mean for c in curve) - 1e-9


def test_mistakes_of_a_row_are_those_of_its_candidate():
    (row, *_) = budget_rows([replace(CURVE[0], mistakes=12.0)], CURVE[0])
    assert row.mistakes == 12.0


@pytest.mark.parametrize(
    "limits", [{"max_loss": -0.1}, {"max_loss": 1.5}, {"max_features": 0}, {"max_bytes": 0}]
)
def test_limits_that_mean_nothing_are_refused(limits):
    (name,) = limits
    with pytest.raises(LaconicError, match=name):
        LimitOptions(**limits)
