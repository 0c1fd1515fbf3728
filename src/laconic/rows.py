"""`Row`: one measured value, or why there is none. `RowTable`: a table of them.

`Row` is the only declaration of the columns: the tables of a journal, CSV headers and Parquet
types are derived from its fields.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, get_args, get_type_hints

from laconic.types import Size

K = TypeVar("K")
V = TypeVar("V")

# Columns that are equal in all rows of a task: a journal stores them once per attempt.
OF_TASK = {"of_task": True}


@dataclass(frozen=True)
class Row:
    """One measured value, or why there is none.

    `size` is what was requested, `model_size` the columns that the classifier saw, `n_features`
    the distinct features of the whole model. `seconds` is the training time of this size; the
    first size includes what all sizes share. `memory` is the peak of the process in bytes while
    all sizes were trained and measured. `status` is "ok", "skipped" (this size or metric is not
    available) or "failed", with the reason.

    `classifier` is "" for methods that train their own models. `alpha` is None where it is chosen
    by leave-one-out or does not exist. `class_weight` is "" or "balanced". `features` is the kind
    of features, such as "word", "word:ngrams=1-2" or "vectors"; `weighting` their scheme.
    """

    problem: str = field(metadata=OF_TASK)
    method: str = field(metadata=OF_TASK)
    size: Size
    metric: str
    value: float | None = None
    model_size: int | None = None
    n_features: int | None = None
    draw: int = field(default=0, metadata=OF_TASK)
    part: str = field(default="test", metadata=OF_TASK)
    fold: str = field(default="", metadata=OF_TASK)
    status: str = "ok"
    reason: str = ""
    seconds: float = 0.0
    memory: int | None = None
    classifier: str = field(default="", metadata=OF_TASK)
    alpha: float | None = None
    class_weight: str = field(default="", metadata=OF_TASK)
    features: str = field(default="", metadata=OF_TASK)
    weighting: str = field(default="", metadata=OF_TASK)
    versions: str = field(default="", metadata=OF_TASK)
    task: str = field(default="", metadata=OF_TASK)

    @classmethod
    def columns(cls) -> dict[str, type]:
        """Every column with the type of its values: str, int or float."""
        return dict(_columns())

    @classmethod
    def task_columns(cls) -> dict[str, type]:
        """The columns that are equal in all rows of a task."""
        return {f.name: cls.columns()[f.name] for f in fields(cls) if f.metadata == OF_TASK}

    @classmethod
    def own_columns(cls) -> dict[str, type]:
        """The other columns."""
        return {f.name: cls.columns()[f.name] for f in fields(cls) if f.metadata != OF_TASK}


@cache
def _columns() -> tuple[tuple[str, type], ...]:
    return tuple((name, _type_of(hint)) for name, hint in get_type_hints(Row).items())


def _type_of(hint: Any) -> type:
    """float for a union of int and float."""
    types = set(get_args(hint) or (hint,)) - {type(None)}
    return float if float in types else types.pop()


class RowTable(tuple[Row, ...]):
    """A table of rows."""

    def where(self, **equal: Any) -> RowTable:
        """The rows with these values."""
        values = attrgetter(*equal)
        wanted = tuple(equal.values()) if len(equal) > 1 else next(iter(equal.values()))
        return RowTable(row for row in self if values(row) == wanted)

    def measured(self, metric: str, **equal: Any) -> RowTable:
        """The rows that have a value of the metric."""
        return RowTable(row for row in self.where(metric=metric, **equal) if row.value is not None)

    def column(self, name: str) -> list[Any]:
        return list(map(attrgetter(name), self))

    def distinct(self, *columns: str) -> list[Any]:
        """Each value of a column once, or each tuple of values, in the order of the rows."""
        return list(dict.fromkeys(map(attrgetter(*columns), self)))

    def group_by(self, *columns: str) -> dict[Any, RowTable]:
        """The rows of each value of a column, or of each tuple of values."""
        groups = group_pairs(zip(map(attrgetter(*columns), self), self, strict=True))
        return {key: RowTable(rows) for key, rows in groups.items()}


def group_pairs(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """The values of each key; keys and values in the order of the pairs."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
