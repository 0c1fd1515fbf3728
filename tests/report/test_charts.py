"""Charts: their data are the view's, they compile and draw, and a stranger's name stays data."""

import json
import math
import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest
import vl_convert

from laconic.errors import LaconicError
from laconic.report.charts import (
    agreement,
    all_charts,
    confusion,
    cost,
    curves,
    plain,
    save,
    significance,
    stability,
    theme,
)
from laconic.report.charts.lightening import lighter
from laconic.report.charts.saving import VERSION, still, svg
from laconic.report.charts.styling import problems_in
from laconic.report.charts.theme import DARK, LIGHT
from laconic.report.reading import view_of
from laconic.report.view import Confusion, Cost, Detail, Overlap, Point, View
from laconic.study.comparing import Comparison, SelectionStability
from laconic.study.settings import Splitting
from tests.report.studies import (  # noqa: F401
    HOSTILE,
    family_view,
    finished,
    hostile_view,
    pets_view,
)
from tests.study.corpora import pets

NAMES = ["curves", "cost", "significance", "stability", "agreement", "confusion"]
NAN = math.nan


def made(**parts) -> View:
    """A view of nothing but these parts."""
    nothing = dict.fromkeys(View.__dataclass_fields__, ())
    nothing |= {"title": "t", "goal": "accuracy", "measures": ("accuracy",), "finished": False}
    return View(**(nothing | parts))


def quality(method="IG", terms=10.0, mean=0.5, problem="p", measure="accuracy", **limits) -> Point:
    low, high = limits.get("low", mean - 0.1), limits.get("high", mean + 0.1)
    return Point(problem, method, measure, int(terms), terms, mean, low, high, 3)


def compiled(spec):
    """What Vega-Lite makes of it; it must not have to warn or mend."""
    return vl_convert.vegalite_to_vega(still(spec), vl_version=VERSION)


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


# --- the data are the view's -----------------------------------------------------------------


def test_every_chart_of_a_finished_study_is_there(pets_view):  # noqa: F811
    assert list(all_charts(pets_view)) == NAMES


def test_curves_hold_every_point_with_its_limits(pets_view):  # noqa: F811
    rows = curves(pets_view)["datasets"]["points"]
    assert len(rows) == len(pets_view.points) == 39
    for row, point in zip(rows, pets_view.points, strict=True):
        assert (row["method"], row["measure"]) == (point.method, point.measure)
        assert row["folds"] == point.folds == 3
        for name in ("terms", "low", "high"):
            assert close(row[name], getattr(point, name))
        assert close(row["value"], point.mean)


def test_the_baseline_is_a_line_across(pets_view):  # noqa: F811
    spec = curves(pets_view)
    (row,) = [
        r for r in spec["datasets"]["points"] if "baseline" in r and r["measure"] == "accuracy"
    ]
    assert row["method"] == "ALL"
    assert row["label"] == "all words"
    assert "all words" in texts(spec)


def test_the_recommended_point_is_marked_once_a_measure(pets_view):  # noqa: F811
    (detail,) = pets_view.details
    rows = [r for r in curves(pets_view)["datasets"]["points"] if r.get("recommended")]
    assert [r["measure"] for r in rows] == list(pets_view.measures)
    assert {(r["method"], r["terms"]) for r in rows} == {(detail.method, detail.terms)}
    assert f"recommended: {detail.method}, 40 words" in texts(curves(pets_view))


def test_measures_and_problems_can_be_switched(family_view):  # noqa: F811
    spec = curves(family_view)
    assert spec["usermeta"]["choices"] == {
        "measure": ["micro-f1", "macro-f1", "accuracy"],
        "problem": ["pets", "more pets"],
    }
    values = {p["name"]: p["value"] for p in spec["params"]}
    assert values == {"measure": "micro-f1", "problem": "pets", "hidden": []}
    assert "pets" in texts(spec)
    spec["params"][1]["value"] = "more pets"
    assert "more pets" in texts(spec)


def test_signals_of_the_page_are_at_the_top(family_view):  # noqa: F811
    """There the page reaches them by `view.signal`."""
    for name, spec in all_charts(family_view).items():
        top = {signal["name"] for signal in compiled(spec).get("signals", ())}
        assert set(spec["usermeta"]["choices"]) <= top, name
    assert {"hidden", "shown", "zoom"} <= {
        s["name"] for s in compiled(curves(family_view))["signals"]
    }


def test_the_goal_is_the_first_measure():
    view = made(
        goal="b",
        measures=("a", "b"),
        methods=("IG",),
        points=(quality(measure="a"), quality(measure="b")),
    )
    assert curves(view)["usermeta"]["choices"]["measure"] == ["b", "a"]


