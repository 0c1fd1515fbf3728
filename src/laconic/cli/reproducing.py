"""The command `reproduce`: the figures of papers, and the pages that say what became of them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from laconic.cli.console import print_table, printable, say_aside
from laconic.cli.ending import EXIT_CODES, Code
from laconic.cli.findings import FAILURES_SHOWN, study_bar
from laconic.cli.options import JOBS
from laconic.cli.reporting import check_report
from laconic.errors import CorpusError, LaconicError

if TYPE_CHECKING:
    from laconic.papers.figures import Figure, Scale, Table
    from laconic.papers.findings import Finding
    from laconic.report.proof.section import Section
    from laconic.rows import Row
    from laconic.study.executors import Executor

# Those of `laconic.papers.PAPERS`, which is slow to import.
NAMES = ["dasgupta2007", "keerthi2005", "kolcz2007", "paul2014", "torkkola"]
TABLE = "table"


@click.command(epilog=EXIT_CODES)
@click.argument("paper", type=click.Choice(NAMES))
@click.argument("figures", nargs=-1)
@click.option("--full", is_flag=True, help="The paper's scale: all sets, splits and draws.")
@click.option(
    "--sets",
    type=click.IntRange(1),
    help="How many sets: TechTC's, made ones, quarters of a large corpus (dasgupta2007); "
    "categories (kolcz2007); folds (keerthi2005).",
)
@click.option(
    "--n-splits",
    type=click.IntRange(1),
    help="Splits of each corpus (dasgupta2007), or cross-validations (paul2014, keerthi2005).",
)
@click.option("--draws", type=click.IntRange(1), help="Draws of each random method.")
@click.option(
    "--nested",
    is_flag=True,
    help="Choose λ by leave-one-out, not on the test set (dasgupta2007).",
)
@JOBS
@click.option("--retry-failed", is_flag=True, help="Try tasks again that failed before.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False, writable=True),
    default=Path("out"),
    show_default=True,
    help="Folder, with one in it for each figure or table.",
)
@click.option(
    "--pages",
    type=click.Path(path_type=Path, file_okay=False, writable=True),
    help="Folder for the page in Markdown and its drawings.  [default: that of --output]",
)
@click.pass_context
def reproduce(
    ctx: click.Context,
    paper: str,
    figures: tuple[str, ...],
    full: bool,
    nested: bool,
    jobs: int,
    retry_failed: bool,
    output: Path,
    pages: Path | None,
    **scale: int | None,
) -> None:
    """Run the experiments of a paper's figures and tables on the corpora in LACONIC_DATA.

    Each is a study in a folder of its own. Ended at any moment, the same command goes on where it
    was. At the end stand two pages with the paper's figures, ours and a verdict: in Markdown with
    drawings (below the mark in a page that exists, so that prose above it stays), and in HTML.

    \b
    laconic reproduce dasgupta2007            # every figure, a quick part of it
    laconic reproduce dasgupta2007 3 --full   # figure 3 at the paper's scale
    laconic reproduce paul2014 table1         # table 1
    laconic reproduce keerthi2005 1-fbis-4    # one problem of figure 1
    """
    from laconic.papers import PAPERS
    from laconic.papers.figures import figure_called
    from laconic.study.executors import executor_for

    of_paper = PAPERS[paper]
    if nested and not of_paper.NESTED:
        raise LaconicError(
            f"--nested: {paper} chooses nothing on test documents, or shows both. Leave it out"
        )
    chosen = {n: figure_called(n, of_paper.FIGURES, paper) for n in figures or of_paper.FIGURES}
    given = {key: value for key, value in scale.items() if value is not None}
    executor = executor_for(jobs)
    asked = {name: Asked(paper, name, full, nested, given) for name in chosen}
    check_outputs(paper, output, pages or output, [one.folder for one in asked.values()])
    failed = 0
    sections = []
    for name, figure in chosen.items():
        extent = replace(figure.full if full else figure.quick, nested=nested, **given)
        try:
            section, rows = run(figure, asked[name], extent, executor, output, retry_failed)
        except CorpusError as error:
            if figures:
                raise
            say_aside(f"left out: {printable(str(error))}")
            sections.append(without_data(figure, asked[name], error))
            continue
        sections.append(section)
        failed += print_failures(rows)
    write_pages(paper, sections, output, pages or output)
    if failed:
        ctx.exit(Code.SOME_FAILED)


@dataclass(frozen=True)
class Asked:
    """A figure or table of a paper, and the options it was asked for with."""

    paper: str
    name: str
    full: bool = False
    nested: bool = False
    given: Mapping[str, int] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        title = self.name if self.name.startswith(TABLE) else f"figure{self.name}"
        return f"{self.paper}-{title}{'-nested' if self.nested else ''}"

    @property
    def title(self) -> str:
        """`figure 3`, `table 1-rcv1`."""
        kind = TABLE if self.name.startswith(TABLE) else "figure"
        number = self.name.removeprefix(TABLE)
        return f"{kind} {number}{', nested' if self.nested else ''}"

    @property
    def heading(self) -> str:
        """`Figure 3`: of its section."""
        return self.title.capitalize()

    @property
    def command(self) -> str:
        """What runs this figure alone, as much of it."""
        options = [word for key, value in self.given.items() for word in (f"--{key}", str(value))]
        flags = [*(["--full"] if self.full else []), *(["--nested"] if self.nested else [])]
        return shlex.join(["laconic", "reproduce", self.paper, self.name, *flags, *options])


def run(
    figure: Figure,
    asked: Asked,
    scale: Scale,
    executor: Executor,
    output: Path,
    retry_failed: bool,
) -> tuple[Section, list[Row]]:
    """A figure's tables, printed and kept, and its section, kept beside them; and its rows."""
    from laconic.files import make_folder
    from laconic.report.proof.section import Section
    from laconic.study.layout import StudyFolder

    where = output / asked.folder
    with study_bar() as (listen, progress):
        found = figure.run(
            where,
            scale,
            executor,
            listen=listen,
            progress=progress,
            retry_failed=retry_failed,
            command=asked.command,
        )
    heading = f"{asked.paper}, {asked.title}"
    for table in found.tables:
        if table.shown:
            print_table(heading, table)
        if table.file:
            table.save(where)
            click.echo(f"saved: {printable(str(where / table.file))}")
    if found.findings:
        print_table(heading, statements(found.findings))
    click.echo(f"rows: {printable(str(StudyFolder(where).rows))}")
    section = Section.of(asked.heading, figure.about, asked.command, str(scale), found)
    make_folder(where)
    section.save(where)
    return section, found.rows


