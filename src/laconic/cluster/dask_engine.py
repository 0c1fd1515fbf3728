"""`DaskEngine`: functions of items run on the workers of a dask.distributed cluster.

Calls, results and large arrays are files in a folder that all machines see; the scheduler and the
network carry paths and small objects. Dask starts a call again if its worker is lost, up to its
setting `distributed.scheduler.allowed-failures`.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Self
from uuid import uuid4

from distributed import Client, Future
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from laconic.cluster.shared_objects import SharedObjects, loads_once
from laconic.cluster.versions import check_versions, versions_here
from laconic.cluster.worker import call_here, describe_worker
from laconic.errors import LaconicError, ResourceError
from laconic.scratch import ScratchFolder

# Items that are submitted beyond one per thread, so that no worker waits and a cluster that adapts
# its size sees that there is more to do.
AHEAD = 4
# Seconds between two looks at messages, and for the first worker to come.
POLL_SECONDS = 0.2
FIRST_WORKER_SECONDS = 120.0


class Completed(NamedTuple):
    """What became of an item: a result, or the failure that ended it."""

    position: int
    result: Any = None
    failure: Exception | None = None


class LostWorkerError(ResourceError):
    """The workers that got an item have exited, one after the other.

    The item may have waited there while another one was worked on.
    """

    def __init__(self, attempts: int, address: str) -> None:
        self.attempts = attempts
        super().__init__(
            f"{attempts} workers in a row exited while they worked on this, the last was "
            f"{address}: they may have run out of memory. Give workers more memory"
        )


class DaskEngine:
    """Runs functions on a cluster.

    Parameters
    ----------
    client : distributed.Client
    shared : a folder that the client and all workers see under this path
    """

    def __init__(self, client: Client, shared: str | Path) -> None:
        self.client = client
        self.shared = Path(shared).absolute()
        self._scratch: ScratchFolder | None = None

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def open(self) -> None:
        """Make the folder for temporary files, and check that the workers can be used."""
        self._scratch = ScratchFolder(self.shared, "choose another shared folder")
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the temporary files; the client stays open."""
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None

    @property
    def folder(self) -> Path:
        return self.shared

    @property
    def files(self) -> Path:
        """The folder for the files of calls."""
        if self._scratch is None:
            raise LaconicError("DaskEngine: use it in a `with` block, which makes its folder")
        return self._scratch.path

    @property
    def n_workers(self) -> int:
        return max(1, len(self._workers()))

    @property
    def memory(self) -> int | None:
        limits = [worker["memory_limit"] for worker in self._workers().values()]
        return min((limit for limit in limits if limit), default=None)

    def run(
        self,
        function: Callable[[Any], Any],
        items: Iterable[Any],
        *,
        listen: Callable[[Any], object] | None = None,
    ) -> Iterator[Any]:
        """The results in the order of the items."""
        finished: dict[int, Completed] = {}
        position = 0
        ended = self.completed(function, items, listen=listen, ahead=AHEAD)
        with closing(ended):
            for completed in filter(None, ended):
                finished[completed.position] = completed
                while position in finished:
                    _, result, failure = finished.pop(position)
                    if failure is not None:
                        raise failure
                    position += 1
                    yield result

    def completed(
        self,
        function: Callable[[Any], Any],
        items: Iterable[Any],
        *,
        listen: Callable[[Any], object] | None = None,
        ahead: int = 1,
    ) -> Generator[Completed | None]:
        """What became of the items, in the order in which they end.

        None says that nothing has ended for a moment. An iterator of items that has ended is asked
        again when one of them has: it may have more then.
        """
        calls, unread, position = _Calls(self, function, listen), iter(items), 0
        try:
            while True:
                if self.client.status != "running":
                    raise lost_scheduler()
                room = self.n_workers + ahead - len(calls.pending)
                for item in islice(unread, max(0, room)):
                    calls.submit(position, item)
                    position += 1
                if not calls.pending:
                    yield None
                    return
                ended = calls.ended()
                yield from ended
                if not ended:
                    yield None
        finally:
            calls.close()

    def _workers(self) -> dict[str, Any]:
        workers: dict[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        return workers

    def _check(self) -> None:
        """Every worker sees the folder, and has the versions of this process."""
        token = self.files / "seen"
        token.touch()
        try:
            with suppress(TimeoutError):
                # a call, because a cluster that adapts its size has no workers before there is one
                first = self.client.submit(describe_worker, str(token), pure=False)
                first.result(timeout=FIRST_WORKER_SECONDS)
            workers = self.client.run(describe_worker, str(token))
        except ModuleNotFoundError as failure:
            raise LaconicError(
                f"the workers cannot import {failure.name}: install Laconic with its dependencies "
                "on all machines of the cluster, in the versions that are installed here"
            ) from None
        except (OSError, CommClosedError):
            raise lost_scheduler() from None
        if not workers:
            raise ResourceError(
                f"the cluster has no workers after {FIRST_WORKER_SECONDS:.0f} seconds. Start some, "
                "or ask the cluster for them"
            )
        for worker, (versions, seen) in workers.items():
            check_versions(versions_here(), worker, versions)
            if not seen:
                raise LaconicError(
                    f"the worker {worker} does not see the folder {self.shared}. Choose a folder "
                    "that is mounted at the same path on all machines (--shared)"
                )


class _Calls:
    """The calls of one function that are on the cluster."""

    def __init__(
        self,
        engine: DaskEngine,
        function: Callable[[Any], Any],
        listen: Callable[[Any], object] | None,
    ) -> None:
        self.engine, self.listen = engine, listen
        self.objects = SharedObjects(engine.files)
        self.function = self.objects.dumps(function)
        # the function and the items stay here: files of their arrays stay as long as they do
        self.arguments, self.pending = function, dict[Future, tuple[int, Any]]()
        self.seen: dict[int, int] = {}
        # messages of the workers, and calls that have ended
        self.news: SimpleQueue[bytes | Future] = SimpleQueue()
        self.topic = "" if listen is None else f"laconic-{uuid4().hex}"
        if self.topic:
            engine.client.subscribe_topic(self.topic, self._heard)

    def submit(self, position: int, item: Any) -> None:
        arguments = self.function, self.objects.dumps(item), position, self.topic
        future = self.engine.client.submit(
            call_here,
            *arguments,
            str(self.engine.files),
            versions_here(),
            pure=False,
            key=f"laconic-{uuid4().hex}",
        )
        self.pending[future] = position, item
        future.add_done_callback(self.news.put)

    def ended(self) -> list[Completed]:
        """The calls that have ended, after waiting for a moment."""
        ended = []
        with suppress(Empty):
            news = self.news.get(timeout=POLL_SECONDS)
            while True:
                if isinstance(news, bytes):
                    self._deliver(news)
                elif news in self.pending:
                    ended.append(self._completed(self.pending.pop(news)[0], news))
                news = self.news.get_nowait()
        return ended

    def close(self) -> None:
        """Forget the calls that run; those that have not started never do."""
        client = self.engine.client
        with suppress(Exception):
            client.cancel(list(self.pending), force=True)
        self.pending.clear()
        if self.topic:
            with suppress(Exception):
                client.unsubscribe_topic(self.topic)

    def _completed(self, position: int, future: Future) -> Completed:
        try:
            answer = future.result()
        except KilledWorker as failure:
            lost = LostWorkerError(failure.allowed_failures + 1, failure.last_worker.address)
            return Completed(position, failure=lost)
        except (FutureCancelledError, CommClosedError, OSError):
            raise lost_scheduler() from None
        except Exception as failure:
            return Completed(position, failure=failure)
        succeeded, result, n_messages, last = loads_once(answer)
        if n_messages and self.seen.get(position, 0) < n_messages:
            self._hear(position, n_messages, last)
        self.seen.pop(position, None)
        if succeeded:
            return Completed(position, result)
        return Completed(position, failure=result)

    def _heard(self, event: tuple[float, Any]) -> None:
        """Called in the thread of the client."""
        self.news.put(event[1])

    def _deliver(self, news: bytes) -> None:
        position, number, message = pickle.loads(news)
        # a message that comes after its result is out of date
        running = any(position == at for at, _ in self.pending.values())
        if running and number > self.seen.get(position, 0):
            self._hear(position, number, message)

    def _hear(self, position: int, number: int, message: Any) -> None:
        self.seen[position] = number
        if self.listen is not None:
            self.listen(message)


def lost_scheduler() -> ResourceError:
    return ResourceError(
        "the connection to the scheduler of the cluster was lost. When the cluster is up, run the "
        "same command again: what is finished is kept"
    )
