"""Checks for executors: where the jobs of a study run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from laconic.rows import Row
from laconic.studies.execution.executors import Executor
from laconic.studies.execution.jobs import Job, Run, jobs_of, outcomes_of, run_job
from laconic.studies.execution.task import Outcome, Task
from laconic.text.problem import Problem

METHODS = ("ALL", "IG", "IG+svm", "WS", "WS+ridge:alpha=3.0", "SVM-LARS")
SIZES = (2, 5)
# enough that an executor which takes all jobs at once is noticed
N_PROBLEMS = 30
# the draw of a task that fails in the checks
FAILING = 1
REASON = "on purpose"


def check_executor(make: Callable[[Run], Executor], *, isolated: bool = True) -> None:
    """Check an executor on small problems.

    One outcome per task, in whatever order; the rows and models that `run_job` gives here; jobs
    taken as they are needed; failures, and a process that exits, cost only their task or job; an
    iterator of outcomes that is closed leaves nothing for the next run.

    Parameters
    ----------
    make : function that takes what the executor should run, and returns a new executor, such as
        `lambda run: Processes(2, run=run)`
    isolated : False if jobs run in the calling process, which a job can end
    """
    with make(run_job) as executor:
        _check_same_rows(executor)
        _check_models(executor)
        _check_lazy(executor)
        _check_closing(executor)
    with make(fails if isolated else raises) as executor:
        _check_failures(executor, every_raises=not isolated)


def _check_same_rows(executor: Executor) -> None:
    jobs = list(_jobs(3, METHODS))
    expected = _by_task(outcome for job in jobs for outcome in outcomes_of(job))
    for order in (jobs, jobs[::-1]):
        outcomes = _by_task(executor.run(order))
        assert outcomes.keys() == expected.keys(), "a task has no outcome"
        for key, outcome in outcomes.items():
            title = outcome.task.title
            assert outcome.status == "ok", f"{title} failed: {outcome.reason}"
            assert _rows(outcome) == _rows(expected[key]), f"{title}: other rows than run_job gives"
            for cut, other in zip(outcome.cuts, expected[key].cuts, strict=True):
                assert np.array_equal(cut.terms, other.terms), f"{title}: other features"
                assert cut.decision is not None, f"{title}: no decisions"
                assert other.decision is not None
                assert np.array_equal(cut.decision, other.decision), f"{title}: other decisions"


def _check_models(executor: Executor) -> None:
    (job,) = _jobs(1, ("IG+svm",))
    job = replace(job, tasks=(replace(job.tasks[0], sizes=(5,)),), with_models=True)
    (outcome,), (expected,) = executor.run([job]), run_job(job)
    assert outcome.trained is not None, "a job with models gave none"
    assert expected.trained is not None
    X = job.problem.X_test
    assert np.array_equal(outcome.trained.model.decision(X), expected.trained.model.decision(X)), (
        "the model decides differently from the one that run_job trains"
    )


def _check_lazy(executor: Executor) -> None:
    taken: list[Job] = []

    def jobs() -> Iterator[Job]:
        for job in _jobs(N_PROBLEMS, ("IG",)):
            taken.append(job)
            yield job

    outcomes = executor.run(jobs())
    next(outcomes)
    assert len(taken) < N_PROBLEMS, "all jobs were taken before the first outcome"
    n_outcomes = 1 + sum(1 for _ in outcomes)
    assert n_outcomes == N_PROBLEMS, f"{n_outcomes} outcomes of {N_PROBLEMS} tasks"


def _check_closing(executor: Executor) -> None:
    outcomes = executor.run(_jobs(N_PROBLEMS, ("IG",)))
    next(outcomes)
    if hasattr(outcomes, "close"):
        outcomes.close()
    again = list(executor.run(_jobs(2, ("WS",))))
    assert [outcome.task.method for outcome in again] == ["WS", "WS"], (
        "the next run gives outcomes of the run that was closed"
    )


def _check_failures(executor: Executor, *, every_raises: bool) -> None:
    """The failing task gives a failed outcome; tasks of other jobs are not affected.

    In the first problem, or in all, it raises: then the outcome has the message.
    """
    jobs = list(_jobs(len(FAILURES), ("US", "IG"), n_draws=3))
    failing = {job.problem.name: job for job in jobs if len(job.tasks) > 1}
    outcomes = _by_task(executor.run(jobs))
    assert len(outcomes) == sum(len(job.tasks) for job in jobs), "a task has no outcome"
    for outcome in outcomes.values():
        task = outcome.task
        if task.draw == FAILING:
            assert outcome.status == "failed", f"{task.title} must fail"
            assert outcome.reason, f"{task.title} failed without a reason"
            raised = every_raises or task.problem == jobs[0].problem.name
            assert REASON in outcome.reason or not raised, f"{task.title}: {outcome.reason!r}"
        elif task not in failing[task.problem].tasks:
            assert outcome.status == "ok", f"{task.title} failed too: {outcome.reason}"


def raises(job: Job) -> Iterator[Outcome]:
    """Raises at one of the draws."""
    for outcome in run_job(job):
        if outcome.task.draw == FAILING:
            raise RuntimeError(REASON)
        yield outcome


def exits(job: Job) -> Iterator[Outcome]:
    """Ends the process at one of the draws."""
    for outcome in run_job(job):
        if outcome.task.draw == FAILING:
            os._exit(3)
        yield outcome


def cannot_be_sent(job: Job) -> Iterator[Outcome]:
    """Gives an outcome that cannot be pickled at one of the draws."""
    for outcome in run_job(job):
        unpicklable = (lambda: None,) if outcome.task.draw == FAILING else ()
        yield replace(outcome, notes=(*outcome.notes, *unpicklable))


FAILURES: tuple[Run, ...] = (raises, exits, cannot_be_sent)


def fails(job: Job) -> Iterable[Outcome]:
    """Fails in another way in each problem."""
    return FAILURES[int(job.problem.name.split()[-1])](job)


def _by_task(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    collected = list(outcomes)
    by_key = {outcome.task.key: outcome for outcome in collected}
    assert len(by_key) == len(collected), "a task has several outcomes"
    return by_key


def _rows(outcome: Outcome) -> list[Row]:
    return [replace(row, seconds=0.0, memory=None) for row in outcome.rows]


def _jobs(n_problems: int, methods: Iterable[str], n_draws: int = 1) -> Iterator[Job]:
    names = list(methods)
    for number in range(n_problems):
        problem = _problem(number)
        tasks = [
            _task(problem, method, draw)
            for method in names
            for draw in range(n_draws if method == "US" else 1)
        ]
        yield from jobs_of(problem, tasks)


def _task(problem: Problem, method: str, draw: int) -> Task:
    return Task(
        "check_executor",
        problem.name,
        "test",
        problem.fold,
        "split",
        "text",
        method,
        draw,
        SIZES,
        ("accuracy", "f1_macro"),
        decisions=True,
    )


def _problem(number: int) -> Problem:
    """Documents of three classes; each class has words of its own."""
    rng = np.random.default_rng(number)
    y = np.arange(60) % 3
    rates = np.where(np.arange(12)[None, :] % 3 == y[:, None], 1.5, 0.4)
    X = csr_array(rng.poisson(rates).astype(np.float64))
    words = np.array([f"word {column}" for column in range(12)], dtype=object)
    return Problem(
        f"problem {number}", X[:40], y[:40], X[40:], y[40:], words, ("a", "b", "c"), "fold"
    )
