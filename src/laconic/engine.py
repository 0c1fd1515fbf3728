"""`Engine`: where functions of many items run: processes of this machine, or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol


class Engine(Protocol):
    """Calls functions of items in other processes. `laconic.testing.check_blocks` examines it.

    - `run` yields the results in the order of the items, which it takes as they are needed.
    - Functions, items and results are pickled. A function is importable by its name, or picklable.
    - A process that exits costs another attempt at its item, so a function may be called more than
      once for an item. One result counts.
    - An exception of the function is raised after the results before it. Closing the iterator ends
      or forgets the calls that run.
    - `listen` gets what the function passes to `laconic.processes.report`; the last message of an
      item comes before its result.
    - Linear algebra has one thread, so results do not depend on where a function runs.
    """

    @property
    def n_workers(self) -> int:
        """How many items are worked on at a time; it may change."""

    @property
    def folder(self) -> Path | None:
        """A folder that all processes see, for temporary files; None for the system's own."""

    @property
    def memory(self) -> int | None:
        """The bytes of memory that each process may have, if they are known."""

    def run(
        self,
        function: Callable[[Any], Any],
        items: Iterable[Any],
        *,
        listen: Callable[[Any], object] | None = None,
    ) -> Iterator[Any]: ...
