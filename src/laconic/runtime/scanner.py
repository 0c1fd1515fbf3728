"""Documents as sequences of numbered chunks: three scanners with the same result type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.types import Int32s, Int64s

# `map`, or the `map` of a thread pool
MapFunction = Callable[..., Iterable[Any]]


class Scan(NamedTuple):
    """The chunks of some documents as ids in text order, and the start of each document.

    Chunk i of this part is chunk `common[i]` of the batch.
    """

    ids: Int32s
    starts: Int64s
    common: Int32s


class Scans(NamedTuple):
    """The parts of a batch, and the distinct chunks of the batch."""

    parts: list[Scan]
    chunks: list[str]


def scan_bytes(parts: list[list[str]], lowercase: bool, map_parts: MapFunction) -> Scans:
    """Scan runs of word characters; chunks that are not ASCII are not lower-cased yet."""
    from laconic.numerics.text.tokens import FIRST_BITS, folding, scan

    def scan_part(texts: list[str]) -> tuple[Int32s, Int64s, NDArray[np.uint8], int]:
        # the lower case of a capital sigma depends on its neighbors, also outside of its chunk
        lowered = (text.lower() if lowercase and "Σ" in text else text for text in texts)
        encoded = [text.encode("utf-8", "surrogatepass") for text in lowered]
        joined = np.frombuffer(b"".join(encoded), np.uint8)
        return scan(joined, bounds(encoded), folding(lowercase), FIRST_BITS)

    scanned = list(map_parts(scan_part, parts))
    # the distinct chunks of each part are scanned as one document, to number those of the batch
    chunks = [names.tobytes() for _, _, names, _ in scanned]
    joined = np.frombuffer(b"".join(chunks), np.uint8)
    common, starts, names, _ = scan(joined, bounds(chunks), folding(False), FIRST_BITS)
    commons = np.split(common, starts[1:-1])
    scans = [
        Scan(ids, starts, common)
        for (ids, starts, _, _), common in zip(scanned, commons, strict=True)
    ]
    return Scans(scans, names.tobytes().decode("utf-8", "surrogatepass").split("\n")[:-1])


def scan_matches(parts: list[Iterable[str]], find: Callable[[str], list[str]]) -> Scans:
    """Scan the matches of `find`."""
    number: dict[str, int] = {}
    scans = []
    for texts in parts:
        rows = [[number.setdefault(chunk, len(number)) for chunk in find(text)] for text in texts]
        ids = np.fromiter(chain.from_iterable(rows), np.int32)
        scans.append(Scan(ids, bounds(rows), np.arange(len(number), dtype=np.int32)))
    return Scans(scans, list(number))


def scan_characters(parts: list[list[str]]) -> Scans:
    """Scan characters: Unicode code points."""
    joined = ["".join(texts).encode("utf-32-le", "surrogatepass") for texts in parts]
    points = [np.frombuffer(text, np.uint32) for text in joined]
    seen = np.zeros(0x110000, bool)
    for part_points in points:
        seen[part_points] = True
    distinct = np.flatnonzero(seen)
    number = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    common = np.arange(distinct.size, dtype=np.int32)
    scans = [
        Scan(number[part_points], bounds(texts), common)
        for part_points, texts in zip(points, parts, strict=True)
    ]
    return Scans(scans, [chr(point) for point in distinct])


def bounds(parts: Iterable[Any]) -> Int64s:
    """The start of each part in their concatenation, and the end of the last one."""
    return np.fromiter(accumulate(map(len, parts), initial=0), np.int64)


def batches(texts: Iterable[str], limit: int) -> Iterator[list[str]]:
    """Texts in groups of about `limit` characters, so a long stream needs little memory."""
    batch, size = [], 0
    for text in checked(texts):
        batch.append(text)
        size += len(text)
        if size >= limit:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def checked(texts: Iterable[str]) -> Iterator[str]:
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise LaconicError(
            f"documents: expected a list of str, found {describe(texts)}. "
            "Put a single document into a list: [text]."
        )
    if (ndim := getattr(texts, "ndim", 1)) != 1:
        raise LaconicError(
            f"documents: expected one text per document, found {describe(texts)} of "
            f"{ndim} dimensions. Give one column, such as table['text']."
        )
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise LaconicError(
                f"documents[{position}]: expected str, found {describe(text)}. "
                "Decode bytes; replace missing texts by '', or leave them out."
            )
        yield text


def describe(value: object) -> str:
    shown = repr(value)
    return f"{type(value).__name__} {shown if len(shown) <= 40 else shown[:37] + '...'}"


def parts(batch: list[str], n_parts: int) -> list[list[str]]:
    """Contiguous, non-empty parts with about the same number of characters."""
    ends = bounds(batch)
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, n_parts) / n_parts).tolist()
    edges = [0, *cuts, len(batch)]
    return [batch[a:b] for a, b in pairwise(edges) if a < b]
