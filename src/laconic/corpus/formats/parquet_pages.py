"""The headers of Parquet's pages: how many bytes and values a page says it unpacks to.

pyarrow sets apart what a page's header asks for, whatever the footer says about the column chunk.
So these headers are added up before pyarrow reads a page. They are in Thrift's compact protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from os import fspath
from typing import Any, TypeAlias

from laconic.corpus.formats.guarding import Where

# Whole numbers and structures by the number of their field; what is of no use here is left out.
Structure: TypeAlias = dict[int, Any]

STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)
UNCOMPRESSED, COMPRESSED = 2, 3
DATA, DATA_V2 = 5, 8
N_VALUES = 1
DEEPEST = 16


class Compact:
    """Reads values at a place that moves on; a ValueError or IndexError for what is none."""

    def __init__(self, data: mmap, at: int) -> None:
        self.data, self.at = data, at

    def byte(self) -> int:
        if self.at < 0:
            raise IndexError("a page lies before the file")
        value = self.data[self.at]
        self.at += 1
        return value

    def varint(self) -> int:
        value = shift = 0
        while shift < 64:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
        raise ValueError("a number of a page's header does not end")

    def zigzag(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def structure(self, depth: int = 0) -> Structure:
        if depth > DEEPEST:
            raise ValueError("a page's header has too many levels")
        fields: Structure = {}
        field = 0
        while (head := self.byte()) & 0x0F != STOP:
            field = field + (head >> 4) if head >> 4 else self.zigzag()
            fields[field] = self.value(head & 0x0F, depth)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        if kind in (I16, I32, I64):
            return self.zigzag()
        if kind == STRUCT:
            return self.structure(depth + 1)
        if kind in (TRUE, FALSE):
            return None
        if kind in (BYTE, DOUBLE):
            self.at += 1 if kind == BYTE else 8
        elif kind == BINARY:
            length = self.varint()  # moves on by itself
            self.at += length
        else:
            raise ValueError(f"a page's header has a field of kind {kind}")
        return None


def pages(where: Where, chunks: list[Any]) -> Iterator[tuple[int, int]]:
    """The bytes and values of each page of these column chunks."""
    with open(fspath(where), "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        for chunk in chunks:
            yield from _pages_of(chunk, data)


def _pages_of(chunk: Any, data: mmap) -> Iterator[tuple[int, int]]:
    """Of one chunk, up to where pyarrow stops: when it has seen all of the chunk's values."""
    begin = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < begin:
        begin = chunk.dictionary_page_offset
    header, left = Compact(data, begin), chunk.num_values
    while left > 0:
        fields = header.structure()
        n_bytes, n_packed = _size(fields, UNCOMPRESSED), _size(fields, COMPRESSED)
        about = fields.get(DATA) or fields.get(DATA_V2)
        n_values = _size(about, N_VALUES) if isinstance(about, dict) else 0
        yield n_bytes, n_values
        left -= n_values
        header.at += n_packed


def _size(fields: Structure, field: int) -> int:
    value = fields.get(field)
    if isinstance(value, int) and value >= 0:
        return value
    raise ValueError("a page's header lacks a size")
