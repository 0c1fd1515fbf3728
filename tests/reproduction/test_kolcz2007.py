"""Kołcz & Chowdhury: settings, small runs, and the variants against libsvm."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.svm import SVC

from laconic import Corpus
from laconic.curves import evaluate_path
from laconic.methods import parse_method
from laconic.rows import Row
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.text.problem import Problem
from reproduction.kolcz2007 import experiment as paper
from reproduction.kolcz2007 import fractions
from reproduction.kolcz2007.statements import RCV1
from reproduction.shared.figures import MeanPoint, Scale
from reproduction.statements import Verdict
from tests.reproduction.counting_executor import Counting
from tests.studies.corpora import pets

SCALE = Scale(sets=2, n_splits=1, draws=1)
FEW_METHODS = (paper.EXACT, paper.MASK, "SV-SET")
FEW_FRACTIONS = (0.1, 0.2, 0.5)


def test_the_fractions_and_settings_are_the_papers():
    assert list(paper.FRACTIONS) == [0.01, 0.05, *(n / 10 for n in range(1, 10)), 0.99]
    corpus = pets(split=True)
    texts = (corpus.texts[0], *(f"{text} once{n}" for n, text in enumerate(corpus.texts[1:])))
    plan = paper.by_category(replace(corpus, texts=texts))
    assert plan.sizes == (*paper.FRACTIONS, 1.0)
    assert 1 / (2 * plan.training.alpha) == 1.0
    for text in paper.METHODS:
        path = parse_method(text).build(plan.training.alpha, normalize=plan.training.normalize)
        assert (path.alpha, path.loss, path.fit_intercept, path.normalize) == (
            0.5,
            "hinge",
            True,
            None,
        )
    ready = PreparedCorpus.of(plan, plan.corpora[0])
    (split,) = ready.splits
    assert split.test.tolist() == list(range(0, 90, 5))
    (problem, *_) = ready.problems(split, ["pets: dogs"])
    assert problem.classes == ("not dogs", "dogs")
    X = problem.X_train
    np.testing.assert_allclose(X.power(2).sum(axis=1), 1.0)
    for document in range(X.shape[0]):
        assert np.ptp(X[[document]].data) == 0, "every word of a document weighs the same"
    assert (X > 0).sum(axis=0).min() >= 2
    assert not [word for word in problem.vocabulary if word.startswith("once")]


def three_of(labels, split):
    return Corpus(
        "c", labels=labels, ids=tuple(map(str, range(len(labels)))),
        texts=tuple("word" for _ in labels), split=split,
    )  # fmt: skip


def test_categories_have_documents_in_both_parts():
    corpus = three_of(
        (("a", "b"), ("a", "c"), ("c",), ("a", "d"), ("b",), ("c",)),
        ("train", "train", "train", "test", "", "test"),
    )
    kept = paper.in_both_parts(corpus, 10)
    assert kept.classes == ("a", "c")
    assert kept.labels == (("a",), ("a", "c"), ("c",), ("a",), (), ("c",))
    assert kept.split == corpus.split


def test_fewer_categories_go_from_the_most_frequent_to_the_rarest():
    times = {"a": 1, "b": 9, "c": 5, "d": 3, "e": 2}
    train = tuple((label,) for label, n in times.items() for _ in range(n))
    corpus = three_of((*train, *((c,) for c in times)), ("train",) * 20 + ("test",) * 5)
    assert paper.in_both_parts(corpus, 3).classes == ("a", "b", "d")
    assert paper.in_both_parts(corpus, 5).classes == tuple(times)
    assert paper.in_both_parts(corpus, 1).classes == ("b",)


def test_every_figure_has_its_paper_scale():
    assert list(paper.FIGURES) == [
        "table1-rcv1", "table1-20news", "table1-reuters", "table1-rcv1-pooled",
        "table1-20news-pooled", "2", "3-20news", "3-rcv1",
    ]  # fmt: skip
    for name, figure in paper.FIGURES.items():
        assert figure.full.sets == (100 if name == "2" else 1000)
        assert figure.quick.sets < figure.full.sets / 4
        assert figure.about
    assert str(paper.EVERY) == "every category"
    assert str(paper.SOME) == "10 categories"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Three methods and fractions on small texts, run twice."""
    where = tmp_path_factory.mktemp("kolcz") / "figure"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "METHODS", FEW_METHODS)
        patch.setattr(paper, "FRACTIONS", FEW_FRACTIONS)
        patch.setattr(paper, "SIZES", (*FEW_FRACTIONS, 1.0))
        figure = paper.BestFractions("small", "", small_plan, SCALE, SCALE, RCV1, stands_in=False)
        executors = Counting(), Counting()
        found, again = (figure.run(where, SCALE, executor) for executor in executors)
    return found, again, [executor.done for executor in executors]


