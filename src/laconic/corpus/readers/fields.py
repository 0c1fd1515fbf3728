"""Records with named fields (CSV, JSON lines, Parquet): which field is which.

Names are matched exactly, else case-insensitively; nothing else is guessed. A field `id` or `split`
is used if it exists; an empty name in `ReadOptions` disables it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from laconic.corpus.builder import CorpusBuilder, amount, validation_note
from laconic.corpus.corpus import TEST, TRAIN, UNUSED, VALIDATION, Corpus
from laconic.corpus.io.limits import Where
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.names import shortened, stem
from laconic.corpus.times import parse_time
from laconic.errors import CorpusError
from laconic.validation import is_number

MAX_SHOWN = 20


class FieldNames(NamedTuple):
    """The names of a document's fields as the file spells them; None if there is no such field."""

    text: str | None
    labels: tuple[str | None, ...]
    id: str | None
    split: str | None
    group: str | None
    time: str | None


class Record(NamedTuple):
    """The values of a document's fields; None where there is no such field."""

    text: object
    labels: Sequence[object]
    id: object = None
    split: object = None
    group: object = None
    time: object = None


class FieldPositions(NamedTuple):
    """The columns of a table with a document's fields; None if there is no such column."""

    text: int
    labels: list[int]
    id: int | None
    split: int | None
    group: int | None
    time: int | None

    @property
    def used(self) -> list[int]:
        optional = (self.id, self.split, self.group, self.time)
        return [self.text, *self.labels, *(at for at in optional if at is not None)]

    def record(self, values: Sequence[object] | Mapping[int, object]) -> Record:
        """The fields among the values of a row."""
        labels = [values[at] for at in self.labels]
        optional = (self.id, self.split, self.group, self.time)
        others = (None if at is None else values[at] for at in optional)
        return Record(values[self.text], labels, *others)


def match_fields(names: Collection[str], options: ReadOptions) -> FieldNames:
    """The fields among the names of a file that the options ask for."""
    default = "label" if _match("label", names) else "labels"
    return FieldNames(
        text=_match(options.text or "text", names),
        labels=tuple(_match(label, names) for label in options.label or (default,)),
        id=_match("id" if options.id is None else options.id, names),
        split=_match("split" if options.split_column is None else options.split_column, names),
        group=_match(options.group or "", names),
        time=_match(options.time or "", names),
    )


def missing_fields(fields: FieldNames, options: ReadOptions) -> dict[str, str]:
    """The options that name missing fields, with these names."""
    missing = {}
    if fields.text is None:
        missing["--text"] = options.text or "text"
    for label, match in zip(options.label or ("label",), fields.labels, strict=True):
        if match is None:
            missing["--label"] = label
    optional = {
        "--id": (options.id, fields.id),
        "--split-column": (options.split_column, fields.split),
        "--group": (options.group, fields.group),
        "--time": (options.time, fields.time),
    }
    for flag, (name, match) in optional.items():
        if name and match is None:
            missing[flag] = name
    return missing


def missing_field_error(
    where: Where,
    missing: dict[str, str],
    names: Collection[str],
    kind: Literal["column", "key"],
    line: int | None = None,
) -> CorpusError:
    """The error for missing fields: the names that exist, and the options to choose with."""
    absent = " and ".join(f"no {kind} {name!r}" for name in missing.values())
    shown = ", ".join(repr(name[:MAX_SHOWN]) for name in list(names)[:MAX_SHOWN]) or "none"
    more = ", …" if len(names) > MAX_SHOWN else ""
    options = " ".join(f"{option} {kind.upper()}" for option in missing)
    return CorpusError(
        f"has {absent}. Its {kind}s are {shown}{more}: choose with {options}.",
        where=where,
        line=line,
    )


def column_positions(columns: list[str], where: Where, options: ReadOptions) -> FieldPositions:
    """The positions of a document's fields among the columns of a table."""
    fields = match_fields(columns, options)
    if missing := missing_fields(fields, options):
        raise missing_field_error(where, missing, columns, "column", 1)
    optional = (fields.id, fields.split, fields.group, fields.time)
    for name in (fields.text, *fields.labels, *optional):
        if name is not None and columns.count(name) > 1:
            raise CorpusError(
                f"two columns are called {name!r}. Give each column a different name.",
                where=where,
                line=1,
            )
    position = {name: i for i, name in enumerate(columns)}
    text, *labels = [position[name] for name in (fields.text, *fields.labels) if name is not None]
    others = (None if name is None else position[name] for name in optional)
    return FieldPositions(text, labels, *others)


def _match(name: str, names: Collection[str]) -> str | None:
    if name in names:
        return name or None
    matches = [other for other in names if other.casefold() == name.casefold()]
    return matches[0] if len(matches) == 1 else None


class RecordBuilder:
    """Checks the fields of records and adds the documents to a `CorpusBuilder`."""

    def __init__(self, where: Where, options: ReadOptions) -> None:
        self.where, self.options = where, options
        multilabel = options.separator is not None or len(options.label) > 1
        self._builder = CorpusBuilder(where, options, multilabel=multilabel or None)
        self.notes = self._builder.notes
        self._have_ids: bool | None = None
        self._in_part = self._unused = 0
        self._first_unused = ""
        self._n_validation = self._ungrouped = 0
        self._kind_of_time = ""

    def add(self, record: Record, *, line: int | None = None, place: str = "") -> None:
        """`place` names the record in formats without lines."""
        if not isinstance(record.text, str):
            raise self._error(f"{place}the text is {_kind(record.text)}, not a string", line)
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
        self._builder.add_text(
            record.text,
            names,
            id=name,
            split=self._part(record.split),
            group=group,
            time=self._time(record.time, line, place),
            line=line,
        )

    def corpus(self) -> Corpus:
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
        return self._builder.corpus(stem(self.where))

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
                where=self.where,
                line=line,
            ) from None
        self._kind_of_time = self._kind_of_time or kind
        if kind != self._kind_of_time:
            raise CorpusError(
                f"{place}the time {shortened(str(value))} is a {kind}, but earlier ones are "
                f"{self._kind_of_time}s. Write all times in one form.",
                where=self.where,
                line=line,
            )
        return time

    def _check_id(self, name: str | None, line: int | None, place: str) -> None:
        if self._have_ids is None:
            self._have_ids = name is not None
        if self._have_ids != (name is not None):
            has, had = ("no id", "have one") if self._have_ids else ("an id", "have none")
            raise self._error(f"{place}has {has}, but earlier documents {had}", line)

    def _error(self, problem: str, line: int | None) -> CorpusError:
        return CorpusError(
            f"{problem}. Fix the file, or name other fields with --text, --label and --id.",
            where=self.where,
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
