"""The command `study`: compare methods and sizes, recommend, write the report."""

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
from click.core import ParameterSource

from laconic.cli.commands.report import check_report, draw
from laconic.cli.console import say_aside
from laconic.cli.exit_codes import EXIT_CODES, Code
from laconic.cli.findings import print_findings, study_bar
from laconic.cli.options import (
    CLUSTER,
    JOBS,
    MEMORY_LIMIT,
    SHARED,
    TASK_TIMEOUT,
    options_from,
    reading_options,
    text_options,
    uses_cluster,
    values_of,
)
from laconic.errors import LaconicError
from laconic.studies.options import (
    LimitOptions,
    SearchOptions,
    Source,
    SplitOptions,
    TrainingOptions,
)
from laconic.text.features import AUTO, DECIDED, WORDS, decided
from laconic.text.options import StorageOptions, TextOptions, WeightingOptions

if TYPE_CHECKING:
    from laconic.studies.execution.executors import Executor
    from laconic.studies.measurement import Event
    from laconic.studies.plan import Plan
    from laconic.studies.study import Study

# Options that are allowed with a plan from a file or a folder.
ALLOWED_WITH_A_PLAN = {
    "where",
    "plan",
    "output",
    "jobs",
    "cluster",
    "shared",
    "task_timeout",
    "memory_limit",
    "blocks",
    "in_memory",
    "retry_failed",
    "remeasure",
    "as_json",
    "quiet",
    "no_report",
    "max_loss",
    "max_features",
    "max_bytes",
}


@click.command(epilog=EXIT_CODES)
@click.argument("where", nargs=-1, metavar="[CORPUS... | FOLDER]")
@click.option("--plan", type=click.Path(path_type=Path), help="A plan in TOML, instead of options.")
@options_from(SearchOptions)
@options_from(LimitOptions)
@options_from(SplitOptions)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the journal, the tables and the report.  [default: CORPUS-study]",
)
@JOBS
@CLUSTER
@SHARED
@TASK_TIMEOUT
@MEMORY_LIMIT
@options_from(StorageOptions)
@click.option("--retry-failed", is_flag=True, help="Retry tasks that failed.")
@click.option(
    "--remeasure",
    is_flag=True,
    help="Measure again the rows of another version of a method.",
)
@click.option("--no-report", is_flag=True, help="Write no HTML report.")
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines, for programs.")
@click.option("--quiet", is_flag=True, help="Print only the recommendation.")
@options_from(TrainingOptions, omit=("normalize",))
@options_from(WeightingOptions)
@reading_options
@text_options
@click.pass_context
def study(ctx: click.Context, /, where: tuple[str, ...], **options: Any) -> None:
    """Find out how few words are needed, which ones, and what is lost.

    Every CORPUS is a file, a folder, a glob in quotes, an address such as s3://bucket/part-*.parquet
    or a name of the catalog. Several are studied one by one: files that are one corpus are given as
    a folder or a glob.

    Compares methods and sizes by cross-validation, with the same classifiers and tuning for all
    words as for few, recommends the smallest model that meets the limits (by default within one
    standard error of the best), and evaluates it once on the held-out test set.

    Can be interrupted: run the same command again, or `laconic study FOLDER`, to resume. A finished
    study meets other limits without measuring again: `laconic study FOLDER --max-features 300`.

    \b
    laconic study tickets.csv --text body --label queue
    laconic study 'mail/part-*.parquet' --label folder
    laconic study pydocs --methods ALL,IG,BNS,SS:rank=50 --sizes 10,100,1000 -o out/pydocs
    laconic study reuters-21578 --split ModApte --metric f1_macro --max-loss 0.01
    laconic study --plan night.toml -o night --json > night.log
    """
    from laconic.processes import number_of_workers

    if options["as_json"] and options["quiet"]:
        raise click.UsageError("--json and --quiet: give one of them")
    work = study_of(ctx, where, options)
    check_folder_of(work, options)
    if len(where) > 1 and len({Path(file).parent for file in where if Path(file).is_file()}) == 1:
        say_aside(
            f"note: {len(where):,} files are studied as {len(where):,} corpora. If they are one, "
            "name their folder, or put the pattern in quotes"
        )
    n_jobs = number_of_workers(options["jobs"], f"--jobs {options['jobs']}")
    with executor_of(ctx, work.where) as executor, listening(options) as (listen, progress):
        findings = work.run(
            executor,
            storage=values_of(StorageOptions, options),
            retry_failed=options["retry_failed"],
            remeasure=options["remeasure"],
            listen=listen,
            progress=progress,
            n_jobs=n_jobs,
            command=shlex.join(["laconic", *sys.argv[1:]]),
        )
    if options["as_json"]:
        if not options["no_report"]:
            report_of(work.where)
        click.echo(json.dumps({"kind": "findings", **findings.to_dict()}, allow_nan=False))
    else:
        page = None if options["no_report"] else report_of(work.where)
        by_default = not work.plan.metrics
        print_findings(
            findings, work.where, page, short=options["quiet"], default_metric=by_default
        )
    if findings.failures:
        ctx.exit(Code.SOME_FAILED)


@contextmanager
def executor_of(ctx: click.Context, where: Path) -> Iterator[Executor]:
    """Where the study runs: in processes of this machine, or on a cluster."""
    from laconic.studies.execution.executors import executor_for

    options = ctx.params
    limits = options["task_timeout"], options["memory_limit"]
    if not uses_cluster(ctx):
        yield executor_for(options["jobs"], *limits)
        return
    if any(limits):
        raise click.UsageError(
            "--task-timeout and --memory-limit are for processes of this machine. With --cluster, "
            "the cluster limits its workers"
        )
    from laconic.cluster import connected

    with connected(options["cluster"]) as client:
        from laconic.studies.execution.dask import DaskExecutor

        yield DaskExecutor(client, options["shared"] or where.absolute().parent)


