"""Bytes to text, by one encoding that is named and never guessed; bad bytes are found, not lost."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from os import PathLike
from typing import BinaryIO

from laconic.corpus.builder import amount
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError


class Decoding:
    """Decodes documents or lines of one file, and counts those in which it replaced bytes."""

    def __init__(
        self, where: str | PathLike[str], reading: ReadOptions, default: str = "utf-8"
    ) -> None:
        self.where = where
        self.encoding = _known(reading.encoding or default, where)
        self.replaced = 0
        self._strict = reading.encoding_errors == "strict"
        self._max_line = reading.max_line
        # a line can be cut from the bytes only where a newline is the byte of a newline
        self._by_bytes = "\n".encode(self.encoding) == b"\n"

    def text(
        self, raw: bytes, *, where: str | PathLike[str] | None = None, line: int | None = None
    ) -> str:
        """A document, or the line of this number; `where` if the document has its own file."""
        if self._by_bytes and b"\0" in raw:
            raise self._nul(where, line or raw.count(b"\n", 0, raw.index(b"\0")) + 1)
        try:
            text = raw.decode(self.encoding)
        except UnicodeDecodeError as problem:
            if self._strict:
                raise self._undecodable(problem, where, line or 1) from problem
            self.replaced += 1
            text = raw.decode(self.encoding, "replace")
        except UnicodeError as problem:
            raise self._other(problem, where) from problem
        if not self._by_bytes and "\0" in text:
            raise self._nul(where, line or text.count("\n", 0, text.index("\0")) + 1)
        return text if line is not None else text.removeprefix("\ufeff")

    def lines(self, stream: BinaryIO) -> Iterator[str]:
        """Lines with their ends, none of them longer than `max_line`."""
        if self._by_bytes:
            return self._byte_lines(stream)
        return self._wide_lines(stream)

    def notes(self, unit: str) -> list[str]:
        """What to tell the user; `unit` is what was decoded, a line or a document."""
        if not self.replaced:
            return []
        units = amount(self.replaced, unit, f"{unit}s")
        return [f"{units} had bytes that are not {self.encoding}: replaced"]

    def _byte_lines(self, stream: BinaryIO) -> Iterator[str]:
        number = 0
        while raw := stream.readline(self._max_line + 2):
            number += 1
            if len(raw) > self._max_line and len(raw.rstrip(b"\r\n")) > self._max_line:
                raise self._too_long(number)
            yield self.text(raw, line=number)

    def _wide_lines(self, stream: BinaryIO) -> Iterator[str]:
        errors = "strict" if self._strict else "replace"
        reader = io.TextIOWrapper(stream, self.encoding, errors, newline="\n")
        number = 0
        try:
            while line := reader.readline(self._max_line + 2):
                number += 1
                if len(line.rstrip("\r\n")) > self._max_line:
                    raise self._too_long(number)
                if "\0" in line:
                    raise self._nul(None, number)
                self.replaced += "\ufffd" in line
                yield line
        except UnicodeDecodeError as problem:
            raise self._undecodable(problem, None, number + 1) from problem
        except UnicodeError as problem:
            raise self._other(problem, None) from problem
        finally:
            # a generator that is given up may end after its stream
            with suppress(ValueError):
                reader.detach()

    def _undecodable(
        self, problem: UnicodeDecodeError, where: str | PathLike[str] | None, line: int
    ) -> CorpusError:
        before = problem.object[: problem.start].decode(self.encoding, "replace")
        column = len(before) - (before.rfind("\n") + 1) + 1
        other = "utf-8" if self.encoding.startswith("latin") else "latin-1"
        return CorpusError(
            f"byte 0x{problem.object[problem.start]:02x} in column {column} is not "
            f"{self.encoding}. Name the right encoding, such as --encoding {other}, or pass "
            "--encoding-errors replace.",
            where=where or self.where,
            line=line + before.count("\n"),
        )

    def _other(self, problem: UnicodeError, where: str | PathLike[str] | None) -> CorpusError:
        return CorpusError(
            f"is not {self.encoding}: {problem}. Name the right encoding, such as --encoding "
            "utf-8 or utf-16-le.",
            where=where or self.where,
        )

    def _nul(self, where: str | PathLike[str] | None, line: int) -> CorpusError:
        return CorpusError(
            "has a NUL byte, as no text has. It may be UTF-16 (pass --encoding utf-16), or no text "
            "file at all.",
            where=where or self.where,
            line=line,
        )

    def _too_long(self, line: int) -> CorpusError:
        return CorpusError(
            f"is longer than {self._max_line:,} bytes, the limit for a line. Are the line ends "
            "lost? If the line is meant, raise the limit with --max-line.",
            where=self.where,
            line=line,
        )


def _known(encoding: str, where: str | PathLike[str]) -> str:
    name = encoding.lower().replace("_", "-")
    if name == "utf-8-sig":
        return "utf-8"
    try:
        b"\xff".decode(name, "replace")  # idna cannot replace: it is for names of hosts
    except (LookupError, ValueError) as problem:
        raise CorpusError(
            f"there is no text encoding {encoding!r}. Try --encoding utf-8, latin-1, cp1252 or "
            "utf-16.",
            where=where,
        ) from problem
    return name
