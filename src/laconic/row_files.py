"""Files of rows, and of other tables, as CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple
from pathlib import Path
from typing import IO, Any

from laconic.errors import LaconicError
from laconic.files import Kind, check_output, csv_kind, draft
from laconic.rows import Row

NAME = "file of rows"
FIRST = ("problem", "method", "size", "metric")
PARQUET_KEY = "laconic.rows"
# Rows are turned into Parquet columns in batches of this length.
BATCH = 50_000


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
