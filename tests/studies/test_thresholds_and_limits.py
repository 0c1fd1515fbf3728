"""Studies end to end: thresholds of labels in the model file, and limits asked again later."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import f1_score

from laconic import CompactModel, Corpus, Plan, Study
from laconic.studies.execution.local import InProcess
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import JOURNAL
from laconic.studies.options import LimitOptions, SplitOptions, TrainingOptions
from tests.studies.corpora import COMMON, RIDGE, TOPICS, pets
from tests.studies.runs import per_task


def labelled(n_docs: int = 240, seed: int = 0) -> Corpus:
    """Any number of rare labels, each with words of its own in most of its documents."""
    rng = np.random.default_rng(seed)
    labels, texts = [], []
    for _ in range(n_docs):
        chosen = tuple(topic for topic in TOPICS if rng.random() < 0.15)
        words = [w for topic in chosen for w in rng.choice(TOPICS[topic], 1) if rng.random() < 0.8]
        labels.append(chosen)
        texts.append(" ".join([*words, *rng.choice(COMMON, 8)]))
    ids = tuple(map(str, range(n_docs)))
    return Corpus(
        "labelled", tuple(labels), ids, texts=tuple(texts), classes=tuple(TOPICS), multilabel=True
    )


def test_labels_are_predicted_at_the_thresholds_of_the_validation_folds(tmp_path):
    """The file has them, and its predictions of raw texts have the score of the study.

    So strong a regularization leaves hardly any decision value above 0.
    """
    corpus = labelled()
    plan = Plan(
        corpus,
        methods=("ALL", "IG"),
        sizes=(18,),
        split=SplitOptions(cv=3),
        training=replace(RIDGE, alpha=30.0),
        features="words",
    )
    study = Study(plan, tmp_path)
    (found,) = study.run().recommendations
    assert (found.metric, found.multilabel) == ("f1_micro", True)
    assert found.chosen.thresholding == "common"
    with Journal.reading(tmp_path / JOURNAL) as journal:
        (task,) = (t for t in journal.tasks() if t.key == found.task_key)
    assert len(set(task.thresholds)) == 1
    assert task.thresholds[0] != 0
    model = CompactModel.load(tmp_path / "model.laconic")
    np.testing.assert_allclose(model.runtime.thresholds, task.thresholds)
    test = study.corpora[0].final_split().test
    texts = [corpus.texts[i] for i in test]
    truth = np.array([[topic in corpus.labels[i] for topic in TOPICS] for i in test])
    predicted = np.array([[topic in labels for topic in TOPICS] for labels in model.predict(texts)])
    assert found.test.score == pytest.approx(f1_score(truth, predicted, average="micro"))
    assert found.test.mistakes == pytest.approx(1000 * (truth != predicted).sum() / len(test))
    at_zero = model.decision(texts) > 0
    assert found.test.score > f1_score(truth, at_zero, average="micro")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    where = tmp_path_factory.mktemp("limits")
    plan = Plan(
        pets(240),
        methods=("ALL", "IG"),
        sizes=(2, 4, 9, 18),
        split=SplitOptions(cv=3),
        training=RIDGE,
        features="words",
    )
    (found,) = Study(plan, where).run().recommendations
    return plan, where, found


@per_task
def only_final(task, problem):
    assert task.part != "validation", f"{task.title} is done already"


@pytest.mark.parametrize(
    "limits",
    [LimitOptions(max_features=4), LimitOptions(max_loss=0.3), LimitOptions(max_bytes=900)],
)
def test_a_finished_study_answers_for_other_limits(finished, limits):
    plan, where, before = finished
    events = []
    findings = Study(replace(plan, limits=limits), where).run(
        InProcess(run=only_final), listen=events.append
    )
    assert not [event for event in events if event.kind == "task"]
    (found,) = findings.recommendations
    assert findings.limits == limits
    assert found.chosen.n_features < before.chosen.n_features
    assert CompactModel.load(where / "model.laconic").n_words == found.n_features
    assert found.n_test_evaluations > 1
    fresh = replace(plan, limits=limits)
    expected = Study(fresh, where.parent / f"fresh-{hash(limits)}").run().recommendations[0]
    assert found.chosen == expected.chosen
    assert found.test == expected.test
    assert [row.candidate for row in found.budget] == [row.candidate for row in expected.budget]
    assert [row.test_score for row in found.budget] == [row.test_score for row in expected.budget]
    (again,) = Study(plan, where).run(InProcess(run=only_final)).recommendations
    assert again.chosen == before.chosen
    assert again.test == before.test
    assert (where / "model.laconic").exists()


@per_task
def refuse(task, problem):
    raise AssertionError(f"{task.title} is done already")


def test_every_row_of_the_budget_has_its_model(finished):
    plan, where, _ = finished
    (found,) = Study(plan, where).run().recommendations
    assert [row.chosen for row in found.budget].count(True) >= 1
    for row in found.budget:
        model = CompactModel.load(where / row.model_file)
        assert model.n_words == row.n_features
        assert (where / row.model_file).stat().st_size == row.n_bytes
        assert (row.model_file == "model.laconic") == row.chosen
    assert Study(plan, where).run(InProcess(run=refuse)).recommendations == (found,)


@pytest.mark.full
def test_all_classifiers_and_alphas_are_tuned_by_default(tmp_path):
    """The only study here with the whole grid: its rows have it, and the best of it is offered."""
    plan = Plan(
        pets(60),
        methods=("ALL", "IG"),
        sizes=(9,),
        split=SplitOptions(cv=2),
        training=TrainingOptions(blends=False),
        features="words",
    )
    findings = Study(plan, tmp_path).run()
    with Journal.reading(tmp_path / JOURNAL) as journal:
        rows = [row for row in journal.rows() if row.part == "validation"]
    grid = {(row.method, row.alpha) for row in rows}
    assert len(grid) == 2 * 3 * 5
    for candidate in findings.candidates:
        means = [
            np.mean([r.value for r in rows if (r.method, r.alpha, r.metric) == (*pair, "accuracy")])
            for pair in grid
            if pair[0].startswith(candidate.method + "+")
        ]
        assert candidate.mean == pytest.approx(max(means))
        assert (candidate.variant, candidate.alpha) in grid
