"""Lines over the number of words: quality, and stability of the choice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from laconic.report.charts.styling import (
    HEIGHT,
    Spec,
    chart,
    colour,
    dash,
    here,
    number,
    of_problem,
    plain,
    problems_in,
    several,
    shape,
)
from laconic.report.view import Point, View
from laconic.study.comparing import SelectionStability
from laconic.study.recommending import ALL

INDICES = {
    "nogueira": "Nogueira's index",
    "jaccard": "Jaccard's index",
    "kuncheva": "Kuncheva's index",
}
# The wheel alone belongs to the page; a pinch comes as a wheel with Ctrl.
WHEEL = "wheel![event.ctrlKey || event.metaKey]"


def curves(view: View) -> Spec | None:
    """Quality against number of words, a line a method, with 95 % limits."""
    problems = problems_in(point.problem for point in view.points)
    shown = [p for p in view.points if p.terms > 0 and p.problem in problems]
    if not shown:
        return None
    chosen = {(d.problem, d.method, d.asked) for d in view.details}
    present = {point.measure for point in shown}
    measures = [m for m in (view.goal, *view.measures) if m in present]
    switches = {
        "measure": list(dict.fromkeys(measures)),
        "problem": [plain(problem) for problem in problems],
    }
    return _lines(
        view,
        _told_curves(view, [p for p in shown if p.problem == problems[0]], problems),
        [_point(p, (p.problem, p.method, p.asked) in chosen) for p in shown],
        switches,
        what="measure",
        lowest=0.0 if all(0 <= p.mean <= 1 for p in shown) else None,
        title="measure",
        text={"value": "Mean", "limits": "95 % limits"},
    )


def _point(point: Point, chosen: bool) -> dict[str, Any]:
    row = {
        "problem": plain(point.problem),
        "method": plain(point.method),
        "measure": point.measure,
        "terms": number(point.terms),
        "value": number(point.mean),
        "low": number(point.low),
        "high": number(point.high),
        "folds": point.folds,
    }
    if point.method == ALL:
        row |= {"baseline": True, "label": _named(point)}
    if chosen:
        row |= {"recommended": True, "note": f"recommended: {_named(point)}"}
    return row


def _named(point: Point) -> str:
    if point.method == ALL:
        return f"all {point.terms:,.0f} words"
    return f"{plain(point.method)}, {point.terms:,.0f} words"


def _told_curves(view: View, points: Sequence[Point], problems: Sequence[str]) -> str:
    goal = [p for p in points if p.measure == view.goal] or list(points)
    selections = [p for p in goal if p.method != ALL]
    told = (
        f"Line chart of {goal[0].measure} against the number of words (log axis), "
        f"{several(len({p.method for p in selections}), 'methods')}, limits of 95 %."
    )
    if selections:
        told += f" Best is {_reached(max(selections, key=lambda p: p.mean))}."
    for baseline in (p for p in goal if p.method == ALL):
        told += f" All {baseline.terms:,.0f} words (ALL) reach {baseline.mean:.3f}."
    for detail in view.details:
        if detail.problem == problems[0] and detail.method:
            told += f" Recommended is {plain(detail.method)} with {detail.terms:,.0f} words."
    return told + of_problem(problems)


def _reached(point: Point) -> str:
    return f"{plain(point.method)} with {point.mean:.3f} at {point.terms:,.0f} words"


def stability(view: View) -> Spec | None:
    """How alike the words are that a method chooses in different folds, by three indices."""
    problems = problems_in(one.problem for one in view.stability)
    shown = [one for one in view.stability if one.problem in problems and one.terms > 0]
    rows = [row for one in shown for row in _indices(one)]
    if not rows:
        return None
    present = {row["index"] for row in rows}
    switches = {
        "index": [name for name in INDICES.values() if name in present],
        "problem": [plain(problem) for problem in problems],
    }
    of_first = [one for one in shown if one.problem == problems[0]]
    return _lines(
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
        "terms": number(one.terms),
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
            f"at {one.terms:,.0f} words."
            for which, one in (("Most stable", best), ("Least stable", least))
        )
    return told + of_problem(problems)


def _lines(
    view: View,
    description: str,
    rows: Sequence[Mapping[str, Any]],
    switches: Mapping[str, Sequence[str]],
    *,
    what: str,
    lowest: float | None,
    title: str,
    text: Mapping[str, str],
) -> Spec:
    middle = math.sqrt(min(r["terms"] for r in rows) * max(r["terms"] for r in rows))
    rows = [r | {"left": r["terms"] < middle} if r.get("recommended") else r for r in rows]
    drawn = {row["method"] for row in rows if not row.get("baseline")}
    legend = {
        "title": None,
        "orient": "bottom",
        "values": [plain(m) for m in view.methods if plain(m) in drawn],
        "columns": {"expr": "max(1, floor(width / 150))"},
        "labelLimit": 130,
        "symbolSize": 80,
    }
    named = len(switches["problem"]) > 1
    body = {
        "height": HEIGHT,
        "title": {"text": {"expr": title}} | ({"subtitle": {"expr": "problem"}} if named else {}),
        "data": {"name": "points"},
        "transform": [
            here(what, "problem"),
            {"filter": "indexof(hidden, datum.method) < 0"},
            {"calculate": _limits(), "as": "limits"},
        ],
        "encoding": {"x": _words(rows), "y": _height()},
        # only points make a legend: bands would pale it
        "resolve": {"legend": {"color": "independent", "shape": "independent"}},
        "layer": [
            *_baseline(rows),
            _band(view, lowest),
            _line(view),
            _points(view, legend, text),
            *_choice(rows),
        ],
    }
    return chart(description, {"points": rows}, body, switches, [{"name": "hidden", "value": []}])


def _limits() -> str:
    between = "format(datum.low, '.3f') + ' to ' + format(datum.high, '.3f')"
    return f"datum.low === null ? 'none' : {between}"


def _words(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """A log axis with a label at 1, 2 and 5 of each decade, fewer where it spans many."""
    low = min(row["terms"] for row in rows)
    high = max(row["terms"] for row in rows)
    steps = (1, 2, 5) if high / low < 2e4 else (1,)
    values = [s * 10**e for e in range(7) for s in steps if low <= s * 10**e <= high]
    return {
        "field": "terms",
        "type": "quantitative",
        "title": "Number of words",
        "scale": {"type": "log", "nice": False, "domain": _room(low, high)},
        "axis": {
            "format": "~s" if high >= 1e5 else ",.0f",
            "grid": False,
            "labelOverlap": "greedy",
            "labelFlush": False,
            **({"values": values} if len(values) > 1 else {"tickCount": 4}),
        },
    }


def _room(low: float, high: float) -> list[float]:
    """Both ends with a little room, so that points at the ends are seen whole."""
    room = max((high / low) ** 0.03, 1.05)
    return [low / room, high * room]


def _height() -> Spec:
    return {
        "field": "value",
        "type": "quantitative",
        "title": None,
        "scale": {"zero": False, "nice": True, "padding": 6},
        "axis": {"format": "~g", "tickCount": 6, "domain": False, "ticks": False},
    }


def _seen(value: float) -> Spec:
    """So much of a method that the legend has on, little of one that it has off."""
    return {"condition": {"param": "shown", "value": value}, "value": 0.06}


def _band(view: View, lowest: float | None) -> Spec:
    """Drawn no further than values can go: from `lowest` to 1. The tooltip has the limits."""
    cut = lowest is not None
    return {
        "transform": [
            {"filter": "datum.low !== null && !datum.baseline"},
            {"calculate": f"max({lowest}, datum.low)" if cut else "datum.low", "as": "from"},
            {"calculate": "min(1, datum.high)" if cut else "datum.high", "as": "to"},
        ],
        "mark": {"type": "area", "aria": False, "tooltip": None},
        "encoding": {
            "y": _height() | {"field": "from"},
            "y2": {"field": "to"},
            "color": colour(view, {}),
            "opacity": {"condition": {"param": "shown", "value": 0.14}, "value": 0},
        },
    }


def _line(view: View) -> Spec:
    return {
        "transform": [{"filter": "!datum.baseline"}],
        "mark": {"type": "line", "strokeWidth": 2, "aria": False},
        "encoding": {"color": colour(view, {}), "strokeDash": dash(view), "opacity": _seen(1)},
    }


def _points(view: View, legend: Mapping[str, Any], text: Mapping[str, str]) -> Spec:
    return {
        "params": [
            {
                "name": "shown",
                "select": {"type": "point", "fields": ["method"], "toggle": "true"},
                "bind": "legend",
            },
            {
                "name": "zoom",
                "select": {"type": "interval", "zoom": WHEEL},
                "bind": "scales",
            },
        ],
        "mark": {"type": "point", "filled": True, "size": 55},
        "encoding": {
            "color": colour(view, legend),
            "shape": shape(view, legend),
            "opacity": _seen(1),
            "tooltip": [
                {"field": "method", "type": "nominal", "title": "Method"},
                {"field": "terms", "type": "quantitative", "title": "Words", "format": ",.0f"},
                {
                    "field": "value",
                    "type": "quantitative",
                    "title": text["value"],
                    "format": ".3f",
                },
                {"field": "limits", "type": "nominal", "title": text["limits"]},
                {"field": "folds", "type": "quantitative", "title": "Folds"},
            ],
        },
    }


def _baseline(rows: Sequence[Mapping[str, Any]]) -> list[Spec]:
    """All words have one size: a line across, at what they reach."""
    if not any(row.get("baseline") for row in rows):
        return []
    only = [{"filter": "datum.baseline"}]
    return [
        {
            "transform": only,
            "mark": {"type": "rule", "style": "note", "strokeDash": [3, 3], "aria": False},
            "encoding": {"x": {"value": 0}, "x2": {"value": "width"}},
        },
        {
            "transform": only,
            "mark": {
                "type": "text",
                "style": "note",
                "align": "left",
                "baseline": "bottom",
                "dx": 4,
                "dy": -4,
                "aria": False,
            },
            "encoding": {
                "x": {"value": 0},
                "text": {"field": "label", "type": "nominal"},
            },
        },
    ]


def _choice(rows: Sequence[Mapping[str, Any]]) -> list[Spec]:
    """A ring around the recommended point, a line down to the axis, and its name beside that."""
    if not any(row.get("recommended") for row in rows):
        return []
    only = [{"filter": "datum.recommended"}]
    still = {"aria": False, "tooltip": None}
    return [
        {
            "transform": only,
            "mark": {"type": "rule", "style": "leader", "strokeDash": [2, 3], **still},
            "encoding": {"y2": {"value": "height"}},
        },
        {
            "transform": only,
            "mark": {
                "type": "point",
                "shape": "circle",
                "style": "note",
                "filled": False,
                "size": 260,
                "strokeWidth": 2,
                **still,
            },
        },
        {
            "transform": only,
            "mark": {
                "type": "text",
                "style": "note",
                "align": {"expr": "datum.left ? 'left' : 'right'"},
                "dx": {"expr": "datum.left ? 7 : -7"},
                "baseline": "bottom",
                "dy": -8,
                **still,
            },
            "encoding": {
                "y": {"value": "height"},
                "text": {"field": "note", "type": "nominal"},
            },
        },
    ]
