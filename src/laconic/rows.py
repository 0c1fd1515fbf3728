"""`Row`: one measured value, or why there is none. And files of rows.

Flat, so that a table is a list of them: curves, journals and reports speak of nothing else.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import IO, Any, TypeAlias

from laconic.errors import LaconicError
from laconic.files import Kind, check_output, csv_kind, draft

Size: TypeAlias = int | float

NAME = "file of rows"
FIRST = ("problem", "method", "size", "metric")
PARQUET_KEY = "laconic.rows"
# rows are turned into columns so many at a time
BATCH = 50_000


@dataclass(frozen=True)
class Row:
    """One measured value, or why there is none.

    `kept` are columns that the classifier saw, `terms` distinct words in the whole model.
    `seconds` is the training time of this size, the first size carrying what all sizes share;
    `memory` the peak, in bytes, of the process while all sizes were trained and measured.
    `status` is "ok", "skipped" (this size or measure cannot be had) or "failed", with the reason.
    """

    problem: str
    method: str
    size: Size
    metric: str
    value: float | None = None
    model_size: int | None = None
    n_features: int | None = None
    draw: int = 0
    part: str = "test"
    fold: str = ""
    status: str = "ok"
    reason: str = ""
    seconds: float = 0.0
    memory: int | None = None
    versions: str = ""
    task: str = ""

    @classmethod
    def columns(cls) -> list[str]:
        return [field.name for field in fields(cls)]


@contextmanager
def rows_file(where: Path) -> Iterator[Callable[[Iterable[Row]], None]]:
    """A file of rows, by its ending CSV, JSON lines or Parquet, that appears whole or not at all.

    Opened before the work, so that a folder that cannot be written to is known at once.
    """
    with draft(where, kind_of_rows(where)) as stream:
        write = _WRITERS[where.suffix](stream)
        yield write
        write.close()


def check_rows(where: Path) -> None:
    """Rows may replace rows, never a file that something else wrote."""
    check_output(where, kind_of_rows(where))


def kind_of_rows(where: Path) -> Kind:
    """The kind of file that the name asks for."""
    if where.suffix not in KINDS:
        raise LaconicError(f"{where}: rows are written as .csv, .jsonl or .parquet")
    return KINDS[where.suffix]


class _Csv:
    def __init__(self, stream: IO[bytes]) -> None:
        # a lone surrogate, which JSON may hold, has no UTF-8
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
    """Columns of one type each: `asked` is a number with a point."""

    def __init__(self, stream: IO[bytes]) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise LaconicError(
                "Parquet needs pyarrow, which is not installed. Run pip install 'laconic[parquet]',"
                " or write .csv or .jsonl"
            ) from None
        numbers = {"size": pyarrow.float64(), "value": pyarrow.float64()}
        numbers |= {"seconds": pyarrow.float64()}
        numbers |= dict.fromkeys(("model_size", "n_features", "draw", "memory"), pyarrow.int64())
        self.schema = pyarrow.schema(
            [(name, numbers.get(name, pyarrow.string())) for name in Row.columns()],
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
    """Text onto a stream of bytes."""

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


# Blanks, controls, marks without width and quotes may precede the sign of a formula, also one of
# full width. A text that begins with a control is guarded without a sign. A quote before a guarded
# text gives a guarded text, so that `uncell` removes only quotes that `cell` has added.
FORMULA = re.compile(r"""'*[\t\r\n]|[\s\x00-\x1f\x7f\u200b-\u200f\u2060\ufeff'"]*[-=+@＝＋－＠]""")


def cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: names come from strangers' files."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def uncell(text: str) -> str:
    """What `cell` was given."""
    return text[1:] if text.startswith("'") and FORMULA.match(text[1:]) else text


def write_table(
    where: Path, kind: Kind, columns: Sequence[str], lines: Iterable[Sequence[Any]]
) -> None:
    """A table of other things than rows, as CSV."""
    out = io.StringIO(newline="")
    table = csv.writer(out)
    table.writerow(map(cell, columns))
    table.writerows(map(cell, line) for line in lines)
    with draft(where, kind) as stream:
        stream.write(out.getvalue().encode("utf-8", "backslashreplace"))
