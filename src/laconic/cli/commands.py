"""The commands of `laconic`.

Heavy imports stay inside the commands, so that help is instant.
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import asdict
from io import TextIOWrapper
from pathlib import Path
from signal import SIGTERM, signal
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

import click

from laconic import __version__
from laconic.cli.console import (
    bar,
    print_catalog,
    print_notes,
    print_rows,
    print_summary,
    printable,
    say_aside,
    working,
)
from laconic.cli.ending import EXIT_CODES, Code, one_line
from laconic.cli.options import (
    METRICS,
    SIZES,
    check_not_input,
    load,
    metrics_of,
    parse_alpha,
    problems_of,
    reading_options,
    sizes_of,
    training_options,
    vectorizer_of,
    vectorizing_of,
    vectorizing_options,
)
from laconic.cli.reporting import report
from laconic.cli.reproducing import reproduce
from laconic.cli.selecting import methods, select
from laconic.cli.serving import explain, predict, train
from laconic.cli.studying import completion, export, study
from laconic.errors import LaconicWarning

if TYPE_CHECKING:
    from laconic.rows import Row


class Laconic(click.Group):
    """Ends in a result or in one line, however it ends (`laconic.cli.ending`)."""

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        with one_line():  # --help and --version print here
            return super().make_context(*given, **more)

    def invoke(self, ctx: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")
        if current_thread() is main_thread():
            # so that what is half written is taken away also when the process is told to end
            signal(SIGTERM, lambda *_: sys.exit(Code.TERMINATED))
        with one_line(), warnings.catch_warnings():
            warnings.simplefilter("default", LaconicWarning)
            warnings.showwarning = show_warning
            return super().invoke(ctx)


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as a line for users, without the place in our source."""
    say_aside(f"laconic: note: {printable(str(message))}")


@click.group(
    cls=Laconic, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES
)
@click.version_option(__version__, prog_name="laconic")
def main() -> None:
    """Finds the few words a text classifier needs, and proves what is lost.

    \b
    laconic study tickets.csv --text body --label queue    # the main job
    laconic corpus tickets.csv --text body --label queue   # what is in it
    laconic methods                                        # the methods it compares
    """


@main.command()
@click.argument("where", nargs=-1, metavar="CORPUS...")
@click.option("--known", is_flag=True, help="List the corpora of the catalog.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a corpus.")
@reading_options
@vectorizing_options
def corpus(where: tuple[str, ...], known: bool, as_json: bool, **options: Any) -> None:
    """What is in a corpus: counts, classes, lengths, problems found.

    CORPUS is a file, a folder, or a name of the catalog.

    \b
    laconic corpus tickets.csv --text body --label queue
    laconic corpus mail.jsonl.gz
    laconic corpus 20news-bydate.tar.gz --encoding latin-1
    laconic corpus pydocs
    """
    if known:
        from laconic.corpus.catalog import known_corpora

        print_catalog(known_corpora())
        return
    if not where:
        raise click.UsageError("name a file, a folder or a corpus of the catalog (--known)")

    from laconic.vectors.summary import CorpusSummary

    vectorizer = vectorizer_of(options)
    for name in where:
        loaded = load(name, options)
        with working(f"counting the words of {loaded.name}"):
            summary = CorpusSummary.of(loaded, vectorizer)
        if as_json:
            click.echo(json.dumps(asdict(summary), ensure_ascii=False))
        else:
            print_summary(summary)


@main.command()
@click.argument("where", metavar="CORPUS")
@click.option(
    "--method",
    default="IG",
    show_default=True,
    help="A name of `laconic methods`, with settings and classifier: SS:rank=10+svm.",
)
@SIZES
@METRICS
@click.option("--cv", type=click.IntRange(2), help="Cross-validation folds instead of one split.")
@click.option(
    "--normalize",
    type=click.Choice(["selected", "all"]),
    default="selected",
    show_default=True,
    help="Divide documents by their length over the selected words, as studies do, or over all.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Repeats of the folds or splits.",
)
@click.option("--test-size", type=float, help="Random splits with this share of test documents.")
@click.option(
    "--random-state",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Random seed of splits and draws.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File of rows: .csv, .jsonl or .parquet.",
)
@training_options
@reading_options
@vectorizing_options
def curve(where: str, method: str, **options: Any) -> None:
    """Quality against the number of words, for one method.

    Prints a table and writes its rows to a file. Models are those of `study` and `train`;
    papers mostly use --normalize all, and some --no-intercept.

    \b
    laconic curve pydocs --method DF --sizes 10,100,1000
    laconic curve tickets.csv --label queue --cv 5 -o tickets-curve.csv
    laconic curve reuters-21578 --split ModApte --metric f1_micro --metric roc_auc
    """
    from laconic.curves import ascending, known_metrics
    from laconic.curves import curve as measure_curve
    from laconic.methods import parse_method
    from laconic.rows import check_rows, rows_file
    from laconic.study.layout import safe_name

    recipe = parse_method(method)
    recipe.check_intercept(options["intercept"])
    alpha = parse_alpha(options["alpha"])
    wanted = list(known_metrics(metrics_of(options)))
    asked = ascending(sizes_of(options))
    vectorizing_of(options)
    if options["output"] is not None:
        check_rows(options["output"])
        check_not_input(options["output"], where, options)
    loaded = load(where, options)
    print_notes(loaded.notes)
    output = options["output"] or Path(f"{safe_name(loaded.name)}-{safe_name(recipe.name)}.csv")
    check_not_input(output, where, options)
    with rows_file(output) as write:
        rows: list[Row] = []
        for problem in problems_of(loaded, options):
            with bar(f"{recipe.name} on {problem.name}, {problem.fold}", len(asked)) as step:
                found = measure_curve(
                    recipe.build(
                        alpha, options["random_state"], options["intercept"], options["normalize"]
                    ),
                    problem,
                    asked,
                    wanted,
                    name=recipe.name,
                    draw=options["random_state"],
                    progress=lambda _, step=step: step(),
                )
            write(found.rows)
            rows += found.rows
    print_rows(rows, wanted)
    click.echo(f"rows: {output}")


for command in (
    study,
    report,
    methods,
    select,
    export,
    train,
    predict,
    explain,
    reproduce,
    completion,
):
    main.add_command(command)
