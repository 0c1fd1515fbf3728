"""How a running study and its findings are shown in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from laconic.cli.console import (
    as_text,
    print_notes,
    printable,
    rates,
    say_aside,
    show,
    stderr_console,
    table_of,
)
from laconic.rows import group_pairs

if TYPE_CHECKING:
    from pathlib import Path

    from laconic.studies.analysis.candidates import Candidate
    from laconic.studies.analysis.findings import Findings
    from laconic.studies.analysis.recommendation import Recommendation
    from laconic.studies.measurement import Event, Listener

PROBLEMS_SHOWN = 10
FAILURES_SHOWN = 5


@contextmanager
def study_bar(*, quiet: bool = False) -> Iterator[tuple[Listener, Callable[[int, int], None]]]:
    """A progress bar: the last task, number of tasks, speed, time left.

    Yields two functions that update it: one takes events, the other bytes read and total bytes.
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
    n_docs: dict[str, int] = {}
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        shown = bar.add_task("reading the corpora", total=None, rate="")

        def listen(event: Event) -> None:
            if event.kind == "note":
                notes.append(event.what)
            elif event.kind == "forecast" and not quiet:
                say_aside(printable(event.what))
            elif event.kind == "counting":
                done = n_docs.get(event.what, 0) * event.done // max(1, event.total)
                rate = rates(event.done, done, bar.tasks[0].elapsed)
                bar.update(shown, completed=event.done, total=event.total, rate=rate)
            elif event.kind == "loaded":
                n_docs[event.what] = event.total
                bar.reset(shown, total=None, rate="")
                bar.update(shown, description=as_text(f"counting the words of {event.what}"))
            elif event.kind == "planned":
                if event.what == "features":
                    bar.update(shown, description="comparing features")
                bar.reset(shown, total=event.total, completed=event.done, rate="")
            elif event.kind == "task":
                speed = bar.tasks[0].speed
                rate = f"{speed:.1f} per second" if speed else ""
                title = as_text(event.what) + (" failed" if event.status == "failed" else "")
                bar.update(shown, completed=event.done, description=title, rate=rate)
            elif event.kind == "concluding":
                bar.update(shown, description="training the recommended model", rate="")

        def read(done: int, total: int) -> None:
            rate = rates(done, 0, bar.tasks[0].elapsed)
            bar.update(shown, completed=done, total=total, rate=rate)

        yield listen, read
    print_notes(notes)


def print_findings(
    findings: Findings,
    where: Path,
    page: Path | None = None,
    *,
    short: bool = False,
    default_metric: bool = False,
) -> None:
    """Print the metric, the tables of methods, the recommendation, and where the files are.

    `default_metric` says whether the study chose the metric itself.
    """
    from laconic.studies.layout import StudyFolder

    folder = StudyFolder(where)
    if not short:
        _print_features(findings)
        _print_quality(findings, default_metric)
        budgets = {r.problem: r for r in findings.recommendations}
        candidates = group_pairs((c.problem, c) for c in findings.candidates)
        by_problem = group_pairs((r.problem, r) for r in findings.per_method)
        for problem, per_method in list(by_problem.items())[:PROBLEMS_SHOWN]:
            _print_curves(candidates[problem], per_method)
            if problem in budgets:
                _print_budget(budgets[problem])
            _print_methods(per_method, findings)
        if (more := len(by_problem) - PROBLEMS_SHOWN) > 0:
            click.echo(f"… {more} more problems: {printable(str(folder.findings))}")
    for recommendation in findings.recommendations:
        click.echo(printable(recommendation.sentence))
    for title, reason in list(findings.failures.items())[:FAILURES_SHOWN]:
        say_aside(f"failed: {printable(title)}: {printable(reason)}")
    if len(findings.failures) > FAILURES_SHOWN:
        say_aside(f"… and {len(findings.failures) - FAILURES_SHOWN} more failed")
    if short:
        return
    for warning, times in findings.warnings.items():
        tasks = f"{times:,} task{'' if times == 1 else 's'}"
        say_aside(f"warning ({tasks}): {printable(warning)}")
    if page is not None:
        click.echo(f"Report: {printable(str(page))}")
    click.echo(f"Files written to {printable(str(where))}/: {', '.join(folder.listing())}")


def _print_features(findings: Findings) -> None:
    """Which features are counted, and how the language is known."""
    several = len(findings.features) > 1
    for choice in findings.features[:PROBLEMS_SHOWN]:
        corpus = f"{choice.corpus}: " if several else ""
        click.echo(printable(f"{corpus}{choice.sentence}"))
    if (more := len(findings.features) - PROBLEMS_SHOWN) > 0:
        click.echo(f"… and the features of {more} more corpora")


