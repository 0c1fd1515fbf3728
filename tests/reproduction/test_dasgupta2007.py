"""The protocol of the figures, on a small corpus; the figures themselves on the real ones."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest

from laconic import Corpus, Plan, ReduceThenFit, RLSClassifier, curve, make_problems
from laconic.corpus.splits import random_splits
from laconic.errors import LaconicError
from laconic.methods import parse_method
from laconic.rows import Row
from laconic.studies.execution.processes import Processes
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import JOURNAL, ROWS
from laconic.studies.options import Source, SplitOptions
from laconic.text.problem import targets_of
from laconic.text.weighting import Weighting
from reproduction.dasgupta2007 import experiment as paper
from reproduction.shared.figures import find_figure
from tests.reproduction.counting_executor import Counting
from tests.studies.corpora import pets

SCALE = paper.Scale(sets=2, n_splits=1, draws=3)
SIZES = (3, 10, 999)


def doubtful(seed: int, name: str) -> Corpus:
    """A third of the labels are changed, so another alpha is best elsewhere."""
    corpus = pets(60, seed, name)
    rng = np.random.default_rng(seed)
    labels = np.array(corpus.labels)[:, 0]
    changed = rng.choice(60, 20, replace=False)
    labels[changed] = labels[rng.permutation(changed)]
    return replace(corpus, labels=tuple((label,) for label in labels.tolist()))


CORPORA = (doubtful(1, "one"), doubtful(2, "two"))


def small(scale: paper.Scale) -> Plan:
    split = SplitOptions(0.2, cv=0, n_splits=2, duplicates="keep")
    plan = paper._plan(Source("nowhere"), split, min_df=1)
    return replace(plan, corpora=CORPORA[: scale.sets], target="multilabel")


DF, SS = "DF+ridge", "SS:rank=2+ridge"
FIGURE = paper.BySize("pets", small, (DF, SS), SIZES, paper.ALPHAS)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    return FIGURE.run(tmp_path_factory.mktemp("figure") / "out", SCALE).rows


@pytest.fixture(scope="module")
def problems():
    return [
        problem
        for corpus in CORPORA
        for problem in make_problems(
            corpus,
            random_splits(corpus, times=2),
            weighting=Weighting("ltc"),
            target="multilabel",
        )
    ]


def measured(problem, method, alpha, size, metric, random_state=0):
    """By hand: the recipe, then regularized least squares without intercept."""
    reducer = parse_method(method).build(random_state=random_state).reducer
    path = ReduceThenFit(reducer, RLSClassifier(alpha=alpha), normalize="all")
    return curve(path, problem, [size], [metric]).rows[0].value


def best_by_hand(problem) -> float:
    values = {a: measured(problem, "ALL", a, 1.0, "f1_micro") for a in paper.ALPHAS}
    return max(values, key=lambda a: (values[a], -a))


@pytest.mark.full
def test_methods_take_the_lambda_that_is_best_for_all_words(rows, problems):
    """Of each problem and split on its test documents, computed by hand."""
    found = paper.best_alphas(rows)
    assert len(found) == 4
    assert len(set(found.values())) > 1
    for problem in problems:
        alpha = best_by_hand(problem)
        assert found[f"{problem.name}, {problem.fold}"] == alpha
        mine = [r for r in rows if (r.problem, r.fold) == (problem.name, problem.fold)]
        for row in mine:
            if row.method == DF and row.size < 999:
                assert row.value == measured(problem, "DF", alpha, row.size, row.metric)
        for alpha in paper.ALPHAS:
            values = {r.metric: r.value for r in mine if r.method == f"ALL+ridge:alpha={alpha}"}
            assert values == {
                metric: measured(problem, "ALL", alpha, 1.0, metric) for metric in paper.METRICS
            }


@pytest.mark.full
def test_draws_are_those_of_their_tasks(rows, problems):
    drawn = [r for r in rows if r.method == SS and r.metric == "recall_macro"]
    assert {row.draw for row in rows if row.method == DF} == {0}
    assert [(r.draw, r.size) for r in drawn[:9]] == [(s, n) for s in range(3) for n in SIZES]
    problem = problems[0]
    plan = replace(small(SCALE), methods=(SS,), sizes=SIZES, draws=3)
    split = next(random_splits(CORPORA[0], times=2))
    method = parse_method(SS)
    (target,) = targets_of(CORPORA[0], "multilabel")
    task = plan.one_task(CORPORA[0], split, "test", target, method, 2)
    by_hand = measured(
        problem, method.name, best_by_hand(problem), 10, "recall_macro", task.random_state
    )
    assert next(r for r in drawn if (r.draw, r.size) == (2, 10)).value == by_hand


def test_a_size_beyond_the_vocabulary_is_skipped_and_says_so(rows):
    beyond = [row for row in rows if row.size == 999]
    assert beyond
    assert {(row.status, row.value) for row in beyond} == {("skipped", None)}
    assert all(row.reason for row in beyond)


@pytest.mark.full
def test_nested_models_choose_their_own_alpha(tmp_path, problems):
    executor = Counting()
    rows = FIGURE.run(tmp_path, replace(SCALE, nested=True), executor).rows
    assert {r.method for r in rows} == {"ALL+ridge:alpha=loo", DF, SS}
    for row in rows:
        if row.method == DF and row.size == 10:
            (problem,) = (p for p in problems if (p.name, p.fold) == (row.problem, row.fold))
            assert row.value == measured(problem, "DF", "loo", 10, row.metric)
    assert {p.metric.split()[0] for p in paper.points(rows)} == {"relative"}
    # four problems: all words, one DF, three draws
    assert executor.done == 4 * 5


@pytest.mark.full
def test_a_figure_run_again_computes_nothing(tmp_path, rows):
    first, again = Counting(), Counting()
    told = FIGURE.run(tmp_path, SCALE, first).rows
    assert first.done == 4 * (len(paper.ALPHAS) + 1 + 3)
    before = (tmp_path / ROWS).read_text()
    assert FIGURE.run(tmp_path, SCALE, again).rows == told
    assert again.titles == []
    assert (tmp_path / ROWS).read_text() == before
    assert plain(told) == plain(rows)


@pytest.mark.full
@pytest.mark.parametrize("moment", [3, 33, 40])
def test_a_figure_that_was_ended_goes_on(tmp_path, rows, moment):
    """In the first plan, and in the second."""
    first, again = Counting(), Counting()

    def interrupt(event):
        if first.done == moment:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FIGURE.run(tmp_path, SCALE, first, listen=interrupt)
    assert plain(FIGURE.run(tmp_path, SCALE, again).rows) == plain(rows)
    assert not set(first.titles) & set(again.titles)
    assert first.done + again.done == 48


@pytest.mark.slow
def test_two_processes_give_the_same_rows(tmp_path, rows):
    assert plain(FIGURE.run(tmp_path, SCALE, Processes(2)).rows) == plain(rows)


def plain(rows: list[Row]) -> list[Row]:
    return [replace(row, seconds=0.0, memory=None, versions="") for row in rows]


@pytest.mark.full
def test_the_table_holds_the_rows_of_both_plans(tmp_path):
    one = replace(SCALE, sets=1)
    rows = FIGURE.run(tmp_path, one).rows
    with (tmp_path / ROWS).open() as file:
        table = list(csv.DictReader(file))
    assert [line["method"] for line in table] == [row.method for row in rows]
    assert {row.method for row in rows} == {*paper.all_words(paper.ALPHAS), DF, SS}
    FIGURE.run(tmp_path, SCALE)
    assert FIGURE.run(tmp_path, one).rows == rows
    with Journal.reading(tmp_path / JOURNAL) as journal:
        assert {row.problem for row in journal.rows()} == {"one", "two"}


@pytest.mark.full
def test_corpora_are_loaded_once(tmp_path, monkeypatch):
    loaded = []
    nested = Source.load

    def load(self, progress=None, n_jobs=1, engine=None):
        loaded.append(self.where)
        return nested(self, progress, n_jobs, engine)

    monkeypatch.setattr(Source, "load", load)
    where = tmp_path / "pets.csv"
    where.write_text(
        "text,label\n"
        + "".join(
            f"{text},{label}\n"
            for text, (label,) in zip(CORPORA[0].texts, CORPORA[0].labels, strict=True)
        )
    )
    figure = replace(
        FIGURE, setting=lambda scale: replace(small(scale), corpora=(Source(str(where)),))
    )
    figure.run(tmp_path / "out", SCALE)
    assert loaded == [str(where)]


@pytest.mark.full
def test_all_words_by_lambda_is_one_plan(tmp_path):
    figure = paper.ByAlpha("pets", small)
    rows = figure.run(tmp_path, replace(SCALE, nested=True)).rows
    assert {row.method for row in rows} == set(paper.all_words(paper.ALPHAS))
    points = paper.points(rows)
    assert {point.metric for point in points} == set(paper.METRICS)
    values = [
        r.value for r in rows if r.method == "ALL+ridge:alpha=0.4" and r.metric == "recall_macro"
    ]
    (mean,) = (
        p.mean for p in points if (p.method, p.metric) == ("ALL+ridge:alpha=0.4", "recall_macro")
    )
    assert mean == pytest.approx(np.mean(values))


def row(problem, method, value, draw=0, metric="f1_micro", fold="", **about):
    return Row(problem, method, 10, metric, value, 10, 10, draw=draw, fold=fold, **about)


def test_the_best_lambda_of_equals_is_the_least():
    rows = [
        row("p", "ALL+ridge:alpha=2.0", 0.7),
        row("p", "ALL+ridge:alpha=0.4", 0.8),
        row("p", "ALL+ridge:alpha=0.1", 0.8),
        row("p", "ALL+ridge:alpha=0.05", 0.2),
        row("p", "ALL+ridge:alpha=2.0", 1.0, metric="recall_macro"),
        row("p", "DF", 1.0),
        row("p", "ALL+ridge:alpha=0.05", 0.9, fold="second"),
        row("p", "ALL+ridge:alpha=1.0", None, fold="second", status="failed"),
    ]
    expected = {"p, ": 0.1, "p, second": 0.05}
    assert paper.best_alphas(rows) == expected
    assert paper.best_alphas(rows[::-1]) == expected


def test_a_problem_without_lambda_is_an_error():
    failed = row("q", "ALL+ridge:alpha=1.0", None, status="failed", reason="no memory")
    with pytest.raises(LaconicError, match=r"q, : all words could not be .* \(no memory\)"):
        paper.best_alphas([row("p", "ALL+ridge:alpha=1.0", 0.5), failed])


def test_relative_values_are_shares_of_all_words_averaged_over_draws_then_problems():
    rows = [
        row("p", "US", 0.4, 0),
        row("p", "US", 0.8, 1),
        row("p", "US", None, 2),
        row("p", "ALL+ridge:alpha=0.4", 0.8),
        row("p", "ALL+ridge:alpha=1.0", 0.2),
        row("q", "ALL+ridge:alpha=0.4", 0.25),
        row("q", "ALL+ridge:alpha=1.0", 0.5),
        row("q", "US", 0.5),
    ]
    (point,) = paper.points(rows)
    assert (point.method, point.size, point.problems) == ("US", 10, 2)
    assert point.metric == "relative f1_micro"
    assert point.mean == pytest.approx((0.75 + 1.0) / 2)
    assert point.sd == pytest.approx(np.std([0.75, 1.0], ddof=1))
    assert paper.points(reversed(rows)) == [point]
    (absolute,) = paper.points([row("r", "US", 0.25)])
    assert (absolute.metric, absolute.mean) == ("f1_micro", 0.25)


def test_other_measures_are_relative_to_the_lambda_of_the_best_micro_f1():
    rows = [
        row("p", "ALL+ridge:alpha=0.4", 0.8),
        row("p", "ALL+ridge:alpha=0.4", 0.5, metric="recall_macro"),
        row("p", "ALL+ridge:alpha=1.0", 0.7),
        row("p", "ALL+ridge:alpha=1.0", 0.9, metric="recall_macro"),
        row("p", "DF", 0.25, metric="recall_macro"),
    ]
    (point,) = paper.points(rows)
    assert (point.metric, point.mean) == ("relative recall_macro", 0.5)


def test_all_words_that_find_nothing_divide_nothing():
    rows = [
        row("p", "ALL+ridge:alpha=1.0", 0.0),
        row("p", "DF", 0.5),
        row("q", "ALL+ridge:alpha=1.0", 0.5),
        row("q", "DF", 0.25),
    ]
    (point,) = paper.points(rows)
    assert (point.mean, point.problems) == (0.5, 1)


def test_an_unknown_figure_is_refused():
    with pytest.raises(LaconicError, match="choose from 2, 3"):
        find_figure("17", paper.FIGURES, "dasgupta2007")


@pytest.mark.parametrize("name", ["2", "3", "4b", "5a", "5b"])
def test_the_figures_follow_the_protocol(name):
    plan = paper.FIGURES[name].setting(paper.PAPER)
    assert (plan.training.intercept, plan.training.normalize) == (False, "all")
    assert plan.split.cv == 0
    assert plan.split.n_splits == {"2": 1, "5b": 1}.get(name, 4)
    assert plan.metrics == (paper.TECHTC_METRICS if name in ("3", "4b") else paper.METRICS)
    assert plan.split.duplicates == "keep"
    assert plan.positive == ("1" if name in ("3", "4b") else None)
    assert plan.weighting.min_df == (2 if name in ("2", "5a") else 1)


def test_findings_on_two_techtc_sets(corpora, tmp_path):
    """Direction only, on a small part: the whole is in docs/papers/dasgupta2007.md."""
    rows = paper.FIGURES["3"].run(tmp_path, SCALE).rows
    points = {(p.method, p.size, p.metric): p.mean for p in paper.points(rows)}
    at_500 = {name: points[name, 500, "relative f1"] for name in ("SS", "IG", "WS", "US")}
    assert min(at_500["SS"], at_500["IG"], at_500["WS"]) > at_500["US"]


def test_weighted_sampling_nears_subspace_sampling_as_the_rank_grows(corpora, tmp_path):
    told = []
    rows = paper.FIGURES["4c"].run(tmp_path, SCALE, listen=told.append).rows
    assert [(event.done, event.total) for event in told] == [(1, 2), (2, 2)]
    for name in {row.problem for row in rows}:
        distance = [row.value for row in rows if row.problem == name]
        assert distance[-1] < distance[0] / 2
    assert (tmp_path / ROWS).exists()
