"""Parquet: a table with the columns of a CSV file, read by pyarrow, in batches.

A few bytes of Parquet can stand for gigabytes: pages are compressed, a value of a dictionary is
written once and used in every row, and a run of equal rows is written as a count. So the file's
own account of its pages is examined first, strings stay in their dictionaries, and the bytes of a
batch are counted before they become Python's strings.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import fspath
from typing import Any

from laconic.corpus.corpus import Corpus
from laconic.corpus.formats.guarding import Where, refuse_bomb, too_big
from laconic.corpus.formats.opening import open_bytes
from laconic.corpus.formats.parquet_pages import chunks, mapped, pages
from laconic.corpus.formats.records import Records, positions
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

BATCH = 256
# What a value takes in memory at least, however few bits it has in the file.
VALUE_BYTES = 8
# pyarrow can keep strings in their dictionary if they are in no other encoding than these: plain,
# by dictionary (two of them), by runs, by bits.
KEPT = {0, 2, 8, 3, 4}
# In this one (delta byte array) a value repeats the beginning of the value before, so that each can
# be as long as all of them together: such values are read one by one.
REPEATING = 7


def read_parquet(where: Where, reading: ReadOptions) -> Corpus:
    """A Parquet file with the columns of a CSV file; labels may be lists. Needs pyarrow."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as problem:
        raise CorpusError(
            'Parquet files are read by pyarrow, which is not here: pip install "laconic[parquet]".',
            where=where,
        ) from problem
    with open_bytes(where, reading):
        pass
    records = Records(where, reading)
    columns, strings = _columns(where)
    text, labels, id, split = positions(columns, where, reading)
    used = [at for at in (text, *labels, id, split) if at is not None]
    for number, row in _rows(where, reading, [columns[at] for at in used], strings):
        value = dict(zip(used, row, strict=True))
        records.add(
            value[text],
            [value[label] for label in labels],
            None if id is None else value[id],
            None if split is None else value[split],
            place=f"document {number:,}: ",
        )
    return records.corpus()


@contextmanager
def _opened(where: Where, strings: list[str] | None = None) -> Iterator[Any]:
    """The file, with these columns in dictionaries; all that pyarrow says against it is damage."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(fspath(where), pre_buffer=False, read_dictionary=strings) as file:
            yield file
    except CorpusError:
        raise
    # Python's own errors are about values that it cannot hold, such as dates before the year 1
    except (ArrowException, ArithmeticError, LookupError, OSError, ValueError) as problem:
        raise CorpusError(
            f"is no Parquet file, or a damaged one ({problem}). Fetch or write it again.",
            where=where,
        ) from problem


def _columns(where: Where) -> tuple[list[str], list[str]]:
    """The names of the columns, and the paths of the strings that can stay in dictionaries."""
    with _opened(where) as file:
        leaves = [file.schema.column(at) for at in range(len(file.schema.names))]
        strings = {leaf.path for leaf in leaves if leaf.logical_type.type in ("STRING", "NONE")}
        with mapped(where) as data:
            others = {chunk.path for chunk in chunks(data) if chunk.encodings - KEPT}
        return list(file.schema_arrow.names), sorted(strings - others)


def _rows(
    where: Where, reading: ReadOptions, names: list[str], strings: list[str]
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Numbered rows, each with the values of these columns."""
    packed = os.path.getsize(where)
    done = unpacked = 0
    with _opened(where, strings) as file:
        _refuse_nested(file.schema_arrow, names, where)
        size = _rows_at_once(names, packed, where, reading)
        for batch in file.iter_batches(size, columns=names):
            columns = [batch.column(name) for name in names]
            unpacked += sum(map(_n_bytes, columns))
            _refuse_expansion(unpacked, packed, where, reading)
            for row in zip(*map(_values, columns), strict=True):
                done += 1
                yield done, row
            if reading.progress is not None:
                reading.progress(done, file.metadata.num_rows)


def _refuse_nested(schema: Any, names: Sequence[str], where: Where) -> None:
    from pyarrow.types import is_nested

    for name in names:
        kind = schema.field(name).type
        if is_nested(kind) and (not _is_list(kind) or is_nested(kind.value_type)):
            raise CorpusError(
                f"the column {name!r} has values of type {str(kind)[:40]}, but texts, numbers or "
                "lists of them were expected. Name other columns with --text, --label and --id.",
                where=where,
            )


def _refuse_expansion(unpacked: int, packed: int, where: Where, reading: ReadOptions) -> None:
    if unpacked > reading.max_bytes:
        raise too_big(where, reading.max_bytes)
    refuse_bomb(unpacked, packed, where)


def _rows_at_once(names: Sequence[str], packed: int, where: Where, reading: ReadOptions) -> int:
    """The rows of a batch, after adding up what the pages of these columns unpack to."""
    size, promised = BATCH, 0
    with mapped(where) as data:
        for chunk in chunks(data):
            if chunk.path.partition(".")[0] not in names:
                continue
            size = 1 if REPEATING in chunk.encodings else size
            for n_bytes, n_values in pages(data, chunk):
                promised += n_bytes + VALUE_BYTES * n_values
                _refuse_expansion(promised, packed, where, reading)
    return size


def _is_list(kind: Any) -> bool:
    from pyarrow.types import is_fixed_size_list, is_large_list, is_list

    return bool(is_list(kind) or is_large_list(kind) or is_fixed_size_list(kind))


def _n_bytes(column: Any) -> int:
    """The bytes of the values, each counted as often as it occurs."""
    import pyarrow.compute as pc
    from pyarrow.types import is_dictionary, is_primitive

    overhead = VALUE_BYTES * len(column)
    if _is_list(column.type):
        return overhead + _n_bytes(column.flatten())
    if not is_dictionary(column.type) or is_primitive(column.type.value_type):
        return overhead + int(column.nbytes)
    lengths = pc.take(pc.binary_length(column.dictionary), column.indices)
    return overhead + int(pc.sum(lengths).as_py() or 0)


def _values(column: Any) -> list[Any]:
    """Python's values; equal strings of a batch are one string."""
    from pyarrow.types import is_dictionary

    if not is_dictionary(column.type):
        return list(column.to_pylist())
    used = column.indices.unique()
    strings = dict(zip(used.to_pylist(), column.dictionary.take(used).to_pylist(), strict=True))
    return [strings[at] for at in column.indices.to_pylist()]
