"""Values relative to those of all words, with the alpha that is best for all words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from laconic.errors import LaconicError
from laconic.methods import keeps_all, parse_method
from laconic.rows import K, Row, RowTable, group_pairs
from laconic.types import Size
from reproduction.shared.figures import MeanPoint, ProblemFold

# The micro-averaged F1 of labels, and the F1 of the positive class of TechTC's two.
METRICS = ("f1_micro", "f1")
# A method, a size and a metric.
SeriesPoint: TypeAlias = tuple[str, Size, str]


def all_words(alphas: Iterable[float | str]) -> tuple[str, ...]:
    return tuple(f"ALL+ridge:alpha={alpha}" for alpha in alphas)


def paper_name(method: str) -> str:
    """The name in the paper, where ridge follows every selection: `DF+ridge` is DF."""
    return method.removesuffix("+ridge")


def is_all_words(row: Row) -> bool:
    return keeps_all(row.method)


def _alpha(method: str) -> float:
    alpha = parse_method(method).alpha
    assert isinstance(alpha, float), method
    return alpha


def best_alphas(rows: Iterable[Row]) -> dict[str, float]:
    """λ_max of each problem and fold, as `TrainingOptions` takes it."""
    reasons = {(row.problem, row.fold): row.reason for row in rows if is_all_words(row)}
    best = best_all_words(rows)
    for (problem, fold), reason in reasons.items():
        if (problem, fold) not in best:
            raise LaconicError(
                f"{problem}, {fold}: all words could not be measured with any alpha ({reason}), so "
                "there is none for the methods. Fix that, and run again with --retry-failed"
            )
    return {f"{problem}, {fold}": _alpha(method) for (problem, fold), method in best.items()}


def best_all_words(rows: Iterable[Row]) -> dict[ProblemFold, str]:
    """All words with the alpha of the best micro-F1 per problem and fold; ties: the smallest."""
    measured = RowTable(
        row for row in rows if is_all_words(row) and row.metric in METRICS and row.value is not None
    )
    return {
        fold: max(of_fold, key=_preference).method
        for fold, of_fold in measured.group_by("problem", "fold").items()
    }


def _preference(row: Row) -> tuple[float | None, float, str]:
    alpha = parse_method(row.method).alpha
    return row.value, -alpha if isinstance(alpha, float) else 0.0, row.method


def shares(rows: Iterable[Row]) -> dict[SeriesPoint, dict[ProblemFold, float]]:
    """Means over draws per problem and fold.

    "relative" values are divided by those of all words with the best alpha. Where all words were
    not measured, or nothing else was, values stay as they are.
    """
    measured = [row for row in rows if row.value is not None]
    methods = [row for row in measured if not is_all_words(row)]
    best = best_all_words(measured) if methods else {}
    whole = {
        (row.problem, row.fold, row.metric): row.value
        for row in measured
        if best.get((row.problem, row.fold)) == row.method
    }
    ratios = group_pairs(
        _ratio(row, whole.get((row.problem, row.fold, row.metric))) for row in methods or measured
    )
    return {cell: _means(by_fold) for cell, by_fold in ratios.items()}


def _ratio(row: Row, full: float | None) -> tuple[SeriesPoint, tuple[ProblemFold, float]]:
    """The row's value relative to that of all words, or unchanged if there is none."""
    assert row.value is not None
    metric = row.metric if full is None else f"relative {row.metric}"
    ratio = row.value if full is None else row.value / full if full > 0 else float("nan")
    return (paper_name(row.method), row.size, metric), ((row.problem, row.fold), ratio)


def _means(pairs: Iterable[tuple[K, float]]) -> dict[K, float]:
    return {key: float(np.mean(values)) for key, values in group_pairs(pairs).items()}


def points(rows: Iterable[Row]) -> list[MeanPoint]:
    """Means over draws, then over problems and folds."""
    return [MeanPoint.over(*cell, values.values()) for cell, values in shares(rows).items()]


def by_alpha(rows: Iterable[Row]) -> list[MeanPoint]:
    """Means of all words, with each metric as the "method" and alpha as its "size"."""
    return [
        replace(p, method=p.metric, size=_alpha(p.method), metric="all words") for p in points(rows)
    ]


def by_problem(values: Mapping[ProblemFold, float]) -> dict[str, float]:
    """Means over folds."""
    return _means((problem, value) for (problem, _), value in values.items())


def number_of_words(rows: Iterable[Row]) -> float:
    """The number of words to select from: the mean over problems and folds; or NaN."""
    sizes = {
        (row.problem, row.fold): row.model_size
        for row in rows
        if is_all_words(row) and row.model_size is not None
    }
    return float(np.mean(list(sizes.values()))) if sizes else float("nan")
