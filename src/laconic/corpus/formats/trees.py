"""A tree of files, read alike from a folder on disk and straight out of a tar archive."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from laconic.corpus.builder import amount
from laconic.corpus.formats.guarding import Where, too_big
from laconic.corpus.formats.opening import is_tar, members
from laconic.corpus.options import MIB, ReadOptions
from laconic.errors import CorpusError


def tree(where: Where, reading: ReadOptions, notes: list[str]) -> Iterator[tuple[str, BinaryIO]]:
    """Names, with slashes, and contents of all files that are not hidden; read each at once."""
    if os.path.isdir(where):
        return _folder(Path(where), reading, notes)
    if is_tar(where):
        return (
            (name, file)
            for name, file in members(where, reading)
            if not any(part.startswith(".") for part in name.split("/"))
        )
    raise CorpusError(
        "is neither a folder nor a tar archive. Name the folder of the documents, or a .tar, "
        ".tar.gz, .tar.xz or .tar.bz2 of it.",
        where=where,
    )


def _folder(folder: Path, reading: ReadOptions, notes: list[str]) -> Iterator[tuple[str, BinaryIO]]:
    sizes = {file: file.stat().st_size for file in _plain_files(folder, notes)}
    total = sum(sizes.values())
    if total > reading.max_bytes:
        raise too_big(folder, reading.max_bytes)
    done = told = 0
    for file, size in sizes.items():
        try:
            with file.open("rb") as content:
                yield file.relative_to(folder).as_posix(), content
        except OSError as problem:
            raise CorpusError(f"cannot be read: {problem.strerror}.", where=file) from problem
        done += size
        if reading.progress is not None and (done - told >= MIB or done == total):
            told = done
            reading.progress(done, total)


def _plain_files(folder: Path, notes: list[str]) -> list[Path]:
    files, refused = [], []
    for here, folders, names in os.walk(folder, onerror=_refuse):
        linked = [name for name in folders if Path(here, name).is_symlink()]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names + linked):
            file = Path(here, name)
            if name.startswith("."):
                continue
            if file.is_file() and _is_inside(file, folder):
                files.append(file)
            else:
                refused.append(file.relative_to(folder).as_posix())
    if refused:
        notes.append(
            f"{amount(len(refused), 'link or device', 'links or devices')} in the folder left out, "
            f"such as {refused[0]}"
        )
    return files


def _is_inside(file: Path, folder: Path) -> bool:
    return not file.is_symlink() or file.resolve().is_relative_to(folder.resolve())


def _refuse(problem: OSError) -> None:
    raise CorpusError(f"cannot be read: {problem.strerror}.", where=problem.filename) from problem
