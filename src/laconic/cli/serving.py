"""The commands that make and use a compact model: train, predict, explain."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    ENCODING,
    ENCODING_ERRORS,
    MAX_LINE,
    TEXT,
    check_not_input,
    decorated,
    load,
    parse_alpha,
    parse_size,
    reading_options,
    training_options,
    vectorizing_of,
    vectorizing_options,
)
from laconic.errors import LaconicError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from laconic.compact import CompactModel
    from laconic.corpus.corpus import Corpus
    from laconic.corpus.formats.gathering import ReadOptions
    from laconic.corpus.formats.streaming import Item
    from laconic.files import Kind

# A batch is decided at once: enough for speed, little memory. Long n-grams take more of it.
BATCH_CHARACTERS = 1 << 22
BATCH_VALUES = 1 << 22
NO_LIMIT = 1 << 62

TRUSTED = click.option(
    "--trusted", is_flag=True, help="Also take a model whose token pattern is not a known one."
)


def document_options(command: Callable[..., None]) -> Callable[..., None]:
    """How documents without labels are read."""
    options = (
        click.option(
            "--format",
            type=click.Choice(["jsonl", "csv", "tsv", "txt"]),
            help="Format of DOCS; default: by its ending, else by its first character.",
        ),
        TEXT,
        click.option("--id", "id", help="Column or key with the id.  [default: id, or position]"),
        ENCODING,
        ENCODING_ERRORS,
        MAX_LINE,
    )
    return decorated(command, options)


@click.command()
@click.argument("where", metavar="CORPUS")
@click.option(
    "--method",
    default="IG",
    show_default=True,
    help="A name of `laconic methods`: IG, SS:rank=10+svm.",
)
@click.option("--size", default="300", show_default=True, help="Number of words, or a share: 0.1.")
@click.option(
    "--random-state",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Random seed of a random method.",
)
@click.option("--all", "everything", is_flag=True, help="Train on the test documents too.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("model.laconic"),
    show_default=True,
    help="File of the model.",
)
@training_options
@reading_options
@vectorizing_options
def train(
    where: str, method: str, size: str, everything: bool, output: Path, **options: Any
) -> None:
    """Choose words, train on them, and write the model as one small file.

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
    recipe.check_intercept(options["intercept"])
    wanted = parse_size(size)
    built = recipe.build(
        parse_alpha(options["alpha"]),
        options["random_state"],
        options["intercept"],
        normalize="selected",
    )
    vectorizing = vectorizing_of(options)
    check_output(output, MODEL_FILE)
    check_not_input(output, where, options)
    loaded = load(where, options)
    print_notes(loaded.notes)
    documents, told = training_part(loaded, everything)
    with working(f"training on {told}"):
        model = train_model(
            built,
            loaded,
            wanted,
            vectorizer=vectorizing.vectorizer(),
            weighting=vectorizing.weighting_for(loaded),
            documents=documents,
            target=options["target"],
        )
    model.save(output)
    click.echo(f"{recipe.name} on {printable(loaded.name)}, {told}")
    for line in model.summary().splitlines():
        click.echo(f"  {printable(line)}")
    click.echo(f"model: {printable(str(output))} ({output.stat().st_size:,} bytes)")


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("docs")
@click.option("--scores", is_flag=True, help="Also the decision value of each class.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="File, .jsonl.  [default: stdout]"
)
@TRUSTED
@document_options
def predict(
    model: Path, docs: str, scores: bool, output: Path | None, trusted: bool, **options: Any
) -> None:
    """Classes of documents, as JSON lines {"id": …, "label": …}.

    DOCS is a file of JSON lines, CSV, TSV or text with a document a line, packed or not, or - for
    standard input. Documents stream through: any number of them needs little memory.

    \b
    laconic predict tickets.laconic new.jsonl --scores -o answers.jsonl
    zcat mail.txt.gz | laconic predict mail.laconic -
    """
    from laconic.compact import CompactModel

    check_answers(output, (model, "/dev/stdin" if docs == "-" else docs))
    loaded = CompactModel.load(model, trusted=trusted)
    with reading_bar(f"predicting {docs}") as progress, written_to(output) as write:
        for batch in batches(documents_of(docs, options, progress), loaded):
            write("".join(answers(loaded, batch, scores)))


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("text", required=False)
@click.option("--file", help="A file with the document, or - for standard input.")
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="Words a class.")
@click.option("--every", is_flag=True, help="All classes, not only those that were chosen.")
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
    """The words that decided about one document, and by how much.

    \b
    laconic explain tickets.laconic "the printer is on fire"
    laconic explain tickets.laconic --file ticket.txt
    """
    from laconic.compact import CompactModel

    if (text is None) == (file is None):
        raise click.UsageError("give the document as TEXT, or with --file")
    loaded = CompactModel.load(model, trusted=trusted)
    given = text if text is not None else whole_text(str(file))
    # bytes of the command line in no encoding came as lone surrogates
    document = given.encode("utf-8", "replace").decode("utf-8")
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
    # of two classes only the second has words: against it is for the first
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
            f"{loaded.name}: its split has no training document. Pass --all to train on every one."
        )
    return chosen, f"the {chosen.size:,} training documents of {len(loaded):,}"


