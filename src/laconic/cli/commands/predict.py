"""The command `predict`: the classes of documents, as JSON lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from click.core import ParameterSource

from laconic.cli.console import printable, reading_bar, say_aside
from laconic.cli.options import (
    CLUSTER,
    JOBS,
    SHARED,
    TRUSTED,
    options_from,
    together,
    uses_cluster,
    values_of,
)
from laconic.corpus.options import ReadOptions, StreamFormat
from laconic.errors import LaconicError

if TYPE_CHECKING:
    from laconic.cli.prediction_folder import PredictionFolder
    from laconic.engine import Engine

STDIN = "-"
SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))
document_options = together(
    click.option(
        "--format",
        type=click.Choice(get_args(StreamFormat)),
        help="Format of DOCS.  [default: by its ending, else by its first character]",
    ),
    options_from(ReadOptions, only=("text", "id", "encoding", "encoding_errors", "max_line")),
)


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("docs", nargs=-1, required=True, metavar="DOCS...")
@click.option("--scores", is_flag=True, help="Also write the decision value of each class.")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="File, .jsonl; or a folder, which gets one file per file of DOCS.  [default: stdout]",
)
@JOBS
@CLUSTER
@SHARED
@TRUSTED
@document_options
@click.pass_context
def predict(
    ctx: click.Context,
    /,
    model: Path,
    docs: tuple[str, ...],
    scores: bool,
    output: str | None,
    jobs: int,
    cluster: str | None,
    shared: Path | None,
    trusted: bool,
    **options: Any,
) -> None:
    """Predict the classes of documents, as JSON lines {"id": …, "label": …}.

    DOCS is a file of JSON lines, CSV, TSV or text with one document per line, compressed or not, a
    Parquet file, a folder of such files in one format, or - for standard input. Memory use does not
    grow with the number of documents. A model with a calibration adds "probability": of the class,
    or of each of the labels.

    Of several files, or a pattern such as 'in/*.jsonl', the predictions are written one after the
    other, or each into a file of its own in the folder that -o names, by several processes
    (--jobs) or a cluster (--cluster). The same command again makes only the files that are missing,
    and those whose documents have changed.

    \b
    laconic predict tickets.laconic new.jsonl --scores -o predictions.jsonl
    laconic predict tickets.laconic 'in/*.jsonl.gz' -o out/
    laconic predict tickets.laconic 'in/*.parquet' -o out/ --cluster tls://scheduler.example:8786
    zcat mail.txt.gz | laconic predict mail.laconic -
    """
    from laconic.processes import LocalProcesses, number_of_workers

    reading = values_of(ReadOptions, options)
    sources = sources_of(docs, reading)
    n_jobs = number_of_workers(jobs, f"--jobs {jobs}")
    on_cluster = uses_cluster(ctx)
    if output is None or not names_folder(output):
        if on_cluster:
            raise click.UsageError("--cluster writes a folder of predictions: name it with -o out/")
        if ctx.get_parameter_source("jobs") == ParameterSource.COMMANDLINE and n_jobs > 1:
            say_aside("note: --jobs is for a folder of predictions (-o FOLDER/), one file each")
        file = None if output is None else Path(output)
        predict_in_order(model, sources, reading, scores, trusted, file)
        return

    from laconic.cli.prediction_folder import PredictionFolder, ShardPredictor

    if STDIN in sources:
        raise click.UsageError("the predictions of standard input are a file: name one, .jsonl")
    where = Path(output).absolute()
    predictor = ShardPredictor(where, model.absolute(), reading, scores, trusted)
    folder = PredictionFolder(Path(output), predictor)
    if not on_cluster:
        predict_into(folder, sources, docs, LocalProcesses(n_jobs))
        return
    from laconic.cluster import connected

    with connected(str(cluster)) as client:
        from laconic.cluster import DaskEngine

        with DaskEngine(client, shared or where.parent) as engine:
            predict_into(folder, sources, docs, engine)


def sources_of(docs: Sequence[str], options: ReadOptions) -> list[str]:
    """The files that are named: those of folders and patterns in the order of their names."""
    from laconic.corpus.io.addresses import is_folder, list_files
    from laconic.corpus.readers.record_stream import check_formats

    sources = []
    for name in docs:
        files = list_files(name)
        if options.format is None and is_folder(name):
            check_formats(name, files)
        sources += files
    return sources


def names_folder(output: str) -> bool:
    """A name that ends with a slash or has no ending, or a folder; .jsonl is always a file."""
    from laconic.cli.predictions import ENDINGS

    ending = Path(output).suffix
    folder = not ending or (os.path.isdir(output) and ending not in ENDINGS)
    return folder or output.endswith(SEPARATORS)


def predict_in_order(
    model: Path,
    sources: Sequence[str],
    options: ReadOptions,
    scores: bool,
    trusted: bool,
    output: Path | None,
) -> None:
    """Predict one file after the other, into one file or standard output."""
    from laconic.cli.predictions import predicted_lines, written_to
    from laconic.corpus.io.addresses import size_of
    from laconic.runtime.model_file import load

    check_file(output, (model, *("/dev/stdin" if s == STDIN else s for s in sources)))
    loaded = load(model, trusted=trusted)
    several = len(sources) > 1
    sizes = {source: size_of(source) for source in sources} if several else {}
    total, finished, n_docs = sum(sizes.values()), 0, 0
    with reading_bar(title_of(sources)) as bar, written_to(output) as write:
        for source in sources:
            reading = replace(options, progress=bar.beginning_at(finished, total))
            for lines in predicted_lines(loaded, source, reading, scores, several=several):
                write("".join(lines))
                n_docs += len(lines)
                bar.documents(n_docs)
            finished += sizes.get(source, 0)


def predict_into(
    folder: PredictionFolder, sources: Sequence[str], docs: Sequence[str], engine: Engine
) -> None:
    """Predict each file into one of its own."""
    from laconic.cli.prediction_folder import shards_of
    from laconic.corpus.builder import amount
    from laconic.corpus.io.addresses import size_of

    shards = shards_of(sources)
    folder.check(shards, docs)
    with reading_bar(title_of(sources)) as bar:
        total = sum(map(size_of, sources))
        n_before = folder.predict(
            shards, engine, lambda n_bytes, n_docs: bar(n_bytes, total, n_docs)
        )
    name = printable(str(folder.where))
    if n_before:
        say_aside(
            f"note: {n_before:,} of {len(shards):,} files in {name} were finished before, with the "
            "same model and documents"
        )
    if n_others := folder.n_others():
        say_aside(
            f"note: {amount(n_others, 'other file', 'other files')} in {name} "
            f"{'has' if n_others == 1 else 'have'} predictions of another model, with other "
            "options or by another version. Predict their documents again, or use another folder"
        )


def title_of(sources: Sequence[str]) -> str:
    return f"predicting {sources[0] if len(sources) == 1 else f'{len(sources):,} files'}"


def check_file(where: Path | None, used: Iterable[str | Path]) -> None:
    """Predictions may replace predictions, but no input and no file that something else wrote."""
    from laconic.cli.predictions import ENDINGS, PREDICTIONS
    from laconic.files import check_not_read, check_output

    if where is None:
        return
    if where.suffix not in ENDINGS:
        raise LaconicError(
            f"{where}: predictions are written as .jsonl, or into a folder: end its name with /"
        )
    check_not_read([where], used)
    check_output(where, PREDICTIONS)
