"""The command `export`: the rows of a study in one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from laconic.cli.console import printable

if TYPE_CHECKING:
    pass


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="File of rows: .csv, .jsonl or .parquet.",
)
def export(folder: Path, output: Path) -> None:
    """Write all rows of a study to one file, also while it is running.

    \b
    laconic export pydocs-study -o rows.parquet
    """
    from laconic.row_files import check_rows
    from laconic.studies.journal.journal import Journal
    from laconic.studies.layout import StudyFolder

    check_rows(output)
    with Journal.reading(StudyFolder(folder).journal) as journal:
        journal.export(output)
    click.echo(f"rows: {printable(str(output))}")
