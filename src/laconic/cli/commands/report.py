"""The command `report`: write the page of a study."""

from __future__ import annotations

from pathlib import Path

import click

from laconic.cli.console import printable, working
from laconic.errors import LaconicError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The page.  [default: report.html in DIR]",
)
@click.option("--no-figures", is_flag=True, help="Do not save the charts as files.")
def report(folder: Path, output: Path | None, no_figures: bool) -> None:
    """Write the page of a study: one HTML file that needs no network.

    The charts are also saved as SVG and PNG, in the folder `figures` beside the page.

    DIR is the folder of a study, finished or not.

    \b
    laconic report out/tickets
    laconic report out/tickets -o tickets.html
    """
    click.echo(f"Report: {printable(str(draw(folder, output, figures=not no_figures)))}")


def check_report(page: Path, *, figures: bool = True) -> None:
    """Raise if the page or a chart would replace a file that Laconic did not write as one."""
    from laconic.files import check_output
    from laconic.report.charts import NAMES
    from laconic.studies.layout import PAGE_FILE, StudyFolder

    if page.suffix not in (".html", ".htm"):
        raise LaconicError(f"{page}: the page must be an .html file")
    check_output(page, PAGE_FILE)
    if figures:
        StudyFolder(page.parent).check_figures(NAMES)


def draw(folder: Path, output: Path | None = None, *, figures: bool = True) -> Path:
    """Write the page and its figures."""
    from laconic.files import remove_drafts
    from laconic.report.build import view_of
    from laconic.report.charts import save
    from laconic.report.page import write_report
    from laconic.studies.layout import StudyFolder

    page = output or StudyFolder(folder).report
    if output is not None or folder.is_dir():
        check_report(page, figures=figures)
        remove_drafts(page.parent, [page.name])
    with working(f"drawing the page of {folder}"):
        view = view_of(folder)
        write_report(view, page)
        if figures:
            save(view, page.parent)
    return page
