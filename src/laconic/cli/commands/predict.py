"""The command `predict`: the classes of documents, as JSON lines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import click

from laconic.cli.console import reading_bar, say_aside
from laconic.cli.options import JOBS, TRUSTED, options_from, together, values_of
from laconic.corpus.options import ReadOptions, StreamFormat
from laconic.errors import LaconicError

STDIN = "-"
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
@TRUSTED
@document_options
def predict(
    model: Path,
    docs: tuple[str, ...],
    scores: bool,
    output: str | None,
    jobs: int,
    trusted: bool,
    **options: Any,
) -> None:
    """Predict the classes of documents, as JSON lines {"id": …, "label": …}.

    DOCS is a file of JSON lines, CSV, TSV or text with one document per line, compressed or not,
    or - for standard input. Memory use does not grow with the number of documents. A model with a
    calibration adds "probability": of the class, or of each of the labels.

    Of several files, or a pattern such as 'in/*.jsonl', the predictions are written one after the
    other, or each into a file of its own in the folder that -o names, by several processes (--jobs).
    The same command again makes only the files that are missing, and those whose documents have
    changed.

    \b
    laconic predict tickets.laconic new.jsonl --scores -o predictions.jsonl
    laconic predict tickets.laconic 'in/*.jsonl.gz' -o out/
    zcat mail.txt.gz | laconic predict mail.laconic -
    """
    from laconic.processes import number_of_workers

    reading = values_of(ReadOptions, options)
    sources = sources_of(docs)
    n_jobs = number_of_workers(jobs, f"--jobs {jobs}")
    if output is None or not names_folder(output):
        predict_in_order(model, sources, reading, scores, trusted, output and Path(output))
    else:
        predict_into(Path(output), model, (docs, sources), reading, scores, trusted, n_jobs)
