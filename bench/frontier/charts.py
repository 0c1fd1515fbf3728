"""Three drawings a corpus: F1 against words, against bytes, against documents a second."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

from bench.frontier.choosing import Candidate, choose, of_side, within_bytes, within_words
from bench.frontier.families import OURS, PEERS, SIDES, Budget
from bench.frontier.journal import Speed
from laconic.report.charts.styling import HEIGHT, SCHEMA, Spec, number, plain
from laconic.report.charts.theme import LIGHT

NAMES = {OURS: "Laconic", PEERS: "peers"}
COLOURS = {"domain": list(NAMES.values()), "range": [LIGHT.methods[1], LIGHT.methods[2]]}
LIMITS = tuple(int(10 ** (exponent / 2)) for exponent in range(6, 16))
MOST_BYTES = 150_000


def against_words(
    corpus: str, found: Sequence[Candidate], budgets: Iterable[Budget], measure: str
) -> Spec:
    """Thick: chosen of all; thin: single families, chosen among their own settings."""
    everything = max((one.words for one in found), default=1)
    rows = []
    for side, budget in product(SIDES, budgets):
        own = of_side(found, side)
        alone = [one for one in own if one.budget == budget]
        lines = {"": choose(own, measure, within_words(budget))}
        for name in dict.fromkeys(one.family for one in alone):
            lines[name] = choose(alone, measure, partial(_is_of, name))
        x = everything if budget is None else budget
        chosen = {line: one for line, one in lines.items() if one is not None}
        rows += [_point(side, line, x, one.value(measure)) for line, one in chosen.items()]
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
    title = f"{corpus}: {measure} on test documents against distinct words"
    return _spec(title, "Distinct words (the last point: all)", rows, layers)


def against_bytes(corpus: str, found: Sequence[Candidate], measure: str) -> Spec:
    rows = []
    for side in SIDES:
        own = of_side(found, side)
        for limit in LIMITS:
            one = choose(own, measure, within_bytes(limit))
            if one is not None:
                rows.append(_point(side, "", limit, one.value(measure)))
    layers = [{"mark": {"type": "line", "strokeWidth": 3, "point": {"size": 50}}}]
    title = f"{corpus}: {measure} on test documents against bytes of the model's file"
    return _spec(title, "Bytes at most", rows, layers)


def against_speed(
    corpus: str, found: Sequence[Candidate], speeds: Iterable[Speed], measure: str
) -> Spec | None:
    """A point is what was chosen for a budget of words."""
    value = {(c.side, c.family, c.settings, c.budget): c.value(measure) for c in found}
    rows = [
        _point(one.side, _told(one.asked), one.rate, value[name])
        for one in speeds
        if (name := (one.side, one.family, one.settings, one.budget)) in value
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
    title = f"{corpus}: {measure} on test documents against documents a second"
    return _spec(title, "Documents a second, one thread (numbers: budget of words)", rows, layers)


def _is_of(family: str, one: Candidate) -> bool:
    return one.family == family


def _told(budget: Budget) -> str:
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
