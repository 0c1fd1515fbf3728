"""What the models of a candidate decide about documents that they were not trained on.

Jobs return decisions; everything that is made from the decisions of all folds starts here. Of
repeated folds only the first repeat is used, and of several draws the first: they decide each
document once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from laconic.rows import group_pairs
from laconic.studies.execution.task import Task
from laconic.studies.journal.journal import Journal
from laconic.types import Bools, Int8s, Size


@dataclass(frozen=True, eq=False)
class FoldResult:
    """The documents of one fold: their labels as ±1 (0: a class that training did not have).

    `chosen` are the predictions, `decision` the decision values, where the plan stores them.
    """

    y_signed: Int8s
    chosen: Bools
    decision: NDArray[np.float32] | None = None


class OutOfFold:
    """The results of the folds of a study, by problem and method; `n_folds` is of one repeat."""

    def __init__(self, tasks: Iterable[Task], journal: Journal, n_folds: int) -> None:
        first_draws = (((t.problem, t.method), t) for t in tasks if t.draw == 0)
        self._tasks = {key: of[:n_folds] for key, of in group_pairs(first_draws).items()}
        self._journal = journal

    def results(self, problem: str, method: str, size: Size) -> dict[str, FoldResult]:
        """By fold, without the folds whose task failed or has no model of this size."""
        results = {}
        for task in self._tasks[problem, method]:
            y_signed = self._journal.y_signed(task.key)
            cuts = [cut for cut in self._journal.cuts(task.key) if cut.size == size]
            if cuts and y_signed is not None:
                results[task.fold] = FoldResult(y_signed, cuts[0].chosen, cuts[0].decision)
        return results
