"""Named arrays in one file, which is memory-mapped when it is read; with a header and a hash."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.files import Kind, draft

MAGIC = b"Laconic arrays 1\n"
ARRAY_FILE = Kind("file of counts", re.compile(rb"\A" + MAGIC))
# Arrays begin at multiples of this many bytes.
ALIGNMENT = 64


class ArrayFile(NamedTuple):
    """The header of a file, and its arrays, which are read when they are used."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]

    @property
    def intact(self) -> bool:
        """Whether the arrays have the hash that the header states."""
        return bool(self.header["hash"] == _hash(self.arrays))


def write_arrays(where: Path, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Write a file that appears whole or not at all."""
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    kinds = {name: [array.dtype.str, array.size] for name, array in plain.items()}
    text = json.dumps({**header, "arrays": kinds, "hash": _hash(plain)}).encode()
    with draft(where, ARRAY_FILE) as stream:
        stream.write(MAGIC + len(text).to_bytes(8, "little") + text)
        for array in plain.values():
            stream.write(bytes(-stream.tell() % ALIGNMENT))
            stream.write(array.data)


def read_arrays(where: Path) -> ArrayFile:
    """The arrays of a file, each of one dimension."""
    try:
        with open(where, "rb") as stream:
            start = stream.read(len(MAGIC) + 8)
            size = int.from_bytes(start[len(MAGIC) :], "little")
            if not start.startswith(MAGIC) or size > where.stat().st_size:
                raise ValueError("it is not a file of counts")
            header = json.loads(stream.read(size))
            if not isinstance(header.get("hash"), str):
                raise ValueError("it has no hash")
        return ArrayFile(header, _maps(where, header["arrays"], len(start) + size))
    except FileNotFoundError:
        raise LaconicError(
            f"{where}: the word counts are gone. Load the corpus, or run the study, again: they "
            "will be made again"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as failure:
        raise LaconicError(
            f"{where}: cannot be read ({failure}). Delete it: it will be made again"
        ) from None


def _maps(where: Path, kinds: dict[str, list[Any]], at: int) -> dict[str, NDArray[Any]]:
    whole = np.memmap(where, dtype=np.uint8, mode="r")
    arrays = {}
    for name, (dtype, size) in kinds.items():
        at += -at % ALIGNMENT
        end = at + size * np.dtype(dtype).itemsize
        if end > whole.size:
            raise ValueError("it is truncated")
        arrays[name] = np.asarray(whole[at:end]).view(dtype)
        at = end
    return arrays


def _hash(arrays: dict[str, NDArray[Any]]) -> str:
    digest = blake2b(digest_size=16)
    for name, array in arrays.items():
        digest.update(f"{name} {array.dtype.str} {array.size};".encode())
        digest.update(array.data)
    return digest.hexdigest()
