"""Torkkola's task and figures: by definition on small corpora; the counts on the real one."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from laconic import Corpus
from laconic.classifiers.kernel import GaussianSVM
from laconic.errors import LaconicError
from laconic.methods import METHODS, parse_method
from laconic.rows import Row
from laconic.studies.analysis.significance import mcnemar
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.study import Study
from laconic.text.options import TextOptions, WeightingOptions
from laconic.text.problem import make_problems
from reproduction.shared.figures import Scale
from reproduction.statements import judge
from reproduction.torkkola import experiment as paper
from reproduction.torkkola.mcnemar_table import correct_predictions, mcnemar_table
from reproduction.torkkola.nested_figure import Candidates, Choice, NestedFigure, choose, held_out
from reproduction.torkkola.prediction_costs import (
    TwoStageModel,
    cost_of,
    cost_table,
    measure_costs,
    throughput,
)
from tests.reproduction.counting_executor import Counting
from tests.studies.corpora import pets

ONCE = Scale(sets=1, n_splits=1, draws=1)
SMALL = {
    paper.FULL: "ALL+gaussian",
    paper.LSI: "LSI+gaussian",
    paper.RP: "RP+gaussian",
    paper.LDA_LSI: "LDA-LSI:first=20:longest=12+gaussian",
    paper.LDA: "LDA:longest=12+gaussian",
}


@pytest.fixture
def small(monkeypatch):
    """The protocol on a hundred short documents."""
    monkeypatch.setattr(paper, "WORDS", TextOptions())
    monkeypatch.setattr(paper, "WEIGHTING", WeightingOptions("histogram"))
    monkeypatch.setattr(paper, "PLOT", SMALL)
    monkeypatch.setattr(paper, "reuters", lambda: pets(100, split=True))
    monkeypatch.setattr(paper, "SIZES", (1, 2, 12))
    monkeypatch.setattr(paper, "FEWER", (2, 12))


def several() -> Corpus:
    labels = (("a",), ("a",), ("a", "b"), (), ("b",), ("b",), ("c",), ("d",), ("a",))
    split = ("train", "test", "train", "test", "test", "train", "train", "test", "")
    texts = tuple(f"Text {n}" for n in range(9))
    return Corpus("nine", labels, tuple("012345678"), texts=texts, split=split)


def test_documents_of_one_label_and_classes_of_both_parts_are_kept():
    own = paper.single_label(several())
    assert own.ids == ("0", "1", "4", "5", "8")
    assert own.classes == ("a", "b")
    assert own.multilabel is False
    with pytest.raises(LaconicError, match="nine has no split"):
        paper.single_label(replace(several(), split=None))


def test_words_are_made_of_letters():
    corpus = replace(several(), texts=("U.S. 1st-quarter O'Neill\nÉcole_x", *["b"] * 8))
    assert paper.letters_only(corpus).texts[0].split() == [
        *("u", "s", "st", "quarter", "o", "neill", "cole", "x")
    ]


@pytest.mark.slow
@pytest.mark.corpus
def test_the_counts_are_the_papers(corpora, monkeypatch):
    """Without the document whose only topic stands in the file twice."""
    monkeypatch.setenv("LACONIC_DATA", str(corpora))
    plan = paper.figure_2(ONCE)
    (corpus,) = plan.load()
    assert paper.DOUBLE_LABEL not in corpus.ids
    assert (corpus.part("train").size, corpus.part("test").size) == (6535, 2570)
    assert len(corpus.classes) == 52
    ready = PreparedCorpus.of(plan, corpus)
    (split,) = ready.splits
    (problem,) = ready.problems(split, [corpus.name])
    # the paper has 5,718 words, 36 of them in a document
    assert problem.X_train.shape == (6535, 5893)
    assert problem.X_train.nnz / 6535 == pytest.approx(36.55, abs=0.01)
    lengths = np.asarray(problem.X_train.sum(axis=1))
    assert_allclose(lengths[lengths > 0], 1.0)


def test_the_plans_follow_the_protocol(small):
    plan = paper.figure_2(replace(ONCE, draws=5))
    assert plan.text == paper.WORDS
    assert (plan.training.normalize, plan.split.cv, plan.draws) == ("all", 0, 5)
    assert plan.sizes == (1, 2, 12)
    assert paper.figure_2(ONCE).sizes == (2, 12)


def test_every_representation_has_the_papers_kernel():
    for name in paper.PLOT.values():
        method = parse_method(name)
        assert method.name == name, "rows go by the name as it is written there"
        made = method.build().classifier
        assert (type(made), made.width, made.C) == (GaussianSVM, 10.0, 100.0)
    assert set(METHODS) >= {re.split("[:+]", name)[0] for name in paper.PLOT.values()}


def test_the_same_care_for_all():
    """Every Gaussian machine is chosen from as many, with the paper's kernel among them."""
    kernels = [one for one in paper.CANDIDATES if "linear" not in one.label]
    assert {len(one.methods) for one in kernels} == {12}
    for one in kernels:
        made = [parse_method(name).build().classifier for name in one.methods]
        assert (10.0, 100.0) in {(machine.width, machine.C) for machine in made}
        assert len(set(one.methods)) == 12
    assert {len(one.methods) for one in paper.CANDIDATES if one not in kernels} == {3}
    for several in (paper.CANDIDATES, paper.FEW_CANDIDATES):
        assert several[0].label == paper.FULL, "the others are tested against the first"
    every = {one.label: set(one.methods) for one in paper.CANDIDATES}
    assert all(every[one.label] >= set(one.methods) for one in paper.FEW_CANDIDATES)


