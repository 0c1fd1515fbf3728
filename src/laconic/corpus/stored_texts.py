"""`StoredTexts`: the texts of a large corpus, in temporary files."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, SupportsIndex, overload

import numpy as np

from laconic.errors import CorpusError, unwritable
from laconic.scratch import OTHER_FOLDER, ScratchFolder
from laconic.types import Indices, Int64s

# Texts with more characters than this are kept in files.
TEXT_IN_MEMORY = 1 << 27
# Characters that are written at a time, and bytes that are read.
PORTION = 1 << 22
DIGEST_BYTES = 16


class StoredTexts(Sequence[str]):
    """A sequence of texts in files, each read when it is used.

    Parts of it and copies are small: they refer to the same files. A copy in another process does
    not keep them.

    Parameters
    ----------
    files : the files, UTF-8 without separators
    numbers : for each text the file that it is in
    begins, ends : for each text its bytes in that file
    scratch : the folder of the files, which stays as long as this object
    """

    def __init__(
        self,
        files: tuple[Path, ...],
        numbers: Indices,
        begins: Int64s,
        ends: Int64s,
        scratch: ScratchFolder | None = None,
    ) -> None:
        self.files, self.scratch = files, scratch
        self.numbers, self.begins, self.ends = numbers, begins, ends

    @classmethod
    def in_file(cls, file: Path, ends: Int64s, scratch: ScratchFolder | None = None) -> StoredTexts:
        """All texts of a file, one after the other."""
        begins = np.append(0, ends[:-1]) if ends.size else ends
        return cls((file,), np.zeros(ends.size, np.int32), begins, ends, scratch)

    @classmethod
    def joined(cls, parts: Sequence[StoredTexts], scratch: ScratchFolder | None) -> StoredTexts:
        """The texts of all parts, one after the other."""
        first_files = np.cumsum([0, *(len(part.files) for part in parts[:-1])], dtype=np.int32)
        numbers = [part.numbers + at for part, at in zip(parts, first_files, strict=True)]
        return cls(
            tuple(file for part in parts for file in part.files),
            np.concatenate(numbers),
            np.concatenate([part.begins for part in parts]),
            np.concatenate([part.ends for part in parts]),
            scratch,
        )

    def __len__(self) -> int:
        return self.ends.size

    @overload
    def __getitem__(self, at: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> StoredTexts: ...
    def __getitem__(self, at: SupportsIndex | slice) -> str | StoredTexts:
        if isinstance(at, slice):
            return self.take(at)
        position = range(len(self))[at]  # from the end if it is negative
        return next(iter(self.take(slice(position, position + 1))))

    def take(self, positions: Indices | slice) -> StoredTexts:
        """The texts at these positions, in this order."""
        numbers, begins, ends = (v[positions] for v in (self.numbers, self.begins, self.ends))
        return StoredTexts(self.files, numbers, begins, ends, self.scratch)

    def __iter__(self) -> Iterator[str]:
        return (raw.decode("utf-8", "surrogatepass") for raw in self.encoded())

    def encoded(self) -> Iterator[bytes]:
        """The texts as UTF-8."""
        stream: IO[bytes] | None = None
        opened = at = -1
        try:
            for number, begin, end in zip(self.numbers, self.begins, self.ends, strict=True):
                if number != opened:
                    if stream is not None:
                        stream.close()
                    stream = _opened(self.files[number])
                    opened, at = number, 0
                assert stream is not None
                if at != begin:
                    stream.seek(begin)
                at = end
                yield stream.read(end - begin)
        finally:
            if stream is not None:
                stream.close()

    @property
    def starts(self) -> Int64s:
        """Where each text begins among the bytes of all, and the end of the last."""
        return np.append(0, np.cumsum(self.ends - self.begins))

    def first_copies(self) -> Indices:
        """For each text the first that is equal, apart from white space around it."""
        digests = bytearray()
        for text in self:
            stripped = text.strip().encode("utf-8", "surrogatepass")
            digests += blake2b(stripped, digest_size=DIGEST_BYTES).digest()
        high, low = np.frombuffer(digests, np.uint64).reshape(-1, 2).T
        order = np.lexsort((low, high))  # stable: equal ones stay in order
        new = np.append(True, (np.diff(high[order]) != 0) | (np.diff(low[order]) != 0))
        first = np.empty(len(self), np.intp)
        first[order] = order[new][np.cumsum(new) - 1]
        return first


def _opened(file: Path) -> IO[bytes]:
    try:
        return open(file, "rb", PORTION)
    except FileNotFoundError:
        problem = "the temporary texts of this corpus are gone: load the corpus again"
        raise CorpusError(problem, where=file) from None


def texts_at(
    texts: tuple[str, ...] | StoredTexts, positions: Indices
) -> tuple[str, ...] | StoredTexts:
    """The texts at these positions, in memory unless they are too many."""
    if not isinstance(texts, StoredTexts):
        return tuple(texts[i] for i in positions)
    chosen = texts.take(positions)
    return tuple(chosen) if chosen.starts[-1] <= TEXT_IN_MEMORY else chosen


class TextStore:
    """Collects texts, in memory or, if they are many, in a file.

    Parameters
    ----------
    in_memory : the number of characters above which texts go to a file; by default `TEXT_IN_MEMORY`
    file : where they go; by default to a temporary folder
    parent : where the temporary folder is made; by default the system's folder for these
    """

    def __init__(
        self,
        in_memory: int | None = None,
        file: Path | None = None,
        parent: Path | None = None,
    ) -> None:
        self._in_memory = TEXT_IN_MEMORY if in_memory is None else in_memory
        self._file, self._parent = file, parent
        self._scratch: ScratchFolder | None = None
        self._portion: list[str] = []
        self._n_characters = self._n_pending = 0
        self._stream: IO[bytes] | None = None
        self._ends = array("q")
        self._parts: list[StoredTexts] = []

    def append(self, text: str) -> None:
        self._portion.append(text)
        self._n_pending += len(text)
        self._n_characters += len(text)
        if self._n_characters > self._in_memory and self._n_pending >= PORTION:
            self._write()

    def extend(self, texts: Sequence[str]) -> None:
        """Add texts; of those that are in a file, only the places are kept."""
        if isinstance(texts, StoredTexts):
            self._end_file()
            self._parts.append(texts)
            self._n_characters += int(texts.starts[-1])
        else:
            for text in texts:
                self.append(text)

    def texts(self) -> tuple[str, ...] | StoredTexts:
        """All texts: `StoredTexts` if they are many."""
        if self._n_characters <= self._in_memory:
            stored = [text for part in self._parts for text in part]
            return tuple(stored + self._portion)
        self._end_file()
        return StoredTexts.joined(self._parts, self._scratch)

    def folder(self) -> Path:
        """The temporary folder of the texts."""
        if self._scratch is None:
            self._scratch = ScratchFolder(self._parent)
        return self._scratch.path

    def close(self) -> None:
        """Remove the temporary files: the texts are not needed."""
        self._portion.clear()
        if self._stream is not None:
            with suppress(OSError):  # it may not be writable
                self._stream.close()
        if self._scratch is not None:
            self._scratch.close()

    def _write(self) -> None:
        try:
            if self._stream is None:
                self._file = self._file or self.folder() / f"{len(self._parts):05}.texts"
                self._stream = open(self._file, "wb")  # noqa: SIM115 - see _end_file
            at = self._ends[-1] if self._ends else 0
            for text in self._portion:
                raw = text.encode("utf-8", "surrogatepass")
                self._stream.write(raw)
                at += len(raw)
                self._ends.append(at)
            self._stream.flush()
        except OSError as failure:
            raise unwritable(
                failure,
                f"{self._file}: the texts of a large corpus are kept in a temporary file, which "
                f"cannot be written ({failure.strerror}). Free space there, or {OTHER_FOLDER}",
            ) from None
        self._portion.clear()
        self._n_pending = 0

    def _end_file(self) -> None:
        """Write what is left; later texts go to another file."""
        if self._portion:
            self._write()
        if self._stream is not None and self._file is not None:
            self._stream.close()
            ends = np.array(self._ends, dtype=np.int64)
            self._parts.append(StoredTexts.in_file(self._file, ends, self._scratch))
            self._stream, self._file, self._ends = None, None, array("q")
