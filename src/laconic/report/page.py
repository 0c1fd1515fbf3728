"""The page: one HTML file with everything in it. It asks the network for nothing.

Words, labels and names come from strangers' files. They reach the page in two ways only: as text
that Jinja2 escapes, and as JSON (`embedded`) that the scripts put into text nodes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
from markupsafe import Markup

from laconic.compact import CompactModel
from laconic.errors import LaconicError
from laconic.files import Kind, draft
from laconic.report.characters import unicode_tables
from laconic.report.charts import all_charts, confusion, plain, theme
from laconic.report.charts.styling import Spec
from laconic.report.maps import map_data
from laconic.report.view import Detail, Point, View
from laconic.study.layout import WORDS

# What a page can carry: coefficients of words in tables, bytes of models, lines of a table.
MOST_COEFFICIENTS = 100_000
MOST_MODEL_BYTES = 3 << 20
MOST_LINES = 400
MOST_CLASSES = 100
DIGITS = 4

# In the order of the page: what each chart shows. Those that a study has no rows for are left out.
CHARTS = {
    "agreement": (
        "Which words methods share",
        "How many of the chosen words two methods have in common, at the same number of words.",
    ),
    "cost": (
        "What it costs",
        "Time and memory of a method for all its sizes together, beside the best it reached.",
    ),
    "significance": (
        "Is the difference real?",
        "Methods compared in pairs, each at the size recommended for it; p-values after Holm.",
    ),
    "stability": (
        "Would other documents have given the same words?",
        "How alike the words are that a method chooses in different folds.",
    ),
}
# The first is in the head, so that a dark page is dark from the start.
FIRST_SCRIPT = "theme.js"
SCRIPTS = (
    "plain.js",
    "porter.js",
    "reading.js",
    "model.js",
    "charts.js",
    "words.js",
    "tryit.js",
    "map.js",
    "page.js",
)
NOT_COMPUTED = ": not computed: "
PAGE = Kind("page", re.compile(rb'<meta name="generator" content="Laconic'))
UNSAFE_IN_SCRIPT = re.compile(r"</script|<script|<!--|\r", re.IGNORECASE)


def write_report(view: View, where: Path) -> None:
    """Write the page; the file appears whole or not at all."""
    text = page(view)
    with draft(where, PAGE) as stream:
        stream.write(text.encode("utf-8", "replace"))


def page(view: View) -> str:
    """The page as HTML."""
    first, *scripts = (script(source(name)) for name in (FIRST_SCRIPT, *SCRIPTS))
    scripts.insert(0, script(vega()))
    style = source("page.css")
    confusions = _confusions(view)
    charts = {name: spec for name, spec in all_charts(view).items() if name in ("curves", *CHARTS)}
    charts |= {name: spec for name, (_, spec) in confusions.items()}
    data = data_of(view)
    return (
        environment()
        .get_template("page.html")
        .render(
            view=view,
            policy=policy([first, *scripts], style),
            style=Markup(style),
            first=first,
            scripts=scripts,
            charts=CHARTS,
            specs={name: embedded(spec) for name, spec in charts.items()},
            confusions={name: at for name, (at, _) in confusions.items()},
            data=embedded(data),
            drawn=[len(one["documents"]) for one in data["maps"]],
            lines=_lines(view.points, view.metric),
            most_lines=MOST_LINES,
            most_classes=MOST_CLASSES,
            details=[_told(detail) for detail in view.details],
            unseen=len(view.problems) - len(view.details) if view.details else 0,
        )
    )


def _confusions(view: View) -> dict[str, tuple[int, Spec]]:
    """One chart for each problem in detail, with the position of the problem."""
    drawn = ((at, confusion(view, one.problem)) for at, one in enumerate(view.details))
    return {f"confusion-{at}": (at, spec) for at, spec in drawn if spec is not None}


def embedded(value: Any) -> Markup:
    """JSON for a script element of type application/json: nothing in it can end the element.

    Letters beyond ASCII are escaped by `json.dumps`, U+2028 and U+2029 among them.
    """
    text = json.dumps(_plain_numbers(value), allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _plain_numbers(value: Any) -> Any:
    """The same with None for numbers that JSON does not have, and without types of numpy."""
    if isinstance(value, Mapping):
        return {str(key): _plain_numbers(one) for key, one in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list | tuple):
        return [_plain_numbers(one) for one in value]
    return value


def script(text: str) -> Markup:
    """Our own or Vega's code, as it stands in a script element."""
    if UNSAFE_IN_SCRIPT.search(text):
        raise LaconicError("report: a script of the page would end before its end. Report this.")
    return Markup(text)


