"""A paper's page in HTML: one self-contained file that needs no network."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from laconic.files import draft
from laconic.report.charts.figure_files import svg
from laconic.report.page import environment, policy, script, source
from laconic.studies.layout import PAGE_FILE
from reproduction.pages.plots import plot
from reproduction.pages.section import Section
from reproduction.shared.plots import Cells, Plot
from reproduction.statements import Finding, Verdict


def write_page(
    where: Path,
    paper: str,
    reference: str,
    sections: Sequence[Section],
    unavailable: Sequence[Finding],
) -> None:
    with draft(where, PAGE_FILE) as stream:
        stream.write(page(paper, reference, sections, unavailable).encode("utf-8", "replace"))


def page(
    paper: str, reference: str, sections: Sequence[Section], unavailable: Sequence[Finding]
) -> str:
    style, first = source("page.css"), script(source("theme.js"))
    findings = [*(f for section in sections for f in section.findings), *unavailable]
    counts = Counter(finding.verdict for finding in findings)
    return (
        environment(Path(__file__).parent)
        .get_template("page.html")
        .render(
            paper=paper,
            reference=reference,
            sections=[
                (section, [_drawn(plot) for plot in section.drawings]) for section in sections
            ],
            unavailable=unavailable,
            counts=[(verdict, counts[verdict]) for verdict in Verdict if counts[verdict]],
            total=len(findings),
            reproduced=Verdict.REPRODUCED,
            policy=policy([first], style),
            style=Markup(style),
            first=first,
        )
    )


def _drawn(content: Plot | Cells) -> tuple[str, str, str]:
    """The title, and the drawing for a light and for a dark page."""
    light, dark = (_embedded(svg(plot(content), dark=dark)) for dark in (False, True))
    return content.title, light, dark


def _embedded(drawing: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(drawing.encode()).decode('ascii')}"
