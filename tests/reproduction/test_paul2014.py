"""The tables of Paul & Drineas on small corpora; their definitions; a few on the real ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic import Corpus
from laconic.corpus.splits import folds
from laconic.errors import LaconicError
from laconic.methods import parse_method
from laconic.studies.options import Source
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.study import Study
from reproduction.paul2014 import experiment as paper
from reproduction.paul2014.alphas import with_alphas
from reproduction.paul2014.selection_counts import SelectionCounts, selection_counts
from reproduction.shared.figures import Scale
from reproduction.statements import Verdict
from tests.reproduction.counting_executor import Counting
from tests.studies.corpora import pets

pytestmark = pytest.mark.full

SCALE = Scale(sets=1, n_splits=1, draws=2)
METHODS = ("IG+ridge", "SS:draw=iid+ridge")
ALPHAS = (0.0, 0.5)


@pytest.fixture
def few(monkeypatch):
    """Two methods and two alphas in table 1."""
    monkeypatch.setattr(paper, "SYNTHETIC_METHODS", METHODS)
    monkeypatch.setattr(paper, "SYNTHETIC_ALPHAS", ALPHAS)


@pytest.mark.parametrize("relevant", paper.RELEVANT)
def test_a_made_set_is_as_section_6_3_says(relevant):
    """Feature j of class y: y·N(−j, 1). Of 30 points a mean is within 5/√30 in all but 1e-6."""
    corpus = paper.synthetic(relevant, 1)
    X, y = corpus.vectors.toarray(), np.array([int(label) for (label,) in corpus.labels])
    assert X.shape == (30, 1000)
    assert set(y) == {-1, 1}
    expected = np.where(np.arange(1, 1001) <= relevant, -np.arange(1.0, 1001), 0.0)
    turned = X * y[:, None]
    assert np.abs(turned.mean(axis=0) - expected).max() < 5 / np.sqrt(30)
    assert turned.std(axis=0, ddof=1).mean() == pytest.approx(1.0, abs=0.02)
    assert corpus.vocabulary[0] == "1"


def test_made_sets_are_repeatable_and_differ():
    one, again, other = paper.synthetic(90, 1), paper.synthetic(90, 1), paper.synthetic(90, 2)
    assert one.fingerprint == again.fingerprint
    assert other.fingerprint != one.fingerprint
    assert not np.array_equal(one.vectors.data, other.vectors.data)


def test_features_come_as_they_are_also_below_zero(few):
    plan = paper.synthetic_sets(SCALE)
    (corpus, _) = plan.load()
    ready = PreparedCorpus.of(plan, corpus)
    split = ready.splits[0]
    (problem,) = ready.problems(split, [corpus.name])
    assert problem.X_train.data.min() < 0
    np.testing.assert_array_equal(problem.X_train.toarray(), corpus.vectors[split.train].toarray())
    np.testing.assert_array_equal(problem.X_test.toarray(), corpus.vectors[split.test].toarray())


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Table 1 with few methods, on one small set for each k."""
    where = tmp_path_factory.mktemp("made") / "table1"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "SYNTHETIC_METHODS", METHODS)
        patch.setattr(paper, "SYNTHETIC_ALPHAS", ALPHAS)
        executor = Counting()
        found = paper.FIGURES["table1"].run(where, SCALE, executor)
        again = Counting()
        second = paper.FIGURES["table1"].run(where, SCALE, again)
    return found, executor.done, second, again.done


@pytest.mark.full
def test_a_table_run_again_computes_nothing(made):
    found, computed, second, again = made
    # two sets, 10 training sets, two alphas of IG and of two draws
    assert (computed, again) == (2 * 10 * 2 * 3, 0)
    assert second.rows == found.rows
    assert second.tables == found.tables


@pytest.mark.full
def test_rows_are_errors_of_every_lambda_size_and_fold(made):
    found, *_ = made
    rows = [row for row in found.rows if row.metric == "error"]
    assert len(rows) == 120 * 2
    assert {row.method for row in rows} == set(with_alphas(METHODS, ALPHAS))
    assert {row.size for row in rows} == set(paper.SYNTHETIC_SIZES)
    assert {row.value for row in rows if row.method.startswith("IG")} == {0.0}


