"""Documents one at a time, without labels, for prediction.

JSON lines, CSV, TSV, or plain text with one document per line, from a file or a pipe; or a Parquet
file. In little memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from os import fspath
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, get_args

from laconic.corpus.io.limits import Where
from laconic.corpus.io.streams import decode_lines, open_bytes
from laconic.corpus.options import ReadOptions, StreamFormat
from laconic.corpus.readers.delimited import read_delimited
from laconic.corpus.readers.fields import match_fields, missing_field_error
from laconic.corpus.readers.json_lines import read_objects
from laconic.corpus.readers.names import mixed_formats_error, uncompressed_name
from laconic.corpus.readers.parquet.reader import parquet_texts
from laconic.errors import CorpusError

STDIN = "-"
SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "txt",
    ".parquet": "parquet",
    ".pq": "parquet",
}
STREAMED = get_args(StreamFormat)


class Item(NamedTuple):
    """A document: its text (in JSON also an object of word counts), and its id or position."""

    id: Any
    document: Any
    line: int


def stream(where: Where, options: ReadOptions) -> Iterator[Item]:
    """The documents of a file, or of standard input for "-".

    The default format is that of the suffix; without one, lines that begin with { are JSON, and
    other lines are documents.
    """
    if options.format is not None and options.format not in STREAMED:
        raise CorpusError(
            f"format {options.format!r} cannot be read document by document. Choose from "
            f"{', '.join(STREAMED)}.",
            where=where,
        )
    place = "/dev/stdin" if fspath(where) == STDIN else where
    if (options.format or _by_name(place)) == "parquet":
        yield from _parquet_items(where, options)
        return
    with open_bytes(place, options) as source:
        kind = options.format or _kind(place, source)
        if kind == "txt":
            for line, text in decode_lines(source, place, options):
                yield Item(line - 1, text, line)
        elif kind == "jsonl":
            yield from _json_items(source, place, options)
        else:
            yield from _table_items(source, place, options, "\t" if kind == "tsv" else ",")


def check_formats(folder: Where, files: Sequence[str]) -> None:
    """Raise if the names of a folder's files do not say that all have one format."""
    kinds = {Path(file).name: _by_name(file) for file in files}
    known = next((name for name, kind in kinds.items() if kind is not None), None)
    if known is None:
        raise CorpusError(
            f"the names of its files, such as {next(iter(kinds))}, do not say their format. Give "
            f"it with --format: {', '.join(STREAMED)}.",
            where=folder,
        )
    other = next((name for name, kind in kinds.items() if kind != kinds[known]), None)
    if other is not None:
        raise mixed_formats_error(folder, known, other)


def _by_name(where: Where) -> str | None:
    name = uncompressed_name(where).lower()
    return next((kind for suffix, kind in SUFFIXES.items() if name.endswith(suffix)), None)


def _kind(where: Where, source: BinaryIO) -> str:
    if kind := _by_name(where):
        return kind
    start: bytes = source.peek(1)  # type: ignore[attr-defined]  # it is buffered
    return "jsonl" if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "txt"


def _json_items(source: BinaryIO, where: Where, options: ReadOptions) -> Iterator[Item]:
    numbered = read_objects(decode_lines(source, where, options), where, '{"text": "…"}')
    for position, (line, record) in enumerate(numbered):
        name, id = _text_and_id(record, where, options, line, "key")
        document = record[name]
        if not isinstance(document, str | dict):
            raise CorpusError(
                f"{name!r} is neither a text nor an object of words and counts. Name another key "
                "with --text.",
                where=where,
                line=line,
            )
        yield Item(position if id is None else record[id], document, line)


def _table_items(
    source: BinaryIO, where: Where, options: ReadOptions, delimiter: str
) -> Iterator[Item]:
    lines = (line for _, line in decode_lines(source, where, options, keep_ends=True))
    records = read_delimited(lines, where, delimiter, options.max_line)
    _, header = next(records, (1, []))
    name, id = _text_and_id(header, where, options, 1, "column")
    for position, (line, cells) in enumerate(records):
        cell = dict(zip(header, cells, strict=True))
        yield Item(position if id is None else cell[id], cell[name], line)


def _parquet_items(where: Where, options: ReadOptions) -> Iterator[Item]:
    if fspath(where) == STDIN:
        raise CorpusError("Parquet is not read from standard input: name a file.", where=where)
    fields = partial(_text_and_id, where=where, options=options, line=None, kind="column")
    for number, text, id in parquet_texts(where, options, fields):
        if not isinstance(text, str):
            raise CorpusError(
                f"document {number:,}: the text is not a string. Name another column with --text.",
                where=where,
            )
        yield Item(number - 1 if id is None else id, text, number)


def _text_and_id(
    names: Collection[str], where: Where, options: ReadOptions, line: int | None, kind: Any
) -> tuple[str, str | None]:
    """The names of both fields; the id field is optional unless `options.id` names it."""
    fields = match_fields(names, options)
    missing = {} if fields.text is not None else {"--text": options.text or "text"}
    if options.id and fields.id is None:
        missing["--id"] = options.id
    if missing or fields.text is None:
        raise missing_field_error(where, missing, names, kind, line)
    return fields.text, fields.id
