"""`DaskExecutor`: runs the jobs of a study on the workers of a dask.distributed cluster.

A problem is a folder of arrays that all machines see. A job writes the outcome of each task into a
file of its own, so that a job that is started again, because its worker was lost, goes on where it
was, and what is finished is known at once. Problems that stay in blocks are computed here: their
sums over blocks are what the cluster computes.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Self
from uuid import uuid4

from laconic.cluster.dask_engine import Completed, DaskEngine, LostWorkerError
from laconic.cluster.worker import worker_name
from laconic.errors import LaconicError
from laconic.numerics.blocks import Blocks
from laconic.studies.execution.jobs import Job, Run, outcomes_of, run_job
from laconic.studies.execution.shared_arrays import ProblemStore, open_problem
from laconic.studies.execution.task import Outcome, describe_failure
from laconic.studies.execution.workers import StagedJob, pickled_outcome

if TYPE_CHECKING:
    from distributed import Client

ENDING, STARTED = ".outcome", ".started"


@dataclass(frozen=True)
class JobInFolder:
    """A job, and the folder of its outcomes; `first` is the number of its first task there."""

    job: StagedJob
    outcomes: Path
    first: int = 0

    def file(self, at: int) -> Path:
        """The outcome of the task at this position."""
        return self.outcomes / f"{self.first + at}{ENDING}"


@dataclass(frozen=True)
class RunInFolder:
    """Runs a job, and writes the outcome of each task that has none yet."""

    run: Run

    def __call__(self, staged: JobInFolder) -> None:
        numbered = list(enumerate(staged.job.tasks))
        pending = [(at, task) for at, task in numbered if not staged.file(at).exists()]
        if not pending:
            return
        tasks = tuple(task for _, task in pending)
        (staged.outcomes / f"{uuid4().hex}{STARTED}").touch()
        try:
            problem = open_problem(staged.job.folder)
        except Exception as failure:
            reason = describe_failure(failure)
            outcomes: Iterable[Outcome] = (Outcome.failed(task, reason) for task in tasks)
        else:
            outcomes = outcomes_of(Job(problem, tasks, staged.job.with_models), self.run)
        host = worker_name()
        for (at, _), outcome in zip(pending, outcomes, strict=True):
            _write(pickled_outcome(replace(outcome, host=host)), staged.file(at))


def _write(data: bytes, file: Path) -> None:
    """A file that appears whole; another worker may write the same one."""
    draft = file.with_suffix(f".{uuid4().hex}")
    draft.write_bytes(data)
    draft.replace(file)


class DaskExecutor:
    """Runs jobs on a cluster.

    Parameters
    ----------
    client : distributed.Client
    shared : a folder that the client and all workers see under this path
    run : function of a job that yields outcomes; the workers import it by its name
    """

    def __init__(self, client: Client, shared: str | Path, *, run: Run = run_job) -> None:
        self.engine = DaskEngine(client, shared)
        self._run = run
        self._problems: ProblemStore | None = None

    @property
    def n_workers(self) -> int:
        return self.engine.n_workers

    def __enter__(self) -> Self:
        self.engine.open()
        self._problems = ProblemStore(self.engine.files)
        return self

    def __exit__(self, *failure: object) -> None:
        self._problems = None
        self.engine.close()

    def run(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        if self._problems is None:
            raise LaconicError("DaskExecutor.run: use the executor in a `with` block")
        running = RunningJobs(self._problems, self.engine.files, iter(jobs))
        ended = self.engine.completed(RunInFolder(self._run), running)
        with closing(ended):
            try:
                for completed in ended:
                    yield from running.outcomes(completed)
                    for job in running.take_local():
                        yield from outcomes_of(job, self._run)
            finally:
                self._problems.release_all()


class RunningJobs(Iterator[JobInFolder]):
    """Jobs that are staged as the cluster asks for them, and what has become of their tasks."""

    def __init__(self, problems: ProblemStore, folder: Path, jobs: Iterator[Job]) -> None:
        self.problems, self.folder = problems, folder
        self._jobs, self._finished = jobs, False
        self._again: deque[JobInFolder] = deque()
        self._local: list[Job] = []
        # by their number among all that the cluster got, with the outcomes that are known
        self._running: dict[int, tuple[JobInFolder, int]] = {}
        self._numbers = count()

    def __next__(self) -> JobInFolder:
        staged = self._again.popleft() if self._again else self._staged()
        self._running[next(self._numbers)] = staged, 0
        return staged

    def take_local(self) -> list[Job]:
        """Jobs whose documents are in blocks: their sums are what the cluster computes."""
        taken, self._local = self._local, []
        return taken

    def outcomes(self, completed: Completed | None) -> Iterator[Outcome]:
        """The outcomes that are new, at the end of a job or, without one, of all."""
        if completed is None:
            for number in list(self._running):
                yield from self._collected(number)
            return
        yield from self._collected(completed.position)
        staged, n_known = self._running.pop(completed.position)
        tasks = staged.job.tasks[n_known:]
        failure = completed.failure
        if failure is not None and not isinstance(failure, LostWorkerError):
            raise failure
        if failure is not None and tasks:
            # dask counts a lost worker for the calls that waited there too
            if len(list(staged.outcomes.glob(f"*{STARTED}"))) < failure.attempts:
                job = replace(staged.job, tasks=tasks)
                self._again.append(JobInFolder(job, staged.outcomes, staged.first + n_known))
                return
            yield Outcome.failed(tasks[0], str(failure))
            tasks = tasks[1:]
        rmtree(staged.outcomes, ignore_errors=True)
        if tasks:
            self._again.append(self._in_folder(replace(staged.job, tasks=tasks)))
        else:
            self.problems.release(staged.job.folder)

    def _collected(self, number: int) -> Iterator[Outcome]:
        staged, n_known = self._running[number]
        while (file := staged.file(n_known)).exists():
            n_known += 1
            self._running[number] = staged, n_known
            yield pickle.loads(file.read_bytes())

    def _staged(self) -> JobInFolder:
        for job in self._jobs:
            if not isinstance(job.problem.X_train, Blocks):
                folder = self.problems.acquire(job.problem)
                return self._in_folder(StagedJob(job.tasks, folder, job.with_models))
            self._local.append(job)
        if not self._finished:
            self._finished = True
            self.problems.finish()
        raise StopIteration

    def _in_folder(self, job: StagedJob) -> JobInFolder:
        outcomes = self.folder / f"outcomes-{uuid4().hex}"
        outcomes.mkdir()
        return JobInFolder(job, outcomes)
