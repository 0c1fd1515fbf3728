"""How often methods select each feature, from the selections in a study's journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from laconic.rows import group_pairs
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import StudyFolder
from laconic.studies.study import Study
from laconic.types import Size


@dataclass(frozen=True, eq=False)
class SelectionCounts:
    """How often a method selected each column of a corpus, in so many selections."""

    problem: str
    method: str
    size: Size
    times: Counter[int]
    selections: int

    def most_frequent(self, n: int) -> list[int]:
        """The columns selected most often; ties: the highest column first."""
        return sorted(self.times, key=lambda column: (-self.times[column], -column))[:n]

    def always(self) -> list[int]:
        return sorted(column for column, times in self.times.items() if times == self.selections)


def selection_counts(study: Study, methods: tuple[str, ...]) -> Iterator[SelectionCounts]:
    """One per problem, method and size, over folds and draws."""
    with Journal.reading(StudyFolder(study.where).journal) as journal:
        selections = group_pairs(
            ((task.problem, task.method, cut.size), cut.terms)
            for task in study.tasks
            if task.method in methods
            for cut in journal.cuts(task.key)
        )
    for key, columns in selections.items():
        times = Counter(np.concatenate(columns).tolist())
        yield SelectionCounts(*key, times, len(columns))
