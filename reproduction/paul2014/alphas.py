"""Methods by alpha and size: means over folds and draws, then over sets; paired tests over sets.

The name of a method holds its alpha: `BSS+ridge:alpha=0.1`. Values are shares, shown in percent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from typing import TypeAlias

import numpy as np

from laconic.rows import Row, RowTable
from laconic.studies.analysis.significance import holm, wilcoxon
from laconic.types import Size
from reproduction.shared.figures import MeanPoint, Table, mean_over_folds

# A method, its alpha, and a size.
AlphaCell: TypeAlias = tuple[str, float, Size]
Group: TypeAlias = Callable[[str], str]


def with_alphas(methods: Iterable[str], alphas: Iterable[float]) -> tuple[str, ...]:
    """Every method, with its classifier, with every alpha."""
    return tuple(f"{name}:alpha={alpha}" for name in methods for alpha in alphas)


def split_alpha(method: str) -> tuple[str, float]:
    """The method in the paper, where ridge follows unless it says otherwise, and the alpha."""
    head, _, alpha = method.rpartition(":alpha=")
    return head.removesuffix("+ridge"), float(alpha)


def means_by_problem(rows: Iterable[Row], metric: str) -> dict[AlphaCell, dict[str, float]]:
    """The value of each problem per method, alpha and size: averaged over draws, then folds."""
    cells = RowTable(rows).measured(metric).group_by("method", "size")
    return {
        (*split_alpha(method), size): {
            problem: mean_over_folds(of_problem)
            for problem, of_problem in of_cell.group_by("problem").items()
        }
        for (method, size), of_cell in cells.items()
    }


def mean_tables(rows: Iterable[Row], metric: str, group: Group = lambda problem: "") -> list[Table]:
    """Methods by alpha, one table per group of problems and size; and a flat table for a file."""
    by_cell = means_by_problem(rows, metric)
    groups = dict.fromkeys(group(problem) for values in by_cell.values() for problem in values)
    sizes = sorted({size for _, _, size in by_cell})
    tables, flat = [], []
    for name in groups:
        in_group = {
            cell: [value for problem, value in values.items() if group(problem) == name]
            for cell, values in by_cell.items()
        }
        for size in sizes:
            points = {
                (method, alpha): MeanPoint.over(method, cell_size, metric, values)
                for (method, alpha, cell_size), values in in_group.items()
                if cell_size == size
            }
            tables.append(_by_alpha(", ".join(filter(None, (name, f"size {size}"))), points))
            flat += [_line(name, alpha, point) for (_, alpha), point in points.items()]
    columns = ("group", "method", "alpha", "size", "mean", "sd", "sets")
    return [*tables, Table(metric, columns, tuple(flat), f"{metric}.csv", shown=False)]


def _by_alpha(about: str, points: Mapping[tuple[str, float], MeanPoint]) -> Table:
    alphas = sorted({alpha for _, alpha in points})
    metric, sets = max((p.metric, p.problems) for p in points.values())
    lines = [
        (method, *(_cell(points.get((method, alpha)), sets) for alpha in alphas))
        for method in dict.fromkeys(method for method, _ in points)
    ]
    title = f"{metric} in %, {about}, mean ± sd of {sets} set{'' if sets == 1 else 's'}"
    return Table(title, ("method", *(f"alpha = {alpha:g}" for alpha in alphas)), tuple(lines))


def _cell(point: MeanPoint | None, sets: int) -> str:
    if point is None or not point.problems:
        return ""
    fewer = f" ({point.problems})" if point.problems < sets else ""
    return f"{100 * point.mean:.2f} ± {100 * point.sd:.2f}{fewer}"


def _line(group: str, alpha: float, point: MeanPoint) -> tuple[str | float, ...]:
    return (group, point.method, alpha, point.size, point.mean, point.sd, point.problems)


@dataclass(frozen=True)
class AlphaComparison:
    """A method compared with a reference at one alpha and size, over the sets that have both.

    `lead` is by how much the reference has less of the metric, on average; `wins` counts the sets
    where it has less, `losses` those where it has more. `p` is Wilcoxon's; `corrected` is by Holm
    over the other methods at the same alpha and size.
    """

    method: str
    alpha: float
    size: Size
    lead: float
    wins: int
    losses: int
    effect: float
    p: float
    corrected: float = float("nan")


def alpha_comparisons(
    rows: Iterable[Row], metric: str, reference: str
) -> Iterator[AlphaComparison]:
    """The reference against every other method, by a metric of which less is better."""
    by_cell = means_by_problem(rows, metric)
    for alpha, size in dict.fromkeys((alpha, size) for _, alpha, size in by_cell):
        ours = by_cell.get((reference, alpha, size), {})
        tests = [
            _alpha_comparison(ours, values, cell)
            for cell, values in by_cell.items()
            if cell[0] != reference and cell[1:] == (alpha, size) and ours.keys() & values.keys()
        ]
        for test, corrected in zip(tests, holm([test.p for test in tests]), strict=True):
            yield replace(test, corrected=float(corrected))


def _alpha_comparison(
    ours: Mapping[str, float], other: Mapping[str, float], cell: AlphaCell
) -> AlphaComparison:
    both = [problem for problem in ours if problem in other]
    mine, theirs = (np.array([values[problem] for problem in both]) for values in (ours, other))
    verdict = wilcoxon(-mine, -theirs)
    wins, losses = int((mine < theirs).sum()), int((mine > theirs).sum())
    return AlphaComparison(
        *cell, float((theirs - mine).mean()), wins, losses, verdict.effect, verdict.p
    )


def alpha_comparison_tables(rows: Iterable[Row], metric: str, reference: str) -> list[Table]:
    """The lead in points, sets won and lost, and the corrected p: methods and sizes by alpha."""
    tests = list(alpha_comparisons(rows, metric, reference))
    if not tests:
        return []
    alphas = sorted({test.alpha for test in tests})
    cells = {(test.method, test.size, test.alpha): _test_cell(test) for test in tests}
    lines = [
        (f"{method}, {size}", *(cells.get((method, size, alpha), "") for alpha in alphas))
        for size in sorted({test.size for test in tests})
        for method in dict.fromkeys(test.method for test in tests)
    ]
    title = (
        f"{metric} of the other method minus that of {reference} "
        "(points; sets won : lost; Wilcoxon, Holm)"
    )
    columns = ("method", "alpha", "size", "lead", "won", "lost", "effect", "p", "holm")
    flat = tuple(astuple(test) for test in tests)
    return [
        Table(title, ("other", *(f"alpha = {alpha:g}" for alpha in alphas)), tuple(lines)),
        Table("pairs", columns, flat, "pairs.csv", shown=False),
    ]


def _test_cell(test: AlphaComparison) -> str:
    return f"{100 * test.lead:+.2f}; {test.wins}:{test.losses}; p {test.corrected:.2g}"
