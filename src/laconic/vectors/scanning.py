"""Documents become sequences of numbered chunks: three ways to scan, one result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]


class Scan(NamedTuple):
    """The chunks of some documents: their ids in reading order, and the name of each id."""

    ids: Int32s
    starts: Int64s
    chunks: list[str]


def scan_bytes(texts: list[str], lowercase: bool) -> Scan:
    """Chunks are runs of word characters; those that are not ASCII still have to be lower-cased."""
    from laconic.numerics.tokens import FIRST_BITS, folding, scan

    # the lower case of a capital sigma depends on what is around it, beyond its own chunk
    whole = (text.lower() if lowercase and "Σ" in text else text for text in texts)
    encoded = [text.encode("utf-8", "surrogatepass") for text in whole]
    joined = np.frombuffer(b"".join(encoded), np.uint8)
    ids, starts, names, _ = scan(joined, bounds(encoded), folding(lowercase), FIRST_BITS)
    chunks = names.tobytes().decode("utf-8", "surrogatepass").split("\n")
    return Scan(ids, starts, chunks[:-1])


def scan_matches(texts: Iterable[str], find: Callable[[str], list[str]]) -> Scan:
    """Chunks are whatever `find` finds in the text."""
    number: dict[str, int] = {}
    found = [[number.setdefault(token, len(number)) for token in find(text)] for text in texts]
    ids = np.fromiter(chain.from_iterable(found), np.int32)
    return Scan(ids, bounds(found), list(number))


def scan_characters(texts: list[str]) -> Scan:
    """Chunks are characters: Unicode code points."""
    joined = "".join(texts).encode("utf-32-le", "surrogatepass")
    points = np.frombuffer(joined, np.uint32)
    seen = np.zeros(0x110000, bool)
    seen[points] = True
    number = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    return Scan(number[points], bounds(texts), [chr(point) for point in np.flatnonzero(seen)])


def bounds(parts: Iterable[Any]) -> Int64s:
    """Where each of the parts starts once they are joined, and where the last one ends."""
    return np.fromiter(accumulate(map(len, parts), initial=0), np.int64)


def batches(texts: Iterable[str], limit: int) -> Iterator[list[str]]:
    """Texts in groups of about `limit` characters: a long stream of them needs little memory."""
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
            f"documents: expected a list of str, found {described(texts)}. "
            "Put a single document into a list: [text]."
        )
    if getattr(texts, "ndim", 1) != 1:
        raise LaconicError(
            f"documents: expected one text a document, found {described(texts)} of "
            f"{texts.ndim} dimensions. Give one column, such as table['text']."  # type: ignore[attr-defined]
        )
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise LaconicError(
                f"documents[{position}]: expected str, found {described(text)}. "
                "Decode bytes, and replace missing texts by '' or leave them out."
            )
        yield text


def described(value: object) -> str:
    shown = repr(value)
    return f"{type(value).__name__} {shown if len(shown) <= 40 else shown[:37] + '...'}"


def parts(batch: list[str], n_parts: int) -> list[list[str]]:
    """Contiguous parts of about the same number of characters, none of them empty."""
    ends = bounds(batch)
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, n_parts) / n_parts).tolist()
    edges = [0, *cuts, len(batch)]
    return [batch[a:b] for a, b in pairwise(edges) if a < b]
