"""The best size of each problem, chosen in two ways; and paired tests over problems.

Taken from the test rows themselves, the choice is an oracle's. `within` makes a second plan, on the
training documents alone, whose rows choose the size by nested cross-validation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from laconic.rows import Row, RowTable, group_pairs
from laconic.studies.analysis.significance import macro_t
from laconic.studies.options import SplitOptions
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.types import Size
from reproduction.shared.figures import MeanPoint, ProblemFold, Table, mean_over_folds

SizeValues: TypeAlias = dict[Size, float]
# Per method, one value per problem.
Values: TypeAlias = dict[str, dict[str, float]]
WITHIN = " in "


def within(plan: Plan, corpora: Iterable[PreparedCorpus], folds: int) -> Plan:
    """The same plan on the training documents of each fold alone, with cross-validation."""
    inner = tuple(
        replace(
            ready.corpus.take(split.train),
            name=f"{split.name}{WITHIN}{ready.corpus.name}",
            split=None,
            notes=(),
        )
        for ready in corpora
        for split in ready.splits
    )
    return replace(plan, corpora=inner, split=SplitOptions(None, cv=folds, duplicates="keep"))


def outer_fold(problem: str) -> ProblemFold:
    """The problem and fold whose training documents make up a problem of `within`."""
    fold, _, name = problem.partition(WITHIN)
    return name, fold


def curves(rows: Iterable[Row], metric: str) -> dict[str, dict[str, SizeValues]]:
    """Per method and problem, the mean over folds at each size."""
    return {
        method: {
            problem: {
                size: mean_over_folds(of_size)
                for size, of_size in of_problem.group_by("size").items()
            }
            for problem, of_problem in of_method.group_by("problem").items()
        }
        for method, of_method in RowTable(rows).measured(metric).group_by("method").items()
    }


def at(rows: Iterable[Row], metric: str, size: Size) -> Values:
    """The mean over folds at one size."""
    return {
        method: {problem: curve[size] for problem, curve in by_problem.items() if size in curve}
        for method, by_problem in curves(rows, metric).items()
    }


def best(rows: Iterable[Row], metric: str, sizes: Sequence[Size]) -> Values:
    """The highest mean over folds at any of these sizes: an oracle's choice."""
    return {
        method: {
            problem: max(curve[size] for size in sizes if size in curve)
            for problem, curve in by_problem.items()
        }
        for method, by_problem in curves(rows, metric).items()
    }


def chosen(
    inner_rows: Iterable[Row], metric: str, sizes: Sequence[Size]
) -> dict[str, dict[ProblemFold, Size]]:
    """The size with the highest mean over the inner folds; ties: the largest."""
    return {
        method: {
            outer_fold(problem): max(
                (size for size in sizes if size in curve), key=lambda size: (curve[size], size)
            )
            for problem, curve in by_problem.items()
        }
        for method, by_problem in curves(inner_rows, metric).items()
    }


def validated(
    rows: Iterable[Row], inner_rows: Iterable[Row], metric: str, sizes: Sequence[Size]
) -> Values:
    """The mean over folds, each at the size chosen on its training documents.

    The largest size where they cannot be validated: a class of one document.
    """
    choice, largest = chosen(inner_rows, metric, sizes), max(sizes)

    def at_choice(of_fold: RowTable) -> float | None:
        first = of_fold[0]
        size = choice.get(first.method, {}).get((first.problem, first.fold), largest)
        (row,) = of_fold.where(size=size)
        return row.value

    return {
        method: {
            problem: float(np.mean([at_choice(fold) for fold in of.group_by("fold").values()]))
            for problem, of in of_method.group_by("problem").items()
        }
        for method, of_method in RowTable(rows).measured(metric).group_by("method").items()
    }


@dataclass(frozen=True)
class PairedComparison:
    """A method's mean over the problems, compared with a reference method.

    `won` and `lost` count the problems where the reference has more, and less. `p` is one-sided in
    the direction of the difference: half of the two-sided p of the paired t-test.
    """

    method: str
    mean: float
    problems: int
    won: int
    lost: int
    p: float


def paired_comparisons(values: Values, reference: str) -> list[PairedComparison]:
    """Every method, on the problems that all methods have."""
    shared = [
        problem
        for problem in values.get(reference, {})
        if all(problem in by_problem for by_problem in values.values())
    ]
    mine = np.array([values[reference][problem] for problem in shared]) if shared else np.empty(0)
    return [
        _compared(method, mine, np.array([by_problem[problem] for problem in shared]))
        for method, by_problem in values.items()
        if shared
    ]


def _compared(method: str, mine: np.ndarray, theirs: np.ndarray) -> PairedComparison:
    won, lost = int((mine > theirs).sum()), int((mine < theirs).sum())
    p = macro_t(mine, theirs).p / 2
    return PairedComparison(method, float(theirs.mean()), theirs.size, won, lost, p)


def comparison_table(title: str, by_metric: Mapping[str, Values], reference: str) -> Table:
    """Methods by metrics: the mean, and the p of the comparison with the reference."""
    tests = {metric: paired_comparisons(values, reference) for metric, values in by_metric.items()}
    problems = max((test.problems for group in tests.values() for test in group), default=0)
    cells = group_pairs(
        (test.method, text)
        for group in tests.values()
        for test in group
        for text in (f"{test.mean:.4f}", _test_cell(test, reference))
    )
    columns = [text for metric in tests for text in (metric, f"{reference} won : lost; p")]
    lines = tuple((method, *texts) for method, texts in cells.items())
    return Table(f"{title}, mean of {problems}", ("method", *columns), lines)


def _test_cell(test: PairedComparison, reference: str) -> str:
    return "" if test.method == reference else f"{test.won}:{test.lost}; {test.p:.2g}"


def means(rows: Iterable[Row], metric: str) -> Iterator[MeanPoint]:
    """The mean over the problems for each method and size."""
    for method, by_problem in curves(rows, metric).items():
        for size in sorted({size for curve in by_problem.values() for size in curve}):
            values = (curve[size] for curve in by_problem.values() if size in curve)
            yield MeanPoint.over(method, size, metric, values)


def gaps(
    points: Iterable[MeanPoint], reference: str, border: Size
) -> Iterator[tuple[str, str, str]]:
    """Where each other method differs most from the reference: above the border, and up to it."""
    means = {(point.method, point.size): point.mean for point in points}
    for method in dict.fromkeys(method for method, _ in means if method != reference):
        leads = {
            size: means[method, size] - means[reference, size]
            for name, size in means
            if name == method and (reference, size) in means
        }
        above = {size: lead for size, lead in leads.items() if size > border}
        below = {size: lead for size, lead in leads.items() if size <= border}
        yield method, _widest(above), _widest(below)


def _widest(leads: SizeValues) -> str:
    if not leads:
        return ""
    size = max(leads, key=lambda size: (abs(leads[size]), size))
    return f"{leads[size]:+.4f} at {size}"
