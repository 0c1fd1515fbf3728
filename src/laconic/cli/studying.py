"""The commands of a study: `study` and `export`; and `completion` for shells."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.console import printable
from laconic.cli.ending import EXIT_CODES, Code
from laconic.cli.findings import print_findings, study_bar
from laconic.cli.options import (
    JOBS,
    METRICS,
    SIZES,
    TASK_TIMEOUT,
    metrics_of,
    parse_alpha,
    reading_options,
    sizes_of,
    source_of,
    training_options,
    vectorizing_of,
    vectorizing_options,
)
from laconic.cli.reporting import check_report, draw
from laconic.errors import LaconicError

if TYPE_CHECKING:
    from laconic.study.plan import Plan
    from laconic.study.settings import SplitOptions
    from laconic.study.study import Event, Study

# What may be said beside a plan that comes from a file or a folder.
BESIDE_A_PLAN = {
    "where",
    "plan",
    "output",
    "jobs",
    "task_timeout",
    "retry_failed",
    "remeasure",
    "as_json",
    "quiet",
    "no_report",
}


@click.command(epilog=EXIT_CODES)
@click.argument("where", nargs=-1, metavar="[CORPUS... | FOLDER]")
@click.option("--plan", type=click.Path(path_type=Path), help="A plan in TOML instead of options.")
@click.option(
    "--methods",
    help="Names of `laconic methods`, with settings and classifier: IG,SS:rank=10+svm.  "
    "[default: ALL,DF,IG,CHI2,WS,SS:rank=100,RFE+svm]",
)
@SIZES
@METRICS
@click.option(
    "--test-size",
    default="auto",
    show_default=True,
    help="Held-out test set: given (the corpus's own split), a share such as 0.2, or none; auto is "
    "given where there is a split, else 0.2.",
)
@click.option(
    "--cv",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Cross-validation folds of the training part; 0 compares on the test set, as papers do.",
)
@click.option(
    "--repeats", type=click.IntRange(1), default=1, help="Repeats of the cross-validation."
)
@click.option(
    "--n-splits", type=click.IntRange(1), default=1, help="Random test sets, with --cv 0."
)
@click.option("--draws", type=click.IntRange(1), default=1, help="Repeats of each random method.")
@click.option(
    "--random-state",
    type=click.IntRange(0),
    default=0,
    help="Random seed of the train/test split and folds.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the journal and the tables.  [default: CORPUS-study]",
)
@JOBS
@TASK_TIMEOUT
@click.option("--retry-failed", is_flag=True, help="Try tasks again that failed before.")
@click.option(
    "--remeasure",
    is_flag=True,
    help="Measure again what another version of a method has measured.",
)
@click.option("--no-report", is_flag=True, help="Write no page.")
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines, for machines.")
@click.option("--quiet", is_flag=True, help="Print only the recommendation.")
@training_options
@reading_options
@vectorizing_options
@click.pass_context
def study(ctx: click.Context, where: tuple[str, ...], **options: Any) -> None:
    """How few words do I need, which ones, and what do I lose?

    Compares methods and sizes by cross-validation, recommends the smallest model within one
    standard error of the best, and evaluates it once on the held-out test set.

    Can be interrupted: run the same command again, or `laconic study FOLDER`, to resume.

    \b
    laconic study tickets.csv --text body --label queue
    laconic study pydocs --methods ALL,IG,BNS,SS:rank=50 --sizes 10,100,1000 -o out/pydocs
    laconic study reuters-21578 --split ModApte --metric f1_micro --metric accuracy
    laconic study --plan night.toml -o night --json > night.log
    """
    from laconic.study.executors import executor_for

    if options["as_json"] and options["quiet"]:
        raise click.UsageError("--json and --quiet: give one of them")
    work = study_of(ctx, where, options)
    check_folder_of(work, options)
    with listening(options) as (listen, progress):
        findings = work.run(
            executor_for(options["jobs"], options["task_timeout"]),
            retry_failed=options["retry_failed"],
            remeasure=options["remeasure"],
            listen=listen,
            progress=progress,
            command=shlex.join(["laconic", *sys.argv[1:]]),
        )
    if options["as_json"]:
        if not options["no_report"]:
            draw(work.where)
        click.echo(json.dumps({"kind": "findings", **findings.to_dict()}, allow_nan=False))
    else:
        page = None if options["no_report"] else draw(work.where)
        print_findings(findings, work.where, page, short=options["quiet"])
    if findings.failures:
        ctx.exit(Code.SOME_FAILED)


def study_of(ctx: click.Context, where: tuple[str, ...], options: dict[str, Any]) -> Study:
    """The study meant: of a plan's file, of a folder that has one, or of the options."""
    from laconic.study.layout import StudyFolder
    from laconic.study.plan_file import read_plan
    from laconic.study.study import Study

    continued = len(where) == 1 and StudyFolder(Path(where[0])).journal.exists()
    if options["plan"] is not None or continued:
        refuse_beside_a_plan(ctx)
    if options["plan"] is not None:
        if where:
            raise click.UsageError("--plan names its corpora itself: leave out CORPUS")
        plan = read_plan(options["plan"])
        sources = tuple(replace(source, where=absolute(source.where)) for source in plan.corpora)
        found = Study(
            replace(plan, corpora=sources), options["output"] or folder_for(options["plan"].stem)
        )
        refuse_another_corpus(found)
        return found
    if continued:
        found = Study.open(where[0])
        return Study(found.plan, options["output"] or found.where)
    if not where:
        raise click.UsageError("name a corpus, a folder with a study, or a --plan")
    found = Study(plan_of(where, options), options["output"] or folder_for(where[0]))
    refuse_another_corpus(found)
    return found


