"""Which method beats which, by each test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from laconic.report.charts.matrices import matrix, pair_methods
from laconic.report.charts.styling import Spec, chart, of_problem, plain, problems_in, several
from laconic.report.view import View
from laconic.study.comparing import ALL_PROBLEMS, Comparison

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


def significance(view: View) -> Spec | None:
    """Which method beats which: Holm's p of a pair, seen from the method of the row."""
    single = [one for one in view.comparisons if one.problem != ALL_PROBLEMS]
    problems = problems_in(one.problem for one in single)
    shown = [one for one in view.comparisons if one.problem in (*problems, ALL_PROBLEMS)]
    if not shown:
        return None
    rows = [row for one in shown for row in (_from_row(one), _from_row(_turned(one)))]
    methods = pair_methods(view, shown)
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
    body = matrix(
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


def _turned(one: Comparison) -> Comparison:
    """The same test from the other method's view."""
    if one.effect_name == "odds ratio":
        effect = math.inf if one.effect == 0 else 1 / one.effect
        statistic = one.statistic
    else:
        effect, statistic = -one.effect, -one.statistic
    return replace(
        one,
        a=one.b,
        b=one.a,
        n_features_a=one.n_features_b,
        n_features_b=one.n_features_a,
        statistic=statistic,
        effect=effect,
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
