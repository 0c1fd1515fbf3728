"""The size that is best for each problem, known in two ways; and paired tests over problems.

Taken from the rows themselves it is an oracle's choice: nobody knows it beforehand. `within` makes
a second plan, of the training documents alone, whose rows choose it by nested validation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from laconic.papers.figures import Point, Table
from laconic.rows import Row, Size
from laconic.study.plan import Plan
from laconic.study.ready import PreparedCorpus
from laconic.study.settings import SplitOptions
from laconic.study.significance import macro_t

Curve: TypeAlias = dict[Size, float]
# A problem and a fold of it.
Place: TypeAlias = tuple[str, str]
# Of each method, one value a problem.
Values: TypeAlias = dict[str, dict[str, float]]
WITHIN = " in "


def within(plan: Plan, corpora: Iterable[PreparedCorpus], folds: int) -> Plan:
    """The same plan on the training documents of each fold alone, by cross-validation of these."""
    inside = tuple(
        replace(
            ready.corpus.take(split.train),
            name=f"{split.name}{WITHIN}{ready.corpus.name}",
            split=None,
            notes=(),
        )
        for ready in corpora
        for split in ready.splits
    )
    return replace(plan, corpora=inside, split=SplitOptions(None, cv=folds))


def outside(problem: str) -> Place:
    """The problem and fold whose training documents a problem of `within` is made of."""
    fold, _, name = problem.partition(WITHIN)
    return name, fold


def curves(rows: Iterable[Row], metric: str) -> dict[str, dict[Place, Curve]]:
    """Of each method, problem and fold the values by size."""
    found: dict[str, dict[Place, Curve]] = {}
    for row in rows:
        if row.metric == metric and row.value is not None:
            of_method = found.setdefault(row.method, {})
            of_method.setdefault((row.problem, row.fold), {})[row.size] = row.value
    return found


def averaged(several: Mapping[Place, Curve]) -> dict[str, Curve]:
    """Means over the folds of each problem, size by size."""
    gathered: dict[str, dict[Size, list[float]]] = {}
    for (problem, _), curve in several.items():
        by_size = gathered.setdefault(problem, defaultdict(list))
        for size, value in curve.items():
            by_size[size].append(value)
    return {
        problem: {size: float(np.mean(values)) for size, values in by_size.items()}
        for problem, by_size in gathered.items()
    }


def at(rows: Iterable[Row], metric: str, size: Size) -> Values:
    """The mean over folds at one size."""
    return {
        method: {problem: own[size] for problem, own in averaged(several).items() if size in own}
        for method, several in curves(rows, metric).items()
    }


def best(rows: Iterable[Row], metric: str, sizes: Sequence[Size]) -> Values:
    """The mean over folds at the one of these sizes where it is highest: an oracle's."""
    return {
        method: {
            problem: max(own[size] for size in sizes if size in own)
            for problem, own in averaged(several).items()
        }
        for method, several in curves(rows, metric).items()
    }


def chosen(
    inside: Iterable[Row], metric: str, sizes: Sequence[Size]
) -> dict[str, dict[Place, Size]]:
    """The size of the highest mean over the folds inside; of equals the largest."""
    return {
        method: {
            outside(problem): max(
                (size for size in sizes if size in own), key=lambda size: (own[size], size)
            )
            for problem, own in averaged(several).items()
        }
        for method, several in curves(inside, metric).items()
    }


def validated(
    rows: Iterable[Row], inside: Iterable[Row], metric: str, sizes: Sequence[Size]
) -> Values:
    """The mean over folds, each at the size that its own training documents chose.

    The largest, where these could measure none: a class of one document.
    """
    choice, largest = chosen(inside, metric, sizes), max(sizes)
    taken = {
        method: {
            place: {largest: own[choice.get(method, {}).get(place, largest)]}
            for place, own in several.items()
        }
        for method, several in curves(rows, metric).items()
    }
    return {
        method: {problem: own[largest] for problem, own in averaged(several).items()}
        for method, several in taken.items()
    }


@dataclass(frozen=True)
class PairedComparison:
    """A method's mean over the problems, and the champion against it.

    `won` and `lost` count the problems where the champion has more, and less. `p` is one-sided, of
    the difference as it was found: half of the two-sided p of the paired t-test.
    """

    method: str
    mean: float
    problems: int
    won: int
    lost: int
    p: float


def paired_comparisons(values: Values, champion: str) -> list[PairedComparison]:
    """Every method on the problems that all methods have."""
    shared = [
        problem
        for problem in values.get(champion, {})
        if all(problem in own for own in values.values())
    ]
    mine = np.array([values[champion][problem] for problem in shared]) if shared else np.empty(0)
    return [
        _compared(method, mine, np.array([own[problem] for problem in shared]))
        for method, own in values.items()
        if shared
    ]


def _compared(method: str, mine: np.ndarray, theirs: np.ndarray) -> PairedComparison:
    won, lost = int((mine > theirs).sum()), int((mine < theirs).sum())
    p = macro_t(mine, theirs).p / 2
    return PairedComparison(method, float(theirs.mean()), theirs.size, won, lost, p)


def comparison_table(title: str, by_measure: Mapping[str, Values], champion: str) -> Table:
    """Methods by measures: the mean, and the p of the champion against it."""
    found = {metric: paired_comparisons(values, champion) for metric, values in by_measure.items()}
    problems = max((one.problems for several in found.values() for one in several), default=0)
    cells: dict[str, list[str]] = defaultdict(list)
    for several in found.values():
        for one in several:
            cells[one.method] += [f"{one.mean:.4f}", _told(one, champion)]
    columns = [text for metric in found for text in (metric, f"{champion} won : lost; p")]
    lines = tuple((method, *own) for method, own in cells.items())
    return Table(f"{title}, mean of {problems}", ("method", *columns), lines)


def _told(one: PairedComparison, champion: str) -> str:
    return "" if one.method == champion else f"{one.won}:{one.lost}; {one.p:.2g}"


def means(rows: Iterable[Row], metric: str) -> Iterator[Point]:
    """Of each method and size the mean over the problems."""
    for method, several in curves(rows, metric).items():
        by_problem = averaged(several)
        for size in sorted({size for own in by_problem.values() for size in own}):
            values = (own[size] for own in by_problem.values() if size in own)
            yield Point.over(method, size, metric, values)


def gaps(points: Iterable[Point], champion: str, border: Size) -> Iterator[tuple[str, str, str]]:
    """Where each other method is farthest from the champion: above the border, and up to it."""
    found = {(point.method, point.size): point.mean for point in points}
    for method in dict.fromkeys(method for method, _ in found if method != champion):
        leads = {
            size: found[method, size] - found[champion, size]
            for name, size in found
            if name == method and (champion, size) in found
        }
        above = {size: lead for size, lead in leads.items() if size > border}
        below = {size: lead for size, lead in leads.items() if size <= border}
        yield method, _widest(above), _widest(below)


def _widest(leads: Curve) -> str:
    if not leads:
        return ""
    size = max(leads, key=lambda size: (abs(leads[size]), size))
    return f"{leads[size]:+.4f} at {size}"
