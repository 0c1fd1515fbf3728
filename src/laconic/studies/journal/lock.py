"""`exclusive`: one study at a time in a folder, however the previous one ended."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from laconic.errors import LaconicError, unwritable


@contextmanager
def exclusive(where: Path | str) -> Iterator[None]:
    """Hold the lock beside the journal `where`; `journal.db` has `journal.lock`.

    The kernel releases it when the process ends, even by `kill -9`. The file stays: if it were
    removed, two processes could lock two files of one name.
    """
    beside = Path(where).with_suffix(".lock")
    lock = FileLock(beside, timeout=0, fallback_to_soft=False, preserve_lock_file=True)
    try:
        beside.touch()  # FileLock would create the folder too
        lock.acquire()
    except Timeout:
        raise LaconicError(
            f"{beside.parent}: another study{_holder(beside)} is running here."
            " Wait for it, or choose another folder"
        ) from None
    except OSError as failure:
        raise unwritable(
            failure,
            f"{beside}: cannot be written ({failure.strerror})."
            " Choose a folder on a local disk that exists and can be written to",
        ) from None
    try:
        # only for the message of the next process: a full disk may prevent it
        with suppress(OSError):
            beside.write_text(f"{os.getpid()} {platform.node()}\n", encoding="utf-8")
        yield
    finally:
        lock.release()


def _holder(beside: Path) -> str:
    """The process that holds the lock; empty on Windows, where nobody else reads the file."""
    with suppress(OSError):
        pid, _, host = beside.read_text("utf-8", "replace").strip().partition(" ")
        return f" (process {pid} on {host})" if pid else ""
    return ""
