"""The rows of the benchmarks as a Markdown page: one section per benchmark, updated one by one.

A long run can be done in parts: a section that was not measured stays unchanged, with its date,
machine and load.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.bars import BARS, Bar
from bench.markdown import cells, sections_of
from bench.measuring import Row
from laconic.files import ANY_FILE, draft

TITLE = """# Benchmarks

Speed is a ratio: the peer's time by ours, both measured in the same run, in turns, as medians. Each
section says when, where and how it was measured. A bar is a target that was set before the code was
written; rows without a bar are for information. Memory is the growth of the peak of a new process
in the call.

This page is written by `make bench`, or section by section by the commands below. Do not edit it.
"""
COLUMNS = ("what", "peer", "times faster", "bar", "verdict", "memory")
RULE = "|---|---|--:|--:|---|---|"


@dataclass(frozen=True)
class Section:
    """One run of one benchmark; `about` says what it compares, `measured` how it was run."""

    name: str
    about: str
    measured: str
    rows: tuple[Row, ...]


def update(where: Path, sections: Iterable[Section], order: Sequence[str]) -> None:
    """Update these sections of the page, or create it. A section not in `order` is dropped."""
    texts = sections_of(where.read_text()) if where.exists() else {}
    texts |= {section.name: section_text(section) for section in sections}
    page = "\n".join([TITLE, *(texts[name] for name in order if name in texts)])
    with draft(where, ANY_FILE) as stream:
        stream.write(page.encode())


def section_text(section: Section) -> str:
    lines = [
        f"## {section.name}",
        "",
        section.about.strip(),
        "",
        section.measured,
        "",
        cells(COLUMNS),
        RULE,
        *map(_line, section.rows),
        *(cells((key, "", "", _bar(BARS[key]), "not measured", "")) for key in unmeasured(section)),
    ]
    return "\n".join(lines) + "\n"


def unmeasured(section: Section) -> list[str]:
    """The keys of its bars without a row, because a corpus or a peer is missing."""
    measured = {row.key for row in section.rows}
    return [key for key in BARS if key.startswith(f"{section.name}.") and key not in measured]


def _line(row: Row) -> str:
    verdict = f"**{row.verdict.lower()}**" if row.verdict == "MISSED" else row.verdict
    memory = "" if row.memory is None else str(row.memory)
    bar = "" if row.bar is None else _bar(row.bar)
    return cells((row.what, row.peer, _number(row.ratio), bar, verdict, memory))


def _bar(bar: Bar) -> str:
    """With the bar for memory: `40, 1/20 of the memory`."""
    parts = [_number(bar.ratio)]
    if bar.share is not None:
        parts.append(f"1/{1 / bar.share:.0f} of the memory")
    if bar.megabytes is not None:
        parts.append(f"{bar.megabytes:,.0f} MB")
    return ", ".join(parts)


def _number(value: float) -> str:
    """With as many digits as are meaningful for a ratio."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}"
