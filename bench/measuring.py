"""Ours and a peer timed in turns, and the table of their ratios."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, process_time
from typing import Any


@dataclass(frozen=True)
class Row:
    """One comparison. The ratio is the peer's time by ours; without a target there is no bar."""

    name: str
    ours_s: float
    peer_s: float
    ratio: float
    target: float | None

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "reached" if self.ratio >= self.target else "MISSED"


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
    """Every round runs each work once, so that a drifting load meets them alike."""
    runs = [Runs() for _ in works]
    for _ in range(repeats):
        for run, work in zip(runs, works, strict=True):
            run.add(work)
    return runs


def row(
    name: str, ours: Sequence[float], peer: Sequence[float], target: float | None = None
) -> Row:
    """Medians over the rounds; the ratio is taken in each round, because the load drifts."""
    ratio = median(theirs / mine for mine, theirs in zip(ours, peer, strict=True))
    return Row(name, median(ours), median(peer), ratio, target)


def print_table(rows: Iterable[Row]) -> None:
    """Each row as soon as it is known. The names stand last, because some are long."""
    before = load()
    print(f"{'ours s':>9} {'peer s':>9} {'ratio':>8} {'bar':>7} {'':7}  comparison", flush=True)
    for found in rows:
        print(line(found), flush=True)
    print(f"load average before: {before}; after: {load()}")


def line(found: Row) -> str:
    bar = "" if found.target is None else f"{found.target:.2f}"
    return (
        f"{found.ours_s:9.3f} {found.peer_s:9.3f} {found.ratio:8.2f} {bar:>7} "
        f"{found.verdict:7}  {found.name}"
    )


def load() -> str:
    return " ".join(f"{value:.2f}" for value in os.getloadavg())
