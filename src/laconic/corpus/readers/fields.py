"""Records with named fields (CSV, JSON lines, Parquet): which field is which.

Names are matched exactly, else case-insensitively; nothing else is guessed. A field `id` or `split`
is used if it exists; an empty name in `ReadOptions` disables it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple

from laconic.corpus.io.limits import Where
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

MAX_SHOWN = 20


class FieldNames(NamedTuple):
    """The names of a document's fields as the file spells them; None if there is no such field."""

    text: str | None
    labels: tuple[str | None, ...]
    id: str | None
    split: str | None
    group: str | None
    time: str | None


class FieldValues(NamedTuple):
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

    def record(self, values: Sequence[object] | Mapping[int, object]) -> FieldValues:
        """The fields among the values of a row."""
        labels = [values[at] for at in self.labels]
        optional = (self.id, self.split, self.group, self.time)
        others = (None if at is None else values[at] for at in optional)
        return FieldValues(values[self.text], labels, *others)


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
