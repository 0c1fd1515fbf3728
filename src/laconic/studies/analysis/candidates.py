"""`Candidate`: a method at a size, with its quality in the validation folds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from laconic.methods import keeps_all, projects
from laconic.rows import Row, RowTable
from laconic.types import Size


@dataclass(frozen=True)
class Candidate:
    """A method at a size: mean over validation folds, its standard error, number of features.

    `values` has one value per fold, in the order of the folds.
    """

    problem: str
    method: str
    size: Size
    metric: str
    mean: float
    se: float
    n_features: float
    values: tuple[float, ...]

    @property
    def n_folds(self) -> int:
        return len(self.values)

    @property
    def description(self) -> str:
        if projects(self.method):
            size = f"{self.size:,}" if isinstance(self.size, int) else f"{self.size:.1%} of the"
            return f"{self.method} with {size} components, combinations of all words"
        words = f"{self.n_features:,.0f} word{'' if round(self.n_features) == 1 else 's'}"
        return "all words" if keeps_all(self.method) else f"{self.method} with {words}"


def candidates(
    rows: Iterable[Row], metric: str, *, part: str = "validation", repeats: int = 1
) -> list[Candidate]:
    """Every method at every size that has a value in all folds in which anything has.

    Draws are averaged within a fold first, because they share its documents. Repeats of the folds
    use the same documents again, so they do not reduce the standard error.
    """
    measured = RowTable(rows).measured(metric, part=part)
    n_folds = {
        problem: len(of_problem.distinct("fold"))
        for problem, of_problem in measured.group_by("problem").items()
    }
    cells = measured.group_by("problem", "method", "size")
    folds = {cell: of_cell.group_by("fold") for cell, of_cell in cells.items()}
    return [
        _candidate(cell, by_fold, metric, repeats)
        for cell, by_fold in folds.items()
        if len(by_fold) == n_folds[cell[0]]
    ]


def _candidate(
    cell: tuple[str, str, Size], by_fold: Mapping[str, RowTable], metric: str, repeats: int
) -> Candidate:
    means = np.array([np.mean(rows.column("value")) for rows in by_fold.values()])
    n_features = np.mean(
        [np.mean([row.n_features or 0 for row in rows]) for rows in by_fold.values()]
    )
    se = float(means.std(ddof=1) / np.sqrt(means.size / repeats)) if means.size > 1 else 0.0
    return Candidate(
        *cell, metric, float(means.mean()), se, float(n_features), tuple(means.tolist())
    )


def best_of(candidates: Iterable[Candidate]) -> Candidate:
    """The highest mean; on ties the fewest features."""
    return min(candidates, key=lambda candidate: (-candidate.mean, candidate.n_features))


def smallest_of(candidates: Iterable[Candidate]) -> Candidate:
    """The fewest features within one standard error of the best; on ties the higher mean.

    A projection reads all words, even if a few of them have no weight: it counts as large as the
    largest candidate, and among projections the one with the fewest components is the smallest.
    """
    offered = list(candidates)
    best = best_of(offered)
    largest = max(candidate.n_features for candidate in offered)
    near = [candidate for candidate in offered if candidate.mean >= best.mean - best.se]

    def extent(candidate: Candidate) -> tuple[float, float, float]:
        if projects(candidate.method):
            return largest, float(candidate.size), -candidate.mean
        return candidate.n_features, 0.0, -candidate.mean

    return min(near, key=extent)
