"""`WorkerPool`: worker processes that call a function for one item after the other."""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count, islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from traceback import format_exc
from typing import Any, Generic, TypeVar

from laconic.errors import LaconicError, ResourceError
from laconic.processes.child import (
    OUT_OF_MEMORY,
    SPAWN,
    describe_exit,
    end_child,
    prepare_child,
    start_child,
    start_up_error,
)

_Item = TypeVar("_Item")

# how often an item is tried again whose process exited
MAX_RETRIES = 2
# processes that may exit in a row before they are ready
MAX_STARTUP_FAILURES = 3
# items per process that may be finished before the first unfinished one
AHEAD = 4
NAME_CHARACTERS = 200
READY, REPORT, RESULT, FAILURE = range(4)

_listen: Callable[[Any], object] | None = None


def report(message: Any) -> None:
    """Pass a message, such as progress, to `listen` of the `run_in_processes` that is running."""
    if _listen is not None:
        _listen(message)


@contextmanager
def reporting_to(listen: Callable[[Any], object] | None) -> Iterator[None]:
    global _listen
    before, _listen = _listen, listen
    try:
        yield
    finally:
        _listen = before


@dataclass
class _Pending(Generic[_Item]):
    """An item whose result is not known yet."""

    position: int
    item: _Item

    @property
    def name(self) -> str:
        text = str(self.item)
        return text if len(text) <= NAME_CHARACTERS else f"{text[:NAME_CHARACTERS]}…"


class _ExitedError(Exception):
    """The process of a worker has exited."""


class _Worker:
    """A process, and the item that it works on."""

    def __init__(self, function: Callable[..., Any], log: Path) -> None:
        self.log = log
        self.ready = False
        self.pending: _Pending[Any] | None = None
        self.pipe, child_pipe = SPAWN.Pipe()
        with child_pipe:
            self.process = start_child(_serve, (child_pipe, function), log)

    @property
    def idle(self) -> bool:
        return self.ready and self.pending is None

    def send(self, pending: _Pending[Any]) -> None:
        message = pickle.dumps(pending.item)
        try:
            self.pipe.send_bytes(message)
        except OSError:
            raise _ExitedError from None
        self.pending = pending

    def receive(self) -> tuple[int, Any]:
        """The kind of the next message, and its contents; an exit is an end of file."""
        try:
            message = self.pipe.recv_bytes()
        except (EOFError, OSError):
            raise _ExitedError from None
        self.ready = True
        kind, contents = pickle.loads(message)
        return kind, contents

    def close(self) -> None:
        end_child(self.process)
        self.pipe.close()