def row(method, asked, value, draw=0, metric=paper.METRIC):
    return Row("p", method, asked, metric, value, draw=draw)


def test_points_are_means_over_draws():
    rows = [row("RP", 2, 0.5), row("RP", 2, 0.7, draw=1), row("RP", 4, 0.25), row("RP", 8, None)]
    rows.append(row("RP", 2, 0.9, metric="f1_macro"))
    found = paper.points(rows)
    assert set(found) == {("RP", 2), ("RP", 4)}
    assert (found["RP", 2].mean, found["RP", 4].mean) == (60.0, 25.0)
    assert found["RP", 2].sd == pytest.approx(100 * np.std([0.5, 0.7], ddof=1))


def test_figure_2_on_a_small_corpus(small, tmp_path):
    executor = Counting()
    found = paper.FIGURES["2"].run(tmp_path / "out", replace(ONCE, draws=2), executor)
    assert executor.done == 6, "five methods, one of them drawn twice"
    curves, tested = found.tables
    assert curves.columns == ("features", "1", "2", "12")
    values = {(r.method, r.size): r.value for r in found.rows if r.metric == paper.METRIC}
    assert curves.title.endswith(f"; full: {100 * values[SMALL[paper.FULL], 1.0]:.1f}")
    cells = {line[0]: line[1:] for line in curves.lines}
    assert [*cells] == [label for label in SMALL if label != paper.FULL]
    assert all("±" in cell for cell in cells[paper.RP])
    shown = [f"{100 * values[SMALL[paper.LDA], size]:.1f}" for size in (1, 2, 12)]
    assert list(cells[paper.LDA]) == shown
    at_two = next(one for one in found.findings if one.statement.startswith("LDA from LSI, 2:"))
    assert (at_two.paper, at_two.ours) == ("65.1", cells[paper.LDA_LSI][1])
    (drawn,) = found.plots
    assert drawn.level == (drawn.level[0], 100 * values[SMALL[paper.FULL], 1.0])
    lda = next(line for line in drawn.lines if line.name == paper.LDA)
    assert lda.ys == tuple(100 * values[SMALL[paper.LDA], size] for size in (1, 2, 12))
    assert [line[0] for line in tested.lines] == [
        "LDA from LSI, 12 : full",
        "LDA direct, 12 : full",
    ]


