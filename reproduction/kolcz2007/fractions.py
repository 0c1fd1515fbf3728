"""Variants of a smaller SVM at every fraction of its words: tables and plots of the best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from laconic.rows import Row, group_pairs
from laconic.studies.study import Study
from laconic.types import Size
from reproduction.kolcz2007.best_sizes import (
    Values,
    at,
    best,
    comparison_table,
    gaps,
    means,
    validated,
)
from reproduction.kolcz2007.statements import (
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
from reproduction.shared.figures import MeanPoint, Table, make_plot, tables_by_size
from reproduction.shared.plots import Cells, Plot

FOLDS_WITHIN = 3
# The fraction at which SV-SET is compared by frequency of the category.
FEW = 0.1
RARE = {"1–9": 10, "10–99": 100, "100–999": 1000, "1,000 and more": np.inf}


@dataclass(frozen=True)
class FractionResults:
    """By metric: values at the best fraction, values at the validated fraction, and means."""

    oracle: dict[str, Values]
    nested: dict[str, Values]
    points: list[MeanPoint]

    @classmethod
    def of(
        cls, metrics: Iterable[str], sizes: Sequence[Size], rows: list[Row], inner_rows: list[Row]
    ) -> Self:
        """`inner_rows` are from cross-validation of the training documents."""
        oracle: dict[str, Values] = {}
        nested: dict[str, Values] = {}
        points: list[MeanPoint] = []
        for metric in metrics:
            whole = {ALL: at(rows, metric, WHOLE).get(MASK, {})}
            oracle[metric] = best(rows, metric, sizes) | whole
            nested[metric] = validated(rows, inner_rows, metric, sizes) | whole
            points += means(rows, metric)
        return cls(oracle, nested, points)


def tables(study: Study, rows: list[Row], results: FractionResults) -> Iterator[Table]:
    """Table 1 or figure 2, with oracle and with nested choices; then figure 1."""
    yield comparison_table("best fraction on the test documents (oracle)", results.oracle, EXACT)
    title = f"fraction chosen by {FOLDS_WITHIN}-fold cross-validation of the training documents"
    yield comparison_table(title, results.nested, EXACT)
    yield from tables_by_size(results.points)
    yield gap_table(results.points)
    if study.plan.target == "one-vs-rest":
        yield rarity_table(study, rows)


def by_fraction(name: str, about: str, metric: str, points: list[MeanPoint]) -> Plot:
    """One line per variant. `about` begins with the corpus."""
    return make_plot(
        f"{name}-{metric}",
        points,
        metric,
        x_title="Fraction of the words in support vectors",
        title=f"{about.partition(',')[0]}: {SHOWN[metric]}",
        log=False,
    )


def scatter(name: str, values: Values, x_method: str, y_method: str) -> Cells:
    """One method against another, at the best fraction of each problem."""
    both = [problem for problem in values[x_method] if problem in values[y_method]]
    xs, ys = ([values[method][problem] for problem in both] for method in (x_method, y_method))
    title = f"AUC of each set: {y_method} at its best fraction against {x_method}"
    file = f"{name}-{y_method}-{x_method}".lower().replace(" ", "-")
    return Cells.of(file, title, x_method, y_method, xs, ys)


def pooled_tables(rows: list[Row]) -> Iterator[Table]:
    points = pooled_points(rows)
    yield from tables_by_size(points)
    yield gap_table(points)


def pooled_points(rows: list[Row]) -> list[MeanPoint]:
    return [point for metric in (POOLED, AUC) for point in means(rows, metric)]


def gap_table(points: list[MeanPoint]) -> Table:
    """Figure 1 in numbers: the largest differences of the variants from EXACT."""
    lines = [
        (f"{metric}, {method}", above, below)
        for metric, of_metric in group_pairs((point.metric, point) for point in points).items()
        for method, above, below in gaps(of_metric, EXACT, HALF)
    ]
    columns = ("metric, method", f"fractions above {HALF}", f"up to {HALF}")
    return Table(f"largest difference of the mean from {EXACT}", columns, tuple(lines))


def rarity_table(study: Study, rows: Iterable[Row]) -> Table:
    """Best F1 at a small fraction, by the number of training documents of the category."""
    (ready,) = study.corpora
    counts = ready.corpus.take(ready.splits[0].train).class_counts
    values = at(rows, BEST_F1, FEW)
    lines, low = [], 1.0
    for group, high in RARE.items():
        problems = [f"{ready.corpus.name}: {c}" for c, n in counts.items() if low <= n < high]
        points = [
            MeanPoint.over(method, FEW, BEST_F1, (of[name] for name in problems if name in of))
            for method, of in values.items()
        ]
        if problems:
            lines.append((group, f"{len(problems)}", *(f"{point.mean:.4f}" for point in points)))
        low = high
    columns = ("training documents", "categories", *values)
    return Table(f"{BEST_F1} at {FEW}, by frequency", columns, tuple(lines))
