"""Line charts over the number of words, with confidence bands, points and a legend."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from laconic.report.charts.style import HEIGHT, Spec, chart, colour, dash, here, plain, shape
from laconic.report.view import View

# The wheel alone scrolls the page; a pinch arrives as a wheel event with Ctrl.
WHEEL = "wheel![event.ctrlKey || event.metaKey]"


def lines(
    view: View,
    description: str,
    rows: Sequence[Mapping[str, Any]],
    switches: Mapping[str, Sequence[str]],
    *,
    what: str,
    lowest: float | None,
    title: str,
    text: Mapping[str, str],
    across: str = "Number of words",
) -> Spec:
    middle = math.sqrt(min(r["n_features"] for r in rows) * max(r["n_features"] for r in rows))
    rows = [{**r, "left": r["n_features"] < middle} if "recommended" in r else r for r in rows]
    methods = {row["method"] for row in rows if not row.get("baseline")}
    # an empty legend has no finite size
    legend: dict[str, Any] = (
        {}
        if not methods
        else {
            "title": None,
            "orient": "bottom",
            "values": [plain(m) for m in view.methods if plain(m) in methods],
            "columns": {"expr": f"max(1, floor(width / {_legend_column(methods)}))"},
            "labelLimit": 130,
            "symbolSize": 80,
        }
    )
    several_problems = len(switches["problem"]) > 1
    body = {
        "height": HEIGHT,
        "title": {"text": {"expr": title}}
        | ({"subtitle": {"expr": "problem"}} if several_problems else {}),
        "data": {"name": "points"},
        "transform": [
            here(what, "problem"),
            {"filter": "indexof(hidden, datum.method) < 0"},
            {"calculate": _limits(), "as": "limits"},
        ],
        "encoding": {"x": _words(rows) | {"title": across}, "y": _height()},
        # the legend is of the points only: bands would fade its symbols
        "resolve": {"legend": {"color": "independent", "shape": "independent"}},
        "layer": [
            *_baseline(rows),
            _band(view, lowest),
            _line(view),
            _points(view, legend, text),
            *_recommended(rows),
        ],
    }
    return chart(description, {"points": rows}, body, switches, [{"name": "hidden", "value": []}])


def _limits() -> str:
    between = "format(datum.low, '.3f') + ' to ' + format(datum.high, '.3f')"
    return f"datum.low === null ? 'none' : {between}"


def _words(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """A log axis with labels at 1, 2 and 5 of each decade, or at 1 if it has many decades."""
    low = min(row["n_features"] for row in rows)
    high = max(row["n_features"] for row in rows)
    values = log_ticks(low, high)
    return {
        "field": "n_features",
        "type": "quantitative",
        "title": "Number of words",
        "scale": {"type": "log", "nice": False, "domain": _domain(low, high)},
        "axis": {
            "format": "~s" if high >= 1e5 else ",.0f",
            "grid": False,
            "labelOverlap": "greedy",
            "labelFlush": False,
            **({"values": values} if len(values) > 1 else {"tickCount": 4}),
        },
    }


def log_ticks(low: float, high: float) -> list[float]:
    steps = (1, 2, 5) if high / low < 2e4 else (1,)
    return [value for e in range(-4, 7) for s in steps if low <= (value := s * 10.0**e) <= high]


def _domain(low: float, high: float) -> list[float]:
    """The domain with a margin, so that the first and last points are not cut off."""
    margin = max((high / low) ** 0.03, 1.05)
    return [low / margin, high * margin]


def _height() -> Spec:
    return {
        "field": "value",
        "type": "quantitative",
        "title": None,
        "scale": {"zero": False, "nice": True, "padding": 6},
        "axis": {"format": "~g", "tickCount": 6, "domain": False, "ticks": False},
    }


def _opacity(value: float) -> Spec:
    """This opacity for methods that are on in the legend, almost none for those that are off."""
    return {"condition": {"param": "shown", "value": value}, "value": 0.06}


def _band(view: View, lowest: float | None) -> Spec:
    """Confidence limits, cut at the range of values, `lowest` to 1; the tooltip has them uncut.

    If no point has limits, all become a band without height: the axis needs some data.
    """
    low, high = "datum.low", "datum.high"
    if lowest is not None:
        low, high = f"max({lowest}, datum.low)", "min(1, datum.high)"
    return {
        "transform": [
            {"filter": "!datum.baseline"},
            {"joinaggregate": [{"op": "valid", "field": "low", "as": "limited"}]},
            {"filter": "datum.low !== null || datum.limited === 0"},
            {"calculate": f"datum.low === null ? datum.value : {low}", "as": "from"},
            {"calculate": f"datum.low === null ? datum.value : {high}", "as": "to"},
        ],
        "mark": {"type": "area", "clip": True, "aria": False, "tooltip": None},
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
        "mark": {"type": "line", "clip": True, "strokeWidth": 2, "aria": False},
        "encoding": {"color": colour(view, {}), "strokeDash": dash(view), "opacity": _opacity(1)},
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
        "mark": {"type": "point", "clip": True, "filled": True, "size": 55},
        "encoding": {
            "color": colour(view, legend),
            "shape": shape(view, legend),
            "opacity": _opacity(1),
            "tooltip": [
                {"field": "method", "type": "nominal", "title": "Method"},
                {"field": "n_features", "type": "quantitative", "title": "Words", "format": ",.0f"},
                {
                    "field": "value",
                    "type": "quantitative",
                    "title": text["value"],
                    "format": ".3f",
                },
                {"field": "limits", "type": "nominal", "title": text["limits"]},
                {"field": "n_folds", "type": "quantitative", "title": "Folds"},
            ],
        },
    }


def _baseline(rows: Sequence[Mapping[str, Any]]) -> list[Spec]:
    """The result of all words, which have one size: a horizontal line."""
    if not any(row.get("baseline") for row in rows):
        return []
    only = [{"filter": "datum.baseline"}]
    return [
        {
            "transform": only,
            "mark": {
                "type": "rule",
                "clip": True,
                "style": "note",
                "strokeDash": [3, 3],
                "aria": False,
            },
            "encoding": {"x": {"value": 0}, "x2": {"value": "width"}},
        },
        {
            "transform": only,
            "mark": {
                "type": "text",
                "clip": True,
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


def _recommended(rows: Sequence[Mapping[str, Any]]) -> list[Spec]:
    """A ring around the recommended point, a line down to the axis, and a label."""
    if not any(row.get("recommended") for row in rows):
        return []
    only = [{"filter": "datum.recommended"}]
    passive = {"clip": True, "aria": False, "tooltip": None}
    return [
        {
            "transform": only,
            "mark": {"type": "rule", "style": "leader", "strokeDash": [2, 3], **passive},
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
                "opacity": 1,
                **passive,
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
                **passive,
            },
            "encoding": {
                "y": {"value": "height"},
                "text": {"field": "note", "type": "nominal"},
            },
        },
    ]


def _legend_column(names: Iterable[str]) -> int:
    """The width in pixels of the longest name with its symbol, roughly."""
    return 40 + min(130, 7 * max(map(len, names), default=0))
