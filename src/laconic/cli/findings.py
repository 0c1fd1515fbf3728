"""How a running study and its findings look in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from laconic.cli.console import (
    as_text,
    print_notes,
    printable,
    say_aside,
    show,
    stderr_console,
    table_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from laconic.study.findings import Findings
    from laconic.study.recommending import Candidate, Recommendation
    from laconic.study.study import Event, Listener

PROBLEMS_SHOWN = 10
FAILURES_SHOWN = 5


@contextmanager
def study_bar(*, quiet: bool = False) -> Iterator[tuple[Listener, Callable[[int, int], None]]]:
    """One live bar: what was done last, how many, how fast, how long still.

    Two functions feed it: one takes events, the other what was read of how much.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = stderr_console()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    hidden = quiet or not console.is_terminal
    notes: list[str] = []
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        shown = bar.add_task("reading the corpora", total=None, rate="")

        def listen(event: Event) -> None:
            if event.kind == "note":
                notes.append(event.what)
            elif event.kind == "loaded":
                bar.reset(shown, total=None)
                bar.update(shown, description=as_text(f"counting the words of {event.what}"))
            elif event.kind == "planned":
                bar.reset(shown, total=event.total, completed=event.done, rate="")
            elif event.kind == "task":
                speed = bar.tasks[0].speed
                rate = f"{speed:.1f} a second" if speed else ""
                what = as_text(event.what) + (" failed" if event.status == "failed" else "")
                bar.update(shown, completed=event.done, description=what, rate=rate)
            elif event.kind == "concluding":
                bar.update(shown, description="training the recommended model", rate="")

        yield listen, lambda done, total: bar.update(shown, completed=done, total=total)
    print_notes(notes)


def print_findings(
    findings: Findings, where: Path, page: Path | None = None, *, short: bool = False
) -> None:
    """The table of methods, the recommendation in a sentence, and where everything is."""
    if not short:
        problems = list(dict.fromkeys(one.problem for one in findings.each))
        for problem in problems[:PROBLEMS_SHOWN]:
            each = [one for one in findings.each if one.problem == problem]
            _print_curves([one for one in findings.candidates if one.problem == problem], each)
            _print_problem(each, findings)
        if len(problems) > PROBLEMS_SHOWN:
            more = len(problems) - PROBLEMS_SHOWN
            click.echo(f"… {more} more problems: {where / 'recommendation.json'}")
    for one in findings.recommendations:
        click.echo(printable(one.sentence))
    for title, reason in list(findings.failed.items())[:FAILURES_SHOWN]:
        say_aside(f"failed: {printable(title)}: {printable(reason)}")
    if len(findings.failed) > FAILURES_SHOWN:
        say_aside(f"… and {len(findings.failed) - FAILURES_SHOWN} more failed")
    if short:
        return
    for note, times in findings.notes.items():
        tasks = f"{times:,} task{'' if times == 1 else 's'}"
        say_aside(f"note ({tasks}): {printable(note)}")
    if page is not None:
        click.echo(f"look at it: {printable(str(page))}")
    click.echo(f"everything is in {printable(str(where))}: {', '.join(_files(where))}")


def _print_curves(offered: list[Candidate], each: list[Recommendation]) -> None:
    """Means by method and size; a star at the smallest within one standard error."""
    from laconic.methods import keeps_all

    sizes = sorted({one.size for one in offered if not keeps_all(one.method)})
    table = table_of("method", *map(_short, sizes))
    means = {(one.method, one.size): f"{one.mean:.3f}" for one in offered}
    for one in each:
        means[one.chosen.method, one.chosen.size] += "*"
    for method in dict.fromkeys(one.method for one in offered if not keeps_all(one.method)):
        table.add_row(as_text(method), *(means.get((method, size), "") for size in sizes))
    whole = next((one for one in offered if keeps_all(one.method)), None)
    all_words = (
        f"; all words: {whole.mean:.3f} ({whole.n_features:,.0f} in a fold)" if whole else ""
    )
    one = offered[0]
    told = f"{one.problem}: {one.metric} by {_counted(offered)}, mean of {one.folds} folds"
    show(table, f"{told}{all_words}")
    for method in dict.fromkeys(one.method for one in offered):
        _print_words_of_classes([one for one in offered if one.method == method])


def _counted(offered: list[Candidate]) -> str:
    """What the sizes of these count."""
    from laconic.methods import keeps_all, projects

    mixing = {projects(one.method) for one in offered if not keeps_all(one.method)}
    columns = "columns that mix all words"
    if mixing == {True}:
        return f"number of {columns}"
    return f"number of words, or of {columns}" if True in mixing else "number of words"


def _print_words_of_classes(offered: list[Candidate]) -> None:
    """Of a method whose classes choose their own words, how many these are together."""
    from laconic.methods import parse_method

    counted = [one for one in offered if isinstance(one.size, int) and one.n_features > one.size]
    if parse_method(offered[0].method).classifier is None and counted:
        least, most = (f"{pick(one.n_features for one in counted):,.0f}" for pick in (min, max))
        method = printable(offered[0].method)
        click.echo(f"{method}: words of each class; all classes together have {least} to {most}")


def _short(size: float) -> str:
    if isinstance(size, float):
        return f"{size:g}"
    return f"{size // 1000}k" if size >= 1000 and size % 1000 == 0 else str(size)


def _print_problem(each: list[Recommendation], findings: Findings) -> None:
    table = table_of("method", "best", "words", "* within one error", "words", "p")
    top = max(each, key=lambda one: one.best.mean)
    for one in each:
        table.add_row(
            as_text(one.best.method),
            f"{one.best.mean:.4f} ± {one.best.se:.4f}",
            f"{one.best.n_features:,.0f}",
            f"{one.chosen.mean:.4f}",
            f"{one.chosen.n_features:,.0f}",
            _p_value(one, top, findings),
        )
    p = "p: * against * of the best method, t-test over folds, Holm's correction over all pairs"
    show(table, f"the best of each method ± standard error, and the smallest within one of it; {p}")


def _p_value(one: Recommendation, top: Recommendation, findings: Findings) -> str:
    """Of the t-test over folds between the sizes recommended, Holm's correction included."""
    pair = {one.chosen.method, top.chosen.method}
    for found in findings.comparisons:
        same = found.problem == one.problem and {found.a, found.b} == pair
        if same and found.test.endswith("t-test") and "macro" not in found.test:
            return f"{found.holm:.3f}" if found.holm == found.holm else "–"
    return ""


def _files(where: Path) -> list[str]:
    return sorted(
        file.name for file in where.iterdir() if not file.name.startswith((".", "journal.lock"))
    )
