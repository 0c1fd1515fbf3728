"""`Processes`: runs the jobs of a study in worker processes on this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Self

from laconic.errors import LaconicError
from laconic.processes import check_workers
from laconic.processes.child import start_up_error
from laconic.resources import CAN_LIMIT_MEMORY
from laconic.studies.execution.jobs import Job, Run, run_job
from laconic.studies.execution.shared_arrays import ProblemStore
from laconic.studies.execution.task import Outcome
from laconic.studies.execution.workers import (
    Limits,
    StagedJob,
    Worker,
    WorkerExited,
    wait_for_workers,
)

# processes that may exit in a row without having run a task
MAX_STARTUP_FAILURES = 3


class Processes:
    """Runs jobs in worker processes, which share each problem as memory-mapped files.

    Parameters
    ----------
    n_workers : number of processes, at most 4 per usable CPU; they start when the `with` is entered
    folder : folder for the files of problems, default: the system's folder for temporary files
    run : function of a job that yields outcomes; the processes import it by its name
    task_timeout : seconds after which a task fails and its process is ended, default: no limit
    memory_limit : bytes that each process may allocate (Linux only), default: no limit; a task that
        needs more fails

    Only one `run` at a time.
    """

    def __init__(
        self,
        n_workers: int,
        *,
        folder: Path | None = None,
        run: Run = run_job,
        task_timeout: float | None = None,
        memory_limit: int | None = None,
    ) -> None:
        check_workers(n_workers, f"Processes({n_workers})")
        if task_timeout is not None and not task_timeout > 0:
            raise LaconicError(f"task_timeout={task_timeout}: give seconds above 0, or None")
        if memory_limit is not None and not (memory_limit > 0 and CAN_LIMIT_MEMORY):
            raise LaconicError(
                f"memory_limit={memory_limit}: give bytes above 0, on Linux; other systems do not "
                "enforce a limit. Leave it out"
            )
        self.n_workers = n_workers
        self.folder = folder
        self.limits = Limits(task_timeout, memory_limit)
        self._run = run
        self._pool: Pool | None = None

    def __enter__(self) -> Self:
        pool = Pool(self._run, ProblemStore(self.folder), self.limits)
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

    def __init__(self, run: Run, problems: ProblemStore, limits: Limits) -> None:
        self.problems = problems
        self.workers: list[Worker] = []
        self._run, self._limits = run, limits
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
        """End running jobs without an outcome."""
        self._end([worker for worker in self.workers if worker.job])
        self.problems.release_all()

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Run the jobs. One is prepared ahead, so an idle worker need not wait for a problem."""
        staged = self._staged(jobs)
        waiting = deque(islice(staged, 1))
        while waiting or any(worker.job for worker in self.workers):
            idle = next((worker for worker in self.workers if worker.idle), None)
            if idle and waiting:
                if self._send(waiting[0], idle):
                    waiting.popleft()
                    waiting.extend(islice(staged, 0 if waiting else 1))
                continue
            for worker in wait_for_workers(self.workers):
                outcome = self._receive(worker)
                if worker.job and worker not in self.workers:
                    waiting.appendleft(worker.job)  # another worker gets the rest
                if outcome is not None:
                    yield outcome

    def _staged(self, jobs: Iterable[Job]) -> Iterator[StagedJob]:
        for job in jobs:
            yield StagedJob(job.tasks, self.problems.acquire(job.problem), job.with_models)
        self.problems.finish()

    def _send(self, job: StagedJob, worker: Worker) -> bool:
        """Whether the worker received the job; if it has exited, it is replaced."""
        try:
            worker.send(job)
        except WorkerExited as failure:
            self._replace(worker, failure)
            return False
        return True

    def _receive(self, worker: Worker) -> Outcome | None:
        """The outcome of the worker's task, or None if it had none; if it exits, the task fails."""
        job = worker.job
        try:
            outcome = worker.receive()
        except WorkerExited as failure:
            self._replace(worker, failure)
            outcome = worker.fail(failure.reason) if job else None
        if job is not None:
            self._startup_failures = 0
            if worker.job is None:
                self.problems.release(job.folder)
        return outcome

    def _replace(self, worker: Worker, failure: WorkerExited) -> None:
        """Start another worker, unless workers keep failing at start-up, without a task."""
        self._end([worker])
        self._startup_failures += not worker.job
        if worker.job or self._startup_failures < MAX_STARTUP_FAILURES:
            self._start_worker()
        if not self.workers:
            advice = "or use --jobs 1 without limits, which starts no processes"
            if self._limits.memory is not None:
                advice = "or increase --memory-limit: before any task, a process needs 100s of MB"
            raise start_up_error(str(failure), advice) from None

    def _start_worker(self) -> None:
        log = self.problems.folder / f"worker-{next(self._log_numbers)}.log"
        self.workers.append(Worker(self._run, log, self._limits))

    def _end(self, workers: list[Worker]) -> None:
        for worker in workers:
            worker.kill()
        for worker in list(workers):
            worker.close()
            self.workers.remove(worker)
