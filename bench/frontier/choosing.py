"""What to take, by validation values alone; a candidate of several sets is one for all of them."""

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
    """A setting of a family at a budget, on all tasks of a corpus; `held_out` is the mean."""

    side: Side
    family: str
    settings: str
    budget: Budget
    held_out: Mapping[str, float]
    rows: tuple[Row, ...] = field(repr=False)

    @property
    def n_bytes(self) -> int:
        """Of its largest file."""
        return max(row.n_bytes for row in self.rows)

    @property
    def words(self) -> float:
        return float(np.mean([row.words for row in self.rows]))

    def value(self, measure: str) -> float:
        """The mean on test documents, which no choice looks at."""
        return float(np.mean([row.test[measure] for row in self.rows if row.test is not None]))

    @property
    def told(self) -> str:
        return f"{self.family} ({self.settings})" if self.settings else self.family


def candidates(rows: Iterable[Row]) -> list[Candidate]:
    """Those that have a model for every task of the corpus, in the order of the journal."""
    grouped: dict[Name, list[Row]] = {}
    parts: set[str] = set()
    for row in rows:
        parts.add(row.part)
        grouped.setdefault((row.side, row.family, row.settings, row.budget), []).append(row)
    return [
        Candidate(*name, _means(own), tuple(sorted(own, key=lambda row: row.part)))
        for name, own in grouped.items()
        if len(own) == len(parts) and not any(row.refused for row in own)
    ]


def _means(rows: list[Row]) -> dict[str, float]:
    values = [row.valid for row in rows if row.valid is not None]
    return {measure: float(np.mean([one[measure] for one in values])) for measure in values[0]}


def choose(
    found: Iterable[Candidate],
    measure: str,
    fits: Callable[[Candidate], bool],
) -> Candidate | None:
    """The best on validation documents of those that fit; of equals the one of the fewest words."""
    able = [one for one in found if fits(one)]
    if not able:
        return None
    return min(able, key=lambda one: (-one.held_out[measure], room(one.budget)))


def of_side(found: Iterable[Candidate], side: Side) -> list[Candidate]:
    return [one for one in found if one.side == side]


def within_words(budget: Budget) -> Callable[[Candidate], bool]:
    return lambda one: room(one.budget) <= room(budget)


def within_bytes(limit: int) -> Callable[[Candidate], bool]:
    return lambda one: one.n_bytes <= limit
