"""Records of delimited text, CSV or TSV: what tables of labelled documents and of others share."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import chain

from laconic.corpus.formats.guarding import Where
from laconic.errors import CorpusError

DELIMITERS = (",", ";", "\t", "|")
NO_LIMIT = (1 << 31) - 1  # of what csv takes on every platform
LINE_END = 2  # characters at most


def delimited(
    physical: Iterator[str], where: Where, usual: str, longest: int
) -> Iterator[tuple[int, list[str]]]:
    """The header, then records as long as it, each with the number of the line it begins in.

    `physical` are lines with their ends. Blank records are skipped; no record is longer than
    `longest`. The delimiter is the usual one, unless the first line has none of it but others.
    """
    record = _Record(physical, where, longest)
    first = next(record)
    header: list[str] = []
    reader = csv.reader(chain([first], record), delimiter=_delimiter(first, usual), strict=True)
    try:
        for cells in reader:
            if not header:
                header = cells = [name.strip() for name in cells]
            if cells and len(cells) != len(header):
                raise _ragged(where, record.begin, len(cells), len(header))
            if cells:
                yield record.begin, cells
            record.end()
    except csv.Error as problem:
        raise _bad_csv(where, str(problem), record.begin, reader.line_num) from problem


class _Record:
    """The lines of one record after the other, with a limit on the length of a record.

    The csv module has a limit on fields, but for the whole process: if we lowered it, another
    thread's good file would be refused. So it is set out of the way, and ours is kept here.
    """

    def __init__(self, physical: Iterator[str], where: Where, longest: int) -> None:
        self._physical, self._where, self._longest = physical, where, longest
        self.begin, self._lines, self._length = 1, 0, 0
        csv.field_size_limit(NO_LIMIT)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._physical)
        self._lines += 1
        self._length += len(line)
        if self._length > self._longest + LINE_END:
            raise CorpusError(
                f"the record that begins here is longer than {self._longest:,} characters, the "
                "limit for a line and for a record of several lines. Is a quote never closed? If "
                "the record is meant, raise the limit with --max-line.",
                where=self._where,
                line=self.begin,
            )
        return line

    def end(self) -> None:
        """The next line begins a record."""
        self.begin, self._length = self.begin + self._lines, 0
        self._lines = 0


def _delimiter(header: str, usual: str) -> str:
    bare = re.sub('"[^"]*"', "", header)
    if usual in bare:
        return usual
    most = max(DELIMITERS, key=bare.count)
    return most if most in bare else usual


def _ragged(where: Where, line: int, n_found: int, n_asked: int) -> CorpusError:
    return CorpusError(
        f"the record that begins here has {n_found} fields, but the first line names {n_asked} "
        "columns. Put quotes around fields that hold the delimiter, a quote or a line end.",
        where=where,
        line=line,
    )


def _bad_csv(where: Where, problem: str, begin: int, now: int) -> CorpusError:
    if "end of data" in problem:
        found, line = "a quote opens in the record that begins here and never closes", begin
    else:
        found, line = f"this is not CSV ({problem})", now
    return CorpusError(
        f"{found}. Put quotes around fields that hold quotes, and double the quotes inside.",
        where=where,
        line=line,
    )
