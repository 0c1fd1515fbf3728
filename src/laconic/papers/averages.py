"""Methods by λ and size: means over folds and draws, then over sets; and paired tests over sets.

A method's λ stands in its brackets: `BSS+ridge:alpha=0.1`. Values are shares, shown in percent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from typing import TypeAlias

import numpy as np

from laconic.papers.figures import Point, Table
from laconic.rows import Row, Size
from laconic.study.significance import holm, wilcoxon

# A method, its λ, and a size.
Place: TypeAlias = tuple[str, float, Size]
Group: TypeAlias = Callable[[str], str]


def with_alphas(methods: Iterable[str], alphas: Iterable[float]) -> tuple[str, ...]:
    """Every method with every alpha."""
    return tuple(
        f"{name}:alpha={alpha}" if "+" in name else f"{name}+ridge:alpha={alpha}"
        for name in methods
        for alpha in alphas
    )


def apart(method: str) -> tuple[str, float]:
    """A method without its alpha, and the alpha."""
    head, _, alpha = method.rpartition(":alpha=")
    return head.removesuffix("+ridge"), float(alpha)


def means(rows: Iterable[Row], metric: str) -> dict[Place, dict[str, float]]:
    """Of each method, λ and size the value of each problem: draws first, then folds."""
    found: dict[Place, dict[str, dict[str, list[float]]]] = {}
    for row in rows:
        if row.metric == metric and row.value is not None:
            of_place = found.setdefault((*apart(row.method), row.size), {})
            of_place.setdefault(row.problem, defaultdict(list))[row.fold].append(row.value)
    return {
        place: {
            problem: float(np.mean([np.mean(draws) for draws in folds.values()]))
            for problem, folds in by_problem.items()
        }
        for place, by_problem in found.items()
    }


def mean_tables(rows: Iterable[Row], metric: str, group: Group = lambda problem: "") -> list[Table]:
    """Methods by λ, a table a group of problems and size; and all of it flat, for a file."""
    found = means(rows, metric)
    groups = dict.fromkeys(group(problem) for values in found.values() for problem in values)
    sizes = sorted({size for _, _, size in found})
    tables, flat = [], []
    for name in groups:
        own = {
            place: [value for problem, value in values.items() if group(problem) == name]
            for place, values in found.items()
        }
        for size in sizes:
            points = {
                (method, alpha): Point.over(method, asked, metric, values)
                for (method, alpha, asked), values in own.items()
                if asked == size
            }
            tables.append(_by_alpha(", ".join(filter(None, (name, f"size {size}"))), points))
            flat += [_line(name, alpha, point) for (_, alpha), point in points.items()]
    columns = ("group", "method", "lambda", "size", "mean", "sd", "sets")
    return [*tables, Table(metric, columns, tuple(flat), f"{metric}.csv", shown=False)]


def _by_alpha(about: str, points: Mapping[tuple[str, float], Point]) -> Table:
    alphas = sorted({alpha for _, alpha in points})
    metric, sets = max((p.metric, p.problems) for p in points.values())
    lines = [
        (method, *(_cell(points.get((method, alpha)), sets) for alpha in alphas))
        for method in dict.fromkeys(method for method, _ in points)
    ]
    title = f"{metric} in %, {about}, mean ± sd of {sets} set{'' if sets == 1 else 's'}"
    return Table(title, ("method", *(f"λ = {alpha:g}" for alpha in alphas)), tuple(lines))


def _cell(point: Point | None, sets: int) -> str:
    if point is None or not point.problems:
        return ""
    fewer = f" ({point.problems})" if point.problems < sets else ""
    return f"{100 * point.mean:.2f} ± {100 * point.sd:.2f}{fewer}"


def _line(group: str, alpha: float, point: Point) -> tuple[str | float, ...]:
    return (group, point.method, alpha, point.size, point.mean, point.sd, point.problems)


@dataclass(frozen=True)
class Pairing:
    """One method against another, at one λ and size, over the sets that have both.

    `lead` is how much less the first has of the measure, on average; `wins` counts the sets where
    it has less, `losses` those where it has more. `p` is Wilcoxon's, `corrected` by Holm for the
    other methods at the same λ and size.
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


def pairings(rows: Iterable[Row], metric: str, champion: str) -> Iterator[Pairing]:
    """The champion against every other method, by a measure of which less is better."""
    found = means(rows, metric)
    for alpha, size in dict.fromkeys((alpha, size) for _, alpha, size in found):
        own = found.get((champion, alpha, size), {})
        several = [
            _pairing(own, values, place)
            for place, values in found.items()
            if place[0] != champion and place[1:] == (alpha, size) and own.keys() & values.keys()
        ]
        for one, corrected in zip(several, holm([one.p for one in several]), strict=True):
            yield replace(one, corrected=float(corrected))


def _pairing(own: Mapping[str, float], other: Mapping[str, float], place: Place) -> Pairing:
    both = [problem for problem in own if problem in other]
    mine, theirs = (np.array([values[problem] for problem in both]) for values in (own, other))
    verdict = wilcoxon(-mine, -theirs)
    wins, losses = int((mine < theirs).sum()), int((mine > theirs).sum())
    return Pairing(*place, float((theirs - mine).mean()), wins, losses, verdict.effect, verdict.p)


def pairing_tables(rows: Iterable[Row], metric: str, champion: str) -> list[Table]:
    """The lead in points, sets won and lost, and the corrected p: others and sizes by λ."""
    found = list(pairings(rows, metric, champion))
    if not found:
        return []
    alphas = sorted({one.alpha for one in found})
    cells = {(one.method, one.size, one.alpha): _told(one) for one in found}
    lines = [
        (f"{method}, {size}", *(cells.get((method, size, alpha), "") for alpha in alphas))
        for size in sorted({one.size for one in found})
        for method in dict.fromkeys(one.method for one in found)
    ]
    title = f"{champion} has so much less {metric} (points; sets won : lost; Wilcoxon, Holm) than"
    columns = ("method", "lambda", "size", "lead", "won", "lost", "effect", "p", "holm")
    flat = tuple(astuple(one) for one in found)
    return [
        Table(title, ("against", *(f"λ = {alpha:g}" for alpha in alphas)), tuple(lines)),
        Table("pairs", columns, flat, "pairs.csv", shown=False),
    ]


def _told(one: Pairing) -> str:
    return f"{100 * one.lead:+.2f}; {one.wins}:{one.losses}; p {one.corrected:.2g}"