def check_answers(where: Path | None, used: Iterable[str | Path]) -> None:
    """Answers replace answers, never what they are made from or what something else wrote."""
    from laconic.files import check_not_read, check_output

    if where is None:
        return
    if where.suffix not in (".jsonl", ".ndjson"):
        raise LaconicError(f"{where}: answers are written as .jsonl")
    check_not_read([where], used)
    check_output(where, kind_of_answers())


def kind_of_answers() -> Kind:
    from laconic.files import Kind

    return Kind("file of answers", re.compile(rb'\A ({"id": |\Z)'))


@contextmanager
def written_to(where: Path | None) -> Iterator[Callable[[str], object]]:
    """Standard output, or a file that appears whole or not at all.

    The mark of the file is a space before its first line, which readers of JSON skip: a key of its
    own would be a column in every table that is made from the answers.
    """
    if where is None:
        yield sys.stdout.write
        return
    from laconic.files import draft

    with draft(where, kind_of_answers()) as stream:
        stream.write(b" ")
        yield lambda text: stream.write(text.encode("ascii"))


def documents_of(
    docs: str, options: dict[str, Any], progress: Callable[[int, int], None]
) -> Iterator[Item]:
    from laconic.corpus.formats.streaming import stream

    return stream(docs, reading_of(options, progress), options["format"])


def reading_of(options: dict[str, Any], progress: Callable[[int, int], None]) -> ReadOptions:
    from laconic.corpus.formats.gathering import ReadOptions

    names = ("text", "id", "encoding", "encoding_errors", "max_line")
    given = {name: options[name] for name in names if options[name] is not None}
    # what streams through is never held, so that its length is no danger
    return ReadOptions(**given, max_bytes=NO_LIMIT, progress=progress)


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


def answers(model: CompactModel, batch: list[Item], scores: bool) -> Iterator[str]:
    """A line of JSON a document, in ASCII: names of strangers cannot steer a terminal."""
    try:
        decision = model.decision([item.document for item in batch])
    except LaconicError as problem:
        lines = f"lines {batch[0].line:,} to {batch[-1].line:,}"
        raise LaconicError(f"{lines}: {problem}") from None
    names = model.classes[1:] if model.model.rule == "sign" else model.classes
    labels = model.named(decision)
    for item, label, values in zip(batch, labels, decision.tolist(), strict=True):
        answer = {"id": item.id, "label": label}
        if scores:
            answer["scores"] = dict(zip(names, values, strict=True))
        yield json_line(answer)


def json_line(answer: dict[str, Any]) -> str:
    """JSON has no NaN: an id that is none in the input, as pandas writes it, becomes null."""
    try:
        return json.dumps(answer, allow_nan=False) + "\n"
    except ValueError:
        from laconic.files import finite

        return json.dumps(finite(answer), allow_nan=False) + "\n"


def whole_text(file: str) -> str:
    from laconic.corpus.formats.decoding import Decoder
    from laconic.corpus.formats.gathering import ReadOptions
    from laconic.corpus.formats.opening import open_bytes

    reading = ReadOptions(max_bytes=ReadOptions.max_line)
    where = "/dev/stdin" if file == "-" else file
    with open_bytes(where, reading) as stream:
        return Decoder(where, reading).text(stream.read())
