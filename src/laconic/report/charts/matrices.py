"""How a matrix is drawn: cells with their text, names level or slanted as room allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from laconic.report.charts.styling import Spec, plain
from laconic.report.view import Overlap, View
from laconic.study.comparing import Comparison


def matrix(
    names: Sequence[str],
    columns: Sequence[tuple[str, str]],
    *,
    colour: Mapping[str, Any],
    across: str | None,
    narrowest: int | None,
    step: int,
    rows: Sequence[str] | None = None,
    fields: tuple[str, str] = ("row", "column"),
) -> Spec:
    """Cells with their text, written where a cell is at least so wide; never for None."""
    along = {"type": "nominal", "title": None}
    return {
        "height": step * len(rows or names),
        "encoding": {
            "y": along
            | {
                "field": fields[0],
                "title": "True class" if rows else None,
                "scale": {"domain": list(rows or names), "padding": 0.04},
                "axis": _axis(bool(rows)) | {"labelLimit": 120},
            },
            "x": along
            | {
                "field": fields[1],
                "title": across,
                "scale": {"domain": list(names), "padding": 0.04},
                "axis": _axis(bool(rows))
                | {
                    "orient": "top",
                    **_slanted(max(map(len, names))),
                    "labelLimit": 110,
                },
            },
            "tooltip": [_tooltip(field, title) for field, title in columns],
        },
        "layer": [
            {
                "mark": {"type": "rect", "cornerRadius": 2 if len(names) <= 12 else 0},
                "encoding": {"color": dict(colour)},
            },
            *([] if narrowest is None else [_written(narrowest)]),
        ],
    }


def _written(narrowest: int) -> Spec:
    return {
        "mark": {
            "type": "text",
            "style": "in-cell",
            "aria": False,
            "opacity": {"expr": f"bandwidth('x') < {narrowest} ? 0 : 1"},
        },
        "encoding": {"text": {"field": "text", "type": "nominal"}},
    }


def _axis(grid: bool) -> Spec:
    return {
        "domain": False,
        "ticks": False,
        "labelPadding": 6,
        "grid": grid,
        "gridOpacity": 0.5,
        "zindex": 0,
    }


def _slanted(longest: int) -> Spec:
    """Names over the columns: level where the widest fits its column, else slanted or upright."""
    narrow = f"bandwidth('x') < {min(7 * longest, 110)}"
    return {
        "labelAngle": {"expr": f"bandwidth('x') < 18 ? -90 : {narrow} ? -40 : 0"},
        "labelAlign": {"expr": f"{narrow} ? 'left' : 'center'"},
        "labelBaseline": {"expr": f"{narrow} ? 'middle' : 'bottom'"},
    }


def ramp(field: str, title: str) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": "ramp"},
        "legend": {
            "title": title,
            "orient": "bottom",
            "format": ".0%",
            "values": [0, 0.5, 1],
            "gradientLength": 200,
            "gradientThickness": 10,
            "titleLimit": 320,
        },
    }


def _tooltip(field: str, title: str) -> Spec:
    formats = {"share": ".1%", "jaccard": ".3f", "shared": ",.1~f", "count": ",", "n": ","}
    kind = "quantitative" if field in formats else "nominal"
    shown = {"format": formats[field]} if field in formats else {}
    return {"field": field, "type": kind, "title": title, **shown}


def pair_methods(view: View, pairs: Sequence[Comparison | Overlap]) -> list[str]:
    """Those of the pairs, in the order of the study."""
    present = {method for pair in pairs for method in (pair.a, pair.b)}
    return [
        plain(method)
        for method in dict.fromkeys((*view.methods, *sorted(present)))
        if method in present
    ]