def small_plan(scale):
    return paper.by_category(paper.in_both_parts(pets(120, split=True), scale.sets))


@pytest.mark.full
def test_a_figure_is_two_studies_and_run_again_computes_nothing(small):
    found, again, done = small
    assert done == [2 * 3 * (1 + paper.FOLDS_WITHIN), 0]
    assert again.rows == found.rows
    problems = {row.problem for row in found.rows}
    assert problems == {
        f"{where}pets: {c}" for where in ("", "given in ") for c in ("cats", "fish")
    }
    assert {row.part for row in found.rows if row.problem.startswith("given")} == {"validation"}
    assert all(row.status == "ok" for row in found.rows)


def test_the_tables_are_what_the_rows_say(small):
    found, *_ = small
    oracle, nested, *curves, gap, rarity = found.tables
    assert "(oracle)" in oracle.title
    assert "chosen by 3-fold cross-validation" in nested.title
    assert [table.title for table in curves] == list(paper.METRICS)
    assert {line[0].partition(",")[0] for line in gap.lines} == set(paper.METRICS)
    assert [line[0] for line in oracle.lines] == [*FEW_METHODS, paper.ALL]
    values = {
        (row.method, row.problem, row.size): row.value
        for row in found.rows if row.metric == "best_f1" and row.fold == "given"
    }  # fmt: skip
    problems = ("pets: cats", "pets: fish")
    for line in oracle.lines[:-1]:
        best = [max(values[line[0], p, s] for s in FEW_FRACTIONS) for p in problems]
        assert line[3] == f"{np.mean(best):.4f}"
    whole = np.mean([values["MASK", p, 1.0] for p in problems])
    assert oracle.lines[-1][3] == nested.lines[-1][3] == f"{whole:.4f}"
    inside = {}
    for one in found.rows:
        if one.metric == "best_f1" and one.fold != "given":
            key = (one.method, one.problem.removeprefix("given in "), one.size)
            inside.setdefault(key, []).append(one.value)
    for line in nested.lines[:-1]:
        taken = []
        for p in problems:
            size = max(FEW_FRACTIONS, key=lambda s: (np.mean(inside[line[0], p, s]), s))
            taken.append(values[line[0], p, size])
        assert line[3] == f"{np.mean(taken):.4f}"
    at_first = [np.mean([values[m, p, 0.1] for p in problems]) for m in FEW_METHODS]
    assert rarity.columns == ("training documents", "categories", *FEW_METHODS)
    assert rarity.lines == (("10–99", "2", *(f"{value:.4f}" for value in at_first)),)


def test_a_table_has_its_statements_and_plots(small):
    found, *_ = small
    told = {one.statement: one for one in found.findings}
    assert len(told) == len(found.findings)
    one = told["AUC of EXACT, each category at its best fraction"]
    assert (one.paper, one.ours) == ("0.9746", found.tables[0].lines[0][1])
    assert Verdict.UNMEASURED not in {one.verdict for one in found.findings}
    assert [plot.name for plot in found.plots] == [f"small-{m}" for m in paper.METRICS]
    curve = {line.name: line for line in found.plots[0].lines}
    assert tuple(curve) == FEW_METHODS
    assert curve["MASK"].xs == (*FEW_FRACTIONS, 1.0)
    assert [f"{y:.3f}" for y in curve["MASK"].ys] == list(found.tables[2].lines[1][1:])


