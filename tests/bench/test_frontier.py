"""The frontier: both sides see the same documents, choose on folds only, and are judged alike."""

from __future__ import annotations

from dataclasses import asdict, replace

import joblib
import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats
from scipy.sparse import csr_array, issparse
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.metrics import f1_score

from bench.frontier import __main__ as command
from bench.frontier import classifiers, corpora, ours, peers, selections
from bench.frontier.choice import choose
from bench.frontier.classifiers import Setting, coefficients, cut, fit, settings_of
from bench.frontier.corpora import FrontierCorpus, sampled, shared_topics
from bench.frontier.journal import Answer, Journal, Limit, Truth, Validation
from bench.frontier.judging import (
    Cell,
    CorpusResults,
    bootstrap_interval,
    corrected,
    document_draws,
    f1_of_draws,
    summary,
    t_interval,
)
from bench.frontier.model_bytes import PeerModel, Words
from bench.frontier.page import Opponents, claim
from bench.frontier.peers import Peers
from bench.frontier.scoring import METRICS, packed, rule_of, signed, unpacked
from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.methods.classifiers import ALPHAS
from laconic.studies.options import LimitOptions
from laconic.studies.study import Study
from laconic.text.problem import Problem

WORDS = [f"word{i:02}" for i in range(60)]
KINDS = ("texts", "labels", "binary")


