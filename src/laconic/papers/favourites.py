"""What methods select again and again: read from the cuts in a study's journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from laconic.rows import Size
from laconic.study.journal import Journal
from laconic.study.layout import StudyFolder
from laconic.study.study import Study


@dataclass(frozen=True, eq=False)
class Favourites:
    """How often a method has selected each column of a corpus, in so many selections."""

    problem: str
    method: str
    size: Size
    times: Counter[int]
    selections: int

    def first(self, n: int) -> list[int]:
        """The columns selected most often; of equals the highest first."""
        return sorted(self.times, key=lambda column: (-self.times[column], -column))[:n]

    def always(self) -> list[int]:
        return sorted(column for column, times in self.times.items() if times == self.selections)


def favourites(study: Study, methods: tuple[str, ...]) -> Iterator[Favourites]:
    """Of each problem, each of these methods and each size, over folds and draws."""
    found: dict[tuple[str, str, Size], list[np.ndarray]] = {}
    with Journal.reading(StudyFolder(study.where).journal) as journal:
        for task in study.tasks:
            for cut in journal.cuts(task.key) if task.method in methods else ():
                found.setdefault((task.problem, task.method, cut.size), []).append(cut.terms)
    for place, several in found.items():
        times = Counter(np.concatenate(several).tolist())
        yield Favourites(*place, times, len(several))