def test_costs_are_those_of_the_view(pets_view):  # noqa: F811
    rows = cost(pets_view)["datasets"]["costs"]
    for row, one in zip(rows, pets_view.costs, strict=True):
        assert row["method"] == one.method
        assert close(row["seconds"], one.seconds)
        assert close(row["megabytes"], one.memory / 1e6)
        assert close(row["best"], one.best)


def test_names_beside_equal_costs_do_not_overlap():
    costs = tuple(Cost("p", f"M{i}", 1.0, 10**8, 0.5, 10.0) for i in range(8))
    rows = cost(made(methods=tuple(c.method for c in costs), costs=costs))["datasets"]["costs"]
    places = sorted(row["beside"] for row in rows)
    gaps = [b - a for a, b in pairwise(places)]
    assert min(gaps) > 0.9 * max(gaps) > 0


def test_significance_is_seen_from_both_sides(pets_view):  # noqa: F811
    rows = significance(pets_view)["datasets"]["comparisons"]
    assert len(rows) == 2 * len(pets_view.comparisons)
    sides = {(r["test"], r["row"], r["column"]): r for r in rows}
    mirrored = str.maketrans("▲▼", "▼▲")
    for (test, row, column), one in sides.items():
        other = sides[test, column, row]
        assert one["holm"] == other["holm"]
        assert one["text"].translate(mirrored) == other["text"]
        assert (
            one["verdict"].split(",")[0]
            == {
                "better": "worse",
                "worse": "better",
                "no difference shown": "no difference shown",
            }[other["verdict"].split(",")[0]]
        )


@pytest.mark.parametrize(
    ("effect", "name", "holm", "text", "verdict", "other"),
    [
        (2.0, "d_z", 0.0004, "▲ <0.001", "better, p ≤ 0.001", "−2 (d_z)"),
        (-0.5, "net wins", 0.01, "▼ 0.010", "worse, p ≤ 0.01", "0.5 (net wins)"),
        (4.0, "odds ratio", 0.04, "▲ 0.040", "better, p ≤ 0.05", "0.25 (odds ratio)"),
        (0.0, "odds ratio", 0.04, "▼ 0.040", "worse, p ≤ 0.05", "∞ (odds ratio)"),
        (math.inf, "odds ratio", 0.3, "0.30", "no difference shown", "0 (odds ratio)"),
        (NAN, "d_z", NAN, "–", "no difference shown", "– (d_z)"),
    ],
)
def test_verdicts(effect, name, holm, text, verdict, other):
    one = Comparison("p", "A", "B", 1, 1, "t", effect, holm, holm, effect, name, 5, "")
    spec = significance(made(methods=("A", "B"), comparisons=(one,)))
    first, second = spec["datasets"]["comparisons"]
    assert (first["row"], first["text"], first["verdict"]) == ("A", text, verdict)
    assert (second["row"], second["effect"]) == ("B", other)
    compiled(spec)


def test_the_statistic_of_mcnemar_has_no_sign():
    one = Comparison("p", "A", "B", 1, 1, "McNemar's test", 3.0, 0.5, 0.5, 2, "odds ratio", 9, "")
    rows = significance(made(methods=("A", "B"), comparisons=(one,)))["datasets"]["comparisons"]
    assert [row["statistic"] for row in rows] == ["3", "3"]


def test_a_test_over_all_problems_is_shown_with_any_problem():
    over = [
        Comparison(p, "A", "B", 1, 1, test, 1.0, 0.01, 0.01, 1.0, "d_z", 9, "")
        for p, test in (("p", "t"), ("q", "t"), ("all problems", "Wilcoxon signed-rank test"))
    ]
    spec = significance(made(methods=("A", "B"), comparisons=tuple(over)))
    assert spec["usermeta"]["choices"]["problem"] == ["p", "q"]
    spec["params"][0]["value"] = "Wilcoxon signed-rank test"
    assert "▲ 0.010" in texts(spec)


def test_stability_has_three_indices_and_limits_for_one(pets_view):  # noqa: F811
    spec = stability(pets_view)
    rows = spec["datasets"]["points"]
    assert len(spec["usermeta"]["choices"]["index"]) == 3
    of_nogueira = [r for r in rows if r["index"].startswith("Nogueira")]
    for row, one in zip(of_nogueira, pets_view.stability, strict=True):
        assert close(row["value"], one.nogueira)
        assert close(row["low"], one.low)
        assert close(row["high"], one.high)
    assert all(r["low"] is None for r in rows if not r["index"].startswith("Nogueira"))


