"""Matrices: significance and agreement of methods, confusion of classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from laconic.report.charts.styling import (
    Spec,
    chart,
    here,
    number,
    of_problem,
    plain,
    problems_in,
    several,
)
from laconic.report.view import Confusion, Overlap, View
from laconic.study.comparing import ALL_PROBLEMS, Comparison

# Beyond so many classes a matrix is no longer drawn, or its counts are not written in it.
MOST_CLASSES = 60
MOST_WRITTEN = 25
# Corrected p at which a difference is called shown, strongly and very strongly.
LEVELS = (0.05, 0.01, 0.001)
VERDICTS = (
    "better, p ≤ 0.001",
    "better, p ≤ 0.01",
    "better, p ≤ 0.05",
    "no difference shown",
    "worse, p ≤ 0.05",
    "worse, p ≤ 0.01",
    "worse, p ≤ 0.001",
)
NONE = "(none)"


def significance(view: View) -> Spec | None:
    """Which method beats which: Holm's p of a pair, seen from the method of the row."""
    single = [one for one in view.comparisons if one.problem != ALL_PROBLEMS]
    problems = problems_in(one.problem for one in single)
    shown = [one for one in view.comparisons if one.problem in (*problems, ALL_PROBLEMS)]
    if not shown:
        return None
    rows = [row for one in shown for row in (_from_row(one), _from_row(_turned(one)))]
    methods = _methods(view, shown)
    switches = {
        "test": list(dict.fromkeys(one.test for one in shown)),
        "problem": [plain(problem) for problem in problems] or [""],
    }
    columns = [
        ("row", "Method"),
        ("column", "against"),
        ("verdict", "Verdict"),
        ("p", "p"),
        ("holm", "p (Holm)"),
        ("statistic", "Statistic"),
        ("effect", "Effect"),
        ("n", "Pairs compared"),
        ("note", "Note"),
    ]
    body = _matrix(
        methods,
        columns,
        colour={
            "field": "verdict",
            "type": "ordinal",
            "scale": {"domain": list(VERDICTS), "range": "diverging"},
            "legend": {
                "title": "The method of the row is",
                "orient": "bottom",
                "columns": {"expr": "max(1, floor(width / 170))"},
                "symbolType": "square",
                "symbolSize": 160,
                "symbolStrokeWidth": 0,
                "labelLimit": 200,
            },
        },
        across="against",
        narrowest=44,
        step=34,
    )
    body["transform"] = [
        {"filter": "datum.test === test && (datum.problem === null || datum.problem === problem)"}
    ]
    body["title"] = {"text": {"expr": "test"}, "subtitle": "p corrected after Holm"}
    told = _told_significance(shown, switches["test"][0], problems)
    return chart(told, {"comparisons": rows}, {"data": {"name": "comparisons"}} | body, switches)


def _methods(view: View, pairs: Sequence[Comparison | Overlap]) -> list[str]:
    """Those of the pairs, in the order of the study."""
    present = {method for pair in pairs for method in (pair.a, pair.b)}
    return [
        plain(method)
        for method in dict.fromkeys((*view.methods, *sorted(present)))
        if method in present
    ]


def _turned(one: Comparison) -> Comparison:
    """The same test from the other method's view."""
    if one.effect_name == "odds ratio":
        effect = math.inf if one.effect == 0 else 1 / one.effect
        statistic = one.statistic
    else:
        effect, statistic = -one.effect, -one.statistic
    return Comparison(
        one.problem,
        one.b,
        one.a,
        one.terms_b,
        one.terms_a,
        one.test,
        statistic,
        one.p,
        one.holm,
        effect,
        one.effect_name,
        one.n,
        one.note,
    )


