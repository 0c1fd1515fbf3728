"""What the models of a candidate decide about documents that they were not trained on.

Jobs return decisions, or what thresholds need of them; everything that is made from all folds
starts here. Of repeated folds only the first repeat is used, and of several draws the first: they
decide each document once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from laconic.rows import group_pairs
from laconic.studies.analysis.candidates import TrainedVariant
from laconic.studies.execution.task import Cut, Task
from laconic.studies.journal.journal import Journal
from laconic.types import Bools, Int8s, Int32s


@dataclass(frozen=True, eq=False)
class FoldResult:
    """The documents of one fold: their labels as ±1 (0: a class that training did not have).

    `chosen` are the predictions at the threshold 0, `decision` the decision values, where the plan
    stores them, `tuning` what thresholds or a temperature are fitted on.
    """

    y_signed: Int8s
    chosen: Bools
    decision: NDArray[np.float32] | None = None
    tuning: NDArray[np.float64] | Int32s | None = None


class OutOfFold:
    """The results of the folds of a study, by problem and variant; `n_folds` is of one repeat."""

    def __init__(self, tasks: Iterable[Task], journal: Journal, n_folds: int | None = None) -> None:
        first_draws = (((t.problem, t.method), t) for t in tasks if t.draw == 0)
        self._tasks = {key: of[:n_folds] for key, of in group_pairs(first_draws).items()}
        self._journal = journal
        self._latest: tuple[tuple[str, str], dict[str, dict[TrainedVariant, Cut]]] = (("", ""), {})

    def results(self, problem: str, variant: TrainedVariant) -> dict[str, FoldResult]:
        """By fold, without the folds whose task failed or has no such model."""
        results = {}
        for task in self._tasks[problem, variant[0]]:
            y_signed = self._journal.y_signed(task.key)
            cut = self._cuts(problem, variant[0])[task.fold].get(variant)
            if cut is not None and y_signed is not None:
                results[task.fold] = FoldResult(y_signed, cut.chosen, cut.decision, cut.tuning)
        return results

    def counts(self, problem: str, variant: TrainedVariant) -> Mapping[str, Int32s] | None:
        """The counts of decisions in each fold; None if there are no thresholds to fit.

        A fold whose training lacks a label has fewer columns: then there are none either.
        """
        arrays: dict[str, Int32s] = {}
        for fold, cuts in self._cuts(problem, variant[0]).items():
            cut = cuts.get(variant)
            if cut is None or cut.tuning is None or cut.tuning.ndim != 3:
                return None
            arrays[fold] = cut.tuning
        return arrays if len({array.shape for array in arrays.values()}) == 1 else None

    def _cuts(self, problem: str, method: str) -> dict[str, dict[TrainedVariant, Cut]]:
        """The cuts of each fold; those of the latest method are kept in memory."""
        if self._latest[0] != (problem, method):
            by_fold = {}
            for task in self._tasks.get((problem, method), ()):
                cuts = self._journal.cuts(task.key)
                by_fold[task.fold] = {(method, c.size, _alpha_of(c, task)): c for c in cuts}
            self._latest = (problem, method), by_fold
        return self._latest[1]


def _alpha_of(cut: Cut, task: Task) -> float | None:
    """The alpha in the rows of the cut."""
    return cut.alpha if cut.alpha is not None else task.row().alpha
