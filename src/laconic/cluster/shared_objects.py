"""Objects that pass through a folder: pickled, with every large array in a file of its own.

An array that many calls share is written once, and read through the page cache of each machine.
"""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any
from uuid import uuid4
from weakref import finalize, ref

import numpy as np
from numpy.typing import NDArray

from laconic.errors import unwritable

# Bytes from which an array is a file.
LARGE = 1 << 16


class SharedObjects:
    """Pickles objects for other processes. A file stays as long as its array."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[int, tuple[ref[NDArray[Any]], Path]] = {}

    def dumps(self, value: Any) -> bytes:
        stream = io.BytesIO()
        _Pickler(stream, self._file_of).dump(value)
        return stream.getvalue()

    def _file_of(self, array: NDArray[Any]) -> Path:
        alive, file = self._files.get(id(array), (None, None))
        if alive is not None and file is not None and alive() is array:
            return file
        file = write_array(array, self.folder)
        self._files[id(array)] = ref(array), file
        removal = finalize(array, _forget, self._files, id(array), file)
        removal.atexit = False  # the folder is removed then
        return file


def _forget(files: dict[int, Any], number: int, file: Path) -> None:
    files.pop(number, None)
    file.unlink(missing_ok=True)


def dumps_once(value: Any, folder: Path) -> bytes:
    """Pickle a value for one reader, who removes the files."""
    stream = io.BytesIO()
    _Pickler(stream, lambda array: write_array(array, folder)).dump(value)
    return stream.getvalue()


def loads(data: bytes) -> Any:
    """The value; its large arrays are read-only memory maps."""
    return _Unpickler(io.BytesIO(data), _mapped).load()


def loads_once(data: bytes) -> Any:
    """The value of `dumps_once`, in memory; its files are removed."""
    return _Unpickler(io.BytesIO(data), _taken).load()


def write_array(array: NDArray[Any], folder: Path) -> Path:
    file = folder / f"{uuid4().hex}.npy"
    try:
        np.save(file, array, allow_pickle=False)
    except OSError as failure:
        file.unlink(missing_ok=True)
        raise unwritable(
            failure,
            f"{file}: arrays are passed as files in the shared folder, which cannot be written "
            f"({failure.strerror or failure}). Free space there, or choose another folder",
        ) from None
    return file


class _Pickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, file_of: Any) -> None:
        super().__init__(stream, protocol=5)
        self._file_of = file_of

    def persistent_id(self, value: Any) -> str | None:
        plain = type(value) is np.ndarray and not value.dtype.hasobject
        return str(self._file_of(value)) if plain and value.nbytes >= LARGE else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, read: Any) -> None:
        super().__init__(stream)
        self._read = read

    def persistent_load(self, file: str) -> Any:
        return self._read(Path(file))


def _mapped(file: Path) -> NDArray[Any]:
    return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))


def _taken(file: Path) -> NDArray[Any]:
    array: NDArray[Any] = np.load(file, allow_pickle=False)
    file.unlink(missing_ok=True)
    return array
