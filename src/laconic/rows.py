"""`Row`: one measured value, or why there is none. And files of rows.

Flat, so that a table is a list of them: curves, journals and reports speak of nothing else.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp
from typing import IO, Any, TypeAlias

from laconic.errors import LaconicError

Size: TypeAlias = int | float

PARQUET = ".parquet"
ENDINGS = (".csv", ".jsonl", ".ndjson", PARQUET)
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
    asked: Size
    measure: str
    value: float | None = None
    kept: int | None = None
    terms: int | None = None
    seed: int = 0
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
    check_output(where)
    with draft(where) as stream:
        write = _WRITERS[where.suffix](stream)
        yield write
        write.close()


@contextmanager
def draft(where: Path) -> Iterator[IO[bytes]]:
    """A file that takes its name only when it is whole."""
    try:
        # a name may be as long as the file system allows, and the draft's is longer
        handle, name = mkstemp(prefix=f".{where.name[:100]}.", suffix=".draft", dir=where.parent)
    except (OSError, ValueError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) else failure
        raise LaconicError(f"{where}: cannot be written ({reason})") from None
    unfinished = Path(name)
    try:
        with open(handle, "wb") as stream:
            yield stream
        unfinished.chmod(0o666 & ~_umask())
        unfinished.replace(where)
    except OSError as failure:
        unfinished.unlink(missing_ok=True)
        raise LaconicError(f"{where}: cannot be written ({failure.strerror or failure})") from None
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


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
        numbers = {"asked": pyarrow.float64(), "value": pyarrow.float64()}
        numbers |= {"seconds": pyarrow.float64()}
        numbers |= dict.fromkeys(("kept", "terms", "seed", "memory"), pyarrow.int64())
        self.schema = pyarrow.schema(
            [(name, numbers.get(name, pyarrow.string())) for name in Row.columns()]
        )
        self.table = pyarrow.Table
        self.writer = pyarrow.parquet.ParquetWriter(stream, self.schema)
        self.waiting: list[dict[str, Any]] = []

    def __call__(self, rows: Iterable[Row]) -> None:
        for row in rows:
            clean = {k: _utf8(v) if isinstance(v, str) else v for k, v in asdict(row).items()}
            self.waiting.append(clean | {"asked": float(row.asked)})
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


_WRITERS: dict[str, Any] = {
    ".csv": _Csv,
    ".jsonl": _JsonLines,
    ".ndjson": _JsonLines,
    PARQUET: _Parquet,
}


def _utf8(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _umask() -> int:
    """What is kept from others; `mkstemp` keeps everything."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_output(where: Path) -> None:
    """Rows may replace rows, never a file that something else wrote."""
    if where.suffix not in ENDINGS:
        raise LaconicError(f"{where}: rows are written as .csv, .jsonl or .parquet")
    if not where.parent.is_dir():
        raise LaconicError(f"{where}: cannot be written (there is no folder {where.parent})")
    if not where.exists():
        return
    if where.is_dir() or (where.stat().st_size and not _holds_rows(where)):
        raise LaconicError(f"{where}: exists and is no file of rows. Choose another name.")


def _holds_rows(where: Path) -> bool:
    if where.suffix == PARQUET:
        # the schema stands in the footer
        return all(name.encode() in where.read_bytes() for name in ("problem", "measure", "asked"))
    start = ",".join(Row.columns()[:2]) if where.suffix == ".csv" else '{"problem"'
    with open(where, "rb") as stream:
        return stream.read(len(start)) == start.encode()


def cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: names come from strangers' files."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value


def uncell(text: str) -> str:
    """What `cell` was given."""
    return text[1:] if text.startswith("'") and cell(text[1:]) == text else text


def file_name(name: str) -> str:
    """A name that is safe for a file."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip(".-") or "corpus"


def distinct_name(name: str) -> str:
    """A name for a file that no other name has: C++ and C# are two."""
    plain = file_name(name)
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return plain if plain == name else f"{plain[:80]}-{digest[:6]}"


def write_json(where: Path, told: object) -> None:
    with draft(where) as stream:
        stream.write(json.dumps(finite(told), indent=1, allow_nan=False).encode())


def finite(told: Any) -> Any:
    """The same with None for what JSON has no number for."""
    if isinstance(told, float):
        return told if math.isfinite(told) else None
    if isinstance(told, dict):
        return {key: finite(value) for key, value in told.items()}
    return [finite(value) for value in told] if isinstance(told, list | tuple) else told


def make_folder(where: Path) -> None:
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise LaconicError(f"{where}: cannot be made a folder ({failure.strerror})") from None
