"""From what a user names to files: a path, a folder, a glob, an address such as s3://…, or several.

Addresses with :// are opened by fsspec, which is imported only for them.
"""

from __future__ import annotations

import glob
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

from laconic.errors import CorpusError

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
# The extra that installs what opens the addresses of a scheme; others need fsspec alone.
EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "hf": "hf"}
EXTRAS |= {"http": "http", "https": "http"}
REMOTE = "remote"
# Schemes whose files exist in one process only.
OF_THIS_PROCESS = ("memory",)
NUMBER = re.compile(r"([0-9]+)")
# Schemes that do not say whether a file exists, or has changed, without reading it.
WEB = ("http", "https")
# Files that Spark, Hive and operating systems write next to the data.
HIDDEN = (".", "_")


def scheme_of(where: str | PathLike[str]) -> str | None:
    """The scheme of an address that fsspec opens, such as "s3"; None for a path."""
    match = SCHEME.match(fspath(where))
    return None if match is None else match[1].lower()


def is_glob(where: str | PathLike[str]) -> bool:
    """Whether it is a pattern for names, and no file of that name exists."""
    if scheme_of(where) is not None:
        return re.search(r"[*\[]", fspath(where)) is not None  # ? begins the query of a web address
    return glob.has_magic(fspath(where)) and not os.path.lexists(where)


def is_folder(where: str | PathLike[str]) -> bool:
    if scheme_of(where) is None:
        return os.path.isdir(where)
    if is_glob(where):
        return False
    with _remote(where) as (system, path):
        return bool(system.isdir(path))


def list_files(where: str | PathLike[str] | Sequence[str | PathLike[str]]) -> list[str]:
    """The files that `where` names, in the order of their names; numbers in names count as numbers.

    Parameters
    ----------
    where : str, path or a sequence of them
        A file; a folder, which stands for the files in it, without those whose name begins with a
        point or an underscore; a glob; or an address or a glob of addresses that fsspec reads.

    Raises
    ------
    CorpusError
        Nothing has this name, or a file is named twice.
    """
    several = [where] if isinstance(where, str | PathLike) else list(where)
    if not several:
        raise CorpusError("no file was given. Give a file, a folder, a glob or an address.")
    files = [file for name in several for file in _files_of(name)]
    _refuse_repeated(files)
    return sorted(files, key=natural_order)


def natural_order(name: str) -> tuple[list[str | int], str]:
    """A key that sorts part-2 before part-10."""
    parts = NUMBER.split(name)
    return [int(part) if at % 2 else part for at, part in enumerate(parts)], name


def open_address(where: str | PathLike[str]) -> tuple[IO[bytes] | io.RawIOBase, int]:
    """A file as a binary stream, and its size in bytes; raises as `open` does."""
    if scheme_of(where) is None:
        file = io.FileIO(fspath(where), "rb")
        return file, os.fstat(file.fileno()).st_size
    with _remote(where) as (system, path):
        return system.open(path, "rb"), int(system.size(path) or 0)


def size_of(where: str | PathLike[str]) -> int:
    """The size of a file in bytes, 0 if it is unknown."""
    try:
        if scheme_of(where) is None:
            return os.path.getsize(where)
        with _remote(where) as (system, path):
            return int(system.size(path) or 0)
    except (OSError, CorpusError):
        return 0  # opening it will say why


def version_of(where: str | PathLike[str]) -> str | None:
    """What changes with the contents of a file: its size and time, or what the service says.

    None if that is not known.
    """
    scheme = scheme_of(where)
    if scheme in WEB:
        return None
    try:
        if scheme is None:
            status = os.stat(where)
            return f"{status.st_size} {status.st_mtime_ns}"
        with _remote(where) as (system, path):
            return str(system.ukey(path))
    except (OSError, ValueError, CorpusError):
        return None


def _files_of(where: str | PathLike[str]) -> list[str]:
    name = fspath(where)
    if scheme_of(name) is not None:
        files = _remote_files(name)
    elif is_glob(name):
        files = [file for file in glob.glob(name, recursive=True) if os.path.isfile(file)]
    elif os.path.isdir(name):
        files = [file for file in map(str, Path(name).iterdir()) if os.path.isfile(file)]
    else:
        return [name]
    visible = [file for file in files if not file.rpartition("/")[2].startswith(HIDDEN)]
    if not visible:
        raise CorpusError(
            "no file matches this pattern. Check the folder and the pattern, and quote it for the "
            "shell."
            if is_glob(name)
            else "the folder has no files. Give a folder with files, or a glob.",
            where=name,
        )
    return visible


def _remote_files(address: str) -> list[str]:
    with _remote(address) as (system, path):
        if is_glob(address):
            entries = system.glob(path, detail=True).values()
        elif system.isdir(path):
            entries = system.ls(path, detail=True)
        elif scheme_of(address) in WEB or system.exists(path):
            return [address]
        else:
            raise CorpusError("there is no such file or folder. Check the address.", where=address)
        names = [entry["name"] for entry in entries if entry["type"] == "file"]
        return [system.unstrip_protocol(name) for name in names]


@contextmanager
def _remote(where: str | PathLike[str]) -> Iterator[tuple[Any, str]]:
    """The file system of an address and the path in it; what goes wrong there names the address."""
    scheme = scheme_of(where)
    try:
        from fsspec.core import url_to_fs

        yield url_to_fs(fspath(where))
    except ImportError as problem:
        without_fsspec = (problem.name or "").startswith("fsspec")
        extra = EXTRAS.get(scheme or "", REMOTE if without_fsspec else "")
        advice = f"pip install 'laconic[{extra}]'" if extra else "install it with pip"
        raise CorpusError(
            f"addresses with {scheme}:// need a package that is not installed ({problem}): "
            f"{advice}.",
            where=where,
        ) from problem
    except (FileNotFoundError, IsADirectoryError, PermissionError, CorpusError):
        raise
    except Exception as problem:  # every backend has errors of its own
        raise CorpusError(
            f"cannot be read ({type(problem).__name__}: {problem}). Check the address, and the "
            "credentials in the environment.",
            where=where,
        ) from problem


def _refuse_repeated(files: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for file in files:
        scheme = scheme_of(file)
        rest = file.partition("://")[2].lstrip("/")
        place = os.path.realpath(file) if scheme is None else f"{scheme}://{rest}"
        if place in seen:
            first = seen[place]
            other = "" if first == file else f", the first time as {first}"
            raise CorpusError(f"this file is named twice{other}. Name every file once.", where=file)
        seen[place] = file