def test_answers_are_read_from_the_journal(small, tmp_path):
    study = Study(paper.figure_2(ONCE), tmp_path)
    study.run()
    (corpus,) = study.corpora
    (problem,) = corpus.problems(corpus.splits[0], [corpus.corpus.name])
    for method, asked in ((SMALL[paper.LSI], 2), (SMALL[paper.LSI], 12), (SMALL[paper.FULL], 1.0)):
        path = parse_method(method).build(normalize="all")
        (model,) = path.path(problem.X_train, problem.y_train, [asked])
        own = model.predict(problem.X_test) == problem.y_test
        assert correct_predictions([study], method, asked).tolist() == own.tolist()
    with pytest.raises(LaconicError, match="IG at 2: was not measured"):
        correct_predictions([study], "IG", 2)


def test_of_several_draws_the_first_answers(small, tmp_path):
    study = Study(paper.figure_2(replace(ONCE, draws=3)), tmp_path)
    study.run()
    (ready,) = study.corpora
    (problem,) = ready.problems(ready.splits[0], [ready.corpus.name])
    draws = [task for task in study.tasks if task.method == SMALL[paper.RP]]
    answers = []
    for task in draws:
        (model,) = task.build().path(problem.X_train, problem.y_train, [2])
        answers.append((model.predict(problem.X_test) == problem.y_test).tolist())
    assert [task.draw for task in draws] == [0, 1, 2]
    assert correct_predictions([study], SMALL[paper.RP], 2).tolist() == answers[0]
    assert answers[0] not in answers[1:]


def test_mcnemar_is_told_with_and_without_the_correction():
    a, b = (
        np.array([1] * 60 + [0] * 40, bool),
        np.array([0] * 45 + [1] * 15 + [1] * 20 + [0] * 20, bool),
    )
    ((name, only, plain, corrected, p),) = mcnemar_table("t", {"a : b": (a, b)}).lines
    assert (name, only) == ("a : b", "45 : 20")
    assert plain == f"{25**2 / 65:.1f}"
    assert corrected == f"{24**2 / 65:.1f}"
    assert p == f"{mcnemar(a, b).p:.2g}"


def test_few_differences_are_tested_exactly():
    a, b = np.array([1, 1, 0, 1], bool), np.array([1, 0, 0, 0], bool)
    (line,) = mcnemar_table("t", {"a : b": (a, b)}).lines
    assert line[2:4] == ("exact", "exact")


def test_held_out_documents_are_training_documents():
    corpus = pets(100, split=True)
    inside = held_out(corpus)
    assert set(inside.ids) == {corpus.ids[i] for i in corpus.part("train")}
    assert (inside.part("train").size, inside.part("test").size) == (64, 16)
    assert inside.name == "pets, held out"
    assert held_out(corpus).fingerprint == inside.fingerprint


def test_the_best_on_held_out_documents_is_chosen_and_of_equals_the_first():
    rows = [row("A", 2, 0.5), row("B", 2, 0.7), row("C", 2, 0.7), row("A", 9, 0.8)]
    rows += [row("B", 9, 0.1), row("C", 9, None), row("D", 1.0, 0.6), row("A", 2, 1.0, metric="x")]
    several = [Candidates("abc", ("A", "C", "B")), Candidates("d", ("D",)), Candidates("e", ("E",))]
    assert choose(rows, several, paper.METRIC) == [
        Choice("abc", 2, "C", 0.7),
        Choice("abc", 9, "A", 0.8),
        Choice("d", 1.0, "D", 0.6),
    ]


