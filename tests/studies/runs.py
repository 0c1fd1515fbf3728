"""What executors run in tests: a function that sees each task before, or instead of, its run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps

from laconic.studies.execution.jobs import Job, run_task
from laconic.studies.execution.task import Outcome, Task
from laconic.text.problem import Problem


def per_task(
    outcome_of: Callable[[Task, Problem], Outcome | None],
) -> Callable[[Job], Iterator[Outcome]]:
    """The outcome of the function for each task of a job; where it is None, the task is run.

    Processes can import it by the function's name.
    """

    @wraps(outcome_of)
    def run(job: Job) -> Iterator[Outcome]:
        for task in job.tasks:
            outcome = outcome_of(task, job.problem)
            yield outcome or run_task(task, job.problem, with_model=job.with_models)

    return run
