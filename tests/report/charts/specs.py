"""Views of given parts, and what becomes of a chart's specification."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
import vl_convert

from laconic.report.charts.figure_files import VERSION, static, svg
from laconic.report.view import Confusion, Detail, Point, View

NAMES = ["curves", "cost", "significance", "stability", "overlap", "confusion"]
NAN = math.nan


def made(**parts) -> View:
    """A view of nothing but these parts."""
    nothing = dict.fromkeys(View.__dataclass_fields__, ())
    nothing |= {"title": "t", "deciding_metrics": {"p": "accuracy"}, "finished": False}
    return View(**(nothing | parts))


def quality(method="IG", terms=10.0, mean=0.5, problem="p", metric="accuracy", **limits) -> Point:
    low, high = limits.get("low", mean - 0.1), limits.get("high", mean + 0.1)
    return Point(problem, method, metric, int(terms), terms, mean, low, high, 3)


def compiled(spec):
    """What Vega-Lite makes of it; it must not have to warn or mend."""
    return vl_convert.vegalite_to_vega(static(spec), vl_version=VERSION)


def drawn(spec) -> ElementTree.Element:
    return ElementTree.fromstring(svg(spec))


def texts(spec) -> list[str]:
    return [e.text for e in drawn(spec).iter("{http://www.w3.org/2000/svg}text")]


def domains(spec, channel="color"):
    return [
        layer["encoding"][channel]["scale"]["domain"]
        for layer in spec["layer"]
        if channel in layer.get("encoding", {})
    ]


def close(a, b) -> bool:
    return (a is None and math.isnan(b)) or a == pytest.approx(b, abs=1e-6)


def matrix_of(n: int, none: int = 0) -> View:
    counts = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(n):
        counts[i][i], counts[i][(i + 1) % n] = 3, 1
    counts[0][n] = none
    found = Confusion(tuple(f"class {i}" for i in range(n)), tuple(map(tuple, counts)))
    return made(details=(Detail("p", "s", confusion=found),))