def _from_row(one: Comparison) -> dict[str, Any]:
    better = _better(one)
    return {
        "problem": None if one.problem == ALL_PROBLEMS else plain(one.problem),
        "test": one.test,
        "row": plain(one.a),
        "column": plain(one.b),
        "verdict": VERDICTS[3 - better * _level(one.holm)],
        "text": f"{('', '▲ ', '▼ ')[better * bool(_level(one.holm))]}{_p(one.holm)}",
        "p": _p(one.p),
        "holm": _p(one.holm),
        "statistic": _figure(one.statistic),
        "effect": f"{_figure(one.effect)} ({one.effect_name})",
        "n": one.n,
        "note": one.note or "–",
    }


def _better(one: Comparison) -> int:
    """1 where the effect speaks for `a`, -1 where for `b`."""
    even = 1.0 if one.effect_name == "odds ratio" else 0.0
    return int(one.effect > even) - int(one.effect < even)


def _level(p: float) -> int:
    return sum(p <= level for level in LEVELS)


def _p(p: float) -> str:
    if math.isnan(p):
        return "–"
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def _figure(value: float) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.3g}".replace("-", "−")


def _told_significance(shown: Sequence[Comparison], test: str, problems: Sequence[str]) -> str:
    first = problems[0] if problems else ALL_PROBLEMS
    pairs = [one for one in shown if one.test == test and one.problem in (first, ALL_PROBLEMS)]
    told = f"Matrix of methods against methods, p of the {test} corrected after Holm."
    found = [one for one in pairs if _better(one) and _level(one.holm)]
    if not found:
        told += f" None of {several(len(pairs), 'pairs')} differs at 5 %."
    for one in sorted(found, key=lambda one: one.holm)[:5]:
        a, b = (one.a, one.b) if _better(one) > 0 else (one.b, one.a)
        told += f" {plain(a)} is better than {plain(b)} (p {_p(one.holm)})."
    if len(found) > 5:
        told += f" So differ {several(len(found), 'pairs')} of {len(pairs)}."
    return told + of_problem(problems)


def agreement(view: View) -> Spec | None:
    """How many words two methods have in common, at the size at which most can be compared."""
    problems = problems_in(one.problem for one in view.overlaps)
    shown = [one for one in view.overlaps if one.problem in problems]
    if not shown:
        return None
    rows = [row for one in shown for row in _shared(one)]
    methods = _methods(view, shown)
    columns = [
        ("row", "Method"),
        ("column", "and"),
        ("asked", "Words each"),
        ("shared", "In common"),
        ("jaccard", "Jaccard's index"),
    ]
    body = _matrix(
        methods,
        columns,
        colour=_ramp("jaccard", "Words in common, of those of either method"),
        across=None,
        narrowest=40,
        step=34,
    )
    body["transform"] = [here("problem")]
    told = _told_agreement([one for one in shown if one.problem == problems[0]], problems)
    switches = {"problem": [plain(problem) for problem in problems]}
    return chart(told, {"overlaps": rows}, {"data": {"name": "overlaps"}} | body, switches)


def _shared(one: Overlap) -> Iterator[dict[str, Any]]:
    for row, column in ((one.a, one.b), (one.b, one.a)):
        yield {
            "problem": plain(one.problem),
            "row": plain(row),
            "column": plain(column),
            "asked": _asked(one.asked),
            "shared": number(one.shared),
            "jaccard": number(one.jaccard),
            "text": f"{one.jaccard:.0%}",
        }


def _asked(asked: Any) -> str:
    return f"{asked:,}" if isinstance(asked, int) else f"{asked:.1%} of all"


def _told_agreement(shown: Sequence[Overlap], problems: Sequence[str]) -> str:
    size = _asked(shown[0].asked)
    told = f"Matrix of the words that two methods have in common, each choosing {size} words."
    for which, one in (
        ("Most", max(shown, key=lambda one: one.jaccard)),
        ("Least", min(shown, key=lambda one: one.jaccard)),
    ):
        told += (
            f" {which} alike are {plain(one.a)} and {plain(one.b)}: {one.shared:,.0f} words in "
            f"common, {one.jaccard:.0%} of those of either."
        )
    return told + of_problem(problems)


