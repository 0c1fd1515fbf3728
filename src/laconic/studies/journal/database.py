"""`Database`: one SQLite file that is only appended to, and that several processes may share.

Every record carries a checksum of its cells, which is verified whenever the record is read. Errors
of the file are reported with the file's name and the remedy.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Self

from laconic.errors import LaconicError, ResourceError
from laconic.rows import Row
from laconic.studies.journal.codec import Cell, DamagedError, checksum
from laconic.studies.journal.sqlite_errors import (
    UNWRITABLE,
    damaged,
    is_exhausted,
    message,
    primary_code,
)

APPLICATION = int.from_bytes(b"Laco")
FORMAT = 4
START_AGAIN = "The study ended before it had a plan: run the command that started it again"

Record = dict[str, Any]
BLOB, TEXT, INTEGER = "BLOB NOT NULL", "TEXT NOT NULL", "INTEGER NOT NULL"
# A column without a type keeps 1 and 1.0 apart.
NUMBER = ""
KEY = "INTEGER PRIMARY KEY"
PARENT = "INTEGER NOT NULL REFERENCES attempts"


def _derived(columns: dict[str, type]) -> dict[str, str]:
    return {name: TEXT if of is str else NUMBER for name, of in columns.items()}


# rows_checksum and cuts_checksum cover the checksums of the attempt's rows and cuts, in order.
TABLES: dict[str, dict[str, str]] = {
    "attempts": {
        "id": KEY,
        "status": f"{TEXT} CHECK (status IN ('ok', 'failed'))",
        "reason": TEXT,
        **dict.fromkeys(("started", "seconds", "memory"), NUMBER),
        "host": TEXT,
        "slot": TEXT,
        "version": INTEGER,
        "spec": TEXT,
        **_derived(Row.task_columns()),
        **dict.fromkeys(("rows_checksum", "cuts_checksum", "notes"), BLOB),
        "y_signed": "BLOB",
    },
    "rows": {"attempt": PARENT, "place": INTEGER, **_derived(Row.own_columns())},
    "cuts": {
        "attempt": PARENT,
        "place": INTEGER,
        "size": NUMBER,
        "terms": BLOB,
        "chosen": BLOB,
        "decision": "BLOB",
        "alpha": NUMBER,
        "tuning": "BLOB",
    },
    "vocabularies": {"data": "TEXT PRIMARY KEY NOT NULL", "words": BLOB},
    "plans": {"id": KEY, "time": NUMBER, "text": TEXT, "command": TEXT, "keys": BLOB},
}
CHECKSUM = "checksum"
# Below every id, also one that damage made negative.
LEAST = -(1 << 63)


def _schema() -> dict[str, str]:
    """The statements that make the tables, by the name of what they make."""
    statements = {}
    for name, columns in TABLES.items():
        cells = [f"{CHECKSUM} {BLOB}", *(f"{column} {kind}" for column, kind in columns.items())]
        cells += ["PRIMARY KEY (attempt, place)"] if "place" in columns else []
        statements[name] = f"CREATE TABLE {name} ({', '.join(cells)})"
        for event in ("UPDATE", "DELETE"):
            statements[f"{name}_{event}"] = (
                f"CREATE TRIGGER {name}_{event} BEFORE {event} ON {name}"
                " BEGIN SELECT raise(ABORT, 'a journal is only appended to'); END"
            )
    once = "CREATE UNIQUE INDEX once ON attempts (task) WHERE status = 'ok'"
    return statements | {"once": once}


SCHEMA = _schema()


def checksum_of(table: str, cells: Record) -> bytes:
    """The checksum of a record."""
    return checksum(table, *(cells[name] for name in TABLES[table]))


class NotStartedError(LaconicError):
    """There is no study yet: no journal, or one without a plan."""


class Database:
    """The tables of a journal in the file `where`, which is created if there is none."""

    def __init__(self, where: Path, timeout: float) -> None:
        self._open(where, timeout, "mode=rwc", self._prepare)

    @classmethod
    def reading(cls, where: Path, timeout: float) -> Self:
        self = cls.__new__(cls)
        if not where.exists():
            raise NotStartedError(f"{where}: there is no journal. Start the study first")
        try:
            self._open(where, timeout, "mode=rw", self._prepare_reading)
        except LaconicError as failure:
            # SQLite writes beside what it reads, which a read-only folder or a full disk forbids;
            # a journal without a -wal file can be read without that
            cause = failure.__cause__
            forbidden = primary_code(cause) in UNWRITABLE or is_exhausted(cause)
            if not forbidden or _unfinished(where):
                raise
            self._open(where, timeout, "mode=ro&immutable=1", self._prepare_reading)
        return self

    def close(self) -> None:
        # if it fails, nothing is lost: the next process that opens the file does it
        with suppress(sqlite3.Error):
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is inserted within, or nothing; no other process writes meanwhile."""
        with self.reporting():
            # IMMEDIATE: the lock comes before the first query, so its answer stays true
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")
                raise

    def insert(self, table: str, cells: Record) -> None:
        values = (checksum_of(table, cells), *(cells[name] for name in TABLES[table]))
        names = ", ".join((CHECKSUM, *TABLES[table]))
        marks = ", ".join("?" * len(values))
        self.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)

    def next_id(self, table: str) -> int:
        """The ids of a table are 1, 2, …: a gap is damage. Call it within a transaction."""
        return int(self.all(f"SELECT coalesce(max(id), 0) + 1 FROM {table}")[0][0])

    def records(self, table: str, condition: str = "", *values: Cell) -> list[Record]:
        """The records that meet a condition, with their checksums, which were verified."""
        names = (CHECKSUM, *TABLES[table])
        answers = self.all(f"SELECT {', '.join(names)} FROM {table} {condition}", *values)
        with self.reporting():
            for stored, *cells in answers:
                if stored != checksum(table, *cells):
                    raise DamagedError(f"a record of {table} does not have its checksum")
        return [dict(zip(names, cells, strict=True)) for cells in answers]

    def numbered(self, table: str, after: int = 0) -> list[Record]:
        """The records of a table with ids above `after`, by id."""
        records = self.records(table, "NOT INDEXED WHERE id > ? ORDER BY id", after or LEAST)
        with self.reporting():
            if any(record["id"] != after + n for n, record in enumerate(records, 1)):
                raise DamagedError(f"a record of {table} is missing")
        return records

    def parts(self, table: str, attempt: int, expected: bytes) -> list[Record]:
        """The rows or cuts of an attempt, which are complete: `expected` covers their checksums."""
        records = self.records(table, "WHERE attempt = ? ORDER BY place", attempt)
        with self.reporting():
            if checksum(table, *(record[CHECKSUM] for record in records)) != expected:
                raise DamagedError(f"{table} of an attempt are missing or repeated")
        return records

    def all(self, query: str, *values: Cell) -> list[Any]:
        with self.reporting():
            return self.connection.execute(query, values).fetchall()

    def check(self) -> None:
        """Let SQLite examine the whole file; a damaged one is an error."""
        problems = [line for (line,) in self.all("PRAGMA integrity_check") if line != "ok"]
        orphans = self.all("PRAGMA foreign_key_check")
        problems += [f"{table} without their attempt" for table, *_ in orphans]
        if problems:
            raise LaconicError(damaged(self.where, problems[0]))

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Errors of SQLite and of the decoder name the file and the remedy."""
        try:
            yield
        except sqlite3.Error as failure:
            kind = ResourceError if is_exhausted(failure) else LaconicError
            raise kind(message(failure, self.where, self.timeout)) from failure
        # SQLite's message about a damaged table quotes its bytes
        except (DamagedError, UnicodeDecodeError) as failure:
            raise LaconicError(damaged(self.where, failure)) from failure

    def _open(self, where: Path, timeout: float, mode: str, prepare: Callable[[], None]) -> None:
        self.where, self.timeout = where, timeout
        with self.reporting():
            self.connection = sqlite3.connect(
                f"{where.absolute().as_uri()}?{mode}",
                uri=True,
                timeout=timeout,
                isolation_level=None,
            )
            try:
                self._retrying(prepare)
            except BaseException:
                self.connection.close()
                raise

    def _retrying(self, prepare: Callable[[], None]) -> None:
        """SQLite fails at once where two processes turn a new file into a WAL file; we retry."""
        end = monotonic() + self.timeout
        while True:
            try:
                return prepare()
            except sqlite3.Error as failure:
                if primary_code(failure) != sqlite3.SQLITE_BUSY or monotonic() >= end:
                    raise
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            sleep(0.01)

    def _prepare(self) -> None:
        # before anything in a file of another program is changed
        self._is_new_now()
        self.connection.execute("PRAGMA journal_mode = WAL")
        # A finished task survives `kill -9` with any setting. FULL waits for the disk once per
        # task, so it survives a power cut too: milliseconds, where a task takes seconds.
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute("PRAGMA foreign_keys = ON")
        # INSERT OR REPLACE, too, fires the triggers against DELETE
        self.connection.execute("PRAGMA recursive_triggers = ON")
        self.connection.execute("BEGIN IMMEDIATE")
        if self._is_new():
            for statement in SCHEMA.values():
                self.connection.execute(statement)
            self.connection.execute(f"PRAGMA application_id = {APPLICATION}")
            self.connection.execute(f"PRAGMA user_version = {FORMAT}")
        self.connection.execute("COMMIT")

    def _prepare_reading(self) -> None:
        self.connection.execute("PRAGMA query_only = ON")
        if self._is_new_now():
            raise NotStartedError(f"{self.where}: the journal is empty. {START_AGAIN}")

    def _is_new_now(self) -> bool:
        """In one transaction: another process may be creating the tables."""
        self.connection.execute("BEGIN")
        new = self._is_new()
        self.connection.execute("COMMIT")
        return new

    def _is_new(self) -> bool:
        """Whether the file is empty, as a process leaves it that is killed at its start.

        Refuses files of other programs, other formats, and other tables than those of the format.
        """
        application = self._number("PRAGMA application_id")
        written = self._number("PRAGMA user_version")
        tables = dict(self.connection.execute("SELECT name, sql FROM sqlite_master").fetchall())
        if application != APPLICATION:
            if (application, written, len(tables)) == (0, 0, 0):
                return True
            raise LaconicError(
                f"{self.where}: not a journal of Laconic, but a database of another program."
                " Choose another name"
            )
        if written != FORMAT:
            raise LaconicError(f"{self.where}: {_other_format(written)}")
        if changed := [name for name, sql in SCHEMA.items() if tables.get(name) != sql]:
            raise DamagedError(f"{changed[0]} is not as format {FORMAT} has it")
        return False

    def _number(self, query: str) -> int:
        return int(self.connection.execute(query).fetchone()[0])


def _other_format(written: int) -> str:
    if written > FORMAT:
        return (
            f"was written by a newer Laconic (format {written}; this one reads format {FORMAT})."
            " Update with pip install -U laconic, or choose another folder with -o"
        )
    return (
        f"is a journal of format {written}, which was never released; this Laconic reads format"
        f" {FORMAT}. Move the folder away, or choose another with -o, and run the study again"
    )


def _unfinished(where: Path) -> bool:
    """Whether a -wal file has entries that are not in the file itself."""
    waiting = where.with_name(where.name + "-wal")
    return waiting.exists() and waiting.stat().st_size > 0
