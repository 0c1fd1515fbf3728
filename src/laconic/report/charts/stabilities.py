"""How alike the words are that a method chooses in different folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laconic.report.charts.lines import lines
from laconic.report.charts.styling import Spec, number, of_problem, plain, problems_in, several
from laconic.report.view import View
from laconic.study.comparing import SelectionStability

INDICES = {
    "nogueira": "Nogueira's index",
    "jaccard": "Jaccard's index",
    "kuncheva": "Kuncheva's index",
}


def stability(view: View) -> Spec | None:
    """How alike the words are that a method chooses in different folds, by three indices."""
    problems = problems_in(one.problem for one in view.stability)
    shown = [one for one in view.stability if one.problem in problems and one.n_features > 0]
    rows = [row for one in shown for row in _indices(one)]
    if not rows:
        return None
    present = {row["index"] for row in rows}
    switches = {
        "index": [name for name in INDICES.values() if name in present],
        "problem": [plain(problem) for problem in problems],
    }
    of_first = [one for one in shown if one.problem == problems[0]]
    return lines(
        view,
        _told_stability(of_first, problems),
        rows,
        switches,
        what="index",
        lowest=-1.0,
        title="index + ' of the words chosen in different folds (1: the same words)'",
        text={"value": "Index", "limits": "95 % limits"},
    )


def _indices(one: SelectionStability) -> list[dict[str, Any]]:
    row = {
        "problem": plain(one.problem),
        "method": plain(one.method),
        "n_features": number(one.n_features),
        "folds": one.folds,
    }
    limits = {"low": number(one.low), "high": number(one.high)}
    none = {"low": None, "high": None}
    return [
        row
        | {"index": title, "value": number(getattr(one, name))}
        | (limits if name == "nogueira" else none)
        for name, title in INDICES.items()
        if number(getattr(one, name)) is not None
    ]


def _told_stability(shown: Sequence[SelectionStability], problems: Sequence[str]) -> str:
    told = (
        "Line chart of stability (how alike the words are that a method chooses in different "
        "folds, 1 is the same words) against the number of words (log axis), "
        f"{several(len({one.method for one in shown}), 'methods')}."
    )
    known = [one for one in shown if number(one.nogueira) is not None]
    if known:
        best = max(known, key=lambda one: one.nogueira)
        least = min(known, key=lambda one: one.nogueira)
        told += "".join(
            f" {which} by Nogueira's index is {plain(one.method)} with {one.nogueira:.2f} "
            f"at {one.n_features:,.0f} words."
            for which, one in (("Most stable", best), ("Least stable", least))
        )
    return told + of_problem(problems)
