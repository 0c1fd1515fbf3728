"""Problems as folders of arrays, which processes share through the page cache.

Each worker would need its own copy of a pickled X; a memory-mapped file is in memory once.
"""

from __future__ import annotations

import json
import os
import pickle
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from laconic.errors import unwritable
from laconic.numerics.blocks import Blocks
from laconic.scratch import OTHER_FOLDER, ScratchFolder
from laconic.text.problem import Problem
from laconic.types import Matrix

METADATA = "problem.json"
MATRICES = ("X_train", "X_test")
CSR_ARRAYS = ("data", "indices", "indptr")
LABELS = ("y_train", "y_test")
BLOCKS = ".blocks"


def write_problem(problem: Problem, folder: Path, *, link_from: Path | None = None) -> None:
    """Write the problem into a new folder, without its words: training needs numbers only.

    `link_from` is the folder of a problem with the same X: its files are linked, not copied.
    """
    try:
        folder.mkdir(parents=True)
        for name in MATRICES:
            _write_matrix(getattr(problem, name), folder, name, link_from)
        for name in LABELS:
            _write_matrix(getattr(problem, name), folder, name)
        if problem.columns is not None:
            _write(problem.columns, folder / "columns.npy")
        (folder / METADATA).write_text(json.dumps(_metadata(problem)))
    except OSError as failure:
        raise unwritable(
            failure,
            f"{folder}: the vectors of {problem.name} cannot be written "
            f"({failure.strerror or failure}). Workers share them as files: free some space there, "
            "or use --jobs 1, which writes none",
        ) from None


def open_problem(folder: Path) -> Problem:
    """The problem of a folder, as read-only memory maps; its vocabulary is empty."""
    metadata = json.loads((folder / METADATA).read_text())
    columns = folder / "columns.npy"
    return Problem(
        name=metadata["name"],
        vocabulary=np.empty(0, dtype=object),
        classes=tuple(metadata["classes"]),
        fold=metadata["fold"],
        columns=_memory_map(columns) if columns.exists() else None,
        **{name: _open_matrix(folder, name, metadata[name]) for name in (*MATRICES, *LABELS)},
    )


class ProblemStore:
    """A scratch folder of problems, each kept as long as a job needs it."""

    def __init__(self, where: Path | None = None) -> None:
        advice = f"{OTHER_FOLDER}, or use --jobs 1: workers share vectors as files"
        self._scratch = ScratchFolder(where, advice)
        self.folder = self._scratch.path
        self._numbers = count()
        self._needed: Counter[Path] = Counter()
        self._newest: tuple[Problem, Path] | None = None

    def acquire(self, problem: Problem) -> Path:
        """The folder of the problem, for one more job; written if the problem is a new one."""
        if self._newest is None or self._newest[0] is not problem:
            self._add(problem)
        assert self._newest is not None
        self._needed[self._newest[1]] += 1
        return self._newest[1]

    def release(self, folder: Path) -> None:
        """End the use of the folder by one job."""
        self._needed[folder] -= 1
        self._remove_unused()

    def finish(self) -> None:
        """The newest problem gets no further jobs."""
        self._newest = None
        self._remove_unused()

    def release_all(self) -> None:
        """End all uses of all folders."""
        self._needed.subtract(dict(self._needed))
        self.finish()

    def close(self) -> None:
        self._scratch.close()

    def _add(self, problem: Problem) -> None:
        """Write the problem; the previous one may be removed first, unless its X is linked."""
        previous, self._newest = self._newest, None
        link_from = None
        if previous is not None and _same_matrices(problem, previous[0]):
            link_from = previous[1]
        else:
            self._remove_unused()
        folder = self.folder / f"problem-{next(self._numbers)}"
        write_problem(problem, folder, link_from=link_from)
        self._newest = problem, folder
        self._needed[folder] = 0
        self._remove_unused()

    def _remove_unused(self) -> None:
        newest = None if self._newest is None else self._newest[1]
        for folder in [f for f, n in self._needed.items() if n <= 0 and f != newest]:
            del self._needed[folder]
            rmtree(folder, ignore_errors=True)


def _same_matrices(first: Problem, second: Problem) -> bool:
    """Whether both share X, as the targets of one split do."""
    return first.X_train is second.X_train and first.X_test is second.X_test


def _metadata(problem: Problem) -> dict[str, Any]:
    matrices = {name: getattr(problem, name) for name in (*MATRICES, *LABELS)}
    return {
        "name": problem.name,
        "fold": problem.fold,
        "classes": problem.classes,
        **{name: _flags(X) if issparse(X) else None for name, X in matrices.items()},
    }


def _flags(X: csr_array) -> dict[str, Any]:
    return {
        "shape": X.shape,
        "canonical": bool(X.has_canonical_format),
        "in_order": bool(X.has_sorted_indices),
    }


def _write_matrix(X: Matrix, folder: Path, name: str, link_from: Path | None = None) -> None:
    """The arrays of a sparse matrix, an array, or blocks: of these, where they are stored."""
    if isinstance(X, Blocks):
        (folder / f"{name}{BLOCKS}").write_bytes(pickle.dumps(X))
        return
    if not issparse(X):
        _write(X, folder / f"{name}.npy")
        return
    for part in CSR_ARRAYS:
        file = f"{name}.{part}.npy"
        if link_from is not None:
            with suppress(OSError):  # a file system without links
                os.link(link_from / file, folder / file)
                continue
        _write(getattr(X, part), folder / file)


def _write(array: NDArray[Any], file: Path) -> None:
    np.save(file, array, allow_pickle=False)


def _open_matrix(folder: Path, name: str, flags: dict[str, Any] | None) -> Matrix:
    if flags is not None:
        return _open_sparse(folder, name, **flags)
    if (blocks := folder / f"{name}{BLOCKS}").exists():
        return pickle.loads(blocks.read_bytes())
    return _memory_map(folder / f"{name}.npy")


def _open_sparse(
    folder: Path, name: str, *, shape: list[int], canonical: bool, in_order: bool
) -> csr_array:
    """The arrays are set one by one: the constructor may copy indices into another type.

    The flags are stored, or scipy would scan X, and might try to sort it in place.
    """
    data, indices, indptr = (_memory_map(folder / f"{name}.{part}.npy") for part in CSR_ARRAYS)
    X = csr_array(tuple(shape), dtype=data.dtype)
    X.data, X.indices, X.indptr = data, indices, indptr
    X.has_sorted_indices = in_order
    X.has_canonical_format = canonical
    return X


def _memory_map(file: Path) -> NDArray[Any]:
    return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))
