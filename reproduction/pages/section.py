"""`Section`: the result of one figure or table of a paper, saved in the folder of its study."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from laconic.errors import LaconicError
from laconic.files import json_kind, write_json
from laconic.rows import Row
from reproduction.shared.figures import FigureResult, Table
from reproduction.shared.plots import Cells, Plot, Series
from reproduction.statements import Finding, Verdict

FILE = "section.json"
SECTION = json_kind("section", "section")


@dataclass(frozen=True)
class Section:
    """A figure's statements with their verdicts, its plots and its tables.

    `command` runs it again; `measured` says how much was run, the cost, and the versions.
    """

    title: str
    about: str
    command: str
    measured: str
    findings: tuple[Finding, ...] = ()
    plots: tuple[Plot | Cells, ...] = ()
    tables: tuple[Table, ...] = ()

    @classmethod
    def of(cls, title: str, about: str, command: str, scale: str, result: FigureResult) -> Self:
        shown = tuple(table for table in result.tables if table.shown)
        measured = "; ".join(filter(None, (scale, cost(result.rows), versions(result.rows))))
        return cls(title, about, command, measured, result.findings, result.plots, shown)

    @property
    def drawings(self) -> tuple[Plot | Cells, ...]:
        """The plots that are not empty."""
        return tuple(plot for plot in self.plots if plot.drawable)

    def save(self, folder: Path) -> None:
        write_json(folder / FILE, "section", asdict(self))

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """The section saved there; None if there is none."""
        where = folder / FILE
        if not where.exists():
            return None
        try:
            return cls._from(json.loads(where.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise LaconicError(
                f"{where}: not a section of Laconic ({error}). Delete it, and run the figure again"
            ) from None

    @classmethod
    def _from(cls, data: Mapping[str, Any]) -> Self:
        return cls(
            data["title"],
            data["about"],
            data["command"],
            data["measured"],
            tuple(
                Finding(**{**item, "verdict": Verdict(item["verdict"])})
                for item in data["findings"]
            ),
            tuple(_plot(item) for item in data["plots"]),
            tuple(_table(item) for item in data["tables"]),
        )


def _plot(data: Mapping[str, Any]) -> Plot | Cells:
    if "counts" in data:
        counts = tuple((*map(float, ends), int(n)) for *ends, n in data["counts"])
        return Cells(**{**data, "counts": counts})
    lines = tuple(_line(item) for item in data["lines"])
    if any(len(line.xs) != len(line.ys) for line in lines):
        raise ValueError("a line has different numbers of x and y values")
    level = None if data["level"] is None else (data["level"][0], _number(data["level"][1]))
    return Plot(**{**data, "lines": lines, "level": level})


def _line(data: Mapping[str, Any]) -> Series:
    xs, ys = (tuple(map(_number, data[axis])) for axis in ("xs", "ys"))
    return Series(data["name"], xs, ys, data["from_paper"])


def _number(value: float | None) -> float:
    """JSON has no NaN."""
    if value is None:
        return math.nan
    return value if isinstance(value, int) else float(value)


def _table(data: Mapping[str, Any]) -> Table:
    lines = tuple(
        tuple(math.nan if cell is None else cell for cell in line) for line in data["lines"]
    )
    return Table(**{**data, "columns": tuple(data["columns"]), "lines": lines})


def cost(rows: Iterable[Row]) -> str:
    """The training time of all tasks and sizes: all rows of a task and size carry the same."""
    seconds = {(row.task, row.size): row.seconds for row in rows if row.task}
    if not seconds:
        return ""
    tasks = len({task for task, _ in seconds})
    minutes = sum(seconds.values()) / 60
    return f"{tasks:,} tasks, {minutes:,.1f} minutes of training in one process"


def versions(rows: Iterable[Row]) -> str:
    """All versions that the rows were measured with."""
    return " / ".join(sorted({row.versions for row in rows if row.versions}))
