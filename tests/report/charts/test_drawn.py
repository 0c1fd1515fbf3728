"""Every chart compiles, fits and is told apart, also of little or of unfinished studies."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from laconic.report.build import view_of
from laconic.report.charts import all_charts, curves, overlap, plain, significance, theme
from laconic.report.charts.figure_files import svg
from laconic.report.charts.style import problems_in
from laconic.report.charts.theme import DARK, LIGHT
from laconic.report.view import Overlap, Point
from laconic.studies.analysis.comparisons import Comparison
from laconic.studies.options import SplitOptions
from tests.report.charts.specs import NAMES, NAN, compiled, domains, drawn, made, quality
from tests.report.studies import finished
from tests.studies.corpora import pets

# --- every chart ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_fits_its_container_and_compiles(pets_view, name):
    spec = all_charts(pets_view)[name]
    assert spec["width"] == "container"
    assert "config" not in spec
    assert "background" not in spec
    json.dumps(spec, allow_nan=False)
    assert compiled(spec)["marks"]
    assert len(drawn(spec)) > 0


def test_no_data_come_by_address(pets_view):
    for spec in all_charts(pets_view).values():
        text = json.dumps({k: v for k, v in spec.items() if k != "$schema"})
        assert '"url"' not in text
        assert "http" not in text


def test_descriptions_say_what_is_seen(pets_view):
    charts = all_charts(pets_view)
    best = max(
        (p for p in pets_view.points if p.metric == "accuracy" and p.method != "ALL"),
        key=lambda p: p.mean,
    )
    said = charts["curves"]["description"]
    assert f"Best: {best.method} with {best.n_features:,.0f} words, {best.mean:.3f}" in said
    assert "All 58 words (ALL): " in said
    assert "Recommended: IG with 40 words" in said
    fastest = min(pets_view.costs, key=lambda one: one.seconds)
    assert f"The fastest is {fastest.method}" in charts["cost"]["description"]
    steady = max(pets_view.stability, key=lambda one: one.nogueira)
    assert f"Nogueira's index: {steady.method}" in charts["stability"]["description"]
    assert "30 of 30 test documents are classified correctly" in charts["confusion"]["description"]


def test_a_clear_winner_is_named():
    one = Comparison("p", "A", "B", 1, 1, "t-test", -3.0, 0.002, 0.004, -1.0, "d_z", 5, "")
    said = significance(made(methods=("A", "B"), comparisons=(one,)))["description"]
    assert "B is better than A (p 0.004)" in said


def test_a_method_has_one_colour_in_all_charts(pets_view):
    charts = all_charts(pets_view)
    found = [d for name in ("curves", "cost", "stability") for d in domains(charts[name])]
    assert found
    assert all(domain == ["ALL", "DF", "IG", "WS"] for domain in found)


def test_thirty_methods_all_look_different():
    methods = ("ALL", *(f"M{i}" for i in range(30)))
    points = tuple(quality(m, t, 0.5) for m in methods for t in (5.0, 50.0))
    spec = curves(made(methods=methods, points=points))
    (shapes,) = (
        e["encoding"]["shape"]["scale"]["range"]
        for e in spec["layer"]
        if "shape" in e.get("encoding", {})
    )
    (dashes,) = (
        e["encoding"]["strokeDash"]["scale"]["range"]
        for e in spec["layer"]
        if "strokeDash" in e.get("encoding", {})
    )
    colours = [i % len(LIGHT.methods) for i in range(len(shapes))]
    assert len(set(zip(colours, shapes, strict=True))) == 31
    assert len(set(zip(colours, map(tuple, dashes), strict=True))) == 31
    compiled(spec)


@pytest.mark.parametrize(("palette", "page"), [(LIGHT, "#ffffff"), (DARK, "#0d1117")])
def test_colours_stand_out(palette, page):
    assert min(contrast(colour, page) for colour in palette.methods) >= 3
    assert min(contrast(colour, page) for colour in (palette.ink, palette.faint)) >= 4.5
    cells = (*palette.verdicts, *palette.shares)
    assert min(contrast(palette.in_cell, cell) for cell in cells) >= 4.5


def contrast(a: str, b: str) -> float:
    """WCAG 2.1."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_themes_differ_in_colours_only():
    def shape(value):
        return {k: shape(v) for k, v in value.items()} if isinstance(value, dict) else type(value)

    assert shape(theme()) == shape(theme(dark=True))
    assert theme()["background"] == "transparent"


