"""The command `reproduce`: the figures of papers."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from laconic.cli.console import print_points, printable
from laconic.cli.findings import FAILURES_SHOWN, study_bar
from laconic.cli.studying import SOME_FAILED

if TYPE_CHECKING:
    from laconic.rows import Row


@click.command()
@click.argument("paper", type=click.Choice(["dasgupta2007"]))
@click.argument("figures", nargs=-1)
@click.option("--full", is_flag=True, help="The paper's scale: all sets, splits and draws.")
@click.option("--sets", type=click.IntRange(1), help="How many of the TechTC sets.")
@click.option("--splits", type=click.IntRange(1), help="Splits of each corpus.")
@click.option("--draws", type=click.IntRange(1), help="Draws of each random method.")
@click.option("--honest", is_flag=True, help="Choose λ by leave-one-out, not on the test set.")
@click.option("--jobs", type=int, default=-1, show_default=True, help="Processes; -1: every core.")
@click.option("--retry-failed", is_flag=True, help="Try tasks again that failed before.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("out"),
    show_default=True,
    help="Folder, with one in it for each figure.",
)
@click.pass_context
def reproduce(
    ctx: click.Context,
    paper: str,
    figures: tuple[str, ...],
    full: bool,
    honest: bool,
    jobs: int,
    retry_failed: bool,
    output: Path,
    **scale: int | None,
) -> None:
    """Run the experiments of a paper's figures on the corpora in LACONIC_DATA.

    Each figure is a study in a folder of its own. Ended at any moment, the same command goes on
    where it was.

    \b
    laconic reproduce dasgupta2007            # every figure, a quick part of it
    laconic reproduce dasgupta2007 3 --full   # figure 3 at the paper's scale

    \b
    Exit codes: 0 done; 1 done, but some tasks failed; 2 the input must be mended;
    130 interrupted, nothing finished is lost.
    """
    from dataclasses import replace

    from laconic.papers import dasgupta2007
    from laconic.study.executors import executor_for

    chosen = {name: dasgupta2007.figure_called(name) for name in figures or dasgupta2007.FIGURES}
    given = {key: value for key, value in scale.items() if value is not None}
    asked = replace(dasgupta2007.PAPER if full else dasgupta2007.QUICK, honest=honest, **given)
    executor = executor_for(jobs)
    failed = 0
    for name, figure in chosen.items():
        where = output / f"{paper}-figure{name}{'-honest' if honest else ''}"
        with study_bar() as (listen, progress):
            rows = figure.run(
                where,
                asked,
                executor,
                listen=listen,
                progress=progress,
                retry_failed=retry_failed,
                command=shlex.join(["laconic", *sys.argv[1:]]),
            )
        print_points(f"{paper}, figure {name}", dasgupta2007.points(rows))
        click.echo(f"rows: {printable(str(where / dasgupta2007.ROWS))}")
        failed += print_failures(rows)
    if failed:
        ctx.exit(SOME_FAILED)


def print_failures(rows: list[Row]) -> int:
    """The first of the tasks that failed, and how many there are."""
    failed = {row.task: row for row in rows if row.status == "failed"}
    for row in list(failed.values())[:FAILURES_SHOWN]:
        what = f"{row.method} on {row.problem}, {row.fold}: {row.reason}"
        click.echo(f"failed: {printable(what)}", err=True)
    if len(failed) > FAILURES_SHOWN:
        click.echo(f"… and {len(failed) - FAILURES_SHOWN} more failed", err=True)
    return len(failed)
