"""Three charts per corpus: F1 against words, bytes, and documents per second."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

from bench.frontier.choosing import Candidate, choose, of_side, within_bytes, within_words
from bench.frontier.families import OURS, PEERS, SIDES, Budget
from bench.frontier.journal import Speed
from laconic.report.charts.style import HEIGHT, SCHEMA, Spec, number, plain
from laconic.report.charts.theme import LIGHT

NAMES = {OURS: "Laconic", PEERS: "peers"}
COLOURS = {"domain": list(NAMES.values()), "range": [LIGHT.methods[1], LIGHT.methods[2]]}
LIMITS = tuple(int(10 ** (exponent / 2)) for exponent in range(6, 16))
MAX_BYTES = 150_000


def against_words(
    corpus: str, candidates: Sequence[Candidate], budgets: Iterable[Budget], metric: str
) -> Spec:
    """Thick: the choice among all families; thin: single families, the choice of settings."""
    all_words = max((candidate.words for candidate in candidates), default=1)
    rows = []
    for side, budget in product(SIDES, budgets):
        on_side = of_side(candidates, side)
        at_budget = [candidate for candidate in on_side if candidate.budget == budget]
        lines = {"": choose(on_side, metric, within_words(budget))}
        for name in dict.fromkeys(candidate.family for candidate in at_budget):
            lines[name] = choose(at_budget, metric, partial(_is_of, name))
        x = all_words if budget is None else budget
        rows += [
            _point(side, line, x, choice.value(metric))
            for line, choice in lines.items()
            if choice is not None
        ]
    layers = [
        {
            "transform": [{"filter": "datum.line !== ''"}],
            "mark": {"type": "line", "strokeWidth": 1, "opacity": 0.5},
            "encoding": {"detail": {"field": "line", "type": "nominal"}},
        },
        {
            "transform": [{"filter": "datum.line === ''"}],
            "mark": {"type": "line", "strokeWidth": 3, "point": {"size": 50}},
        },
    ]
    title = f"{corpus}: {metric} on test documents against distinct words"
    return _spec(title, "Distinct words (the last point: all)", rows, layers)


def against_bytes(corpus: str, candidates: Sequence[Candidate], metric: str) -> Spec:
    rows = []
    for side in SIDES:
        on_side = of_side(candidates, side)
        for limit in LIMITS:
            choice = choose(on_side, metric, within_bytes(limit))
            if choice is not None:
                rows.append(_point(side, "", limit, choice.value(metric)))
    layers = [{"mark": {"type": "line", "strokeWidth": 3, "point": {"size": 50}}}]
    title = f"{corpus}: {metric} on test documents against bytes of the model's file"
    return _spec(title, "Bytes at most", rows, layers)


def against_speed(
    corpus: str, candidates: Sequence[Candidate], speeds: Iterable[Speed], metric: str
) -> Spec | None:
    """One point per choice for a budget of words."""
    value = {(c.side, c.family, c.settings, c.budget): c.value(metric) for c in candidates}
    rows = [
        _point(speed.side, _budget_text(speed.limit), speed.rate, value[name])
        for speed in speeds
        if (name := (speed.side, speed.family, speed.settings, speed.budget)) in value
    ]
    if not rows:
        return None
    layers: list[Spec] = [
        {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1}},
        {
            "mark": {"type": "text", "dy": -10, "fontSize": 11},
            "encoding": {"text": {"field": "line", "type": "nominal"}},
        },
    ]
    title = f"{corpus}: {metric} on test documents against documents per second"
    return _spec(title, "Documents per second, one thread (numbers: budget of words)", rows, layers)


def _is_of(family: str, candidate: Candidate) -> bool:
    return candidate.family == family


def _budget_text(budget: Budget) -> str:
    return "all" if budget is None else f"{budget:,}"


def _point(side: str, line: str, x: float, y: float) -> dict[str, Any]:
    return {"side": NAMES[side], "line": plain(line), "x": number(x), "y": number(y)}


def _spec(title: str, axis: str, rows: list[dict[str, Any]], layers: list[Spec]) -> Spec:
    x = {
        "field": "x",
        "type": "quantitative",
        "title": axis,
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {"format": "~s", "grid": False, "tickCount": 8, "labelOverlap": "greedy"},
    }
    y = {
        "field": "y",
        "type": "quantitative",
        "title": None,
        "scale": {"zero": False, "nice": True},
        "axis": {"format": "~g", "tickCount": 6, "domain": False, "ticks": False},
    }
    legend = {"orient": "bottom", "title": None, "symbolType": "circle", "symbolOpacity": 1}
    colour = {"field": "side", "type": "nominal", "scale": COLOURS, "legend": legend}
    return {
        "$schema": SCHEMA,
        "title": {"text": title},
        "height": HEIGHT,
        "data": {"values": rows},
        "encoding": {"x": x, "y": y, "color": colour},
        "layer": layers,
    }
