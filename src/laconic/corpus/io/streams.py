"""Open untrusted files: plain or compressed, as lines or archive members, with limits.

Compression is recognized by the first bytes, never by the name. Nothing is decompressed to disk,
and no line, file or archive takes more memory than `ReadOptions` allow.
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

from laconic.corpus.io.encodings import Decoder
from laconic.corpus.io.limits import (
    READ_ERRORS,
    DamagedFileError,
    LimitedStream,
    ProgressFile,
    Where,
    damaged_error,
)
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

BUFFER = 1 << 16
MACOS_METADATA = ".DS_Store"
DECOMPRESSORS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"BZh": bz2.open,
}
UNSUPPORTED = {b"PK\x03\x04": "a zip archive", b"\x28\xb5\x2f\xfd": "compressed with zstandard"}


class EmptyFileError(CorpusError):
    """The file has no contents."""


def open_bytes(where: Where, options: ReadOptions) -> BinaryIO:
    """The bytes of a file, decompressed if it is gzip, xz or bzip2; to be used in a `with`."""
    file = _open_file(where, options)
    try:
        stream = io.BufferedReader(_decompressed(file, where, options), BUFFER)
        if not stream.peek(1):
            raise EmptyFileError("is empty: there is nothing to read.", where=where)
    except BaseException:
        file.close()
        raise
    return stream


def bytes_read(stream: BinaryIO) -> int:
    """The bytes that came out of a stream of `open_bytes` so far."""
    limited = stream.raw  # type: ignore[attr-defined]  # it is buffered
    assert isinstance(limited, LimitedStream)
    return limited.count


def _open_file(where: Where, options: ReadOptions) -> ProgressFile:
    try:
        return ProgressFile(where, options)
    except CorpusError:
        raise
    except FileNotFoundError as problem:
        advice = "there is no such file. Check the name and the folder."
        raise CorpusError(advice, where=where) from problem
    except IsADirectoryError as problem:
        advice = "is a folder, but a file was expected. Give a file in it, or --format folder."
        raise CorpusError(advice, where=where) from problem
    except PermissionError as problem:
        advice = "permission denied. Change its permissions, or copy it elsewhere."
        raise CorpusError(advice, where=where) from problem
    except (OSError, ValueError) as problem:
        raise CorpusError(f"cannot be opened: {problem}.", where=where) from problem


def _decompressed(file: ProgressFile, where: Where, options: ReadOptions) -> LimitedStream:
    raw = io.BufferedReader(file, BUFFER)
    try:
        start = raw.peek(8)
    except OSError as problem:
        raise CorpusError(f"cannot be read: {problem}.", where=where) from problem
    for magic, kind in UNSUPPORTED.items():
        if start.startswith(magic):
            advice = "which is not supported. Decompress it, or use gzip, xz, bzip2 or tar."
            raise CorpusError(f"is {kind}, {advice}", where=where)
    for magic, decompress in DECOMPRESSORS.items():
        if start.startswith(magic):
            content: IO[bytes] = decompress(raw)
            return LimitedStream(content, where, options.max_input_bytes, packed=file)
    return LimitedStream(raw, where, options.max_input_bytes)


def read_lines(
    where: Where,
    options: ReadOptions,
    encoding: str = "utf-8",
    *,
    keep_ends: bool = False,
    notes: list[str] | None = None,
) -> Iterator[tuple[int, str]]:
    r"""Lines of a file with their numbers, from 1, without \n or \r\n unless `keep_ends`.

    `encoding` is the default of the format; `options.encoding` overrides it. If bytes were
    replaced, a note is added to `notes` at the end.
    """
    with open_bytes(where, options) as stream:
        yield from decode_lines(stream, where, options, encoding, keep_ends=keep_ends, notes=notes)


def decode_lines(
    stream: BinaryIO,
    where: Where,
    options: ReadOptions,
    encoding: str = "utf-8",
    *,
    keep_ends: bool = False,
    notes: list[str] | None = None,
    decoder: Decoder | None = None,
) -> Iterator[tuple[int, str]]:
    """As `read_lines`, from an open stream such as a member of an archive."""
    decoder = decoder or Decoder(where, options, encoding)
    number = 0
    try:
        for number, line in enumerate(decoder.lines(stream), 1):
            if number == 1:
                line = line.removeprefix("\ufeff")
            if not keep_ends and line.endswith("\n"):
                line = line[:-2] if line.endswith("\r\n") else line[:-1]
            yield number, line
    except DamagedFileError as damage:
        # the first line that is not read
        raise DamagedFileError(damage.problem, where=damage.where, line=number + 1) from damage
    if notes is not None:
        notes.extend(decoder.notes("line"))


class _TarHeader(tarfile.TarInfo):
    """A header that raises if damaged: tarfile would take it for the end of the archive."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _TarHeader:
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as problem:
            if len(buf) == tarfile.BLOCKSIZE and not any(buf):
                raise
            raise tarfile.ReadError(f"no end mark, but {problem}") from problem


def is_tar(where: Where) -> bool:
    """Whether the file is a tar archive, compressed or not; false for a folder."""
    if os.path.isdir(where):
        return False
    with open_bytes(where, ReadOptions()) as stream:
        start = stream.read(tarfile.BLOCKSIZE)
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def tar_members(where: Where, options: ReadOptions) -> Iterator[tuple[str, BinaryIO]]:
    """Names and contents of the regular files of a tar archive, in order; read each immediately."""
    with open_bytes(where, options) as stream:
        for archive, entry in _entries(stream, where):
            _check_entry(entry, where)
            name = str(PurePosixPath(entry.name))
            base = name.rpartition("/")[2]
            if not entry.isreg() or base.startswith("._") or base == MACOS_METADATA:
                continue
            content = archive.extractfile(entry)
            assert content is not None
            limited = LimitedStream(content, where, options.max_input_bytes, member=name)
            with io.BufferedReader(limited, BUFFER) as file:
                yield name, file


def _entries(stream: BinaryIO, where: Where) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarHeader) as archive:
            while (entry := archive.next()) is not None:
                yield archive, entry
    except CorpusError:
        raise
    except (*READ_ERRORS, ValueError, OverflowError) as problem:
        raise damaged_error(where, problem) from problem


def _check_entry(entry: tarfile.TarInfo, where: Where) -> None:
    outside = entry.name.startswith("/") or ".." in PurePosixPath(entry.name).parts
    if entry.issym() or entry.islnk():
        kind = "is a link"
    elif outside:
        kind = "has a path outside of the archive"
    elif entry.issparse():
        # a header of 512 bytes could declare any number of zeros
        kind = "is a sparse file"
    elif not (entry.isreg() or entry.isdir()):
        kind = "is a device or pipe"
    else:
        return
    raise CorpusError(
        f"its member {entry.name!r} {kind}. A corpus contains plain files only: create the archive "
        "without it.",
        where=where,
    )
