"""Records of one file, or of many files that are one corpus: the shards are read in their order.

Several processes can read them. Each writes the texts of a shard to a temporary file, and returns
the other fields; the corpus is made from these as if one process had read them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from os import fspath
from pathlib import Path
from typing import Any, NamedTuple

from laconic.corpus.builder import amount
from laconic.corpus.corpus import Corpus
from laconic.corpus.io.addresses import OF_THIS_PROCESS, scheme_of, size_of
from laconic.corpus.io.limits import Where
from laconic.corpus.io.streams import EmptyFileError
from laconic.corpus.options import MIB, ReadOptions
from laconic.corpus.readers.fields import FieldValues
from laconic.corpus.readers.names import stem
from laconic.corpus.readers.parquet.reader import parquet_records
from laconic.corpus.readers.records import FileRecord, FileSummary, RecordBuilder, check_text
from laconic.corpus.readers.tables import csv_records, json_records, tsv_records
from laconic.corpus.stored_texts import TextStore
from laconic.errors import CorpusError
from laconic.processes import LocalProcesses, report

RECORD_READERS: dict[str, Callable[[FileSummary, ReadOptions], Iterator[FileRecord]]] = {
    "csv": csv_records,
    "tsv": tsv_records,
    "jsonl": json_records,
    "parquet": parquet_records,
}
# Fewer bytes are read before another process has started.
WORTH_PROCESSES = 32 * MIB


class ShardContents(NamedTuple):
    """The documents of a shard: their fields without the texts, as columns, and the texts.

    Columns are pickled much faster than records. With a failure, they are those before it.
    """

    columns: list[tuple[Any, ...]]
    texts: Sequence[str]
    summary: FileSummary
    failure: CorpusError | None = None

    def records(self) -> Iterator[FileRecord]:
        for *values, line, place in zip(*self.columns, strict=True):
            yield FileRecord(FieldValues("", *values), line, place)


@dataclass(frozen=True)
class ShardReader:
    """Reads a shard in any process, and writes its texts to a file of the folder."""

    format: str
    options: ReadOptions
    folder: Path

    def __call__(self, numbered: tuple[int, str]) -> ShardContents | EmptyFileError:
        number, where = numbered
        options = replace(self.options, progress=lambda done, _: report((number, done)))
        summary = FileSummary(where)
        store = TextStore(in_memory=-1, file=self.folder / f"shard-{number:05}.texts")
        rows: list[tuple[Any, ...]] = []
        shared: dict[tuple[object, ...], tuple[object, ...]] = {}
        failure: CorpusError | None = None
        try:
            for record in RECORD_READERS[self.format](summary, options):
                check_text(record, where)
                store.append(str(record.values.text))
                labels = _shared_labels(record.values.labels, shared)
                rows.append((labels, *record.values[2:], record.line, record.place))
        except EmptyFileError as problem:
            return problem
        except CorpusError as problem:
            failure = problem
        columns = list(zip(*rows, strict=True))
        return ShardContents(columns, store.texts() if rows else (), summary, failure)


def _shared_labels(
    labels: Sequence[object], shared: dict[tuple[object, ...], tuple[object, ...]]
) -> tuple[object, ...]:
    """The labels; those that are equal become one object."""
    values = tuple(labels)
    return shared.setdefault(values, values) if all(type(v) is str for v in values) else values


class ShardProgress:
    """Reports the bytes that are read of all shards."""

    def __init__(self, progress: Callable[[int, int], None] | None, sizes: Sequence[int]) -> None:
        self._progress, self._total = progress, sum(sizes)
        self._done = [0] * len(sizes)
        self._sum = 0

    def of(self, number: int) -> Callable[[int, int], None]:
        """What the reader of this shard calls."""
        return lambda done, _: self((number, done))

    def __call__(self, message: tuple[int, int]) -> None:
        number, done = message
        self._sum += done - self._done[number]
        self._done[number] = done
        if self._progress is not None:
            self._progress(self._sum, self._total)


def read_shards(
    files: Sequence[str], format: str, options: ReadOptions, *, where: Where, name: str
) -> Corpus:
    """One corpus of the records in all files, in this order; `where` names them together."""
    records = RecordBuilder(where, options)
    try:
        empty = [problem for problem in _add_shards(records, files, format, options) if problem]
        if len(empty) == len(files):
            raise empty[0]
        if empty:
            number = amount(len(empty), "file is empty", "files are empty")
            records.notes.append(f"{number}, such as {empty[0].where}")
        return records.corpus(name)
    except BaseException:
        records.close()
        raise


def _add_shards(
    records: RecordBuilder, files: Sequence[str], format: str, options: ReadOptions
) -> Iterator[EmptyFileError | None]:
    """Add the documents of all files; yields an error for each that is empty."""
    if len(files) == 1:
        yield _add_file(records, files[0], format, options)
        return
    sizes = [size_of(file) for file in files]
    progress = ShardProgress(options.progress, sizes)
    here = any(scheme_of(file) in OF_THIS_PROCESS for file in files)
    engine = options.engine or LocalProcesses(options.n_jobs)
    several = options.engine is not None or options.n_jobs > 1
    if several and not here and sum(sizes) >= WORTH_PROCESSES:
        there = replace(options, progress=None, engine=None)
        read = ShardReader(format, there, records.folder())
        with closing(engine.run(read, enumerate(files), listen=progress)) as results:  # type: ignore[type-var]
            for result in results:
                yield _add_contents(records, result)
        return
    for number, file in enumerate(files):
        yield _add_file(records, file, format, replace(options, progress=progress.of(number)))


def _add_file(
    records: RecordBuilder, file: str, format: str, options: ReadOptions
) -> EmptyFileError | None:
    summary = FileSummary(file)
    documents: Any = RECORD_READERS[format](summary, options)
    with closing(documents):
        try:
            records.add_file(documents, summary)
        except EmptyFileError as problem:
            return problem
    return None


def _add_contents(
    records: RecordBuilder, contents: ShardContents | EmptyFileError
) -> EmptyFileError | None:
    if isinstance(contents, EmptyFileError):
        return contents
    records.add_stored(contents.records(), contents.summary, contents.texts, contents.failure)
    return None


def _read_file(format: str, where: Where, options: ReadOptions) -> Corpus:
    return read_shards([fspath(where)], format, options, where=where, name=stem(where))


read_csv = partial(_read_file, "csv")
read_tsv = partial(_read_file, "tsv")
read_jsonl = partial(_read_file, "jsonl")
read_parquet = partial(_read_file, "parquet")
