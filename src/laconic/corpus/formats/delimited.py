"""Records of delimited text, CSV or TSV: what tables of labelled documents and of others share."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from laconic.corpus.formats.guarding import Where
from laconic.errors import CorpusError

DELIMITERS = (",", ";", "\t", "|")


def delimited(
    physical: Iterator[str], where: Where, usual: str, longest: int
) -> Iterator[tuple[int, list[str]]]:
    """The header, then records as long as it, each with the number of the line it begins in.

    `physical` are lines with their ends. Blank records are passed over; no field is longer than
    `longest`. The delimiter is the usual one, unless the first line has none of it but others.
    """
    first = next(physical)
    header: list[str] = []
    with _field_limit(longest):
        delimiter = _delimiter(first, usual)
        reader = csv.reader(chain([first], physical), delimiter=delimiter, strict=True)
        begin = 1
        try:
            for cells in reader:
                if not header:
                    header = cells = [name.strip() for name in cells]
                if cells and len(cells) != len(header):
                    raise _ragged(where, begin, len(cells), len(header))
                if cells:
                    yield begin, cells
                begin = reader.line_num + 1
        except csv.Error as problem:
            raise _bad_csv(where, str(problem), begin, reader.line_num) from problem


def _delimiter(header: str, usual: str) -> str:
    bare = re.sub('"[^"]*"', "", header)
    if usual in bare:
        return usual
    most = max(DELIMITERS, key=bare.count)
    return most if most in bare else usual


@contextmanager
def _field_limit(limit: int) -> Iterator[None]:
    before = csv.field_size_limit(limit)
    try:
        yield
    finally:
        csv.field_size_limit(before)


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
    elif "field larger" in problem:
        found, line = "a field of the record that begins here is over the limit --max-line", begin
    else:
        found, line = f"this is not CSV ({problem})", now
    return CorpusError(
        f"{found}. Put quotes around fields that hold quotes, and double the quotes inside.",
        where=where,
        line=line,
    )