def test_the_row_of_ig_is_the_papers(made):
    """Presence tells nothing where every feature is present, so that it takes the first columns."""
    table = named(made[0], "features selected most often, first set")
    assert ("IG, 80", *["80, 79, 78, 77, 76"] * 2) in table.lines
    assert ("IG, 90", *["90, 89, 88, 87, 86"] * 2) in table.lines


def named(found, title):
    (table,) = (table for table in found.tables if table.title == title)
    return table


def favourite(times, selections=9, problem="k=90, set 1", method="IG+ridge:alpha=0.0"):
    return SelectionCounts(problem, method, 80, Counter(times), selections)


def test_of_equals_the_highest_feature_is_first():
    one = favourite({4: 2, 7: 5, 2: 9, 9: 5, 1: 9, 0: 1, 3: 8})
    assert one.most_frequent(5) == [2, 1, 3, 9, 7]
    assert one.always() == [1, 2]


def test_features_are_numbered_from_1_and_counted_as_relevant_up_to_k():
    sound = favourite({89: 5, 88: 4, 87: 3, 86: 2, 85: 1})
    found = [
        sound,
        favourite({90: 5, 88: 4, 87: 3, 86: 2, 85: 1}, problem="k=90, set 2"),
        favourite({90: 5, 88: 4, 87: 3, 86: 2, 85: 1}, problem="k=100, set 1"),
    ]
    first, relevant, kept = paper.feature_tables(found)
    assert first.lines == (("IG, 80", "90, 89, 88, 87, 86", "91, 89, 88, 87, 86"),)
    assert relevant.lines == (("IG, 80", "1 of 2", "1 of 1"),)
    assert [line[0] for line in kept.lines] == ["k=90, set 1", "k=90, set 2", "k=100, set 1"]


@pytest.mark.full
def test_favourites_are_counted_over_folds_and_draws(tmp_path):
    corpus = pets(40)
    plan = paper.plan_of(corpus, ("DF+ridge", "US+ridge"), (0.5, 1.0), SCALE, sizes=(4,))
    study = Study(plan, tmp_path)
    study.run()
    of_df, of_us = selection_counts(study, ("DF+ridge:alpha=0.5", "US+ridge:alpha=1.0"))
    assert (of_df.method, of_df.selections, of_us.selections) == ("DF+ridge:alpha=0.5", 10, 20)
    (ready,) = study.corpora
    by_hand: Counter[int] = Counter()
    for split in folds(corpus, 10):
        (problem,) = ready.problems(split, [corpus.name])
        reducer = parse_method("DF").build().reducer.fit(problem.X_train, problem.y_train)
        by_hand.update(problem.columns[reducer.at(4).terms].tolist())
    assert of_df.times == by_hand
    assert sum(of_us.times.values()) == 20 * 4


def test_pairs_are_those_whose_categories_both_occur_often():
    names = ["Exp_1_2", "Exp_1_3", "Exp_2_3", "Exp_1_2x", "Exp_4_1", "Exp_2_5", "Exp_3_6"]
    # 1: four times, 2 and 3: three times, others once
    assert paper.frequent_pairs(names) == ["Exp_1_2", "Exp_1_3", "Exp_2_3"]
    assert paper.frequent_pairs(names, least=4) == []


SETTINGS = {
    "table1": paper.synthetic_sets,
    "table4": paper.named_pairs,
}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_tables_follow_the_protocol(few, name):
    figure = paper.FIGURES[name]
    assert figure.setting is SETTINGS[name]
    plan = figure.setting(figure.full)
    assert (plan.training.intercept, plan.training.normalize) == (False, "all")
    assert (plan.split.test_size, plan.split.cv, plan.split.repeats) == (None, 10, 10)
    assert plan.metrics == ("accuracy", "error")


def text_corpus(name: str) -> Corpus:
    """Documents of a county, which is always chosen, and of words that others choose from."""
    corpus = pets(40, name=name)
    texts = tuple(f"counti counti counti {text}" for text in corpus.texts)
    return replace(corpus, texts=texts)


