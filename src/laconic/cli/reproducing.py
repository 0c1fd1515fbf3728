"""The command `reproduce`: the figures of papers."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from laconic.cli.console import print_table, printable
from laconic.cli.findings import FAILURES_SHOWN, study_bar
from laconic.cli.studying import SOME_FAILED
from laconic.errors import LaconicError

if TYPE_CHECKING:
    from laconic.rows import Row

# Those of `laconic.papers.PAPERS`, which is slow to import.
NAMES = ["dasgupta2007", "keerthi2005", "kolcz2007", "paul2014", "torkkola"]
# "table1" is read as "table 1".
SPACED = re.compile(r"^(figure|table)(.+)")


@click.command()
@click.argument("paper", type=click.Choice(NAMES))
@click.argument("figures", nargs=-1)
@click.option("--full", is_flag=True, help="The paper's scale: all sets, splits and draws.")
@click.option(
    "--sets",
    type=click.IntRange(1),
    help="How many sets: TechTC's, or made ones; or categories (kolcz2007).",
)
@click.option(
    "--splits",
    type=click.IntRange(1),
    help="Splits of each corpus (dasgupta2007), or cross-validations (paul2014, keerthi2005).",
)
@click.option("--draws", type=click.IntRange(1), help="Draws of each random method.")
@click.option(
    "--honest",
    is_flag=True,
    help="Choose λ by leave-one-out, not on the test set (dasgupta2007).",
)
@click.option("--jobs", type=int, default=-1, show_default=True, help="Processes; -1: every core.")
@click.option("--retry-failed", is_flag=True, help="Try tasks again that failed before.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("out"),
    show_default=True,
    help="Folder, with one in it for each figure or table.",
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
    """Run the experiments of a paper's figures and tables on the corpora in LACONIC_DATA.

    Each is a study in a folder of its own. Ended at any moment, the same command goes on where it
    was.

    \b
    laconic reproduce dasgupta2007            # every figure, a quick part of it
    laconic reproduce dasgupta2007 3 --full   # figure 3 at the paper's scale
    laconic reproduce paul2014 table1         # table 1
    laconic reproduce keerthi2005 1-fbis-4    # one problem of figure 1

    \b
    Exit codes: 0 done; 1 done, but some tasks failed; 2 the input must be mended;
    130 interrupted, nothing finished is lost.
    """
    from dataclasses import replace

    from laconic.papers import PAPERS
    from laconic.papers.figures import ROWS, figure_called
    from laconic.study.executors import executor_for

    of_paper = PAPERS[paper]
    if honest and not of_paper.HONEST:
        raise LaconicError(
            f"--honest: {paper} chooses nothing on test documents, or shows both. Leave it out"
        )
    chosen = {n: figure_called(n, of_paper.FIGURES, paper) for n in figures or of_paper.FIGURES}
    given = {key: value for key, value in scale.items() if value is not None}
    executor = executor_for(jobs)
    failed = 0
    for name, figure in chosen.items():
        title = name if name.startswith("table") else f"figure{name}"
        spaced = SPACED.sub(r"\1 \2", title)
        where = output / f"{paper}-{title}{'-honest' if honest else ''}"
        asked = replace(figure.full if full else figure.quick, honest=honest, **given)
        with study_bar() as (listen, progress):
            found = figure.run(
                where,
                asked,
                executor,
                listen=listen,
                progress=progress,
                retry_failed=retry_failed,
                command=shlex.join(["laconic", *sys.argv[1:]]),
            )
        for table in found.tables:
            if table.shown:
                print_table(f"{paper}, {spaced}", table)
            if table.file:
                table.save(where)
                click.echo(f"saved: {printable(str(where / table.file))}")
        click.echo(f"rows: {printable(str(where / ROWS))}")
        failed += print_failures(found.rows)
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
