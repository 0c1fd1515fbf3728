"""Opening files that strangers wrote: plain or compressed, lines or archive members, with limits.

Compression is recognised by its first bytes, never by the name. Nothing is unpacked to disk, and
no line, file or archive grows in memory beyond what the `Reading` allows.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import IO, Any, BinaryIO

from laconic.corpus.formats.decoding import Decoding
from laconic.corpus.formats.guarding import (
    DAMAGE,
    CountedFile,
    GuardedStream,
    Where,
    damaged,
)
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

BUFFER = 1 << 16
MACOS_LITTER = ".DS_Store"
PACKED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"BZh": bz2.open,
}
UNREAD = {b"PK\x03\x04": "a zip archive", b"\x28\xb5\x2f\xfd": "packed with zstandard"}


def open_bytes(where: Where, reading: ReadOptions) -> BinaryIO:
    """The bytes of a file, unpacked if it is gzip, xz or bzip2. Use it in a `with`."""
    file = _existing(where, reading)
    try:
        stream = io.BufferedReader(_unpacked(file, where, reading), BUFFER)
        if not stream.peek(1):
            raise CorpusError("is empty. There is nothing to read in it.", where=where)
    except BaseException:
        file.close()
        raise
    return stream


def _existing(where: Where, reading: ReadOptions) -> CountedFile:
    try:
        return CountedFile(where, reading)
    except FileNotFoundError as problem:
        advice = "there is no such file. Check the name and the folder."
        raise CorpusError(advice, where=where) from problem
    except IsADirectoryError as problem:
        advice = "is a folder, but a file is asked for. Name a file in it, or --format folder."
        raise CorpusError(advice, where=where) from problem
    except PermissionError as problem:
        advice = "you may not read it (permission denied). Ask its owner, or copy it elsewhere."
        raise CorpusError(advice, where=where) from problem
    except (OSError, ValueError) as problem:
        raise CorpusError(f"cannot be opened: {problem}.", where=where) from problem


def _unpacked(file: CountedFile, where: Where, reading: ReadOptions) -> GuardedStream:
    raw = io.BufferedReader(file, BUFFER)
    try:
        start = raw.peek(8)
    except OSError as problem:
        raise CorpusError(f"cannot be read: {problem}.", where=where) from problem
    for magic, kind in UNREAD.items():
        if start.startswith(magic):
            advice = "which is not read here. Unpack it, or pack it with gzip, xz, bzip2 or tar."
            raise CorpusError(f"is {kind}, {advice}", where=where)
    for magic, unpack in PACKED.items():
        if start.startswith(magic):
            unpacked: IO[bytes] = unpack(raw)
            return GuardedStream(unpacked, where, reading.max_bytes, packed=file)
    return GuardedStream(raw, where, reading.max_bytes)


def lines(
    where: Where,
    reading: ReadOptions,
    encoding: str = "utf-8",
    *,
    keep_ends: bool = False,
    notes: list[str] | None = None,
) -> Iterator[tuple[int, str]]:
    r"""Numbered lines of a file, from 1, without their \n or \r\n unless `keep_ends`.

    `encoding` is the format's own, which `reading.encoding` overrides. `notes`, such as those of
    a `Gathering`, receives a note at the end if bytes were replaced.
    """
    with open_bytes(where, reading) as stream:
        yield from lines_in(stream, where, reading, encoding, keep_ends=keep_ends, notes=notes)


def lines_in(
    stream: BinaryIO,
    where: Where,
    reading: ReadOptions,
    encoding: str = "utf-8",
    *,
    keep_ends: bool = False,
    notes: list[str] | None = None,
) -> Iterator[tuple[int, str]]:
    """The same of an open stream, such as a member of an archive."""
    decoding = Decoding(where, reading, encoding)
    for number, line in enumerate(decoding.lines(stream), 1):
        if number == 1:
            line = line.removeprefix("\ufeff")
        if not keep_ends and line.endswith("\n"):
            line = line[:-2] if line.endswith("\r\n") else line[:-1]
        yield number, line
    if notes is not None:
        notes.extend(decoding.notes("line"))


class _Entry(tarfile.TarInfo):
    """A header. tarfile takes a damaged one for the end of the archive: documents would be lost."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Entry:
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as problem:
            if len(buf) == tarfile.BLOCKSIZE and not any(buf):
                raise
            raise tarfile.ReadError(f"no end mark, but {problem}") from problem


def is_tar(where: Where) -> bool:
    """Whether it is a tar archive, compressed or not; false for a folder."""
    if os.path.isdir(where):
        return False
    with open_bytes(where, ReadOptions()) as stream:
        start = stream.read(tarfile.BLOCKSIZE)
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def members(where: Where, reading: ReadOptions) -> Iterator[tuple[str, BinaryIO]]:
    """Names and contents of the regular files of a tar archive, in its order; read each at once."""
    with open_bytes(where, reading) as stream:
        for archive, entry in _entries(stream, where):
            _refuse_escapes(entry, where)
            name = str(PurePosixPath(entry.name))
            base = name.rpartition("/")[2]
            if not entry.isreg() or base.startswith("._") or base == MACOS_LITTER:
                continue
            content = archive.extractfile(entry)
            assert content is not None
            guarded = GuardedStream(content, where, reading.max_bytes, member=name)
            with io.BufferedReader(guarded, BUFFER) as file:
                yield name, file


def _entries(stream: BinaryIO, where: Where) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Entry) as archive:
            while (entry := archive.next()) is not None:
                yield archive, entry
    except CorpusError:
        raise
    except (*DAMAGE, ValueError, OverflowError) as problem:
        raise damaged(where, problem) from problem


def _refuse_escapes(entry: tarfile.TarInfo, where: Where) -> None:
    outside = entry.name.startswith("/") or ".." in PurePosixPath(entry.name).parts
    if entry.issym() or entry.islnk():
        kind = "is a link"
    elif outside:
        kind = "would lie outside of the archive"
    elif entry.issparse():
        # a header of 512 bytes could claim any number of zeros
        kind = "is a sparse file"
    elif not (entry.isreg() or entry.isdir()):
        kind = "is a device or pipe"
    else:
        return
    raise CorpusError(
        f"its member {entry.name!r} {kind}. A corpus holds plain files only: pack it again without "
        "it.",
        where=where,
    )
