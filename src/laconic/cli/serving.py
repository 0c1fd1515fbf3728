"""The commands that train and use a compact model: train, predict, explain."""

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
    as_text,
    print_notes,
    printable,
    reading_bar,
    show,
    table_of,
    working,
)
from laconic.cli.options import (
    DRAW,
    METHOD,
    check_not_input,
    estimator_of,
    load,
    model_options,
    options_from,
    parse_size,
    reading_options,
    text_options,
    together,
    values_of,
    vectors_of,
)
from laconic.corpus.options import ReadOptions, StreamFormat
from laconic.errors import LaconicError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from laconic.compact import CompactModel
    from laconic.corpus.corpus import Corpus
    from laconic.corpus.formats.streaming import Item
    from laconic.files import Kind

# Limits of a batch: large enough for speed, small in memory, which long n-grams need more of.
BATCH_CHARACTERS = 1 << 22
BATCH_VALUES = 1 << 22
NO_LIMIT = 1 << 62

TRUSTED = click.option(
    "--trusted", is_flag=True, help="Also load a model whose token pattern is not a known one."
)


document_options = together(
    click.option(
        "--format",
        type=click.Choice(get_args(StreamFormat)),
        help="Format of DOCS.  [default: by its ending, else by its first character]",
    ),
    options_from(ReadOptions, only=("text", "id", "encoding", "encoding_errors", "max_line")),
)