def test_all_words_are_the_mask_of_everything_and_choices_are_made_inside():
    study = SimpleNamespace(plan=SimpleNamespace(target="multiclass"))
    sizes = {0.01: 0.25, 0.99: 0.5, 1.0: 0.75}
    rows = [Row("p", "EXACT", size, "roc_auc", value, fold="1") for size, value in sizes.items()]
    rows += [
        Row("p", "MASK", size, "roc_auc", value / 2, fold="1") for size, value in sizes.items()
    ]
    inside = [
        Row("1 in p", "EXACT", 0.01, "roc_auc", 1.0),
        Row("1 in p", "EXACT", 0.99, "roc_auc", 0.0),
    ]
    of = fractions.FractionResults.of(("roc_auc",), paper.FRACTIONS, rows, inside)
    oracle, nested, *_ = fractions.tables(study, rows, of)
    found = [{line[0]: line[1] for line in table.lines} for table in (oracle, nested)]
    assert found[0] == {"EXACT": "0.5000", "MASK": "0.2500", "all words": "0.3750"}
    assert found[1] == {"EXACT": "0.2500", "MASK": "0.2500", "all words": "0.3750"}


@pytest.mark.full
def test_a_cross_validation_needs_no_category(tmp_path, monkeypatch):
    """Figure 2: two classes, means over the folds, all words beside."""
    monkeypatch.setattr(paper, "METHODS", FEW_METHODS)
    monkeypatch.setattr(paper, "FRACTIONS", (0.2,))
    monkeypatch.setattr(paper, "SIZES", (0.2, 1.0))
    split = paper.SplitOptions(None, cv=4)

    def two(scale):
        corpora = [replace(of_two(pets(60, seed)), name=f"set {seed}") for seed in (1, 2)]
        return paper.plan_of(corpora, split, metrics=("roc_auc",), target="multiclass")

    found = paper.BestFractions("figure2", "", two, SCALE, SCALE).run(tmp_path / "2", SCALE)
    oracle, nested, curve, _ = found.tables
    values = {}
    for one in found.rows:
        if " in " not in one.problem and one.size == 0.2:
            values.setdefault(one.method, {}).setdefault(one.problem, []).append(one.value)
    for line in (*oracle.lines[:-1], *nested.lines[:-1]):
        sets = values[line[0]]
        assert set(sets) == {"set 1", "set 2"}
        assert {len(folds) for folds in sets.values()} == {4}
        assert line[1] == f"{np.mean([np.mean(folds) for folds in sets.values()]):.4f}"
    assert curve.columns == ("method", "0.2", "1.0")
    by_size, *cells = found.plots
    assert by_size.name == "figure2-roc_auc"
    assert [one.name for one in cells] == ["figure2-exact-all-words", "figure2-sv-set-exact"]
    assert [sum(n for *_, n in one.counts) for one in cells] == [2, 2]
    assert "all three are substantially better than all words" in found.findings[0].statement


def test_a_pooled_area_is_over_the_decisions_of_all_categories(tmp_path, monkeypatch):
    """Those of the separate problems put together: every category has its own words and bias."""
    monkeypatch.setattr(paper, "METHODS", FEW_METHODS)
    monkeypatch.setattr(paper, "SIZES", (0.2, 1.0))
    figure = paper.pooled_figure("small", "", small_plan, SCALE)
    found = figure.run(tmp_path / "pooled", SCALE)
    assert {row.problem for row in found.rows} == {"pets"}
    values = {(r.method, r.size, r.metric): r.value for r in found.rows}
    ready = PreparedCorpus.of(plan := small_plan(SCALE), plan.corpora[0])
    several = list(ready.problems(ready.splits[0], ["pets: cats", "pets: fish"]))
    for text in FEW_METHODS:
        path = parse_method(text).build(0.5, normalize="all")
        cats, fish = (measured_at(path, one, 0.2) for one in several)
        decided = np.concatenate([cats.decision[:, 0], fish.decision[:, 0]])
        truth = np.concatenate([cats.y_signed[:, 0], fish.y_signed[:, 0]]) > 0
        pairs = decided[truth][:, None] - decided[~truth]
        area = (pairs > 0).mean() + (pairs == 0).mean() / 2
        assert values[text, 0.2, "roc_auc_micro"] == pytest.approx(area, abs=1e-3)
    assert [table.title for table in found.tables[:2]] == ["roc_auc_micro", "roc_auc"]
    assert found.tables[0].lines[1][2] == f"{values['MASK', 1.0, 'roc_auc_micro']:.3f}"
    assert [plot.name for plot in found.plots] == ["small-roc_auc_micro"]
    assert [one.verdict for one in found.findings].count(Verdict.UNMEASURED) == 0
    assert {line[0] for line in found.tables[2].lines} == {
        f"{metric}, {method}"
        for metric in ("roc_auc_micro", "roc_auc")
        for method in FEW_METHODS[1:]
    }


