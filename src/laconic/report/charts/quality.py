"""Quality against the number of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laconic.methods import keeps_all, projects
from laconic.report.charts.lines import lines
from laconic.report.charts.style import Spec, count_of, number, of_problem, plain, problems_in
from laconic.report.view import Point, View
from laconic.rows import group_pairs

WORDS, WORDS_OR_COMPONENTS = "Number of words", "Number of words, or of components"


def curves(view: View) -> Spec | None:
    """Quality against number of words, one line per method, with 95 % limits."""
    problems = problems_in(p.problem for p in view.points if p.n_features > 0)
    shown = [p for p in view.points if p.n_features > 0 and p.problem in problems]
    if not shown:
        return None
    chosen = {(d.problem, d.method, d.size) for d in view.details}
    offered = _metrics(view, shown)
    switches = {
        "metric": list(dict.fromkeys(m for metrics in offered.values() for m in metrics)),
        "problem": [plain(problem) for problem in problems],
    }
    first = [p for p in shown if p.problem == problems[0] and p.metric == switches["metric"][0]]
    spec = lines(
        view,
        _description(view, first, problems),
        [_point(p, (p.problem, p.method, p.size) in chosen) for p in shown],
        switches,
        what="metric",
        lowest=0.0 if all(0 <= p.mean <= 1 for p in shown) else None,
        title="metric",
        text={"value": "Mean", "limits": "95 % limits"},
        across=WORDS_OR_COMPONENTS if any(map(_by_components, shown)) else WORDS,
    )
    spec["usermeta"]["metrics"] = {plain(problem): offered[problem] for problem in problems}
    return spec


def _metrics(view: View, points: Sequence[Point]) -> dict[str, list[str]]:
    """The metrics of each problem; the one that decides first."""
    deciding = view.deciding_metrics
    measured = group_pairs((point.problem, point.metric) for point in points)
    return {
        problem: sorted(dict.fromkeys(metrics), key=lambda metric: metric != deciding.get(problem))
        for problem, metrics in measured.items()
    }


def _point(point: Point, chosen: bool) -> dict[str, Any]:
    row = {
        "problem": plain(point.problem),
        "method": plain(point.method),
        "metric": point.metric,
        "n_features": number(_extent(point)),
        "value": number(point.mean),
        "low": number(point.low),
        "high": number(point.high),
        "n_folds": point.n_folds,
    }
    if keeps_all(point.method):
        row |= {"baseline": True, "label": _label(point)}
    if chosen:
        row |= {"recommended": True, "note": f"recommended: {_label(point)}"}
    return row


def _extent(point: Point) -> float:
    """Words; for a projection, which reads all words at every size, components."""
    return float(point.size) if _by_components(point) else point.n_features


def _by_components(point: Point) -> bool:
    return projects(point.method) and isinstance(point.size, int)


def _label(point: Point) -> str:
    if keeps_all(point.method):
        return "all words"
    if _by_components(point):
        return f"{plain(point.method)}, {point.size:,} components"
    return f"{plain(point.method)}, {point.n_features:,.0f} words"


def _description(view: View, points: Sequence[Point], problems: Sequence[str]) -> str:
    selections = [p for p in points if not keeps_all(p.method)]
    text = (
        f"Line chart of {points[0].metric} against the number of words (log axis), "
        f"{count_of(len({p.method for p in selections}), 'methods')}, with 95 % limits."
    )
    if selections:
        text += f" Best: {_result(max(selections, key=lambda p: p.mean))}."
    for baseline in (p for p in points if keeps_all(p.method)):
        text += f" All {baseline.n_features:,.0f} words (ALL): {baseline.mean:.3f}."
    for detail in view.details:
        if detail.problem == problems[0] and detail.method:
            text += f" Recommended: {plain(detail.method)} with {detail.n_features:,.0f} words."
    return text + of_problem(problems)


def _result(point: Point) -> str:
    size = (
        f"{point.size:,} components" if _by_components(point) else f"{point.n_features:,.0f} words"
    )
    return f"{plain(point.method)} with {size}, {point.mean:.3f}"
