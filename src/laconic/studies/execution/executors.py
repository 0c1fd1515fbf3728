"""Executors: where the tasks of a study run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import count
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TypeAlias

from laconic.errors import LaconicError, ResourceError
from laconic.studies.execution.lines import StagedJob, WorkQueue
from laconic.studies.execution.shared_arrays import ProblemStore
from laconic.studies.execution.sharing import clear_cache
from laconic.studies.execution.task import Outcome, Task
from laconic.studies.execution.task import run as run_task
from laconic.studies.execution.workers import Run, Worker, WorkerExited, wait_for_workers
from laconic.text.problem import Problem

Job: TypeAlias = tuple[Task, Problem]

# processes that may exit in a row without having run a task
MAX_STARTUP_FAILURES = 3
# more processes per CPU gain nothing, and each needs its own memory
WORKERS_PER_CPU = 4


class Executor(Protocol):
    """Runs jobs and yields their outcomes as they finish, in any order.

    The contract of every executor, including one for a cluster:

    - Jobs come from an iterator that builds problems lazily, each as large as a corpus: take no
      more problems than can run, and one ahead. Jobs of one problem are consecutive and share the
      object; among these, jobs with the same selection (`Task.selection`) are consecutive, and run
      faster one after the other in one process (`laconic.studies.execution.sharing`).
    - Every job gives exactly one outcome. A task that fails, or ends its process, gives
      `Outcome.failed` with the reason, and affects no other task.
    - A task needs only its problem, and its numbers do not depend on where it runs or what runs
      concurrently: BLAS uses one thread. Problems are passed as files (`shared_arrays`).
    - Closing the iterator ends running tasks; leaving the `with` leaves no process and no file.
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


