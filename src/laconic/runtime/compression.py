"""The frame of a model file: a mark, the version of the format, and a zlib stream.

The stream contains a safetensors file. Its checksum covers all of it, and it inflates to a bounded
number of bytes.
"""

from __future__ import annotations

import zlib

from laconic.errors import LaconicError

MARK = b"laconic"
VERSION = 3
# Limits of a file, before and after it is inflated.
MOST_BYTES = 1 << 28
# A stream inflates to at most so many times its bytes, and these in addition.
LARGEST_RATIO = 32
FREE_BYTES = 1 << 20


def most_inflated(n_bytes: int) -> int:
    """The most bytes to which a file of so many bytes may inflate."""
    return min(MOST_BYTES, LARGEST_RATIO * n_bytes + FREE_BYTES)


def inflated(data: bytes) -> bytes:
    """The safetensors file within a model file."""
    if data[: len(MARK)] != MARK or len(data) <= len(MARK):
        raise LaconicError("not a compact model of Laconic. Write one with `laconic train`.")
    version = data[len(MARK)]
    if version != VERSION:
        raise LaconicError(_other_version(version))
    most, stream = most_inflated(len(data)), zlib.decompressobj()
    try:
        contents = stream.decompress(memoryview(data)[len(MARK) + 1 :], most + 1)
    except zlib.error:
        raise LaconicError("damaged: it does not have the bytes that were written") from None
    if len(contents) > most:
        raise LaconicError(f"inflates to more than {most:,} bytes, the limit for its size")
    if not stream.eof or stream.unused_data:
        raise LaconicError("damaged: it is cut off, or bytes were added at its end")
    return contents


def _other_version(version: int) -> str:
    this = f"has version {version} of the format, and this Laconic reads version {VERSION}"
    if version > VERSION:
        return f"{this}. Update Laconic, or train the model again."
    return f"{this}: older versions were never released. Train the model again."
