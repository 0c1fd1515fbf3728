"""Significance: which method is better than which, by each test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from laconic.report.charts.heatmap import matrix, pair_methods
from laconic.report.charts.style import Spec, chart, count_of, of_problem, plain, problems_in
from laconic.report.view import View
from laconic.studies.analysis.comparisons import ALL_PROBLEMS, Comparison

# Corrected p below which a difference is significant, at three levels.
LEVELS = (0.05, 0.01, 0.001)
VERDICTS = (
    "better, p ≤ 0.001",
    "better, p ≤ 0.01",
    "better, p ≤ 0.05",
    "not significant",
    "worse, p ≤ 0.05",
    "worse, p ≤ 0.01",
    "worse, p ≤ 0.001",
)


def significance(view: View) -> Spec | None:
    """Which method is better: Holm's p per pair, from the view of the row's method."""
    problems = problems_in(c.problem for c in view.comparisons if c.problem != ALL_PROBLEMS)
    shown = [c for c in view.comparisons if c.problem in (*problems, ALL_PROBLEMS)]
    if not shown:
        return None
    rows = [_row(comparison) for c in shown for comparison in (c, _swapped(c))]
    methods = pair_methods(view, shown)
    switches = {
        "test": list(dict.fromkeys(comparison.test for comparison in shown)),
        "problem": [plain(problem) for problem in problems] or [""],
    }
    columns = [
        ("row", "Method"),
        ("column", "against"),
        ("verdict", "Result"),
        ("p", "p"),
        ("p_holm", "p (Holm)"),
        ("statistic", "Statistic"),
        ("effect", "Effect"),
        ("n_pairs", "Pairs compared"),
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
                "title": "The method in the row is",
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
    body["title"] = {"text": {"expr": "test"}, "subtitle": "p with Holm's correction"}
    description = _description(shown, switches["test"][0], problems)
    return chart(
        description, {"comparisons": rows}, {"data": {"name": "comparisons"}} | body, switches
    )


def _swapped(comparison: Comparison) -> Comparison:
    """The same test with both methods swapped."""
    if comparison.effect_name == "odds ratio":
        effect = math.inf if comparison.effect == 0 else 1 / comparison.effect
        statistic = comparison.statistic
    else:
        effect, statistic = -comparison.effect, -comparison.statistic
    return replace(
        comparison,
        method_a=comparison.method_b,
        method_b=comparison.method_a,
        n_features_a=comparison.n_features_b,
        n_features_b=comparison.n_features_a,
        statistic=statistic,
        effect=effect,
    )


def _row(comparison: Comparison) -> dict[str, Any]:
    better, level = _better(comparison), _level(comparison.p_holm)
    return {
        "problem": None if comparison.problem == ALL_PROBLEMS else plain(comparison.problem),
        "test": comparison.test,
        "row": plain(comparison.method_a),
        "column": plain(comparison.method_b),
        "verdict": VERDICTS[3 - better * level],
        "text": f"{('', '▲ ', '▼ ')[better * bool(level)]}{_p(comparison.p_holm)}",
        "p": _p(comparison.p),
        "p_holm": _p(comparison.p_holm),
        "statistic": _figure(comparison.statistic),
        "effect": f"{_figure(comparison.effect)} ({comparison.effect_name})",
        "n_pairs": comparison.n_pairs,
        "note": comparison.note or "–",
    }


def _better(comparison: Comparison) -> int:
    """1 if the effect favours `method_a`, -1 if `method_b`."""
    even = 1.0 if comparison.effect_name == "odds ratio" else 0.0
    return int(comparison.effect > even) - int(comparison.effect < even)


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


def _description(shown: Sequence[Comparison], test: str, problems: Sequence[str]) -> str:
    first = problems[0] if problems else ALL_PROBLEMS
    pairs = [c for c in shown if c.test == test and c.problem in (first, ALL_PROBLEMS)]
    text = f"Matrix of methods against methods: p of the {test} with Holm's correction."
    different = [c for c in pairs if _better(c) and _level(c.p_holm)]
    if not different:
        text += f" None of {count_of(len(pairs), 'pairs')} differs at 5 %."
    for pair in sorted(different, key=lambda comparison: comparison.p_holm)[:5]:
        methods = plain(pair.method_a), plain(pair.method_b)
        better, worse = methods if _better(pair) > 0 else methods[::-1]
        text += f" {better} is better than {worse} (p {_p(pair.p_holm)})."
    if len(different) > 5:
        text += f" In total {count_of(len(different), 'pairs')} of {len(pairs)} differ."
    return text + of_problem(problems)
