"""`Worker`: a process that runs tasks one after the other, and the pipe to it."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Thread
from time import perf_counter, time
from typing import Any, TypeAlias

from laconic.study.staging import staged
from laconic.study.task import Outcome, Task, describe_failure
from laconic.vectors.problem import Problem

Run: TypeAlias = Callable[[Task, Problem], Outcome]

# fork would copy the locks of BLAS, numba and the progress bar, held or not
SPAWN = multiprocessing.get_context("spawn")
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
READY = "ready"
# seconds for a process that has closed its pipe to be gone
GRACE = 5.0
# seconds: some systems cannot wait for a month at once
LONGEST_WAIT = 7 * 24 * 3600.0


# a worker that ended at its task was most likely ended by the system
ADVICE = "it may have run out of memory: use fewer --jobs"


class WorkerDied(Exception):  # noqa: N818 - an event, not an error of ours
    """The process ended; the message says how."""

    @property
    def reason(self) -> str:
        """Why its task failed."""
        return f"{self}; {ADVICE}"


class WorkerOverdue(WorkerDied):
    """The process is past the time limit of its task."""

    @property
    def reason(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Assignment:
    """A task, and where its problem is staged."""

    task: Task
    folder: Path
    limit: float = inf
    started: float = field(default_factory=time)
    clock: float = field(default_factory=perf_counter)

    @property
    def left(self) -> float:
        """Seconds until the limit."""
        return self.clock + self.limit - perf_counter()

    def lost(self, reason: str) -> Outcome:
        seconds = perf_counter() - self.clock
        return Outcome.failed(self.task, reason, seconds=seconds, started=self.started)


class Worker:
    """A process of its own; it imports while its owner does something else, then says it is ready.

    `run` goes there by its name, so it must be importable. What the process prints goes to `log`.
    A task may take `limit` seconds.
    """

    def __init__(self, run: Run, log: Path, limit: float = inf) -> None:
        self.log = log
        self.limit = limit
        self.ready = False
        self.assigned: Assignment | None = None
        self.pipe, theirs = SPAWN.Pipe()
        self.process = SPAWN.Process(target=work, args=(theirs, run), daemon=True)
        with theirs, _as_children_want(log):
            self.process.start()

    @property
    def idle(self) -> bool:
        return self.ready and self.assigned is None

    @property
    def overdue(self) -> bool:
        return self.assigned is not None and self.assigned.left <= 0

    def hand(self, task: Task, folder: Path) -> None:
        try:
            self.pipe.send((task, folder))
        except OSError:
            raise WorkerDied(self._end()) from None
        self.assigned = Assignment(task, folder, self.limit)

    def hear(self) -> Outcome | None:
        """What the process says: that it is ready, or how its task went."""
        try:
            # without a word in the pipe it is the end of the process that was noticed
            message = self.pipe.recv_bytes() if self.pipe.poll() else b""
        except (EOFError, OSError):
            message = b""
        if not message and self.overdue and self.process.is_alive():
            raise WorkerOverdue(
                f"took longer than {self.limit:g} seconds, the limit for a task. Raise "
                "--task-timeout and add --retry-failed to try again"
            )
        if not message:
            raise WorkerDied(self._end())
        self.ready = True
        assignment, self.assigned = self.assigned, None
        if assignment is None:
            return None
        try:
            outcome: Outcome = pickle.loads(message)
        except Exception as failure:
            return assignment.lost(f"the outcome cannot be read: {describe_failure(failure)}")
        return outcome

    def kill(self) -> None:
        """It holds nothing that would be lost, so it is not asked."""
        with suppress(OSError):
            self.process.kill()

    def bury(self) -> None:
        self.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()

    def _end(self) -> str:
        self.process.join(GRACE)
        code = self.process.exitcode
        if code is None:
            how = "the worker process fell silent"
        elif code < 0:
            how = f"the worker process was ended by {_signal(-code)}"
        else:
            how = f"the worker process ended with exit code {code}"
        last = _last_words(self.log)
        return f"{how} ({last})" if last else how


def heard(workers: list[Worker]) -> list[Worker]:
    """Waits until workers have something to say, have ended, or are overdue."""
    waiting: dict[Any, Worker] = {worker.pipe: worker for worker in workers}
    waiting |= {worker.process.sentinel: worker for worker in workers}
    left = min((worker.assigned.left for worker in workers if worker.assigned), default=inf)
    events = wait(list(waiting), min(max(left, 0), LONGEST_WAIT))
    overdue = [worker for worker in workers if worker.overdue]
    return list(dict.fromkeys([*(waiting[event] for event in events), *overdue]))


def work(pipe: Connection, run: Run) -> None:
    """The life of a worker: until the pipe closes, or its owner is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all: the owner decides
    with suppress(OSError, ValueError, AttributeError):  # no stream to write to
        faulthandler.enable()
    Thread(target=_end_with_owner, daemon=True).start()
    desk = Desk(run)
    with suppress(EOFError, OSError):
        pipe.send(READY)
        while True:
            pipe.send_bytes(desk.message(*pipe.recv()))


class Desk:
    """What a worker has before it: the last problem stays open."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.open: tuple[Path, Problem] | None = None

    def message(self, task: Task, folder: Path) -> bytes:
        """The outcome as it travels; whatever goes wrong, there is one."""
        try:
            return pickle.dumps(self.run(task, self._problem(folder)))
        except Exception as failure:
            return pickle.dumps(Outcome.failed(task, describe_failure(failure)))

    def _problem(self, folder: Path) -> Problem:
        if self.open is None or self.open[0] != folder:
            self.open = None  # let the last one go first
            self.open = folder, staged(folder)
        return self.open[1]


def _end_with_owner() -> None:
    owner = multiprocessing.parent_process()
    if owner is not None:
        wait([owner.sentinel])
        os._exit(1)


@contextmanager
def _as_children_want(log: Path) -> Iterator[None]:
    """What a process is born with, it has from this one: changed here for the moment of birth."""
    if os.name == "posix":
        # multiprocessing's own helper would be born with the log, and let Ctrl-C through
        from multiprocessing.resource_tracker import ensure_running

        ensure_running()
    with ExitStack() as stack:
        stack.enter_context(_environment(ONE_THREAD))
        stack.enter_context(_interrupts_held())
        stack.enter_context(_output_to(log))
        yield


@contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits: here until afterwards, in a process born now until it ignores it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """Standard output and errors into a file, at the level that children inherit."""
    saved = {}
    with open(log, "ab") as stream:
        try:
            for number in (1, 2):
                with suppress(OSError):  # closed
                    saved[number] = os.dup(number)
                    os.dup2(stream.fileno(), number)
            yield
        finally:
            for number, was in saved.items():
                os.dup2(was, number)
                os.close(was)


def _last_words(log: Path) -> str:
    """The line that names a crash, else the last one: of a traceback, the error."""
    try:
        with open(log, "rb") as stream:
            stream.seek(max(0, log.stat().st_size - 10_000))
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    crashes = [line for line in lines if line.startswith("Fatal Python error")]
    return (crashes or lines or [""])[-1]


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