def test_an_index_that_is_nowhere_known_is_not_offered():
    one = SelectionStability("p", "IG", 5, 5.0, 0.5, NAN, 0.4, NAN, NAN, 2)
    spec = stability(made(methods=("IG",), stability=(one,)))
    assert spec["usermeta"]["choices"]["index"] == ["Nogueira's index", "Jaccard's index"]
    compiled(spec)


def test_agreement_is_symmetric(pets_view):  # noqa: F811
    rows = agreement(pets_view)["datasets"]["overlaps"]
    assert len(rows) == 2 * len(pets_view.overlaps)
    shared = {(r["row"], r["column"]): (r["shared"], r["jaccard"]) for r in rows}
    for one in pets_view.overlaps:
        assert shared[one.a, one.b] == shared[one.b, one.a]
        assert close(shared[one.a, one.b][0], one.shared)


def matrix_of(n: int, none: int = 0) -> View:
    counts = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(n):
        counts[i][i], counts[i][(i + 1) % n] = 3, 1
    counts[0][n] = none
    found = Confusion(tuple(f"class {i}" for i in range(n)), tuple(map(tuple, counts)))
    return made(details=(Detail("p", "s", confusion=found),))


def test_confusion_counts_and_shares():
    cells = confusion(matrix_of(3), "p")["datasets"]["cells"]
    found = {(c["truth"], c["answer"]): (c["count"], c["share"]) for c in cells}
    assert found["class 0", "class 0"] == (3, 0.75)
    assert found["class 2", "class 0"] == (1, 0.25)
    assert ("class 0", "class 2") not in found


def test_no_answer_has_a_column_only_where_it_occurs():
    def columns(view):
        return confusion(view, "p")["encoding"]["x"]["scale"]["domain"]

    assert "(none)" not in columns(matrix_of(3))
    assert "(none)" in columns(matrix_of(3, none=2))


def test_large_confusions_are_drawn_without_counts_and_then_not_at_all():
    assert "3" in texts(confusion(matrix_of(25), "p"))
    assert "3" not in texts(confusion(matrix_of(60), "p"))
    assert confusion(matrix_of(61), "p") is None
    assert confusion(matrix_of(3), "another problem") is None


# --- every chart ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_fits_its_container_and_compiles(pets_view, name):  # noqa: F811
    spec = all_charts(pets_view)[name]
    assert spec["width"] == "container"
    assert "config" not in spec
    assert "background" not in spec
    json.dumps(spec, allow_nan=False)
    assert compiled(spec)["marks"]
    assert len(drawn(spec)) > 0


def test_no_data_come_by_address(pets_view):  # noqa: F811
    for spec in all_charts(pets_view).values():
        text = json.dumps({k: v for k, v in spec.items() if k != "$schema"})
        assert '"url"' not in text
        assert "http" not in text


def test_descriptions_say_what_is_seen(pets_view):  # noqa: F811
    charts = all_charts(pets_view)
    best = max(
        (p for p in pets_view.points if p.measure == pets_view.goal and p.method != "ALL"),
        key=lambda p: p.mean,
    )
    said = charts["curves"]["description"]
    assert f"Best is {best.method} with {best.mean:.3f}" in said
    assert "All 58 words (ALL) reach" in said
    assert "Recommended is IG with 40 words" in said
    fastest = min(pets_view.costs, key=lambda one: one.seconds)
    assert f"Fastest is {fastest.method}" in charts["cost"]["description"]
    steady = max(pets_view.stability, key=lambda one: one.nogueira)
    assert f"Nogueira's index is {steady.method}" in charts["stability"]["description"]
    assert "Right are 30 of 30 test documents" in charts["confusion"]["description"]


def test_a_clear_winner_is_named():
    one = Comparison("p", "A", "B", 1, 1, "t-test", -3.0, 0.002, 0.004, -1.0, "d_z", 5, "")
    said = significance(made(methods=("A", "B"), comparisons=(one,)))["description"]
    assert "B is better than A (p 0.004)" in said


def test_a_method_has_one_colour_in_all_charts(pets_view):  # noqa: F811
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
    view = view_of(finished(pets(90), split=Splitting(folds=0), methods=("IG", "DF")))
    charts = all_charts(view)
    assert "curves" in charts
    assert all(row["low"] is None for row in charts["curves"]["datasets"]["points"])
    for spec in charts.values():
        drawn(spec)


@pytest.mark.parametrize("n", [1, 2])
def test_a_study_that_has_only_begun(pets_view, n):  # noqa: F811
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


# --- strangers' names -------------------------------------------------------------------------


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
        overlaps=tuple(of(o, a=names[o.a], b=names[o.b]) for o in view.overlaps),
        comparisons=tuple(
            of(c, a=names.get(c.a, c.a), b=names.get(c.b, c.b), note=HOSTILE[5])
            for c in view.comparisons
        ),
        stability=tuple(of(s, method=names[s.method]) for s in view.stability),
        details=tuple(of(d, method=names.get(d.method, d.method)) for d in view.details),
    )


