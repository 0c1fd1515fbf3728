"""What quality costs: time and memory of a method against the best that it reached."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from laconic.report.charts.styling import (
    HEIGHT,
    Spec,
    chart,
    colour,
    here,
    number,
    of_problem,
    plain,
    problems_in,
    several,
    shape,
)
from laconic.report.view import Cost, View

# Pixels that a line of text takes.
LINE = 16
# The part of the width that a name takes, about.
NAME = 0.2
ROUNDS = 60
MEGABYTE = 1_000_000


def cost(view: View) -> Spec | None:
    """Seconds of all sizes against best quality; larger points took more memory."""
    known = [one for one in view.costs if one.seconds > 0 and math.isfinite(one.best)]
    problems = problems_in(one.problem for one in known)
    if not problems:
        return None
    rows = [
        row
        for problem in problems
        for row in _rows([one for one in known if one.problem == problem])
    ]
    named = len(problems) > 1
    body = {
        "height": HEIGHT,
        "title": {"text": f"Best {view.metric} of a method"}
        | ({"subtitle": {"expr": "problem"}} if named else {}),
        "data": {"name": "costs"},
        "transform": [here("problem"), {"filter": "indexof(hidden, datum.method) < 0"}],
        "encoding": {"x": _seconds(), "y": _quality("best")},
        "layer": [_leaders(), _points(view), _names()],
    }
    told = _told([one for one in known if one.problem == problems[0]], view.metric, problems)
    switches = {"problem": [plain(problem) for problem in problems]}
    return chart(told, {"costs": rows}, body, switches, [{"name": "hidden", "value": []}])


def _rows(of_problem: Sequence[Cost]) -> Iterable[dict[str, Any]]:
    line = _line(of_problem)
    slow, fast = max(c.seconds for c in of_problem), min(c.seconds for c in of_problem)
    for one, beside in zip(of_problem, _apart(of_problem), strict=True):
        yield {
            "problem": plain(one.problem),
            "method": plain(one.method),
            "seconds": number(one.seconds),
            "megabytes": number(one.memory / MEGABYTE),
            "best": number(one.best),
            "n_features": number(one.n_features),
            # in the last third of the axis a name stands before its point
            "late": one.seconds > fast * (slow / fast) ** (2 / 3),
            # a name that hardly moves needs no line to its point
            "beside": number(beside if abs(beside - one.best) > line / 4 else one.best),
        }


def _apart(costs: Sequence[Cost]) -> list[float]:
    """Where names stand: beside their points, but pushed a line of text from each other."""
    line = _line(costs)
    near = [pair for pair in combinations(_low_to_high(costs), 2) if _near(costs, *pair)]
    places = [one.best for one in costs]
    for _ in range(ROUNDS):
        for below, above in near:
            lacking = line - (places[above] - places[below])
            if lacking > 0:
                places[below] -= lacking / 2
                places[above] += lacking / 2
    return places


def _low_to_high(costs: Sequence[Cost]) -> list[int]:
    return sorted(range(len(costs)), key=lambda i: costs[i].best)


def _near(costs: Sequence[Cost], i: int, j: int) -> bool:
    """Whether names so far apart in time would run into each other."""
    logs = [math.log(one.seconds) for one in costs]
    return abs(logs[i] - logs[j]) <= NAME * (max(logs) - min(logs))


def _line(costs: Sequence[Cost]) -> float:
    """The height of a line of text in units of quality, about."""
    spread = max(c.best for c in costs) - min(c.best for c in costs)
    return (spread or 0.02) * 1.2 / HEIGHT * LINE


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
    """From a point to its name, seen where the name had to give way."""
    moved = {"test": "datum.beside !== datum.best", "value": 1}
    offset = {"expr": "datum.late ? -14 : 14"}
    return {
        "mark": {"type": "rule", "style": "leader", "aria": False, "x2Offset": offset},
        "encoding": {
            "x2": {"field": "seconds"},
            "y2": {"field": "beside"},
            "opacity": {"condition": moved, "value": 0},
        },
    }


def _names() -> Spec:
    return {
        "mark": {
            "type": "text",
            "style": "note",
            "align": {"expr": "datum.late ? 'right' : 'left'"},
            "baseline": "middle",
            "dx": {"expr": "datum.late ? -16 : 16"},
            "limit": 140,
            "aria": False,
        },
        "encoding": {
            "y": _quality("beside"),
            "text": {"field": "method", "type": "nominal"},
        },
    }


def _told(costs: Sequence[Cost], metric: str, problems: Sequence[str]) -> str:
    told = (
        f"Points of {several(len(costs), 'methods')}: seconds (log axis) against best {metric}; "
        "larger points took more memory."
    )
    for which, one in (
        ("Best", max(costs, key=lambda one: one.best)),
        ("Fastest", min(costs, key=lambda one: one.seconds)),
    ):
        told += f" {which} is {plain(one.method)}: {one.best:.3f} in {one.seconds:.3g} seconds."
    return told + of_problem(problems)
