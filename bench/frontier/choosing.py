"""Choices by validation values alone; over several sets, one candidate is chosen for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from bench.frontier.families import Budget, Side, room
from bench.frontier.journal import Row

Name: TypeAlias = tuple[Side, str, str, Budget]


@dataclass(frozen=True)
class Candidate:
    """Settings of a family at a budget, on all tasks of a corpus; `held_out` has the means."""

    side: Side
    family: str
    settings: str
    budget: Budget
    held_out: Mapping[str, float]
    rows: tuple[Row, ...] = field(repr=False)

    @property
    def n_bytes(self) -> int:
        """The size of its largest file."""
        return max(row.n_bytes for row in self.rows)

    @property
    def words(self) -> float:
        return float(np.mean([row.words for row in self.rows]))

    def value(self, metric: str) -> float:
        """The mean on test documents, which no choice uses."""
        return float(np.mean([row.test[metric] for row in self.rows if row.test is not None]))

    @property
    def description(self) -> str:
        return f"{self.family} ({self.settings})" if self.settings else self.family


def candidates(rows: Iterable[Row]) -> list[Candidate]:
    """The candidates with a model for every task of the corpus, in the order of the journal."""
    grouped: dict[Name, list[Row]] = {}
    parts: set[str] = set()
    for row in rows:
        parts.add(row.part)
        grouped.setdefault((row.side, row.family, row.settings, row.budget), []).append(row)
    return [
        Candidate(*name, _means(group), tuple(sorted(group, key=lambda row: row.part)))
        for name, group in grouped.items()
        if len(group) == len(parts) and not any(row.refused for row in group)
    ]


def _means(rows: list[Row]) -> dict[str, float]:
    values = [row.valid for row in rows if row.valid is not None]
    return {metric: float(np.mean([valid[metric] for valid in values])) for metric in values[0]}


def choose(
    candidates: Iterable[Candidate],
    metric: str,
    fits: Callable[[Candidate], bool],
) -> Candidate | None:
    """The best candidate that fits, on validation documents; ties: the fewest words."""
    fitting = [candidate for candidate in candidates if fits(candidate)]
    if not fitting:
        return None
    return min(fitting, key=lambda c: (-c.held_out[metric], room(c.budget)))


def of_side(candidates: Iterable[Candidate], side: Side) -> list[Candidate]:
    return [candidate for candidate in candidates if candidate.side == side]


def within_words(budget: Budget) -> Callable[[Candidate], bool]:
    return lambda candidate: room(candidate.budget) <= room(budget)


def within_bytes(limit: int) -> Callable[[Candidate], bool]:
    return lambda candidate: candidate.n_bytes <= limit
