"""Predictions as JSON lines: documents in batches, lines of JSON, and the files that have them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from laconic.corpus.io.streams import EmptyFileError
from laconic.corpus.readers.record_stream import stream
from laconic.errors import LaconicError
from laconic.files import Kind, draft, finite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from laconic.corpus.options import ReadOptions
    from laconic.corpus.readers.record_stream import Item
    from laconic.runtime.runtime_model import RuntimeModel
    from laconic.types import Floats

# Limits of a batch: large enough for speed, small in memory, which long n-grams need more of.
BATCH_CHARACTERS = 1 << 22
BATCH_VALUES = 1 << 22
NO_LIMIT = 1 << 62
ENDINGS = (".jsonl", ".ndjson")
PREDICTIONS = Kind("file of predictions", re.compile(rb'\A ({"id": |\Z)'))


def predicted_lines(
    model: RuntimeModel, docs: str, options: ReadOptions, scores: bool, *, several: bool = False
) -> Iterator[list[str]]:
    """The predictions of a file, batch by batch, one line per document.

    One of `several` files may be empty, as parts that a cluster writes are.
    """
    # documents are not kept in memory, so their total length is not limited
    items = stream(docs, replace(options, max_input_bytes=NO_LIMIT))
    for batch in batches(_or_nothing(items) if several else items, model):
        try:
            decision = model.decision([item.document for item in batch])
        except LaconicError as problem:
            lines = f"lines {batch[0].line:,} to {batch[-1].line:,}"
            raise LaconicError(f"{docs}, {lines}: {problem}") from None
        yield list(_lines(model, batch, decision, scores))


def _or_nothing(items: Iterator[Item]) -> Iterator[Item]:
    """The documents of a file, none if it is empty."""
    with suppress(EmptyFileError):
        yield from items


@contextmanager
def written_to(where: Path | None) -> Iterator[Callable[[str], object]]:
    """Standard output, or a file that is complete or absent.

    A space before the first line marks the file as ours. JSON parsers skip it; a marker key would
    become a column in tables made from the predictions.
    """
    if where is None:
        yield sys.stdout.write
        return
    with draft(where, PREDICTIONS) as file:
        file.write(b" ")
        yield lambda text: file.write(text.encode("ascii"))


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


def _lines(model: RuntimeModel, batch: list[Item], decision: Floats, scores: bool) -> Iterator[str]:
    """One line of JSON per document, in ASCII: names in a file cannot control the terminal."""
    names = model.classes[1:] if model.rule == "sign" else model.classes
    labels = model.named(decision)
    chances = _probabilities(model, decision, labels)
    for item, label, chance, values in zip(batch, labels, chances, decision.tolist(), strict=True):
        prediction = {"id": item.id, "label": label} | chance
        if scores:
            prediction["scores"] = dict(zip(names, values, strict=True))
        yield _json_line(prediction)


def _probabilities(
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


def _json_line(prediction: dict[str, Any]) -> str:
    """JSON has no NaN: a missing id, which pandas writes as NaN, becomes null."""
    try:
        return json.dumps(prediction, allow_nan=False) + "\n"
    except ValueError:
        return json.dumps(finite(prediction), allow_nan=False) + "\n"
