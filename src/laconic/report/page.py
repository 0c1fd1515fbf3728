"""The page: one HTML file with everything in it, which uses no network.

Words, labels and names come from untrusted files. They reach the page in two ways only: as text
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
from urllib.parse import quote

import jinja2
import numpy as np
from markupsafe import Markup

from laconic.compact import CompactModel
from laconic.errors import LaconicError
from laconic.files import draft
from laconic.report.characters import unicode_tables
from laconic.report.charts import all_charts, confusions, plain, theme
from laconic.report.map_data import map_data
from laconic.report.view import Detail, Point, View
from laconic.studies.layout import PAGE_FILE, ROWS

# Limits of a page: coefficients in tables of words, bytes of models, rows of a table.
MAX_COEFFICIENTS = 100_000
MAX_MODEL_BYTES = 3 << 20
MAX_ROWS = 400
MAX_CLASSES = 100
DIGITS = 4

# Heading and explanation of each chart, in the order of the page. Charts without data are left out.
CHARTS = {
    "overlap": (
        "Overlap: which words do methods share?",
        "How many of the selected words two methods share, at the same number of words.",
    ),
    "cost": (
        "Cost: time and memory",
        "Time and memory of each method for all its sizes, against its best result.",
    ),
    "significance": (
        "Significance: are the differences real?",
        "Methods compared in pairs, each at the size recommended for it. "
        "p-values have Holm's correction for the number of pairs.",
    ),
    "stability": (
        "Stability: would other documents give the same words?",
        "How similar the words are that a method selects in different folds.",
    ),
}
# The first is in the head, so a dark page is dark from the start.
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
UNSAFE_IN_SCRIPT = re.compile(r"</script|<script|<!--|\r", re.IGNORECASE)


def write_report(view: View, where: Path) -> None:
    """Write the page; the file appears whole or not at all."""
    beside = view.folder is not None and where.parent.resolve() == view.folder.resolve()
    text = page(view, links=beside)
    with draft(where, PAGE_FILE) as stream:
        stream.write(text.encode("utf-8", "replace"))


def page(view: View, *, links: bool = False) -> str:
    """The page as HTML; with `links` to the model files, for a page in the study's folder."""
    first, *scripts = (script(source(name)) for name in (FIRST_SCRIPT, *SCRIPTS))
    scripts.insert(0, script(vega()))
    style = source("page.css")
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
            specs={name: embedded(spec) for name, spec in all_charts(view).items()},
            confusions={name: at for name, (at, _) in confusions(view).items()},
            data=embedded(data),
            n_drawn=[len(directions["documents"]) for directions in data["maps"]],
            points=_table(view.points, view.deciding_metrics),
            rows_file=ROWS,
            max_rows=MAX_ROWS,
            max_classes=MAX_CLASSES,
            details=[_detail(detail, links) for detail in view.details],
            n_hidden=len(view.problems) - len(view.details) if view.details else 0,
        )
    )


