"""Streams with a guard: bytes are counted, bombs refused, and damage is put into words."""

from __future__ import annotations

import io
import lzma
import os
import tarfile
import zlib
from os import PathLike
from typing import IO, TYPE_CHECKING, TypeAlias

from laconic.corpus.options import MIB, ReadOptions
from laconic.errors import CorpusError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Where: TypeAlias = str | PathLike[str]

# Text does not reach 20:1, and a table of zeros with some numbers in it does not reach 100:1.
# What unpacks to less than 16 MiB is read whatever its ratio.
ABSURD_RATIO = 200
RATIO_COUNTS_FROM = 16 * MIB
DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError, tarfile.TarError)


class CountedFile(io.FileIO):
    """The file as it lies on disk; tells `progress` how much of it was read."""

    def __init__(self, where: Where, reading: ReadOptions) -> None:
        super().__init__(os.fspath(where), "rb")
        self._progress = reading.progress
        self._total = os.fstat(self.fileno()).st_size
        self._told = 0
        self.count = 0

    def readinto(self, buffer: WriteableBuffer) -> int:
        n_bytes = super().readinto(buffer) or 0
        self.count += n_bytes
        due = n_bytes == 0 or self.count - self._told >= MIB
        if self._progress is not None and due and self.count != self._told:
            self._told = self.count
            self._progress(self.count, self._total)
        return n_bytes


class GuardedStream(io.RawIOBase):
    """What comes out of a file, of its unpacking (`packed` is the file) or of an archive member."""

    def __init__(
        self,
        source: IO[bytes],
        where: Where,
        max_bytes: int,
        *,
        member: str | None = None,
        packed: CountedFile | None = None,
    ) -> None:
        self._source, self._where, self._max_bytes = source, where, max_bytes
        self._member, self._packed = member, packed
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        try:
            chunk = self._source.read(len(view))
        except DAMAGE as problem:
            raise damaged(self._where, problem, self._member) from problem
        self.count += len(chunk)
        self._refuse_bombs()
        view[: len(chunk)] = chunk
        return len(chunk)

    def _refuse_bombs(self) -> None:
        if self.count > self._max_bytes:
            raise too_big(self._where, self._max_bytes, self._member)
        if self._packed is not None:
            refuse_bomb(self.count, self._packed.count, self._where)

    def close(self) -> None:
        # the unpackers leave the file open, and forget it when they close
        if self._packed is not None:
            self._packed.close()
        self._source.close()
        super().close()


def refuse_bomb(unpacked: int, packed: int, where: Where) -> None:
    """Refuse what unpacks to far more bytes than it has."""
    if unpacked > max(RATIO_COUNTS_FROM, ABSURD_RATIO * packed):
        raise CorpusError(
            f"unpacks to more than {ABSURD_RATIO:,} times its size ({unpacked:,} bytes out of "
            f"{packed:,}), as no text does: it looks like a bomb. If it is meant, unpack it "
            "yourself, or write it as CSV, and read the result.",
            where=where,
        )


def damaged(where: Where, problem: BaseException, member: str | None = None) -> CorpusError:
    place = "" if member is None else f"its member {member} "
    return CorpusError(
        f"{place}is truncated or damaged ({problem}). Fetch or pack the file again.", where=where
    )


def too_big(where: Where, max_bytes: int, member: str | None = None) -> CorpusError:
    place = "" if member is None else f"with its member {member} it "
    return CorpusError(
        f"{place}holds more than {max_bytes:,} bytes when unpacked, the limit against bombs. If it "
        "is meant, raise the limit with --max-bytes.",
        where=where,
    )
