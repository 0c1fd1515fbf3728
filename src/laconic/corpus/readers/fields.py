"""Records with named fields (CSV, JSON lines, Parquet): which field is which.

Names are matched exactly, else case-insensitively; nothing else is guessed. A field `id` or `split`
is used if it exists; an empty name in `ReadOptions` disables it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from laconic.corpus.builder import CorpusBuilder, amount
from laconic.corpus.corpus import TEST, TRAIN, UNUSED, Corpus
from laconic.corpus.io.limits import Where
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.names import stem
from laconic.errors import CorpusError
from laconic.validation import is_number

MAX_SHOWN = 20


class FieldNames(NamedTuple):
    """The names of a document's fields as the file spells them; None if there is no such field."""

    text: str | None
    labels: tuple[str | None, ...]
    id: str | None
    split: str | None


def match_fields(names: Collection[str], options: ReadOptions) -> FieldNames:
    """The fields among the names of a file that the options ask for."""
    default = "label" if _match("label", names) else "labels"
    return FieldNames(
        text=_match(options.text or "text", names),
        labels=tuple(_match(label, names) for label in options.label or (default,)),
        id=_match("id" if options.id is None else options.id, names),
        split=_match("split" if options.split_column is None else options.split_column, names),
    )


def missing_fields(fields: FieldNames, options: ReadOptions) -> dict[str, str]:
    """The options that name missing fields, with these names."""
    missing = {}
    if fields.text is None:
        missing["--text"] = options.text or "text"
    for label, match in zip(options.label or ("label",), fields.labels, strict=True):
        if match is None:
            missing["--label"] = label
    if options.id and fields.id is None:
        missing["--id"] = options.id
    if options.split_column and fields.split is None:
        missing["--split-column"] = options.split_column
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


def column_positions(
    columns: list[str], where: Where, options: ReadOptions
) -> tuple[int, list[int], int | None, int | None]:
    """The positions of the text, the labels, the id and the split among the columns of a table."""
    fields = match_fields(columns, options)
    if missing := missing_fields(fields, options):
        raise missing_field_error(where, missing, columns, "column", 1)
    used = [name for name in (fields.text, *fields.labels, fields.id, fields.split) if name]
    for name in used:
        if columns.count(name) > 1:
            raise CorpusError(
                f"two columns are called {name!r}. Give each column a different name.",
                where=where,
                line=1,
            )
    position = {name: i for i, name in enumerate(columns)}
    text, *labels = [position[name] for name in used[: 1 + len(fields.labels)]]
    id, split = (None if name is None else position[name] for name in (fields.id, fields.split))
    return text, labels, id, split


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

    def add(
        self,
        text: object,
        labels: Sequence[object],
        id: object,
        split: object,
        *,
        line: int | None = None,
        place: str = "",
    ) -> None:
        """`labels` are the values of the label fields; `place` names the record in formats without
        lines."""
        if not isinstance(text, str):
            raise self._error(f"{place}the text is {_kind(text)}, not a string", line)
        if any(isinstance(value, list) and len(value) != 1 for value in labels):
            self._builder.multilabel = True
        try:
            names = self._labels(labels)
            name = None if id is None else _scalar(id)
        except TypeError as problem:
            raise self._error(f"{place}a label or id is {problem}, not a string", line) from None
        self._check_id(name, line, place)
        self._builder.add_text(text, names, id=name, split=self._part(split), line=line)

    def corpus(self) -> Corpus:
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
        if part in (TRAIN, TEST):
            self._in_part += 1
            return part
        self._unused += 1
        self._first_unused = self._first_unused or str(value)[:MAX_SHOWN]
        return UNUSED

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
