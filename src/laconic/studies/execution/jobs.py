"""`Job`: the tasks of one selection on one fold, which selects once for all classifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from time import perf_counter, time
from typing import TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from laconic.classifiers.path import PathClassifier
from laconic.curves import SizeResult, evaluate_path, known_metrics
from laconic.errors import SizeUnavailable, collected_warnings
from laconic.model import margins
from laconic.numerics.decision_counts import tuning_of
from laconic.numerics.metrics import apply_rule
from laconic.resources import peak_memory
from laconic.rows import Row
from laconic.studies.execution.shared_selection import Peak, SharedSelection
from laconic.studies.execution.task import Cut, Outcome, Task, describe_failure
from laconic.studies.execution.trained_model import TrainedModel
from laconic.text.problem import Problem


@dataclass(frozen=True, eq=False)
class Job:
    """Tasks with one selection (`Task.selection`) on one problem.

    With `with_models`, each outcome carries the model of its task, which has one size.
    """

    problem: Problem
    tasks: tuple[Task, ...]
    with_models: bool = False


# What executors run: it yields the outcomes of the tasks in their order.
Run: TypeAlias = Callable[[Job], Iterable[Outcome]]


def jobs_of(problem: Problem, tasks: Iterable[Task]) -> Iterator[Job]:
    """The tasks on a problem as jobs; those that share a selection are consecutive."""
    for _, group in groupby(tasks, key=lambda task: task.selection):
        yield Job(problem, tuple(group))


def run_job(job: Job) -> Iterator[Outcome]:
    """One outcome per task. An error is an outcome too, not an exception."""
    selection = SharedSelection(job.problem)
    for task in job.tasks:
        yield run_task(task, job.problem, selection, with_model=job.with_models)


def outcomes_of(job: Job, run: Run = run_job) -> Iterator[Outcome]:
    """Exactly one outcome per task: where `run` raises, one task fails, and the others are run."""
    pending = list(job.tasks)
    while pending:
        try:
            for outcome in run(replace(job, tasks=tuple(pending))):
                pending.pop(0)
                yield outcome
            reason = "the task was not run" if pending else ""
        except Exception as failure:
            reason = describe_failure(failure)
        if pending:
            yield Outcome.failed(pending.pop(0), reason)


def run_task(
    task: Task,
    problem: Problem,
    selection: SharedSelection | None = None,
    *,
    with_model: bool = False,
) -> Outcome:
    """Train once, measure every size.

    With one BLAS thread, so the numbers do not depend on what else runs.
    """
    started, clock = time(), perf_counter()
    with peak_memory() as peak:
        try:
            with threadpool_limits(1):
                shared = selection or SharedSelection(problem)
                outcome = _measured(task, problem, shared, peak, with_model)
        except Exception as failure:
            about = {"seconds": perf_counter() - clock, "memory": peak(), "started": started}
            return Outcome.failed(task, describe_failure(failure), **about)
    return replace(outcome, seconds=perf_counter() - clock, started=started)


def _measured(
    task: Task, problem: Problem, selection: SharedSelection, peak: Peak, with_model: bool
) -> Outcome:
    """Each size includes the seconds of work that other tasks have done for it."""
    metrics = known_metrics(task.metrics) if task.metrics else {}
    rows: list[Row] = []
    cuts: list[Cut] = []
    evaluation: list[str] = []
    y_signed, latest = None, None
    with collected_warnings(problem.classes) as training:
        path, cost = selection.prepare(task.build(), (task.sizes, task.random_state), peak)
        for latest in evaluate_path(path, problem, list(task.sizes), task.grid, task.blends()):
            latest = _finished(latest, task, problem)
            result = replace(latest, seconds=latest.seconds + cost.take_seconds())
            rows += result.rows(task.row(), metrics)
            evaluation += result.notes
            if task.detail and result.y_signed is not None:
                cuts.append(_cut(result, problem, task.decisions))
                y_signed = np.nan_to_num(result.y_signed).astype(np.int8)
    memory = cost.max_memory(peak())
    return Outcome(
        task,
        "ok",
        tuple(replace(row, memory=memory) for row in rows),
        cuts=tuple(cuts),
        y_signed=y_signed,
        notes=tuple(dict.fromkeys([*training, *evaluation])),
        memory=memory,
        trained=_trained(path, latest, tuple(training)) if with_model else None,
    )


def _finished(result: SizeResult, task: Task, problem: Problem) -> SizeResult:
    """The result with the model of the task; decisions are those of the model as it is stored."""
    if result.model is None:
        return result
    model, decision = task.finished(result.model), result.decision
    if task.storage != "float64" and decision is not None:
        decision = model.decision(problem.X_test)
    return replace(result, model=model, decision=decision)


def _cut(result: SizeResult, problem: Problem, decisions: bool) -> Cut:
    model, decision = result.model, result.decision
    assert model is not None
    assert decision is not None
    assert result.y_signed is not None
    features = model.features
    terms = features if problem.columns is None else problem.columns[features]
    return Cut(
        result.size,
        terms.astype(np.int64),
        apply_rule(margins(decision, model), model.rule),
        decision.astype(np.float32) if decisions else None,
        result.alpha,
        tuning_of(decision, result.y_signed, model.rule),
    )


def _trained(
    path: PathClassifier, result: SizeResult | None, notes: tuple[str, ...]
) -> TrainedModel:
    """The model of the only size."""
    assert result is not None
    if result.model is None:
        raise SizeUnavailable(result.size, result.reason)
    return TrainedModel.of(path, result.model, notes)