def statements(findings: Sequence[Finding]) -> Table:
    """What the paper says beside what came out."""
    from laconic.papers.figures import Table
    from laconic.papers.findings import COLUMNS

    lines = tuple((one.says, one.paper, one.here, one.told) for one in findings)
    return Table("findings", COLUMNS, lines)


def without_data(figure: Figure, asked: Asked, error: CorpusError) -> Section:
    from laconic.papers.findings import Finding, Verdict
    from laconic.report.proof.section import Section

    missing = Finding("all of it", "", "", Verdict.ABSENT, error.problem)
    return Section(asked.heading, figure.about, asked.command, "", (missing,))


def check_outputs(paper: str, output: Path, pages: Path, folders: Sequence[str]) -> None:
    """Before the work, so that what cannot be written is known at once.

    Prose in a page in Markdown is kept, so that it need not be ours.
    """
    from laconic.files import check_folder, check_output
    from laconic.report.proof.markdown import read
    from laconic.report.proof.section import FILE, SECTION
    from laconic.study.layout import SVG_FILE, StudyFolder

    if output.is_dir():
        check_report(output / f"{paper}.html", figures=False)
    for folder in folders:
        StudyFolder(output / folder).check(())
        if (output / folder).is_dir():
            check_output(output / folder / FILE, SECTION)
    if (where := pages / f"{paper}.md").exists():
        read(where)
    check_folder(pages / paper)
    for drawing in (pages / paper).glob("*.svg"):
        check_output(drawing, SVG_FILE)


def write_pages(paper: str, renewed: Sequence[Section], output: Path, pages: Path) -> None:
    """The Markdown page renewed in part; the HTML page of all sections kept in the folder.

    Of what is not kept there, for want of a corpus, that page says so.
    """
    from laconic.files import make_folder
    from laconic.papers import PAPERS
    from laconic.report.proof.markdown import update
    from laconic.report.proof.page import write_page
    from laconic.report.proof.section import Section

    of_paper = PAPERS[paper]
    where = output / f"{paper}.html"
    for folder in (output, pages):
        make_folder(folder)
    kinds = (False, True) if of_paper.NESTED else (False,)
    every = [Asked(paper, name, nested=nested) for name in of_paper.FIGURES for nested in kinds]
    now = {section.title: section for section in renewed}
    kept = [Section.load(output / one.folder) or now.get(one.heading) for one in every]
    there = [section for section in kept if section is not None]
    write_page(where, paper, of_paper.REFERENCE, there, of_paper.ABSENT)
    order = [one.heading for one in every]
    drawn = update(pages, paper, of_paper.REFERENCE, renewed, of_paper.ABSENT, order)
    click.echo(f"pages: {printable(str(drawn))}, {printable(str(where))}")


def print_failures(rows: list[Row]) -> int:
    """The first of the tasks that failed, and how many there are."""
    failed = {row.task: row for row in rows if row.status == "failed"}
    for row in list(failed.values())[:FAILURES_SHOWN]:
        what = f"{row.method} on {row.problem}, {row.fold}: {row.reason}"
        say_aside(f"failed: {printable(what)}")
    if len(failed) > FAILURES_SHOWN:
        say_aside(f"… and {len(failed) - FAILURES_SHOWN} more failed")
    return len(failed)
