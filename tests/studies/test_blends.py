"""Blends in a study: members and scales from the folds, one linear model, never for one method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from laconic import Plan, Study
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.compact import CompactModel
from laconic.methods import is_blend, parse_method
from laconic.studies.analysis.blends import blend_tasks
from laconic.studies.execution.task import Task
from laconic.studies.journal.journal import Journal
from laconic.studies.options import SplitOptions, TrainingOptions
from tests.studies.corpora import pets

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    where = tmp_path_factory.mktemp("blends")
    plan = Plan(pets(150), methods=("ALL", "IG"), sizes=(5, 12), split=SplitOptions(cv=3))
    study = Study(plan, where / "study")
    return study, study.run()


def test_members_are_near_the_best_and_scaled(study):
    tasks = study[0].corpora[0].blends
    assert tasks
    assert {task.method for task in tasks} <= {"ALL+blend", "IG+blend"}
    for task in tasks:
        assert len(task.members) == len(task.sizes)
        for members in task.members:
            assert len(members) > 1
            for name, alpha, scale in members:
                assert parse_method(name).classifier in ("logistic", "svm")
                assert alpha > 0
                assert scale > 0
        assert Task.from_json(task.to_json()) == task


def test_rows_of_a_blend_are_those_of_the_mean_of_its_members(study):
    prepared = study[0].corpora[0]
    task = next(task for task in prepared.blends if task.method == "IG+blend")
    split = next(split for split in prepared.splits if split.name == task.fold)
    (problem,) = prepared.problems(split, [task.problem])
    for size, members in zip(task.sizes, task.members, strict=True):
        total = 0.0
        for name, alpha, scale in members:
            path = parse_method(name).build(alpha)
            assert isinstance(path, ReduceThenFit)
            fitted = path.set_params(size=size).fit(problem.X_train, problem.y_train)
            total = total + fitted.decision_function(problem.X_test) / scale
        expected = np.mean(np.argmax(total, axis=1) == problem.y_test)
        with Journal.reading(study[0].where / "journal.sqlite") as journal:
            rows = [row for row in journal.rows([task.key]) if row.size == size]
        (accuracy,) = [row.value for row in rows if row.metric == "accuracy"]
        assert accuracy == pytest.approx(expected, abs=1 / problem.y_test.size + 1e-9)


def test_a_second_run_has_the_same_blends_and_trains_nothing(study):
    again = Study(study[0].plan, study[0].where)
    events = []
    findings = again.run(listen=events.append)
    assert findings.candidates == study[1].candidates
    assert not [event for event in events if event.kind == "task"]
    with Journal.reading(again.where / "journal.sqlite") as journal:
        prepared = again.corpora[0]
        tasks = list(blend_tasks(again.plan, prepared, journal))
    assert tuple(tasks) == study[0].corpora[0].blends


def test_a_recommended_blend_is_one_linear_model(tmp_path, monkeypatch):
    """With every blend preferred, the recommended model is one, and its file can be read."""
    monkeypatch.setattr("laconic.studies.analysis.candidates.BLEND_SHARE", 1e6)
    plan = Plan(pets(150), methods=("IG",), sizes=(5, 12), split=SplitOptions(cv=3))
    findings = Study(plan, tmp_path / "study").run()
    (recommendation,) = findings.recommendations
    assert is_blend(recommendation.chosen.variant)
    assert "a blend of classifiers" in recommendation.sentence
    model = CompactModel.load(tmp_path / "study" / "model.laconic")
    assert len(model.words) == recommendation.chosen.n_features
    assert recommendation.test is not None


@pytest.mark.parametrize(
    "plan",
    [
        {"training": TrainingOptions(blends=False)},
        {"training": TrainingOptions(classifiers=("svm",))},
        {"methods": ("IG+svm",)},
    ],
)
def test_no_blends(tmp_path, plan):
    standard = Plan(pets(60), methods=("IG",), sizes=(5,), split=SplitOptions(cv=2))
    study = Study(replace(standard, **plan), tmp_path / "study")
    study.run()
    assert not study.corpora[0].blends