# --- little and unfinished --------------------------------------------------------------------


def test_nothing_gives_no_charts():
    assert all_charts(made()) == {}


def test_one_fold_has_no_limits():
    points = tuple(quality("IG", t, 0.5, low=NAN, high=NAN) for t in (5.0, 50.0))
    spec = curves(made(methods=("IG",), points=points))
    assert [r["low"] for r in spec["datasets"]["points"]] == [None, None]
    assert "NaN" not in svg(spec)
    json.dumps(spec, allow_nan=False)


def test_a_study_on_its_test_documents():
    """As papers do: no folds, so one value a point, no comparisons and no choice tested."""
    view = view_of(finished(pets(90), split=SplitOptions(cv=0), methods=("IG", "DF")))
    charts = all_charts(view)
    assert "curves" in charts
    assert all(row["low"] is None for row in charts["curves"]["datasets"]["points"])
    for spec in charts.values():
        drawn(spec)


@pytest.mark.parametrize("n", [1, 2])
def test_a_study_that_has_only_begun(pets_view, n):
    view = replace(
        pets_view,
        points=pets_view.points[-n:],
        costs=pets_view.costs[:n],
        details=(),
        comparisons=pets_view.comparisons[:n],
        overlaps=pets_view.overlaps[:n],
        stability=pets_view.stability[:n],
    )
    charts = all_charts(view)
    assert list(charts) == NAMES[:-1]
    for spec in charts.values():
        assert "NaN" not in svg(spec)


def test_a_model_of_no_words_has_no_place_on_a_log_axis():
    view = made(methods=("IG",), points=(quality(terms=0.0), quality(terms=5.0)))
    assert len(curves(view)["datasets"]["points"]) == 1


def test_very_many_problems_are_cut_whole():
    assert problems_in(["a"] * 3 + ["b"] * 3 + ["c"] * 3, most=7) == ["a", "b"]
    assert problems_in(["a"] * 30, most=7) == ["a"]
    assert problems_in([]) == []


def test_overlap_of_a_share_of_words_is_said_so():
    one = Overlap("p", "A", "B", 0.1, 5.0, 0.5)
    assert "10.0% of all" in overlap(made(methods=("A", "B"), overlaps=(one,)))["description"]


def test_a_name_that_objects_have_of_their_own_is_spelt_otherwise():
    assert plain("__proto__") != "__proto__"
    assert plain("proto") == "proto"


def test_a_projection_stands_at_its_columns_because_it_reads_all_words_at_every_size():
    words = [Point("p", "IG", "roc_auc", n, float(n), 0.5, 0.4, 0.6, 3) for n in (10, 100)]
    mixed = [Point("p", "LDA", "roc_auc", n, 900.0, 0.8, 0.7, 0.9, 3) for n in (2, 12)]
    about = {"methods": ("IG", "LDA"), "deciding_metrics": {"p": "roc_auc"}}
    spec = curves(made(**about, points=(*words, *mixed)))
    compiled(spec)
    found = {(row["method"], row["n_features"]) for row in spec["datasets"]["points"]}
    assert found == {("IG", 10.0), ("IG", 100.0), ("LDA", 2.0), ("LDA", 12.0)}
    assert spec["encoding"]["x"]["title"] == "Number of words, or of components"
    assert "LDA with 2 components, 0.800" in spec["description"]
    plain = curves(made(**about, points=tuple(words)))
    assert plain["encoding"]["x"]["title"] == "Number of words"


def test_all_words_alone_are_drawn_in_a_picture_of_finite_size():
    spec = curves(made(methods=("ALL",), points=(quality("ALL", 900.0, 0.8),)))
    compiled(spec)
    width = float(ElementTree.fromstring(svg(spec)).attrib["width"])
    assert 500 < width < 2000
