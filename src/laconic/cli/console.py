"""How results and progress look in a terminal. Values in, print out; rich is imported when needed.

Progress goes to standard error and is silent where that is no terminal. Names come from strangers'
files: nothing of them is read as markup or reaches the terminal as a control character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from laconic.corpus.catalog import CatalogEntry
    from laconic.methods import Method
    from laconic.papers.figures import Table
    from laconic.rows import Row
    from laconic.study.words import Word
    from laconic.vectors.summary import CorpusSummary

CLASSES_SHOWN = 25
LEAST_WIDTH = 88


def printable(text: str) -> str:
    """Text of strangers without control characters, which could steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def say_aside(text: str) -> None:
    """A line on standard error; one that cannot be written is dropped, the result goes on."""
    with suppress(OSError):
        click.echo(text, err=True)


def stderr_console() -> Console:
    from rich.console import Console

    return Console(stderr=True)


def as_text(text: str) -> str:
    """Printable, and no markup."""
    from rich.markup import escape

    return escape(printable(text))


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on a terminal, nothing elsewhere."""
    console = stderr_console()
    if not console.is_terminal:
        yield
        return
    with console.status(as_text(what)):
        yield


@contextmanager
def reading_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar of what was read of how much."""
    with progress_bar(what) as (display, task):
        yield lambda done, total: display.update(task, completed=done, total=total)


@contextmanager
def bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar of steps done."""
    with progress_bar(what, total) as (display, task):
        yield lambda: display.advance(task)


@contextmanager
def progress_bar(what: str, total: int | None = None) -> Iterator[tuple[Any, Any]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = stderr_console()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as display:
        yield display, display.add_task(as_text(what), total=total)


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
    # below this the numbers of a table would be cut off; a terminal wraps them instead
    wide = max(console.width, LEAST_WIDTH) if console.is_terminal else 120
    Console(highlight=False, width=wide).print(renderable)


def print_catalog(entries: Iterable[CatalogEntry]) -> None:
    table = table_of("name", "what")
    table.columns[1].justify = "left"
    for entry in entries:
        splits = f" (splits: {', '.join(entry.splits)})" if entry.splits else ""
        table.add_row(entry.name, f"{entry.about}{splits}. Licence: {entry.licence}.")
    show(table, "Known corpora; their files are looked for in LACONIC_DATA")


def print_notes(notes: Iterable[str]) -> None:
    """What the reader found, on standard error: results go elsewhere."""
    for note in notes:
        say_aside(f"note: {printable(note)}")


def print_summary(summary: CorpusSummary) -> None:
    from rich.text import Text

    say = click.echo
    say(f"{printable(summary.name)}: {summary.documents:,} documents as {summary.kind}")
    several = f"{summary.labels_per_document:.2f} labels a document"
    say(
        f"  classes   {len(summary.classes):,}, {several if summary.multilabel else 'one a document'}"
    )
    if summary.train is not None:
        say(f"  split     {summary.train:,} training, {summary.test:,} test")
    least, median, most = summary.words
    spread = f"{least:,g} to {most:,g} a document, median {median:,g}"
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


def print_rows(rows: list[Row], metrics: list[str]) -> None:
    """One line a size: means over problems, of those that have a value."""
    problems = {(row.problem, row.fold) for row in rows}
    one = ", ".join(filter(None, problems.copy().pop()))
    title = one if len(problems) == 1 else f"mean ± sd of {len(problems)} problems"
    table = table_of("size", "kept", "words", *metrics, "seconds")
    for asked in dict.fromkeys(row.size for row in rows):
        table.add_row(f"{asked:,}", *_cells([r for r in rows if r.size == asked], metrics))
    show(table, f"{rows[0].method}: {title}")
    skipped: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.reason:
            skipped.setdefault(row.reason, {})[f"{row.size:,}"] = None
    for reason, sizes in skipped.items():
        click.echo(f"skipped {'; '.join(sizes)}: {printable(reason)}")


def _cells(rows: list[Row], metrics: list[str]) -> list[str]:
    kept = [row for row in rows if row.model_size is not None and row.metric == metrics[0]]
    if not kept:
        return ["skipped", *[""] * (len(metrics) + 2)]
    values = [[r.value for r in rows if r.metric == m and r.value is not None] for m in metrics]
    return [
        f"{mean(row.model_size for row in kept):,.0f}",
        f"{mean(row.n_features or 0 for row in kept):,.0f}",
        *(_spread(found, len(kept)) for found in values),
        f"{sum(row.seconds for row in kept):.2f}",
    ]


def _spread(values: list[float], problems: int) -> str:
    """The mean, with the deviation of several values, and how many there are if some lack."""
    if not values:
        return "–"
    several = f" ± {stdev(values):.3f}" if len(values) > 1 else ""
    some = f" ({len(values)} of {problems})" if len(values) < problems else ""
    return f"{mean(values):.4f}{several}{some}"


def print_table(title: str, table: Table) -> None:
    shown = table_of(*table.columns)
    for line in table.lines:
        shown.add_row(*(as_text(str(value)) for value in line))
    show(shown, f"{title}: {table.title}")


def print_methods(methods: Iterable[Method]) -> None:
    table = table_of("method", "keeps", "paper", "labels", "chance", "nested", "settings", "cost")
    for column in table.columns:
        column.justify = "left"
    for method in methods:
        told = method.described()
        table.add_row(
            method.name,
            as_text(method.about),
            method.paper,
            *("yes" if told[key] else "no" for key in ("supervised", "random", "nested")),
            ", ".join(told["settings"]),
            method.cost,
        )
    every = (
        "most take the classifier behind them, rls, svm, gaussian, centroid or knn, and its λ: "
        "IG+svm:alpha=0.5"
    )
    show(table, f"Methods; settings go in brackets: SS:rank=10; {every}")


def print_words(title: str, classes: tuple[str, ...], words: list[Word]) -> None:
    """The words with what they speak for: the class of the largest coefficient."""
    table = table_of("word", "documents", "score", "speaks for", "by")
    for one in words:
        place = max(range(len(classes)), key=lambda i: abs(one.coefficients[i]))
        score = "" if one.score is None else f"{one.score:.4g}"
        value = one.coefficients[place]
        side = "" if value >= 0 else "against "
        speaks = f"{side}{as_text(classes[place])}"
        table.add_row(as_text(one.word), f"{one.documents:,}", score, speaks, f"{value:+.3f}")
    show(table, title)
