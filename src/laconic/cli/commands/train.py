"""The command `train`: select words, train on them, write the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from laconic.cli.console import (
    counting_bar,
    print_notes,
    printable,
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
from laconic.errors import LaconicError
from laconic.runtime.choices import Storage

if TYPE_CHECKING:
    import numpy as np

    from laconic.corpus.corpus import Corpus


@click.command()
@CORPUS
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
@click.option(
    "--storage",
    type=click.Choice(get_args(Storage)),
    default="float32",
    show_default=True,
    help="Type of the numbers in the file. float32 rounds less than the solver leaves open; int16 "
    "takes less than half of the bytes, and int8 about a third: they change few predictions.",
)
@model_options
@reading_options
@text_options
def train(
    where: tuple[str, ...],
    method: str,
    size: str,
    everything: bool,
    output: Path,
    storage: Storage,
    **options: Any,
) -> None:
    """Select words, train on them, and write the model as one small file.

    CORPUS is a file, a folder, a glob in quotes, an address such as s3://bucket/part-*.parquet, or
    a name of the catalog. Several FILEs of records are one corpus.

    Trains on all documents, or on the training part of a corpus that has a split.

    \b
    laconic train tickets.csv --text body --label queue --size 300 -o tickets.laconic
    laconic predict tickets.laconic new.jsonl
    """
    from laconic.compact.model_file import MODEL_FILE
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
    with counting_bar(loaded, f"training on {description}") as progress:
        model = train_model(
            path,
            loaded,
            requested,
            vectorizer=text.vectorizer(),
            weighting=weighting.weighting_for(loaded, text),
            documents=documents,
            target=options["target"],
            progress=progress,
        )
    model.save(output, storage)
    click.echo(f"{recipe.name} on {printable(loaded.name)}, {description}")
    for line in model.summary().splitlines():
        click.echo(f"  {printable(line)}")
    click.echo(f"model: {printable(str(output))} ({output.stat().st_size:,} bytes)")


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