class WorkerPool:
    """The workers of one call; those that exit are replaced."""

    def __init__(
        self,
        function: Callable[..., Any],
        folder: Path,
        n_jobs: int,
        listen: Callable[[Any], object] | None,
    ) -> None:
        self.function, self.folder, self.n_jobs, self.listen = function, folder, n_jobs, listen
        self.workers: list[_Worker] = []
        self.waiting: deque[_Pending[Any]] = deque()
        self.finished: dict[int, tuple[int, Any]] = {}
        self.retries: Counter[int] = Counter()
        self.logs = count()
        self.taken = self.startup_failures = 0
        self.failed = False

    def results(self, items: Iterable[Any]) -> Iterator[Any]:
        unread = (_Pending(position, item) for position, item in enumerate(items))
        position = 0
        while True:
            self._take(unread, position)
            missing = position not in self.finished
            if missing and not self.waiting and not any(w.pending for w in self.workers):
                return
            self._exchange(block=missing)
            if position in self.finished:
                kind, contents = self.finished.pop(position)
                if kind == FAILURE:
                    raise contents
                position += 1
                yield contents

    def close(self) -> None:
        for worker in self.workers:
            worker.close()

    def _take(self, unread: Iterator[_Pending[Any]], position: int) -> None:
        """Take items that can run soon; none after a failure, which ends the work."""
        room = position + AHEAD * self.n_jobs - self.taken
        wanted = 0 if self.failed else min(room, self.n_jobs - len(self.waiting))
        new = list(islice(unread, max(0, wanted)))
        self.taken += len(new)
        self.waiting.extend(new)

    def _exchange(self, *, block: bool) -> None:
        """Send items, and receive messages; wait for one if `block`."""
        self._send_items()
        sources: dict[Any, _Worker] = {worker.pipe: worker for worker in self.workers}
        sources |= {worker.process.sentinel: worker for worker in self.workers}
        events = wait(list(sources), None if block else 0)
        for worker in dict.fromkeys(sources[event] for event in events):
            self._receive(worker)
        self._send_items()

    def _send_items(self) -> None:
        for worker in [worker for worker in self.workers if worker.idle]:
            if self.waiting:
                self._send(self.waiting.popleft(), worker)
        n_starting = sum(not worker.ready for worker in self.workers)
        n_wanted = min(len(self.waiting) - n_starting, self.n_jobs - len(self.workers))
        for _ in range(n_wanted):
            log = self.folder / f"{next(self.logs)}.log"
            self.workers.append(_Worker(self.function, log))

    def _send(self, pending: _Pending[Any], worker: _Worker) -> None:
        try:
            worker.send(pending)
        except _ExitedError:
            self.waiting.appendleft(pending)
            self._replace(worker)

    def _receive(self, worker: _Worker) -> None:
        try:
            kind, contents = worker.receive()
        except _ExitedError:
            self._replace(worker)
            return
        if kind == REPORT and self.listen is not None:
            self.listen(contents)
        elif kind in (RESULT, FAILURE):
            assert worker.pending is not None
            self._finish(worker.pending, kind, contents)
            worker.pending = None
            self.startup_failures = 0

    def _finish(self, pending: _Pending[Any], kind: int, contents: Any) -> None:
        self.finished[pending.position] = kind, contents
        self.failed |= kind == FAILURE

    def _replace(self, worker: _Worker) -> None:
        """Remove a worker that has exited; its item is tried again, or fails."""
        how = describe_exit(worker.process, worker.log)
        self.workers.remove(worker)
        worker.close()
        pending = worker.pending
        if pending is None:
            self.startup_failures += 1
            if self.startup_failures >= MAX_STARTUP_FAILURES:
                raise start_up_error(how, "or use --jobs 1, which starts no processes")
        elif self.retries[pending.position] < MAX_RETRIES:
            self.retries[pending.position] += 1
            self.waiting.appendleft(pending)
        else:
            times = f"after {MAX_RETRIES + 1} attempts"
            lost = ResourceError(f"{pending.name}: {how}, {times}; {OUT_OF_MEMORY}")
            self._finish(pending, FAILURE, lost)


def _serve(pipe: Connection, function: Callable[[Any], Any]) -> None:
    """Call the function for items from the pipe until it closes or the parent process exits."""
    prepare_child()
    with suppress(EOFError, OSError):
        pipe.send_bytes(pickle.dumps((READY, None)))
        while True:
            item = pipe.recv_bytes()
            with reporting_to(lambda message: pipe.send_bytes(pickle.dumps((REPORT, message)))):
                outcome = _outcome(function, item)
            pipe.send_bytes(outcome)


def _outcome(function: Callable[[Any], Any], item: bytes) -> bytes:
    try:
        return pickle.dumps((RESULT, function(pickle.loads(item))))
    except Exception as failure:
        return pickle.dumps((FAILURE, portable(failure)))


def portable(failure: Exception) -> Exception:
    """The exception, if it can be pickled; one that is not meant for users gets its traceback."""
    trace = format_exc()
    try:
        pickle.loads(pickle.dumps(failure))
    except Exception:
        failure = RuntimeError(f"{type(failure).__name__}: {failure}")
    if not isinstance(failure, LaconicError):
        failure.add_note(f"In a worker process:\n{trace}")
    return failure