def confusion(view: View, problem: str) -> Spec | None:
    """Test documents of the recommended model: true class against answer."""
    found = next((d.confusion for d in view.details if d.problem == problem), None)
    if found is None or not 0 < len(found.classes) <= MOST_CLASSES:
        return None
    names = [plain(name) for name in found.classes]
    cells = list(_cells(found, [*names, NONE]))
    if not cells:
        return None
    rows = [name for name in (*names, NONE) if name != NONE or _used(cells, "truth")]
    answers = [name for name in (*names, NONE) if name != NONE or _used(cells, "answer")]
    columns = [
        ("truth", "True class"),
        ("answer", "Answer"),
        ("count", "Documents"),
        ("share", "Share of the true class"),
    ]
    written = len(names) <= MOST_WRITTEN
    body = _matrix(
        answers,
        columns,
        rows=rows,
        fields=("truth", "answer"),
        colour=_ramp("share", "Share of the true class"),
        across="Answer",
        narrowest=18 if written else 10_000,
        step=28 if written else 16,
    )
    told = _told_confusion(found, cells)
    made = chart(told, {"cells": cells}, {"data": {"name": "cells"}} | body, {})
    made["usermeta"]["problem"] = plain(problem)
    return made


def _cells(found: Confusion, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Only those with documents: what is empty shows the page."""
    for truth, counts in zip(names, found.counts, strict=True):
        total = sum(counts)
        for answer, count in zip(names, counts, strict=True):
            if count:
                yield {
                    "truth": truth,
                    "answer": answer,
                    "count": count,
                    "text": f"{count:,}",
                    "share": number(count / total),
                }


def _used(cells: Sequence[Mapping[str, Any]], field: str) -> bool:
    return any(cell[field] == NONE for cell in cells)


def _told_confusion(found: Confusion, cells: Sequence[Mapping[str, Any]]) -> str:
    total = sum(cell["count"] for cell in cells)
    right = sum(found.counts[i][i] for i in range(len(found.classes)))
    told = (
        f"Matrix of true classes against answers, {several(len(found.classes), 'classes')}. "
        f"Right are {right:,} of {total:,} test documents."
    )
    wrong = [cell for cell in cells if cell["truth"] != cell["answer"]]
    for cell in sorted(wrong, key=lambda cell: -cell["count"])[:3]:
        told += f" {cell['count']:,} of {cell['truth']} were taken for {cell['answer']}."
    return told


def _matrix(
    names: Sequence[str],
    columns: Sequence[tuple[str, str]],
    *,
    colour: Mapping[str, Any],
    across: str | None,
    narrowest: int,
    step: int,
    rows: Sequence[str] | None = None,
    fields: tuple[str, str] = ("row", "column"),
) -> Spec:
    """Cells with their text, written where a cell is at least so wide."""
    along = {"type": "nominal", "title": None}
    return {
        "height": {"step": step},
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
                "mark": {"type": "rect", "cornerRadius": 2},
                "encoding": {"color": dict(colour)},
            },
            {
                "mark": {
                    "type": "text",
                    "style": "in-cell",
                    "aria": False,
                    "opacity": {"expr": f"bandwidth('x') < {narrowest} ? 0 : 1"},
                },
                "encoding": {"text": {"field": "text", "type": "nominal"}},
            },
        ],
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
    """Names over the columns: level where the widest fits its column, else slanted."""
    narrow = f"bandwidth('x') < {min(7 * longest, 110)}"
    return {
        "labelAngle": {"expr": f"{narrow} ? -40 : 0"},
        "labelAlign": {"expr": f"{narrow} ? 'left' : 'center'"},
        "labelBaseline": {"expr": f"{narrow} ? 'middle' : 'bottom'"},
    }


def _ramp(field: str, title: str) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": "ramp"},
        "legend": {
            "title": title,
            "orient": "bottom",
            "format": ".0%",
            "values": [0, 0.25, 0.5, 0.75, 1],
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
