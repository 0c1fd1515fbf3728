"""The commands of `laconic`.

Heavy imports stay inside the commands, so help is instant.
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
    METHOD,
    check_not_input,
    estimator_of,
    load,
    model_options,
    options_from,
    problems_of,
    reading_options,
    text_options,
    values_of,
    vectors_of,
)
from laconic.cli.reporting import report
from laconic.cli.reproducing import reproduce
from laconic.cli.selecting import methods, select
from laconic.cli.serving import explain, predict, train
from laconic.cli.studying import completion, export, study
from laconic.errors import LaconicWarning
from laconic.study.settings import SearchOptions, SplitOptions, TrainingOptions
from laconic.vectors.options import TextOptions

if TYPE_CHECKING:
    from laconic.rows import Row


class Laconic(click.Group):
    """Ends with a result or with one line on standard error (`laconic.cli.ending`)."""

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        with one_line():  # --help and --version print here
            return super().make_context(*args, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")
        if current_thread() is main_thread():
            # so that incomplete files are removed when the process is terminated
            signal(SIGTERM, lambda *_: sys.exit(Code.TERMINATED))
        with one_line(), warnings.catch_warnings():
            warnings.simplefilter("default", LaconicWarning)
            warnings.showwarning = show_warning
            return super().invoke(ctx)


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as a line for users, without the source line."""
    say_aside(f"laconic: note: {printable(str(message))}")


@click.group(
    cls=Laconic, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES
)
@click.version_option(__version__, prog_name="laconic")
def main() -> None:
    """Finds the few words a text classifier needs, and proves what is lost.

    \b
    laconic study tickets.csv --text body --label queue    # compare methods and sizes
    laconic corpus tickets.csv --text body --label queue   # describe a corpus
    laconic methods                                        # list the methods
    """


@main.command()
@click.argument("where", nargs=-1, metavar="CORPUS...")
@click.option("--known", is_flag=True, help="List the corpora of the catalog.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per corpus.")
@reading_options
@text_options
def corpus(where: tuple[str, ...], known: bool, as_json: bool, **options: Any) -> None:
    """Describe a corpus: counts, classes, lengths, problems in the data.

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

    vectorizer = values_of(TextOptions, options).vectorizer()
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
@METHOD
@options_from(SearchOptions, only=("sizes", "metrics"))
@click.option("--cv", type=click.IntRange(2), help="Cross-validation folds instead of one split.")
@click.option("--test-size", type=float, help="Random splits with this share of test documents.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Repeats of the folds or splits.",
)
@options_from(SplitOptions, only=("random_state",))
@options_from(TrainingOptions, only=("normalize",))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File of rows: .csv, .jsonl or .parquet.",
)
@model_options
@reading_options
@text_options
def curve(where: str, method: str, **options: Any) -> None:
    """Quality against the number of words, for one method.

    Prints a table and writes its rows to a file. Models are trained as by `study` and `train`;
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
    estimator_of(recipe, options)
    metrics = list(known_metrics(options["metrics"]))
    sizes = ascending(options["sizes"])
    vectors_of(options)
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
            with bar(f"{recipe.name} on {problem.name}, {problem.fold}", len(sizes)) as step:
                measured = measure_curve(
                    estimator_of(recipe, options),
                    problem,
                    sizes,
                    metrics,
                    name=recipe.name,
                    draw=options["random_state"],
                    progress=lambda _, step=step: step(),
                )
            write(measured.rows)
            rows += measured.rows
    print_rows(rows, metrics)
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
