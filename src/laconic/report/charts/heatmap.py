"""Matrices: cells with text; column names are horizontal, or slanted if they do not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from laconic.report.charts.style import Spec, plain
from laconic.report.view import Overlap, View
from laconic.studies.analysis.comparisons import Comparison


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
    """A matrix. Text is shown in cells of at least `narrowest` pixels; never for None."""
    nominal = {"type": "nominal", "title": None}
    return {
        "height": step * len(rows or names),
        "encoding": {
            "y": nominal
            | {
                "field": fields[0],
                "title": "True class" if rows else None,
                "scale": {"domain": list(rows or names), "padding": 0.04},
                "axis": _axis(bool(rows)) | {"labelLimit": 120},
            },
            "x": nominal
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
            *([] if narrowest is None else [_text(narrowest)]),
        ],
    }


def _text(narrowest: int) -> Spec:
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
    """Column names: horizontal if the longest fits its column, else slanted or vertical."""
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
    formats = {"share": ".1%", "jaccard": ".3f", "n_shared": ",.1~f", "count": ",", "n_pairs": ","}
    kind = "quantitative" if field in formats else "nominal"
    shown = {"format": formats[field]} if field in formats else {}
    return {"field": field, "type": kind, "title": title, **shown}


def pair_methods(view: View, pairs: Sequence[Comparison | Overlap]) -> list[str]:
    """The methods of the pairs, in the order of the study."""
    present = {method for pair in pairs for method in (pair.method_a, pair.method_b)}
    return [
        plain(method)
        for method in dict.fromkeys((*view.methods, *sorted(present)))
        if method in present
    ]
