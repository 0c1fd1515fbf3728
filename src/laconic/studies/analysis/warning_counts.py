"""Warnings of a study, each with the number of tasks that it concerns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from laconic.methods import projects
from laconic.rows import Row, RowTable, group_pairs


def without_numbers(text: str) -> str:
    return re.sub(r"\d[\d,.]*(?:e[-+]?\d+)?", "#", text)


def count_warnings(warnings_by_task: Iterable[Iterable[str]]) -> dict[str, int]:
    """Every warning with the number of tasks that gave it.

    Warnings that differ in numbers only are counted together, in the words of the first.
    """
    wording: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for warnings in warnings_by_task:
        patterns = {without_numbers(text): text for text in reversed(tuple(warnings))}
        wording = patterns | wording
        counts.update(patterns.keys())
    return {wording[pattern]: times for pattern, times in counts.items()}


def missing_sizes(rows: Iterable[Row], metric: Mapping[str, str]) -> dict[str, int]:
    """The sizes that methods have no model of, with the reason and the number of tasks.

    Reasons that differ in numbers only are merged, in the words of the first fold and size. Sizes
    beyond the largest model of the problem, which no method has, are left out. `metric` is the one
    that decides, by problem.
    """
    of_metric = RowTable(row for row in rows if row.metric == metric.get(row.problem))
    largest = {
        problem: max(row.n_features or 0 for row in of_problem)
        for problem, of_problem in of_metric.group_by("problem").items()
    }
    missing = group_pairs(
        ((row.method, without_numbers(row.reason)), row)
        for row in of_metric.where(status="skipped", model_size=None)
        if row.size <= (largest[row.problem] or row.size)
    )
    return {
        f"{method} has no model of {_sizes(rows, 'components' if projects(method) else 'words')}: "
        f"{rows[0].reason}": len({row.task for row in rows})
        for (method, _), rows in missing.items()
    }


def _sizes(rows: Iterable[Row], unit: str) -> str:
    """ "10, 20 words", or "1 %, 10 % of the words"."""
    sizes = sorted({row.size for row in rows})
    shares = [f"{size:.3g}" for size in (100 * s for s in sizes if isinstance(s, float))]
    counts = [f"{size:,}" for size in sizes if not isinstance(size, float)]
    parts = [f"{', '.join(counts)} {unit}"] if counts else []
    parts += [f"{' %, '.join(shares)} % of the {unit}"] if shares else []
    return " or ".join(parts)