def check_folder_of(work: Study, options: dict[str, Any]) -> None:
    """Before any work: everything in the folder that will be written may be replaced."""
    from laconic.study.layout import StudyFolder, input_paths

    given = [] if options["plan"] is None else [options["plan"]]
    folder = StudyFolder(work.where)
    folder.check([*given, *input_paths(work.plan)])
    if not options["no_report"] and work.where.is_dir():
        check_report(folder.report)


def refuse_another_corpus(work: Study) -> None:
    """Two files of one name would share a folder by default, and the second take it over."""
    from laconic.study.database import NotStartedError
    from laconic.study.settings import Source
    from laconic.study.study import Study

    try:
        before = Study.open(work.where).plan
    except NotStartedError:
        return
    known, asked = (
        [source.where for source in plan.corpora if isinstance(source, Source)]
        for plan in (before, work.plan)
    )
    # one file may have several names, such as ../pets.csv or a link
    if known and not set(map(realpath, known)) & set(map(realpath, asked)):
        raise LaconicError(
            f"{work.where}: holds a study of {known[0]}, not of {asked[0]}. "
            "Choose another folder with -o"
        )


def refuse_beside_a_plan(ctx: click.Context) -> None:
    for name in ctx.params:
        source = ctx.get_parameter_source(name)
        given = source not in (click.core.ParameterSource.DEFAULT, None)
        if given and name not in BESIDE_A_PLAN:
            raise click.UsageError(
                f"--{name.replace('_', '-')}: the plan says what is measured. Change the plan, or "
                "give all by options"
            )


def folder_for(name: str) -> Path:
    from laconic.study.layout import safe_name

    stem = Path(name).name.split(".")[0] or name
    return Path(f"{safe_name(stem)}-study")


def plan_of(where: tuple[str, ...], options: dict[str, Any]) -> Plan:
    from laconic.methods import parse_methods
    from laconic.study.plan import Plan
    from laconic.study.settings import TrainingOptions

    given: dict[str, Any] = {}
    if options["methods"] is not None:
        given["methods"] = tuple(method.name for method in parse_methods(options["methods"]))
    return Plan(
        corpora=tuple(source_of(absolute(name), options) for name in where),
        sizes=sizes_of(options),
        metrics=metrics_of(options),
        draws=options["draws"],
        target=options["target"],
        split=splitting_of(options),
        text=vectorizing_of(options),
        training=TrainingOptions(parse_alpha(options["alpha"]), options["intercept"]),
        **given,
    )


def absolute(name: str) -> str:
    """A file by its full name, so that the study can go on from another folder."""
    from laconic.corpus.catalog import TECHTC, find

    return name if find(name) or name == TECHTC.name else str(Path(name).absolute())


def splitting_of(options: dict[str, Any]) -> SplitOptions:
    from laconic.study.settings import SplitOptions

    names = ("cv", "repeats", "n_splits", "random_state")
    return SplitOptions(
        parse_test_size(options["test_size"]), **{name: options[name] for name in names}
    )


def parse_test_size(text: str) -> str | float | None:
    if text in ("auto", "given"):
        return text
    if text == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise LaconicError(
            f"test_size {text!r}: give a share such as 0.2, given, none or auto"
        ) from None


@contextmanager
def listening(options: dict[str, Any]) -> Iterator[Any]:
    """Events as JSON lines, or as a bar on a terminal."""
    if not options["as_json"]:
        with study_bar(quiet=options["quiet"]) as feeds:
            yield feeds
        return

    def tell(event: Event) -> None:
        click.echo(json.dumps(asdict(event)))
        sys.stdout.flush()

    yield tell, None


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
    """Every row in the journal of a study, also of one that is still running.

    \b
    laconic export pydocs-study -o rows.parquet
    """
    from laconic.rows import check_rows
    from laconic.study.journal import Journal
    from laconic.study.layout import StudyFolder

    check_rows(output)
    with Journal.reading(StudyFolder(folder).journal) as journal:
        journal.export(output)
    click.echo(f"rows: {printable(str(output))}")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """A script that completes commands and options in a shell.

    \b
    laconic completion bash >> ~/.bashrc
    laconic completion fish > ~/.config/fish/completions/laconic.fish
    """
    from click.shell_completion import get_completion_class

    from laconic.cli.commands import main

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(main, {}, "laconic", "_LACONIC_COMPLETE").source())
