"""Values relative to those of all words, with the alpha that is best for all words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from laconic.errors import LaconicError
from laconic.methods import keeps_all, parse_method
from laconic.rows import Row, Size
from reproduction.shared.figures import MeanPoint, ProblemFold

METRIC = "f1_micro"
# A method, a size and a metric.
SeriesPoint: TypeAlias = tuple[str, Size, str]


def all_words(alphas: Iterable[float | str]) -> tuple[str, ...]:
    return tuple(f"ALL+ridge:alpha={alpha}" for alpha in alphas)


def is_all_words(row: Row) -> bool:
    return keeps_all(row.method)


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
    return {
        f"{problem}, {fold}": parse_method(method).alpha for (problem, fold), method in best.items()
    }


def best_all_words(rows: Iterable[Row]) -> dict[ProblemFold, str]:
    """All words with the alpha of the best micro-F1 per problem and fold; ties: the smallest."""
    best: dict[ProblemFold, tuple[float, float, str]] = {}
    for row in rows:
        if is_all_words(row) and row.metric == METRIC and row.value is not None:
            alpha = parse_method(row.method).alpha
            least = -alpha if isinstance(alpha, float) else 0.0
            fold, candidate = (row.problem, row.fold), (row.value, least, row.method)
            best[fold] = max(best.get(fold, candidate), candidate)
    return {fold: method for fold, (_, _, method) in best.items()}


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
    draws: dict[SeriesPoint, dict[ProblemFold, list[float]]] = defaultdict(dict)
    for row in methods or measured:
        full = whole.get((row.problem, row.fold, row.metric))
        metric = row.metric if full is None else f"relative {row.metric}"
        ratio = row.value if full is None else row.value / full if full > 0 else float("nan")
        key = (row.method, row.size, metric)
        draws[key].setdefault((row.problem, row.fold), []).append(ratio)
    return {
        cell: {fold: float(np.mean(values)) for fold, values in by_fold.items()}
        for cell, by_fold in draws.items()
    }


def points(rows: Iterable[Row]) -> list[MeanPoint]:
    """Means over draws, then over problems and folds."""
    return [MeanPoint.over(*cell, values.values()) for cell, values in shares(rows).items()]


def by_alpha(rows: Iterable[Row]) -> list[MeanPoint]:
    """Means of all words, with each metric as the "method" and alpha as its "size"."""
    return [
        replace(p, method=p.metric, size=parse_method(p.method).alpha, metric="all words")
        for p in points(rows)
    ]


def by_problem(values: Mapping[ProblemFold, float]) -> dict[str, float]:
    """Means over folds."""
    folds: dict[str, list[float]] = defaultdict(list)
    for (problem, _), value in values.items():
        folds[problem].append(value)
    return {problem: float(np.mean(fold_values)) for problem, fold_values in folds.items()}


def number_of_words(rows: Iterable[Row]) -> float:
    """The number of words to select from: the mean over problems and folds; or NaN."""
    sizes = {
        (row.problem, row.fold): row.model_size
        for row in rows
        if is_all_words(row) and row.model_size is not None
    }
    return float(np.mean(list(sizes.values()))) if sizes else float("nan")
