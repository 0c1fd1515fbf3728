"""What SQLite's errors mean for a study, and what to do about them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

UNWRITABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_READING = (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ)
_SAFE = "Finished tasks are safe"


def message(failure: sqlite3.Error, where: Path, timeout: float) -> str:
    if where.is_dir():
        return f"{where}: is a folder, not a journal. Name a file within it"
    match primary_code(failure):
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return damaged(where, failure)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return (
                f"{where}: another process has kept it locked for {timeout:g} seconds. {_SAFE};"
                " wait for that process, or end it, and run the study again"
            )
        case sqlite3.SQLITE_FULL:
            return f"{where}: the disk is full. {_SAFE}; free some space and run the study again"
        case sqlite3.SQLITE_IOERR:
            return (
                f"{where}: cannot be read or written ({failure}). {_SAFE}; check whether the disk"
                " or memory is full, the size of files is limited, or the drive is disconnected,"
                " and run the study again"
            )
        case sqlite3.SQLITE_CANTOPEN:
            return _not_opened(where)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return (
                f"{where}: cannot be written to ({failure}). {_SAFE};"
                " allow writing to it and its folder, or choose another folder"
            )
        case None | sqlite3.SQLITE_ERROR if isinstance(failure, sqlite3.OperationalError):
            return damaged(where, failure)  # text that is not UTF-8, or a table is missing
    return f"{where}: {failure}"


def _not_opened(where: Path) -> str:
    if not where.parent.is_dir():
        return f"{where}: there is no folder {where.parent}. Create it first"
    return f"{where}: cannot be opened. Allow reading and writing there, or choose another folder"


def is_exhausted(failure: BaseException | None) -> bool:
    """A quota, a limit on files or too little memory gives an I/O error other than in reading."""
    kind, code = primary_code(failure), getattr(failure, "sqlite_errorcode", None)
    return kind == sqlite3.SQLITE_FULL or (kind == sqlite3.SQLITE_IOERR and code not in _READING)


def damaged(where: Path, why: object) -> str:
    return (
        f"{where}: damaged, or not a journal: {why}. Move it away, and run the study again;"
        f" `sqlite3 {where} .recover` may save rows"
    )


def primary_code(failure: BaseException | None) -> int | None:
    """SQLite's primary error code."""
    code = getattr(failure, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
