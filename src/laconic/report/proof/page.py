"""A paper's page in HTML: one file with everything in it, for a browser without a network."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from laconic.files import draft
from laconic.papers.findings import Finding, Verdict
from laconic.papers.plots import Cells, Plot
from laconic.report.charts.plots import plot
from laconic.report.charts.saving import svg
from laconic.report.page import environment, policy, script, source
from laconic.report.proof.section import Section
from laconic.study.layout import PAGE_FILE


def write_page(
    where: Path, paper: str, reference: str, sections: Sequence[Section], absent: Sequence[Finding]
) -> None:
    with draft(where, PAGE_FILE) as stream:
        stream.write(page(paper, reference, sections, absent).encode("utf-8", "replace"))


def page(paper: str, reference: str, sections: Sequence[Section], absent: Sequence[Finding]) -> str:
    style, first = source("page.css"), script(source("theme.js"))
    findings = [*(one for section in sections for one in section.findings), *absent]
    counts = Counter(one.verdict for one in findings)
    return (
        environment()
        .get_template("proof.html")
        .render(
            paper=paper,
            reference=reference,
            sections=[(section, [_drawn(one) for one in section.drawings]) for section in sections],
            absent=absent,
            counts=[(verdict, counts[verdict]) for verdict in Verdict if counts[verdict]],
            total=len(findings),
            reproduced=Verdict.REPRODUCED,
            policy=policy([first], style),
            style=Markup(style),
            first=first,
        )
    )


def _drawn(one: Plot | Cells) -> tuple[str, str, str]:
    """Its title, and the drawing for a light and for a dark page."""
    light, dark = (_embedded(svg(plot(one), dark=dark)) for dark in (False, True))
    return one.title, light, dark


def _embedded(drawing: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(drawing.encode()).decode('ascii')}"
