"""`Section`: what one figure or table of a paper came to, kept in the folder of its study."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from laconic.errors import LaconicError
from laconic.files import json_kind, write_json
from laconic.papers.figures import Reproduced, Table
from laconic.papers.findings import Finding, Verdict
from laconic.papers.plots import Cells, Line, Plot
from laconic.rows import Row

FILE = "section.json"
SECTION = json_kind("section", "section")


@dataclass(frozen=True)
class Section:
    """A figure's statements with their verdicts, its plots and its tables.

    `command` runs it again; `measured` says how much was run, with what, and what it cost.
    """

    title: str
    about: str
    command: str
    measured: str
    findings: tuple[Finding, ...] = ()
    plots: tuple[Plot | Cells, ...] = ()
    tables: tuple[Table, ...] = ()

    @classmethod
    def of(cls, title: str, about: str, command: str, scale: str, found: Reproduced) -> Self:
        shown = tuple(table for table in found.tables if table.shown)
        measured = "; ".join(filter(None, (scale, cost(found.rows), versions(found.rows))))
        return cls(title, about, command, measured, found.findings, found.plots, shown)

    @property
    def drawings(self) -> tuple[Plot | Cells, ...]:
        """The plots that have something to draw."""
        return tuple(one for one in self.plots if one.drawable)

    def save(self, folder: Path) -> None:
        write_json(folder / FILE, "section", asdict(self))

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """What is kept there; None where nothing is."""
        where = folder / FILE
        if not where.exists():
            return None
        try:
            return cls._from(json.loads(where.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise LaconicError(
                f"{where}: is no section of ours ({error}). Delete it, and run the figure again"
            ) from None

    @classmethod
    def _from(cls, kept: Mapping[str, Any]) -> Self:
        return cls(
            kept["title"],
            kept["about"],
            kept["command"],
            kept["measured"],
            tuple(
                Finding(**{**one, "verdict": Verdict(one["verdict"])}) for one in kept["findings"]
            ),
            tuple(_plot(one) for one in kept["plots"]),
            tuple(_table(one) for one in kept["tables"]),
        )


def _plot(kept: Mapping[str, Any]) -> Plot | Cells:
    if "counts" in kept:
        counts = tuple((*map(float, ends), int(n)) for *ends, n in kept["counts"])
        return Cells(**{**kept, "counts": counts})
    lines = tuple(_line(one) for one in kept["lines"])
    if any(len(line.xs) != len(line.ys) for line in lines):
        raise ValueError("a line has other values across than up")
    level = None if kept["level"] is None else (kept["level"][0], _number(kept["level"][1]))
    return Plot(**{**kept, "lines": lines, "level": level})


def _line(kept: Mapping[str, Any]) -> Line:
    xs, ys = (tuple(map(_number, kept[axis])) for axis in ("xs", "ys"))
    return Line(kept["name"], xs, ys, kept["told"])


def _number(kept: float | None) -> float:
    """JSON has no NaN."""
    if kept is None:
        return math.nan
    return kept if isinstance(kept, int) else float(kept)


def _table(kept: Mapping[str, Any]) -> Table:
    lines = tuple(tuple(math.nan if one is None else one for one in line) for line in kept["lines"])
    return Table(**{**kept, "columns": tuple(kept["columns"]), "lines": lines})


def cost(rows: Iterable[Row]) -> str:
    """Of training alone, over all tasks and sizes: a task's rows of one size carry the same."""
    seconds = {(row.task, row.size): row.seconds for row in rows if row.task}
    if not seconds:
        return ""
    tasks = len({task for task, _ in seconds})
    minutes = sum(seconds.values()) / 60
    return f"{tasks:,} tasks, {minutes:,.1f} minutes of training in one process"


def versions(rows: Iterable[Row]) -> str:
    """Of what the rows were measured with; where these differ, all that occur."""
    return " / ".join(sorted({row.versions for row in rows if row.versions}))