def _print_quality(findings: Findings, default_metric: bool) -> None:
    """What quality is, in words."""
    from laconic.report.metric_names import quality_sentence

    metrics = {r.problem: r.metric for r in findings.per_method}
    classes = {r.problem: r.positive_class for r in findings.recommendations}
    sentence = quality_sentence(metrics, classes, default=default_metric)
    if sentence:
        click.echo(printable(sentence))


def _print_budget(recommendation: Recommendation) -> None:
    """What a smaller or larger model would cost."""
    from laconic.report.answer_tables import budget_lines
    from laconic.studies.analysis.sentences import metric_of

    lines = budget_lines(recommendation)
    if not lines:
        return
    table = table_of("give up", "words", "kB", "mistakes/1,000", "documents/s", "")
    for line in lines:
        table.add_row(
            f"{line.give_up} points" if line.give_up != "1" else "1 point",
            line.n_features,
            line.kilobytes,
            line.mistakes,
            line.documents_per_second,
            "recommended" if line.chosen else "",
        )
    table.columns[-1].justify = "left"
    metric = metric_of(recommendation)
    show(table, f"the smallest model that gives up at most so much (1 point: 0.01 of {metric})")


def _print_curves(candidates: list[Candidate], per_method: list[Recommendation]) -> None:
    """Means by method and size; a star at the smallest within one standard error of the best."""
    from laconic.methods import keeps_all

    selecting = [c for c in candidates if not keeps_all(c.method)]
    sizes = sorted({c.size for c in selecting})
    table = table_of("method", *map(_short, sizes))
    means = {(c.method, c.size): f"{c.mean:.3f}" for c in candidates}
    for recommendation in per_method:
        means[recommendation.chosen.method, recommendation.chosen.size] += "*"
    for method in dict.fromkeys(c.method for c in selecting):
        table.add_row(as_text(method), *(means.get((method, size), "") for size in sizes))
    baseline = next((c for c in candidates if keeps_all(c.method)), None)
    all_words = (
        f"; all words: {baseline.mean:.3f} ({baseline.n_features:,.0f} per fold)"
        if baseline
        else ""
    )
    first = candidates[0]
    title = f"{first.problem}: {first.metric} by {_unit(selecting)}, mean of {first.n_folds} folds"
    show(table, f"{title}{all_words}")
    for of_method in group_pairs((c.method, c) for c in candidates).values():
        _print_words_of_classes(of_method)


def _unit(candidates: list[Candidate]) -> str:
    """What the sizes of these count."""
    from laconic.methods import projects

    projections = {projects(candidate.method) for candidate in candidates}
    if projections == {True}:
        return "number of components"
    return "number of words or components" if True in projections else "number of words"


def _print_words_of_classes(candidates: list[Candidate]) -> None:
    """For a method that selects words per class, how many these are in total."""
    from laconic.methods import parse_method

    per_class = [c for c in candidates if isinstance(c.size, int) and c.n_features > c.size]
    if parse_method(candidates[0].method).classifier is None and per_class:
        low, high = (f"{pick(c.n_features for c in per_class):,.0f}" for pick in (min, max))
        method = printable(candidates[0].method)
        click.echo(f"{method}: words per class; the model has {low} to {high} words in total")


def _short(size: float) -> str:
    if isinstance(size, float):
        return f"{size:g}"
    return f"{size // 1000}k" if size >= 1000 and size % 1000 == 0 else str(size)


def _print_methods(per_method: list[Recommendation], findings: Findings) -> None:
    table = table_of("method", "best", "words", "smallest*", "words", "p")
    top = max(per_method, key=lambda recommendation: recommendation.best.mean)
    for recommendation in per_method:
        best, chosen = recommendation.best, recommendation.chosen
        table.add_row(
            as_text(best.method),
            f"{best.mean:.4f} ± {best.se:.4f}",
            f"{best.n_features:,.0f}",
            f"{chosen.mean:.4f}",
            f"{chosen.n_features:,.0f}",
            _p_value(recommendation, top, findings),
        )
    show(
        table,
        "best result per method ± standard error; *: smallest model within one standard error "
        "of it; p: this * against that of the best method (t-test over folds, Holm's correction)",
    )


def _p_value(recommendation: Recommendation, top: Recommendation, findings: Findings) -> str:
    """Of the t-test over folds between the recommended sizes, with Holm's correction."""
    pair = {recommendation.chosen.method, top.chosen.method}
    for comparison in findings.comparisons:
        methods = {comparison.method_a, comparison.method_b}
        same = comparison.problem == recommendation.problem and methods == pair
        if same and comparison.test.endswith("t-test") and "macro" not in comparison.test:
            p = comparison.p_holm
            return f"{p:.3f}" if p == p else "–"
    return ""
