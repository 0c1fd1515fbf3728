"""`RecordBuilder`: from the records of one or several files to a corpus.

A reader of records is a function `(summary: FileSummary, options) -> Iterator[FileRecord]`: it
yields the documents of a file, and notes in the summary what concerns the file as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import fspath
from pathlib import Path
from typing import NamedTuple

from laconic.corpus.builder import CorpusBuilder, amount, validation_note
from laconic.corpus.corpus import TEST, TRAIN, UNUSED, VALIDATION, Corpus
from laconic.corpus.io.encodings import replaced_notes
from laconic.corpus.io.limits import Where, too_large_error
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.fields import MAX_SHOWN, FieldValues, missing_field_error
from laconic.corpus.readers.names import shortened
from laconic.corpus.times import parse_time
from laconic.errors import CorpusError
from laconic.validation import is_number


class FileRecord(NamedTuple):
    """A document of a file. `place` names it in formats without lines."""

    values: FieldValues
    line: int | None = None
    place: str = ""


@dataclass
class FileSummary:
    """What is known of a file once it is read.

    Parameters
    ----------
    where : the file
    n_bytes : its size, after unpacking
    encoding, n_replaced : its encoding, and the lines with bytes that are not valid in it
    labelled : whether any document has the field of the label
    without_label : the line and the fields of the first document that does not have it
    """

    where: str
    n_bytes: int = 0
    encoding: str = ""
    n_replaced: int = 0
    labelled: bool = False
    without_label: tuple[int, list[str]] | None = None


class RecordBuilder:
    """Checks the fields of records and adds the documents to a `CorpusBuilder`.

    `where` names all files together, for messages that concern them all.
    """

    def __init__(self, where: Where, options: ReadOptions) -> None:
        self.where, self.options = fspath(where), options
        multilabel = options.separator is not None or len(options.label) > 1
        self._builder = CorpusBuilder(where, options, multilabel=multilabel or None)
        self.notes = self._builder.notes
        self._have_ids: bool | None = None
        self._in_part = self._unused = 0
        self._first_unused = ""
        self._n_validation = self._ungrouped = 0
        self._kind_of_time = ""
        self._n_bytes = self._n_replaced = 0
        self._labelled = False
        self._without_label: CorpusError | None = None
        self._file, self._file_has_split = self.where, False
        self._have_split: bool | None = None

    def add_file(self, records: Iterable[FileRecord], summary: FileSummary) -> None:
        """Add the documents of a file."""
        self._begin(summary)
        for record in records:
            self._add(record)
        self._end(summary)

    def add_stored(
        self,
        records: Iterable[FileRecord],
        summary: FileSummary,
        texts: Sequence[str],
        failure: CorpusError | None = None,
    ) -> None:
        """Add the documents of a file that another process read; it has stored their texts.

        `failure` ended it after them: an error of the documents comes first, as in one process.
        """
        self._begin(summary)
        added = [at for at, record in enumerate(records) if self._add(record, stored=True)]
        if failure is not None:
            raise failure
        self._builder.add_stored(texts, added)
        self._end(summary)

    def _begin(self, summary: FileSummary) -> None:
        self._file, self._file_has_split = summary.where, False
        self._builder.begin_file(summary.where)

    def _end(self, summary: FileSummary) -> None:
        self._n_bytes += summary.n_bytes
        if self._n_bytes > self.options.max_input_bytes:
            raise too_large_error(self.where, self.options.max_input_bytes)
        if summary.n_replaced:
            self._n_replaced += summary.n_replaced
            self._encoding = summary.encoding
        self._labelled |= summary.labelled
        if summary.without_label is not None and not summary.labelled:
            line, keys = summary.without_label
            missing = {"--label": self.options.label[0] if self.options.label else "label"}
            problem = missing_field_error(self._file, missing, keys, "key", line)
            if self.options.unlabelled == "error":
                raise problem
            self._without_label = self._without_label or problem
        self._check_split()

    def _add(self, document: FileRecord, *, stored: bool = False) -> bool:
        """Whether the document was accepted."""
        record, line, place = document
        check_text(document, self._file)
        if any(isinstance(value, list) and len(value) != 1 for value in record.labels):
            self._builder.multilabel = True
        try:
            names = self._labels(record.labels)
            name = None if record.id is None else _scalar(record.id)
            group = self._group(record.group)
        except TypeError as problem:
            raise self._error(
                f"{place}a label, id or group is {problem}, not a string", line
            ) from None
        self._check_id(name, line, place)
        self._file_has_split |= record.split is not None
        return self._builder.add_text(
            None if stored else str(record.text),
            names,
            id=name,
            split=self._part(record.split),
            group=group,
            time=self._time(record.time, line, place),
            line=line,
        )

    def folder(self) -> Path:
        """A temporary folder for texts, which stays as long as the corpus needs it."""
        return self._builder.folder()

    def close(self) -> None:
        """Remove temporary files; the corpus will not be made."""
        self._builder.close()

    def corpus(self, name: str) -> Corpus:
        if self._without_label is not None and not self._labelled:
            raise self._without_label
        if self._n_replaced:
            self.notes.extend(replaced_notes(self._n_replaced, "line", self._encoding))
        if self._n_validation:
            self.notes.append(validation_note(self._n_validation))
        if self._ungrouped:
            self.notes.append(
                f"{amount(self._ungrouped, 'document has', 'documents have')} no group: each is a "
                "group of its own"
            )
        if self._unused and self._in_part:
            self.notes.append(
                f"{amount(self._unused, 'document is', 'documents are')} in neither train nor "
                f"test (the first: {self._first_unused!r}): unused"
            )
        elif self._unused:
            self.notes.append(
                f"the split has neither train nor test (the first: {self._first_unused!r}): ignored"
            )
        return self._builder.corpus(name)

    def _labels(self, values: Sequence[object]) -> list[str] | None:
        if all(value is None for value in values):
            return None
        return [name for value in values for name in self._names(value)]

    def _names(self, value: object) -> Iterator[str]:
        for item in value if isinstance(value, list) else [value]:
            name = "" if item is None else _scalar(item)
            if self.options.separator:
                yield from filter(None, map(str.strip, name.split(self.options.separator)))
            elif name:
                yield name

    def _part(self, value: object) -> str | None:
        if value is None:
            return None
        part = str(value).strip().lower()
        if part in VALIDATION:
            self._n_validation += 1
            part = TRAIN
        if part in (TRAIN, TEST):
            self._in_part += 1
            return part
        self._unused += 1
        self._first_unused = self._first_unused or str(value)[:MAX_SHOWN]
        return UNUSED

    def _group(self, value: object) -> str | None:
        if self.options.group is None:
            return None
        name = "" if value is None else _scalar(value).strip()
        self._ungrouped += not name
        return name

    def _time(self, value: object, line: int | None, place: str) -> float | None:
        if self.options.time is None:
            return None
        try:
            time, kind = parse_time(value)
        except (ValueError, OverflowError):
            raise CorpusError(
                f"{place}the time {shortened(str(value))} is neither a number nor a date such as "
                "2024-05-31 or 2024-05-31T12:00:00Z. Fix it, or name another column with --time.",
                where=self._file,
                line=line,
            ) from None
        self._kind_of_time = self._kind_of_time or kind
        if kind != self._kind_of_time:
            raise CorpusError(
                f"{place}the time {shortened(str(value))} is a {kind}, but earlier ones are "
                f"{self._kind_of_time}s. Write all times in one form.",
                where=self._file,
                line=line,
            )
        return time

    def _check_id(self, name: str | None, line: int | None, place: str) -> None:
        if self._have_ids is None:
            self._have_ids = name is not None
        if self._have_ids != (name is not None):
            has, had = ("no id", "have one") if self._have_ids else ("an id", "have none")
            raise self._error(f"{place}has {has}, but earlier documents {had}", line)

    def _check_split(self) -> None:
        if self._have_split is None:
            self._have_split = self._file_has_split
        if self._have_split != self._file_has_split:
            has, had = ("no split", "have one") if self._have_split else ("a split", "have none")
            raise CorpusError(
                f"has {has}, but the files before it {had}. Give all files the same fields, or "
                "name another field with --split-column.",
                where=self._file,
            )

    def _error(self, problem: str, line: int | None) -> CorpusError:
        return _field_error(problem, self._file, line)


def check_text(record: FileRecord, where: Where) -> None:
    if not isinstance(record.values.text, str):
        kind = _kind(record.values.text)
        raise _field_error(f"{record.place}the text is {kind}, not a string", where, record.line)


def _field_error(problem: str, where: Where, line: int | None) -> CorpusError:
    return CorpusError(
        f"{problem}. Fix the file, or name other fields with --text, --label and --id.",
        where=where,
        line=line,
    )


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise TypeError(_kind(value))


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", type(None): "null", bool: "true or false"}
    if is_number(value):
        return "a number"
    return names.get(type(value), f"of type {type(value).__name__}")