def measured_at(path, problem, size):
    (measured,) = evaluate_path(path, problem, [size])
    return measured


def of_two(corpus):
    two = corpus.take([i for i, (label,) in enumerate(corpus.labels) if label != "fish"])
    return replace(two, classes=("cats", "dogs"))


def unit(X):
    lengths = np.sqrt((X**2).sum(axis=1, keepdims=True))
    return np.divide(X, lengths, out=np.zeros_like(X), where=lengths > 0)


def libsvm(X, y):
    return SVC(kernel="linear", C=1.0, tol=1e-10).fit(X, y)


def ranked(machine, X):
    """Words of the support vectors by |w|, best first."""
    words = np.flatnonzero((X[machine.support_] != 0).any(axis=0))
    w = machine.coef_[0]
    return words[np.argsort(-np.abs(w[words]), kind="stable")], w


@pytest.fixture
def problem():
    plan = small_plan(SCALE)
    ready = PreparedCorpus.of(plan, plan.corpora[0])
    (found,) = ready.problems(ready.splits[0], ["pets: cats"])
    return found


@pytest.mark.parametrize("fraction", [0.2, 0.5, 1.0])
def test_exact_mask_and_sv_set_are_their_definitions(problem, fraction):
    X, Q = problem.X_train.toarray(), problem.X_test.toarray()
    full = libsvm(X, problem.y_train)
    order, w = ranked(full, X)
    kept = order[: max(1, round(fraction * order.size))]
    alphas = full.dual_coef_[0] @ unit(X[:, kept])[full.support_]
    again = libsvm(unit(X[:, kept]), problem.y_train)
    expected = {
        "MASK": Q[:, kept] @ w[kept] + full.intercept_,
        "SV-SET": unit(Q[:, kept]) @ alphas + full.intercept_,
        "EXACT": again.decision_function(unit(Q[:, kept])),
    }
    for text, values in expected.items():
        path = parse_method(f"{text}:tol=1e-08").build(0.5, normalize="all")
        measured = measured_at(path, problem, fraction)
        assert measured.model.n_features == kept.size
        np.testing.assert_allclose(measured.decision[:, 0], values, atol=1e-5)


def test_agreements_are_their_definitions(problem):
    X = problem.X_train.toarray()
    full = libsvm(X, problem.y_train)
    order, w = ranked(full, X)
    rows = list(paper.agreements(problem))
    # with fewer words documents become equal, and which of them support is anyone's choice
    for size in (0.5, 1.0):
        kept = order[: max(1, round(size * order.size))]
        again = libsvm(unit(X[:, kept]), problem.y_train)
        before, after = set(full.support_), set(again.support_)
        v, u = w[kept], again.coef_[0]
        expected = {
            "cosine": v @ u / np.sqrt(v @ v * (u @ u)),
            "pearson": np.corrcoef(v, u)[0, 1],
            "overlap": len(before & after) / len(before | after),
            "containment": len(before & after) / len(after),
            "recall": len(before & after) / len(before),
        }
        found = {r.metric: r for r in rows if (r.method, r.size) == (paper.EXACT, size)}
        assert {name: one.value for name, one in found.items()} == pytest.approx(expected, abs=1e-4)
        assert {one.model_size for one in found.values()} == {kept.size}
    assert len(rows) == 5 * (len(paper.SIZES) + 1)


def test_support_vectors_of_all_words_change_through_the_length_only():
    """Words that no support vector has leave the length: without that, nothing changes."""
    rng = np.random.default_rng(1)
    y = (rng.random(60) < 0.1).astype(int)
    X = np.zeros((60, 600))
    for document in range(60):
        chance = 1 / np.arange(1.0, 601)
        chance[:6] *= 20 if y[document] else 0.3
        words = rng.choice(600, rng.integers(2, 30), replace=False, p=chance / chance.sum())
        X[document, words] = 1
    nothing = np.empty(0, dtype=np.int64), np.arange(600), ("no", "yes")
    rows = paper.agreements(Problem("skewed", csr_array(unit(X)), y, csr_array((0, 600)), *nothing))
    found = {(r.method, r.metric): r.value for r in rows if r.size == 1.0}
    assert found["EXACT", "overlap"] < 0.95
    assert found["EXACT, normalize=all", "overlap"] == 1.0
    assert found["EXACT, normalize=all", "cosine"] == pytest.approx(1.0, abs=1e-9)


