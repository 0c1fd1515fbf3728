"""The commands `methods` and `select`: what can choose words, and which ones it chooses."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.console import (
    as_text,
    print_methods,
    print_notes,
    print_words,
    printable,
    show,
    table_of,
    working,
)
from laconic.cli.options import (
    check_not_input,
    load,
    parse_alpha,
    parse_size,
    reading_options,
    training_options,
    vectorizing_of,
    vectorizing_options,
)

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus
    from laconic.study.words import Word
    from laconic.vectors.problem import TargetKind


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a method.")
def methods(as_json: bool) -> None:
    """The methods: what they keep, from which paper, and what they cost."""
    from laconic.methods import METHODS

    if not as_json:
        print_methods(METHODS.values())
        return
    for method in METHODS.values():
        click.echo(json.dumps(method.described(), ensure_ascii=False))


@click.command()
@click.argument("where", metavar="CORPUS")
@click.option("--method", default="IG", show_default=True, help="A name of `laconic methods`.")
@click.option("--size", default="100", show_default=True, help="How many words, or a share: 0.01.")
@click.option(
    "--random-state", type=click.IntRange(0), default=0, help="Random seed of a random method."
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="File of words, .csv or .json."
)
@training_options
@reading_options
@vectorizing_options
def select(where: str, method: str, size: str, output: Path | None, **options: Any) -> None:
    """The words that a method chooses, with scores, and weights in a model trained on them.

    All documents are trained on, or the training part of a corpus with a split of its own.

    \b
    laconic select tickets.csv --text body --label queue --method IG --size 200 -o words.csv
    laconic select pydocs --method BNS --size 50
    """
    from laconic.methods import parse_method
    from laconic.study.words import selected_words, write_words

    recipe = parse_method(method)
    recipe.check_intercept(options["intercept"])
    asked = parse_size(size)
    alpha = parse_alpha(options["alpha"])
    vectorizing = vectorizing_of(options)
    check_files([output] if output is not None else [], where, options)
    loaded = load(where, options)
    print_notes(loaded.notes)
    files = words_files(output, loaded, options["target"]) if output is not None else []
    check_files(files, where, options)
    with working(f"choosing words of {loaded.name}"):
        path = recipe.build(alpha, options["random_state"], options["intercept"], "selected")
        tables = selected_words(path, asked, loaded, vectorizing, options["target"])
    if output is None:
        for name, classes, words in tables:
            title = f"{recipe.name} on {name}"
            if classes:
                print_words(title, classes, words)
            else:
                print_chosen(title, words)
        return
    for file, (name, classes, words) in zip(files, tables, strict=True):
        write_words(file, words, classes)
        title = f"words of {name}" if len(files) > 1 else "words"
        click.echo(f"{printable(title)}: {printable(str(file))}")


def print_chosen(title: str, words: list[Word]) -> None:
    """The words of a model that is not linear: none speaks for a class by itself."""
    table = table_of("word", "documents", "score")
    for one in words:
        score = "" if one.score is None else f"{one.score:.4g}"
        table.add_row(as_text(one.word), f"{one.documents:,}", score)
    show(table, title)


def words_files(output: Path, corpus: Corpus, target: TargetKind) -> list[Path]:
    """The file of each question about the corpus: one, or one per class."""
    from laconic.study.layout import distinct_name
    from laconic.vectors.problem import targets_of

    names = [made.name for made in targets_of(corpus, target)]
    if len(names) == 1:
        return [output]
    return [output.with_stem(f"{output.stem}-{distinct_name(name)}") for name in names]


def check_files(files: Iterable[Path], where: str, options: dict[str, Any]) -> None:
    """Each may be written, and none is read."""
    from laconic.study.words import check_words

    for file in files:
        check_words(file)
        check_not_input(file, where, options)
