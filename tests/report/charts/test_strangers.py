"""Names of strangers in charts: drawn, and never run."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from laconic.report.charts import all_charts, confusion, curves, plain
from laconic.report.view import View
from tests.report.charts.specs import NAMES, drawn, made, quality, texts
from tests.report.studies import HOSTILE


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_drawable(name):
    safe = plain(name)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", safe)
    if name.isascii() and name.isprintable() and name != "__proto__":
        assert safe == name


def renamed(view: View) -> View:
    """The same with hostile names for problems, methods, measures, tests and classes."""
    names = {m: HOSTILE[i] for i, m in enumerate(view.methods) if m != "ALL"}
    evil = HOSTILE[1]

    def of(one, **more):
        return replace(one, problem=evil, **more)

    return replace(
        view,
        title=evil,
        problems=(evil,),
        methods=tuple(names.get(m, m) for m in view.methods),
        points=tuple(of(p, method=names.get(p.method, p.method)) for p in view.points),
        costs=tuple(of(c, method=names.get(c.method, c.method)) for c in view.costs),
        overlaps=tuple(
            of(o, method_a=names[o.method_a], method_b=names[o.method_b]) for o in view.overlaps
        ),
        comparisons=tuple(
            of(
                c,
                method_a=names.get(c.method_a, c.method_a),
                method_b=names.get(c.method_b, c.method_b),
                note=HOSTILE[5],
            )
            for c in view.comparisons
        ),
        stability=tuple(of(s, method=names[s.method]) for s in view.stability),
        details=tuple(of(d, method=names.get(d.method, d.method)) for d in view.details),
    )


@pytest.mark.full
@pytest.mark.parametrize("change", [lambda view: view, renamed])
def test_hostile_names_are_drawn_and_not_run(hostile_view, change):
    charts = all_charts(change(hostile_view))
    assert list(charts) == NAMES
    for spec in charts.values():
        tree = drawn(spec)
        allowed = {
            "svg",
            "g",
            "path",
            "text",
            "rect",
            "line",
            "defs",
            "linearGradient",
            "stop",
            "clipPath",
        }
        tags = {element.tag.split("}")[1] for element in tree.iter()}
        assert tags <= allowed
        attributes = {name for element in tree.iter() for name in element.attrib}
        assert not [name for name in attributes if name.lower().startswith("on") or "href" in name]


def test_hostile_names_are_in_no_expression(hostile_view):
    """They are values: of data, domains, parameters and the description."""

    def expressions(value):
        if isinstance(value, dict):
            for key, each in value.items():
                if key in ("expr", "filter", "calculate", "test") and isinstance(each, str):
                    yield each
                elif key not in ("datasets", "usermeta"):
                    yield from expressions(each)
        elif isinstance(value, list):
            for each in value:
                yield from expressions(each)

    view = renamed(hostile_view)
    for name, spec in all_charts(view).items():
        found = list(expressions(spec))
        assert found, name
        assert not [text for text in found if "alert" in text or "7*7" in text or "<s" in text]
    assert any(
        "<script>" in row["truth"] for row in confusion(view, view.problems[0])["datasets"]["cells"]
    )


def test_a_name_cannot_pass_for_a_signal():
    """Vega takes {"signal": …} for code; a name is always a string."""
    view = made(methods=('{"signal": "alert(1)"}',), points=(quality('{"signal": "alert(1)"}'),))
    assert '{"signal": "alert(1)"}' in texts(curves(view))
