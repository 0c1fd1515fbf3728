"""Tables of documents: CSV, TSV and JSON lines, one record per document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

from laconic.corpus.io.encodings import Decoder
from laconic.corpus.io.streams import bytes_read, decode_lines, open_bytes
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.delimited import read_delimited
from laconic.corpus.readers.fields import (
    FieldNames,
    FieldValues,
    column_positions,
    match_fields,
    missing_field_error,
    missing_fields,
)
from laconic.corpus.readers.json_lines import read_objects
from laconic.corpus.readers.records import FileRecord, FileSummary

# Sets of keys whose fields are remembered: most documents of a file have the same.
MATCHES = 64


def csv_records(summary: FileSummary, options: ReadOptions) -> Iterator[FileRecord]:
    """A table whose first line names the columns.

    The delimiter is a comma, unless the first line has semicolons, tabs or bars instead.
    """
    return _table_records(summary, options, ",")


def tsv_records(summary: FileSummary, options: ReadOptions) -> Iterator[FileRecord]:
    """As `csv_records`, with tabs by default. Quotes have the same meaning as in CSV."""
    return _table_records(summary, options, "\t")


def json_records(summary: FileSummary, options: ReadOptions) -> Iterator[FileRecord]:
    """One object per line: text, label or labels (a string, a number or a list), id, split.

    An empty list is a document of no class; an absent key or null is a missing label.
    """
    where = summary.where
    numbered = _numbered_lines(summary, options)
    match = lru_cache(MATCHES)(partial(_matched, options=options))
    for line, document in read_objects(numbered, where, '{"text": "…", "label": "…"}'):
        fields, missing, labelled = match(tuple(document))
        if labelled:
            summary.labelled = True
        elif summary.without_label is None:
            summary.without_label = line, list(document)
        if missing:
            raise missing_field_error(where, missing, document, "key", line)
        # of a field that is absent, the name is None, which is no key
        value: Callable[[str | None], Any] = document.get  # type: ignore[assignment]
        labels = [value(label) for label in fields.labels]
        values = FieldValues(value(fields.text), labels, *map(value, fields[2:]))
        yield FileRecord(values, line)


def _matched(
    keys: tuple[str, ...], options: ReadOptions
) -> tuple[FieldNames, dict[str, str], bool]:
    """The fields among the keys, those that are missing, and whether there is a label."""
    fields = match_fields(keys, options)
    missing = missing_fields(fields, options)
    return fields, missing, missing.pop("--label", None) is None


def _table_records(
    summary: FileSummary, options: ReadOptions, delimiter: str
) -> Iterator[FileRecord]:
    where = summary.where
    lines = (line for _, line in _numbered_lines(summary, options, keep_ends=True))
    numbered = read_delimited(lines, where, delimiter, options.max_line)
    _, header = next(numbered, (1, []))
    positions = column_positions(header, where, options)
    summary.labelled = True
    for line, cells in numbered:
        values = positions.record(cells)
        labels = [cells[at].strip() for at in positions.labels]
        yield FileRecord(values._replace(labels=labels), line)


def _numbered_lines(
    summary: FileSummary, options: ReadOptions, *, keep_ends: bool = False
) -> Iterator[tuple[int, str]]:
    where = summary.where
    decoder = Decoder(where, options)
    with open_bytes(where, options) as stream:
        yield from decode_lines(stream, where, options, keep_ends=keep_ends, decoder=decoder)
        summary.n_bytes = bytes_read(stream)
    summary.encoding, summary.n_replaced = decoder.encoding, decoder.replaced
