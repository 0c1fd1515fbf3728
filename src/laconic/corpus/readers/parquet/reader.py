"""Parquet: a table with the columns of a CSV file, read by pyarrow in batches.

A few bytes of Parquet can expand to gigabytes: pages are compressed, a dictionary value is stored
once and used in every row, and a run of equal rows is stored as a count. So the page sizes that the
file declares are checked first, strings stay dictionary-encoded, and the bytes of a batch are
counted before they become Python strings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import fspath
from pathlib import Path
from shutil import copyfileobj
from typing import Any

from laconic.corpus.io.addresses import open_address, scheme_of, size_of
from laconic.corpus.io.limits import Where, check_expansion, too_large_error
from laconic.corpus.io.streams import open_bytes
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.fields import column_positions
from laconic.corpus.readers.parquet.pages import map_file, read_chunks, read_page_sizes
from laconic.corpus.readers.records import FileRecord, FileSummary
from laconic.errors import CorpusError, unwritable
from laconic.scratch import OTHER_FOLDER, ScratchFolder

BATCH = 256
# The least memory that a value takes, however few bits it has in the file.
VALUE_BYTES = 8
# pyarrow can keep strings dictionary-encoded if they have only these encodings: plain, dictionary
# (two codes), run-length, bit-packed.
DICTIONARY_ENCODINGS = {0, 2, 8, 3, 4}
# In this encoding a value repeats the beginning of the previous one, so each can be as long as all
# together: such values are read one by one.
DELTA_BYTE_ARRAY = 7


def parquet_records(summary: FileSummary, options: ReadOptions) -> Iterator[FileRecord]:
    """A Parquet file with the columns of a CSV file; labels may be lists. Needs pyarrow."""
    where = summary.where
    with _table(where, options) as table:
        columns, strings = table.columns()
        positions = column_positions(columns, where, options)
        summary.labelled = True
        used = positions.used
        names = [columns[at] for at in used]
        for number, row in table.rows(names, strings, options, summary):
            values = positions.record(dict(zip(used, row, strict=True)))
            yield FileRecord(values, place=f"document {number:,}: ")


def parquet_texts(
    where: Where,
    options: ReadOptions,
    fields: Callable[[Collection[str]], tuple[str, str | None]],
) -> Iterator[tuple[int, Any, Any]]:
    """Number, text and id of each document, by the names of two columns; the id may be missing."""
    with _table(where, options) as table:
        columns, strings = table.columns()
        text, id = fields(columns)
        names = list(dict.fromkeys([text, id or text]))
        for number, row in table.rows(names, strings, options, FileSummary(fspath(where))):
            yield number, row[0], None if id is None else row[-1]


@contextmanager
def _table(where: Where, options: ReadOptions) -> Iterator[_Table]:
    try:
        import pyarrow  # noqa: F401
    except ImportError as problem:
        raise CorpusError(
            'Parquet files need pyarrow, which is not installed: pip install "laconic[parquet]".',
            where=where,
        ) from problem
    with open_bytes(where, options):
        pass
    with _file_here(where, options) as file:
        yield _Table(where, file)


@contextmanager
def _file_here(where: Where, options: ReadOptions) -> Iterator[Where]:
    """The file, or a temporary copy of one at an address: its pages are read twice."""
    if scheme_of(where) is None:
        yield where
        return
    if size_of(where) > options.max_input_bytes:
        raise too_large_error(where, options.max_input_bytes)
    scratch = ScratchFolder()
    try:
        copy = scratch.path / "table.parquet"
        _download(where, copy)
        yield copy
    finally:
        scratch.close()


def _download(where: Where, copy: Path) -> None:
    try:
        with open_address(where)[0] as stream, open(copy, "wb") as file:
            copyfileobj(stream, file)
    except OSError as failure:
        raise unwritable(
            failure,
            f"{fspath(where)}: cannot be copied to {copy} ({failure}). Check the connection, free "
            f"space there, or {OTHER_FOLDER}",
        ) from failure


@dataclass(frozen=True)
class _Table:
    """The table in a file; `where` names it in messages."""

    where: Where
    file: Where

    @contextmanager
    def opened(self, strings: list[str] | None = None) -> Iterator[Any]:
        """The file, with these columns dictionary-encoded; errors of pyarrow: `CorpusError`."""
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

        try:
            with ParquetFile(fspath(self.file), pre_buffer=False, read_dictionary=strings) as file:
                yield file
        except CorpusError:
            raise
        # Python's own errors concern values that it cannot represent: dates before the year 1
        except (ArrowException, ArithmeticError, LookupError, OSError, ValueError) as problem:
            raise CorpusError(
                f"is not a Parquet file, or is damaged ({problem}). Download or write it again.",
                where=self.where,
            ) from problem

    def columns(self) -> tuple[list[str], list[str]]:
        """The names of the columns, and the paths of strings that can stay dictionary-encoded."""
        with self.opened() as file:
            leaves = [file.schema.column(at) for at in range(len(file.schema.names))]
            strings = {leaf.path for leaf in leaves if leaf.logical_type.type in ("STRING", "NONE")}
            with map_file(self.file) as data:
                chunks = list(read_chunks(data))
            decoded = {chunk.path for chunk in chunks if chunk.encodings - DICTIONARY_ENCODINGS}
            return list(file.schema_arrow.names), sorted(strings - decoded)

    def rows(
        self, names: list[str], strings: list[str], options: ReadOptions, summary: FileSummary
    ) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Rows with their numbers, from 1; each has the values of these columns."""
        packed = os.path.getsize(self.file)
        done = 0
        with self.opened(strings) as file:
            _check_types(file.schema_arrow, names, self.where)
            size = self._batch_size(names, packed, options)
            for batch in file.iter_batches(size, columns=names):
                columns = [batch.column(name) for name in names]
                summary.n_bytes += sum(map(_n_bytes, columns))
                _check_bytes(summary.n_bytes, packed, self.where, options)
                for row in zip(*map(_values, columns), strict=True):
                    done += 1
                    yield done, row
                if options.progress is not None:
                    options.progress(packed * done // file.metadata.num_rows, packed)

    def _batch_size(self, names: Sequence[str], packed: int, options: ReadOptions) -> int:
        """The rows per batch, after a check of the declared page sizes of these columns."""
        size, declared = BATCH, 0
        with map_file(self.file) as data:
            for chunk in read_chunks(data):
                if chunk.path.partition(".")[0] not in names:
                    continue
                size = 1 if DELTA_BYTE_ARRAY in chunk.encodings else size
                for n_bytes, n_values in read_page_sizes(data, chunk):
                    declared += n_bytes + VALUE_BYTES * n_values
                    _check_bytes(declared, packed, self.where, options)
        return size


def _check_types(schema: Any, names: Sequence[str], where: Where) -> None:
    from pyarrow.types import is_nested

    for name in names:
        kind = schema.field(name).type
        if is_nested(kind) and (not _is_list(kind) or is_nested(kind.value_type)):
            raise CorpusError(
                f"expected texts, numbers or lists of them in the column {name!r}, but found type "
                f"{str(kind)[:40]}. Name other columns with --text, --label and --id.",
                where=where,
            )


def _check_bytes(unpacked: int, packed: int, where: Where, options: ReadOptions) -> None:
    if unpacked > options.max_input_bytes:
        raise too_large_error(where, options.max_input_bytes)
    check_expansion(unpacked, packed, where)


def _is_list(kind: Any) -> bool:
    from pyarrow.types import is_fixed_size_list, is_large_list, is_list

    return bool(is_list(kind) or is_large_list(kind) or is_fixed_size_list(kind))


def _n_bytes(column: Any) -> int:
    """The bytes of the values, counting repeated ones."""
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
    """The values as Python objects; equal strings of a batch are one object."""
    from pyarrow.types import is_dictionary

    if not is_dictionary(column.type):
        return list(column.to_pylist())
    used = column.indices.unique()
    strings = dict(zip(used.to_pylist(), column.dictionary.take(used).to_pylist(), strict=True))
    return [strings[at] for at in column.indices.to_pylist()]
