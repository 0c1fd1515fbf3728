"""Stability: how similar the words are that a method selects in different folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laconic.report.charts.lines import lines
from laconic.report.charts.style import Spec, count_of, number, of_problem, plain, problems_in
from laconic.report.view import View
from laconic.studies.analysis.comparisons import SelectionStability

INDICES = {
    "nogueira": "Nogueira's index",
    "jaccard": "Jaccard's index",
    "kuncheva": "Kuncheva's index",
}


def stability(view: View) -> Spec | None:
    """Stability of the selected words against their number, by three indices."""
    problems = problems_in(entry.problem for entry in view.stability)
    shown = [s for s in view.stability if s.problem in problems and s.n_features > 0]
    rows = [row for entry in shown for row in _rows(entry)]
    if not rows:
        return None
    present = {row["index"] for row in rows}
    switches = {
        "index": [name for name in INDICES.values() if name in present],
        "problem": [plain(problem) for problem in problems],
    }
    first = [entry for entry in shown if entry.problem == problems[0]]
    return lines(
        view,
        _description(first, problems),
        rows,
        switches,
        what="index",
        lowest=-1.0,
        title="index + ' of the words selected in different folds (1: identical)'",
        text={"value": "Index", "limits": "95 % limits"},
    )


def _rows(entry: SelectionStability) -> list[dict[str, Any]]:
    row = {
        "problem": plain(entry.problem),
        "method": plain(entry.method),
        "n_features": number(entry.n_features),
        "n_folds": entry.n_folds,
    }
    limits = {"low": number(entry.low), "high": number(entry.high)}
    none = {"low": None, "high": None}
    return [
        row
        | {"index": title, "value": number(getattr(entry, name))}
        | (limits if name == "nogueira" else none)
        for name, title in INDICES.items()
        if number(getattr(entry, name)) is not None
    ]


def _description(shown: Sequence[SelectionStability], problems: Sequence[str]) -> str:
    text = (
        "Line chart of stability (how similar the words are that a method selects in different "
        "folds; 1 is identical) against the number of words (log axis), "
        f"{count_of(len({entry.method for entry in shown}), 'methods')}."
    )
    finite = [entry for entry in shown if number(entry.nogueira) is not None]
    if finite:
        best = max(finite, key=lambda entry: entry.nogueira)
        worst = min(finite, key=lambda entry: entry.nogueira)
        text += "".join(
            f" {which} by Nogueira's index: {plain(entry.method)} with "
            f"{entry.n_features:,.0f} words, {entry.nogueira:.2f}."
            for which, entry in (("Most stable", best), ("Least stable", worst))
        )
    return text + of_problem(problems)
