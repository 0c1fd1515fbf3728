"""Streams with limits: bytes are counted, decompression bombs and damaged files raise errors."""

from __future__ import annotations

import io
import lzma
import tarfile
import zlib
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from laconic.corpus.io.addresses import open_address
from laconic.corpus.options import MIB, ReadOptions
from laconic.errors import CorpusError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Where: TypeAlias = str | PathLike[str]

# Text compresses less than 20:1, and a table of mostly zeros less than 100:1. A file that
# decompresses to less than 16 MiB is read at any ratio.
MAX_RATIO = 200
RATIO_CHECKED_FROM = 16 * MIB
READ_ERRORS = (EOFError, OSError, zlib.error, lzma.LZMAError, tarfile.TarError)


class DamagedFileError(CorpusError):
    """The file cannot be decompressed to its end."""


class ProgressFile(io.RawIOBase):
    """A file, here or at an address, that reports to `progress` how much of it was read."""

    def __init__(self, where: Where, options: ReadOptions) -> None:
        self._stream: Any = None
        self._stream, self._total = open_address(where)
        self._progress = options.progress
        self._reported = 0
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        n_bytes = self._stream.readinto(buffer) or 0
        self.count += n_bytes
        due = n_bytes == 0 or self.count - self._reported >= MIB
        if self._progress is not None and due and self.count != self._reported:
            self._reported = self.count
            self._progress(self.count, self._total)
        return n_bytes

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
        super().close()


class LimitedStream(io.RawIOBase):
    """The bytes of a file, of its decompression (`packed` is the file) or of an archive member."""

    def __init__(
        self,
        source: IO[bytes],
        where: Where,
        max_input_bytes: int,
        *,
        member: str | None = None,
        packed: ProgressFile | None = None,
    ) -> None:
        self._source, self._where, self._max_bytes = source, where, max_input_bytes
        self._member, self._packed = member, packed
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        try:
            chunk = self._source.read(len(view))
        except READ_ERRORS as problem:
            raise damaged_error(self._where, problem, self._member) from problem
        self.count += len(chunk)
        self._check_size()
        view[: len(chunk)] = chunk
        return len(chunk)

    def _check_size(self) -> None:
        if self.count > self._max_bytes:
            raise too_large_error(self._where, self._max_bytes, self._member)
        if self._packed is not None:
            check_expansion(self.count, self._packed.count, self._where)

    def close(self) -> None:
        # decompressors do not close the file below them
        if self._packed is not None:
            self._packed.close()
        self._source.close()
        super().close()


def check_expansion(unpacked: int, packed: int, where: Where) -> None:
    """Raise if a file decompresses to more than `MAX_RATIO` times its size."""
    if unpacked > max(RATIO_CHECKED_FROM, MAX_RATIO * packed):
        raise CorpusError(
            f"decompresses to more than {MAX_RATIO:,} times its size ({unpacked:,} bytes from "
            f"{packed:,}), which text never does: it may be a decompression bomb. If the file is "
            "valid, decompress it yourself, or write it as CSV, and read the result.",
            where=where,
        )


def damaged_error(
    where: Where, problem: BaseException, member: str | None = None
) -> DamagedFileError:
    place = "" if member is None else f"its member {member} "
    return DamagedFileError(
        f"{place}is truncated or damaged ({problem}). Download or compress the file again.",
        where=where,
    )


def too_large_error(where: Where, max_input_bytes: int, member: str | None = None) -> CorpusError:
    place = "" if member is None else f"with its member {member} it "
    return CorpusError(
        f"{place}contains more than {max_input_bytes:,} bytes when decompressed, the limit against "
        "decompression bombs. If the file is valid, raise the limit with --max-input-bytes.",
        where=where,
    )
