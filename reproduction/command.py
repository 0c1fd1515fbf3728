"""`python -m reproduction`: the figures of papers, and pages with a verdict on each statement."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from laconic.cli.commands.report import check_report
from laconic.cli.console import as_text, printable, say_aside, show, table_of
from laconic.cli.exit_codes import EXIT_CODES, Code
from laconic.cli.findings import FAILURES_SHOWN, study_bar
from laconic.cli.main import EndsInOneLine
from laconic.cli.options import JOBS
from laconic.errors import CorpusError, LaconicError
from reproduction import PAPERS, experiment

if TYPE_CHECKING:
    from laconic.rows import Row
    from laconic.studies.execution.executors import Executor
    from reproduction.pages.section import Section
    from reproduction.shared.figures import Figure, Scale, Table
    from reproduction.statements import Finding

TABLE = "table"


@click.command(
    cls=EndsInOneLine,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)
@click.argument("paper", type=click.Choice(PAPERS))
@click.argument("figures", nargs=-1)
@click.option("--full", is_flag=True, help="Run at the paper's scale: all sets, splits and draws.")
@click.option(
    "--sets",
    type=click.IntRange(1),
    help="Number of sets: of TechTC-100, synthetic ones (paul2014), or quarters of a large corpus "
    "(dasgupta2007); of categories (kolcz2007); of folds (keerthi2005).",
)
@click.option(
    "--n-splits",
    type=click.IntRange(1),
    help="Number of random splits per corpus (dasgupta2007), or of cross-validations (paul2014, "
    "keerthi2005).",
)
@click.option("--draws", type=click.IntRange(1), help="Number of draws of each random method.")
@click.option(
    "--nested",
    is_flag=True,
    help="Choose alpha by leave-one-out, not on the test documents (dasgupta2007).",
)
@JOBS
@click.option("--retry-failed", is_flag=True, help="Run failed tasks again.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False, writable=True),
    default=Path("out"),
    show_default=True,
    help="Folder for the results, with one folder per figure or table.",
)
@click.option(
    "--pages",
    type=click.Path(path_type=Path, file_okay=False, writable=True),
    help="Folder for the Markdown page and its drawings.  [default: that of --output]",
)
@click.pass_context
def reproduce(
    ctx: click.Context,
    /,
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

    Each one is a study in a separate folder. It can be interrupted; run the same command again to
    resume. Two pages compare the paper's figures with ours and give a verdict: one in Markdown with
    drawings (in an existing page, only the part below the mark is replaced), and one in HTML.

    \b
    python -m reproduction dasgupta2007            # every figure, at a small scale
    python -m reproduction dasgupta2007 3 --full   # figure 3 at the paper's scale
    python -m reproduction paul2014 table1         # table 1
    python -m reproduction keerthi2005 1-fbis-4    # one problem of figure 1
    """
    from laconic.studies.execution.executors import executor_for
    from reproduction.shared.figures import find_figure

    module = experiment(paper)
    if nested and not module.NESTED:
        raise LaconicError(
            f"--nested: {paper} chooses nothing on test documents, or shows both choices. "
            "Leave the option out"
        )
    chosen = {n: find_figure(n, module.FIGURES, paper) for n in figures or module.FIGURES}
    options = {key: value for key, value in scale.items() if value is not None}
    executor = executor_for(jobs)
    requests = {name: FigureRequest(paper, name, full, nested, options) for name in chosen}
    folders = [request.folder for request in requests.values()]
    check_outputs(paper, output, pages or output, folders)
    failed = 0
    sections = []
    for name, figure in chosen.items():
        request = requests[name]
        extent = replace(figure.full if full else figure.quick, nested=nested, **options)
        try:
            section, rows = run(figure, request, extent, executor, output, retry_failed)
        except CorpusError as error:
            if figures:
                raise
            say_aside(f"skipped: {printable(str(error))}")
            sections.append(without_data(figure, request, error))
            continue
        sections.append(section)
        failed += print_failures(rows)
    write_pages(paper, sections, output, pages or output)
    if failed:
        ctx.exit(Code.SOME_FAILED)


@dataclass(frozen=True)
class FigureRequest:
    """A figure or table of a paper, with the options of the command."""

    paper: str
    name: str
    full: bool = False
    nested: bool = False
    options: Mapping[str, int] = field(default_factory=dict)

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
        """`Figure 3`: the title of its section."""
        return self.title.capitalize()

    @property
    def command(self) -> str:
        """The command that runs this figure alone, at the same scale."""
        options = [
            word
            for key, value in self.options.items()
            for word in (f"--{key.replace('_', '-')}", str(value))
        ]
        flags = [*(["--full"] if self.full else []), *(["--nested"] if self.nested else [])]
        return shlex.join(["python", "-m", "reproduction", self.paper, self.name, *flags, *options])


