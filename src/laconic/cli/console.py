"""Prints results and progress in a terminal; rich is imported when needed.

Progress goes to standard error, and only if that is a terminal. Names come from untrusted files:
they are neither read as markup nor printed with control characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

import click

from laconic.rows import Row, RowTable, group_pairs

if TYPE_CHECKING:
    from rich.console import Console

    from laconic.corpus.catalog import CatalogEntry
    from laconic.corpus.corpus import Corpus
    from laconic.methods import Method
    from laconic.studies.words import Word
    from laconic.text.summary import CorpusSummary

CLASSES_SHOWN = 25
LEAST_WIDTH = 88


def printable(text: str) -> str:
    """Untrusted text without control characters, which could control the terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def say_aside(text: str) -> None:
    """Print a line on standard error, or drop it if it cannot be written."""
    with suppress(OSError):
        click.echo(text, err=True)


def stderr_console() -> Console:
    from rich.console import Console

    return Console(stderr=True)


def as_text(text: str) -> str:
    """The text, printable and escaped for rich."""
    from rich.markup import escape

    return escape(printable(text))


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner, if standard error is a terminal."""
    console = stderr_console()
    if not console.is_terminal:
        yield
        return
    with console.status(as_text(what)):
        yield


class ReadingBar:
    """A progress bar of bytes, with bytes and documents per second."""

    def __init__(self, display: Any, task: Any) -> None:
        self._display, self._task = display, task
        self._n_docs = 0

    def __call__(self, done: int, total: int, n_docs: int | None = None) -> None:
        """Show how many bytes are done; a total of 0 is unknown."""
        self._n_docs = self._n_docs if n_docs is None else n_docs
        rate = rates(done, self._n_docs, self._display.tasks[self._task].elapsed)
        self._display.update(self._task, completed=done, total=total or None, rate=rate)

    def documents(self, n_docs: int) -> None:
        """Show how many documents are done."""
        self._n_docs = n_docs

    def beginning_at(self, before: int, all_bytes: int) -> Callable[..., None]:
        """For one of several files: the bytes of those before it, and of all if they are known."""
        return lambda done, total=0, n_docs=None: self(before + done, all_bytes or total, n_docs)


def rates(n_bytes: int, n_docs: int, seconds: float | None) -> str:
    """ "12.3 MB and 4,560 documents per second"; empty in the first second."""
    if seconds is None or seconds < 1:
        return ""
    documents = f" and {n_docs / seconds:,.0f} documents" if n_docs else ""
    return f"{n_bytes / seconds / 1e6:,.1f} MB{documents} per second"


@contextmanager
def reading_bar(what: str) -> Iterator[ReadingBar]:
    """A progress bar of bytes read."""
    with progress_bar(what) as (display, task):
        yield ReadingBar(display, task)


@contextmanager
def counting_bar(loaded: Corpus, what: str = "") -> Iterator[Callable[[int, int], None]]:
    """A progress bar of bytes of text whose words are counted."""
    with reading_bar(what or f"counting the words of {loaded.name}") as bar:
        yield lambda done, total: bar(done, total, len(loaded) * done // max(1, total))


@contextmanager
def bar(what: str, total: int) -> Iterator[Callable[[object], None]]:
    """A progress bar of steps done, each of which is passed to the function."""
    with progress_bar(what, total) as (display, task):
        yield lambda step: display.advance(task)


@contextmanager
def progress_bar(what: str, total: int | None = None) -> Iterator[tuple[Any, Any]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = stderr_console()
    rate = TextColumn("{task.fields[rate]}")
    columns = (TextColumn("{task.description}"), BarColumn(), rate, TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as display:
        yield display, display.add_task(as_text(what), total=total, rate="")


def table_of(*columns: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for position, column in enumerate(columns):
        table.add_column(as_text(column), justify="left" if position == 0 else "right")
    return table


def show(renderable: Any, title: str = "") -> None:
    from rich.console import Console

    if title:
        click.echo(printable(title))
    console = Console(highlight=False)
    # narrower tables would cut numbers off; a terminal wraps the lines instead
    wide = max(console.width, LEAST_WIDTH) if console.is_terminal else 120
    Console(highlight=False, width=wide).print(renderable)


def print_catalog(entries: Iterable[CatalogEntry]) -> None:
    table = table_of("name", "description")
    table.columns[1].justify = "left"
    for entry in entries:
        splits = f" (splits: {', '.join(entry.splits)})" if entry.splits else ""
        table.add_row(entry.name, f"{entry.about}{splits}. License: {entry.licence}.")
    show(table, "Corpora of the catalog; their files are read from LACONIC_DATA")


def print_notes(notes: Iterable[str]) -> None:
    """Print the notes of a reader on standard error; results go to standard output."""
    for note in notes:
        say_aside(f"note: {printable(note)}")


def print_summary(summary: CorpusSummary) -> None:
    from rich.text import Text

    say = click.echo
    say(f"{printable(summary.name)}: {summary.documents:,} documents as {summary.kind}")
    labels = f"{summary.labels_per_document:.2f} labels" if summary.multilabel else "one label"
    say(f"  classes   {len(summary.classes):,}, {labels} per document")
    if summary.train is not None:
        say(f"  split     {summary.train:,} training, {summary.test:,} test")
    least, median, most = summary.words
    spread = f"{least:,g} to {most:,g} per document, median {median:,g}"
    say(f"  words     {summary.n_features:,} distinct; {spread}")
    say(f"  hash      {summary.fingerprint[:16]}")
    table = table_of("class", "documents")
    ranked = sorted(summary.classes.items(), key=lambda item: (-item[1], item[0]))
    for name, count in ranked[:CLASSES_SHOWN]:
        table.add_row(Text(printable(name)), f"{count:,}")
    if more := ranked[CLASSES_SHOWN:]:
        table.add_row(f"… {len(more):,} more", f"{sum(count for _, count in more):,}")
    show(table)
    for problem in summary.problems:
        say(f"  note: {printable(problem)}")


def print_rows(rows: Iterable[Row], metrics: list[str]) -> None:
    """One line per size, with means over the problems that have a value."""
    rows = RowTable(rows)
    problems = rows.distinct("problem", "fold")
    title = f"mean ± sd of {len(problems)} problems"
    if len(problems) == 1:
        title = ", ".join(filter(None, problems[0]))
    table = table_of("size", "model_size", "n_features", *metrics, "seconds")
    for size, of_size in rows.group_by("size").items():
        table.add_row(f"{size:,}", *_cells(of_size, metrics))
    show(table, f"{rows[0].method}: {title}")
    skipped = group_pairs((row.reason, f"{row.size:,}") for row in rows if row.reason)
    for reason, sizes in skipped.items():
        click.echo(f"skipped {'; '.join(dict.fromkeys(sizes))}: {printable(reason)}")


def _cells(rows: RowTable, metrics: list[str]) -> list[str]:
    done = [row for row in rows.where(metric=metrics[0]) if row.model_size is not None]
    if not done:
        return ["skipped", *[""] * (len(metrics) + 2)]
    return [
        f"{mean(row.model_size or 0 for row in done):,.0f}",
        f"{mean(row.n_features or 0 for row in done):,.0f}",
        *(_spread(rows.measured(metric).column("value"), len(done)) for metric in metrics),
        f"{sum(row.seconds for row in done):.2f}",
    ]


def _spread(values: list[float], problems: int) -> str:
    """The mean and standard deviation, and the number of values if some are missing."""
    if not values:
        return "–"
    deviation = f" ± {stdev(values):.3f}" if len(values) > 1 else ""
    missing = f" ({len(values)} of {problems})" if len(values) < problems else ""
    return f"{mean(values):.4f}{deviation}{missing}"


def print_methods(methods: Iterable[Method]) -> None:
    from laconic.methods.classifiers import CLASSIFIERS

    flags = ("supervised", "random", "nested")
    table = table_of("method", "description", "paper", *flags, "settings", "cost")
    for column in table.columns:
        column.justify = "left"
    for method in methods:
        description = method.described()
        table.add_row(
            method.name,
            as_text(method.about),
            method.paper,
            *("yes" if description[flag] else "no" for flag in flags),
            ", ".join(description["settings"]),
            method.cost,
        )
    show(
        table,
        "Methods; settings follow the name, SS:rank=10, and most take a classifier "
        f"({', '.join(CLASSIFIERS)}) with its settings: IG+svm:alpha=0.5",
    )


def print_words(title: str, classes: tuple[str, ...], words: list[Word]) -> None:
    """The words, each with the class of its largest coefficient."""
    table = table_of("word", "documents", "score", "class", "coefficient")
    for word in words:
        value, name = max(zip(word.coefficients, classes, strict=True), key=lambda c: abs(c[0]))
        score = "" if word.score is None else f"{word.score:.4g}"
        side = "" if value >= 0 else "not "
        supported = f"{side}{as_text(name)}"
        table.add_row(as_text(word.word), f"{word.documents:,}", score, supported, f"{value:+.3f}")
    show(table, title)
