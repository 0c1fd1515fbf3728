"""Final models: what is run in a first and in a resumed study, and what their failures cost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from laconic import Plan, Study
from laconic.studies.analysis import final_tasks
from laconic.studies.execution.local import InProcess
from laconic.studies.execution.task import Outcome
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import StudyFolder
from laconic.studies.options import SplitOptions
from tests.studies.corpora import RIDGE, pets
from tests.studies.outcomes import but_for_speed
from tests.studies.runs import per_task

PLAN = Plan(
    pets(150),
    methods=("ALL", "IG"),
    sizes=(9, 18, 40),
    split=SplitOptions(cv=3),
    training=RIDGE,
    features="words",
)


class Recorder:
    """Runs studies; `methods` are those of the final tasks that ran, and these may fail.

    Models of the budget table, which are not chosen, are left out.
    """

    def __init__(self, where) -> None:
        self.where = where
        self.methods: list[str] = []

    def run(self, plan=PLAN, failing: str = "", executor=InProcess, **options):
        self.methods.clear()

        @per_task
        def noted(task, problem):
            if task.part != "test":
                return None
            method = task.method.removesuffix("+ridge")
            self.methods.append(method)
            return Outcome.failed(task, "on purpose") if method == failing else None

        return Study(plan, self.where).run(executor(run=noted), **options)


@pytest.fixture
def study(tmp_path):
    return Recorder(tmp_path)


def test_the_reason_for_a_missing_certificate_stays_when_the_study_is_resumed(study):
    for _ in range(2):
        (found,) = study.run(failing="ALL").recommendations
        assert (found.failure, found.baseline_test) == ("on purpose", None)
        assert found.test_score is not None
    assert study.methods == ["IG"], "what failed is not tried again"
    (found,) = study.run(retry_failed=True).recommendations
    assert found.failure == ""
    assert (study.where / "certificate.json").exists()


def test_nothing_is_trained_for_a_model_that_failed_before(study):
    (found,) = study.run(failing="IG").recommendations
    assert (found.failure, found.test_score) == ("on purpose", None)
    assert study.run().recommendations == (found,)
    assert study.methods == []


def test_a_test_that_failed_is_no_evaluation(study):
    study.run(failing="IG")
    (found,) = study.run(replace(PLAN, methods=("ALL", "DF"))).recommendations
    assert found.n_test_evaluations == 1


def test_the_model_of_all_words_for_the_certificate_is_not_tested(study):
    """Only the baseline is, which is the first of all words."""
    plan = replace(PLAN, methods=("ALL+knn", "ALL", "IG"))
    study.run(plan)
    assert sorted(study.methods) == ["ALL", "ALL+knn", "IG"]
    assert (study.where / "certificate.json").exists()
    with Journal.reading(StudyFolder(study.where).journal) as journal:
        tested = {task.method for task in journal.tasks() if task.part == "test"}
    assert tested == {"ALL+knn", "IG+ridge"}


def test_the_model_that_stands_in_on_the_page_is_not_tested(study, monkeypatch):
    monkeypatch.setattr(final_tasks, "MAX_PAGE_FEATURES", 10)
    (found,) = study.run().recommendations
    assert found.chosen.n_features > 10
    assert StudyFolder(study.where).problem("pets", 1).stand_in.exists()
    with Journal.reading(StudyFolder(study.where).journal) as journal:
        sizes = {task.sizes for task in journal.tasks() if task.part == "test"}
    assert sizes == {(1.0,), (found.chosen.size,)}


class LastFirst(InProcess):
    """Outcomes in another order."""

    def run(self, jobs):
        yield from reversed(list(super().run(jobs)))


def test_findings_do_not_depend_on_the_order_of_the_outcomes(tmp_path):
    """+knn has no file: the warnings of the problems differ in numbers, and the first counts."""
    plan = replace(PLAN, methods=("DF", "IG+knn"), target="one-vs-rest", sizes=(2, 18))
    first, second = (
        Recorder(tmp_path / executor.__name__).run(plan, executor=executor)
        for executor in (InProcess, LastFirst)
    )
    for one, other in zip(first.recommendations, second.recommendations, strict=True):
        assert but_for_speed(one) == but_for_speed(other)
    assert "cannot be saved" in str(first.warnings)
    assert list(first.warnings) == list(second.warnings)


def test_without_test_documents_only_the_recommended_model_is_trained(study):
    plan = replace(PLAN, split=SplitOptions(test_size=None, cv=3))
    (found,) = study.run(plan, failing="IG").recommendations
    assert found.failure == "on purpose"
    (found,) = study.run(plan).recommendations
    assert (found.failure, study.methods) == ("", ["IG"])
    with Journal.reading(StudyFolder(study.where).journal) as journal:
        assert {task.part for task in journal.tasks()} == {"validation"}
    assert study.run(plan).recommendations == (found,)
    assert study.methods == []
