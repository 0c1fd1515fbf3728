"""The command `report`: a study's folder becomes a page."""

from __future__ import annotations

from pathlib import Path

import click

from laconic.cli.console import printable, working
from laconic.errors import LaconicError

PAGE = "report.html"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help=f"The page.  [default: {PAGE} in DIR]",
)
@click.option("--no-figures", is_flag=True, help="Save no charts.")
def report(folder: Path, output: Path | None, no_figures: bool) -> None:
    """Write the page of a study: one HTML file that needs no network.

    Its charts are saved beside it too, as SVG and PNG for papers, in the folder `figures`.

    DIR is the folder of a study, which need not be finished.

    \b
    laconic report out/tickets
    laconic report out/tickets -o tickets.html
    """
    click.echo(f"page: {printable(str(draw(folder, output, figures=not no_figures)))}")


def check_report(where: Path, *, figures: bool = True) -> None:
    """A page and its charts may replace such files, never those that something else wrote."""
    from laconic.files import check_output
    from laconic.report.charts import check_save
    from laconic.report.page import PAGE as KIND

    if where.suffix not in (".html", ".htm"):
        raise LaconicError(f"{where}: a page is written as .html")
    check_output(where, KIND)
    if figures:
        check_save(where.parent)


def draw(folder: Path, output: Path | None = None, *, figures: bool = True) -> Path:
    """Write the page and its figures."""
    from laconic.files import remove_drafts
    from laconic.report.charts import save
    from laconic.report.page import write_report
    from laconic.report.reading import view_of

    where = output or folder / PAGE
    if output is not None or folder.is_dir():
        check_report(where, figures=figures)
        remove_drafts(where.parent, [where.name])
    with working(f"drawing the page of {folder}"):
        view = view_of(folder)
        write_report(view, where)
        if figures:
            save(view, where.parent)
    return where
