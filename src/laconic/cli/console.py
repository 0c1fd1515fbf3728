"""How results and progress look in a terminal. Values in, print out; rich is imported when needed.

Progress goes to standard error and is silent where that is no terminal. Names come from strangers'
files: nothing of them is read as markup or reaches the terminal as a control character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from laconic.corpus.catalog import Known
    from laconic.curves import Row
    from laconic.papers.dasgupta2007 import Point
    from laconic.vectors.card import Card

CLASSES_SHOWN = 25


def printable(text: str) -> str:
    """Text of strangers without control characters, which could steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


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


@contextmanager
def counter(what: str) -> Iterator[Callable[[str], None]]:
    """What was done last, and how many so far: for work whose end is not known."""
    with progress_bar(what) as (display, task):
        done = 0

        def step(name: str) -> None:
            nonlocal done
            done += 1
            display.update(task, description=f"{as_text(what)}: {done} done, last {as_text(name)}")

        yield step


def table_of(*columns: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for position, column in enumerate(columns):
        table.add_column(column, justify="left" if position == 0 else "right")
    return table


def show(renderable: Any, title: str = "") -> None:
    from rich.console import Console

    if title:
        click.echo(printable(title))
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    console.print(renderable)


def print_catalog(entries: Iterable[Known]) -> None:
    table = table_of("name", "what")
    table.columns[1].justify = "left"
    for entry in entries:
        splits = f" (splits: {', '.join(entry.splits)})" if entry.splits else ""
        table.add_row(entry.name, f"{entry.about}{splits}. Licence: {entry.licence}.")
    show(table, "Known corpora; their files are looked for in LACONIC_DATA")


def print_card(card: Card) -> None:
    from rich.text import Text

    say = click.echo
    say(f"{printable(card.name)}: {card.documents:,} documents as {card.kind}")
    several = f"{card.labels_per_document:.2f} labels a document"
    say(f"  classes   {len(card.classes):,}, {several if card.multilabel else 'one a document'}")
    if card.train is not None:
        say(f"  split     {card.train:,} training, {card.test:,} test")
    least, median, most = card.words
    spread = f"{least:,g} to {most:,g} a document, median {median:,g}"
    say(f"  words     {card.terms:,} distinct; {spread}")
    say(f"  hash      {card.fingerprint[:16]}")
    table = table_of("class", "documents")
    ranked = sorted(card.classes.items(), key=lambda item: (-item[1], item[0]))
    for name, count in ranked[:CLASSES_SHOWN]:
        table.add_row(Text(printable(name)), f"{count:,}")
    if more := ranked[CLASSES_SHOWN:]:
        table.add_row(f"… {len(more):,} more", f"{sum(count for _, count in more):,}")
    show(table)
    for problem in card.problems:
        say(f"  note: {printable(problem)}")


def print_rows(rows: list[Row], measures: list[str]) -> None:
    import numpy as np

    problems = len({row.problem for row in rows})
    title = rows[0].problem if problems == 1 else f"mean ± sd of {problems} problems"
    table = table_of("asked", "kept", "words", *measures, "seconds")
    for asked in dict.fromkeys(row.asked for row in rows):
        of_size = [row for row in rows if row.asked == asked]
        sound = [row for row in of_size if row.status == "ok"]
        if not sound:
            table.add_row(f"{asked:,}", "skipped", *[""] * (len(measures) + 2))
            continue
        cells = []
        for measure in measures:
            values = np.array([row.value for row in sound if row.measure == measure])
            spread = f" ± {values.std(ddof=1):.3f}" if values.size > 1 else ""
            cells.append(f"{values.mean():.4f}{spread}")
        first = [row for row in sound if row.measure == measures[0]]
        mean = [np.mean([getattr(row, name) for row in first]) for name in ("kept", "terms")]
        seconds = sum(row.seconds for row in first)
        table.add_row(f"{asked:,}", *(f"{value:,.0f}" for value in mean), *cells, f"{seconds:.2f}")
    show(table, f"{rows[0].method}: {title}")
    skipped: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.reason:
            skipped.setdefault(row.reason, {})[f"{row.asked:,}"] = None
    for reason, sizes in skipped.items():
        click.echo(f"skipped {'; '.join(sizes)}: {printable(reason)}")


def print_points(title: str, points: list[Point]) -> None:
    """One table a measure: methods by sizes."""
    for measure in dict.fromkeys(point.measure for point in points):
        of_measure = [point for point in points if point.measure == measure]
        sizes = sorted({point.asked for point in of_measure})
        table = table_of("method", *(f"{size:,}" for size in sizes))
        for method in dict.fromkeys(point.method for point in of_measure):
            means = {point.asked: point.mean for point in of_measure if point.method == method}
            cells = (f"{means[size]:.3f}" if size in means else "" for size in sizes)
            table.add_row(as_text(method), *cells)
        show(table, f"{title}: {measure}")
