"""Ours and a peer timed in turns, and the printed line of a comparison."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, process_time
from typing import Any

from bench.bars import BARS, Bar
from bench.memory import Memory

HEADING = f"{'ours s':>9} {'peer s':>9} {'ratio':>8} {'bar':>7} {'':7}  comparison"


@dataclass(frozen=True)
class Row:
    """One comparison: what was done, and the `peer`. The ratio is the peer's time by ours.

    The key begins with the name of its benchmark and never changes; BARS has its target.
    """

    key: str
    what: str
    peer: str
    ours_s: float
    peer_s: float
    ratio: float
    memory: Memory | None = None

    @property
    def bar(self) -> Bar | None:
        return BARS.get(self.key)

    @property
    def verdict(self) -> str:
        if self.bar is None:
            return ""
        fast = self.ratio >= self.bar.ratio
        return "reached" if fast and self._small(self.bar) else "MISSED"

    def _small(self, bar: Bar) -> bool:
        """Memory that was not measured does not reach its bar."""
        if bar.share is None and bar.megabytes is None:
            return True
        return self.memory is not None and self.memory.within(bar.share, bar.megabytes)


@dataclass
class Runs:
    """Seconds of every round by both clocks, and what the last round returned."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    last: Any = None

    def add(self, work: Callable[[], object]) -> None:
        cpu, wall = process_time(), perf_counter()
        result = work()
        self.cpu.append(process_time() - cpu)
        self.wall.append(perf_counter() - wall)
        self.last = result


def interleaved(repeats: int, *works: Callable[[], object]) -> list[Runs]:
    """Every round runs each work once, so a drifting load affects them equally."""
    runs = [Runs() for _ in works]
    for _ in range(repeats):
        for run, work in zip(runs, works, strict=True):
            run.add(work)
    return runs


def row(
    key: str,
    what: str,
    peer: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    memory: Memory | None = None,
) -> Row:
    """Medians over the rounds; the ratio is taken in each round, because the load drifts."""
    ratio = median(other / mine for mine, other in zip(ours, theirs, strict=True))
    return Row(key, what, peer, median(ours), median(theirs), ratio, memory)


def line(row: Row) -> str:
    """The printed line; the text comes last, because it may be long."""
    bar = "" if row.bar is None else f"{row.bar.ratio:.2f}"
    memory = "" if row.memory is None else f"; {row.memory}"
    return (
        f"{row.ours_s:9.3f} {row.peer_s:9.3f} {row.ratio:8.2f} {bar:>7} "
        f"{row.verdict:7}  {row.what}, against {row.peer}{memory}"
    )


def load() -> str:
    return " ".join(f"{value:.2f}" for value in os.getloadavg())