@click.command()
@click.argument("where", metavar="CORPUS")
@METHOD
@click.option("--size", default="300", show_default=True, help="Number of words, or a share: 0.1.")
@DRAW
@click.option("--all", "everything", is_flag=True, help="Train on the test documents too.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("model.laconic"),
    show_default=True,
    help="File of the model.",
)
@model_options
@reading_options
@text_options
def train(
    where: str, method: str, size: str, everything: bool, output: Path, **options: Any
) -> None:
    """Select words, train on them, and write the model as one small file.

    Trains on all documents, or on the training part of a corpus that has a split.

    \b
    laconic train tickets.csv --text body --label queue --size 300 -o tickets.laconic
    laconic predict tickets.laconic new.jsonl
    """
    from laconic.compact.tensors import MODEL_FILE
    from laconic.compact.training import train as train_model
    from laconic.files import check_output
    from laconic.methods import parse_method

    recipe = parse_method(method)
    path = estimator_of(recipe, options)
    requested = parse_size(size)
    text, weighting = vectors_of(options)
    check_output(output, MODEL_FILE)
    check_not_input(output, where, options)
    loaded = load(where, options)
    print_notes(loaded.notes)
    documents, description = training_part(loaded, everything)
    with working(f"training on {description}"):
        model = train_model(
            path,
            loaded,
            requested,
            vectorizer=text.vectorizer(),
            weighting=weighting.weighting_for(loaded, text),
            documents=documents,
            target=options["target"],
        )
    model.save(output)
    click.echo(f"{recipe.name} on {printable(loaded.name)}, {description}")
    for line in model.summary().splitlines():
        click.echo(f"  {printable(line)}")
    click.echo(f"model: {printable(str(output))} ({output.stat().st_size:,} bytes)")


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
    or - for standard input. Memory use does not grow with the number of documents.

    \b
    laconic predict tickets.laconic new.jsonl --scores -o predictions.jsonl
    zcat mail.txt.gz | laconic predict mail.laconic -
    """
    from laconic.compact import CompactModel

    check_predictions(output, (model, "/dev/stdin" if docs == "-" else docs))
    loaded = CompactModel.load(model, trusted=trusted)
    with reading_bar(f"predicting {docs}") as progress, written_to(output) as write:
        for batch in batches(documents_of(docs, options, progress), loaded):
            write("".join(predictions(loaded, batch, scores)))


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("text", required=False)
@click.option("--file", help="A file with the document, or - for standard input.")
@click.option(
    "--top", type=click.IntRange(1), default=10, show_default=True, help="Words per class."
)
@click.option("--every", is_flag=True, help="All classes, not only the predicted ones.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@TRUSTED
def explain(
    model: Path,
    text: str | None,
    file: str | None,
    top: int,
    every: bool,
    as_json: bool,
    trusted: bool,
) -> None:
    """Show the words that decided the class of one document, with their contributions.

    \b
    laconic explain tickets.laconic "the printer is on fire"
    laconic explain tickets.laconic --file ticket.txt
    """
    from laconic.compact import CompactModel

    if (text is None) == (file is None):
        raise click.UsageError("give the document as TEXT, or with --file")
    loaded = CompactModel.load(model, trusted=trusted)
    raw = text if text is not None else whole_text(str(file))
    # undecodable bytes of the command line are lone surrogates
    document = raw.encode("utf-8", "replace").decode("utf-8")
    words = loaded.explain(document, top)
    decision = loaded.decision([document])
    chosen = loaded.named(decision)[0]
    scores = dict(zip(words, decision[0].tolist(), strict=True))
    if as_json:
        click.echo(json.dumps({"label": chosen, "scores": scores, "words": words}))
        return
    print_explanation(chosen, scores, words, every=every)


def print_explanation(
    chosen: Any,
    scores: dict[str, float],
    words: dict[str, list[tuple[str, float]]],
    *,
    every: bool,
) -> None:
    labels = [chosen] if isinstance(chosen, str) else list(chosen)
    click.echo(f"label: {printable(', '.join(labels)) or '(none)'}")
    # of two classes only the second has words: weights below 0 are for the first
    shown = [name for name in words if every or name in labels]
    for name in shown or [max(words, key=lambda name: scores[name])]:
        table = table_of("word", f"for {as_text(name)}")
        for word, share in words[name]:
            table.add_row(as_text(word), f"{share:+.4f}")
        show(table, f"{name}: {scores[name]:+.4f}")
        if not words[name]:
            click.echo("  none of its words is in the document")


def training_part(loaded: Corpus, everything: bool) -> tuple[np.ndarray, str]:
    import numpy as np

    if loaded.split is None or everything:
        return np.arange(len(loaded)), f"all {len(loaded):,} documents"
    chosen = loaded.part("train")
    if not chosen.size:
        raise LaconicError(
            f"{loaded.name}: its split has no training documents. Pass --all to train on all."
        )
    return chosen, f"the {chosen.size:,} training documents of {len(loaded):,}"


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
    from laconic.corpus.formats.streaming import stream

    # documents are not kept in memory, so their total length is not limited
    return stream(docs, values_of(ReadOptions, options, max_bytes=NO_LIMIT, progress=progress))


def batches(items: Iterable[Item], model: CompactModel) -> Iterator[list[Item]]:
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


def predictions(model: CompactModel, batch: list[Item], scores: bool) -> Iterator[str]:
    """One line of JSON per document, in ASCII: names in a file cannot control the terminal."""
    try:
        decision = model.decision([item.document for item in batch])
    except LaconicError as problem:
        lines = f"lines {batch[0].line:,} to {batch[-1].line:,}"
        raise LaconicError(f"{lines}: {problem}") from None
    names = model.classes[1:] if model.model.rule == "sign" else model.classes
    labels = model.named(decision)
    for item, label, values in zip(batch, labels, decision.tolist(), strict=True):
        prediction = {"id": item.id, "label": label}
        if scores:
            prediction["scores"] = dict(zip(names, values, strict=True))
        yield json_line(prediction)


def json_line(prediction: dict[str, Any]) -> str:
    """JSON has no NaN: a missing id, which pandas writes as NaN, becomes null."""
    try:
        return json.dumps(prediction, allow_nan=False) + "\n"
    except ValueError:
        from laconic.files import finite

        return json.dumps(finite(prediction), allow_nan=False) + "\n"


def whole_text(file: str) -> str:
    from laconic.corpus.formats.decoding import Decoder
    from laconic.corpus.formats.opening import open_bytes

    reading = ReadOptions(max_bytes=ReadOptions.max_line)
    where = "/dev/stdin" if file == "-" else file
    with open_bytes(where, reading) as stream:
        return Decoder(where, reading).text(stream.read())
