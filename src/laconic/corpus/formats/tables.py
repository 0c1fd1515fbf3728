"""Tables of documents: CSV, TSV and JSON lines, one record per document."""

from __future__ import annotations

from typing import Any

from laconic.corpus.corpus import Corpus
from laconic.corpus.formats.delimited import delimited
from laconic.corpus.formats.guarding import Where
from laconic.corpus.formats.json_lines import objects
from laconic.corpus.formats.opening import lines
from laconic.corpus.formats.records import (
    Records,
    absences,
    fields_among,
    no_such_field,
    positions,
)
from laconic.corpus.options import ReadOptions


def read_csv(where: Where, reading: ReadOptions) -> Corpus:
    """A table whose first line names the columns.

    The delimiter is a comma, unless the first line has none but has semicolons, tabs or bars.
    """
    return _read_delimited(where, reading, ",")


def read_tsv(where: Where, reading: ReadOptions) -> Corpus:
    """The same, with tabs unless the first line has none. Quotes mean what they mean in CSV."""
    return _read_delimited(where, reading, "\t")


def read_jsonl(where: Where, reading: ReadOptions) -> Corpus:
    """An object a line: text, label or labels (a string, a number or a list), id, split.

    An empty list is a document of no class; a key that is absent or null is a missing label.
    """
    records = Records(where, reading)
    labelled = False
    absent: tuple[int, dict[str, Any]] | None = None
    numbered = lines(where, reading, notes=records.notes)
    for line, document in objects(numbered, where, '{"text": "…", "label": "…"}'):
        fields = fields_among(document, reading)
        lacking = absences(fields, reading)
        if lacking.pop("--label", None) is None:
            labelled = True
        elif absent is None:
            absent = line, document
        if lacking:
            raise no_such_field(where, lacking, document, "key", line)
        records.add(
            _value(document, fields.text),
            [_value(document, label) for label in fields.labels],
            _value(document, fields.id),
            _value(document, fields.split),
            line=line,
        )
    if absent is not None and not labelled:
        asked = {"--label": reading.label[0] if reading.label else "label"}
        raise no_such_field(where, asked, absent[1], "key", absent[0])
    return records.corpus()


def _read_delimited(where: Where, reading: ReadOptions, usual: str) -> Corpus:
    records = Records(where, reading)
    physical = (line for _, line in lines(where, reading, keep_ends=True, notes=records.notes))
    numbered = delimited(physical, where, usual, reading.max_line)
    _, header = next(numbered, (1, []))
    text, labels, id, split = positions(header, where, reading)
    for line, cells in numbered:
        records.add(
            cells[text],
            [cells[label].strip() for label in labels],
            None if id is None else cells[id],
            None if split is None else cells[split],
            line=line,
        )
    return records.corpus()


def _value(document: dict[str, Any], key: str | None) -> Any:
    return None if key is None else document.get(key)