def test_an_agreement_that_is_no_number_is_a_row_with_a_reason(problem):
    """At 1 % one word is kept, whose weights have no correlation."""
    rows = [r for r in paper.agreements(problem) if r.size == 0.01]
    skipped = [r for r in rows if r.status == "skipped"]
    assert [(r.metric, r.value, r.model_size) for r in skipped] == [("pearson", None, 1)]
    assert skipped[0].reason == "pearson is 0/0"


def test_agreements_are_a_figure_with_a_table_a_measure(tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "SIZES", (0.5, 1.0))
    told = []
    figure = paper.Agreements("small", "Pets, the same", small_plan, SCALE, SCALE)
    found = figure.run(tmp_path / "3", SCALE, listen=told.append)
    assert [table.title for table in found.tables] == list(paper.AGREEMENTS)
    assert [(event.what, event.done, event.total) for event in told] == [
        ("EXACT on pets: cats", 1, 2), ("EXACT on pets: fish", 2, 2)
    ]  # fmt: skip
    asked = ("EXACT", 0.5, "overlap")
    overlaps = [r.value for r in found.rows if (r.method, r.size, r.metric) == asked]
    assert len(overlaps) == 2
    assert found.tables[2].lines[0][1] == f"{np.mean(overlaps):.3f}"
    assert [plot.name for plot in found.plots] == ["figure3-small", "figure4-small"]
    assert found.plots[0].title.startswith("Pets: ")
    assert found.plots[1].lines[0].ys[0] == pytest.approx(np.mean(overlaps))
    assert f"{np.mean(overlaps):.3f}" in found.findings[2].ours
    assert (tmp_path / "3" / "rows.csv").read_text().count("EXACT") == len(found.rows)


def test_gaps_are_told_for_every_measure():
    means = {"EXACT": {0.5: 0.9, 0.6: 0.8}, "SV-SET": {0.5: 0.4, 0.6: 0.82}}
    points = [
        MeanPoint(method, size, metric, value, 0.0, 3)
        for metric in ("roc_auc", "best_f1")
        for method, own in means.items()
        for size, value in own.items()
    ]
    lines = fractions.gap_table(points).lines
    assert lines == (
        ("roc_auc, SV-SET", "+0.0200 at 0.6", "-0.5000 at 0.5"),
        ("best_f1, SV-SET", "+0.0200 at 0.6", "-0.5000 at 0.5"),
    )


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "n_categories", "n_train", "n_test"),
    [
        ("table1-20news", 20, 11_314, 7_532),
        ("table1-reuters", 90, 9_603, 3_299),
        ("table1-rcv1", 100, 22_104, 5_509),
    ],
)
def test_the_corpora_have_the_counts_on_the_page(name, n_categories, n_train, n_test, corpora):
    plan = paper.FIGURES[name].setting(paper.EVERY)
    (corpus,) = plan.corpora
    assert len(corpus.classes) == n_categories
    (split,) = plan.folds(corpus)
    assert (split.train.size, split.test.size) == (n_train, n_test)


def test_a_category_is_in_one_group_by_its_frequency():
    counts = {"a": 1, "b": 9, "c": 10, "d": 99, "e": 100, "f": 998, "g": 1000, "h": 5000}
    corpus = SimpleNamespace(name="x", take=lambda train: SimpleNamespace(class_counts=counts))
    ready = SimpleNamespace(corpus=corpus, splits=[SimpleNamespace(train=None)])
    rows = [
        Row(f"x: {c}", "EXACT", fractions.FEW, "best_f1", n / 10_000) for c, n in counts.items()
    ]
    table = fractions.rarity_table(SimpleNamespace(corpora=[ready]), rows)
    assert table.lines == (
        ("1–9", "2", "0.0005"),
        ("10–99", "2", "0.0054"),
        ("100–999", "2", "0.0549"),
        ("1,000 and more", "2", "0.3000"),
    )
