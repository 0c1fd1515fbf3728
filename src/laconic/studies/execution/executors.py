"""`Executor`: where the jobs of a study run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Protocol, Self

from laconic.processes import number_of_workers
from laconic.studies.execution.jobs import Job
from laconic.studies.execution.local import InProcess
from laconic.studies.execution.processes import Processes
from laconic.studies.execution.task import Outcome


class Executor(Protocol):
    """Runs jobs and yields the outcomes of their tasks as they finish, in any order.

    The contract of every executor, including one for a cluster; `laconic.testing.check_executor`
    examines it:

    - Jobs come from an iterator that builds problems lazily, each as large as a corpus: take no
      more jobs than can run, and one ahead. Jobs on one problem are consecutive and share it.
    - Every task gives exactly one outcome. A task that fails gives `Outcome.failed` with the reason
      and affects no other. A process that ends costs at most the job that it ran.
    - A job needs only its problem, and its numbers do not depend on where it runs or what runs
      concurrently: BLAS uses one thread. Problems are passed as files (`shared_arrays`).
    - Closing the iterator ends running jobs; leaving the `with` leaves no process and no file.
      Executors keep no results: the journal does, and submits only missing tasks.
    """

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def run(self, jobs: Iterable[Job]) -> Iterator[Outcome]: ...


def executor_for(
    n_jobs: int, task_timeout: float | None = None, memory_limit: int | None = None
) -> Executor:
    """`InProcess` for one job, else `Processes`; -1 is one process per usable CPU.

    Limits need a process that can be ended, so they use `Processes` for one job too.
    """
    n_workers = number_of_workers(n_jobs, f"--jobs {n_jobs}")
    if n_workers == 1 and task_timeout is None and memory_limit is None:
        return InProcess()
    return Processes(n_workers, task_timeout=task_timeout, memory_limit=memory_limit)