def test_the_nested_figure_chooses_before_it_evaluates_on_the_test_documents(small, tmp_path):
    candidates = (
        Candidates(paper.FULL, paper.gaussian("ALL", (1.0,))),
        Candidates(paper.LDA, paper.gaussian("LDA:longest=2", (3.0,))),
    )
    figure = replace(
        paper.FIGURES["2-nested"],
        corpus=lambda: pets(100, split=True),
        sizes=(1, 2),
    )
    assert isinstance(figure, NestedFigure)
    executor = Counting()
    offered = replace(figure.quick, candidates=candidates)
    found = figure.run(tmp_path / "out", offered, executor)
    n_costs = len(paper.COSTS)
    assert executor.done == 2 * n_costs + 3, "all candidates, then what was chosen for each size"
    chosen, tested = found.tables
    assert [line[:2] for line in chosen.lines] == [
        *((paper.FULL, "all words"), (paper.LDA, "1"), (paper.LDA, "2"))
    ]
    by_test = {
        (r.method, r.size): r.value
        for r in found.rows
        if r.problem == "pets" and r.metric == paper.METRIC
    }
    by_held_out = {
        (r.method, r.size): r.value
        for r in found.rows
        if r.problem != "pets" and r.metric == paper.METRIC
    }
    assert {r.problem for r in found.rows} == {"pets", "pets, held out"}
    for label, size, method, held, test in chosen.lines:
        asked = 1.0 if size == "all words" else int(size)
        own = next(one for one in candidates if one.label == label)
        assert by_held_out[method, asked] == max(by_held_out[m, asked] for m in own.methods)
        assert held == f"{100 * by_held_out[method, asked]:.1f}"
        assert test == f"{100 * by_test[method, asked]:.1f}"
    assert [line[0] for line in tested.lines] == [
        "LDA direct, 1 : full",
        "LDA direct, 2 : full",
    ]


@pytest.fixture(scope="module")
def problem():
    (made,) = make_problems(pets(90, split=True))
    return made


def built(name):
    return parse_method(name).build(1.0, normalize="all")


def staged(name, problem, size):
    return TwoStageModel.of(built(name), problem.X_train, problem.y_train, size)


def test_operations_are_counted_as_section_8_1_does(problem):
    """Two a word and support vector; behind LDA two a word and column, then one a column."""
    full = staged("ALL+gaussian", problem, 1.0)
    machines = full.classifier
    supports = sum(int((row != 0).sum()) for row in machines.dual)
    cost = cost_of(full, words=36.0)
    assert (cost.operations, cost.once) == (72 * supports, 72 * len(machines.support.toarray()))
    assert cost.once < cost.operations
    assert cost.numbers == machines.support.nnz + supports + 3
    small = staged("LDA+gaussian", problem, 2)
    supports = sum(int((row != 0).sum()) for row in small.classifier.dual)
    cost = cost_of(small, words=36.0)
    assert cost.operations == 2 * 72 + 2 * supports
    assert cost.once == 2 * 72 + 2 * len(small.classifier.support)
    n_terms = len(problem.vocabulary)
    assert cost.numbers == 2 * n_terms + 2 * len(small.classifier.support) + supports + 3


def test_a_linear_model_costs_a_product_a_class(problem):
    through = staged("LDA+svm", problem, 2)
    n_terms = len(problem.vocabulary)
    cost = cost_of(through, words=36.0)
    assert cost.operations == cost.once == 2 * 72 + 3 * 2
    assert cost.numbers == 2 * n_terms + 3 * 2 + 3
    one = cost_of(through.lifted(), words=36.0)
    assert (one.operations, one.numbers) == (3 * 72, 3 * n_terms + 3)


@pytest.mark.parametrize("name", ["ALL+gaussian", "LDA+gaussian", "LDA+svm"])
def test_staged_models_decide_as_those_of_the_path(name, problem):
    size = 1.0 if name.startswith("ALL") else 2
    own = staged(name, problem, size)
    path = built(name)
    (model,) = path.path(problem.X_train, problem.y_train, [size])
    assert_allclose(own.decision(problem.X_test), model.decision(problem.X_test), atol=1e-9)
    if "svm" in name:
        assert own.lifted().reduction is None
        assert_allclose(own.lifted().decision(problem.X_test), own.decision(problem.X_test))


