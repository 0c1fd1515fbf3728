"""A paper's page in Markdown: hand-written prose, then a mark, then the measured sections.

A figure that was not run keeps its section, so a page can be updated part by part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bench.markdown import cells, sections_of
from laconic.errors import LaconicError
from laconic.files import ANY_FILE, draft, make_folder
from laconic.report.charts.figure_files import svg
from laconic.studies.layout import SVG_FILE
from reproduction.pages.plots import plot
from reproduction.pages.section import Section
from reproduction.shared.figures import Table
from reproduction.statements import COLUMNS, Finding, Verdict

MARK = "<!-- Everything below is written by `python -m reproduction`. -->"
SUMMARY = "Verdicts"
UNAVAILABLE = "Data unavailable"
MAX_BYTES = 150_000
VERDICT = re.compile(rf"\| \**({'|'.join(Verdict)})\**(?:: (?:\\\||[^|\n])*)? \|$", re.MULTILINE)


def update(
    folder: Path,
    paper: str,
    reference: str,
    sections: Iterable[Section],
    unavailable: Sequence[Finding],
    order: Sequence[str] = (),
) -> Path:
    """Update these sections of `folder/paper.md`, or create it; drawings go to `folder/paper/`.

    A section without measurements, because its corpus is missing, replaces no other. Sections are
    in the order of their titles in `order`, others after them.
    """
    where = folder / f"{paper}.md"
    prose, texts = read(where) if where.exists() else (f"# {paper}\n\n{reference}\n", {})
    for section in sections:
        if section.measured or section.title not in texts:
            drawn = draw(section, folder / paper)
            texts[section.title] = section_text(section, drawn, paper)
    texts.pop(UNAVAILABLE, None)
    first = {title: texts[title] for title in order if title in texts}
    texts = {**first, **texts}
    if unavailable:
        texts[UNAVAILABLE] = f"## {UNAVAILABLE}\n\n{statements(unavailable)}\n"
    with draft(where, ANY_FILE) as stream:
        stream.write(page(prose, texts.values()).encode("utf-8", "replace"))
    return where


def read(where: Path) -> tuple[str, dict[str, str]]:
    """The prose of a page and its sections. Without the mark, sections begin at the summary."""
    try:
        text = where.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LaconicError(
            f"{where}: not a Markdown page ({error}). Move it, or choose another --pages folder"
        ) from None
    prose, mark, rest = text.partition(MARK)
    if not mark:
        prose, mark, rest = text.partition(f"\n## {SUMMARY}\n")
    sections = sections_of(mark + rest)
    sections.pop(SUMMARY, None)
    # the description in a heading is no part of the title
    return prose, {name.partition(": ")[0]: text for name, text in sections.items()}


def page(prose: str, texts: Iterable[str]) -> str:
    measured = "\n".join(texts)
    return "\n".join([prose.rstrip(), "", MARK, "", summary(measured), measured])


def summary(text: str) -> str:
    """The number of statements per verdict, counted in the tables themselves."""
    counts = Counter(VERDICT.findall(text))
    numbers = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    total = sum(counts.values())
    return f"## {SUMMARY}\n\n{total} statements: {numbers}.\n" if total else f"## {SUMMARY}\n"


def heading(section: Section) -> str:
    return f"{section.title}: {section.about}"


def draw(section: Section, folder: Path) -> dict[str, str]:
    """The title of each drawing by the name of its file."""
    drawn = {}
    for drawing in section.drawings:
        file, text = f"{drawing.name}.svg", svg(plot(drawing))
        if len(text.encode()) > MAX_BYTES:
            raise LaconicError(f"{file}: {len(text):,} bytes, at most {MAX_BYTES:,} are allowed")
        make_folder(folder)
        with draft(folder / file, SVG_FILE) as stream:
            stream.write(text.encode())
        drawn[file] = drawing.title
    return drawn


def section_text(section: Section, drawn: Mapping[str, str], paper: str) -> str:
    parts = [
        f"## {heading(section)}",
        f"`{section.command}`",
        *([section.measured] if section.measured else []),
        *([statements(section.findings)] if section.findings else []),
        *(f"![{title}]({paper}/{file})" for file, title in drawn.items()),
        *map(_table, section.tables),
    ]
    return "\n\n".join(parts) + "\n"


def statements(findings: Iterable[Finding]) -> str:
    lines = [cells(COLUMNS), "|---|---|---|---|"]
    lines += [cells((f.statement, f.paper, f.ours, _verdict(f))) for f in findings]
    return "\n".join(lines)


def _verdict(finding: Finding) -> str:
    bold = finding.verdict is Verdict.NOT_REPRODUCED
    text = f"**{finding.verdict}**" if bold else str(finding.verdict)
    return f"{text}: {finding.reason}" if finding.reason else text


def _table(table: Table) -> str:
    """Collapsed: the drawings and the verdicts come first."""
    lines = [cells(table.columns), "|---|" + "--:|" * (len(table.columns) - 1)]
    lines += [cells(map(str, line)) for line in table.lines]
    text = "\n".join(lines)
    title = table.title.replace("&", "&amp;").replace("<", "&lt;")
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"
