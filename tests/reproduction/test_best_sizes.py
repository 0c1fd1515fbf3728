"""The best size of a problem, and the one that validation chooses: against the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from laconic.rows import Row
from laconic.studies.options import SplitOptions
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from reproduction.kolcz2007 import best_sizes as sizes
from reproduction.shared.figures import MeanPoint
from tests.studies.corpora import pets


def row(method, problem, size, value, fold="1", metric="roc_auc"):
    return Row(problem, method, size, metric, value, fold=fold)


cells = st.dictionaries(
    st.tuples(
        st.sampled_from(["EXACT", "MASK"]),
        st.sampled_from("pqr"),
        st.sampled_from(["fold 1", "fold 2"]),
        st.sampled_from([0.1, 0.5, 0.9, 1.0]),
    ),
    st.sampled_from([0.0, 0.25, 0.5, 0.75]),
)


def rows_of(values, within=False):
    return [
        row(method, f"{fold} in {problem}" if within else problem, size, value, fold)
        for (method, problem, fold, size), value in values.items()
    ]


def mean(values, method, problem, size):
    """Over the folds that have it; None where none has."""
    own = [v for (m, p, _, s), v in values.items() if (m, p, s) == (method, problem, size)]
    return sum(own) / len(own) if own else None


@given(cells)
def test_the_best_is_the_highest_mean_over_folds_among_the_fractions(values):
    asked = (0.1, 0.5, 0.9)
    inside = {place: v for place, v in values.items() if place[3] in asked}
    found = sizes.best(rows_of(inside), "roc_auc", asked)
    one = sizes.at(rows_of(values), "roc_auc", 1.0)
    for method, problem in {place[:2] for place in inside}:
        means = [mean(values, method, problem, size) for size in asked]
        expected = max(value for value in means if value is not None)
        assert found[method][problem] == pytest.approx(expected)
    assert {(m, p) for m in found for p in found[m]} == {place[:2] for place in inside}
    for method, problem in {place[:2] for place in values}:
        assert one[method].get(problem) == mean(values, method, problem, 1.0)


def test_other_measures_sizes_and_empty_rows_do_not_count():
    rows = [row("A", "p", 0.1, 0.5), row("A", "p", 1.0, 0.9), row("A", "p", 0.2, None)]
    rows += [row("A", "p", 0.1, 0.8, metric="best_f1"), row("A", "q", 0.1, None)]
    assert sizes.best(rows, "roc_auc", (0.1, 0.2)) == {"A": {"p": 0.5}}


@given(cells)
def test_a_fraction_is_chosen_by_the_mean_inside_and_of_equals_the_largest(values):
    inside = rows_of(values, within=True)
    found = sizes.chosen(inside, "roc_auc", (0.1, 0.5, 0.9, 1.0))
    for method, problem, fold in {place[:3] for place in values}:
        own = {s: v for (m, p, f, s), v in values.items() if (m, p, f) == (method, problem, fold)}
        best = max(own.values())
        expected = max(size for size, value in own.items() if value == best)
        assert found[method][problem, fold] == expected


def test_folds_inside_are_averaged_before_the_choice():
    inside = [
        row("A", "given in p", size, value, f"fold {n}")
        for size, several in {0.1: (1.0, 0.0), 0.5: (0.6, 0.6)}.items()
        for n, value in enumerate(several)
    ]
    assert sizes.chosen(inside, "roc_auc", (0.1, 0.5)) == {"A": {("p", "given"): 0.5}}


def test_each_fold_has_the_fraction_that_its_own_training_documents_chose():
    rows = [
        row("A", "p", size, value, fold)
        for fold, values in {"f1": (0.1, 0.2, 0.3), "f2": (0.4, 0.6, 0.9)}.items()
        for size, value in zip((0.1, 0.5, 0.9), values, strict=True)
    ]
    inside = [row("A", "f1 in p", 0.1, 1.0), row("A", "f1 in p", 0.9, 0.0)]
    inside += [row("A", "f2 in p", 0.5, 1.0), row("B", "f2 in p", 0.1, 1.0)]
    asked = (0.1, 0.5, 0.9)
    found = sizes.validated(rows, inside, "roc_auc", asked)
    assert found == {"A": {"p": pytest.approx((0.1 + 0.6) / 2)}}
    # nothing could be measured inside the first fold: the largest
    found = sizes.validated(rows, inside[2:], "roc_auc", asked)
    assert found == {"A": {"p": pytest.approx((0.3 + 0.6) / 2)}}


def test_what_chooses_has_seen_no_test_document():
    given = SplitOptions("given", cv=0, duplicates="keep")
    plan = Plan(
        pets(split=True), methods=("DF+ridge",), split=given, target="one-vs-rest", features="words"
    )
    ready = PreparedCorpus.of(plan, plan.corpora[0])
    second = sizes.within(plan, [ready], 3)
    (corpus,) = second.corpora
    assert (corpus.name, corpus.split) == ("given in pets", None)
    assert corpus.ids == tuple(str(i) for i in range(90) if i % 5)
    assert second.part() == "validation"
    inner = PreparedCorpus.of(second, corpus)
    assert len(inner.splits) == 3
    tested = np.sort(np.concatenate([split.test for split in inner.splits]))
    np.testing.assert_array_equal(tested, np.arange(72))
    assert [sizes.outer_fold(target.name) for target in inner.targets] == [
        ("pets: cats", "given"), ("pets: dogs", "given"), ("pets: fish", "given")
    ]  # fmt: skip
    assert (second.methods, second.sizes) == (plan.methods, plan.sizes)
    assert (second.training, second.text) == (plan.training, plan.text)


def test_every_fold_of_cross_validation_has_its_own_inside():
    plan = Plan(pets(60), split=SplitOptions(None, cv=4), features="words")
    ready = PreparedCorpus.of(plan, plan.corpora[0])
    second = sizes.within(plan, [ready], 2)
    assert [corpus.name for corpus in second.corpora] == [
        f"fold {n} of 4 in pets" for n in (1, 2, 3, 4)
    ]
    for corpus, split in zip(second.corpora, ready.splits, strict=True):
        assert corpus.ids == tuple(map(str, split.train))


several = st.lists(st.sampled_from([0.1, 0.25, 0.5, 0.75]), min_size=3, max_size=9)


@given(st.tuples(several, several))
def test_p_is_that_of_the_one_sided_paired_t_test(pair):
    n = min(map(len, pair))
    mine, theirs = (np.array(values[:n]) for values in pair)
    values = {
        "EXACT": dict(zip("abcdefghi", mine, strict=False)),
        "MASK": dict(zip("abcdefghi", theirs, strict=False)),
    }
    own, one = sizes.paired_comparisons(values, "EXACT")
    assert own.mean == pytest.approx(mine.mean())
    assert own.problems == one.problems == n
    assert one.mean == pytest.approx(theirs.mean())
    assert (one.won, one.lost) == ((mine > theirs).sum(), (mine < theirs).sum())
    if np.ptp(mine - theirs) > 1e-9:
        side = "greater" if mine.mean() >= theirs.mean() else "less"
        expected = stats.ttest_rel(mine, theirs, alternative=side).pvalue
        assert one.p == pytest.approx(expected, abs=1e-9)
    elif not (mine - theirs).any():
        assert one.p == 0.5


def test_methods_are_compared_on_the_problems_that_all_have():
    values = {"EXACT": {"a": 0.5, "b": 0.7, "c": 0.0}, "MASK": {"b": 0.6, "a": 0.2, "d": 1.0}}
    own, one = sizes.paired_comparisons(values, "EXACT")
    assert (own.mean, own.problems) == (pytest.approx(0.6), 2)
    assert (one.mean, one.problems, one.won, one.lost) == (pytest.approx(0.4), 2, 2, 0)
    assert sizes.paired_comparisons({"EXACT": {"a": 1.0}, "MASK": {}}, "EXACT") == []


def test_a_table_of_contests_has_a_mean_and_a_verdict_a_measure():
    values = {"EXACT": {"a": 0.5, "b": 0.75}, "MASK": {"a": 0.25, "b": 0.75}}
    table = sizes.comparison_table("t", {"roc_auc": values, "best_f1": values}, "EXACT")
    verdict = "EXACT won : lost; p"
    assert table.title == "t, mean of 2"
    assert table.columns == ("method", "roc_auc", verdict, "best_f1", verdict)
    assert table.lines == (
        ("EXACT", "0.6250", "", "0.6250", ""),
        ("MASK", "0.5000", "1:0; 0.25", "0.5000", "1:0; 0.25"),
    )


def test_gaps_are_the_widest_on_either_side_of_half():
    means = {
        "EXACT": {0.1: 0.9, 0.5: 0.9, 0.6: 0.9, 0.9: 0.8},
        "SV-SET": {0.1: 0.4, 0.5: 0.85, 0.6: 0.89, 0.9: 0.82},
    }
    points = [
        MeanPoint(m, s, "roc_auc", v, 0.0, 3) for m, own in means.items() for s, v in own.items()
    ]
    assert list(sizes.gaps(points, "EXACT", 0.5)) == [
        ("SV-SET", "+0.0200 at 0.9", "-0.5000 at 0.1")
    ]


def test_means_are_over_folds_then_problems():
    rows = [row("A", "p", 0.1, 0.0, "1"), row("A", "p", 0.1, 0.5, "2"), row("A", "q", 0.1, 0.75)]
    (point,) = sizes.means([*rows, row("A", "q", 0.2, None)], "roc_auc")
    assert (point.method, point.size, point.problems) == ("A", 0.1, 2)
    assert point.mean == pytest.approx((0.25 + 0.75) / 2)
