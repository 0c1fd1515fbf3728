"""Overlap: how many of their words two methods share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from laconic.report.charts.heatmap import matrix, pair_methods, ramp
from laconic.report.charts.style import (
    Spec,
    chart,
    here,
    number,
    of_problem,
    plain,
    problems_in,
)
from laconic.report.view import Overlap, View


def overlap(view: View) -> Spec | None:
    """How many words two methods share, at the size at which most methods can be compared."""
    problems = problems_in(pair.problem for pair in view.overlaps)
    shown = [pair for pair in view.overlaps if pair.problem in problems]
    if not shown:
        return None
    rows = [row for pair in shown for row in _rows(pair)]
    methods = pair_methods(view, shown)
    columns = [
        ("row", "Method"),
        ("column", "and"),
        ("size", "Words per method"),
        ("n_shared", "Shared words"),
        ("jaccard", "Jaccard index"),
    ]
    body = matrix(
        methods,
        columns,
        colour=ramp("jaccard", "Shared words, of all words of the two methods"),
        across=None,
        narrowest=40,
        step=34,
    )
    body["transform"] = [here("problem")]
    description = _description([pair for pair in shown if pair.problem == problems[0]], problems)
    switches = {"problem": [plain(problem) for problem in problems]}
    return chart(description, {"overlaps": rows}, {"data": {"name": "overlaps"}} | body, switches)


def _rows(pair: Overlap) -> Iterator[dict[str, Any]]:
    a, b = pair.method_a, pair.method_b
    for row, column in ((a, b), (b, a)):
        yield {
            "problem": plain(pair.problem),
            "row": plain(row),
            "column": plain(column),
            "size": _size(pair.size),
            "n_shared": number(pair.n_shared),
            "jaccard": number(pair.jaccard),
            "text": f"{pair.jaccard:.0%}",
        }


def _size(size: Any) -> str:
    return f"{size:,}" if isinstance(size, int) else f"{size:.1%} of all"


def _description(shown: Sequence[Overlap], problems: Sequence[str]) -> str:
    size = _size(shown[0].size)
    text = f"Matrix of the words that two methods share, each selecting {size} words."
    for which, pair in (
        ("Most", max(shown, key=lambda pair: pair.jaccard)),
        ("Least", min(shown, key=lambda pair: pair.jaccard)),
    ):
        text += (
            f" {which} similar: {plain(pair.method_a)} and {plain(pair.method_b)}, with "
            f"{pair.n_shared:,.0f} shared words, {pair.jaccard:.0%} of all words of the two."
        )
    return text + of_problem(problems)
