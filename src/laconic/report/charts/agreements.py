"""How many words methods have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from laconic.report.charts.matrices import matrix, pair_methods, ramp
from laconic.report.charts.styling import (
    Spec,
    chart,
    here,
    number,
    of_problem,
    plain,
    problems_in,
)
from laconic.report.view import Overlap, View


def agreement(view: View) -> Spec | None:
    """How many words two methods have in common, at the size at which most can be compared."""
    problems = problems_in(one.problem for one in view.overlaps)
    shown = [one for one in view.overlaps if one.problem in problems]
    if not shown:
        return None
    rows = [row for one in shown for row in _shared(one)]
    methods = pair_methods(view, shown)
    columns = [
        ("row", "Method"),
        ("column", "and"),
        ("size", "Words each"),
        ("shared", "In common"),
        ("jaccard", "Jaccard's index"),
    ]
    body = matrix(
        methods,
        columns,
        colour=ramp("jaccard", "Words in common, of those of either method"),
        across=None,
        narrowest=40,
        step=34,
    )
    body["transform"] = [here("problem")]
    told = _told_agreement([one for one in shown if one.problem == problems[0]], problems)
    switches = {"problem": [plain(problem) for problem in problems]}
    return chart(told, {"overlaps": rows}, {"data": {"name": "overlaps"}} | body, switches)


def _shared(one: Overlap) -> Iterator[dict[str, Any]]:
    for row, column in ((one.a, one.b), (one.b, one.a)):
        yield {
            "problem": plain(one.problem),
            "row": plain(row),
            "column": plain(column),
            "size": _asked(one.size),
            "shared": number(one.shared),
            "jaccard": number(one.jaccard),
            "text": f"{one.jaccard:.0%}",
        }


def _asked(asked: Any) -> str:
    return f"{asked:,}" if isinstance(asked, int) else f"{asked:.1%} of all"


def _told_agreement(shown: Sequence[Overlap], problems: Sequence[str]) -> str:
    size = _asked(shown[0].size)
    told = f"Matrix of the words that two methods have in common, each choosing {size} words."
    for which, one in (
        ("Most", max(shown, key=lambda one: one.jaccard)),
        ("Least", min(shown, key=lambda one: one.jaccard)),
    ):
        told += (
            f" {which} alike are {plain(one.a)} and {plain(one.b)}: {one.shared:,.0f} words in "
            f"common, {one.jaccard:.0%} of those of either."
        )
    return told + of_problem(problems)
