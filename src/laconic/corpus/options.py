"""`ReadOptions`: how a corpus is read. Imports nothing heavy: the command line is made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from laconic.engine import Engine
from laconic.errors import LaconicError
from laconic.options import Options, option

MIB = 1 << 20
# Formats that can be read document by document.
StreamFormat = Literal["jsonl", "csv", "tsv", "txt", "parquet"]
Duplicates = Literal["drop", "together", "keep"]


@dataclass(frozen=True)
class ReadOptions(Options):
    """How a corpus is read, with any number of processes; the corpus is the same.

    `progress` is called with the bytes read and the total.
    """

    format: str | None = option(
        None, "Format of the file.", default_text="by its ending or contents"
    )
    text: str | None = option(None, "Column or key with the text.", default_text="text")
    label: tuple[str, ...] = option((), "Column or key with the label.", default_text="label")
    separator: str | None = option(None, "Divides the label column into several labels.")
    id: str | None = option(
        None, "Column or key with the document's id.", default_text="id, else the position"
    )
    split_column: str | None = option(None, "Column or key that says train or test.")
    split: str | None = option(None, "Name of a standard split, such as ModApte.")
    group: str | None = option(
        None,
        "Column or key with the author, thread or patient: the documents of one group are on one "
        "side of every split.",
    )
    time: str | None = option(
        None,
        "Column or key with a date (ISO 8601) or number: models are trained on the past, and "
        "tested on the latest documents.",
    )
    encoding: str | None = option(None, "Encoding of the text.", default_text="utf-8")
    encoding_errors: Literal["strict", "replace"] = option(
        "strict", "Bytes that are not valid in the encoding: an error, or replaced and counted."
    )
    unlabelled: Literal["error", "drop", "keep"] = option(
        "error", "Documents without a label: an error, left out, or kept without a class."
    )
    max_line: int = option(32 * MIB, "Longest line allowed, in bytes.", minimum=1)
    max_input_bytes: int = option(
        16 * 1024 * MIB, "Most bytes to read, after unpacking.", minimum=1
    )
    n_jobs: int = field(default=1, compare=False, repr=False)
    engine: Engine | None = field(default=None, compare=False, repr=False)
    progress: Callable[[int, int], None] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.group is not None and self.time is not None:
            raise LaconicError(
                f"group={self.group!r} and time={self.time!r}: documents are split by group or by "
                "time. Give one of them"
            )
