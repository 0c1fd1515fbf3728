"""The command `report`: a study's folder becomes a page."""

from __future__ import annotations

from pathlib import Path

import click

from laconic.cli.console import printable, working

PAGE = "report.html"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"The page.  [default: {PAGE} in DIR]",
)
def report(folder: Path, output: Path | None) -> None:
    """Write the page of a study: one HTML file that needs no network.

    DIR is the folder of a study, which need not be finished.

    \b
    laconic report out/tickets
    laconic report out/tickets -o tickets.html
    """
    from laconic.report.page import write_report
    from laconic.report.view import View

    where = output or folder / PAGE
    with working(f"drawing the page of {folder}"):
        write_report(View.of(folder), where)
    click.echo(f"page: {printable(str(where))}")
