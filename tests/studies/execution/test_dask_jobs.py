"""Jobs of a cluster: what is finished is not run again, and who is blamed for a lost worker."""

from __future__ import annotations

import pytest

from laconic.cluster.dask_engine import Completed, LostWorkerError
from laconic.studies.execution.dask import STARTED, RunInFolder, RunningJobs
from laconic.studies.execution.jobs import jobs_of, run_job
from laconic.studies.execution.shared_arrays import ProblemStore
from laconic.testing.executors import _problem, _task

ATTEMPTS = 2
LOST = LostWorkerError(ATTEMPTS, "tls://127.0.0.1:1")


@pytest.fixture
def running(tmp_path):
    """One job of three tasks."""
    problem = _problem(0)
    (job,) = jobs_of(problem, [_task(problem, "US", draw) for draw in range(3)])
    problems = ProblemStore(tmp_path)
    yield RunningJobs(problems, tmp_path, iter([job]))
    problems.close()


def started(staged, times):
    for number in range(times):
        (staged.outcomes / f"{number}{STARTED}").touch()


def test_a_job_that_is_started_again_runs_what_has_no_outcome(running):
    staged, runs = next(running), []

    def dies_after_two(job):
        runs.append([task.draw for task in job.tasks])
        for number, outcome in enumerate(run_job(job)):
            if number == 2:
                raise SystemExit
            yield outcome

    with pytest.raises(SystemExit):
        RunInFolder(dies_after_two)(staged)
    assert len(list(running.outcomes(None))) == 2
    RunInFolder(dies_after_two)(staged)
    assert runs == [[0, 1, 2], [2]]
    (last,) = running.outcomes(Completed(0))
    assert (last.task.draw, last.status) == (2, "ok")
    assert list(running) == []


def test_a_job_that_only_waited_on_lost_workers_is_run_again(running):
    staged = next(running)
    started(staged, ATTEMPTS - 1)
    assert list(running.outcomes(Completed(0, failure=LOST))) == []
    again = next(running)
    assert (again.job.tasks, again.outcomes) == (staged.job.tasks, staged.outcomes)


def test_a_job_that_lost_every_worker_fails_its_first_task_and_the_others_are_run(running):
    staged = next(running)
    started(staged, ATTEMPTS)
    (failed,) = running.outcomes(Completed(0, failure=LOST))
    assert (failed.task.draw, failed.status) == (0, "failed")
    assert "2 workers in a row exited" in failed.reason
    assert [task.draw for task in next(running).job.tasks] == [1, 2]


def test_a_job_whose_tasks_are_all_finished_is_no_failure(running):
    """Its worker was lost before it could say so."""
    staged = next(running)
    RunInFolder(run_job)(staged)
    started(staged, ATTEMPTS)
    outcomes = list(running.outcomes(Completed(0, failure=LOST)))
    assert [outcome.status for outcome in outcomes] == ["ok"] * 3
    assert list(running) == []


def test_other_failures_end_the_run(running):
    next(running)
    with pytest.raises(OSError, match="disk"):
        list(running.outcomes(Completed(0, failure=OSError("disk"))))