class Slow:
    """A model that takes a second more of a clock with every turn."""

    def __init__(self, clock, seconds):
        self.clock, self.seconds = clock, seconds

    def decision(self, X):
        self.clock.now += self.seconds.pop(0)
        self.clock.turns.append(self)


class Clock:
    def __init__(self):
        self.now, self.turns = 0.0, []

    def __call__(self):
        return self.now


def test_throughput_is_the_median_of_turns_that_alternate():
    clock = Clock()
    a, b = Slow(clock, [1.0, 9.0, 2.0]), Slow(clock, [4.0, 4.0, 5.0])
    found = throughput({"a": a, "b": b}, csr_array((20, 3)), 3, clock)
    assert found == {"a": 10.0, "b": 5.0}
    assert clock.turns == [a, b] * 3


def test_a_table_of_costs(problem):
    models = {
        "kernel": staged("LDA+gaussian", problem, 2),
        "linear": staged("LDA+svm", problem, 2),
    }
    X = problem.X_test
    words = X.nnz / X.shape[0]
    table = cost_table(measure_costs(models, {"kernel": 91.25, "linear": 90.0}, X, rounds=1), words)
    kernel, linear = table.lines
    assert kernel[:2] == ("kernel", "91.2")
    assert kernel[3] == f"{len(models['kernel'].classifier.support)}"
    assert linear[2:4] == ("", "")
    assert kernel[4] == f"{cost_of(models['kernel'], words).operations:,.0f}"
    assert len(kernel) == len(linear) == len(table.columns)


def test_the_costs_are_of_the_models_that_were_measured(small, tmp_path):
    cost_plan = {
        "full, linear": ("ALL+svm", 1.0),
        "LDA, 2, Gaussian": ("LDA+gaussian:width=3.0", 2),
    }

    def setting(scale):
        return paper.plan_of(pets(100, split=True), [m for m, _ in cost_plan.values()], (2,))

    figure = replace(
        paper.FIGURES["tablecost"],
        setting=setting,
        models=cost_plan,
        rounds=1,
        findings=lambda found: [judge(name, f"{one.speed}", True) for name, one in found.items()],
    )
    found = figure.run(tmp_path / "out", ONCE)
    (table,) = found.tables
    assert [line[0] for line in table.lines] == [
        *("full, linear", "full, linear, as one step", "LDA, 2, Gaussian")
    ]
    values = {r.method: r.value for r in found.rows if r.metric == paper.METRIC}
    assert table.lines[2][1] == f"{100 * values['LDA+gaussian:width=3.0']:.1f}"
    assert [one.statement for one in found.findings] == [line[0] for line in table.lines]


def test_costs_of_what_was_not_measured_are_told_so(small, tmp_path):
    method = "LDA+gaussian:width=3.0"
    figure = replace(
        paper.FIGURES["tablecost"],
        setting=lambda scale: paper.plan_of(pets(100, split=True), [method], (2,)),
        models={"LDA, 7": (method, 7)},
    )
    with pytest.raises(LaconicError, match=r"width=3\.0 at 7: was not .* --retry-failed"):
        figure.run(tmp_path / "out", ONCE)


def test_candidates_that_all_fail_are_told(small, tmp_path):
    candidates = (
        Candidates(paper.FULL, paper.gaussian("ALL", (1.0,), (3.0,))),
        Candidates(paper.LDA, paper.gaussian("LDA:longest=1", (3.0,), (3.0,))),
    )
    figure = replace(paper.FIGURES["2-nested"], corpus=lambda: pets(100, split=True), sizes=(2,))
    offered = replace(figure.quick, candidates=candidates)
    with pytest.raises(LaconicError, match=r"LDA:longest=1.* at 2: was not measured"):
        figure.run(tmp_path / "out", offered)
