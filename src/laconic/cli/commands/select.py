"""The command `select`: the words that a method selects."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.console import (
    as_text,
    print_notes,
    print_words,
    printable,
    show,
    table_of,
    working,
)
from laconic.cli.options import (
    CORPUS,
    DRAW,
    METHOD,
    check_not_input,
    estimator_of,
    load,
    model_options,
    parse_size,
    reading_options,
    text_options,
    vectors_of,
)

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus
    from laconic.studies.words import Word
    from laconic.text.options import TargetKind


@click.command()
@CORPUS
@METHOD
@click.option("--size", default="100", show_default=True, help="Number of words, or a share: 0.01.")
@DRAW
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="File of words, .csv or .json."
)
@model_options
@reading_options
@text_options
def select(
    where: tuple[str, ...], method: str, size: str, output: Path | None, **options: Any
) -> None:
    """List the words that a method selects, with scores and the weights of a model.

    CORPUS is a file, a folder, a glob in quotes, an address such as s3://bucket/part-*.parquet, or
    a name of the catalog. Several FILEs of records are one corpus.

    Trains on all documents, or on the training part of a corpus that has a split.

    \b
    laconic select tickets.csv --text body --label queue --method IG --size 200 -o words.csv
    laconic select pydocs --method BNS --size 50
    """
    from laconic.methods import parse_method
    from laconic.studies.words import selected_words, write_words

    recipe = parse_method(method)
    path = estimator_of(recipe, options)
    requested = parse_size(size)
    text, weighting = vectors_of(options)
    check_files([output] if output is not None else [], where, options)
    loaded = load(where, options)
    print_notes(loaded.notes)
    files = words_files(output, loaded, options["target"]) if output is not None else []
    check_files(files, where, options)
    with working(f"selecting words of {loaded.name}"):
        tables = selected_words(path, requested, loaded, text, weighting, options["target"])
    if output is None:
        for name, classes, words in tables:
            title = f"{recipe.name} on {name}"
            if classes:
                print_words(title, classes, words)
            else:
                print_selected(title, words)
        return
    for file, (name, classes, words) in zip(files, tables, strict=True):
        write_words(file, words, classes)
        title = f"words of {name}" if len(files) > 1 else "words"
        click.echo(f"{printable(title)}: {printable(str(file))}")


def print_selected(title: str, words: list[Word]) -> None:
    """The words of a model that is not linear, which have no coefficients."""
    table = table_of("word", "documents", "score")
    for word in words:
        score = "" if word.score is None else f"{word.score:.4g}"
        table.add_row(as_text(word.word), f"{word.documents:,}", score)
    show(table, title)


def words_files(output: Path, corpus: Corpus, kind: TargetKind) -> list[Path]:
    """One file per target: one in all, or one per class."""
    from laconic.studies.layout import distinct_name
    from laconic.text.problem import targets_of

    names = [target.name for target in targets_of(corpus, kind)]
    if len(names) == 1:
        return [output]
    return [output.with_stem(f"{output.stem}-{distinct_name(name)}") for name in names]


def check_files(files: Iterable[Path], where: tuple[str, ...], options: dict[str, Any]) -> None:
    """Check that each file may be written and that none is an input."""
    from laconic.studies.words import check_words

    for file in files:
        check_words(file)
        check_not_input(file, where, options)
