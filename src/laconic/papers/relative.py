"""Values as shares of those of all words, with the λ that serves all words best."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from laconic.errors import LaconicError
from laconic.methods import keeps_all, parse_method
from laconic.papers.figures import Point
from laconic.rows import Row, Size

METRIC = "f1_micro"
# A method, a size and a measure; a problem and its fold.
Kind: TypeAlias = tuple[str, Size, str]
Place: TypeAlias = tuple[str, str]


def all_words(alphas: Iterable[float | str]) -> tuple[str, ...]:
    return tuple(f"ALL+ridge:alpha={alpha}" for alpha in alphas)


def is_all_words(row: Row) -> bool:
    return keeps_all(row.method)


def best_alphas(rows: Iterable[Row]) -> dict[str, float]:
    """λ_max of each problem and fold, as `Training` takes it."""
    asked = {(row.problem, row.fold): row.reason for row in rows if is_all_words(row)}
    best = best_all_words(rows)
    for (problem, fold), reason in asked.items():
        if (problem, fold) not in best:
            raise LaconicError(
                f"{problem}, {fold}: all words could be measured with no λ ({reason}), so there "
                "is none for the methods. Mend that, and run again with --retry-failed"
            )
    return {
        f"{problem}, {fold}": parse_method(method).alpha for (problem, fold), method in best.items()
    }


def best_all_words(rows: Iterable[Row]) -> dict[Place, str]:
    """For each problem and fold, all words with the λ of the best micro-F1; of equals the least."""
    best: dict[Place, tuple[float, float, str]] = {}
    for row in rows:
        if is_all_words(row) and row.metric == METRIC and row.value is not None:
            alpha = parse_method(row.method).alpha
            least = -alpha if isinstance(alpha, float) else 0.0
            place, found = (row.problem, row.fold), (row.value, least, row.method)
            best[place] = max(best.get(place, found), found)
    return {place: method for place, (_, _, method) in best.items()}


def shares(rows: Iterable[Row]) -> dict[Kind, dict[Place, float]]:
    """Means over draws, of each problem and fold.

    "relative" are values as shares of those of all words with the best λ; where these were not
    measured, or nothing else was, values stay as they are.
    """
    measured = [row for row in rows if row.value is not None]
    methods = [row for row in measured if not is_all_words(row)]
    best = best_all_words(measured) if methods else {}
    whole = {
        (row.problem, row.fold, row.metric): row.value
        for row in measured
        if best.get((row.problem, row.fold)) == row.method
    }
    gathered: dict[Kind, dict[Place, list[float]]] = defaultdict(dict)
    for row in methods or measured:
        full = whole.get((row.problem, row.fold, row.metric))
        metric = row.metric if full is None else f"relative {row.metric}"
        ratio = row.value if full is None else row.value / full if full > 0 else float("nan")
        key = (row.method, row.size, metric)
        gathered[key].setdefault((row.problem, row.fold), []).append(ratio)
    return {
        kind: {place: float(np.mean(draws)) for place, draws in by_place.items()}
        for kind, by_place in gathered.items()
    }


def points(rows: Iterable[Row]) -> list[Point]:
    """Means over draws, then over problems and folds."""
    return [Point.over(*kind, values.values()) for kind, values in shares(rows).items()]


def by_alpha(rows: Iterable[Row]) -> list[Point]:
    """Means of all words, each measure as a "method" and λ as its "size"."""
    return [
        replace(p, method=p.metric, size=parse_method(p.method).alpha, metric="all words")
        for p in points(rows)
    ]


def by_problem(values: Mapping[Place, float]) -> dict[str, float]:
    """Means over folds."""
    found: dict[str, list[float]] = defaultdict(list)
    for (problem, _), value in values.items():
        found[problem].append(value)
    return {problem: float(np.mean(several)) for problem, several in found.items()}


def number_of_words(rows: Iterable[Row]) -> float:
    """How many words there are to choose from: the mean over problems and folds; or NaN."""
    kept = {
        (row.problem, row.fold): row.model_size
        for row in rows
        if is_all_words(row) and row.model_size is not None
    }
    return float(np.mean(list(kept.values()))) if kept else float("nan")
