"""What all charts share: how a method looks, names that are safe to draw, numbers JSON can hold."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from laconic.methods import keeps_all
from laconic.report.view import View

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
HEIGHT = 360
DIGITS = 6
# Points that a page still draws at once; problems beyond that are left out of a chart.
MOST_POINTS = 20_000
# With eight colours, eight shapes and five dashes no two of 40 methods look alike.
COLOURS = 8
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
DASHES = ([1, 0], [6, 3], [2, 2], [10, 3, 2, 3], [12, 4])


def plain(name: str) -> str:
    """A name with signs that cannot be drawn, or turn what follows around, spelt out."""
    if name == "__proto__":
        return "‹__proto__›"  # Vega keeps things by name in objects, of which this is no member
    return "".join(c if _drawable(c) else f"‹{ord(c):04X}›" for c in name)


def _drawable(char: str) -> bool:
    # noncharacters are of category Cn; XML has no room for some of them
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")


def number(value: float) -> float | None:
    """Rounded; None for what JSON has no number for."""
    return round(float(value), DIGITS) if math.isfinite(value) else None


def looks(view: View) -> dict[str, int]:
    """A number for each method's colour, shape and dash; 0 is the baseline's."""
    whole = [method for method in view.methods if keeps_all(method)]
    others = [method for method in view.methods if not keeps_all(method)]
    return dict.fromkeys(whole, 0) | {method: i + 1 for i, method in enumerate(others)}


def colour(view: View, legend: Mapping[str, Any] | None = None) -> Spec:
    """A method's colour, the same in all charts: they all have the same domain."""
    return {
        "field": "method",
        "type": "nominal",
        "scale": {"domain": [plain(m) for m in looks(view)], "range": "category"},
        **_legend(legend),
    }


def _legend(legend: Mapping[str, Any] | None) -> Spec:
    """Nothing said where another layer has it; an empty one is none."""
    return {} if legend is None else {"legend": dict(legend) or None}


def shape(view: View, legend: Mapping[str, Any] | None = None) -> Spec:
    return _by_look(view, [SHAPES[(i + i // COLOURS) % len(SHAPES)] for i in _all(view)], legend)


def dash(view: View) -> Spec:
    return _by_look(view, [DASHES[(i + i // COLOURS) % len(DASHES)] for i in _all(view)], {})


def _all(view: View) -> Iterable[int]:
    return looks(view).values()


def _by_look(view: View, values: Sequence[Any], legend: Mapping[str, Any] | None) -> Spec:
    return {
        "field": "method",
        "type": "nominal",
        "scale": {"domain": [plain(m) for m in looks(view)], "range": list(values)},
        **_legend(legend),
    }


def chart(
    description: str,
    datasets: Mapping[str, Sequence[Mapping[str, Any]]],
    body: Mapping[str, Any],
    switches: Mapping[str, Sequence[str]],
    params: Sequence[Mapping[str, Any]] = (),
) -> Spec:
    """A specification. `switches` are parameters with the values to choose from, first default."""
    return {
        "$schema": SCHEMA,
        "description": description,
        "usermeta": {"choices": {name: list(values) for name, values in switches.items()}},
        "width": "container",
        "datasets": {name: list(rows) for name, rows in datasets.items()},
        "params": [
            *({"name": name, "value": values[0]} for name, values in switches.items()),
            *params,
        ],
        **body,
    }


def problems_in(problems: Iterable[str], most: int = MOST_POINTS) -> list[str]:
    """Those that occur, in order, as many as `most` entries leave room for; at least one."""
    count: dict[str, int] = {}
    for problem in problems:
        count[problem] = count.get(problem, 0) + 1
    kept: list[str] = []
    total = 0
    for problem, n in count.items():
        total += n
        if kept and total > most:
            break
        kept.append(problem)
    return kept


def here(*switches: str) -> Spec:
    """Only what the parameters ask for."""
    return {"filter": " && ".join(f"datum.{name} === {name}" for name in switches)}


def several(n: int, what: str) -> str:
    return f"{n:,} {what}" if n != 1 else f"one {what.removesuffix('s')}"


def of_problem(problems: Sequence[str]) -> str:
    """Which problem a description speaks of; nothing where there is but one."""
    if len(problems) < 2:
        return ""
    return f" This is of {plain(problems[0])}, the first of {several(len(problems), 'problems')}."
