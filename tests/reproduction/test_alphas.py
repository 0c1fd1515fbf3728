"""Means over folds and sets, and who beats whom: against the definitions."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from laconic.methods import parse_method
from laconic.rows import Row
from laconic.studies.analysis.significance import holm
from laconic.studies.options import TrainingOptions
from reproduction.dasgupta2007 import experiment as dasgupta
from reproduction.keerthi2005 import experiment as keerthi
from reproduction.kolcz2007 import experiment as kolcz
from reproduction.paul2014 import experiment as paul
from reproduction.paul2014.alphas import (
    alpha_comparison_tables,
    alpha_comparisons,
    mean_tables,
    means_by_problem,
    split_alpha,
    with_alphas,
)
from reproduction.torkkola import experiment as torkkola

METHODS = ("IG+ridge", "SS:rank=3:draw=iid+ridge", "IG+svm")


def row(problem, method, value, size=10, fold="1", draw=0, metric="error"):
    return Row(problem, method, size, metric, value, fold=fold, draw=draw)


def test_every_method_gets_every_lambda_and_gives_it_back():
    names = with_alphas(METHODS, (0.25, 0.5))
    assert names[:2] == ("IG+ridge:alpha=0.25", "IG+ridge:alpha=0.5")
    assert [parse_method(name).alpha for name in names] == [0.25, 0.5] * 3
    assert [parse_method(name).name for name in names] == list(names)
    in_paper = ("IG", "SS:rank=3:draw=iid", "IG+svm")
    assert [split_alpha(name) for name in names] == [(m, a) for m in in_paper for a in (0.25, 0.5)]


def test_draws_are_averaged_before_folds():
    rows = [
        row("p", "IG+ridge:alpha=1.0", 0.2, fold="1", draw=0),
        row("p", "IG+ridge:alpha=1.0", 0.4, fold="1", draw=1),
        row("p", "IG+ridge:alpha=1.0", 0.7, fold="2", draw=0),
        row("p", "IG+ridge:alpha=1.0", None, fold="3"),
        row("p", "IG+ridge:alpha=1.0", 0.9, fold="1", metric="recall_macro"),
        row("q", "IG+ridge:alpha=1.0", 0.1),
        row("p", "IG+ridge:alpha=2.0", 0.6),
        row("p", "IG+ridge:alpha=1.0", 0.8, size=20),
    ]
    found = means_by_problem(rows, "error")
    assert found["IG", 1.0, 10] == {"p": pytest.approx((0.3 + 0.7) / 2), "q": 0.1}
    assert found["IG", 2.0, 10] == {"p": 0.6}
    assert found["IG", 1.0, 20] == {"p": 0.8}
    assert means_by_problem(rows[::-1], "error") == found


values = st.floats(0, 1, allow_subnormal=False)


@given(st.dictionaries(st.sampled_from("pqrst"), st.lists(values, min_size=1, max_size=4)))
def test_a_mean_is_over_folds_then_sets(by_problem):
    rows = [
        row(problem, "IG+ridge:alpha=1.0", value, fold=f"{fold}")
        for problem, folds in by_problem.items()
        for fold, value in enumerate(folds)
    ]
    *_, flat = mean_tables(rows, "error")
    expected = [sum(folds) / len(folds) for folds in by_problem.values()]
    for line in flat.lines:
        told = dict(zip(flat.columns, line, strict=True))
        assert float(told["mean"]) == pytest.approx(np.mean(expected), abs=1e-6)
        sd = np.std(expected, ddof=1) if len(expected) > 1 else 0.0
        assert float(told["sd"]) == pytest.approx(sd, abs=1e-6)
        assert told["sets"] == len(expected)
    assert len(flat.lines) == (1 if by_problem else 0)


def test_tables_are_methods_by_lambda_for_each_group_and_size():
    rows = [
        row(problem, f"{method}+ridge:alpha={alpha}", 0.1 * n, size=size)
        for n, (problem, size, method, alpha) in enumerate(
            (p, s, m, a)
            for p in ("a1", "a2", "b1")
            for s in (10, 20)
            for m in ("IG", "DF")
            for a in (0.5, 0.1)
        )
    ]
    first, *_, flat = tables = mean_tables(rows, "error", group=lambda problem: problem[0])
    assert [table.title.partition(", mean")[0] for table in tables[:-1]] == [
        f"error in %, {group}, size {size}" for group in "ab" for size in (10, 20)
    ]
    assert first.columns == ("method", "alpha = 0.1", "alpha = 0.5")
    # a1 has 10 and 0, a2 has 90 and 80
    assert first.lines[0] == ("IG", "50.00 ± 56.57", "40.00 ± 56.57")
    assert "2 sets" in first.title
    assert "1 set" in tables[2].title
    assert len(flat.lines) == 16
    assert not flat.shown


def contest(own, other, third):
    rows = [row(f"s{n}", "BSS+ridge:alpha=1.0", value) for n, value in enumerate(own)]
    rows += [row(f"s{n}", "IG+ridge:alpha=1.0", value) for n, value in enumerate(other)]
    return rows + [row(f"s{n}", "DF+ridge:alpha=1.0", value) for n, value in enumerate(third)]


def test_a_pairing_is_wilcoxons_test_over_the_sets_corrected_for_the_other_methods():
    rng = np.random.default_rng(3)
    own, other, third = rng.random((3, 12))
    found = list(alpha_comparisons(contest(own, other, third[:10]), "error", "BSS"))
    assert [one.method for one in found] == ["IG", "DF"]
    for one, theirs in zip(found, (other, third[:10]), strict=True):
        mine = own[: len(theirs)]
        assert one.p == pytest.approx(stats.wilcoxon(mine, theirs, method="exact").pvalue)
        assert one.lead == pytest.approx((theirs - mine).mean())
        assert one.wins == sum(a < b for a, b in zip(mine, theirs, strict=True))
        assert one.losses == len(mine) - one.wins
    assert [one.corrected for one in found] == holm([one.p for one in found]).tolist()
    assert found[0].corrected > found[0].p


def test_less_error_is_a_lead_and_a_positive_effect():
    own = np.linspace(0.1, 0.2, 8)
    rows = contest(own, own + np.linspace(0.01, 0.08, 8), own)
    better, same = alpha_comparisons(rows, "error", "BSS")
    assert (better.wins, better.losses, better.effect) == (8, 0, 1.0)
    assert better.lead > 0
    assert (same.wins, same.losses, same.lead, same.p) == (0, 0, 0.0, 1.0)


def test_methods_are_paired_at_their_own_lambda_and_size():
    rows = [
        row(f"s{n}", f"{method}+ridge:alpha={alpha}", base + 0.01 * n, size=size)
        for n in range(6)
        for method, base in (("BSS", 0.1), ("IG", 0.2))
        for alpha, size in ((0.1, 10), (0.1, 20), (0.5, 10))
    ]
    found = list(alpha_comparisons(rows, "error", "BSS"))
    assert [(one.alpha, one.size) for one in found] == [(0.1, 10), (0.1, 20), (0.5, 10)]
    assert all(one.lead == pytest.approx(0.1) for one in found)
    shown, flat = alpha_comparison_tables(rows, "error", "BSS")
    assert shown.columns == ("other", "alpha = 0.1", "alpha = 0.5")
    assert [line[0] for line in shown.lines] == ["IG, 10", "IG, 20"]
    assert shown.lines[0][1].startswith("+10.00; 6:0; p 0.01")
    assert shown.lines[1][2] == ""
    assert len(flat.lines) == 3


def test_without_the_champion_there_is_nothing_to_compare():
    assert alpha_comparison_tables([row("p", "IG+ridge:alpha=1.0", 0.5)], "error", "BSS") == []


def test_a_table_is_saved_with_no_cell_a_formula(tmp_path):
    rows = [row("p", "IG+ridge:alpha=1.0", 0.5), row("q", "IG+ridge:alpha=1.0", 0.25)]
    *_, flat = mean_tables(rows, "error", group=lambda problem: "=1+1")
    flat.save(tmp_path)
    (line,) = csv.DictReader((tmp_path / "error.csv").open())
    assert line["group"] == "'=1+1"
    assert (line["method"], line["alpha"], line["mean"]) == ("IG", "1.0", "0.375")


def test_a_negative_lead_is_saved_as_a_number(tmp_path):
    rows = [
        row(f"s{n}", f"{m}+ridge:alpha=1.0", v)
        for n in range(3)
        for m, v in (("A", 0.5), ("B", 0.2))
    ]
    _, flat = alpha_comparison_tables(rows, "error", "A")
    flat.save(tmp_path)
    (line,) = csv.DictReader((tmp_path / "pairs.csv").open())
    assert float(line["lead"]) == pytest.approx(-0.3)
    assert (line["method"], line["won"], line["lost"], line["size"]) == ("B", "0", "3", "10")


# The first metric of each paper, and its methods.
PAPERS = {
    "dasgupta2007": (
        dasgupta.METRICS[0],
        (*dasgupta.SMALL_METHODS, *dasgupta.LARGE_METHODS, *dasgupta.RANKS),
    ),
    "keerthi2005": (keerthi.METRICS[0], (*keerthi.CURVES, *keerthi.OTHER_THRESHOLDS)),
    "kolcz2007": (kolcz.METRICS[0], kolcz.METHODS),
    "paul2014": (paul.METRICS[0], (*paul.SYNTHETIC_METHODS, *paul.TEXT_METHODS)),
    "torkkola": (
        torkkola.METRIC,
        (
            *torkkola.PLOT.values(),
            *(name for group in torkkola.CANDIDATES for name in group.methods),
            *(name for name, _ in torkkola.COST_MODELS.values()),
        ),
    ),
}


@pytest.mark.parametrize("paper", PAPERS)
def test_the_methods_of_papers_leave_nothing_to_tune(paper):
    metric, names = PAPERS[paper]
    training = TrainingOptions(alpha=1.0)
    tried = training.classifiers_for(100), training.class_weights_for(metric)
    for method in map(parse_method, names):
        assert list(method.variants(*tried)) == [method.name]
        assert len(method.alphas(1.0)) == 1
    assert [parse_method(name).name for name in names] == list(names)