def policy(scripts: Iterable[str], style: str) -> str:
    """The Content-Security-Policy: these scripts and this style, no network, no evaluation."""
    known = " ".join(f"'sha256-{_sha256(text)}'" for text in scripts)
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {known}",
            f"style-src 'sha256-{_sha256(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


@cache
def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script; seconds the first time."""
    import vl_convert

    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def source(name: str) -> str:
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


def environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates", encoding="utf-8"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )


def _shown(value: Any) -> Any:
    """Whatever the template prints: no control characters, nothing that turns text around."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "\n".join("\t".join(map(plain, line.split("\t"))) for line in value.split("\n"))


def data_of(view: View) -> dict[str, Any]:
    """What the scripts of the page need."""
    readable = [one.model for one in view.details if one.model and one.model.text]
    return {
        "problems": [plain(problem) for problem in view.problems],
        "details": _details(view.details),
        "maps": map_data(view.maps),
        "tables": unicode_tables() if readable else None,
        "themes": {"light": theme(dark=False), "dark": theme(dark=True)},
    }


def _details(details: Sequence[Detail]) -> list[dict[str, Any]]:
    told, room = [], MOST_MODEL_BYTES
    for detail in details:
        model = b"" if detail.model is None else detail.model.to_bytes()
        fits = len(model) <= room
        room -= len(model) if fits else 0
        told.append(
            {
                "problem": plain(detail.problem),
                "words": _words(detail, MOST_COEFFICIENTS // len(details)),
                "classes": [plain(name) for name in classes_of(detail)],
                "columns": [plain(name) for name in detail.classes],
                "model": base64.b64encode(model).decode("ascii") if model and fits else None,
                "obstacle": _obstacle(detail.model, fits),
                "note": detail.model_note,
            }
        )
    return told


def classes_of(detail: Detail) -> tuple[str, ...]:
    return detail.classes if detail.model is None else detail.model.classes


def _obstacle(model: CompactModel | None, fits: bool) -> str:
    """Why there is no model to try; the scripts find other reasons by themselves."""
    if model is None:
        return "the study has left no model that a page could carry"
    return "" if fits else "the model is too large for a page. Give it to `laconic predict`"


def _words(detail: Detail, most: int) -> dict[str, Any]:
    """The words as columns; of too many the strongest, in the order of the method."""
    ranked = list(enumerate(detail.words, 1))
    n_kept = max(200, most // max(1, len(detail.classes)))
    if len(ranked) > n_kept:
        ranked.sort(key=lambda one: -max(map(abs, one[1].coefficients), default=0.0))
        ranked = sorted(ranked[:n_kept], key=lambda one: one[0])
    words = [word for _, word in ranked]
    return {
        "total": len(detail.words),
        "rank": [rank for rank, _ in ranked],
        "word": [plain(one.word) for one in words],
        "documents": [one.documents for one in words],
        "score": [None if one.score is None else _short(one.score) for one in words],
        "coefficients": [[_short(number) for number in one.coefficients] for one in words],
    }


def _short(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


def _told(detail: Detail) -> dict[str, Any]:
    return {
        "problem": detail.problem,
        "sentence": detail.sentence,
        "certificate": _together(detail.certificate),
        "note": detail.model_note,
        "words": f"{detail.place}/{WORDS}" if detail.place else WORDS,
        "n_words": len(detail.words),
        "vectors": detail.model is not None and detail.model.text is None,
    }


def _together(sentences: Sequence[str]) -> list[str]:
    """Parts of a certificate that were left out for one reason, in one sentence."""
    parts: dict[str, list[str]] = {}
    for sentence in sentences:
        part, found, reason = sentence.partition(NOT_COMPUTED)
        parts.setdefault(NOT_COMPUTED + reason if found else sentence, []).append(part)
    return [
        ", ".join([own[0], *map(str.lower, own[1:])]) + text
        if text.startswith(NOT_COMPUTED)
        else text
        for text, own in parts.items()
    ]


def _lines(points: Sequence[Point], metric: str) -> list[Point]:
    """The curves as lines of a table, for those who cannot see the chart; the goal comes first."""
    return sorted(points, key=lambda point: point.metric != metric)
