"""Records of delimited text, CSV or TSV, with or without labels."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import chain

from laconic.corpus.io.limits import Where
from laconic.errors import CorpusError

DELIMITERS = (",", ";", "\t", "|")
NO_LIMIT = (1 << 31) - 1  # the largest limit that csv accepts on every platform
LINE_END = 2  # maximum length of a line end


def read_delimited(
    lines: Iterator[str], where: Where, default: str, max_length: int
) -> Iterator[tuple[int, list[str]]]:
    """The header, then the records, each with the number of its first line.

    `lines` include their line ends. Blank records are skipped. A record that differs from the
    header in its number of fields, or is longer than `max_length`, raises. The delimiter is
    `default`, unless the first line contains only others.
    """
    record = _RecordLines(lines, where, max_length)
    first = next(record)
    header: list[str] = []
    reader = csv.reader(chain([first], record), delimiter=_delimiter(first, default), strict=True)
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


class _RecordLines:
    """Iterates over lines, and limits the length of each record.

    The csv module limits the length of fields, but for the whole process: a lower limit would
    reject valid files in other threads. So its limit is lifted, and ours is enforced here.
    """

    def __init__(self, lines: Iterator[str], where: Where, max_length: int) -> None:
        self._lines, self._where, self._max_length = lines, where, max_length
        self.begin, self._n_lines, self._length = 1, 0, 0
        csv.field_size_limit(NO_LIMIT)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._n_lines += 1
        self._length += len(line)
        if self._length > self._max_length + LINE_END:
            raise CorpusError(
                f"the record that begins here is longer than {self._max_length:,} characters, the "
                "limit for a line and for a record of several lines. Is a quote not closed? If the "
                "record is valid, raise the limit with --max-line.",
                where=self._where,
                line=self.begin,
            )
        return line

    def end(self) -> None:
        """End the record; the next line begins another."""
        self.begin, self._length = self.begin + self._n_lines, 0
        self._n_lines = 0


def _delimiter(header: str, default: str) -> str:
    unquoted = re.sub('"[^"]*"', "", header)
    if default in unquoted:
        return default
    most_frequent = max(DELIMITERS, key=unquoted.count)
    return most_frequent if most_frequent in unquoted else default


def _ragged(where: Where, line: int, n_fields: int, n_columns: int) -> CorpusError:
    return CorpusError(
        f"the record that begins here has {n_fields} fields, but the first line names {n_columns} "
        "columns. Put quotes around fields that contain the delimiter, a quote or a line end.",
        where=where,
        line=line,
    )


def _bad_csv(where: Where, problem: str, begin: int, current: int) -> CorpusError:
    if "end of data" in problem:
        message, line = "a quote in the record that begins here is not closed", begin
    else:
        message, line = f"this is not CSV ({problem})", current
    return CorpusError(
        f"{message}. Put quotes around fields that contain quotes, and double the quotes inside.",
        where=where,
        line=line,
    )
