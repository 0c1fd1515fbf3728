"""`run_in_processes`: a function of many items, in several processes on this machine.

Imports nothing heavy: a worker imports what its function needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from laconic.errors import LaconicError
from laconic.processes.pool import WorkerPool, report, reporting_to
from laconic.resources import usable_cpus
from laconic.scratch import ScratchFolder

__all__ = ["LocalProcesses", "check_workers", "number_of_workers", "report", "run_in_processes"]

_Item = TypeVar("_Item")
Result = TypeVar("Result")

# more processes per CPU gain nothing, and each needs its own memory
WORKERS_PER_CPU = 4


def run_in_processes(
    function: Callable[[_Item], Result],
    items: Iterable[_Item],
    n_jobs: int,
    *,
    listen: Callable[[Any], object] | None = None,
) -> Iterator[Result]:
    """The results of a function for all items, in their order, from `n_jobs` processes.

    Parameters
    ----------
    function : callable
        Importable by its name, or picklable, such as a frozen dataclass with `__call__`.
    items : iterable
        Taken as they are needed. Items and results are pickled, so large data should be passed as
        the path of a file.
    n_jobs : int
        1 calls the function in this process. Processes start as items need them.
    listen : callable, optional
        Called with what the function passes to `report`, in the order of arrival.

    Raises
    ------
    ResourceError
        A process that exits costs another attempt at its item. After two, this error names it.

    Notes
    -----
    An exception of the function ends all processes, and is raised once the results before it are
    taken: the error is the same as in one process. Closing the iterator ends the processes too.
    """
    if n_jobs > 1:
        return _results_of_workers(function, items, n_jobs, listen)
    return _results_here(function, items, listen)


@dataclass(frozen=True)
class LocalProcesses:
    """The `Engine` of this machine: `run_in_processes`."""

    n_workers: int = 1
    folder: Path | None = None
    memory: int | None = None

    def run(
        self,
        function: Callable[[_Item], Result],
        items: Iterable[_Item],
        *,
        listen: Callable[[Any], object] | None = None,
    ) -> Iterator[Result]:
        return run_in_processes(function, items, self.n_workers, listen=listen)


def check_workers(n_workers: int, option: str) -> None:
    limit = WORKERS_PER_CPU * usable_cpus()
    if not 1 <= n_workers <= limit:
        raise LaconicError(
            f"{option}: give a number of processes from 1 to {limit}, {WORKERS_PER_CPU} per usable "
            "CPU; -1 is one per CPU"
        )


def number_of_workers(n_jobs: int, option: str) -> int:
    """The number of processes that an option asks for; -1 is one per usable CPU."""
    n_workers = usable_cpus() if n_jobs == -1 else n_jobs
    check_workers(n_workers, option)
    return n_workers


def _results_here(
    function: Callable[[_Item], Result],
    items: Iterable[_Item],
    listen: Callable[[Any], object] | None,
) -> Iterator[Result]:
    for item in items:
        with reporting_to(listen):
            result = function(item)
        yield result


def _results_of_workers(
    function: Callable[[_Item], Result],
    items: Iterable[_Item],
    n_jobs: int,
    listen: Callable[[Any], object] | None,
) -> Iterator[Result]:
    folder = ScratchFolder()
    pool = WorkerPool(function, folder.path, n_jobs, listen)
    try:
        yield from pool.results(items)
    finally:
        pool.close()
        folder.close()
