"""`Worker`: a process that runs jobs one after the other, connected by a pipe."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import perf_counter, time
from typing import Any

from laconic.processes.child import (
    OUT_OF_MEMORY,
    SPAWN,
    describe_exit,
    end_child,
    prepare_child,
    start_child,
)
from laconic.resources import limit_memory
from laconic.studies.execution.jobs import Job, Run, outcomes_of
from laconic.studies.execution.shared_arrays import open_problem
from laconic.studies.execution.task import Outcome, Task, describe_failure
from laconic.text.problem import Problem

READY = "ready"
# seconds; some systems have a limit on waiting
LONGEST_WAIT = 7 * 24 * 3600.0


@dataclass(frozen=True)
class Limits:
    """Of each process: seconds per task, and bytes of memory; None is no limit."""

    seconds: float | None = None
    memory: int | None = None

    @property
    def advice(self) -> str:
        """A process that exits during a task has most likely run out of memory."""
        if self.memory is None:
            return OUT_OF_MEMORY
        needed = f"it may have needed more than {self.memory / 1e6:,.0f} MB"
        return f"{needed}: raise --memory-limit, or use fewer --jobs"


NO_LIMITS = Limits()


@dataclass(frozen=True)
class StagedJob:
    """A job whose problem is in a folder."""

    tasks: tuple[Task, ...]
    folder: Path
    with_models: bool = False


class WorkerExited(Exception):  # noqa: N818 - an event, not an error
    """The process exited, or was ended because of a limit; the message says how.

    `advice` is for the user whose task it ran.
    """

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.reason = f"{message}; {advice}" if advice else message


class Worker:
    """A worker process. It imports in the background, then reports that it is ready.

    `run` is passed by name, so it must be importable. Output of the process goes to `log`. `job` is
    what is left of the job that it runs: the first task is being run.
    """

    def __init__(self, run: Run, log: Path, limits: Limits = NO_LIMITS) -> None:
        self.log = log
        self.ready = False
        self.job: StagedJob | None = None
        self._limits = limits
        self._started, self._clock = time(), perf_counter()
        self.pipe, child_pipe = SPAWN.Pipe()
        with child_pipe:
            self.process = start_child(worker_main, (child_pipe, run, limits.memory), log)

    @property
    def idle(self) -> bool:
        return self.ready and self.job is None

    @property
    def seconds_left(self) -> float:
        """Until the limit of the task that it runs."""
        if self.job is None or self._limits.seconds is None:
            return inf
        return self._clock + self._limits.seconds - perf_counter()

    def send(self, job: StagedJob) -> None:
        try:
            self.pipe.send(job)
        except OSError:
            raise self._exited() from None
        self._set_job(job)

    def _set_job(self, job: StagedJob | None) -> None:
        self.job = job
        self._started, self._clock = time(), perf_counter()

    def receive(self) -> Outcome | None:
        """The outcome of its task, or None if the process reports that it is ready."""
        try:
            # an empty pipe means that the process exited or exceeded its limit
            message = self.pipe.recv_bytes() if self.pipe.poll() else b""
        except (EOFError, OSError):
            message = b""
        if not message and self.seconds_left <= 0 and self.process.is_alive():
            raise WorkerExited(
                f"took longer than {self._limits.seconds:g} seconds, the limit for a task. "
                "Increase --task-timeout and add --retry-failed to try again"
            )
        if not message:
            raise self._exited()
        self.ready = True
        if self.job is None:
            return None
        try:
            outcome: Outcome = pickle.loads(message)
        except Exception as failure:
            return self.fail(f"the outcome cannot be read: {describe_failure(failure)}")
        self._finish_task()
        return outcome

    def fail(self, reason: str) -> Outcome:
        """End its task with a failure."""
        assert self.job is not None
        task, started, seconds = self.job.tasks[0], self._started, perf_counter() - self._clock
        self._finish_task()
        return Outcome.failed(task, reason, seconds=seconds, started=started)

    def _finish_task(self) -> None:
        assert self.job is not None
        rest = self.job.tasks[1:]
        self._set_job(replace(self.job, tasks=rest) if rest else None)

    def kill(self) -> None:
        """End the process at once: it has no state to save."""
        with suppress(OSError):
            self.process.kill()

    def close(self) -> None:
        end_child(self.process)
        self.pipe.close()

    def _exited(self) -> WorkerExited:
        return WorkerExited(describe_exit(self.process, self.log), self._limits.advice)


def wait_for_workers(workers: list[Worker]) -> list[Worker]:
    """Wait until workers have sent a message, exited, or exceeded their limit; return these."""
    waiting: dict[Any, Worker] = {worker.pipe: worker for worker in workers}
    waiting |= {worker.process.sentinel: worker for worker in workers}
    left = min((worker.seconds_left for worker in workers), default=inf)
    events = wait(list(waiting), min(max(left, 0), LONGEST_WAIT))
    overdue = [worker for worker in workers if worker.seconds_left <= 0]
    return list(dict.fromkeys([*(waiting[event] for event in events), *overdue]))


def worker_main(pipe: Connection, run: Run, memory: int | None) -> None:
    """Run jobs from the pipe until it closes or the parent process exits."""
    prepare_child()
    if memory is not None:
        limit_memory(memory)
    state = WorkerState(run)
    with suppress(EOFError, OSError):
        pipe.send(READY)
        while True:
            for outcome in state.outcomes(pipe.recv()):
                pipe.send_bytes(outcome)


class WorkerState:
    """The state of a worker process: the last problem stays open."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.opened: tuple[Path, Problem] | None = None

    def outcomes(self, job: StagedJob) -> Iterator[bytes]:
        """The pickled outcomes of the tasks, in order; every failure gives one."""
        try:
            loaded = Job(self._problem(job.folder), job.tasks, job.with_models)
        except Exception as failure:
            reason = describe_failure(failure)
            yield from (pickle.dumps(Outcome.failed(task, reason)) for task in job.tasks)
            return
        for outcome in outcomes_of(loaded, self.run):
            yield pickled_outcome(outcome)

    def _problem(self, folder: Path) -> Problem:
        if self.opened is None or self.opened[0] != folder:
            self.opened = None  # free the last one first
            self.opened = folder, open_problem(folder)
        return self.opened[1]


def pickled_outcome(outcome: Outcome) -> bytes:
    try:
        return pickle.dumps(outcome)
    except Exception as failure:
        reason = f"the outcome cannot be sent: {describe_failure(failure)}. --jobs 1 sends none"
        return pickle.dumps(Outcome.failed(outcome.task, reason))