def embedded(value: Any) -> Markup:
    """JSON for a script element of type application/json: nothing in it can end the element.

    Letters beyond ASCII are escaped by `json.dumps`, U+2028 and U+2029 among them.
    """
    text = json.dumps(_plain_numbers(value), allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _plain_numbers(value: Any) -> Any:
    """The same value, with None for numbers that are not finite, and without numpy types."""
    if isinstance(value, Mapping):
        return {str(key): _plain_numbers(item) for key, item in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list | tuple):
        return [_plain_numbers(item) for item in value]
    return value


def script(text: str) -> Markup:
    """Our own or Vega's code, as the content of a script element."""
    if UNSAFE_IN_SCRIPT.search(text):
        raise LaconicError(
            "report: a script contains the end of a script element. Please report this."
        )
    return Markup(text)


def policy(scripts: Iterable[str], style: str) -> str:
    """The Content-Security-Policy: these scripts and this style, no network, no evaluation."""
    hashes = " ".join(f"'sha256-{_sha256(text)}'" for text in scripts)
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {hashes}",
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
    """Vega, Vega-Lite and Vega-Embed as one script; takes seconds the first time."""
    import vl_convert

    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def source(name: str) -> str:
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


def environment(*folders: Path) -> jinja2.Environment:
    """Templates of these folders, and those of the report."""
    search = (*folders, Path(__file__).parent / "templates")
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(search, encoding="utf-8"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )


def _shown(value: Any) -> Any:
    """What the template prints: no control characters, nothing that changes the text direction."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "\n".join("\t".join(map(plain, line.split("\t"))) for line in value.split("\n"))


def data_of(view: View) -> dict[str, Any]:
    """The data of the page's scripts."""
    readable = [d.model for d in view.details if d.model and d.model.text]
    return {
        "problems": [plain(problem) for problem in view.problems],
        "details": _details(view.details),
        "maps": map_data(view.maps),
        "tables": unicode_tables() if readable else None,
        "themes": {"light": theme(dark=False), "dark": theme(dark=True)},
    }


def _details(details: Sequence[Detail]) -> list[dict[str, Any]]:
    embedded_details, free = [], MAX_MODEL_BYTES
    for detail in details:
        model = b"" if detail.model is None else detail.model.to_bytes()
        fits = len(model) <= free
        free -= len(model) if fits else 0
        embedded_details.append(
            {
                "problem": plain(detail.problem),
                "words": _words(detail, MAX_COEFFICIENTS // len(details)),
                "classes": [plain(name) for name in classes_of(detail)],
                "columns": [plain(name) for name in detail.classes],
                "model": base64.b64encode(model).decode("ascii") if model and fits else None,
                "obstacle": _obstacle(detail.model, fits),
                "note": detail.model_note,
            }
        )
    return embedded_details


def classes_of(detail: Detail) -> tuple[str, ...]:
    return detail.classes if detail.model is None else detail.model.classes


def _obstacle(model: CompactModel | None, fits: bool) -> str:
    """Why the page has no model to try; the scripts know other reasons."""
    if model is None:
        return "the study has no model that a page can carry"
    return "" if fits else "the model is too large for a page. Use `laconic predict`"


def _words(detail: Detail, max_coefficients: int) -> dict[str, Any]:
    """The words as columns; if there are too many, the strongest, in the order of the method."""
    ranked = list(enumerate(detail.words, 1))
    n_shown = max(200, max_coefficients // max(1, len(detail.classes)))
    if len(ranked) > n_shown:
        ranked.sort(key=lambda pair: -max(map(abs, pair[1].coefficients), default=0.0))
        ranked = sorted(ranked[:n_shown], key=lambda pair: pair[0])
    words = [word for _, word in ranked]
    return {
        "total": len(detail.words),
        "rank": [rank for rank, _ in ranked],
        "word": [plain(word.word) for word in words],
        "documents": [word.documents for word in words],
        "score": [None if word.score is None else _short(word.score) for word in words],
        "coefficients": [[_short(number) for number in word.coefficients] for word in words],
    }


def _short(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


def _detail(detail: Detail, links: bool) -> dict[str, Any]:
    return {
        "shown": detail,
        "hrefs": [quote(line.model_file) if links else "" for line in detail.budget],
        "of_labels": detail.model is not None and detail.model.model.rule == "labels",
        "certificate": _grouped(detail.certificate),
        "words_file": detail.words_file,
        "n_words": len(detail.words),
    }


def _grouped(sentences: Sequence[str]) -> list[str]:
    """The sentences, with those that were not computed for the same reason joined into one."""
    by_reason: dict[str, list[str]] = {}
    for sentence in sentences:
        part, separator, reason = sentence.partition(NOT_COMPUTED)
        by_reason.setdefault(NOT_COMPUTED + reason if separator else sentence, []).append(part)
    return [
        ", ".join([parts[0], *map(str.lower, parts[1:])]) + text
        if text.startswith(NOT_COMPUTED)
        else text
        for text, parts in by_reason.items()
    ]


def _table(points: Sequence[Point], deciding: Mapping[str, str]) -> list[Point]:
    """The curves as rows of a table, for those who cannot see the chart; deciding metrics first."""
    return sorted(points, key=lambda point: point.metric != deciding.get(point.problem))
