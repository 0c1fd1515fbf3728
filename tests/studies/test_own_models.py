"""Methods that train their own models, without a reducer, have all that other methods have."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from laconic import CompactModel, Corpus, LarsClassifier, Plan, Study
from laconic.cli import main
from laconic.compact import stored
from laconic.studies.execution.jobs import run_task
from laconic.studies.execution.local import InProcess
from laconic.studies.options import SplitOptions, TrainingOptions
from laconic.studies.words import selected_words
from laconic.text.options import TextOptions, WeightingOptions
from tests.studies.corpora import pets
from tests.studies.execution.test_jobs import made, task_of

PLAN = Plan(
    pets(150),
    methods=("ALL", "SVM-LARS"),
    sizes=(2, 4, 6),
    split=SplitOptions(cv=3),
    weighting=WeightingOptions(min_df=1),
    features="words",
)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    where = tmp_path_factory.mktemp("study")
    study = Study(PLAN, where)
    return study, study.run(executor=InProcess()), where


def table(where):
    with open(where / "words.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_the_recommended_model_is_that_of_lars(done):
    study, findings, where = done
    (found,) = findings.recommendations
    assert found.chosen.method == "SVM-LARS"
    (problem,) = study.corpora[0].problems(study.corpora[0].final_split(), ["pets"])
    lars = LarsClassifier(normalize="selected", size=found.chosen.size)
    lars.fit(problem.X_train, problem.y_train)
    assert found.n_features == lars.model_.n_features > found.chosen.size, (
        "the words of all classes"
    )
    assert f"use SVM-LARS with {found.n_features} words" in found.sentence
    assert CompactModel.load(where / "model.laconic").self_contained
    words = table(where)
    scores = [float(word["score"]) for word in words]
    assert scores == sorted(scores, reverse=True)
    np.testing.assert_allclose(scores, np.sort(lars.scores_[lars.scores_ > 0])[::-1], rtol=1e-6)
    place = {word: column for column, word in enumerate(problem.vocabulary.tolist())}
    coef = stored(lars.model_, found.storage).coef.toarray()
    for word in words:
        own = [float(word[name]) for name in ("cats", "dogs", "fish")]
        expected = coef[:, place[word["word"]]]
        np.testing.assert_allclose(own, expected, atol=1e-9)


def test_it_has_a_certificate_comparisons_and_stability(done):
    _, findings, where = done
    told = json.loads((where / "certificate.json").read_text(encoding="utf-8"))
    assert told["values"]["distortion"].startswith("not computed")
    assert any("held-out" in sentence for sentence in told["sentences"])
    assert {one.method for one in findings.stability} == {"SVM-LARS"}
    assert any({one.method_a, one.method_b} == {"ALL", "SVM-LARS"} for one in findings.comparisons)


def test_words_of_two_classes_come_in_the_order_of_entry():
    corpus = pets(120)
    yes = tuple((("cats" if label == ("cats",) else "others"),) for label in corpus.labels)
    two = Corpus("pets", labels=yes, ids=corpus.ids, texts=corpus.texts)
    path = LarsClassifier(normalize="selected")
    ((_, classes, words),) = selected_words(
        path, 5, two, TextOptions(), WeightingOptions(min_df=1), "auto"
    )
    assert classes == ("cats",), "the rarer one is positive"
    longer = selected_words(path, 9, two, TextOptions(), WeightingOptions(min_df=1), "auto")[0][2]
    assert [word.word for word in longer[:5]] == [word.word for word in words]
    assert all(word.weight == 1.0 for word in words)


def test_the_l2_of_lars_is_part_of_its_selection():
    assert task_of("SVM-LARS:alpha=0.0").selection == "SVM-LARS:alpha=0.0"
    assert task_of("SVM-LARS").selection != task_of("SVM-LARS:alpha=0.0").selection


@pytest.mark.parametrize("labels", [False, True])
def test_a_task_measures_the_path_of_the_paper_or_closed_models(labels):
    problem = made(labels=labels)
    for norm in ("all", "selected"):
        outcome = run_task(replace(task_of("SVM-LARS", normalize=norm), sizes=(2, 5)), problem)
        assert outcome.status == "ok", outcome.reason
        models = LarsClassifier(normalize=norm).path(problem.X_train, problem.y_train, [2, 5])
        for cut, model in zip(outcome.cuts, models, strict=True):
            assert cut.terms.tolist() == model.features.tolist()
        assert {row.n_features for row in outcome.rows} == {cut.terms.size for cut in outcome.cuts}


def test_sizes_that_lars_does_not_reach_are_said(tmp_path):
    plan = replace(
        PLAN, methods=("ALL", "SVM-LARS:longest=3"), training=TrainingOptions(normalize="all")
    )
    findings = Study(plan, tmp_path).run(executor=InProcess())
    assert any("paths end at 3 words" in note for note in findings.warnings)


def test_a_terminal_says_how_many_words_all_classes_have(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        json.dumps({"text": text, "label": label})
        for text, (label,) in zip(pets(90).texts, pets(90).labels, strict=True)
    ]
    (tmp_path / "pets.jsonl").write_text("\n".join(lines))
    words = ["study", "pets.jsonl", "--methods", "IG,SVM-LARS", "--sizes", "2,4", "--cv", "2"]
    shown = CliRunner().invoke(main, [*words, "--jobs", "1", "--no-report"]).output
    assert "SVM-LARS: words per class; the model has" in shown
    assert "IG: words per class" not in shown
