"""Shared by all charts: the style of methods, safe names, numbers that JSON allows."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from laconic.methods import keeps_all
from laconic.report.view import View

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
HEIGHT = 360
DIGITS = 6
# Points per chart; problems beyond this are left out.
MAX_POINTS = 20_000
# Eight colours, eight shapes and five dashes give 40 methods different styles.
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
    """A name with characters that are invisible or change the text direction spelled out."""
    if name == "__proto__":
        return "‹__proto__›"  # Vega uses names as keys of objects, where this one is special
    return "".join(c if _drawable(c) else f"‹{ord(c):04X}›" for c in name)


def _drawable(char: str) -> bool:
    # noncharacters have category Cn; XML does not allow some of them
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")


def number(value: float) -> float | None:
    """The number rounded; None if it is not finite."""
    return round(float(value), DIGITS) if math.isfinite(value) else None


def styles(view: View) -> dict[str, int]:
    """The number of each method's colour, shape and dash; 0 is that of the baseline."""
    baselines = [method for method in view.methods if keeps_all(method)]
    selecting = [method for method in view.methods if not keeps_all(method)]
    return dict.fromkeys(baselines, 0) | {method: i + 1 for i, method in enumerate(selecting)}


def colour(view: View, legend: Mapping[str, Any] | None = None) -> Spec:
    """The colour of a method, the same in all charts, since all have the same domain."""
    return {
        "field": "method",
        "type": "nominal",
        "scale": {"domain": [plain(m) for m in styles(view)], "range": "category"},
        **_legend(legend),
    }


def _legend(legend: Mapping[str, Any] | None) -> Spec:
    """No entry if another layer has the legend; an empty one means no legend."""
    return {} if legend is None else {"legend": dict(legend) or None}


def shape(view: View, legend: Mapping[str, Any] | None = None) -> Spec:
    return _by_style(
        view, [SHAPES[(i + i // COLOURS) % len(SHAPES)] for i in _numbers(view)], legend
    )


def dash(view: View) -> Spec:
    return _by_style(view, [DASHES[(i + i // COLOURS) % len(DASHES)] for i in _numbers(view)], {})


def _numbers(view: View) -> Iterable[int]:
    return styles(view).values()


def _by_style(view: View, values: Sequence[Any], legend: Mapping[str, Any] | None) -> Spec:
    return {
        "field": "method",
        "type": "nominal",
        "scale": {"domain": [plain(m) for m in styles(view)], "range": list(values)},
        **_legend(legend),
    }


def chart(
    description: str,
    datasets: Mapping[str, Sequence[Mapping[str, Any]]],
    body: Mapping[str, Any],
    switches: Mapping[str, Sequence[str]],
    params: Sequence[Mapping[str, Any]] = (),
) -> Spec:
    """A specification. `switches` are parameters with their choices; the first is the default."""
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


def problems_in(problems: Iterable[str], most: int = MAX_POINTS) -> list[str]:
    """The distinct problems, in order, up to `most` entries in total; at least one."""
    shown: list[str] = []
    total = 0
    for problem, n in Counter(problems).items():
        total += n
        if shown and total > most:
            break
        shown.append(problem)
    return shown


def here(*switches: str) -> Spec:
    """A filter: only rows that match the current values of the parameters."""
    return {"filter": " && ".join(f"datum.{name} === {name}" for name in switches)}


def count_of(n: int, plural: str) -> str:
    """ "3 methods", "one method"."""
    return f"{n:,} {plural}" if n != 1 else f"one {plural.removesuffix('s')}"


def of_problem(problems: Sequence[str]) -> str:
    """Which problem a description is about; empty if there is only one."""
    if len(problems) < 2:
        return ""
    first, number_of = plain(problems[0]), count_of(len(problems), "problems")
    return f" This is the chart of {first}, the first of {number_of}."
