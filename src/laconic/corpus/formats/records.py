"""Records with named fields, as CSV, JSON lines and Parquet have them: which field is which.

Names are matched exactly, else without regard to case; nothing else is guessed. A field called
`id` or `split` is used if there is one; an empty name in the `Reading` declines it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from laconic.corpus.builder import CorpusBuilder, amount
from laconic.corpus.corpus import TEST, TRAIN, UNUSED, Corpus
from laconic.corpus.formats.columns import stem
from laconic.corpus.formats.guarding import Where
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

SHOWN = 20


class Fields(NamedTuple):
    """The names of a document's fields as the file spells them; None where it has no such field."""

    text: str | None
    labels: tuple[str | None, ...]
    id: str | None
    split: str | None


def fields_among(found: Collection[str], reading: ReadOptions) -> Fields:
    default = "label" if _named("label", found) else "labels"
    return Fields(
        text=_named(reading.text or "text", found),
        labels=tuple(_named(label, found) for label in reading.label or (default,)),
        id=_named("id" if reading.id is None else reading.id, found),
        split=_named("split" if reading.split_column is None else reading.split_column, found),
    )


def absences(fields: Fields, reading: ReadOptions) -> dict[str, str]:
    """The options that name fields which are not there, with the names they give."""
    absent = {}
    if fields.text is None:
        absent["--text"] = reading.text or "text"
    for label, found in zip(reading.label or ("label",), fields.labels, strict=True):
        if found is None:
            absent["--label"] = label
    if reading.id and fields.id is None:
        absent["--id"] = reading.id
    if reading.split_column and fields.split is None:
        absent["--split-column"] = reading.split_column
    return absent


def no_such_field(
    where: Where,
    absent: dict[str, str],
    found: Collection[str],
    kind: Literal["column", "key"],
    line: int | None = None,
) -> CorpusError:
    lacking = " and ".join(f"no {kind} {name!r}" for name in absent.values())
    there = ", ".join(repr(name[:SHOWN]) for name in list(found)[:SHOWN]) or "none"
    more = ", …" if len(found) > SHOWN else ""
    options = " ".join(f"{option} {kind.upper()}" for option in absent)
    return CorpusError(
        f"has {lacking}. Its {kind}s are {there}{more}: say which you mean with {options}.",
        where=where,
        line=line,
    )


def positions(
    columns: list[str], where: Where, reading: ReadOptions
) -> tuple[int, list[int], int | None, int | None]:
    """Where the text, the labels, the id and the split are among the columns of a table."""
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


def _named(name: str, found: Collection[str]) -> str | None:
    if name in found:
        return name or None
    alike = [other for other in found if other.casefold() == name.casefold()]
    return alike[0] if len(alike) == 1 else None


class Records:
    """Hands records to a `Gathering`, after judging what is in their fields."""

    def __init__(self, where: Where, reading: ReadOptions) -> None:
        self.where, self.reading = where, reading
        several = reading.separator is not None or len(reading.label) > 1
        self._gathering = CorpusBuilder(where, reading, multilabel=several or None)
        self.notes = self._gathering.notes
        self._with_ids: bool | None = None
        self._in_a_part = self._in_neither = 0
        self._other_part = ""

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
        """`labels` are the values of the label fields; `place` says which record, without lines."""
        if not isinstance(text, str):
            raise self._bad(f"{place}the text is {_kind(text)}, not a string", line)
        if any(isinstance(value, list) and len(value) != 1 for value in labels):
            self._gathering.multilabel = True
        try:
            names = self._labels(labels)
            name = None if id is None else _scalar(id)
        except TypeError as problem:
            raise self._bad(f"{place}a label or id is {problem}, not a string", line) from None
        self._judge_id(name, line, place)
        self._gathering.add_text(text, names, id=name, split=self._part(split), line=line)

    def corpus(self) -> Corpus:
        if self._in_neither and self._in_a_part:
            self.notes.append(
                f"{amount(self._in_neither, 'document is', 'documents are')} in neither train nor "
                f"test (the first in {self._other_part!r}): unused"
            )
        elif self._in_neither:
            self.notes.append(
                f"the split has neither train nor test (the first is {self._other_part!r}): ignored"
            )
        return self._gathering.corpus(stem(self.where))

    def _labels(self, values: Sequence[object]) -> list[str] | None:
        if all(value is None for value in values):
            return None
        return [name for value in values for name in self._names(value)]

    def _names(self, value: object) -> Iterator[str]:
        for item in value if isinstance(value, list) else [value]:
            name = "" if item is None else _scalar(item)
            if self.reading.separator:
                yield from filter(None, map(str.strip, name.split(self.reading.separator)))
            elif name:
                yield name

    def _part(self, value: object) -> str | None:
        if value is None:
            return None
        part = str(value).strip().lower()
        if part in (TRAIN, TEST):
            self._in_a_part += 1
            return part
        self._in_neither += 1
        self._other_part = self._other_part or str(value)[:SHOWN]
        return UNUSED

    def _judge_id(self, name: str | None, line: int | None, place: str) -> None:
        if self._with_ids is None:
            self._with_ids = name is not None
        if self._with_ids != (name is not None):
            has, had = ("no id", "have one") if self._with_ids else ("an id", "have none")
            raise self._bad(f"{place}has {has}, but the documents before it {had}", line)

    def _bad(self, problem: str, line: int | None) -> CorpusError:
        return CorpusError(
            f"{problem}. Mend the file, or name other fields with --text, --label and --id.",
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
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "a number"
    return names.get(type(value), f"of type {type(value).__name__}")
