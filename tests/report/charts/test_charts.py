"""The data of the charts are the view's."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from laconic.report.charts import (
    all_charts,
    confusion,
    cost,
    curves,
    overlap,
    significance,
    stability,
)
from laconic.report.view import Cost
from laconic.studies.analysis.comparisons import Comparison, SelectionStability
from tests.report.charts.specs import NAMES, NAN, close, compiled, made, matrix_of, quality, texts


def test_every_chart_of_a_finished_study_is_there(pets_view):
    assert list(all_charts(pets_view)) == NAMES


def test_curves_hold_every_point_with_its_limits(pets_view):
    rows = curves(pets_view)["datasets"]["points"]
    assert len(rows) == len(pets_view.points) == 26
    for row, point in zip(rows, pets_view.points, strict=True):
        assert (row["method"], row["metric"]) == (point.method, point.metric)
        assert row["n_folds"] == point.n_folds == 3
        for name in ("n_features", "low", "high"):
            assert close(row[name], getattr(point, name))
        assert close(row["value"], point.mean)


@pytest.mark.full
def test_the_baseline_is_a_line_across(pets_view):
    spec = curves(pets_view)
    (row,) = [
        r for r in spec["datasets"]["points"] if "baseline" in r and r["metric"] == "accuracy"
    ]
    assert row["method"] == "ALL"
    assert row["label"] == "all words"
    assert "all words" in texts(spec)


def test_the_recommended_point_is_marked_once_per_metric(pets_view):
    (detail,) = pets_view.details
    rows = [r for r in curves(pets_view)["datasets"]["points"] if r.get("recommended")]
    assert [r["metric"] for r in rows] == ["accuracy", "f1_macro"]
    assert {(r["method"], r["n_features"]) for r in rows} == {(detail.method, detail.n_features)}
    assert f"recommended: {detail.method}, 40 words" in texts(curves(pets_view))


@pytest.mark.full
def test_metrics_and_problems_can_be_switched(family_view):
    spec = curves(family_view)
    assert spec["usermeta"]["choices"] == {
        "metric": ["accuracy", "f1_macro"],
        "problem": ["pets", "more pets"],
    }
    values = {p["name"]: p["value"] for p in spec["params"]}
    assert values == {"metric": "accuracy", "problem": "pets", "hidden": []}
    assert "pets" in texts(spec)
    spec["params"][1]["value"] = "more pets"
    assert "more pets" in texts(spec)


@pytest.mark.full
def test_signals_of_the_page_are_at_the_top(family_view):
    """There the page reaches them by `view.signal`."""
    for name, spec in all_charts(family_view).items():
        top = {signal["name"] for signal in compiled(spec).get("signals", ())}
        assert set(spec["usermeta"]["choices"]) <= top, name
    assert {"hidden", "shown", "zoom"} <= {
        s["name"] for s in compiled(curves(family_view))["signals"]
    }


def test_the_metric_that_decides_comes_first():
    view = made(
        deciding_metrics={"p": "b"},
        methods=("IG",),
        points=(quality(metric="a"), quality(metric="b")),
    )
    assert curves(view)["usermeta"]["choices"]["metric"] == ["b", "a"]


def test_each_problem_has_its_metrics():
    view = made(
        deciding_metrics={"p": "accuracy", "q": "f1"},
        methods=("IG",),
        points=(quality(), quality(problem="q"), quality(problem="q", metric="f1")),
        costs=(Cost("p", "IG", 1.0, 10**8, 0.5, 10.0), Cost("q", "IG", 1.0, 10**8, 0.6, 10.0)),
    )
    spec = curves(view)
    assert spec["usermeta"]["metrics"] == {"p": ["accuracy"], "q": ["f1", "accuracy"]}
    assert spec["usermeta"]["choices"]["metric"] == ["accuracy", "f1"]
    assert spec["description"].startswith("Line chart of accuracy")
    costs = cost(view)
    assert [row["metric"] for row in costs["datasets"]["costs"]] == ["accuracy", "f1"]
    assert "Best result per method" in texts(costs)
    assert "Best accuracy per method" in texts(cost(made(methods=("IG",), costs=view.costs[:1])))


def test_costs_are_those_of_the_view(pets_view):
    rows = cost(pets_view)["datasets"]["costs"]
    for row, one in zip(rows, pets_view.costs, strict=True):
        assert row["method"] == one.method
        assert close(row["seconds"], one.seconds)
        assert close(row["megabytes"], one.memory / 1e6)
        assert close(row["best"], one.best)


def test_names_beside_equal_costs_do_not_overlap():
    costs = tuple(Cost("p", f"M{i}", 1.0, 10**8, 0.5, 10.0) for i in range(8))
    rows = cost(made(methods=tuple(c.method for c in costs), costs=costs))["datasets"]["costs"]
    places = sorted(row["label"] for row in rows)
    gaps = [b - a for a, b in pairwise(places)]
    assert min(gaps) > 0.9 * max(gaps) > 0


def test_significance_is_seen_from_both_sides(pets_view):
    rows = significance(pets_view)["datasets"]["comparisons"]
    assert len(rows) == 2 * len(pets_view.comparisons)
    sides = {(r["test"], r["row"], r["column"]): r for r in rows}
    mirrored = str.maketrans("▲▼", "▼▲")
    for (test, row, column), one in sides.items():
        other = sides[test, column, row]
        assert one["p_holm"] == other["p_holm"]
        assert one["text"].translate(mirrored) == other["text"]
        assert (
            one["verdict"].split(",")[0]
            == {
                "better": "worse",
                "worse": "better",
                "not significant": "not significant",
            }[other["verdict"].split(",")[0]]
        )


@pytest.mark.parametrize(
    ("effect", "name", "holm", "text", "verdict", "other"),
    [
        (2.0, "d_z", 0.0004, "▲ <0.001", "better, p ≤ 0.001", "−2 (d_z)"),
        (-0.5, "net wins", 0.01, "▼ 0.010", "worse, p ≤ 0.01", "0.5 (net wins)"),
        (4.0, "odds ratio", 0.04, "▲ 0.040", "better, p ≤ 0.05", "0.25 (odds ratio)"),
        (0.0, "odds ratio", 0.04, "▼ 0.040", "worse, p ≤ 0.05", "∞ (odds ratio)"),
        (math.inf, "odds ratio", 0.3, "0.30", "not significant", "0 (odds ratio)"),
        (NAN, "d_z", NAN, "–", "not significant", "– (d_z)"),
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


def test_stability_has_three_indices_and_limits_for_one(pets_view):
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


def test_overlap_is_symmetric(pets_view):
    rows = overlap(pets_view)["datasets"]["overlaps"]
    assert len(rows) == 2 * len(pets_view.overlaps)
    shared = {(r["row"], r["column"]): (r["n_shared"], r["jaccard"]) for r in rows}
    for one in pets_view.overlaps:
        assert shared[one.method_a, one.method_b] == shared[one.method_b, one.method_a]
        assert close(shared[one.method_a, one.method_b][0], one.n_shared)


def test_confusion_counts_and_shares():
    cells = confusion(matrix_of(3), "p")["datasets"]["cells"]
    found = {(c["truth"], c["prediction"]): (c["count"], c["share"]) for c in cells}
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
