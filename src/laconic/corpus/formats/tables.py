"""Tables of documents: CSV, TSV, JSON lines and Parquet, one record a document."""

from __future__ import annotations

from os import fspath
from typing import Any

from laconic.corpus.corpus import Corpus
from laconic.corpus.formats.delimited import delimited
from laconic.corpus.formats.gathering import Reading
from laconic.corpus.formats.guarding import Where, too_big
from laconic.corpus.formats.json_lines import objects
from laconic.corpus.formats.opening import lines, open_bytes
from laconic.corpus.formats.records import (
    Records,
    absences,
    fields_among,
    no_such_field,
)
from laconic.errors import CorpusError

BATCH = 256


def read_csv(where: Where, reading: Reading) -> Corpus:
    """A table whose first line names the columns.

    The delimiter is a comma, unless the first line has none but has semicolons, tabs or bars.
    """
    return _read_delimited(where, reading, ",")


def read_tsv(where: Where, reading: Reading) -> Corpus:
    """The same, with tabs unless the first line has none. Quotes mean what they mean in CSV."""
    return _read_delimited(where, reading, "\t")


def read_jsonl(where: Where, reading: Reading) -> Corpus:
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


def read_parquet(where: Where, reading: Reading) -> Corpus:
    """A Parquet file with the columns of a CSV file; labels may be lists. Needs pyarrow."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile
    except ImportError as problem:
        raise CorpusError(
            'Parquet files are read by pyarrow, which is not here: pip install "laconic[parquet]".',
            where=where,
        ) from problem
    with open_bytes(where, reading):
        pass
    records = Records(where, reading)
    try:
        with ParquetFile(fspath(where)) as file:
            _add_batches(file, records)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        raise CorpusError(
            f"is no Parquet file, or a damaged one ({problem}). Fetch or write it again.",
            where=where,
        ) from problem
    return records.corpus()


def _read_delimited(where: Where, reading: Reading, usual: str) -> Corpus:
    records = Records(where, reading)
    physical = (line for _, line in lines(where, reading, keep_ends=True, notes=records.notes))
    numbered = delimited(physical, where, usual, reading.max_line)
    _, header = next(numbered, (1, []))
    text, labels, id, split = _positions(header, where, reading)
    for line, cells in numbered:
        records.add(
            cells[text],
            [cells[label].strip() for label in labels],
            None if id is None else cells[id],
            None if split is None else cells[split],
            line=line,
        )
    return records.corpus()


def _positions(
    columns: list[str], where: Where, reading: Reading
) -> tuple[int, list[int], int | None, int | None]:
    fields = fields_among(columns, reading)
    if absent := absences(fields, reading):
        raise no_such_field(where, absent, columns, "column", 1)
    used = [name for name in (fields.text, *fields.labels, fields.id, fields.split) if name]
    for name in used:
        if columns.count(name) > 1:
            raise CorpusError(
                f"two columns are called {name!r}. Give each column its own name.",
                where=where,
                line=1,
            )
    at = {name: position for position, name in enumerate(columns)}
    text, *labels = [at[name] for name in used[: 1 + len(fields.labels)]]
    id, split = (None if name is None else at[name] for name in (fields.id, fields.split))
    return text, labels, id, split


def _value(document: dict[str, Any], key: str | None) -> Any:
    return None if key is None else document.get(key)


def _add_batches(file: Any, records: Records) -> None:
    where, reading = records.where, records.reading
    columns = file.schema_arrow.names
    text, labels, id, split = _positions(columns, where, reading)
    used = [columns[at] for at in (text, *labels, id, split) if at is not None]
    done = unpacked = 0
    for batch in file.iter_batches(BATCH, columns=used):
        column = {name: batch.column(name).to_pylist() for name in used}
        unpacked += batch.nbytes
        if unpacked > reading.max_bytes:
            raise too_big(where, reading.max_bytes)
        for i in range(batch.num_rows):
            done += 1
            records.add(
                column[columns[text]][i],
                [column[columns[label]][i] for label in labels],
                None if id is None else column[columns[id]][i],
                None if split is None else column[columns[split]][i],
                place=f"document {done:,}: ",
            )
        if reading.progress is not None:
            reading.progress(done, file.metadata.num_rows)
