"""Documents as sequences of numbered chunks: three scanners with the same result type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np

from laconic.errors import LaconicError
from laconic.types import Int32s, Int64s


class Scan(NamedTuple):
    """The chunks of documents as ids in text order, the start of each document, the chunks."""

    ids: Int32s
    starts: Int64s
    chunks: list[str]


def scan_bytes(texts: list[str], lowercase: bool) -> Scan:
    """Scan runs of word characters; chunks that are not ASCII are not lower-cased yet."""
    from laconic.numerics.text.tokens import FIRST_BITS, folding, scan

    # the lower case of a capital sigma depends on its neighbors, also outside of its chunk
    lowered = (text.lower() if lowercase and "Σ" in text else text for text in texts)
    encoded = [text.encode("utf-8", "surrogatepass") for text in lowered]
    joined = np.frombuffer(b"".join(encoded), np.uint8)
    ids, starts, names, _ = scan(joined, bounds(encoded), folding(lowercase), FIRST_BITS)
    return Scan(ids, starts, names.tobytes().decode("utf-8", "surrogatepass").split("\n")[:-1])


def scan_matches(texts: Iterable[str], find: Callable[[str], list[str]]) -> Scan:
    """Scan the matches of `find`."""
    number: dict[str, int] = {}
    rows = [[number.setdefault(chunk, len(number)) for chunk in find(text)] for text in texts]
    return Scan(np.fromiter(chain.from_iterable(rows), np.int32), bounds(rows), list(number))


def scan_characters(texts: list[str]) -> Scan:
    """Scan characters: Unicode code points."""
    joined = "".join(texts).encode("utf-32-le", "surrogatepass")
    points = np.frombuffer(joined, np.uint32)
    seen = np.zeros(0x110000, bool)
    seen[points] = True
    number = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    return Scan(number[points], bounds(texts), [chr(point) for point in np.flatnonzero(seen)])


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
