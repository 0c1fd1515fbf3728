"""Variants of a smaller SVM at every fraction of its words: what is best, in tables and plots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from laconic.papers.best_sizes import Values, at, best, comparison_table, gaps, means, validated
from laconic.papers.figures import Point, Table, make_plot, tables_by_size
from laconic.papers.findings.kolcz2007 import (
    ALL,
    AUC,
    BEST_F1,
    EXACT,
    HALF,
    MASK,
    POOLED,
    SHOWN,
    WHOLE,
)
from laconic.papers.plots import Cells, Plot
from laconic.rows import Row, Size
from laconic.study.study import Study

FOLDS_WITHIN = 3
# Where SV-SET is looked at by how rare a category is.
FEW = 0.1
RARE = {"1–9": 10, "10–99": 100, "100–999": 1000, "1,000 and more": np.inf}


@dataclass(frozen=True)
class Found:
    """By measure: the best fraction of each problem, the one it would have chosen, and means."""

    oracle: dict[str, Values]
    nested: dict[str, Values]
    points: list[Point]

    @classmethod
    def of(
        cls, metrics: Iterable[str], sizes: Sequence[Size], rows: list[Row], inside: list[Row]
    ) -> Self:
        """`inside` are the rows of the training documents alone."""
        oracle: dict[str, Values] = {}
        nested: dict[str, Values] = {}
        points: list[Point] = []
        for metric in metrics:
            whole = {ALL: at(rows, metric, WHOLE).get(MASK, {})}
            oracle[metric] = best(rows, metric, sizes) | whole
            nested[metric] = validated(rows, inside, metric, sizes) | whole
            points += means(rows, metric)
        return cls(oracle, nested, points)


def tables(study: Study, rows: list[Row], found: Found) -> Iterator[Table]:
    """Table 1 or figure 2, by an oracle and by nested validation; then figure 1."""
    yield comparison_table("best fraction on the test documents (an oracle's)", found.oracle, EXACT)
    title = f"fraction chosen by {FOLDS_WITHIN}-fold cross-validation of the training documents"
    yield comparison_table(title, found.nested, EXACT)
    yield from tables_by_size(found.points)
    yield gap_table(found.points)
    if study.plan.target == "one-vs-rest":
        yield rarity_table(study, rows)


def by_fraction(name: str, about: str, metric: str, points: list[Point]) -> Plot:
    """A line a variant. `about` begins with the corpus."""
    return make_plot(
        f"{name}-{metric}",
        points,
        metric,
        across="Fraction of the words in support vectors",
        title=f"{about.partition(',')[0]}: {SHOWN[metric]}",
        log=False,
    )


def scatter(name: str, values: Values, across: str, up: str) -> Cells:
    """One method against another, at the best fraction of each problem."""
    both = [problem for problem in values[across] if problem in values[up]]
    xs, ys = ([values[method][problem] for problem in both] for method in (across, up))
    title = f"AUC of each set: {up} at its best fraction against {across}"
    return Cells.of(f"{name}-{up}-{across}".lower().replace(" ", "-"), title, across, up, xs, ys)


def pooled_tables(rows: list[Row]) -> Iterator[Table]:
    points = pooled_points(rows)
    yield from tables_by_size(points)
    yield gap_table(points)


def pooled_points(rows: list[Row]) -> list[Point]:
    return [point for metric in (POOLED, AUC) for point in means(rows, metric)]


def gap_table(points: list[Point]) -> Table:
    """Figure 1 in numbers: where the curves of the variants leave that of EXACT."""
    lines = [
        (f"{metric}, {method}", above, below)
        for metric in dict.fromkeys(point.metric for point in points)
        for method, above, below in gaps(
            [point for point in points if point.metric == metric], EXACT, HALF
        )
    ]
    columns = ("measure, method", f"fractions above {HALF}", f"up to {HALF}")
    return Table(f"largest difference of the means from {EXACT}'s", columns, tuple(lines))


def rarity_table(study: Study, rows: Iterable[Row]) -> Table:
    """Best F1 at a small fraction, by how many training documents a category has."""
    (ready,) = study.corpora
    counts = ready.corpus.take(ready.splits[0].train).class_counts
    values = at(rows, BEST_F1, FEW)
    lines, low = [], 1.0
    for group, high in RARE.items():
        own = [f"{ready.corpus.name}: {c}" for c, count in counts.items() if low <= count < high]
        points = [
            Point.over(method, FEW, BEST_F1, (of[problem] for problem in own if problem in of))
            for method, of in values.items()
        ]
        if own:
            lines.append((group, f"{len(own)}", *(f"{point.mean:.4f}" for point in points)))
        low = high
    columns = ("training documents", "categories", *values)
    return Table(f"{BEST_F1} at {FEW}, by frequency", columns, tuple(lines))