def report_of(where: Path) -> Path:
    """The page of a study; drawn again unless it is newer than the findings."""
    from laconic.studies.layout import StudyFolder

    folder = StudyFolder(where)
    if folder.report.exists():
        drawn, concluded = (f.stat().st_mtime_ns for f in (folder.report, folder.findings))
        if drawn > concluded:
            return folder.report
    return draw(where)


def study_of(ctx: click.Context, where: tuple[str, ...], options: dict[str, Any]) -> Study:
    """The study of a plan file, of a folder, or of the options."""
    from laconic.studies.layout import StudyFolder
    from laconic.studies.plan_file import read_plan
    from laconic.studies.study import Study

    continued = len(where) == 1 and StudyFolder(Path(where[0])).journal.exists()
    if options["plan"] is not None or continued:
        refuse_with_a_plan(ctx)
    if options["plan"] is not None:
        if where:
            raise click.UsageError("--plan names its corpora: leave out CORPUS")
        plan = read_plan(options["plan"])
        sources = tuple(
            replace(source, where=absolute(source.where)) if isinstance(source, Source) else source
            for source in plan.corpora
        )
        folder = options["output"] or folder_for(options["plan"].stem)
        plan = with_limits(replace(plan, corpora=sources), options)
        return refuse_another_corpus(Study(plan, folder))
    if continued:
        previous = Study.open(where[0])
        plan = with_limits(previous.plan, options)
        return Study(plan, options["output"] or previous.where)
    if not where:
        raise click.UsageError("name a corpus, a folder with a study, or a --plan")
    folder = options["output"] or folder_for(where[0])
    options = options | {"features": features_of(ctx)}
    return refuse_another_corpus(Study(plan_of(where, options), folder))


def features_of(ctx: click.Context) -> str:
    """The features of the command; words where a text option says so explicitly."""
    name, text = ctx.params["features"], values_of(TextOptions, ctx.params)
    explicit = any(ctx.get_parameter_source(o) == ParameterSource.COMMANDLINE for o in DECIDED)
    return WORDS if name == AUTO and explicit and not decided(text) else str(name)


def with_limits(plan: Plan, options: dict[str, Any]) -> Plan:
    """The plan with the limits of the command, if it has any."""
    limits = values_of(LimitOptions, options)
    return replace(plan, limits=limits) if limits != LimitOptions() else plan


def check_folder_of(work: Study, options: dict[str, Any]) -> None:
    """Check, before any work, that every file to be written may be replaced."""
    from laconic.studies.layout import StudyFolder, input_paths

    plan_files = [] if options["plan"] is None else [options["plan"]]
    folder = StudyFolder(work.where)
    folder.check([*plan_files, *input_paths(work.plan)])
    if not options["no_report"] and work.where.is_dir():
        check_report(folder.report)


def refuse_another_corpus(work: Study) -> Study:
    """The study, unless its folder has one of another corpus: files may share a default folder."""
    from laconic.studies.journal.database import NotStartedError
    from laconic.studies.study import Study

    try:
        previous = Study.open(work.where).plan
    except NotStartedError:
        return work
    old, new = (
        [source.where for source in plan.corpora if isinstance(source, Source)]
        for plan in (previous, work.plan)
    )
    # a file may have several names, such as ../pets.csv or a link
    if old and not set(map(realpath, old)) & set(map(realpath, new)):
        raise LaconicError(
            f"{work.where}: contains a study of {old[0]}, not of {new[0]}. "
            "Choose another folder with -o"
        )
    return work


def refuse_with_a_plan(ctx: click.Context) -> None:
    for name in ctx.params:
        source = ctx.get_parameter_source(name)
        explicit = source not in (click.core.ParameterSource.DEFAULT, None)
        if explicit and name not in ALLOWED_WITH_A_PLAN:
            raise click.UsageError(
                f"--{name.replace('_', '-')}: a plan, or the folder of a study, has its own "
                "settings. Leave the option out, or start a new study with -o"
            )


def folder_for(name: str) -> Path:
    from laconic.corpus.io.addresses import is_glob
    from laconic.corpus.readers.names import name_of
    from laconic.studies.layout import safe_name

    stem = name_of(name) if is_glob(name) else Path(name).name.split(".")[0] or name
    return Path(f"{safe_name(stem)}-study")


def plan_of(where: tuple[str, ...], options: dict[str, Any]) -> Plan:
    from laconic.studies.plan import Plan

    return values_of(
        Plan,
        options,
        corpora=tuple(values_of(Source, options, where=absolute(name)) for name in where),
        split=values_of(SplitOptions, options),
        text=values_of(TextOptions, options),
        weighting=values_of(WeightingOptions, options),
        training=values_of(TrainingOptions, options),
        limits=values_of(LimitOptions, options),
    )


def absolute(name: str) -> str:
    """The absolute path of a file, so that the study can be resumed from another folder."""
    from laconic.corpus.catalog import TECHTC, find
    from laconic.corpus.io.addresses import scheme_of

    elsewhere = find(name) or name == TECHTC.name or scheme_of(name) is not None
    return name if elsewhere else str(Path(name).absolute())


@contextmanager
def listening(options: dict[str, Any]) -> Iterator[Any]:
    """Events as JSON lines, or as a bar on a terminal."""
    if not options["as_json"]:
        with study_bar(quiet=options["quiet"]) as feeds:
            yield feeds
        return

    def print_event(event: Event) -> None:
        click.echo(json.dumps(asdict(event)))
        sys.stdout.flush()

    yield print_event, None
