"""Decisions of all folds, as the second stage of a study gets them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from laconic.numerics.metrics import apply_rule
from laconic.studies.analysis.out_of_fold import OutOfFold
from laconic.studies.journal.journal import Journal
from laconic.studies.options import SplitOptions, TrainingOptions
from laconic.studies.plan import Plan
from laconic.studies.study import Study
from tests.studies.corpora import pets

PLAN = Plan(
    pets(90),
    methods=("IG+ridge", "US+svm"),
    sizes=(3, 9),
    draws=2,
    split=SplitOptions(cv=3, repeats=2),
    training=TrainingOptions(alpha=1.0),
    decisions=True,
    features="words",
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    study = Study(PLAN, tmp_path_factory.mktemp("study"))
    study.run()
    return study


def results_of(study: Study, method: str, size: int):
    with Journal.reading(study.where / "journal.sqlite") as journal:
        return OutOfFold(study.tasks, journal, study.plan.split.cv).results(
            "pets", (method, size, 1.0)
        )


@pytest.mark.parametrize("method", PLAN.methods)
def test_decisions_are_those_of_models_trained_without_the_fold(finished, method):
    results = results_of(finished, method, 9)
    (prepared,) = finished.corpora
    jobs = list(prepared.jobs({task.key for task in finished.tasks}))
    tasks = [
        (t, job.problem) for job in jobs for t in job.tasks if (t.method, t.draw) == (method, 0)
    ]
    assert list(results) == [task.fold for task, _ in tasks][:3], "the first repeat only"
    for task, problem in tasks[:3]:
        path = task.build().set_params(size=9).fit(problem.X_train, problem.y_train)
        expected = path.model_.decision(problem.X_test)
        result = results[task.fold]
        np.testing.assert_array_equal(result.decision, expected.astype(np.float32))
        np.testing.assert_array_equal(result.chosen, apply_rule(expected, path.model_.rule))
        truth = problem.y_test[:, None] == np.arange(result.chosen.shape[1])
        np.testing.assert_array_equal(result.y_signed, np.where(truth, 1, -1))


def test_each_document_outside_the_test_set_is_decided_once(finished):
    n_documents = sum(
        result.chosen.shape[0] for result in results_of(finished, "IG+ridge", 3).values()
    )
    assert n_documents == finished.corpora[0].final_split().train.size


def test_decisions_are_stored_on_request_only(tmp_path):
    study = Study(replace(PLAN, methods=("IG+ridge",), decisions=False), tmp_path)
    study.run()
    results = results_of(study, "IG+ridge", 3)
    assert len(results) == 3
    assert all(result.decision is None for result in results.values())


def test_a_size_without_models_has_no_results(finished):
    assert results_of(finished, "IG+ridge", 5) == {}
