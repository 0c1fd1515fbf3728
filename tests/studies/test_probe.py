from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from laconic import Corpus
from laconic.corpus.splits import folds
from laconic.errors import LaconicError
from laconic.methods import parse_method
from laconic.numerics.metrics import accuracy, apply_rule
from laconic.studies import probe as module
from laconic.studies.execution.jobs import run_job
from laconic.studies.execution.local import InProcess
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import StudyFolder
from laconic.studies.options import LimitOptions, SplitOptions
from laconic.studies.plan import Plan
from laconic.studies.plan_file import read_plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.study import Study
from laconic.text.options import TextOptions, WeightingOptions
from laconic.text.problem import CountedCorpus, targets_of
from laconic.text.weighting import Weighting
from tests.studies.corpora import RIDGE, pets

ENDINGS = ("", "s", "ed", "ing", "er", "ers")
VERBS = {"garden": ("plant", "water", "weed"), "kitchen": ("cook", "boil", "roast")}
FRAME = "he has {} and it is the {} of the day but not for {}"
ONCE = {"methods": ("IG",), "sizes": (5,), "training": RIDGE}


def inflected(n_docs: int = 120, seed: int = 0) -> Corpus:
    """English; each form of a verb is rare, but its stem tells the class."""
    rng = np.random.default_rng(seed)
    labels = [list(VERBS)[i % 2] for i in range(n_docs)]
    texts = tuple(
        FRAME.format(rng.choice(VERBS[y]) + rng.choice(ENDINGS), *_noise(rng)) for y in labels
    )
    return Corpus("chores", tuple((y,) for y in labels), tuple(map(str, range(n_docs))), texts)


def _noise(rng: np.random.Generator) -> list[str]:
    return [f"x{rng.integers(40)}y", f"x{rng.integers(40)}y"]


def with_texts(corpus: Corpus, texts: list[str]) -> Corpus:
    return replace(corpus, texts=tuple(texts))


@pytest.mark.full
def test_stems_win_where_words_have_many_forms(tmp_path):
    plan = Plan(inflected(), **ONCE, metrics=("accuracy",))
    study = Study(plan, tmp_path)
    (choice,) = study.run().features
    assert (choice.corpus, choice.features) == ("chores", "stems:english")
    assert choice.sentence.endswith("Language: English (guessed from stop words).")
    assert [score.features for score in choice.scores] == [
        "words",
        "stems:english",
        "word-ngrams:1-2",
        "char-ngrams:1-3",
    ]
    (prepared,) = study.corpora
    assert prepared.plan.text == TextOptions(stem="porter")
    assert {"plant", "cook"} <= set(prepared.counted.words)
    text = StudyFolder(tmp_path).plan.read_text()
    assert f"# chores: {choice.sentence}\n" in text
    assert read_plan(StudyFolder(tmp_path).plan).features == "auto"
    explicit = Study(replace(plan, features="stems:english"), tmp_path).run()
    assert explicit.recommendations == study.run().recommendations, "the same tasks"
    assert explicit.features == ()


@pytest.mark.full
def test_it_is_never_repeated(tmp_path):
    plan = Plan(pets(), **ONCE)
    events = []
    findings = Study(plan, tmp_path).run(listen=events.append)
    assert sum(event.kind == "task" for event in events) > 3 * 3, "of all sets"
    with Journal.reading(StudyFolder(tmp_path).journal) as journal:
        tasks = journal.tasks()

    def refuse(job):
        raise AssertionError("a task is run again")

    for again in (plan, replace(plan, limits=LimitOptions(max_features=50))):
        study = Study(again, tmp_path)
        assert study.run().features == findings.features
    assert Study(plan, tmp_path).run(InProcess(run=refuse)).features == findings.features
    with Journal.reading(StudyFolder(tmp_path).journal) as journal:
        probing = [task for task in journal.tasks() if task.method.endswith("svm:alpha=0.3")]
        assert probing == [task for task in tasks if task.method.endswith("svm:alpha=0.3")]
    assert Study.open(tmp_path).plan.features == "auto"


@pytest.mark.full
def test_an_interrupted_probe_is_resumed(tmp_path):
    plan = Plan(pets(), **ONCE)
    n_runs = 0

    def interrupt(job):
        nonlocal n_runs
        n_runs += 1
        if n_runs == 3:
            raise KeyboardInterrupt
        return run_job(job)

    with pytest.raises(KeyboardInterrupt):
        Study(plan, tmp_path).run(InProcess(run=interrupt))
    assert Study.open(tmp_path).plan.sizes == (5,)
    with Journal.reading(StudyFolder(tmp_path).journal) as journal:
        before = journal.done()
    assert len(before) == 2
    with pytest.raises(LaconicError, match="the features of pets are not chosen yet"):
        Study(plan, tmp_path).corpora  # noqa: B018
    findings = Study(plan, tmp_path).run()
    other = Study(plan, tmp_path / "at once").run()
    assert findings.features == other.features


