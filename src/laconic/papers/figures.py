"""What the figures and tables of all papers share: how much is run, and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from laconic.errors import LaconicError
from laconic.files import csv_kind
from laconic.papers.findings import Finding
from laconic.papers.plots import Cells, Line, Plot
from laconic.rows import Row, Size, write_table
from laconic.study.executors import Executor
from laconic.study.journal import Journal
from laconic.study.layout import StudyFolder
from laconic.study.plan import Plan
from laconic.study.study import Listener, Study


@dataclass(frozen=True)
class Scale:
    """How much of an experiment is run.

    `sets` of documents, `splits` of each (or cross-validations), `draws` of random methods;
    `nested` choices where the paper's were made on the test documents.
    """

    sets: int
    splits: int
    draws: int
    nested: bool = False

    def __str__(self) -> str:
        of = {"set": self.sets, "split": self.splits, "draw": self.draws}
        told = [f"{n:,} {name}{'' if n == 1 else 's'}" for name, n in of.items()]
        return ", ".join([*told, *(["nested choices"] if self.nested else [])])


@dataclass(frozen=True)
class Table:
    """What is printed, and kept as a file of that name where it has one.

    Numbers stay numbers: text in a file is guarded against spreadsheets, which would spoil −0.5.
    """

    title: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str | float, ...], ...]
    file: str = ""
    shown: bool = True

    def save(self, folder: Path) -> None:
        kind = csv_kind(f"table of {self.title}", self.columns)
        write_table(folder / self.file, kind, self.columns, self.lines)


@dataclass(frozen=True, eq=False)
class Reproduced:
    """The rows of a figure, what is drawn from them, and what they say of the paper."""

    rows: list[Row]
    tables: tuple[Table, ...] = ()
    findings: tuple[Finding, ...] = ()
    plots: tuple[Plot | Cells, ...] = ()


class Figure(Protocol):
    """Something that is measured into a folder, `rows.csv` at the end.

    `full` is the paper's scale, `quick` a part of it.
    """

    @property
    def about(self) -> str: ...

    @property
    def full(self) -> Scale: ...

    @property
    def quick(self) -> Scale: ...

    def run(
        self,
        where: Path,
        scale: Scale,
        executor: Executor | None = None,
        *,
        listen: Listener = lambda event: None,
        **how: Any,
    ) -> Reproduced:
        """What came out. `how` is what else `Study.run` takes."""


def worked_off(
    studies: Sequence[Study], executor: Executor | None, how: dict[str, Any]
) -> list[Row]:
    """The last study worked off after the others, and the rows of all in its folder's table."""
    *_, last = studies
    last.run(executor, **how)
    folder = StudyFolder(last.where)
    with Journal.reading(folder.journal) as journal:
        keys = [task.key for study in studies for task in study.tasks]
        journal.export(folder.rows, keys)
        return list(journal.rows(keys))


@dataclass(frozen=True)
class OneStudy:
    """A figure that is one plan, and what is drawn and found from it."""

    about: str
    setting: Callable[[Scale], Plan]
    tables: Callable[[Study, list[Row]], Iterable[Table]]
    full: Scale
    quick: Scale
    findings: Callable[[Study, list[Row]], Iterable[Finding]] = lambda study, rows: ()
    plots: Callable[[list[Row]], Iterable[Plot | Cells]] = lambda rows: ()

    def run(
        self, where: Path, scale: Scale, executor: Executor | None = None, **how: Any
    ) -> Reproduced:
        study = Study(self.setting(scale), where)
        rows = worked_off([study], executor, how)
        return Reproduced(
            rows,
            tuple(self.tables(study, rows)),
            tuple(self.findings(study, rows)),
            tuple(self.plots(rows)),
        )


def figure_called(name: str, figures: dict[str, Figure], paper: str) -> Figure:
    if name not in figures:
        raise LaconicError(f"figure {name!r} of {paper}: choose from {', '.join(figures)}")
    return figures[name]


@dataclass(frozen=True)
class Point:
    """A mean over problems, as the papers' figures show it, and how far these lie apart."""

    method: str
    size: Size
    metric: str
    mean: float
    sd: float
    problems: int

    @classmethod
    def over(cls, method: str, asked: Size, metric: str, values: Iterable[float]) -> Point:
        """Of one value a problem; those that are not numbers do not count."""
        known = np.array(list(values), dtype=np.float64)
        known = known[~np.isnan(known)]
        mean = float(known.mean()) if known.size else float("nan")
        sd = float(known.std(ddof=1)) if known.size > 1 else 0.0
        return cls(method, asked, metric, mean, sd, known.size)


def tables_by_size(points: Sequence[Point]) -> tuple[Table, ...]:
    """One table a measure: methods by sizes."""
    return tuple(
        _by_size(metric, [point for point in points if point.metric == metric])
        for metric in dict.fromkeys(point.metric for point in points)
    )


def _by_size(metric: str, points: Sequence[Point]) -> Table:
    sizes = sorted({point.size for point in points})
    lines = []
    for method in dict.fromkeys(point.method for point in points):
        means = {point.size: point.mean for point in points if point.method == method}
        cells = (f"{means[size]:.3f}" if size in means else "" for size in sizes)
        lines.append((method, *cells))
    return Table(metric, ("method", *(f"{size:,}" for size in sizes)), tuple(lines))


def plot_of(
    name: str,
    points: Iterable[Point],
    metric: str,
    *,
    across: str = "Number of words",
    labels: dict[str, str] | None = None,
    title: str = "",
    level: tuple[str, float] | None = None,
    told: Sequence[Line] = (),
    log: bool = True,
) -> Plot:
    """Means of a measure against size, a line a method; of methods not in `labels` none."""
    found: dict[str, list[Point]] = {}
    for point in points:
        label = point.method if labels is None else labels.get(point.method)
        if point.metric == metric and label is not None and np.isfinite(point.mean):
            found.setdefault(label, []).append(point)
    lines = [_line(label, own) for label, own in found.items()]
    return Plot(name, title or metric, across, metric, (*lines, *told), log, level)


def _line(label: str, points: list[Point]) -> Line:
    ordered = sorted(points, key=lambda point: point.size)
    return Line(label, tuple(p.size for p in ordered), tuple(p.mean for p in ordered))
