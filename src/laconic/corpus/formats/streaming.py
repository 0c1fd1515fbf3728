"""Unlabelled documents, one at a time: the input of a model.

JSON lines, CSV, TSV, or text with one document per line; from a file or a pipe, in little memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from os import fspath
from typing import Any, BinaryIO, NamedTuple, get_args

from laconic.corpus.formats.columns import plain_name
from laconic.corpus.formats.delimited import delimited
from laconic.corpus.formats.guarding import Where
from laconic.corpus.formats.json_lines import objects
from laconic.corpus.formats.opening import lines_in, open_bytes
from laconic.corpus.formats.records import fields_among, no_such_field
from laconic.corpus.options import ReadOptions, StreamFormat
from laconic.errors import CorpusError

STDIN = "-"
ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "txt",
}
STREAMED = get_args(StreamFormat)


class Item(NamedTuple):
    """A document: its text or JSON object of counts, and its id, by default its position."""

    id: Any
    document: Any
    line: int


def stream(where: Where, reading: ReadOptions) -> Iterator[Item]:
    """The documents of a file, or of standard input for "-".

    Without a format, the ending of the name decides; else a first line that begins with { means
    JSON lines, and any other means one document per line.
    """
    if reading.format is not None and reading.format not in STREAMED:
        raise CorpusError(
            f"format {reading.format!r} cannot be read document by document. Choose from "
            f"{', '.join(STREAMED)}.",
            where=where,
        )
    place = "/dev/stdin" if fspath(where) == STDIN else where
    with open_bytes(place, reading) as source:
        kind = reading.format or _kind(place, source)
        if kind == "txt":
            for line, text in lines_in(source, place, reading):
                yield Item(line - 1, text, line)
        elif kind == "jsonl":
            yield from _json_items(source, place, reading)
        else:
            yield from _table_items(source, place, reading, "\t" if kind == "tsv" else ",")


def _kind(where: Where, source: BinaryIO) -> str:
    name = plain_name(where).lower()
    for ending, kind in ENDINGS.items():
        if name.endswith(ending):
            return kind
    start: bytes = source.peek(1)  # type: ignore[attr-defined]
    return "jsonl" if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "txt"


def _json_items(source: BinaryIO, where: Where, reading: ReadOptions) -> Iterator[Item]:
    numbered = objects(lines_in(source, where, reading), where, '{"text": "…"}')
    for position, (line, record) in enumerate(numbered):
        name, id = _text_and_id(record, where, reading, line, "key")
        document = record[name]
        if not isinstance(document, str | dict):
            raise CorpusError(
                f"{name!r} is neither text nor an object of words and counts. Name another key "
                "with --text.",
                where=where,
                line=line,
            )
        yield Item(position if id is None else record[id], document, line)


def _table_items(
    source: BinaryIO, where: Where, reading: ReadOptions, delimiter: str
) -> Iterator[Item]:
    physical = (line for _, line in lines_in(source, where, reading, keep_ends=True))
    records = delimited(physical, where, delimiter, reading.max_line)
    _, header = next(records, (1, []))
    name, id = _text_and_id(header, where, reading, 1, "column")
    for position, (line, cells) in enumerate(records):
        cell = dict(zip(header, cells, strict=True))
        yield Item(position if id is None else cell[id], cell[name], line)


def _text_and_id(
    names: Collection[str], where: Where, reading: ReadOptions, line: int, kind: Any
) -> tuple[str, str | None]:
    """The names of both fields; the id is optional unless `reading` names it."""
    fields = fields_among(names, reading)
    absent = {} if fields.text is not None else {"--text": reading.text or "text"}
    if reading.id and fields.id is None:
        absent["--id"] = reading.id
    if absent or fields.text is None:
        raise no_such_field(where, absent, names, kind, line)
    return fields.text, fields.id