def test_words_of_the_paper_are_looked_for_as_words_and_as_stems(tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "TERMS", {"1_2": "county,absent,word1", "3_4": "puppy"})
    corpora = [text_corpus("techtc100/Exp_1_2"), text_corpus("techtc100/Exp_3_4")]

    def setting(scale):
        plan = paper.plan_of(corpora, ("DF+ridge",), (0.1,), scale, sizes=(20,))
        return replace(plan, draws=1)

    figure = replace(paper.FIGURES["table4"], setting=setting)
    found = figure.run(tmp_path / "out", SCALE)
    first, second, kept = found.tables
    assert first.title.startswith("1_2: ")
    assert first.title.endswith("words are selected in all 10 training sets")
    assert first.lines[0] == ("county", "counti", "always")
    assert first.lines[1] == ("absent", "", "no such word")
    assert first.lines[2][:2] == ("word1", "word1")
    assert [line[0] for line in second.lines] == ["puppy"]
    assert ("1_2", "counti") in kept.lines
    assert int(first.title.split()[1]) == sum(line[0] == "1_2" for line in kept.lines)


@pytest.mark.full
def test_errors_of_every_method_and_bss_against_the_others(tmp_path):
    corpora = [doubtful(n) for n in range(7)]

    def setting(scale):
        methods = ("BSS+ridge", "DF+ridge", "IG+ridge")
        return paper.plan_of(corpora, methods, (0.5,), scale, sizes=(25,), detail=False)

    figure = replace(paper.FIGURES["table2"], setting=setting)
    found = figure.run(tmp_path / "out", replace(SCALE, draws=1))
    by_size, flat, against, pairs, beside = found.tables
    assert [line[0] for line in by_size.lines] == ["BSS", "DF", "IG"]
    assert "7 sets" in by_size.title
    assert [line[0] for line in against.lines] == ["DF, 25", "IG, 25"]
    assert (flat.file, pairs.file) == ("error.csv", "pairs.csv")
    assert beside.title == "error in %: paper / here"
    statements = [one.statement for one in found.findings if one.verdict is not Verdict.UNMEASURED]
    assert statements == ["BSS beats IG"]
    assert [one.name for one in found.plots] == ["table2-25"]
    ig = (row for row in found.rows if row.method == "IG+ridge:alpha=0.5")
    own = [row.value for row in ig if row.metric == "error"]
    assert len(own) == 70
    (line,) = (line for line in flat.lines if line[1] == "IG")
    assert float(line[4]) == pytest.approx(np.mean(own), abs=1e-6)


def doubtful(seed: int) -> Corpus:
    rng = np.random.default_rng(seed)
    X = csr_array(rng.poisson(0.4, (20, 40)).astype(float))
    labels = tuple((f"{int(one)}",) for one in rng.integers(0, 2, 20))
    words = tuple(f"w{n}" for n in range(40))
    return Corpus(f"set {seed}", labels, tuple(map(str, range(20))), vectors=X, vocabulary=words)


def test_only_the_named_corpora_of_a_family_are_loaded(monkeypatch):
    family = [pets(6, name=f"family/{n}") for n in "abcd"]
    monkeypatch.setattr("laconic.corpus.loading.read_corpora", lambda *_, **__: iter(family))
    chosen = ("family/d", "family/b")
    assert [c.name for c in Source("family", only=chosen).load()] == ["family/b", "family/d"]
    assert [c.name for c in Source("family", only=chosen, first=1).load()] == ["family/b"]
    assert len(list(Source("family").load())) == 4
    with pytest.raises(LaconicError, match="only family/e: not in family"):
        list(Source("family", only=("family/a", "family/e")).load())


@pytest.mark.slow
@pytest.mark.corpus
def test_how_many_pairs_of_techtc_qualify(corpora, monkeypatch):
    monkeypatch.setenv("LACONIC_DATA", str(corpora))
    plan = paper.pairs("count")(paper.ALL_PAIRS)
    assert len(plan.corpora[0].only) == 76
    assert (plan.weighting.scheme, plan.text.min_length) == ("count", 4)
    assert plan.sizes == (300, 400, 500)
