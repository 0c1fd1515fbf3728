"""Both executors pass their examination, and broken ones do not."""

from __future__ import annotations

import pickle
import sys
from dataclasses import replace

import pytest

from laconic.studies.execution.jobs import run_job
from laconic.studies.execution.local import InProcess
from laconic.studies.execution.processes import Processes
from laconic.studies.execution.task import Outcome
from laconic.testing import check_executor

pytestmark = pytest.mark.full


def test_in_process():
    check_executor(lambda run: InProcess(run=run), isolated=False)


def test_processes(tmp_path):
    check_executor(lambda run: Processes(2, run=run, folder=tmp_path))
    assert list(tmp_path.iterdir()) == []


class Greedy(InProcess):
    def run(self, jobs):
        yield from super().run(list(jobs))


class Forgetful(InProcess):
    def run(self, jobs):
        outcomes = list(super().run(jobs))
        yield from outcomes[:-1]


class Repeating(InProcess):
    def run(self, jobs):
        for outcome in super().run(jobs):
            yield from (outcome, outcome)


class Wrong(InProcess):
    def run(self, jobs):
        for outcome in super().run(jobs):
            rows = tuple(replace(row, value=0.5) for row in outcome.rows)
            yield replace(outcome, rows=rows)


class OtherFeatures(InProcess):
    def run(self, jobs):
        for outcome in super().run(jobs):
            cuts = tuple(replace(cut, terms=cut.terms + 1) for cut in outcome.cuts)
            yield replace(outcome, cuts=cuts)


class OtherDecisions(InProcess):
    def run(self, jobs):
        for outcome in super().run(jobs):
            cuts = tuple(replace(cut, decision=cut.decision * 2) for cut in outcome.cuts)
            yield replace(outcome, cuts=cuts)


class OtherModels(InProcess):
    def run(self, jobs):
        for outcome in super().run(jobs):
            if outcome.trained is not None:
                model = replace(
                    outcome.trained.model, intercept=outcome.trained.model.intercept + 1
                )
                outcome = replace(outcome, trained=replace(outcome.trained, model=model))
            yield outcome


class InOrderOnly(InProcess):
    """Problems that come back after a larger number give nothing of value."""

    def run(self, jobs):
        last = ""
        for outcome in super().run(jobs):
            in_order = last <= outcome.task.problem
            last = outcome.task.problem
            yield outcome if in_order else replace(outcome, rows=outcome.rows[:1])


class Hopeful(InProcess):
    """What fails is called a success."""

    def run(self, jobs):
        yield from (replace(outcome, status="ok") for outcome in super().run(jobs))


class WithoutModels(InProcess):
    def run(self, jobs):
        yield from super().run(replace(job, with_models=False) for job in jobs)


class Fragile(InProcess):
    """A task that raises costs everything after it."""

    def run(self, jobs):
        for job in jobs:
            yield from self._run(job)


class Costly(InProcess):
    """A job that fails costs the next one."""

    def run(self, jobs):
        failed = False
        for outcome in super().run(jobs):
            yield replace(outcome, status="failed", reason="too") if failed else outcome
            failed = failed or outcome.status == "failed"


class Silent(InProcess):
    def run(self, jobs):
        yield from (replace(outcome, reason="") for outcome in super().run(jobs))


class Sticky(InProcess):
    """What a closed run left is part of the next one."""

    left = ()

    def run(self, jobs):
        yield from super().run(self.left)
        self.left = iterator = iter(jobs)
        yield from super().run(iterator)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (Greedy, "all jobs were taken"),
        (Forgetful, "no outcome"),
        (Repeating, "several outcomes"),
        (Wrong, "other rows"),
        (OtherFeatures, "other features"),
        (OtherDecisions, "other decisions"),
        (OtherModels, "decides differently"),
        (InOrderOnly, "other rows"),
        (Hopeful, "must fail"),
        (WithoutModels, "gave none"),
        (Fragile, "on purpose"),
        (Costly, "failed too"),
        (Silent, "without a reason"),
        (Sticky, "the run that was closed"),
    ],
)
def test_a_broken_executor_fails(broken, reason):
    with pytest.raises((AssertionError, RuntimeError), match=reason):
        check_executor(lambda run: broken(run=run), isolated=False)


class Isolated(InProcess):
    """As if each job ran in a process of its own: what exits or cannot be sent is a failure."""

    def run(self, jobs):
        for job in jobs:
            try:
                for outcome in super().run([job]):
                    job = replace(job, tasks=job.tasks[1:])
                    yield outcome if sendable(outcome) else Outcome.failed(outcome.task, "not sent")
            except SystemExit:
                yield from (Outcome.failed(task, "process exited") for task in job.tasks)


def sendable(outcome):
    try:
        pickle.dumps(outcome)
    except Exception:
        return False
    return True


@pytest.fixture
def _harmless(monkeypatch):
    monkeypatch.setattr("laconic.testing.executors.os._exit", sys.exit)


@pytest.mark.usefixtures("_harmless")
def test_an_executor_in_which_a_lost_process_costs_its_job_passes():
    check_executor(lambda run: Isolated(run=run))


@pytest.mark.usefixtures("_harmless")
@pytest.mark.parametrize("lost", ["process exited", "not sent"])
def test_an_executor_that_loses_a_task_fails(lost):
    class Losing(Isolated):
        def run(self, jobs):
            yield from (outcome for outcome in super().run(jobs) if lost not in outcome.reason)

    with pytest.raises(AssertionError, match="no outcome"):
        check_executor(lambda run: Losing(run=run))


def test_what_is_examined_is_what_a_study_runs():
    assert InProcess()._run is Processes(1)._run is run_job
