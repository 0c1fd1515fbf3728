"""Keerthi's figure 1: the problems, the averages and the findings by definition; one small run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic import Corpus
from laconic.errors import LaconicError
from laconic.methods import parse_method
from laconic.rows import Row
from laconic.studies.prepared_corpus import PreparedCorpus
from reproduction.keerthi2005 import experiment as paper
from reproduction.keerthi2005.f_measures import ProblemCurves
from reproduction.keerthi2005.statements import COUNTS as COUNTED
from reproduction.keerthi2005.statements import OF_ALL
from reproduction.statements import Verdict
from tests.reproduction.counting_executor import Counting
from tests.studies.corpora import pets

pytestmark = pytest.mark.full

SCALE = paper.Extent(sets=4, n_splits=2, draws=1, sizes=(2, 5))
METHODS = (paper.SVM_PLOT[paper.IG], "SVM-LARS", "ALL+ridge:threshold=training")
NONE = ProblemCurves({}, {}, {}, {}, {})
# documents of the class and of all, and words, as the paper has them
COUNTS = {
    "fbis-4": (387, 2463, 2000),
    "la1-2": (555, 3204, 31472),
    "la1-4": (943, 3204, 31472),
    "ohscal-7": (1037, 11162, 11465),
    "money-fx": (717, 12902, None),
    "news-3": (1000, 19997, None),
}


def row(method, asked, value, fold="fold 1 of 4", metric=paper.METRIC):
    return Row("p", method, asked, metric, value, fold=fold)


def counted(split=None):
    """Five documents with several labels, as counts."""
    return Corpus(
        "five",
        labels=(("a",), ("b", "a"), (), ("c",), ("a",)),
        ids=tuple("12345"),
        vectors=csr_array(np.array([[3, 0], [0, 1], [2, 2], [0, 7], [1, 1]])),
        vocabulary=("x", "y"),
        split=split,
    )


def test_a_class_is_asked_for_against_the_rest():
    asked = paper.against_rest(counted(), "a", "five-1")
    assert asked.name == "five-1"
    assert asked.classes == ("rest", "a")
    assert [label for (label,) in asked.labels] == ["a", "a", "rest", "rest", "a"]
    assert asked.vectors.toarray().tolist() == [[1, 0], [0, 1], [1, 1], [0, 1], [1, 1]]


def test_documents_in_neither_part_are_left_out():
    asked = paper.against_rest(counted(("train", "", "test", "train", "test")), "a", "five-1")
    assert asked.ids == ("1", "3", "4", "5")
    assert asked.split == ("train", "test", "train", "test")


def test_a_class_that_is_not_there_is_refused():
    with pytest.raises(LaconicError, match="z against the rest: five has no such class"):
        paper.against_rest(counted(), "z", "five-1")


def test_counts_become_presence_and_texts_tf_idf():
    binary = PreparedCorpus.of(
        plan := paper.plan_of(paper.against_rest(counted(), "a", "n"), SCALE), plan.corpora[0]
    )
    assert plan.split.repeats == 2
    for split in binary.splits:
        (problem,) = binary.problems(split, ["n"])
        assert set(problem.X_train.data) == {1.0}
        np.testing.assert_array_equal(problem.y_train, (split.train != 2) & (split.train != 3))
    texts = paper.plan_of(paper.against_rest(pets(split=True), "cats", "pets-1"), SCALE)
    ready = PreparedCorpus.of(texts, texts.corpora[0])
    (split,) = ready.splits
    assert split.test.tolist() == list(range(0, 90, 5)), "its own split, once"
    (problem,) = ready.problems(split, ["pets-1"])
    np.testing.assert_allclose(problem.X_train.power(2).sum(axis=1), 1.0)
    assert np.unique(problem.X_train.data.round(6)).size > 10, "by idf, not by presence"


def test_the_sizes_are_the_papers():
    assert paper.SIZES[:7] == (2, 4, 8, 16, 32, 64, 128)
    assert paper.SIZES[7:] == tuple(200 + 150 * k for k in range(13))


def test_sizes_are_the_papers_with_full_only():
    corpus = paper.against_rest(pets(60), "cats", "pets-1")
    news = paper.FIGURES["1-news-3"]
    assert paper.plan_of(corpus, news.full).sizes == paper.SIZES
    assert paper.plan_of(corpus, replace(news.full, n_splits=1)).sizes == paper.SIZES
    quick = paper.plan_of(corpus, news.quick).sizes
    assert set(quick) < set(paper.SIZES)
    assert (news.full.n_splits, news.quick.n_splits) == (10, 1)
    assert (news.full.sets, news.quick.sets) == (4, 1)
    assert paper.FIGURES["1-money-fx"].full.n_splits == 1
    training = paper.plan_of(corpus, news.full).training
    assert (training.alpha, training.intercept, training.normalize) == (1.0, True, "all")
    others = paper.by_threshold(paper.plan_of(corpus, news.full))
    assert max(others.sizes) == 500
    assert set(others.methods) == set(paper.OTHER_THRESHOLDS)


def test_every_method_of_the_plots_is_one_and_has_its_threshold():
    for plot, classifier in ((paper.SVM_PLOT, "svm"), (paper.RLS_PLOT, "ridge")):
        for name, text in plot.items():
            method = parse_method(text)
            assert method.name == text
            assert method.threshold == ("loo" if method.classifier is None else "cv")
            assert method.alpha == (0.0 if name == paper.LARS_0 else None)
            assert method.classifier in (None, classifier)
    assert len(paper.CURVES) == 10
    assert set(paper.OTHER_THRESHOLDS) | {
        paper.SVM_PLOT[paper.LARS],
        paper.SVM_PLOT[paper.IG],
    } == set(paper.BY_THRESHOLD.values())


def test_spreads_are_averages_over_repeats():
    folds = ["fold 1 of 2, repeat 1", "fold 2 of 2, repeat 1", "fold 1 of 2, repeat 2",
             "fold 2 of 2, repeat 2"]  # fmt: skip
    rows = [
        row("A", 8, value, fold) for value, fold in zip([0.1, 0.5, 0.6, 0.8], folds, strict=True)
    ]
    rows += [row("A", 8, 0.0, folds[0], "recall_macro"), row("A", 16, None, folds[0])]
    found = paper.spreads(rows)
    assert list(found) == [("A", 8)]
    spread = found["A", 8]
    assert spread.low == pytest.approx((0.1 + 0.6) / 2)
    assert spread.mean == pytest.approx((0.3 + 0.7) / 2)
    assert spread.high == pytest.approx((0.5 + 0.8) / 2)
    assert spread.folds == 4


def test_a_size_that_some_folds_lack_is_not_compared_but_written_down():
    both = [row("A", 8, 0.5, f"fold {i} of 2") for i in (1, 2)]
    rows = [*both, row("A", 16, 0.9, "fold 1 of 2")]
    assert list(paper.complete(paper.spreads(rows))) == [("A", 8)]
    *_, flat = paper.tables("p", rows)
    assert flat.file == "f-measure.csv"
    assert [(line[2], line[-1]) for line in flat.lines] == [("8", "2"), ("16", "1")]
    assert flat.lines[0] == ("p", "A", "8", "0.500000", "0.500000", "0.500000", "2")


def test_a_table_has_sizes_all_words_and_only_methods_that_were_measured():
    plot = {"one": "A", "two": "B", "whole": "ALL"}
    rows = [row("A", 8, 0.5), row("A", 200, 0.25), row("ALL", 1.0, 0.75)]
    table = paper.curve_table("t", plot, paper.spreads(rows))
    assert table.columns == ("words", "one", "whole")
    assert table.lines == (
        ("8", "0.500 (0.50–0.50)", ""),
        ("200", "0.250 (0.25–0.25)", ""),
        ("all", "", "0.750 (0.75–0.75)"),
    )


def test_curves_are_of_sizes_that_every_fold_has_and_go_on_beside():
    svm = paper.SVM_PLOT
    folds = ("fold 1 of 2", "fold 2 of 2")
    rows = [row(svm[paper.LARS_0], 8, 0.5, fold) for fold in folds]
    rows += [row(svm[paper.LARS_0], 16, 0.75, folds[1])]
    rows += [
        row(paper.RLS_PLOT[paper.ALL], 1.0, value, f)
        for f, value in zip(folds, (0.25, 0.75), strict=True)
    ]
    rows += [row("IG+svm:threshold=training", 8, 0.125, fold) for fold in folds]
    found = paper.problem_curves(paper.spreads(rows))
    assert found.svm[paper.LARS_0] == {8: 0.5}
    assert found.further == {8: 0.5, 16: 0.75}
    assert found.svm[paper.IG] == found.rls[paper.LARS] == {}
    assert found.whole == {paper.RLS: 0.5}
    assert found.thresholds[paper.IG_TRAINING] == {8: 0.125}
    assert paper.ALL not in found.svm


def test_fewer_folds_are_the_first_of_each_repeat():
    corpus = paper.against_rest(pets(60), "cats", "pets-1")
    every = PreparedCorpus.of(plan := paper.plan_of(corpus, SCALE), plan.corpora[0])
    fewer = paper.plan_of(corpus, replace(SCALE, sets=3))
    some = PreparedCorpus.of(fewer, fewer.corpora[0])
    assert len(every.splits) == 8
    assert [one.name for one in some.splits] == [
        f"fold {fold} of 4, repeat {repeat}" for repeat in (1, 2) for fold in (1, 2, 3)
    ]
    keys = {task.key for task in every.tasks}
    assert {task.key for task in some.tasks} < keys, "a part of the work, not other work"


def test_an_extent_says_what_was_run():
    assert str(paper.PAPER) == "4 test sets, 10 times; 20 sizes up to 2,000 words"
    assert str(paper.QUICK) == "1 test set, once; 12 sizes up to 1,100 words"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A problem of small texts with few methods, run twice."""
    where = tmp_path_factory.mktemp("keerthi") / "figure"
    figure = paper.ProblemFigure(Pets("pets-1", "pets", "cats"), SCALE, SCALE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(COUNTED, "pets-1", (20, 60, 100))
        patch.setattr(paper, "CURVES", METHODS[::2])
        patch.setattr(paper, "OTHER_THRESHOLDS", METHODS[1:2])
        executors = Counting(), Counting()
        found, again = (figure.run(where, SCALE, executor) for executor in executors)
    return figure, found, again, [executor.done for executor in executors]


class Pets(paper.BinaryProblem):
    def load(self):
        return paper.against_rest(pets(60), self.label, self.name)


@pytest.mark.full
def test_a_problem_run_again_computes_nothing(small):
    figure, found, again, done = small
    assert done == [3 * 4 * 2, 0]
    assert again.rows == found.rows
    assert figure.about == "cats of pets against the rest"


@pytest.mark.full
def test_a_problem_has_its_statements_and_plots(small):
    """Those that need sizes from 32 words on are not measured here."""
    _, found, *_ = small
    count, *others = found.findings
    assert count.ours.startswith("20; 60; ")
    assert [one.statement for one in others] == [statement(NONE).statement for statement in OF_ALL]
    assert {one.verdict for one in others} == {Verdict.UNMEASURED}
    (plot,) = found.plots
    assert plot.name == "figure1-pets-1-svm"
    goals = [
        row.value for row in found.rows
        if (row.method, row.size, row.metric) == (METHODS[0], 5, paper.METRIC)
    ]  # fmt: skip
    assert (plot.lines[0].name, plot.lines[0].xs) == (paper.IG, (2, 5))
    assert plot.lines[0].ys[1] == pytest.approx(np.mean(goals))


def test_rows_are_measured_in_every_fold_and_repeat(small):
    _, found, *_ = small
    goals = [row for row in found.rows if row.metric == paper.METRIC]
    assert {row.method for row in goals} == set(METHODS)
    assert len({row.fold for row in goals}) == 8
    assert {row.size for row in goals if row.method != METHODS[-1]} == {2, 5}
    assert all(row.status == "ok" for row in goals)


def test_a_row_is_what_the_definition_gives(small):
    """F1 of the method trained and asked here, in the second fold of the second repeat."""
    figure, found, *_ = small
    plan = replace(paper.plan_of(figure.problem.load(), SCALE), methods=METHODS)
    ready = PreparedCorpus.of(plan, plan.corpora[0])
    split = ready.splits[5]
    (problem,) = ready.problems(split, ["pets-1"])
    for text in METHODS[:2]:
        path = parse_method(text).build(1.0, intercept=True, normalize="all")
        (model,) = path.path(problem.X_train, problem.y_train, [5])
        yes, truth = model.predict(problem.X_test) == 1, problem.y_test == 1
        value = 2 * (yes & truth).sum() / (yes.sum() + truth.sum())
        (one,) = (r for r in found.rows if (r.method, r.size, r.fold, r.metric)
                  == (text, 5, split.name, paper.METRIC))  # fmt: skip
        assert one.value == pytest.approx(value)
        assert problem.classes[1] == "cats"


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("asked", paper.PROBLEMS, ids=lambda asked: asked.name)
def test_the_problems_have_the_papers_counts(asked, corpora):
    corpus = asked.load()
    own, n_docs, n_terms = COUNTS[asked.name]
    assert corpus.class_counts == {"rest": n_docs - own, asked.label: own}
    assert n_terms is None or corpus.vectors.shape[1] == n_terms


@pytest.mark.slow
@pytest.mark.corpus
def test_classes_are_numbered_in_the_order_of_their_names(corpora):
    """Which is reason the third newsgroup is taken for class 3."""
    from laconic.corpus.loading import load_corpora

    for asked in paper.PROBLEMS:
        number = asked.name.rpartition("-")[2]
        if number.isdecimal():
            (corpus,) = load_corpora(asked.corpus)
            assert sorted(corpus.classes)[int(number) - 1] == asked.label