class InProcess:
    """Runs tasks one after the other in this process."""

    def __init__(self, *, run: Run = run_task) -> None:
        self._run = run

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        pass

    def run(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        try:
            for task, problem in jobs:
                yield self._run(task, problem)
        finally:
            clear_cache()


class Processes:
    """Runs tasks in worker processes, which share each problem as memory-mapped files.

    Parameters
    ----------
    n_workers : number of processes, at most 4 per usable CPU; they start when the `with` is entered
    folder : folder for the files of problems, default: the system's folder for temporary files
    run : function of a task and its problem; the processes import it by its name
    task_timeout : seconds after which a task fails and its process is ended, default: no limit

    Only one `run` at a time.
    """

    def __init__(
        self,
        n_workers: int,
        *,
        folder: Path | None = None,
        run: Run = run_task,
        task_timeout: float | None = None,
    ) -> None:
        _check_workers(n_workers, f"Processes({n_workers})")
        if task_timeout is not None and not task_timeout > 0:
            raise LaconicError(f"task_timeout={task_timeout}: give seconds above 0, or None")
        self.n_workers = n_workers
        self.folder = folder
        self.task_timeout = task_timeout
        self._run = run
        self._pool: Pool | None = None

    def __enter__(self) -> Self:
        pool = Pool(self._run, ProblemStore(self.folder), self.task_timeout)
        try:
            pool.start(self.n_workers)
        except BaseException:
            pool.close()
            raise
        self._pool = pool
        return self

    def __exit__(self, *failure: object) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def run(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        pool = self._pool
        if pool is None:
            raise LaconicError(
                "Processes.run: start the processes first, as in `with Processes(2) as executor:`"
            )
        pool.start(self.n_workers)
        try:
            yield from pool.outcomes(jobs)
        finally:
            pool.cancel()


class Pool:
    """Worker processes, which are replaced when they exit, and the problems that they share."""

    def __init__(self, run: Run, problems: ProblemStore, task_timeout: float | None = None) -> None:
        self.limit = inf if task_timeout is None else task_timeout
        self.problems = problems
        self.workers: list[Worker] = []
        self._run = run
        self._log_numbers = count()
        self._startup_failures = 0

    def start(self, n_workers: int) -> None:
        self._startup_failures = 0
        while len(self.workers) < n_workers:
            self._start_worker()

    def close(self) -> None:
        try:
            self._end(self.workers)
        finally:
            self.problems.close()

    def cancel(self) -> None:
        """End running tasks without an outcome."""
        self._end([worker for worker in self.workers if worker.assigned])
        self.problems.release_all()

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Run the jobs. One is prepared ahead, so an idle worker need not wait for a problem."""
        queue = WorkQueue(self._staged(jobs))
        while queue.pending or any(worker.assigned for worker in self.workers):
            idle = next((worker for worker in self.workers if worker.idle), None)
            group = queue.jobs_for(idle, self.workers) if idle else None
            if idle and group:
                if self._send(group[0], idle):
                    group.popleft()
                    queue.fetch()
                continue
            for worker in wait_for_workers(self.workers):
                outcome = self._receive(worker)
                if outcome is not None:
                    yield outcome

    def _staged(self, jobs: Iterable[Job]) -> Iterator[StagedJob]:
        for task, problem in jobs:
            yield task, self.problems.acquire(problem)
        self.problems.finish()

    def _send(self, job: StagedJob, worker: Worker) -> bool:
        """Whether the worker received the job; if it has exited, it is replaced."""
        try:
            worker.send(*job)
        except WorkerExited as failure:
            self._replace(worker, failure)
            return False
        return True

    def _receive(self, worker: Worker) -> Outcome | None:
        """The outcome of the worker's task, or None if it had no task."""
        assignment = worker.assigned
        try:
            outcome = worker.receive()
        except WorkerExited as failure:
            self._replace(worker, failure)
            outcome = assignment.failed(failure.reason) if assignment else None
        if assignment:
            self._startup_failures = 0
            self.problems.release(assignment.folder)
        return outcome

    def _replace(self, worker: Worker, failure: WorkerExited) -> None:
        """Start another worker, unless workers keep failing at start-up, without a task."""
        self._end([worker])
        self._startup_failures += not worker.assigned
        if worker.assigned or self._startup_failures < MAX_STARTUP_FAILURES:
            self._start_worker()
        if not self.workers:
            raise LaconicError(
                f"worker processes fail at start-up: {failure}. In a script, put the code under "
                '`if __name__ == "__main__":`, because each worker imports the script; or use '
                "--jobs 1, which starts no processes"
            ) from None

    def _start_worker(self) -> None:
        log = self.problems.folder / f"worker-{next(self._log_numbers)}.log"
        try:
            self.workers.append(Worker(self._run, log, self.limit))
        except OSError as failure:
            raise ResourceError(
                f"worker process {len(self.workers) + 1} cannot be started ({failure.strerror}). "
                "Use fewer --jobs; --jobs 1 starts no processes"
            ) from None

    def _end(self, workers: list[Worker]) -> None:
        for worker in workers:
            worker.kill()
        for worker in list(workers):
            worker.close()
            self.workers.remove(worker)


def executor_for(n_jobs: int, task_timeout: float | None = None) -> Executor:
    """`InProcess` for one job, else `Processes`; -1 is one process per usable CPU.

    A time limit needs a process that can be ended, so it uses `Processes` for one job too.
    """
    n_workers = usable_cpus() if n_jobs == -1 else n_jobs
    _check_workers(n_workers, f"--jobs {n_jobs}")
    if n_workers == 1 and task_timeout is None:
        return InProcess()
    return Processes(n_workers, task_timeout=task_timeout)


def _check_workers(n_workers: int, option: str) -> None:
    limit = WORKERS_PER_CPU * usable_cpus()
    if not 1 <= n_workers <= limit:
        raise LaconicError(
            f"{option}: give a number of processes from 1 to {limit}, {WORKERS_PER_CPU} per usable "
            "CPU; --jobs -1 is one per CPU"
        )


def usable_cpus() -> int:
    """The CPUs that this process may use: a container or scheduler may allow fewer than exist."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
