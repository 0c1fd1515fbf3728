"""What the figures and tables of all papers share: the scale of a run, and its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from laconic.errors import LaconicError
from laconic.files import csv_kind
from laconic.row_files import write_table
from laconic.rows import Row, RowTable, group_pairs
from laconic.studies.execution.executors import Executor
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import StudyFolder
from laconic.studies.measurement import Listener
from laconic.studies.plan import Plan
from laconic.studies.study import Study
from laconic.types import Size
from reproduction.shared.plots import Cells, Plot, Series
from reproduction.statements import Finding

# A problem, and one of its folds.
ProblemFold: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class Scale:
    """How much of an experiment is run.

    `sets` of documents, `n_splits` per set (or cross-validations), `draws` of random methods;
    `nested` if settings are chosen on training documents where the paper uses the test documents.
    """

    sets: int
    n_splits: int
    draws: int
    nested: bool = False

    def __str__(self) -> str:
        counts = {"set": self.sets, "split": self.n_splits, "draw": self.draws}
        parts = [f"{n:,} {name}{'' if n == 1 else 's'}" for name, n in counts.items()]
        return ", ".join([*parts, *(["nested choices"] if self.nested else [])])


@dataclass(frozen=True)
class Table:
    """A printed table, saved under its file name where it has one.

    Numbers stay numbers: text in a file is escaped for spreadsheets, which would spoil −0.5.
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
class FigureResult:
    """The rows of a figure, its tables and plots, and what they say about the paper."""

    rows: list[Row]
    tables: tuple[Table, ...] = ()
    findings: tuple[Finding, ...] = ()
    plots: tuple[Plot | Cells, ...] = ()


class Figure(Protocol):
    """An experiment that runs in a folder and ends with `rows.csv`.

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
        **options: Any,
    ) -> FigureResult:
        """Run the experiment. `options` are passed on to `Study.run`."""


def run_studies(
    studies: Sequence[Study], executor: Executor | None, options: dict[str, Any]
) -> list[Row]:
    """Run the last study, after the others, and export the rows of all of them to its folder."""
    *_, last = studies
    last.run(executor, **options)
    folder = StudyFolder(last.where)
    with Journal.reading(folder.journal) as journal:
        keys = [task.key for study in studies for task in study.tasks]
        journal.export(folder.rows, keys)
        return list(journal.rows(keys))


@dataclass(frozen=True)
class StudyFigure:
    """A figure with one plan, and the tables, findings and plots made from its rows."""

    about: str
    setting: Callable[[Scale], Plan]
    tables: Callable[[Study, list[Row]], Iterable[Table]]
    full: Scale
    quick: Scale
    findings: Callable[[Study, list[Row]], Iterable[Finding]] = lambda study, rows: ()
    plots: Callable[[list[Row]], Iterable[Plot | Cells]] = lambda rows: ()

    def run(
        self, where: Path, scale: Scale, executor: Executor | None = None, **options: Any
    ) -> FigureResult:
        study = Study(self.setting(scale), where)
        rows = run_studies([study], executor, options)
        return FigureResult(
            rows,
            tuple(self.tables(study, rows)),
            tuple(self.findings(study, rows)),
            tuple(self.plots(rows)),
        )


def find_figure(name: str, figures: dict[str, Figure], paper: str) -> Figure:
    if name not in figures:
        raise LaconicError(f"figure {name!r} of {paper}: choose from {', '.join(figures)}")
    return figures[name]


@dataclass(frozen=True)
class MeanPoint:
    """A mean over problems, as in the papers' figures, with its standard deviation."""

    method: str
    size: Size
    metric: str
    mean: float
    sd: float
    problems: int

    @classmethod
    def over(cls, method: str, size: Size, metric: str, values: Iterable[float]) -> MeanPoint:
        """From one value per problem; NaNs do not count."""
        numbers = np.array(list(values), dtype=np.float64)
        numbers = numbers[~np.isnan(numbers)]
        mean = float(numbers.mean()) if numbers.size else float("nan")
        sd = float(numbers.std(ddof=1)) if numbers.size > 1 else 0.0
        return cls(method, size, metric, mean, sd, numbers.size)


def mean_over_folds(rows: RowTable) -> float:
    """The mean of the folds; draws are averaged within a fold first."""
    folds = rows.group_by("fold").values()
    return float(np.mean([np.mean(of_fold.column("value")) for of_fold in folds]))


def tables_by_size(points: Iterable[MeanPoint]) -> tuple[Table, ...]:
    """One table per metric: methods by sizes."""
    by_metric = group_pairs((point.metric, point) for point in points)
    return tuple(_by_size(metric, of_metric) for metric, of_metric in by_metric.items())


def _by_size(metric: str, points: Sequence[MeanPoint]) -> Table:
    sizes = sorted({point.size for point in points})
    lines = []
    for method, pairs in group_pairs((p.method, (p.size, p.mean)) for p in points).items():
        means = dict(pairs)
        cells = (f"{means[size]:.3f}" if size in means else "" for size in sizes)
        lines.append((method, *cells))
    return Table(metric, ("method", *(f"{size:,}" for size in sizes)), tuple(lines))


def make_plot(
    name: str,
    points: Iterable[MeanPoint],
    metric: str,
    *,
    x_title: str = "Number of words",
    labels: dict[str, str] | None = None,
    title: str = "",
    level: tuple[str, float] | None = None,
    paper_lines: Sequence[Series] = (),
    log: bool = True,
) -> Plot:
    """Means of a metric against size, one line per method; methods not in `labels` are left out."""
    by_label = group_pairs(
        (p.method if labels is None else labels.get(p.method), p)
        for p in points
        if p.metric == metric and np.isfinite(p.mean)
    )
    lines = [_line(label, of_label) for label, of_label in by_label.items() if label is not None]
    return Plot(name, title or metric, x_title, metric, (*lines, *paper_lines), log, level)


def _line(label: str, points: list[MeanPoint]) -> Series:
    ordered = sorted(points, key=lambda point: point.size)
    return Series(label, tuple(p.size for p in ordered), tuple(p.mean for p in ordered))
