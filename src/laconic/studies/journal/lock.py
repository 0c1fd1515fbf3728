"""`exclusive`: one study at a time in a folder, however the previous one ended."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from laconic.errors import LaconicError, unwritable

try:
    import fcntl
except ImportError:  # Windows: two studies would share the work; no row is duplicated
    fcntl = None  # type: ignore[assignment]

_held: set[int] = set()


@contextmanager
def exclusive(where: Path | str) -> Iterator[None]:
    """Hold the lock beside the journal `where`; `journal.db` has `journal.lock`.

    The kernel releases it when the process ends, even by `kill -9`. The file stays: if it were
    removed, two processes could lock two files of one name.
    """
    if fcntl is None:
        yield
        return
    beside = Path(where).with_suffix(".lock")
    handle = _open(beside)
    _held.add(handle)
    try:
        _lock(handle, beside)
        _write_holder(handle)
        yield
    finally:
        # in a forked child it is closed already, and the number may belong to another file
        if handle in _held:
            _held.discard(handle)
            os.close(handle)


def _open(beside: Path) -> int:
    try:
        return os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as failure:
        raise unwritable(
            failure,
            f"{beside}: cannot be written ({failure.strerror})."
            " Choose a folder that exists and can be written to",
        ) from None


def _lock(handle: int, beside: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise LaconicError(
            f"{beside.parent}: another study{_holder(handle)} is running here."
            " Wait for it, or choose another folder"
        ) from None
    except OSError as failure:
        raise LaconicError(
            f"{beside}: cannot be locked ({failure.strerror}). Choose a folder on a local disk"
        ) from None


def _write_holder(handle: int) -> None:
    # only for the message of the next process: a full disk may prevent it
    with suppress(OSError):
        os.truncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()} {platform.node()}\n".encode(), 0)


def _holder(handle: int) -> str:
    pid, _, host = os.pread(handle, 1000, 0).decode("utf-8", "replace").strip().partition(" ")
    return f" (process {pid} on {host})" if pid else ""


def _release_in_child() -> None:
    """A forked worker must not keep the lock of a study that was killed."""
    while _held:
        os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_in_child)
