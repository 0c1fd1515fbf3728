"""`Database`: one SQLite file that is only appended to, and that several processes may share.

What can go wrong with a file is said here, in words that tell what to do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Self

from laconic.errors import LaconicError, ResourceError
from laconic.study.coding import Cell, DamagedError

APPLICATION = int.from_bytes(b"Laco")
FORMAT = 2
START_AGAIN = "The study ended as it started: give the command that started it again"

# columns of numbers have no type, so that 1 and 1.0 stay what they are
_TABLES = {
    "attempts": (
        "id INTEGER PRIMARY KEY, task TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,"
        " started, seconds, memory, host TEXT NOT NULL, versions TEXT NOT NULL,"
        " spec TEXT NOT NULL, notes BLOB NOT NULL, y_signed BLOB,"
        " CHECK (status IN ('ok', 'failed'))"
    ),
    "rows": (
        "attempt INTEGER NOT NULL REFERENCES attempts, place INTEGER NOT NULL,"
        " size, value, model_size, n_features, seconds, memory,"
        " metric TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,"
        " PRIMARY KEY (attempt, place)"
    ),
    "cuts": (
        "attempt INTEGER NOT NULL REFERENCES attempts, place INTEGER NOT NULL,"
        " size, terms BLOB NOT NULL, chosen BLOB NOT NULL, PRIMARY KEY (attempt, place)"
    ),
    "vocabularies": "data TEXT PRIMARY KEY NOT NULL, words BLOB NOT NULL",
    "plans": (
        "id INTEGER PRIMARY KEY, time, text TEXT NOT NULL, command TEXT NOT NULL,"
        " keys BLOB NOT NULL"
    ),
}
_SCHEMA = (
    *(f"CREATE TABLE {name} ({columns})" for name, columns in _TABLES.items()),
    "CREATE UNIQUE INDEX once ON attempts (task) WHERE status = 'ok'",
    "CREATE INDEX tried ON attempts (task, status)",
    # the attempt that counts is the latest: a task that is done is not tried again
    "CREATE VIEW standing AS SELECT task, min(id) AS first, max(id) AS attempt"
    " FROM attempts GROUP BY task",
    *(
        f"CREATE TRIGGER {name}_{event} BEFORE {event} ON {name}"
        " BEGIN SELECT raise(ABORT, 'a journal is only appended to'); END"
        for name in _TABLES
        for event in ("UPDATE", "DELETE")
    ),
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
)


class NotStartedError(LaconicError):
    """There is no study yet: no journal, or one that ended before it had a plan."""


class Database:
    """The tables of a journal in the file `where`, which is made if it is not there."""

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
            # a journal at rest can be read without
            cause = failure.__cause__
            forbidden = _kind(cause) in _UNWRITABLE or _exhausted(cause)
            if not forbidden or _unfinished(where):
                raise
            self._open(where, timeout, "mode=ro&immutable=1", self._prepare_reading)
        return self

    def close(self) -> None:
        # should it fail, nothing is lost: whoever opens the file next does it
        with suppress(sqlite3.Error):
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what is inserted within, or nothing; nobody else writes meanwhile."""
        with self.speaking():
            # IMMEDIATE: the lock comes before the first look, so what was seen still holds
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")
                raise

    def insert(self, table: str, cells: dict[str, Cell]) -> int:
        marks = ", ".join("?" * len(cells))
        cursor = self.connection.execute(
            f"INSERT INTO {table} ({', '.join(cells)}) VALUES ({marks})", tuple(cells.values())
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def all(self, ask: str, *given: Cell) -> list[Any]:
        with self.speaking():
            return self.connection.execute(ask, given).fetchall()

    def row(self, ask: str, *given: Cell) -> Any:
        """The only row that answers; another number of them is damage."""
        rows = self.all(ask, *given)
        if len(rows) != 1:
            raise LaconicError(_damaged(self.where, f"{len(rows)} entries {given}, not one"))
        return rows[0]

    def check(self) -> None:
        """Read the whole file; a damaged one is an error."""
        found = [line for (line,) in self.all("PRAGMA integrity_check") if line != "ok"]
        orphans = self.all("PRAGMA foreign_key_check")
        found += [f"{table} without their attempt" for table, *_ in orphans]
        if found:
            raise LaconicError(_damaged(self.where, found[0]))

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """What SQLite says, in words that tell what to do."""
        try:
            yield
        except sqlite3.Error as failure:
            kind = ResourceError if _exhausted(failure) else LaconicError
            raise kind(_said(failure, self.where, self.timeout)) from failure
        # SQLite's message about a damaged table quotes its bytes
        except (DamagedError, UnicodeDecodeError) as failure:
            raise LaconicError(_damaged(self.where, failure)) from failure

    def _open(self, where: Path, timeout: float, mode: str, prepare: Callable[[], None]) -> None:
        self.where, self.timeout = where, timeout
        with self.speaking():
            self.connection = sqlite3.connect(
                f"{where.absolute().as_uri()}?{mode}",
                uri=True,
                timeout=timeout,
                isolation_level=None,
            )
            try:
                self._patiently(prepare)
            except BaseException:
                self.connection.close()
                raise

    def _patiently(self, prepare: Callable[[], None]) -> None:
        """SQLite gives up at once where two processes turn a new file into a WAL one; we wait."""
        end = monotonic() + self.timeout
        while True:
            try:
                return prepare()
            except sqlite3.Error as failure:
                if _kind(failure) != sqlite3.SQLITE_BUSY or monotonic() >= end:
                    raise
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            sleep(0.01)

    def _prepare(self) -> None:
        # before anything of a stranger's file is changed
        self._fresh_now()
        self.connection.execute("PRAGMA journal_mode = WAL")
        # A finished task survives `kill -9` with any setting. FULL waits for the disk once a task,
        # so that it survives a power cut too: milliseconds, where a task takes seconds.
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute("PRAGMA foreign_keys = ON")
        # so that INSERT OR REPLACE, too, meets the triggers against DELETE
        self.connection.execute("PRAGMA recursive_triggers = ON")
        self.connection.execute("BEGIN IMMEDIATE")
        if self._fresh():
            for statement in _SCHEMA:
                self.connection.execute(statement)
        self.connection.execute("COMMIT")

    def _prepare_reading(self) -> None:
        self.connection.execute("PRAGMA query_only = ON")
        if self._fresh_now():
            raise NotStartedError(f"{self.where}: the journal is empty. {START_AGAIN}")

    def _fresh_now(self) -> bool:
        """One look at all of it: another process may be making the tables."""
        self.connection.execute("BEGIN")
        fresh = self._fresh()
        self.connection.execute("COMMIT")
        return fresh

    def _fresh(self) -> bool:
        """Is there nothing yet? A process killed at its start leaves an empty file."""
        application = self._one("PRAGMA application_id")
        written = self._one("PRAGMA user_version")
        n_things = self._one("SELECT count(*) FROM sqlite_master")
        if application == APPLICATION and written > FORMAT:
            raise LaconicError(
                f"{self.where}: was written by a newer Laconic (format {written}; this one knows"
                f" {FORMAT}). Update with pip install -U laconic, or choose another folder"
            )
        if application != APPLICATION and (application, written, n_things) != (0, 0, 0):
            raise LaconicError(
                f"{self.where}: is no journal of Laconic, but a database of another program."
                " Choose another name"
            )
        return application != APPLICATION

    def _one(self, ask: str) -> int:
        return int(self.connection.execute(ask).fetchone()[0])


_UNWRITABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_READING = (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ)
_SAFE = "Finished tasks are safe"


def _said(failure: sqlite3.Error, where: Path, timeout: float) -> str:
    if where.is_dir():
        return f"{where}: is a folder, not a journal. Name a file within it"
    match _kind(failure):
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return _damaged(where, failure)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return (
                f"{where}: another process has kept it locked for {timeout:g} seconds. {_SAFE};"
                " wait for that process, or end it, and start again"
            )
        case sqlite3.SQLITE_FULL:
            return f"{where}: the disk is full. {_SAFE}; free some space and start again"
        case sqlite3.SQLITE_IOERR:
            return (
                f"{where}: cannot be read or written ({failure}). {_SAFE}; see whether the disk or"
                " memory is full, a limit is set on the size of files, or the drive is gone, and"
                " start again"
            )
        case sqlite3.SQLITE_CANTOPEN:
            return _unopened(where)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return (
                f"{where}: cannot be written to ({failure}). {_SAFE};"
                " permit writing to it and its folder, or choose another folder"
            )
        case None if isinstance(failure, sqlite3.OperationalError):
            return _damaged(where, failure)  # Python found text that is no UTF-8
    return f"{where}: {failure}"


def _unopened(where: Path) -> str:
    if not where.parent.is_dir():
        return f"{where}: there is no folder {where.parent}. Make it first"
    return f"{where}: cannot be opened. Permit reading and writing there, or choose another folder"


def _exhausted(failure: BaseException | None) -> bool:
    """A quota, a limit on files or too little memory is an I/O error of anything but reading."""
    kind, code = _kind(failure), getattr(failure, "sqlite_errorcode", None)
    return kind == sqlite3.SQLITE_FULL or (kind == sqlite3.SQLITE_IOERR and code not in _READING)


def _damaged(where: Path, why: object) -> str:
    return (
        f"{where}: is damaged, or no journal: {why}. Move it away to start anew;"
        f" `sqlite3 {where} .recover` may save rows"
    )


def _kind(failure: BaseException | None) -> int | None:
    """SQLite's number without its finer distinctions."""
    code = getattr(failure, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _unfinished(where: Path) -> bool:
    """Does something wait that has not come into the file itself?"""
    waiting = where.with_name(where.name + "-wal")
    return waiting.exists() and waiting.stat().st_size > 0
