"""Charts of papers' figures: lines over a number, and scatters as cells."""

from __future__ import annotations

from typing import Any

from laconic.report.charts.lines import log_ticks
from laconic.report.charts.style import DASHES, SCHEMA, SHAPES, Spec, number, plain
from reproduction.shared.plots import Cells, Plot

HEIGHT = 300


def plot(of: Plot | Cells) -> Spec:
    """A complete Vega-Lite specification."""
    body = _cells(of) if isinstance(of, Cells) else _lines(of)
    return {
        "$schema": SCHEMA,
        "description": plain(f"{of.title}: {of.y_title} against {of.x_title}"),
        "title": {"text": plain(of.title)},
        "width": "container",
        "height": HEIGHT,
        **body,
    }


def _lines(of: Plot) -> Spec:
    names = list(dict.fromkeys(plain(line.name) for line in of.lines if not line.from_paper))
    names += [name for line in of.lines if (name := plain(line.name)) not in names]
    rows = [
        {"name": plain(line.name), "x": number(x), "y": number(y), "from_paper": line.from_paper}
        for line in of.lines
        for x, y in of.points(line)
    ]
    colour = {"color": _encoding(names, None)}
    return {
        "data": {"values": rows},
        "encoding": {"x": _x_axis(of), "y": _y_axis(of.y_title)},
        "layer": [
            *_level(of),
            {
                "transform": [{"filter": "!datum.from_paper"}],
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {**colour, "strokeDash": _encoding(names, list(DASHES))},
            },
            {
                "transform": [{"filter": "!datum.from_paper"}],
                "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
                "encoding": {**colour, "shape": _encoding(names, list(SHAPES))},
            },
            *_paper_points(of, names),
        ],
    }


def _paper_points(of: Plot, names: list[str]) -> list[Spec]:
    """The paper's values as hollow points, and a note in the corner that says so."""
    if not any(line.from_paper for line in of.lines):
        return []
    return [
        {
            "transform": [{"filter": "datum.from_paper"}],
            "mark": {"type": "point", "filled": False, "size": 130, "strokeWidth": 2},
            "encoding": {"color": _encoding(names, None), "shape": _encoding(names, list(SHAPES))},
        },
        {
            "data": {"values": [{"text": "hollow: the paper’s figures"}]},
            "mark": {"type": "text", "style": "note", "align": "right", "baseline": "bottom"},
            "encoding": {
                "x": {"value": "width"},
                "y": {"value": -4},
                "text": {"field": "text", "type": "nominal"},
            },
        },
    ]


def _level(of: Plot) -> list[Spec]:
    """A horizontal line for a value that has no size."""
    if of.level is None:
        return []
    name, value = of.level
    data = {"values": [{"y": number(value), "text": plain(name)}]}
    note: dict[str, Any] = {"style": "note"}
    return [
        {
            "data": data,
            "mark": {"type": "rule", "strokeDash": [3, 3], **note},
            "encoding": {
                "x": {"value": 0},
                "x2": {"value": "width"},
                "y": _y_axis(of.y_title),
            },
        },
        {
            "data": data,
            "mark": {"type": "text", "align": "left", "baseline": "bottom", "dx": 4, "dy": -4}
            | note,
            "encoding": {
                "x": {"value": 0},
                "y": _y_axis(of.y_title),
                "text": {"field": "text", "type": "nominal"},
            },
        },
    ]


def _x_axis(of: Plot) -> Spec:
    values = [x for line in of.lines for x, _ in of.points(line)]
    marks = log_ticks(min(values), max(values)) if of.log else []
    # too few ticks at 1, 2 and 5: one tick per size
    ticks = marks if len(marks) > 1 else sorted(set(values))
    ends = {"nice": False, "padding": 12}
    return {
        "field": "x",
        "type": "quantitative",
        "title": plain(of.x_title),
        "scale": {"type": "log", **ends} if of.log else {"zero": False, **ends},
        "axis": {"grid": False, "format": ",~r", "labelOverlap": "greedy"}
        | ({"values": ticks} if of.log else {}),
    }


def _y_axis(title: str) -> Spec:
    return {
        "field": "y",
        "type": "quantitative",
        "title": plain(title),
        "scale": {"zero": False, "nice": True, "padding": 6},
        "axis": {"format": ".4~f", "tickCount": 6, "domain": False, "ticks": False},
    }


def _encoding(names: list[str], values: list[Any] | None) -> Spec:
    """Colour, dash or shape by name, with one shared legend below."""
    scale = "category" if values is None else [values[i % len(values)] for i, _ in enumerate(names)]
    return {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": names, "range": scale},
        "legend": {"title": None, "orient": "bottom", "columns": 4, "labelLimit": 220},
    }


def _cells(of: Cells) -> Spec:
    fields = ("left", "right", "low", "high")
    rows = [dict(zip(fields, map(number, ends), strict=True)) | {"n": n} for *ends, n in of.counts]
    least = number(min(min(left, low) for left, _, low, _, _ in of.counts))
    most = number(max(max(right, high) for _, right, _, high, _ in of.counts))
    ends = [{"left": end, "low": end} for end in (least, most)]
    axis = {"zero": False, "nice": False}
    x_title, y_title = plain(of.x_title), plain(of.y_title)
    diagonal = {
        "data": {"values": ends},
        "mark": {"type": "line", "strokeDash": [3, 3], "style": "note", "strokeWidth": 1},
    }
    return {
        "encoding": {
            "x": {"field": "left", "type": "quantitative", "title": x_title, "scale": axis},
            "y": {"field": "low", "type": "quantitative", "title": y_title, "scale": axis},
        },
        "layer": [
            {
                "data": {"values": rows},
                "mark": {"type": "rect"},
                "encoding": {
                    "x2": {"field": "right"},
                    "y2": {"field": "high"},
                    "color": {
                        "field": "n",
                        "type": "quantitative",
                        "scale": {"range": "ramp", "type": "sqrt", "domainMin": 0},
                        "legend": {"title": "how many", "orient": "right", "tickMinStep": 1},
                    },
                },
            },
            *([diagonal] if of.diagonal else []),
        ],
    }
