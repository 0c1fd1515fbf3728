"""Cost: time and memory of a method against its best result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from laconic.report.charts.style import (
    HEIGHT,
    Spec,
    chart,
    colour,
    count_of,
    here,
    number,
    of_problem,
    plain,
    problems_in,
    shape,
)
from laconic.report.view import Cost, View
from laconic.rows import group_pairs

# Pixels per line of text.
LINE_HEIGHT = 16
# The share of the width that a label takes, roughly.
LABEL_WIDTH = 0.2
ITERATIONS = 60
MEGABYTE = 1_000_000
# What is measured, where problems have different metrics.
RESULT = "result"


def cost(view: View) -> Spec | None:
    """Seconds for all sizes against best quality; larger points used more memory."""
    costs = [cost for cost in view.costs if cost.seconds > 0 and math.isfinite(cost.best)]
    problems = problems_in(cost.problem for cost in costs)
    if not problems:
        return None
    by_problem = group_pairs((cost.problem, cost) for cost in costs)
    metrics = {problem: view.deciding_metrics.get(problem, RESULT) for problem in problems}
    rows = [
        row | {"metric": metrics[problem]}
        for problem in problems
        for row in _rows(by_problem[problem])
    ]
    several_problems = len(problems) > 1
    metric = metrics[problems[0]] if len(set(metrics.values())) == 1 else RESULT
    body = {
        "height": HEIGHT,
        "title": {"text": f"Best {metric} per method"}
        | ({"subtitle": {"expr": "problem"}} if several_problems else {}),
        "data": {"name": "costs"},
        "transform": [here("problem"), {"filter": "indexof(hidden, datum.method) < 0"}],
        "encoding": {"x": _seconds(), "y": _quality("best")},
        "layer": [_leaders(), _points(view), _labels()],
    }
    description = _description(by_problem[problems[0]], metrics[problems[0]], problems)
    switches = {"problem": [plain(problem) for problem in problems]}
    return chart(description, {"costs": rows}, body, switches, [{"name": "hidden", "value": []}])


def _rows(costs: Sequence[Cost]) -> Iterable[dict[str, Any]]:
    line = _line_height(costs)
    slow, fast = max(c.seconds for c in costs), min(c.seconds for c in costs)
    for cost, label in zip(costs, _label_heights(costs), strict=True):
        yield {
            "problem": plain(cost.problem),
            "method": plain(cost.method),
            "seconds": number(cost.seconds),
            "megabytes": number(cost.memory / MEGABYTE),
            "best": number(cost.best),
            "n_features": number(cost.n_features),
            # in the last third of the axis a label is to the left of its point
            "left": cost.seconds > fast * (slow / fast) ** (2 / 3),
            # a label that hardly moves needs no line to its point
            "label": number(label if abs(label - cost.best) > line / 4 else cost.best),
        }


def _label_heights(costs: Sequence[Cost]) -> list[float]:
    """Heights of the labels: beside their points, but at least one line of text apart."""
    line = _line_height(costs)
    near = [pair for pair in combinations(_low_to_high(costs), 2) if _near(costs, *pair)]
    heights = [cost.best for cost in costs]
    for _ in range(ITERATIONS):
        for below, above in near:
            missing = line - (heights[above] - heights[below])
            if missing > 0:
                heights[below] -= missing / 2
                heights[above] += missing / 2
    return heights


def _low_to_high(costs: Sequence[Cost]) -> list[int]:
    return sorted(range(len(costs)), key=lambda i: costs[i].best)


def _near(costs: Sequence[Cost], i: int, j: int) -> bool:
    """Whether labels so far apart in time would overlap."""
    logs = [math.log(cost.seconds) for cost in costs]
    return abs(logs[i] - logs[j]) <= LABEL_WIDTH * (max(logs) - min(logs))


def _line_height(costs: Sequence[Cost]) -> float:
    """The height of a line of text in units of quality, roughly."""
    spread = max(c.best for c in costs) - min(c.best for c in costs)
    return (spread or 0.02) * 1.2 / HEIGHT * LINE_HEIGHT


def _seconds() -> Spec:
    return {
        "field": "seconds",
        "type": "quantitative",
        "title": "Seconds for all sizes (mean of folds)",
        "scale": {"type": "log", "nice": False, "padding": 36},
        "axis": {"format": "~g", "grid": False, "tickCount": 6, "labelOverlap": "greedy"},
    }


def _quality(field: str) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "title": None,
        "scale": {"zero": False, "nice": True, "padding": 14},
        "axis": {"format": "~g", "tickCount": 6, "domain": False, "ticks": False},
    }


def _points(view: View) -> Spec:
    return {
        "mark": {"type": "point", "filled": True, "opacity": 1},
        "encoding": {
            "color": colour(view, {}),
            "shape": shape(view, {}),
            "size": {
                "field": "megabytes",
                "type": "quantitative",
                "scale": {"range": [0, 260], "zero": True},
                "legend": {
                    "title": "Memory (MB)",
                    "orient": "bottom",
                    "format": ",.0f",
                    "tickCount": 3,
                    "symbolType": "circle",
                },
            },
            "tooltip": [
                {"field": "method", "type": "nominal", "title": "Method"},
                {"field": "metric", "type": "nominal", "title": "Metric"},
                {"field": "best", "type": "quantitative", "title": "Best", "format": ".3f"},
                {"field": "n_features", "type": "quantitative", "title": "Words", "format": ",.0f"},
                {"field": "seconds", "type": "quantitative", "title": "Seconds", "format": ".3~g"},
                {
                    "field": "megabytes",
                    "type": "quantitative",
                    "title": "Memory (MB)",
                    "format": ",.0f",
                },
            ],
        },
    }


def _leaders() -> Spec:
    """From a point to its label, visible if the label was moved."""
    moved = {"test": "datum.label !== datum.best", "value": 1}
    offset = {"expr": "datum.left ? -14 : 14"}
    return {
        "mark": {"type": "rule", "style": "leader", "aria": False, "x2Offset": offset},
        "encoding": {
            "x2": {"field": "seconds"},
            "y2": {"field": "label"},
            "opacity": {"condition": moved, "value": 0},
        },
    }


def _labels() -> Spec:
    return {
        "mark": {
            "type": "text",
            "style": "note",
            "align": {"expr": "datum.left ? 'right' : 'left'"},
            "baseline": "middle",
            "dx": {"expr": "datum.left ? -16 : 16"},
            "limit": 140,
            "aria": False,
        },
        "encoding": {
            "y": _quality("label"),
            "text": {"field": "method", "type": "nominal"},
        },
    }


def _description(costs: Sequence[Cost], metric: str, problems: Sequence[str]) -> str:
    text = (
        f"One point per method, {count_of(len(costs), 'methods')}: seconds (log axis) against best "
        f"{metric}; larger points used more memory."
    )
    for which, cost in (
        ("best", max(costs, key=lambda cost: cost.best)),
        ("fastest", min(costs, key=lambda cost: cost.seconds)),
    ):
        result = f"{cost.best:.3f} in {cost.seconds:.3g} seconds"
        text += f" The {which} is {plain(cost.method)}: {result}."
    return text + of_problem(problems)
