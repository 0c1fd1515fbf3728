"""How the command ends: with a result, or with one line on standard error and an exit code.

Every failure passes through `one_line`, so no command needs to handle a full disk, a closed pipe
or a name that is too long.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import Any

import click

from laconic.cli.console import printable, say_aside
from laconic.errors import OUT_OF_DISK, OUT_OF_MEMORY, LaconicError, ResourceError

TRACEBACK = "LACONIC_TRACEBACK"
LONGEST_NAME = 200
# messages of a library that cannot be loaded and of a thread that cannot be started
NO_MEMORY = ("cannot allocate memory", "failed to map segment", "can't start new thread")


class Code(IntEnum):
    """The exit codes; those above 128 are 128 plus a signal, as in shells."""

    DONE = 0
    SOME_FAILED = 1
    INVALID = 2
    EXHAUSTED = 3
    BUG = 70
    INTERRUPTED = 130
    CLOSED_PIPE = 141
    TERMINATED = 143


EXIT_CODES = f"""\b
Exit codes:
  0    done
  1    done, but some tasks of the study failed
  2    the input or an option is invalid
  3    memory or disk space ran out; finished work is kept
  70   a bug in Laconic; {TRACEBACK}=1 shows the traceback
  130  interrupted (Ctrl-C), 143 terminated, 141 the output was closed
"""

AGAIN = "and run the same command again: a study keeps its finished tasks"
FREE_MEMORY = "Free memory, or use less (--jobs 1, a larger --min-df, fewer documents), " + AGAIN
FREE_DISK = "Free disk space, or choose another disk, " + AGAIN
INTERRUPTED = (
    "interrupted; no incomplete files are left. Run the same command again to resume a study"
)
ADVICE = {
    errno.ENAMETOOLONG: "Choose a shorter name",
    errno.ELOOP: "Its links form a loop: name the file itself",
    errno.EACCES: "Change its permissions, or choose another place",
    errno.EPERM: "Change its permissions, or choose another place",
    errno.EROFS: "Choose a place that can be written to",
}


@contextmanager
def one_line() -> Iterator[None]:
    """Turn every exception of the block into one line and click's `Exit` with the code."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # may be the first to fail on a full disk
    except click.exceptions.Exit:
        raise
    except BaseException as failure:
        raise click.exceptions.Exit(_conclude(failure)) from None
    finally:
        _discard_unwritable()


def _conclude(failure: BaseException) -> int:
    """Print what went wrong; return the exit code."""
    if os.environ.get(TRACEBACK, "0") not in ("", "0"):
        say_aside("".join(traceback.format_exception(failure)).rstrip())
    if isinstance(failure, click.ClickException):
        with suppress(OSError):
            failure.show()
        return failure.exit_code
    if isinstance(failure, SystemExit) and not _closed_pipe(failure.__context__):
        return _code_of(failure)
    code, line = _described(failure)
    if line:
        say_aside(f"laconic: {printable(' '.join(line.split()))}")
    return code


def _described(failure: BaseException) -> tuple[Code, str]:
    if isinstance(failure, KeyboardInterrupt | click.Abort):
        return Code.INTERRUPTED, INTERRUPTED
    if _closed_pipe(failure) or isinstance(failure, SystemExit):
        return Code.CLOSED_PIPE, ""
    if isinstance(failure, ResourceError):
        return Code.EXHAUSTED, str(failure)
    for cause in _chain(failure):
        if advice := _exhausted(cause):
            shown = failure if isinstance(failure, LaconicError) else cause
            return Code.EXHAUSTED, f"{_message(shown)}. {advice}"
    if line := _invalid(failure):
        return Code.INVALID, line
    return Code.BUG, _bug(failure)


def _exhausted(cause: BaseException) -> str:
    """What to do if memory or disk space ran out, else nothing."""
    number = cause.errno if isinstance(cause, OSError) else None
    if isinstance(cause, MemoryError) or number in OUT_OF_MEMORY:
        return FREE_MEMORY
    if isinstance(cause, ImportError | RuntimeError) and any(
        phrase in str(cause).lower() for phrase in NO_MEMORY
    ):
        return FREE_MEMORY
    return FREE_DISK if number in OUT_OF_DISK else ""


def _invalid(failure: BaseException) -> str:
    """The message if the user can change the cause, else nothing."""
    match failure:
        case LaconicError():
            return str(failure)
        case OSError():
            advice = ADVICE.get(failure.errno or 0, "Check its name and its permissions")
            return f"{_message(failure)}. {advice}"
        case UnicodeError():
            return f"a text cannot be decoded or encoded ({failure}). Check --encoding"
        case RecursionError():
            return "the input is nested too deeply. Make it flatter"
        case sqlite3.Error():
            return f"a journal cannot be read ({failure}). Move it away to start again"
        case ValueError() if "embedded null" in str(failure):
            return "a file name contains a NUL character. Remove it"
    return ""


def _message(failure: BaseException) -> str:
    """The message of an exception, without a final full stop."""
    if isinstance(failure, MemoryError):
        return f"out of memory: {failure}" if str(failure) else "out of memory"
    if isinstance(failure, OSError):
        place = failure.filename if failure.filename is not None else "the output"
        return f"{_short(str(place))}: {failure.strerror or failure}"
    return str(failure).rstrip(".")


def _bug(failure: BaseException) -> str:
    frames = traceback.extract_tb(failure.__traceback__)[-1:]
    place = "".join(f" in {os.path.basename(f.filename)}, line {f.lineno}" for f in frames)
    return (
        f"this is a bug in Laconic: {type(failure).__name__}: {failure}{place}. "
        f"Please report it with the traceback, which {TRACEBACK}=1 shows"
    )


def _short(name: str) -> str:
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"


def _chain(failure: BaseException | None) -> Iterator[BaseException]:
    """The exception and its causes, including those that `from None` hides."""
    seen: set[int] = set()
    while failure is not None and id(failure) not in seen:
        seen.add(id(failure))
        yield failure
        failure = failure.__cause__ or failure.__context__


def _closed_pipe(failure: BaseException | None) -> bool:
    return isinstance(failure, OSError) and failure.errno == errno.EPIPE


def _code_of(exit: SystemExit) -> int:
    if exit.code is None:
        return Code.DONE
    return exit.code if isinstance(exit.code, int) else Code.INVALID


def _discard_unwritable() -> None:
    """Discard text that cannot be written, so that Python does not report it at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            _discard(stream)


def _discard(stream: Any) -> None:
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
