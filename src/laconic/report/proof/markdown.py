"""A paper's page in Markdown: prose that is written by hand, and below a mark what was measured.

A figure that was not run now keeps its section, so that a page can be renewed part by part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from laconic.errors import LaconicError
from laconic.files import ANY_FILE, draft, make_folder
from laconic.papers.figures import Table
from laconic.papers.findings import COLUMNS, Finding, Verdict
from laconic.report.charts.plots import plot
from laconic.report.charts.saving import svg
from laconic.report.proof.section import Section
from laconic.study.layout import SVG_FILE

MARK = "<!-- Below is what `laconic reproduce` measured. It is written by the command. -->"
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
SUMMARY = "What became of each statement"
ABSENT = "Not to be had"
MOST_BYTES = 150_000
TAG = re.compile(r"<(?=[a-z/!?])", re.IGNORECASE)
VERDICT = re.compile(rf"\| \**({'|'.join(Verdict)})\**(?:: (?:\\\||[^|\n])*)? \|$", re.MULTILINE)


def update(
    folder: Path,
    paper: str,
    reference: str,
    sections: Iterable[Section],
    absent: Sequence[Finding],
    order: Sequence[str] = (),
) -> Path:
    """Renew these sections of `folder/paper.md`, or make it; drawings go to `folder/paper/`.

    One that measured nothing, because its corpus is not here, takes no other's place. Sections
    stand as their titles do in `order`, others after them.
    """
    where = folder / f"{paper}.md"
    prose, texts = read(where) if where.exists() else (f"# {paper}\n\n{reference}\n", {})
    for section in sections:
        if section.measured or section.title not in texts:
            drawn = draw(section, folder / paper)
            texts[section.title] = written(section, drawn, paper)
    texts.pop(ABSENT, None)
    first = {title: texts[title] for title in order if title in texts}
    texts = {**first, **texts}
    if absent:
        texts[ABSENT] = f"## {ABSENT}\n\n{statements(absent)}\n"
    with draft(where, ANY_FILE) as stream:
        stream.write(page(prose, texts.values()).encode("utf-8", "replace"))
    return where


def read(where: Path) -> tuple[str, dict[str, str]]:
    """The prose of a page and its sections. Without the mark, these begin with the summary."""
    try:
        text = where.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LaconicError(
            f"{where}: is no page in Markdown ({error}). Move it, or choose another --pages"
        ) from None
    prose, mark, kept = text.partition(MARK)
    if not mark:
        prose, mark, kept = text.partition(f"\n## {SUMMARY}\n")
    return prose, sections_of(mark + kept)


def page(prose: str, texts: Iterable[str]) -> str:
    measured = "\n".join(texts)
    return "\n".join([prose.rstrip(), "", MARK, "", summary(measured), measured])


def summary(text: str) -> str:
    """How many statements there are of each verdict, counted in the tables themselves."""
    counts = Counter(VERDICT.findall(text))
    told = ", ".join(f"{counts[one]} {one}" for one in Verdict if counts[one])
    total = sum(counts.values())
    return f"## {SUMMARY}\n\n{total} statements: {told}.\n" if total else f"## {SUMMARY}\n"


def sections_of(text: str) -> dict[str, str]:
    """The sections as they stand there, by title: what they are about may be told anew."""
    _, *parts = HEADING.split(text)
    bodies = zip(parts[::2], parts[1::2], strict=True)
    return {
        name.partition(": ")[0]: f"## {name}\n\n{body.strip()}\n"
        for name, body in bodies
        if name != SUMMARY
    }


def heading(section: Section) -> str:
    return f"{section.title}: {section.about}"


def draw(section: Section, folder: Path) -> dict[str, str]:
    """The title of each drawing by the name of its file."""
    drawn = {}
    for one in section.drawings:
        text = svg(plot(one))
        if len(text.encode()) > MOST_BYTES:
            raise LaconicError(f"{one.name}.svg: {len(text):,} bytes, at most {MOST_BYTES:,}")
        make_folder(folder)
        with draft(folder / f"{one.name}.svg", SVG_FILE) as stream:
            stream.write(text.encode())
        drawn[f"{one.name}.svg"] = one.title
    return drawn


def written(section: Section, drawn: Mapping[str, str], paper: str) -> str:
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
    lines = [_cells(COLUMNS), "|---|---|---|---|"]
    lines += [_cells((one.says, one.paper, one.here, _verdict(one))) for one in findings]
    return "\n".join(lines)


def _verdict(one: Finding) -> str:
    told = f"**{one.verdict}**" if one.verdict is Verdict.NOT else str(one.verdict)
    return f"{told}: {one.why}" if one.why else told


def _table(table: Table) -> str:
    """Folded: the drawing and the verdicts come first."""
    lines = [_cells(table.columns), "|---|" + "--:|" * (len(table.columns) - 1)]
    lines += [_cells(map(str, line)) for line in table.lines]
    inside = "\n".join(lines)
    title = table.title.replace("&", "&amp;").replace("<", "&lt;")
    return f"<details><summary>{title}</summary>\n\n{inside}\n\n</details>"


def _cells(texts: Iterable[str]) -> str:
    return f"| {' | '.join(map(_cell, texts))} |"


def _cell(text: str) -> str:
    """One line, whose bars and tags are shown and do nothing."""
    return TAG.sub(r"\\<", " ".join(text.split())).replace("|", r"\|")