def run(
    figure: Figure,
    request: FigureRequest,
    scale: Scale,
    executor: Executor,
    output: Path,
    retry_failed: bool,
) -> tuple[Section, list[Row]]:
    """Run a figure, print and save its tables and section; return its section and rows."""
    from laconic.files import make_folder
    from laconic.studies.layout import StudyFolder
    from reproduction.pages.section import Section

    where = output / request.folder
    with study_bar() as (listen, progress):
        result = figure.run(
            where,
            scale,
            executor,
            listen=listen,
            progress=progress,
            retry_failed=retry_failed,
            command=request.command,
        )
    heading = f"{request.paper}, {request.title}"
    for table in result.tables:
        if table.shown:
            print_table(heading, table)
        if table.file:
            table.save(where)
            click.echo(f"saved: {printable(str(where / table.file))}")
    if result.findings:
        print_table(heading, statements(result.findings))
    click.echo(f"rows: {printable(str(StudyFolder(where).rows))}")
    section = Section.of(request.heading, figure.about, request.command, str(scale), result)
    make_folder(where)
    section.save(where)
    return section, result.rows


def print_table(title: str, table: Table) -> None:
    rendered = table_of(*table.columns)
    for line in table.lines:
        rendered.add_row(*(as_text(str(value)) for value in line))
    show(rendered, f"{title}: {table.title}")


def statements(findings: Sequence[Finding]) -> Table:
    """The paper's statements, our values, and the verdicts."""
    from reproduction.shared.figures import Table
    from reproduction.statements import COLUMNS

    lines = tuple((f.statement, f.paper, f.ours, f.verdict_text) for f in findings)
    return Table("findings", COLUMNS, lines)


def without_data(figure: Figure, request: FigureRequest, error: CorpusError) -> Section:
    from reproduction.pages.section import Section
    from reproduction.statements import Finding, Verdict

    missing = Finding("all of it", "", "", Verdict.UNAVAILABLE, error.problem)
    return Section(request.heading, figure.about, request.command, "", (missing,))


def check_outputs(paper: str, output: Path, pages: Path, folders: Sequence[str]) -> None:
    """Check before the work that all outputs can be written.

    An existing Markdown page may be any: its prose is kept.
    """
    from laconic.files import check_folder, check_output
    from laconic.studies.layout import SVG_FILE, StudyFolder
    from reproduction.pages.markdown import read
    from reproduction.pages.section import FILE, SECTION

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


def write_pages(paper: str, sections: Sequence[Section], output: Path, pages: Path) -> None:
    """Update these sections of the Markdown page, and write the HTML page of all saved sections.

    The HTML page also lists the figures whose corpus is missing.
    """
    from laconic.files import make_folder
    from reproduction.pages.html import write_page
    from reproduction.pages.markdown import update
    from reproduction.pages.section import Section

    module = experiment(paper)
    where = output / f"{paper}.html"
    for folder in (output, pages):
        make_folder(folder)
    kinds = (False, True) if module.NESTED else (False,)
    requests = [
        FigureRequest(paper, name, nested=nested) for name in module.FIGURES for nested in kinds
    ]
    by_title = {section.title: section for section in sections}
    saved = [Section.load(output / r.folder) or by_title.get(r.heading) for r in requests]
    present = [section for section in saved if section is not None]
    write_page(where, paper, module.REFERENCE, present, module.UNAVAILABLE)
    order = [request.heading for request in requests]
    page = update(pages, paper, module.REFERENCE, sections, module.UNAVAILABLE, order)
    click.echo(f"pages: {printable(str(page))}, {printable(str(where))}")


def print_failures(rows: list[Row]) -> int:
    """Print the first failed tasks; return the number of failed tasks."""
    failed = {row.task: row for row in rows if row.status == "failed"}
    for row in list(failed.values())[:FAILURES_SHOWN]:
        what = f"{row.method} on {row.problem}, {row.fold}: {row.reason}"
        say_aside(f"failed: {printable(what)}")
    if len(failed) > FAILURES_SHOWN:
        say_aside(f"… and {len(failed) - FAILURES_SHOWN} more failed")
    return len(failed)