@pytest.mark.parametrize("change", [lambda view: view, renamed])
def test_hostile_names_are_drawn_and_not_run(hostile_view, change):  # noqa: F811
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


def test_hostile_names_are_in_no_expression(hostile_view):  # noqa: F811
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


# --- figures ----------------------------------------------------------------------------------


def test_figures_are_written(pets_view, tmp_path):  # noqa: F811
    files = save(pets_view, tmp_path)
    assert {str(f.relative_to(tmp_path)) for f in files} == {
        f"figures/{name}.{kind}" for name in NAMES for kind in ("svg", "png")
    }
    for file in files:
        if file.suffix == ".svg":
            assert file.stat().st_size < 150_000
            ElementTree.fromstring(file.read_bytes())
        else:
            assert file.read_bytes().startswith(b"\x89PNG")


def test_figures_come_out_the_same_twice(pets_view, tmp_path):  # noqa: F811
    first = save(pets_view, tmp_path / "a")
    second = save(pets_view, tmp_path / "b")
    assert [f.read_bytes() for f in first] == [f.read_bytes() for f in second]


@pytest.mark.parametrize("n", [12, 25, 60])
def test_a_figure_of_many_classes_is_not_heavy(n):
    """Even where every class is taken for every other."""
    rows = tuple((*(1 + (7 * i + 11 * j * j) % 29 for j in range(n)), 0) for i in range(n))
    found = Confusion(tuple(f"class {i}" for i in range(n)), (*rows, (0,) * (n + 1)))
    view = made(details=(Detail("p", "s", confusion=found),))
    assert len(svg(confusion(view, "p")).encode()) < 150_000


def test_a_lighter_drawing_is_the_same_drawing(pets_view):  # noqa: F811
    for name, spec in all_charts(pets_view).items():
        heavy = vl_convert.vegalite_to_svg(still(spec), vl_version=VERSION)
        light = lighter(heavy)
        assert len(light) < 0.8 * len(heavy), name
        assert lighter(light) == light
        a, b = (ElementTree.fromstring(each) for each in (heavy, light))
        assert list(a.itertext()) == list(b.itertext())
        assert ends(a) == pytest.approx(ends(b), abs=0.06)


def ends(tree: ElementTree.Element) -> list[float]:
    """Where the strokes of a drawing begin, in order."""
    starts = [s for e in tree.iter() for s in re.findall(r"M([-\d.e]+),([-\d.e]+)", e.get("d", ""))]
    return sorted(float(number) for start in starts for number in start)


def test_unknown_formats_are_refused(pets_view, tmp_path):  # noqa: F811
    with pytest.raises(LaconicError, match="figures as bmp: choose from svg, png"):
        save(pets_view, tmp_path, ("bmp",))


def test_overlap_of_a_share_of_words_is_said_so():
    one = Overlap("p", "A", "B", 0.1, 5.0, 0.5)
    assert "10.0% of all" in agreement(made(methods=("A", "B"), overlaps=(one,)))["description"]


def test_a_name_that_objects_have_of_their_own_is_spelt_otherwise():
    assert plain("__proto__") != "__proto__"
    assert plain("proto") == "proto"


def test_a_projection_stands_at_its_columns_because_it_reads_all_words_at_every_size():
    words = [Point("p", "IG", "auc", n, float(n), 0.5, 0.4, 0.6, 3) for n in (10, 100)]
    mixed = [Point("p", "LDA", "auc", n, 900.0, 0.8, 0.7, 0.9, 3) for n in (2, 12)]
    about = {"methods": ("IG", "LDA"), "measures": ("auc",), "goal": "auc"}
    spec = curves(made(**about, points=(*words, *mixed)))
    compiled(spec)
    found = {(row["method"], row["terms"]) for row in spec["datasets"]["points"]}
    assert found == {("IG", 10.0), ("IG", 100.0), ("LDA", 2.0), ("LDA", 12.0)}
    assert spec["encoding"]["x"]["title"] == "Number of words, or of columns that mix all words"
    assert "LDA with 0.800 at 2 columns" in spec["description"]
    plain = curves(made(**about, points=tuple(words)))
    assert plain["encoding"]["x"]["title"] == "Number of words"


def test_all_words_alone_are_drawn_in_a_picture_of_finite_size():
    spec = curves(made(methods=("ALL",), points=(quality("ALL", 900.0, 0.8),)))
    compiled(spec)
    width = float(ElementTree.fromstring(svg(spec)).attrib["width"])
    assert 500 < width < 2000
