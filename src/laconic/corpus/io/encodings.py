"""Decode bytes by one encoding, never a guessed one; invalid bytes are reported or counted."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from os import PathLike
from typing import BinaryIO

from laconic.corpus.builder import amount
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError


class Decoder:
    """Decodes the documents or lines of one file, and counts those with replaced bytes."""

    def __init__(
        self, where: str | PathLike[str], options: ReadOptions, default: str = "utf-8"
    ) -> None:
        self.where = where
        self.encoding = _checked_encoding(options.encoding or default, where)
        self.replaced = 0
        self._strict = options.encoding_errors == "strict"
        self._max_line = options.max_line
        # bytes can be split into lines only if the encoding's newline is the byte \n
        self._by_bytes = "\n".encode(self.encoding) == b"\n"

    def text(
        self, raw: bytes, *, where: str | PathLike[str] | None = None, line: int | None = None
    ) -> str:
        """Decode a document, or the line of this number; `where` if a document has its own file."""
        if self._by_bytes and b"\0" in raw:
            raise self._nul_error(where, line or raw.count(b"\n", 0, raw.index(b"\0")) + 1)
        try:
            text = raw.decode(self.encoding)
        except UnicodeDecodeError as problem:
            if self._strict:
                raise self._decode_error(problem, where, line or 1) from problem
            self.replaced += 1
            text = raw.decode(self.encoding, "replace")
        except UnicodeError as problem:
            raise self._encoding_error(problem, where) from problem
        if not self._by_bytes and "\0" in text:
            raise self._nul_error(where, line or text.count("\n", 0, text.index("\0")) + 1)
        return text if line is not None else text.removeprefix("\ufeff")

    def lines(self, stream: BinaryIO) -> Iterator[str]:
        """Lines with their line ends; a line longer than `max_line` raises."""
        if self._by_bytes:
            return self._byte_lines(stream)
        return self._wide_lines(stream)

    def notes(self, unit: str) -> list[str]:
        """Notes on replaced bytes; `unit` is what was decoded, a line or a document."""
        return replaced_notes(self.replaced, unit, self.encoding)

    def _byte_lines(self, stream: BinaryIO) -> Iterator[str]:
        number = 0
        while raw := stream.readline(self._max_line + 2):
            number += 1
            if len(raw) > self._max_line and len(raw.rstrip(b"\r\n")) > self._max_line:
                raise self._line_length_error(number)
            yield self.text(raw, line=number)

    def _wide_lines(self, stream: BinaryIO) -> Iterator[str]:
        errors = "strict" if self._strict else "replace"
        reader = io.TextIOWrapper(stream, self.encoding, errors, newline="\n")
        number = 0
        try:
            while line := reader.readline(self._max_line + 2):
                number += 1
                if len(line.rstrip("\r\n")) > self._max_line:
                    raise self._line_length_error(number)
                if "\0" in line:
                    raise self._nul_error(None, number)
                self.replaced += "\ufffd" in line
                yield line
        except UnicodeDecodeError as problem:
            raise self._decode_error(problem, None, number + 1) from problem
        except UnicodeError as problem:
            raise self._encoding_error(problem, None) from problem
        finally:
            # an abandoned generator may be closed after its stream
            with suppress(ValueError):
                reader.detach()

    def _decode_error(
        self, problem: UnicodeDecodeError, where: str | PathLike[str] | None, line: int
    ) -> CorpusError:
        if "BOM" in problem.reason:  # a plain UnicodeError before Python 3.13
            return self._encoding_error(problem, where)
        before = problem.object[: problem.start].decode(self.encoding, "replace")
        column = len(before) - (before.rfind("\n") + 1) + 1
        alternative = "utf-8" if self.encoding.startswith("latin") else "latin-1"
        return CorpusError(
            f"byte 0x{problem.object[problem.start]:02x} in column {column} is not "
            f"{self.encoding}. Give the right encoding, such as --encoding {alternative}, or pass "
            "--encoding-errors replace.",
            where=where or self.where,
            line=line + before.count("\n"),
        )

    def _encoding_error(
        self, problem: UnicodeError, where: str | PathLike[str] | None
    ) -> CorpusError:
        return CorpusError(
            f"is not {self.encoding}: {problem}. Give the right encoding, such as --encoding "
            "utf-8 or utf-16-le.",
            where=where or self.where,
        )

    def _nul_error(self, where: str | PathLike[str] | None, line: int) -> CorpusError:
        return CorpusError(
            "contains a NUL byte, so it is not text in this encoding. It may be UTF-16 (pass "
            "--encoding utf-16), or not a text file.",
            where=where or self.where,
            line=line,
        )

    def _line_length_error(self, line: int) -> CorpusError:
        return CorpusError(
            f"is longer than {self._max_line:,} bytes, the limit for a line. Are line ends missing?"
            " If the line is valid, raise the limit with --max-line.",
            where=self.where,
            line=line,
        )


def replaced_notes(number: int, unit: str, encoding: str) -> list[str]:
    if not number:
        return []
    units = amount(number, unit, f"{unit}s")
    return [f"{units} contained bytes that are not {encoding}: replaced"]


def _checked_encoding(encoding: str, where: str | PathLike[str]) -> str:
    name = encoding.lower().replace("_", "-")
    if name == "utf-8-sig":
        return "utf-8"
    try:
        b"\xff".decode(name, "replace")  # idna, for host names, does not support replace
    except (LookupError, ValueError) as problem:
        raise CorpusError(
            f"unknown text encoding {encoding!r}. Try --encoding utf-8, latin-1, cp1252 or utf-16.",
            where=where,
        ) from problem
    return name
