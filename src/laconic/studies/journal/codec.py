"""How a journal stores what SQLite has no type for: arrays, any text, any number. And checksums.

Each `pack` has its `unpack`, which returns an equal value.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterable
from hashlib import blake2b
from math import isnan, prod
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic.types import Bools, Int8s, Int64s

Cell: TypeAlias = int | float | str | bytes | None

LONGEST = 1 << 63
SIDE = np.dtype("<i8")
DTYPES = ("<f4", "<f8", "<i4")


class DamagedError(Exception):
    """Cells that are not what a journal wrote."""


def checksum(table: str, *cells: Cell) -> bytes:
    """8 bytes that depend on the type and the value of every cell, and on their order."""
    digest = blake2b(table.encode(), digest_size=8)
    for cell in cells:
        kind, encode = ENCODINGS[type(cell)]
        data = encode(cell)
        digest.update(kind + len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


ENCODINGS: dict[type, tuple[bytes, Callable[[Any], bytes]]] = {
    int: (b"i", lambda cell: str(cell).encode()),
    float: (b"f", struct.Struct("<d").pack),
    str: (b"s", str.encode),
    bytes: (b"b", lambda cell: cell),
    type(None): (b"n", lambda cell: b""),
}


def pack_number(value: float | None) -> Cell:
    """SQLite has integers of 64 bits, and stores nan as NULL."""
    if isinstance(value, Integral):
        whole = int(value)
        return whole if -LONGEST <= whole < LONGEST else str(whole)
    if isinstance(value, Real):
        return "nan" if isnan(value) else float(value)
    return None


def unpack_number(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    try:
        return float("nan") if cell == "nan" else int(cell)
    except ValueError:
        raise DamagedError(f"{cell!r} is not a number") from None


def pack_text(text: str) -> Cell:
    """Text, or bytes where a lone surrogate, which JSON may contain, has no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _bytes(text)
    return text


def unpack_text(cell: str | bytes) -> str:
    if isinstance(cell, str):
        return cell
    try:
        return cell.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as failure:
        raise DamagedError(str(failure)) from None


def pack_strings(strings: Iterable[str]) -> bytes:
    # no \u escapes, which would join two lone surrogates to one letter
    return zlib.compress(_bytes(json.dumps(list(strings), ensure_ascii=False)))


def unpack_strings(blob: bytes) -> tuple[str, ...]:
    return tuple(json.loads(unpack_text(_inflate(blob))))


def pack(value: Any, of: type) -> Cell:
    """The cell of a column of this type."""
    return pack_text(value) if of is str else pack_number(value)


def unpack(cell: Any, of: type) -> Any:
    return unpack_text(cell) if of is str else unpack_number(cell)


def pack_terms(terms: Int64s) -> bytes:
    """Differences of neighboring columns, lowest bytes first: small ones are runs of zeros."""
    steps = np.diff(np.asarray(terms, dtype="<i8"), prepend=SIDE.type(0))
    planes = steps.astype("<i8").view(np.uint8).reshape(-1, SIDE.itemsize).T
    return zlib.compress(planes.tobytes())


def unpack_terms(blob: bytes) -> Int64s:
    planes = np.frombuffer(_inflate(blob), dtype=np.uint8).reshape(SIDE.itemsize, -1)
    return np.cumsum(np.ascontiguousarray(planes.T).view("<i8").ravel(), dtype=np.int64)


def pack_bits(bits: Bools) -> bytes:
    return _packed(bits.shape, np.packbits(bits, axis=None))


def unpack_bits(blob: bytes) -> Bools:
    shape, data = _unpacked(blob)
    return np.unpackbits(data, count=prod(shape)).astype(np.bool_).reshape(shape)


def pack_y_signed(y_signed: Int8s) -> bytes:
    return _packed(y_signed.shape, np.ascontiguousarray(y_signed, dtype=np.int8))


def unpack_y_signed(blob: bytes) -> Int8s:
    shape, data = _unpacked(blob)
    return data.view(np.int8).reshape(shape).copy()


def pack_array(array: NDArray[Any]) -> bytes:
    """Numbers of any of DTYPES, with their type in the first byte."""
    kind = DTYPES.index(array.dtype.str)
    return bytes([kind]) + _packed(array.shape, np.ascontiguousarray(array))


def unpack_array(blob: bytes) -> NDArray[Any]:
    if not blob or blob[0] >= len(DTYPES):
        raise DamagedError("the array has no known type")
    shape, data = _unpacked(blob[1:])
    try:
        return np.frombuffer(data.tobytes(), dtype=DTYPES[blob[0]]).reshape(shape).copy()
    except ValueError as failure:
        raise DamagedError(str(failure)) from None


def _packed(shape: tuple[int, ...], data: NDArray[Any]) -> bytes:
    sides = np.array([len(shape), *shape], dtype=SIDE)
    return zlib.compress(sides.tobytes() + data.tobytes())


def _unpacked(blob: bytes) -> tuple[tuple[int, ...], NDArray[np.uint8]]:
    plain = _inflate(blob)
    n_sides = int(np.frombuffer(plain, dtype=SIDE, count=1)[0])
    start = (1 + n_sides) * SIDE.itemsize
    shape = np.frombuffer(plain[:start], dtype=SIDE)[1:]
    return tuple(shape.tolist()), np.frombuffer(plain, dtype=np.uint8, offset=start)


def _inflate(blob: bytes) -> bytes:
    try:
        return zlib.decompress(blob)
    except (zlib.error, TypeError) as failure:
        raise DamagedError(str(failure)) from None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
