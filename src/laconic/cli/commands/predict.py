"""The command `predict`: the classes of documents, as JSON lines."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from laconic.cli.console import (
    reading_bar,
)
from laconic.cli.options import (
    TRUSTED,
    options_from,
    together,
    values_of,
)
from laconic.corpus.options import ReadOptions, StreamFormat
from laconic.errors import LaconicError

if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.corpus.readers.record_stream import Item
    from laconic.files import Kind
    from laconic.runtime.runtime_model import RuntimeModel
    from laconic.types import Floats

# Limits of a batch: large enough for speed, small in memory, which long n-grams need more of.
BATCH_CHARACTERS = 1 << 22


BATCH_VALUES = 1 << 22


NO_LIMIT = 1 << 62


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
@click.argument("docs")
@click.option("--scores", is_flag=True, help="Also write the decision value of each class.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="File, .jsonl.  [default: stdout]"
)
@TRUSTED
@document_options
def predict(
    model: Path, docs: str, scores: bool, output: Path | None, trusted: bool, **options: Any
) -> None:
    """Predict the classes of documents, as JSON lines {"id": …, "label": …}.

    DOCS is a file of JSON lines, CSV, TSV or text with one document per line, compressed or not,
    or - for standard input. Memory use does not grow with the number of documents. A model with a
    calibration adds "probability": of the class, or of each of the labels.

    \b
    laconic predict tickets.laconic new.jsonl --scores -o predictions.jsonl
    zcat mail.txt.gz | laconic predict mail.laconic -
    """
    from laconic.runtime.model_file import load

    check_predictions(output, (model, "/dev/stdin" if docs == "-" else docs))
    loaded = load(model, trusted=trusted)
    with reading_bar(f"predicting {docs}") as progress, written_to(output) as write:
        for batch in batches(documents_of(docs, options, progress), loaded):
            write("".join(predictions(loaded, batch, scores)))


def check_predictions(where: Path | None, used: Iterable[str | Path]) -> None:
    """Predictions may replace predictions, but no input and no file that something else wrote."""
    from laconic.files import check_not_read, check_output

    if where is None:
        return
    if where.suffix not in (".jsonl", ".ndjson"):
        raise LaconicError(f"{where}: predictions are written as .jsonl")
    check_not_read([where], used)
    check_output(where, kind_of_predictions())


def kind_of_predictions() -> Kind:
    from laconic.files import Kind

    return Kind("file of predictions", re.compile(rb'\A ({"id": |\Z)'))


@contextmanager
def written_to(where: Path | None) -> Iterator[Callable[[str], object]]:
    """Standard output, or a file that is complete or absent.

    A space before the first line marks the file as ours. JSON parsers skip it; a marker key would
    become a column in tables made from the predictions.
    """
    if where is None:
        yield sys.stdout.write
        return
    from laconic.files import draft

    with draft(where, kind_of_predictions()) as stream:
        stream.write(b" ")
        yield lambda text: stream.write(text.encode("ascii"))


def documents_of(
    docs: str, options: dict[str, Any], progress: Callable[[int, int], None]
) -> Iterator[Item]:
    from laconic.corpus.readers.record_stream import stream

    # documents are not kept in memory, so their total length is not limited
    return stream(
        docs, values_of(ReadOptions, options, max_input_bytes=NO_LIMIT, progress=progress)
    )


def batches(items: Iterable[Item], model: RuntimeModel) -> Iterator[list[Item]]:
    longest = model.text.ngrams[1] if model.text is not None else 1
    most = max(1, BATCH_VALUES // len(model.classes))
    batch: list[Item] = []
    size = 0
    for item in items:
        batch.append(item)
        size += len(item.document)
        if size * longest**2 >= BATCH_CHARACTERS or len(batch) >= most:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def predictions(model: RuntimeModel, batch: list[Item], scores: bool) -> Iterator[str]:
    """One line of JSON per document, in ASCII: names in a file cannot control the terminal."""
    try:
        decision = model.decision([item.document for item in batch])
    except LaconicError as problem:
        lines = f"lines {batch[0].line:,} to {batch[-1].line:,}"
        raise LaconicError(f"{lines}: {problem}") from None
    names = model.classes[1:] if model.rule == "sign" else model.classes
    labels = model.named(decision)
    chances = probabilities_of(model, decision, labels)
    for item, label, chance, values in zip(batch, labels, chances, decision.tolist(), strict=True):
        prediction = {"id": item.id, "label": label} | chance
        if scores:
            prediction["scores"] = dict(zip(names, values, strict=True))
        yield json_line(prediction)


def probabilities_of(
    model: RuntimeModel, decision: Floats, labels: list[Any]
) -> list[dict[str, Any]]:
    """The probability of each document's class, or of each of its labels; empty without any."""
    if model.calibration is None:
        return [{} for _ in labels]
    place = {name: at for at, name in enumerate(model.classes)}
    rows = model.probabilities(decision).tolist()
    if model.rule != "labels":
        pairs = zip(rows, labels, strict=True)
        return [{"probability": row[place[label]]} for row, label in pairs]
    return [
        {"probability": {label: row[place[label]] for label in chosen}}
        for row, chosen in zip(rows, labels, strict=True)
    ]


def json_line(prediction: dict[str, Any]) -> str:
    """JSON has no NaN: a missing id, which pandas writes as NaN, becomes null."""
    try:
        return json.dumps(prediction, allow_nan=False) + "\n"
    except ValueError:
        from laconic.files import finite

        return json.dumps(finite(prediction), allow_nan=False) + "\n"
