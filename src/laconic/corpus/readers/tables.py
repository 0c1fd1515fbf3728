"""Tables of documents: CSV, TSV and JSON lines, one record per document."""

from __future__ import annotations

from typing import Any

from laconic.corpus.corpus import Corpus
from laconic.corpus.io.limits import Where
from laconic.corpus.io.streams import read_lines
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.delimited import read_delimited
from laconic.corpus.readers.fields import (
    Record,
    RecordBuilder,
    column_positions,
    match_fields,
    missing_field_error,
    missing_fields,
)
from laconic.corpus.readers.json_lines import read_objects


def read_csv(where: Where, options: ReadOptions) -> Corpus:
    """A table whose first line names the columns.

    The delimiter is a comma, unless the first line has semicolons, tabs or bars instead.
    """
    return _read_table(where, options, ",")


def read_tsv(where: Where, options: ReadOptions) -> Corpus:
    """As `read_csv`, with tabs by default. Quotes have the same meaning as in CSV."""
    return _read_table(where, options, "\t")


def read_jsonl(where: Where, options: ReadOptions) -> Corpus:
    """One object per line: text, label or labels (a string, a number or a list), id, split.

    An empty list is a document of no class; an absent key or null is a missing label.
    """
    records = RecordBuilder(where, options)
    labelled = False
    unlabelled: tuple[int, dict[str, Any]] | None = None
    numbered = read_lines(where, options, notes=records.notes)
    for line, document in read_objects(numbered, where, '{"text": "…", "label": "…"}'):
        fields = match_fields(document, options)
        missing = missing_fields(fields, options)
        if missing.pop("--label", None) is None:
            labelled = True
        elif unlabelled is None:
            unlabelled = line, document
        if missing:
            raise missing_field_error(where, missing, document, "key", line)
        optional = (fields.id, fields.split, fields.group, fields.time)
        record = Record(
            _value(document, fields.text),
            [_value(document, label) for label in fields.labels],
            *(_value(document, key) for key in optional),
        )
        records.add(record, line=line)
    if unlabelled is not None and not labelled:
        missing = {"--label": options.label[0] if options.label else "label"}
        raise missing_field_error(where, missing, unlabelled[1], "key", unlabelled[0])
    return records.corpus()


def _read_table(where: Where, options: ReadOptions, delimiter: str) -> Corpus:
    records = RecordBuilder(where, options)
    lines = (line for _, line in read_lines(where, options, keep_ends=True, notes=records.notes))
    numbered = read_delimited(lines, where, delimiter, options.max_line)
    _, header = next(numbered, (1, []))
    positions = column_positions(header, where, options)
    for line, cells in numbered:
        record = positions.record(cells)
        labels = [cells[at].strip() for at in positions.labels]
        records.add(record._replace(labels=labels), line=line)
    return records.corpus()


def _value(document: dict[str, Any], key: str | None) -> Any:
    return None if key is None else document.get(key)
