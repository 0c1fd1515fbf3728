"""The growth of the peak memory in a call, in a new process that is already warm."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from threadpoolctl import threadpool_limits

from laconic.resources import peak_memory

# Documents and size of the small problem that runs first: it imports, compiles and allocates.
WARM_DOCS, WARM_SIZE = 500, 5


@dataclass(frozen=True)
class Memory:
    """MB by which the peak grew in our call, and in the peer's if measured."""

    ours: float
    peer: float | None = None

    def within(self, share: float | None, megabytes: float | None) -> bool:
        """Whether ours is at most this share of the peer's, and at most this many MB."""
        if share is not None and (self.peer is None or self.ours > share * self.peer):
            return False
        return megabytes is None or self.ours <= megabytes

    def __str__(self) -> str:
        peer = "" if self.peer is None else f", peer {self.peer:,.0f} MB"
        return f"{self.ours:,.0f} MB{peer}"


def peak_growth(work: Callable[..., object], X: Any, y: Any, size: int) -> float:
    """MB by which the peak of a process grows in work(X, y, size)."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(growth_here, work, X, y, size).result()


def growth_here(work: Callable[..., object], X: Any, y: Any, size: int) -> float:
    with threadpool_limits(1):
        work(X[:WARM_DOCS], y[:WARM_DOCS], WARM_SIZE)
        with peak_memory() as peak:
            before = peak() or 0
            work(X, y, size)
            return max(((peak() or 0) - before) / 2**20, 1.0)
