"""The files of a folder or of a tar archive, read in the same way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from laconic.corpus.builder import amount
from laconic.corpus.io.limits import Where, too_large_error
from laconic.corpus.io.streams import is_tar, tar_members
from laconic.corpus.options import MIB, ReadOptions
from laconic.errors import CorpusError


def iter_files(
    where: Where, options: ReadOptions, notes: list[str]
) -> Iterator[tuple[str, BinaryIO]]:
    """Names, with slashes, and contents of all files that are not hidden; read each immediately."""
    if os.path.isdir(where):
        return _folder(Path(where), options, notes)
    if is_tar(where):
        return (
            (name, file)
            for name, file in tar_members(where, options)
            if not any(part.startswith(".") for part in name.split("/"))
        )
    raise CorpusError(
        "is neither a folder nor a tar archive. Give the folder of the documents, or a .tar, "
        ".tar.gz, .tar.xz or .tar.bz2 of it.",
        where=where,
    )


def _folder(folder: Path, options: ReadOptions, notes: list[str]) -> Iterator[tuple[str, BinaryIO]]:
    sizes = {file: file.stat().st_size for file in _plain_files(folder, notes)}
    total = sum(sizes.values())
    if total > options.max_input_bytes:
        raise too_large_error(folder, options.max_input_bytes)
    done = reported = 0
    for file, size in sizes.items():
        try:
            with file.open("rb") as content:
                yield file.relative_to(folder).as_posix(), content
        except OSError as problem:
            raise CorpusError(f"cannot be read: {problem.strerror}.", where=file) from problem
        done += size
        if options.progress is not None and (done - reported >= MIB or done == total):
            reported = done
            options.progress(done, total)


def _plain_files(folder: Path, notes: list[str]) -> list[Path]:
    files, skipped = [], []
    for root, folders, names in os.walk(folder, onerror=_raise_unreadable):
        linked = [name for name in folders if Path(root, name).is_symlink()]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names + linked):
            file = Path(root, name)
            if name.startswith("."):
                continue
            if file.is_file() and _is_inside(file, folder):
                files.append(file)
            else:
                skipped.append(file.relative_to(folder).as_posix())
    if skipped:
        notes.append(
            f"{amount(len(skipped), 'link or device', 'links or devices')} in the folder left out, "
            f"such as {skipped[0]}"
        )
    return files


def _is_inside(file: Path, folder: Path) -> bool:
    return not file.is_symlink() or file.resolve().is_relative_to(folder.resolve())


def _raise_unreadable(problem: OSError) -> None:
    raise CorpusError(f"cannot be read: {problem.strerror}.", where=problem.filename) from problem
