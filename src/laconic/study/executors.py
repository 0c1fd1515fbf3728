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
from laconic.study.lines import Lines, Staged
from laconic.study.sharing import forget
from laconic.study.staging import Staging
from laconic.study.task import Outcome, Task
from laconic.study.task import run as run_task
from laconic.study.workers import Run, Worker, WorkerDied, heard
from laconic.vectors.problem import Problem

Job: TypeAlias = tuple[Task, Problem]

# so many processes may end one after the other without a task
STILLBIRTHS = 3
# more processes than this share a CPU for nothing, and each has its own memory
WORKERS_PER_CPU = 4


class Executor(Protocol):
    """Runs jobs and yields what became of each, as they finish, in any order.

    What every executor owes, one for a cluster too:

    - Jobs come from an iterator that builds problems as it goes, each as large as a corpus: draw no
      more problems than can run, and one ahead. Jobs of one problem come together and share the
      object; those that share a selection too (`Task.selection`) come together among them, and are
      faster one after the other in one process (`laconic.study.sharing`).
    - Every job drawn gives exactly one outcome. A task that fails, or takes its process with it, is
      `Outcome.failed` with the reason, and concerns no other.
    - A task needs nothing but its problem, and its numbers do not depend on where or beside what it
      runs: one thread of BLAS. Problems travel as files (`laconic.study.staging`), not in messages.
    - Closing the iterator ends what is running; leaving the `with` leaves no process and no file.
      Nothing is kept about finished work: the journal does that, and asks only for what is missing.
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
    """One task after the other, here."""

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
            forget()


class Processes:
    """Tasks in processes of their own, which share each problem as memory-mapped files.

    Parameters
    ----------
    n_workers : number of processes; they start with the `with`, and import while jobs are prepared
    folder : where problems are staged, default: the system's folder for temporary files
    run : what is done with a task and its problem; the processes import it by its name
    task_timeout : seconds that a task may take before its process is ended and the task fails,
        default: no limit

    At most 4 processes per usable CPU. One `run` at a time.
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
        self._crew: Crew | None = None

    def __enter__(self) -> Self:
        crew = Crew(self._run, Staging(self.folder), self.task_timeout)
        try:
            crew.fill(self.n_workers)
        except BaseException:
            crew.close()
            raise
        self._crew = crew
        return self

    def __exit__(self, *failure: object) -> None:
        crew, self._crew = self._crew, None
        if crew is not None:
            crew.close()

    def run(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        crew = self._crew
        if crew is None:
            raise LaconicError(
                "Processes.run: start them first, as in `with Processes(2) as here:`"
            )
        crew.fill(self.n_workers)
        try:
            yield from crew.outcomes(jobs)
        finally:
            crew.drop_work()


class Crew:
    """Workers that are replaced when they die, and the problems they have in common."""

    def __init__(self, run: Run, staging: Staging, task_timeout: float | None = None) -> None:
        self.limit = inf if task_timeout is None else task_timeout
        self.staging = staging
        self.workers: list[Worker] = []
        self._run = run
        self._births = count()
        self._stillbirths = 0

    def fill(self, n_workers: int) -> None:
        self._stillbirths = 0
        while len(self.workers) < n_workers:
            self._start()

    def close(self) -> None:
        try:
            self._end(self.workers)
        finally:
            self.staging.close()

    def drop_work(self) -> None:
        """What runs ends without an outcome."""
        self._end([worker for worker in self.workers if worker.assigned])
        self.staging.clear()

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """One job waits while all are busy, so that none of them waits for the next problem."""
        lines = Lines(self._staged(jobs))
        while lines.waiting or any(worker.assigned for worker in self.workers):
            idle = next((worker for worker in self.workers if worker.idle), None)
            todo = lines.jobs_for(idle, self.workers) if idle else None
            if idle and todo:
                if self._handed(todo[0], idle):
                    todo.popleft()
                    lines.draw()
                continue
            for worker in heard(self.workers):
                outcome = self._hear(worker)
                if outcome is not None:
                    yield outcome

    def _staged(self, jobs: Iterable[Job]) -> Iterator[Staged]:
        for task, problem in jobs:
            yield task, self.staging.take(problem)
        self.staging.no_more()

    def _handed(self, job: Staged, worker: Worker) -> bool:
        try:
            worker.hand(*job)
        except WorkerDied as death:
            self._replace(worker, death)
            return False
        return True

    def _hear(self, worker: Worker) -> Outcome | None:
        """An outcome, or None where the worker had no task."""
        work = worker.assigned
        try:
            outcome = worker.hear()
        except WorkerDied as death:
            self._replace(worker, death)
            outcome = work.lost(death.reason) if work else None
        if work:
            self._stillbirths = 0
            self.staging.leave(work.folder)
        return outcome

    def _replace(self, worker: Worker, death: WorkerDied) -> None:
        """A task may end its process. Processes that end without one will go on doing so."""
        self._end([worker])
        self._stillbirths += not worker.assigned
        if worker.assigned or self._stillbirths < STILLBIRTHS:
            self._start()
        if not self.workers:
            raise LaconicError(
                f"no worker process gets as far as a task: {death}. A script needs its own "
                'commands under `if __name__ == "__main__":`, because each process reads it; or '
                "use --jobs 1, which needs no processes"
            ) from None

    def _start(self) -> None:
        log = self.staging.folder / f"worker-{next(self._births)}.log"
        try:
            self.workers.append(Worker(self._run, log, self.limit))
        except OSError as failure:
            raise ResourceError(
                f"worker process {len(self.workers) + 1} cannot be started ({failure.strerror}). "
                "Use fewer --jobs; --jobs 1 needs no processes"
            ) from None

    def _end(self, workers: list[Worker]) -> None:
        for worker in workers:
            worker.kill()
        for worker in list(workers):
            worker.bury()
            self.workers.remove(worker)


def executor_for(n_jobs: int, task_timeout: float | None = None) -> Executor:
    """In this process for 1 job at a time, else so many processes; -1 is one per usable CPU.

    A time limit needs a process that can be ended, also for 1 job.
    """
    n_workers = usable_cpus() if n_jobs == -1 else n_jobs
    _check_workers(n_workers, f"--jobs {n_jobs}")
    if n_workers == 1 and task_timeout is None:
        return InProcess()
    return Processes(n_workers, task_timeout=task_timeout)


def _check_workers(n_workers: int, asked: str) -> None:
    most = WORKERS_PER_CPU * usable_cpus()
    if not 1 <= n_workers <= most:
        raise LaconicError(
            f"{asked}: give a number of processes from 1 to {most}, {WORKERS_PER_CPU} per usable "
            "CPU; --jobs -1 is one per CPU"
        )


def usable_cpus() -> int:
    """A container or a scheduler may grant fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
