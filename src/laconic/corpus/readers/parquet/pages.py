"""The column chunks and pages that a Parquet file declares: offsets and decompressed sizes.

pyarrow allocates what the header of a page declares, whatever the footer declares for the column
chunk, and some footers make it abort the process. So both are read here first. They are in Thrift's
compact protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from os import fspath
from typing import Any, NamedTuple, TypeAlias

from laconic.corpus.io.limits import Where

# Values by field number: integers, bytes, lists and structures.
Structure: TypeAlias = dict[int, Any]

STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)
MAGIC = b"PAR1"
TAIL = 8  # bytes: the length of the footer, and the magic number
# Fields of the footer, of a row group, of a column chunk and of its metadata
ROW_GROUPS, COLUMNS, METADATA = 4, 1, 3
ENCODINGS, PATH, N_CHUNK_VALUES, DATA_OFFSET, DICTIONARY_OFFSET = 2, 3, 5, 9, 11
# Fields of a page header, and of its data page header
UNCOMPRESSED, COMPRESSED = 2, 3
DATA, DATA_V2 = 5, 8
N_VALUES = 1
MAX_DEPTH = 16


class Chunk(NamedTuple):
    """A column chunk: dotted column path, encodings, offset of its pages, number of values."""

    path: str
    encodings: frozenset[int]
    begin: int
    n_values: int


class ThriftReader:
    """Reads values of the compact protocol from `at` on; raises ValueError or IndexError."""

    def __init__(self, data: mmap, at: int) -> None:
        self.data, self.at = data, at

    def byte(self) -> int:
        if self.at < 0:
            raise IndexError("a page begins before the file")
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
        raise ValueError("an integer in a header does not end")

    def zigzag(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def structure(self, depth: int = 0) -> Structure:
        if depth > MAX_DEPTH:
            raise ValueError("a header is nested too deeply")
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
        if kind in (LIST, SET):
            return self.items(depth + 1)
        if kind in (TRUE, FALSE):
            return None
        if kind in (BYTE, DOUBLE):
            self.at += 1 if kind == BYTE else 8
        elif kind == BINARY:
            length = self.varint()  # advances `at`
            self.at += length
            return self.data[self.at - length : self.at]
        else:
            raise ValueError(f"a header has a field of type {kind}")
        return None

    def items(self, depth: int) -> list[Any]:
        head = self.byte()
        length = head >> 4 if head >> 4 < 15 else self.varint()
        if length > len(self.data):
            raise ValueError("a list is longer than the file")
        return [self.value(head & 0x0F, depth) for _ in range(length)]


@contextmanager
def map_file(where: Where) -> Iterator[mmap]:
    with open(fspath(where), "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        yield data


def read_chunks(data: mmap) -> Iterator[Chunk]:
    """All column chunks in the footer."""
    length = int.from_bytes(data[-TAIL:-4], "little")
    if len(data) < length + TAIL or data[-4:] != MAGIC:
        raise ValueError("the file does not end with a footer")
    footer = ThriftReader(data, len(data) - TAIL - length).structure()
    for group in _list(footer, ROW_GROUPS):
        for column in _list(group, COLUMNS):
            yield _chunk(column.get(METADATA) if isinstance(column, dict) else None)


def _chunk(metadata: Any) -> Chunk:
    path = _list(metadata, PATH)
    if not all(isinstance(name, bytes) for name in path):
        raise ValueError("the footer has a column without a name")
    begin, dictionary = _size(metadata, DATA_OFFSET), metadata.get(DICTIONARY_OFFSET)
    if isinstance(dictionary, int) and 0 < dictionary < begin:
        begin = dictionary
    encodings = frozenset(code for code in _list(metadata, ENCODINGS) if isinstance(code, int))
    return Chunk(b".".join(path).decode(), encodings, begin, _size(metadata, N_CHUNK_VALUES))


def read_page_sizes(data: mmap, chunk: Chunk) -> Iterator[tuple[int, int]]:
    """The bytes and number of values of each page, until all values of the chunk are read."""
    header, left = ThriftReader(data, chunk.begin), chunk.n_values
    while left > 0:
        fields = header.structure()
        n_bytes, n_packed = _size(fields, UNCOMPRESSED), _size(fields, COMPRESSED)
        metadata = fields.get(DATA) or fields.get(DATA_V2)
        n_values = _size(metadata, N_VALUES) if metadata is not None else 0
        yield n_bytes, n_values
        left -= n_values
        header.at += n_packed


def _size(fields: Any, field: int) -> int:
    value = fields.get(field) if isinstance(fields, dict) else None
    if isinstance(value, int) and value >= 0:
        return value
    raise ValueError("a header has no size")


def _list(fields: Any, field: int) -> list[Any]:
    value = fields.get(field) if isinstance(fields, dict) else None
    if isinstance(value, list):
        return value
    raise ValueError("a header has no list")
