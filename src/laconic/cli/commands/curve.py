"""The command `curve`: quality against the number of words, for one method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.console import (
    bar,
    print_notes,
    print_rows,
)
from laconic.cli.options import (
    CORPUS,
    METHOD,
    check_not_input,
    estimator_of,
    load,
    model_options,
    options_from,
    problems_of,
    reading_options,
    text_options,
    vectors_of,
)
from laconic.studies.options import SearchOptions, SplitOptions, TrainingOptions

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus
    from laconic.rows import Row


@click.command()
@CORPUS
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
def curve(where: tuple[str, ...], method: str, **options: Any) -> None:
    """Quality against the number of words, for one method.

    CORPUS is a file, a folder, a glob in quotes, an address such as s3://bucket/part-*.parquet, or
    a name of the catalog. Several FILEs of records are one corpus.

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
    from laconic.row_files import check_rows, rows_file
    from laconic.studies.layout import safe_name

    recipe = parse_method(method)
    estimator_of(recipe, options)
    metrics = list(known_metrics(options["metrics"])) if options["metrics"] else []
    sizes = ascending(options["sizes"])
    vectors_of(options)
    if options["output"] is not None:
        check_rows(options["output"])
        check_not_input(options["output"], where, options)
    loaded = load(where, options)
    print_notes(loaded.notes)
    metrics = metrics or default_metrics(loaded, options)
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
                    progress=step,
                )
            write(measured.rows)
            rows += measured.rows
    print_rows(rows, metrics)
    click.echo(f"rows: {output}")


def default_metrics(loaded: Corpus, options: dict[str, Any]) -> list[str]:
    """The metric of each kind of target, as in a study."""
    from laconic.text.problem import default_metric, targets_of

    targets = targets_of(loaded, options["target"])
    return list(dict.fromkeys(map(default_metric, targets)))
