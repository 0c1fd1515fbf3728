"""Problems as folders of arrays, which processes share through the page cache.

A pickled X would be one more in memory for each worker; a file that all of them map is one.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.errors import unwritable
from laconic.vectors.problem import Problem

try:
    import fcntl
except ImportError:  # Windows: leftovers of killed studies stay until someone removes them
    fcntl = None  # type: ignore[assignment]

NAME = "laconic-staging-"
ABOUT = "problem.json"
MATRICES = ("X_train", "X_test")
PIECES = ("data", "indices", "indptr")
ANSWERS = ("y_train", "y_test")


def stage(problem: Problem, folder: Path, *, twin: Path | None = None) -> None:
    """Write the problem into a new folder, without its words: training needs numbers only.

    `twin` is where a problem with the same X was staged: its files are linked, not written again.
    """
    try:
        folder.mkdir(parents=True)
        for name in MATRICES:
            _write_matrix(getattr(problem, name), folder, name, twin)
        for name in ANSWERS:
            _write(getattr(problem, name), folder / f"{name}.npy")
        if problem.columns is not None:
            _write(problem.columns, folder / "columns.npy")
        (folder / ABOUT).write_text(json.dumps(_about(problem)))
    except OSError as failure:
        raise unwritable(
            failure,
            f"{folder}: the vectors of {problem.name} cannot be written "
            f"({failure.strerror or failure}). Workers share them as files: free space there, or "
            "use --jobs 1, which writes none",
        ) from None


def staged(folder: Path) -> Problem:
    """The problem of a folder, over read-only maps of its files; the vocabulary is empty."""
    about = json.loads((folder / ABOUT).read_text())
    columns = folder / "columns.npy"
    return Problem(
        name=about["name"],
        vocabulary=np.empty(0, dtype=object),
        classes=tuple(about["classes"]),
        fold=about["fold"],
        columns=_mapped(columns) if columns.exists() else None,
        **{name: _matrix(folder, name, **about[name]) for name in MATRICES},
        **{name: _mapped(folder / f"{name}.npy") for name in ANSWERS},
    )


class Staging:
    """A folder of staged problems, each there as long as a task needs it.

    Its owner holds a lock on it, which a killed process loses: whoever comes next removes folders
    that nobody holds. The name tells people the process.
    """

    def __init__(self, where: Path | None = None) -> None:
        parent = Path(gettempdir()) if where is None else where
        try:
            parent.mkdir(parents=True, exist_ok=True)
            remove_leftovers(parent)
            self.folder, self._lock = _own_folder(parent)
        except OSError as failure:
            raise unwritable(
                failure,
                f"{parent}: cannot be written ({failure.strerror}). Workers share their vectors "
                "there: choose another folder, or use --jobs 1",
            ) from None
        self._numbers = count()
        self._needed: Counter[Path] = Counter()
        self._newest: tuple[Problem, Path] | None = None

    def take(self, problem: Problem) -> Path:
        """The folder of the problem, for one more task; staged unless it was the last taken."""
        if self._newest is None or self._newest[0] is not problem:
            self._add(problem)
        assert self._newest is not None
        self._needed[self._newest[1]] += 1
        return self._newest[1]

    def leave(self, folder: Path) -> None:
        """A task with this folder is finished."""
        self._needed[folder] -= 1
        self._tidy()

    def no_more(self) -> None:
        """The newest problem gets no further tasks."""
        self._newest = None
        self._tidy()

    def clear(self) -> None:
        """Whatever tasks there were, none needs a folder now."""
        self._needed.subtract(dict(self._needed))
        self.no_more()

    def close(self) -> None:
        rmtree(self.folder, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _add(self, problem: Problem) -> None:
        """The newest before may go first, unless its X can be linked."""
        before, self._newest = self._newest, None
        twin = before[1] if before is not None and _same_matrices(problem, before[0]) else None
        if twin is None:
            self._tidy()
        folder = self.folder / f"problem-{next(self._numbers)}"
        stage(problem, folder, twin=twin)
        self._newest = problem, folder
        self._needed[folder] = 0
        self._tidy()

    def _tidy(self) -> None:
        newest = None if self._newest is None else self._newest[1]
        for folder in [f for f, tasks in self._needed.items() if tasks <= 0 and f != newest]:
            del self._needed[folder]
            rmtree(folder, ignore_errors=True)


def remove_leftovers(parent: Path) -> None:
    """Staging folders of processes that were killed."""
    for folder in parent.glob(f"{NAME}*"):
        with suppress(OSError):
            lock = _locked(folder)
            if lock is not None:
                rmtree(folder, ignore_errors=True)
                os.close(lock)


def _own_folder(parent: Path) -> tuple[Path, int | None]:
    """A new folder and the lock on it. Before it is locked, another start may take it away."""
    while True:
        folder = Path(mkdtemp(prefix=f"{NAME}{os.getpid()}-", dir=parent))
        try:
            lock = _locked(folder)
        except (BlockingIOError, FileNotFoundError):
            continue
        if folder.exists():
            return folder, lock


def _locked(folder: Path) -> int | None:
    """A lock on the folder that lasts as long as the process; None where there is no such thing."""
    if fcntl is None:
        return None
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:  # a file system without locks
        os.close(handle)
        return None
    return handle


def _same_matrices(one: Problem, other: Problem) -> bool:
    """The questions about one split share X."""
    return one.X_train is other.X_train and one.X_test is other.X_test


def _about(problem: Problem) -> dict[str, Any]:
    about: dict[str, Any] = {"name": problem.name, "fold": problem.fold, "classes": problem.classes}
    for name in MATRICES:
        X = getattr(problem, name)
        about[name] = {
            "shape": X.shape,
            "canonical": bool(X.has_canonical_format),
            "in_order": bool(X.has_sorted_indices),
        }
    return about


def _write_matrix(X: csr_array, folder: Path, name: str, twin: Path | None) -> None:
    for piece in PIECES:
        file = f"{name}.{piece}.npy"
        if twin is not None:
            with suppress(OSError):  # a file system without links
                os.link(twin / file, folder / file)
                continue
        _write(getattr(X, piece), folder / file)


def _write(array: NDArray[Any], file: Path) -> None:
    np.save(file, array, allow_pickle=False)


def _matrix(
    folder: Path, name: str, *, shape: list[int], canonical: bool, in_order: bool
) -> csr_array:
    """The pieces are set one by one: the constructor may copy indices into another type.

    The flags come along, or scipy would look through X, and might want to sort it in place.
    """
    data, indices, indptr = (_mapped(folder / f"{name}.{piece}.npy") for piece in PIECES)
    X = csr_array(tuple(shape), dtype=data.dtype)
    X.data, X.indices, X.indptr = data, indices, indptr
    X.has_sorted_indices = in_order
    X.has_canonical_format = canonical
    return X


def _mapped(file: Path) -> NDArray[Any]:
    return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))
