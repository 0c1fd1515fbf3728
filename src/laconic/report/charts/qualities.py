"""Quality against the number of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laconic.methods import keeps_all, projects
from laconic.report.charts.lines import lines
from laconic.report.charts.styling import Spec, number, of_problem, plain, problems_in, several
from laconic.report.view import Point, View

WORDS, MIXED = "Number of words", "Number of words, or of columns that mix all words"


def curves(view: View) -> Spec | None:
    """Quality against number of words, a line a method, with 95 % limits."""
    problems = problems_in(point.problem for point in view.points)
    shown = [p for p in view.points if p.n_features > 0 and p.problem in problems]
    if not shown:
        return None
    chosen = {(d.problem, d.method, d.size) for d in view.details}
    present = {point.metric for point in shown}
    metrics = [m for m in (view.metric, *view.metrics) if m in present]
    switches = {
        "measure": list(dict.fromkeys(metrics)),
        "problem": [plain(problem) for problem in problems],
    }
    return lines(
        view,
        _told_curves(view, [p for p in shown if p.problem == problems[0]], problems),
        [_point(p, (p.problem, p.method, p.size) in chosen) for p in shown],
        switches,
        what="measure",
        lowest=0.0 if all(0 <= p.mean <= 1 for p in shown) else None,
        title="measure",
        text={"value": "Mean", "limits": "95 % limits"},
        across=MIXED if any(map(_by_columns, shown)) else WORDS,
    )


def _point(point: Point, chosen: bool) -> dict[str, Any]:
    row = {
        "problem": plain(point.problem),
        "method": plain(point.method),
        "measure": point.metric,
        "n_features": number(_extent(point)),
        "value": number(point.mean),
        "low": number(point.low),
        "high": number(point.high),
        "folds": point.folds,
    }
    if keeps_all(point.method):
        row |= {"baseline": True, "label": _named(point)}
    if chosen:
        row |= {"recommended": True, "note": f"recommended: {_named(point)}"}
    return row


def _extent(point: Point) -> float:
    """Words; of a projection, which reads them all at every size, columns."""
    return float(point.size) if _by_columns(point) else point.n_features


def _by_columns(point: Point) -> bool:
    return projects(point.method) and isinstance(point.size, int)


def _named(point: Point) -> str:
    if keeps_all(point.method):
        return "all words"
    if _by_columns(point):
        return f"{plain(point.method)}, {point.size:,} columns"
    return f"{plain(point.method)}, {point.n_features:,.0f} words"


def _told_curves(view: View, points: Sequence[Point], problems: Sequence[str]) -> str:
    metric = [p for p in points if p.metric == view.metric] or list(points)
    selections = [p for p in metric if not keeps_all(p.method)]
    told = (
        f"Line chart of {metric[0].metric} against the number of words (log axis), "
        f"{several(len({p.method for p in selections}), 'methods')}, limits of 95 %."
    )
    if selections:
        told += f" Best is {_reached(max(selections, key=lambda p: p.mean))}."
    for baseline in (p for p in metric if keeps_all(p.method)):
        told += f" All {baseline.n_features:,.0f} words (ALL) reach {baseline.mean:.3f}."
    for detail in view.details:
        if detail.problem == problems[0] and detail.method:
            told += f" Recommended is {plain(detail.method)} with {detail.n_features:,.0f} words."
    return told + of_problem(problems)


def _reached(point: Point) -> str:
    what = f"{point.size:,} columns" if _by_columns(point) else f"{point.n_features:,.0f} words"
    return f"{plain(point.method)} with {point.mean:.3f} at {what}"