def documents(n_docs: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts in which each class has five words of its own."""
    rng = np.random.default_rng(0)
    y = np.arange(n_docs) % n_classes
    counts = rng.poisson(0.3, (n_docs, len(WORDS)))
    for label in range(n_classes):
        words = slice(5 * label, 5 * label + 5)
        counts[y == label, words] += rng.poisson(1.5, ((y == label).sum(), 5))
    return counts, y


def corpus_of(kind: str, n_docs: int = 150) -> Corpus:
    counts, y = documents(n_docs, 2 if kind == "binary" else 4)
    labels = [(f"c{label}",) for label in y]
    if kind == "labels":
        labels = [(*names, "even") if i % 3 == 0 else names for i, names in enumerate(labels)]
    ids = tuple(map(str, range(n_docs)))
    if kind == "texts":
        texts = tuple(" ".join(np.repeat(WORDS, row)) for row in counts)
        return Corpus(kind, tuple(labels), ids, texts=texts)
    vectors = csr_array(counts * 1.0)
    return Corpus(kind, tuple(labels), ids, vectors=vectors, vocabulary=tuple(WORDS))


@pytest.fixture(scope="module", params=KINDS)
def frontier(request) -> FrontierCorpus:
    return FrontierCorpus(corpus_of(request.param), budgets=(5, 20))


@pytest.fixture(scope="module")
def problem() -> Problem:
    return FrontierCorpus(corpus_of("texts")).final.problem


@pytest.fixture
def few_settings(monkeypatch) -> None:
    """Two selections, one C."""
    monkeypatch.setattr(peers, "SELECTIONS", {"chi2": selections.by_chi2, "L1": selections.by_l1})
    monkeypatch.setattr(classifiers, "COSTS", {"svm": (1.0,), "logistic": (5.0,)})


# Documents


def test_both_sides_have_the_vectors_of_a_study(frontier, tmp_path):
    (prepared,) = Study(frontier.plan("f1_micro"), tmp_path / "study").corpora
    splits = [*prepared.splits, prepared.final_split()]
    for fold, split in zip([*frontier.folds, frontier.final], splits, strict=True):
        (expected,) = prepared.problems(split, [prepared.targets[0].name])
        for mine, theirs in (
            (fold.problem.X_train, expected.X_train),
            (fold.problem.X_test, expected.X_test),
        ):
            np.testing.assert_array_equal(mine.toarray(), theirs.toarray())
        labels = expected.y_train
        dense = labels.toarray() if issparse(labels) else labels
        np.testing.assert_array_equal(fold.problem.y_train, dense)
        assert np.intersect1d(split.train, split.test).size == 0
    assert len(frontier.folds) == 3


def test_sizes_are_those_that_every_fold_has():
    corpus = FrontierCorpus(corpus_of("texts"), budgets=(10, 60, 61))
    assert corpus.sizes == (10, 60)
    assert corpus.plan("f1_macro").sizes == (10, 60)


def test_topics_of_one_part_alone_are_left_out():
    labels = (("a", "b"), ("b",), ("a",), ("a", "c"), ("c",))
    parts = ("train", "train", "test", "test", "test")
    ids = tuple("01234")
    shared = shared_topics(Corpus("r", labels, ids, texts=ids, split=parts, multilabel=True))
    assert shared.classes == ("a",)
    assert shared.ids == ("0", "2", "3")


def test_a_sample_has_all_test_documents():
    corpus = corpus_of("texts")
    split = tuple("test" if i % 5 == 0 else "train" for i in range(len(corpus)))
    drawn = sampled(replace(corpus, split=split), 40)
    assert (drawn.part("train").size, drawn.part("test").size) == (40, 30)


# Selections


def test_chi2_is_that_of_scikit_learn(problem):
    expected = SelectKBest(chi2, k=7).fit(problem.X_train, problem.y_train)
    columns = selections.by_chi2(problem)(7)
    np.testing.assert_array_equal(columns, expected.get_support(indices=True))


@pytest.mark.parametrize("name", ["RFE", "L1", "abess"])
@pytest.mark.parametrize("kind", KINDS)
def test_selections_prefer_words_of_classes(kind, name):
    """Chance would take one in three."""
    if name == "abess":
        pytest.importorskip("abess")
    fold = FrontierCorpus(corpus_of(kind)).final
    n_informative = 10 if kind == "binary" else 20
    columns = selections.SELECTIONS[name](fold.problem)(10)
    assert columns is not None
    assert columns.size == np.unique(columns).size == 10
    words = fold.problem.vocabulary[columns].tolist()
    assert sum(word in WORDS[:n_informative] for word in words) >= 8


def test_elimination_removes_a_quarter_of_the_least_heavy_words(problem, monkeypatch):
    sizes = []

    def counted(classifier, X, y):
        sizes.append(X.shape[1])
        return fit(classifier, X, y)

    monkeypatch.setattr(selections, "fit", counted)
    selections.by_elimination(problem)
    n_words = problem.X_train.shape[1]
    assert sizes[0] == n_words
    assert sizes[1:] == [max(10, int(0.75 * size)) for size in sizes[:-1]]


def test_an_l1_path_starts_with_no_word(problem):
    first = selections._first_cost(problem)
    weights = list(selections._l1_path(problem))
    assert 0 < np.count_nonzero(weights[0]) < np.count_nonzero(weights[-1])
    model = selections.LogisticRegression(
        C=0.99 * first, l1_ratio=1.0, solver="liblinear", random_state=0
    )
    assert not coefficients(fit(model, problem.X_train, problem.y_train), 4)[0].any()


def test_abess_is_asked_for_few_words(problem):
    assert selections.by_abess(problem)(selections.MOST_BY_ABESS + 1) is None


# Classifiers


def test_costs_are_those_of_the_alphas_of_a_study():
    for name, costs in classifiers.COSTS.items():
        np.testing.assert_allclose([1 / (2 * cost) for cost in costs], ALPHAS[name])


@pytest.mark.parametrize("classifier", ["svm", "logistic"])
def test_decisions_are_those_of_scikit_learn(frontier, classifier):
    problem, n_classes = frontier.final.problem, len(frontier.final.problem.classes)
    setting = Setting("chi2", 20, "selected", classifier, None, 1.0)
    columns = np.arange(20)
    Z = cut(problem.X_train, columns, "selected")
    labels = problem.y_train.ndim > 1
    fitted = fit(setting.make(labels), Z, problem.y_train)
    model = PeerModel.of(columns, "selected", fitted, n_classes)
    decision = fitted.decision_function(cut(problem.X_test, columns, "selected"))
    expected = decision.reshape(len(decision), -1)
    np.testing.assert_allclose(model.decision(problem.X_test), expected, atol=1e-12)
    lengths = np.sqrt(Z.power(2).sum(axis=1))
    np.testing.assert_allclose(lengths[lengths > 0], 1.0)


@pytest.mark.parametrize("labels", [False, True])
def test_a_class_without_a_training_document_is_never_predicted(labels):
    X = csr_array(np.eye(6))
    y = np.array([0, 1, 3, 0, 1, 3])
    if labels:
        y = (y[:, None] == np.arange(4)).astype(np.int64)
    fitted = fit(Setting("chi2", 6, "all", "svm", None, 1.0).make(labels), X, y)
    coef, intercept = coefficients(fitted, 4)
    assert coef.shape == (4, 6)
    assert np.isneginf(intercept).tolist() == [False, False, True, False]


# Files


def test_bytes_of_a_peer_are_those_of_its_file(frontier, tmp_path):
    fold = frontier.final
    columns, n_classes = np.arange(10), len(fold.problem.classes)
    Z = cut(fold.problem.X_train, columns, "selected")
    setting = Setting("chi2", 10, "selected", "svm", None, 1.0)
    fitted = fit(setting.make(fold.problem.y_train.ndim > 1), Z, fold.problem.y_train)
    model, words = PeerModel.of(columns, "selected", fitted, n_classes), Words(fold)
    joblib.dump((columns, fitted), tmp_path / "model", compress=3)
    n_bytes = model.n_bytes(words, "float64") - words.n_bytes(columns, "selected", "float64")
    assert n_bytes == (tmp_path / "model").stat().st_size
    assert model.n_bytes(words, "int8") < n_bytes


def test_a_length_over_all_words_needs_the_idf_of_all(problem):
    words = Words(FrontierCorpus(corpus_of("texts")).final)
    few, every = np.arange(5), np.arange(problem.X_train.shape[1])
    for form in ("float64", "int8"):
        assert words.n_bytes(few, "all", form) == words.n_bytes(every, "selected", form)
        assert words.n_bytes(few, "selected", form) < words.n_bytes(few, "all", form)
    weighted = Words(replace(words.fold, idf=None))
    assert weighted.n_bytes(few, "all", "int8") == weighted.n_bytes(few, "selected", "int8")


def test_int8_coefficients_are_off_by_half_a_step_at_most():
    coef = np.random.default_rng(0).normal(size=(3, 50))
    coef[2] = 0.0
    model = PeerModel(np.arange(50), "all", None, coef, np.zeros(3))
    error = np.abs(model.in_form("int8").coef - coef).max(axis=1)
    assert (error <= np.abs(coef).max(axis=1) / 254 + 1e-15).all()
    assert model.in_form("float64").coef is coef


# Choice


def validation(
    size: int, micro: list[float], weights: str | None = None, n_bytes: int = 100, **modes
) -> Validation:
    setting = Setting("chi2", size, "all", "svm", weights, 1.0)
    values = {"zero": micro} | modes
    of_metrics = {"f1_micro": values, "f1_macro": values}
    return Validation(asdict(setting), size, {"float64": n_bytes, "int8": 9}, of_metrics, 0.0)


def test_a_choice_is_the_best_mean_within_the_limit():
    lines = [
        validation(10, [0.5, 0.6, 0.7]),
        validation(30, [0.7, 0.7, 0.7], n_bytes=200),
        validation(100, [0.9, 0.9, 0.9], n_bytes=300),
    ]

    def size(**limit) -> int:
        chosen = choose(lines, "f1_micro", "plain", Limit(**limit))
        assert chosen is not None
        return chosen.setting.size

    assert [size(n_features=n) for n in (10, 99, 100)] == [10, 30, 100]
    assert size(n_bytes=299) == 30
    assert size(n_bytes=9, form="int8") == 100
    assert choose(lines, "f1_micro", "plain", Limit(n_features=9)) is None


def test_balanced_classes_are_for_the_macro_average():
    lines = [validation(10, [0.5] * 3), validation(10, [0.6] * 3, "balanced")]
    limit = Limit(n_features=10)
    for metric, weights in (("f1_micro", None), ("f1_macro", "balanced")):
        chosen = choose(lines, metric, "plain", limit)
        assert chosen is not None
        assert chosen.setting.class_weight == weights


def test_of_equals_the_fewest_words_are_chosen():
    lines = [validation(30, [0.5] * 3), validation(10, [0.5] * 3)]
    chosen = choose(lines, "f1_micro", "plain", Limit(n_features=30))
    assert chosen is not None
    assert chosen.setting.size == 10


@pytest.mark.parametrize(
    ("common", "thresholding"), [([0.6, 0.61, 0.6], "common"), ([0.8, 0.45, 0.5], "zero")]
)
def test_thresholds_must_be_clearly_better(common, thresholding):
    lines = [validation(10, [0.5, 0.5, 0.5], common=common)]
    chosen = choose(lines, "f1_micro", "thresholds", Limit(n_features=10))
    plain = choose(lines, "f1_micro", "plain", Limit(n_features=10))
    assert chosen is not None
    assert plain is not None
    assert (chosen.thresholding, plain.thresholding) == (thresholding, "zero")


# The two sides


@pytest.mark.full
@pytest.mark.usefixtures("few_settings")
def test_peers_are_measured_once_and_keep_to_limits(frontier, tmp_path):
    journal = Journal(tmp_path / "peers.jsonl")
    Peers(frontier, journal, str).run()
    text = journal.where.read_text()
    settings = [Setting(**line.setting) for line in journal.validations()]
    expected = [s for name in ("chi2", "L1") for n in (5, 20) for s in settings_of(name, n)]
    n_words = frontier.final.problem.X_train.shape[1]
    assert settings == [*expected, *settings_of("all words", n_words, ("all",))]
    for answer in journal.answers():
        assert answer.n_features <= (answer.limit.n_features or n_words)
        assert answer.n_bytes <= (answer.limit.n_bytes or np.inf)
        assert answer.test > 0.5
    n_kinds = 2 if frontier.target.y.ndim > 1 else 1
    assert len(journal.answers()) == 2 * n_kinds * (2 + 2 * len(peers.BYTES))
    Peers(frontier, journal, str).run()
    assert journal.where.read_text() == text
    journal.where.write_text(text[:-20])
    Peers(frontier, journal, str).run()
    assert len(journal.answers()) == text.count('"answer"')
    classifiers.COSTS["svm"] = (1.0, 2.0)
    Peers(frontier, journal, str).run()
    assert len(journal.answers()) == len({answer.key for answer in journal.answers()})
    more = [s for s in journal.validations() if s.setting["C"] == 2.0]
    assert len(more) == len(settings) // 2


@pytest.mark.full
@pytest.mark.usefixtures("few_settings")
def test_values_of_folds_and_test_are_those_of_scikit_learn(frontier, tmp_path):
    journal = Journal(tmp_path / "peers.jsonl")
    Peers(frontier, journal, str).run()
    line = journal.validations()[0]
    setting = Setting(**line.setting)
    for place, fold in enumerate(frontier.folds):
        problem = fold.problem
        columns = selections.by_chi2(problem)(setting.size)
        Z, T = (cut(X, columns, setting.normalize) for X in (problem.X_train, problem.X_test))
        fitted = fit(setting.make(problem.y_train.ndim > 1), Z, problem.y_train)
        for average in ("micro", "macro"):
            expected = f1_score(problem.y_test, fitted.predict(T), average=average, zero_division=0)
            values = line.values[f"f1_{average}"]["zero"]
            assert values[place] == pytest.approx(expected)
    truth = unpacked(journal.truth().labels, journal.truth().shape)
    final = frontier.final.problem
    np.testing.assert_array_equal(truth, signed(final.y_test, len(final.classes)) > 0)


@pytest.mark.full
def test_ours_is_what_the_study_recommends_and_writes(frontier, tmp_path, monkeypatch):
    monkeypatch.setattr(ours, "BYTES", (5_000,))
    monkeypatch.setattr(ours, "METRICS", {"f1_macro": METRICS["f1_macro"]})
    journal = Journal(tmp_path / "ours.jsonl")
    side = ours.Ours(frontier, journal, tmp_path / "studies", str)
    side.run()
    answers = journal.answers()
    assert [answer.limit for answer in answers] == side.limits
    assert answers[0].n_features <= 5
    assert answers[1].n_features <= 20
    assert answers[2].n_bytes <= 5_000
    plan = replace(frontier.plan("f1_macro"), limits=LimitOptions(max_features=20))
    (recommendation,) = Study(plan, tmp_path / "studies" / "f1_macro").run().recommendations
    assert answers[1].test == pytest.approx(recommendation.test_score)
    assert answers[1].validation == recommendation.chosen.mean
    side.run()
    assert journal.answers() == answers


# The journal


def answer_of(predictions: np.ndarray, test: float, metric: str = "f1_micro", **limit) -> Answer:
    where = Limit(**limit or {"n_features": 10})
    return Answer(metric, where, "plain", "a model", 0.5, test, 10, 99, packed(predictions))


def test_lines_are_read_as_they_were_written(tmp_path):
    journal = Journal(tmp_path / "folder" / "a.jsonl")
    bits = np.array([[True], [False]])
    lines = [
        Truth("sign", 2, 9, 8, (2, 1), packed(bits)),
        validation(10, [0.5], common=[0.25]),
        answer_of(bits, 0.5, n_bytes=10, form="int8"),
    ]
    for line in lines:
        journal.add(line)
    with journal.where.open("a") as stream:
        stream.write('{"kind": "ans')
    assert list(journal.lines()) == lines
    journal.drop_partial_line()
    assert journal.where.read_text().endswith("}\n")
    journal.drop_answers()
    assert list(journal.lines()) == lines[:2]


@pytest.mark.parametrize("text", ["{}", "[", '{"kind": "truth"}', "1"])
def test_a_foreign_file_is_refused_with_its_line(tmp_path, text):
    journal = Journal(tmp_path / "a.jsonl")
    journal.where.write_text(f"{text}\n")
    with pytest.raises(LaconicError, match="line 1: not a line of this benchmark"):
        list(journal.lines())


# Judging


def test_sides_of_different_documents_are_not_compared(tmp_path):
    sides = [Journal(tmp_path / side) for side in ("ours", "peers")]
    with pytest.raises(LaconicError, match="Measure the peers of c first"):
        CorpusResults.of("c", *sides)
    bits = packed(np.ones((2, 1), dtype=bool))
    for n_words, journal in enumerate(sides):
        journal.add(Truth("sign", 2, 9, n_words, (2, 1), bits))
    with pytest.raises(LaconicError, match="documents, labels or words of c differ"):
        CorpusResults.of("c", *sides)
    assert CorpusResults.of("c", sides[1], sides[1]).corpus == "c"


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("rule", ["sign", "argmax", "labels"])
def test_f1_of_draws_is_that_of_the_drawn_documents(rule, metric):
    rng = np.random.default_rng(0)
    n_classes = 2 if rule == "sign" else 4
    shape = (40, n_classes) if rule == "labels" else 40
    y, predicted = rng.integers(0, 2 if rule == "labels" else n_classes, (2, *np.atleast_1d(shape)))
    labels, predictions = (signed(a, n_classes) > 0 for a in (y, predicted))
    draws = document_draws(40, 5)
    values = f1_of_draws(predictions, labels, draws, rule, metric)
    for times, value in zip(draws.astype(int), values, strict=True):
        drawn = np.repeat(np.arange(40), times)
        average = metric.removeprefix("f1_")
        expected = f1_score(y[drawn], predicted[drawn], average=average, zero_division=0)
        assert value == pytest.approx(expected)
    assert rule_of(y, n_classes) == rule
    once = f1_of_draws(predictions, labels, np.ones((1, 40)), rule, metric)[0]
    assert once == pytest.approx(METRICS[metric](predictions, signed(y, n_classes), rule))


def results(mine: np.ndarray, peer: np.ndarray, labels: np.ndarray) -> CorpusResults:
    """Accuracies of two sides on a corpus of two classes."""
    truth = Truth("sign", 2, 9, 8, labels.shape, packed(labels))
    answer, other = (answer_of(a, float((a == labels).mean())) for a in (mine, peer))
    answer = replace(answer, limit=Limit(n_features=10, form="laconic"))
    return CorpusResults("c", truth, (answer,), (other,))


def test_a_bootstrap_knows_equals_from_the_better():
    labels = np.random.default_rng(0).random((400, 1)) < 0.5
    bad = labels.copy()
    bad[:40] ^= True
    (same,) = results(bad, bad, labels).cells("plain")
    (better,) = results(labels, bad, labels).cells("plain")
    (worse,) = results(bad, labels, labels).cells("thresholds")
    assert same.p == 1.0
    assert better.difference == -worse.difference == pytest.approx(0.1)
    # 40 of 400 documents differ: the standard error is that of a share of 0.1
    expected = 2 * stats.norm.sf(0.1 / np.sqrt(0.1 * 0.9 / 400))
    assert np.log(better.p) == pytest.approx(np.log(expected), rel=0.15)
    assert [cell.worse for cell in corrected([same, better, worse])] == [False, False, True]


def test_labels_have_two_kinds_of_peers():
    labels = np.ones((4, 3), dtype=bool)
    truth = Truth("labels", 3, 9, 8, (4, 3), packed(labels))
    plain = answer_of(~labels, 0.0)
    tuned = replace(plain, deciding="thresholds", test=1.0, predictions=packed(labels))
    answer = replace(tuned, limit=Limit(n_features=10, form="laconic"))
    both = CorpusResults("c", truth, (answer,), (plain, tuned))
    assert [cell.difference for cell in both.cells("plain")] == [1.0]
    assert [cell.difference for cell in both.cells("thresholds")] == [0.0]
    assert both.cells("plain", "int8") == []


def cell(corpus: str, difference: float, metric: str = "f1_micro", size: int = 10) -> Cell:
    bits = np.ones((1, 1), dtype=bool)
    pair = (answer_of(bits, v, metric, n_features=size) for v in (0.5 + difference, 0.5))
    return Cell(corpus, metric, *pair, 0.5)


def test_a_corpus_counts_once_over_its_metrics():
    cells = [cell("a", 0.1), cell("a", 0.3, "f1_macro"), cell("b", -0.1)]
    made = summary("10", cells)
    assert made is not None
    assert (made.n_corpora, made.n_cells, made.higher) == (2, 3, 2)
    assert made.mean == pytest.approx(0.05)
    expected = stats.ttest_1samp([0.2, -0.1], 0.0).confidence_interval()
    assert made.interval == pytest.approx(tuple(expected))
    assert summary("10", []) is None


def test_intervals_over_corpora():
    values = np.random.default_rng(0).normal(size=200)
    low, high = t_interval(values)
    assert bootstrap_interval(values) == pytest.approx((low, high), abs=0.02)
    assert t_interval(values[:1]) == (-np.inf, np.inf)


def test_the_claim_says_where_ours_is_worse():
    cells = [replace(cell("a", -0.2), p_holm=0.01), replace(cell("b", 0.1), p_holm=0.01)]
    text = claim(Opponents(cells, [cell("a", 0.1, size=300)]))
    assert "significantly better in 1, significantly worse in 1: a f1_micro 10 (-0.200)" in text
    assert "at 10 and 30 words: mean -0.0500" in text
    assert "higher in 1 of 2 cells (50%)" in text
    assert "at 100 to 3,000 words: mean +0.1000" in text


@pytest.mark.slow
@pytest.mark.usefixtures("few_settings")
def test_the_command_measures_and_writes_the_page(tmp_path, monkeypatch):
    monkeypatch.setattr(corpora, "QUICK", {"generated": lambda: corpus_of("labels")})
    monkeypatch.setattr(command, "QUICK", {"generated": None})
    monkeypatch.setattr(command, "FEW", (10, 30))
    where, folder = tmp_path / "frontier.md", tmp_path / "out"
    arguments = ["--quick", "-o", str(folder), "--write", str(where)]
    first = CliRunner().invoke(command.main, arguments, catch_exceptions=False)
    assert first.exit_code == 0
    page = where.read_text()
    assert "| generated | 10 |" in page
    assert "| 30 | 1 |" in page
    assert "| generated | 10,000 |" in page
    assert f"`python -m bench.frontier --quick --write {where}`, 20" in page
    assert "### Before" not in page
    (folder / "ours").rename(folder / "before")
    again = CliRunner().invoke(command.main, [*arguments, "--side", "ours"], catch_exceptions=False)
    assert again.exit_code == 0
    assert "### Before" in where.read_text()
