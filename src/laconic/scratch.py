"""`ScratchFolder`: temporary files, removed even if the process that made them is killed."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import Any
from weakref import WeakValueDictionary, finalize

from filelock import BaseFileLock, FileLock, Timeout

from laconic.errors import unwritable

FOLDER_PREFIX = "laconic-scratch-"
LOCK = "lock"
OTHER_FOLDER = "set TMPDIR to another folder"
# Those of this process, by their paths.
_live: WeakValueDictionary[Path, ScratchFolder] = WeakValueDictionary()


class ScratchFolder:
    """A new temporary folder; it is removed on `close`, with this object, or with the process.

    The process holds a lock on the folder, which ends with the process: the next scratch folder
    that is made removes folders without a lock. The name of the folder contains the process id.
    In this process a copy, by `copy` or `pickle`, is the same object; in another process, which
    does not own the folder, it is None.

    Parameters
    ----------
    where : the folder to make it in; by default the system's folder for temporary files
    advice : what the user can do if that folder cannot be written
    """

    def __init__(self, where: Path | None = None, advice: str = OTHER_FOLDER) -> None:
        parent = Path(gettempdir()) if where is None else where
        try:
            parent.mkdir(parents=True, exist_ok=True)
            remove_leftovers(parent)
            self.path, lock = _new_folder(parent)
        except OSError as failure:
            raise unwritable(
                failure,
                f"{parent}: temporary files cannot be written ({failure.strerror}). Free space "
                f"there, or {advice}",
            ) from None
        self._remove = finalize(self, _remove, self.path, lock, os.getpid())
        _live[self.path] = self

    def __reduce__(self) -> tuple[Any, ...]:
        return live_folder, (self.path,)

    def close(self) -> None:
        self._remove()


def live_folder(path: Path) -> ScratchFolder | None:
    """The scratch folder with this path, if this process has it."""
    return _live.get(path)


def remove_leftovers(parent: Path) -> None:
    """Remove the scratch folders of killed processes."""
    for folder in parent.glob(f"{FOLDER_PREFIX}*"):
        if folder.is_symlink():
            continue
        with suppress(OSError):
            with FileLock(folder / LOCK, timeout=0):
                rmtree(folder, ignore_errors=True)
            folder.rmdir()  # on Windows the lock file is deleted only now


def _new_folder(parent: Path) -> tuple[Path, BaseFileLock]:
    """A new locked folder. Before it is locked, another process may remove it."""
    while True:
        folder = Path(mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-", dir=parent))
        # the garbage collector may release it in another thread
        lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
        with suppress(Timeout):
            lock.acquire()
            return folder, lock


def _remove(folder: Path, lock: BaseFileLock, process: int) -> None:
    if os.getpid() != process:  # a forked child, which inherits the object but does not own it
        return
    lock.release()
    rmtree(folder, ignore_errors=True)
