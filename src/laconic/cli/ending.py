"""How the command ends: in a result, or in one line on standard error and a code for its kind.

Whatever goes wrong passes through `one_line`, so that no command needs to think of a full disk, a
closed pipe or a name that is too long.
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
# how a library that cannot be loaded and a thread that cannot be started say so
NO_MEMORY = ("cannot allocate memory", "failed to map segment", "can't start new thread")


class Code(IntEnum):
    """The exit codes; those above 128 are 128 and a signal, as shells have it."""

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
  3    memory or disk space ran out; what is finished is kept
  70   a bug of Laconic; {TRACEBACK}=1 shows the traceback
  130  interrupted (Ctrl-C), 143 terminated, 141 the reader of the output left
"""

AGAIN = "and give the same command again: a study keeps its finished tasks"
FREE_MEMORY = (
    "Free memory, or ask for less (--jobs 1, a larger --min-df, fewer documents), " + AGAIN
)
FREE_DISK = "Free disk space, or choose another disk, " + AGAIN
INTERRUPTED = (
    "interrupted; nothing half-written is left, and a study goes on where it was when the same "
    "command is given again"
)
ADVICE = {
    errno.ENAMETOOLONG: "Choose a shorter name",
    errno.ELOOP: "Its links lead back to themselves: name the file itself",
    errno.EACCES: "Change its permissions, or choose another place",
    errno.EPERM: "Change its permissions, or choose another place",
    errno.EROFS: "Choose a place that can be written to",
}


@contextmanager
def one_line() -> Iterator[None]:
    """Turns whatever goes wrong within into one line and click's `Exit` with the code."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # a full disk may show only now
    except click.exceptions.Exit:
        raise
    except BaseException as failure:
        raise click.exceptions.Exit(_conclude(failure)) from None
    finally:
        _give_up_unwritable()


def _conclude(failure: BaseException) -> int:
    """Say what went wrong; the code to exit with."""
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
            said = failure if isinstance(failure, LaconicError) else cause
            return Code.EXHAUSTED, f"{_said(said)}. {advice}"
    if line := _invalid(failure):
        return Code.INVALID, line
    return Code.BUG, _bug(failure)


def _exhausted(cause: BaseException) -> str:
    """What to do if this says that something ran out, else nothing."""
    number = cause.errno if isinstance(cause, OSError) else None
    if isinstance(cause, MemoryError) or number in OUT_OF_MEMORY:
        return FREE_MEMORY
    if isinstance(cause, ImportError | RuntimeError) and any(
        sign in str(cause).lower() for sign in NO_MEMORY
    ):
        return FREE_MEMORY
    return FREE_DISK if number in OUT_OF_DISK else ""


def _invalid(failure: BaseException) -> str:
    """The line about something that the user can change, else nothing."""
    match failure:
        case LaconicError():
            return str(failure)
        case OSError():
            advice = ADVICE.get(failure.errno or 0, "Check its name and its permissions")
            return f"{_said(failure)}. {advice}"
        case UnicodeError():
            return f"a text cannot be decoded or encoded ({failure}). Check --encoding"
        case RecursionError():
            return "the input is nested too deeply. Make it flatter"
        case sqlite3.Error():
            return f"a journal cannot be read ({failure}). Move it away to start again"
        case ValueError() if "embedded null" in str(failure):
            return "a file name has a NUL character in it. Remove it"
    return ""


def _said(failure: BaseException) -> str:
    """What happened, without a final full stop."""
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
        f"this is a bug of Laconic: {type(failure).__name__}: {failure}{place}. "
        f"Please report it with the traceback, which {TRACEBACK}=1 shows"
    )


def _short(name: str) -> str:
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"


def _chain(failure: BaseException | None) -> Iterator[BaseException]:
    """The exception and those it came from, also where `from None` hides them."""
    seen: set[int] = set()
    while failure is not None and id(failure) not in seen:
        seen.add(id(failure))
        yield failure
        failure = failure.__cause__ or failure.__context__


def _closed_pipe(failure: BaseException | None) -> bool:
    return isinstance(failure, OSError) and failure.errno == errno.EPIPE


def _code_of(ended: SystemExit) -> int:
    if ended.code is None:
        return Code.DONE
    return ended.code if isinstance(ended.code, int) else Code.INVALID


def _give_up_unwritable() -> None:
    """A stream with text that cannot be written would make Python complain when it ends."""
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
