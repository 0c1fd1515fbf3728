"""`Row`: one measured value, or why there is none. And files of rows.

Rows are flat, so a table is a list of them. `Row` is the only declaration of the columns: the
tables of a journal, CSV headers and Parquet types are derived from its fields.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import IO, Any, TypeAlias, get_args, get_type_hints

from laconic.errors import LaconicError
from laconic.files import Kind, check_output, csv_kind, draft

Size: TypeAlias = int | float

NAME = "file of rows"
FIRST = ("problem", "method", "size", "metric")
PARQUET_KEY = "laconic.rows"
# Rows are turned into Parquet columns in batches of this length.
BATCH = 50_000
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
    alpha: float | None = field(default=None, metadata=OF_TASK)
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


@contextmanager
def rows_file(where: Path) -> Iterator[Callable[[Iterable[Row]], None]]:
    """A file of rows, by its ending CSV, JSON lines or Parquet, that appears whole or not at all.

    It is opened before the work, so a folder without write permission is an error at once.
    """
    with draft(where, kind_of_rows(where)) as stream:
        write = _WRITERS[where.suffix](stream)
        yield write
        write.close()


def check_rows(where: Path) -> None:
    """Refuse to replace a file that is not a file of rows."""
    check_output(where, kind_of_rows(where))


def kind_of_rows(where: Path) -> Kind:
    """The kind of file, by the ending of its name."""
    if where.suffix not in KINDS:
        raise LaconicError(f"{where}: rows are written as .csv, .jsonl or .parquet")
    return KINDS[where.suffix]


class _Csv:
    def __init__(self, stream: IO[bytes]) -> None:
        # a lone surrogate, which JSON may contain, has no UTF-8
        self.text = _Encoded(stream)
        self.table = csv.writer(self.text)
        self.table.writerow(Row.columns())

    def __call__(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self.table.writerow([cell(value) for value in astuple(row)])

    def close(self) -> None:
        pass


class _JsonLines:
    def __init__(self, stream: IO[bytes]) -> None:
        self.text = _Encoded(stream)

    def __call__(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self.text.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")

    def close(self) -> None:
        pass


class _Parquet:
    """One type per column: sizes are floats, also where they are counts."""

    def __init__(self, stream: IO[bytes]) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise LaconicError(
                "Parquet needs pyarrow, which is not installed. Run pip install 'laconic[parquet]',"
                " or write .csv or .jsonl"
            ) from None
        types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
        self.schema = pyarrow.schema(
            [(name, types[of]) for name, of in Row.columns().items()],
            metadata={PARQUET_KEY: "1"},
        )
        self.table = pyarrow.Table
        self.writer = pyarrow.parquet.ParquetWriter(stream, self.schema)
        self.waiting: list[dict[str, Any]] = []

    def __call__(self, rows: Iterable[Row]) -> None:
        for row in rows:
            clean = {k: _utf8(v) if isinstance(v, str) else v for k, v in asdict(row).items()}
            self.waiting.append(clean | {"size": float(row.size)})
            if len(self.waiting) >= BATCH:
                self._flush()

    def _flush(self) -> None:
        if self.waiting:
            self.writer.write_table(self.table.from_pylist(self.waiting, schema=self.schema))
        self.waiting = []

    def close(self) -> None:
        self._flush()
        self.writer.close()


class _Encoded:
    """Writes text to a stream of bytes."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        return self.stream.write(text.encode("utf-8", "backslashreplace"))


_STRING = rb'"(?:[^"\\]|\\.)*"'
LINES = Kind(
    NAME, re.compile(rb'\A\{"problem": %b, "method": %b, "size": ' % (_STRING, _STRING), re.DOTALL)
)
KINDS = {
    ".csv": csv_kind(NAME, FIRST),
    ".jsonl": LINES,
    ".ndjson": LINES,
    ".parquet": Kind(NAME, re.compile(re.escape(PARQUET_KEY).encode()), at_end=True),
}
_WRITERS: dict[str, Any] = {
    ".csv": _Csv,
    ".jsonl": _JsonLines,
    ".ndjson": _JsonLines,
    ".parquet": _Parquet,
}


def _utf8(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


# Blanks, control characters, marks without width and quotes may precede the sign of a formula,
# also a sign of full width. A text that begins with a control character is guarded without a sign.
# A quote before a guarded text gives a guarded text, so `uncell` removes only quotes that `cell`
# added.
FORMULA = re.compile(r"""'*[\t\r\n]|[\s\x00-\x1f\x7f\u200b-\u200f\u2060\ufeff'"]*[-=+@＝＋－＠]""")


def cell(value: Any) -> Any:
    """A cell that no spreadsheet reads as a formula: names come from untrusted files."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def uncell(text: str) -> str:
    """The value that `cell` was called with."""
    return text[1:] if text.startswith("'") and FORMULA.match(text[1:]) else text


def write_table(
    where: Path, kind: Kind, columns: Sequence[str], lines: Iterable[Sequence[Any]]
) -> None:
    """Write a CSV table of other things than rows."""
    out = io.StringIO(newline="")
    table = csv.writer(out)
    table.writerow(map(cell, columns))
    table.writerows(map(cell, line) for line in lines)
    with draft(where, kind) as stream:
        stream.write(out.getvalue().encode("utf-8", "backslashreplace"))