@pytest.mark.full
@pytest.mark.parametrize("split", [SplitOptions(), SplitOptions(max_tuning=40, cv=2)])
def test_test_documents_are_not_read(tmp_path, split):
    corpus = inflected()
    plan = Plan(corpus, **ONCE, split=split)
    test = split.held_out(corpus)[0].test
    texts = list(corpus.texts)
    for i in test:
        texts[i] = f"das ist nicht der {texts[i]}"
    other = with_texts(corpus, texts)
    sample = module._sample(plan, corpus)
    assert not set(sample.ids) & {corpus.ids[i] for i in test}
    assert len(sample) == min(split.max_tuning, len(corpus) - test.size)
    (first,), (second,) = (
        Study(replace(plan, corpora=c), tmp_path / str(n)).run().features
        for n, c in enumerate((corpus, other))
    )
    assert first == second


def test_a_long_corpus_is_sampled(monkeypatch):
    monkeypatch.setattr(module, "CHARACTERS", 30 * sum(map(len, inflected().texts)) // 120)
    sample = module._sample(Plan(inflected(), **ONCE), inflected())
    assert 28 <= len(sample) <= 32
    assert np.ptp([*sample.class_counts.values()]) <= 1, "stratified"


@pytest.mark.full
def test_values_are_those_of_the_definition(tmp_path, monkeypatch):
    """Folds, weighting, selection, training and metric by hand, also where a set is too small."""
    monkeypatch.setattr(module, "SIZES", (5, 20, 200))
    corpus = inflected()
    plan = Plan(corpus, **ONCE, metrics=("accuracy",), weighting=WeightingOptions(min_df=2))
    (choice,) = Study(plan, tmp_path).run().features
    sample = corpus.take(plan.split.tuning_documents(corpus))
    for score in choice.scores[:2]:
        text = TextOptions(stem="porter" if "stems" in score.features else None)
        counted = CountedCorpus.of(sample, text.vectorizer())
        targets = targets_of(sample)
        expected = []
        for fold in folds(sample, 3, random_state=0, units=plan.split._units(sample)):
            (problem,) = counted.problems(fold, targets, Weighting("ltc", min_df=2))
            expected.append([_accuracy(problem, size) for size in (5, 20, 200)])
        assert score.values == pytest.approx(np.mean(expected, axis=0), abs=1e-9)


def _accuracy(problem, size):
    few = size <= problem.X_train.shape[1]
    name = module.SELECTED if few else module.ALL_FEATURES
    method = parse_method(name).build("auto", 0, True, "selected")
    (model,) = method.path(problem.X_train, problem.y_train, [size if few else 1.0])
    predicted = apply_rule(model.decision(problem.X_test), "sign")
    return accuracy(predicted, np.where(problem.y_test == 1, 1.0, -1.0)[:, None])


@pytest.mark.full
def test_a_set_that_fails_is_listed(tmp_path):
    def fail_on_characters(job):
        if job.tasks[0].features.startswith("char"):
            raise MemoryError("too many characters")
        return run_job(job)

    (choice,) = (
        Study(Plan(pets(), **ONCE), tmp_path).run(InProcess(run=fail_on_characters)).features
    )
    assert choice.features in ("words", "word-ngrams:1-2")
    assert "too many characters" in choice.scores[-1].failure
    assert "character 1–3-grams failed" in choice.sentence


@pytest.mark.parametrize(
    ("options", "text", "reason"),
    [
        ({"text": TextOptions(stem="german")}, TextOptions(stem="german"), None),
        ({"features": "words"}, TextOptions(), None),
        ({"features": "char-ngrams:2-3"}, TextOptions(unit="char", ngrams=(2, 3)), None),
        (
            {"features": "stems"},
            TextOptions(stem="porter"),
            "Features: stems (English), as specified. Language: English (guessed from stop words).",
        ),
        (
            {"features": "stems", "language": "german"},
            TextOptions(stem="german"),
            "Features: stems (German), as specified. Language: German (as specified).",
        ),
        (
            {"split": SplitOptions(cv=0)},
            TextOptions(),
            "Features: words, because cv=0 compares on the test documents. Language: English "
            "(guessed from stop words).",
        ),
    ],
)
def test_named_features_are_not_probed(options, text, reason):
    plan = Plan(inflected(), **ONCE, **options)
    resolved, choice = module.Probe().resolve(PreparedCorpus.of(plan, inflected()))
    assert resolved.plan.text == text
    assert (choice and choice.sentence) == reason


def test_a_script_without_blanks_has_character_ngrams():
    texts = [f"{'我们今天去公园看花' if i % 2 else '这本书很有意思'}{i}" for i in range(60)]
    corpus = with_texts(inflected(60), texts)
    resolved, choice = module.Probe().resolve(PreparedCorpus.of(Plan(corpus, **ONCE), corpus))
    assert resolved.plan.text == TextOptions(unit="char", ngrams=(1, 3))
    assert choice.sentence == (
        "Features: character 1–3-grams, because blanks do not divide the words of Chinese. "
        "Language: Chinese (guessed from its script)."
    )


def test_stems_of_an_unknown_language_are_refused():
    plan = Plan(pets(), **ONCE, features="stems")
    with pytest.raises(LaconicError, match="there is no stemmer for pets"):
        module.Probe().resolve(PreparedCorpus.of(plan, pets()))


def test_vectors_have_no_choice():
    corpus = inflected()
    counted = CountedCorpus.of(corpus)
    matrix, words = counted.counts.gathered(), tuple(counted.words.tolist())
    vectors = replace(corpus, texts=None, vectors=matrix, vocabulary=words)
    prepared = PreparedCorpus.of(Plan(vectors, **ONCE), vectors)
    assert module.Probe().resolve(prepared) == (prepared, None)
