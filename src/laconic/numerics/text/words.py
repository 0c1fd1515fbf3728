"""Vocabularies as bytes: sorted, and the words of several numbered together; sorted counts.

For making a vocabulary. Serving, which has one already, does not need it.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from laconic.numerics.text.tokens import FIRST_BITS, scan
from laconic.types import Bytes, Floats, Int32s, Int64s

# Bytes that no UTF-8 text has: the end of a word, and what stands for two bytes with a meaning.
END, NUL, LINE = 0xFF, 0xFE, 0xFD
# Words are compared by two keys of so many bytes first.
KEY_BYTES = 8
# Shorter rows are sorted faster by comparisons.
RADIX_ENTRIES = 64


def packed(words: list[str]) -> Bytes:
    """The words one after the other, each followed by END."""
    joined = "\n".join([*words, ""])
    if joined.count("\n") == len(words):
        encoded = joined.encode("utf-8", "surrogatepass").replace(b"\n", b"\xff")
    else:
        # n-grams of characters may have line ends
        encoded = b"\xff".join([*(w.encode("utf-8", "surrogatepass") for w in words), b""])
    return np.frombuffer(encoded, np.uint8)


def unpacked(words: Bytes) -> list[str]:
    """The words of `packed`."""
    text = words.tobytes()
    if b"\n" not in text:
        return text.replace(b"\xff", b"\n").decode("utf-8", "surrogatepass").split("\n")[:-1]
    return [word.decode("utf-8", "surrogatepass") for word in text.split(b"\xff")[:-1]]


def in_order(words: Bytes) -> tuple[Bytes, Int32s]:
    """The packed words sorted, and the rank of each.

    Sorted as bytes of UTF-8, words are in the order of their code points, as strings are.
    """
    ends = np.flatnonzero(words == END)
    starts = np.append(0, ends + 1)[:-1]
    keys = prefixes(words, starts, ends)
    order = np.lexsort(keys[::-1])
    _sort_long(words, starts, ends, keys, order)
    rank = np.empty(order.size, np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    return gathered(words, starts[order], ends[order]), rank


def _sort_long(
    words: Bytes, starts: Int64s, ends: Int64s, keys: NDArray[np.uint64], order: Int64s
) -> None:
    """Sort runs of words with the same keys, which are too long for them."""
    same = (keys[:, order[1:]] == keys[:, order[:-1]]).all(axis=0)
    edges = np.flatnonzero(np.diff(same, prepend=False, append=False))
    for first, last in edges.reshape(-1, 2):
        run = order[first : last + 1]
        order[first : last + 1] = sorted(run, key=lambda w: words[starts[w] : ends[w]].tobytes())


@njit(nogil=True, cache=True)
def prefixes(words: Bytes, starts: Int64s, ends: Int64s) -> NDArray[np.uint64]:
    """The first bytes of each word as two numbers in the same order; shorter words are first."""
    keys = np.zeros((2, starts.size), np.uint64)
    for word in range(starts.size):
        size = ends[word] - starts[word]
        for place in range(2 * KEY_BYTES):
            # no byte of UTF-8 is END, so 1 may be added: the end of a word is less than any byte
            byte = np.uint64(words[starts[word] + place]) + np.uint64(1) if place < size else 0
            half = place // KEY_BYTES
            keys[half, word] = (keys[half, word] << np.uint64(8)) | np.uint64(byte)
    return keys


@njit(nogil=True, cache=True)
def gathered(words: Bytes, starts: Int64s, ends: Int64s) -> Bytes:
    """These words, each with the byte that ends it."""
    result = np.empty((ends - starts).sum() + starts.size, np.uint8)
    at = 0
    for word in range(starts.size):
        size = ends[word] + 1 - starts[word]
        result[at : at + size] = words[starts[word] : ends[word] + 1]
        at += size
    return result


def numbered_together(vocabularies: list[Bytes]) -> tuple[Bytes, list[Int32s]]:
    """The distinct words of all, sorted, and the number of each word of each vocabulary in them.

    One pass of the compiled scanner: a Python dictionary would take several times as long.
    """
    fold = np.arange(256, dtype=np.uint8)
    fold[[END, 0, 10]] = 0, NUL, LINE
    starts = np.cumsum([0, *(words.size for words in vocabularies)], dtype=np.int64)
    ids, bounds, names, _ = scan(np.concatenate(vocabularies), starts, fold, FIRST_BITS)
    # the scanner ends words by a new line
    back = np.arange(256, dtype=np.uint8)
    back[[10, NUL, LINE]] = END, 0, 10
    words, rank = in_order(back[names])
    return words, np.split(rank[ids], bounds[1:-1])


@njit(nogil=True, cache=True)
def sorted_rows(
    columns: Int32s, counts: Floats, starts: Int64s, rank: Int32s
) -> tuple[Int32s, Int32s]:
    """Columns renumbered by their rank, ascending in each row, and the counts in the same order."""
    new_columns, new_counts = np.empty(columns.size, np.int32), np.empty(columns.size, np.int32)
    longest = 0
    for doc in range(starts.size - 1):
        longest = max(longest, starts[doc + 1] - starts[doc])
    pairs, spare = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for doc in range(starts.size - 1):
        first, size = starts[doc], starts[doc + 1] - starts[doc]
        for at in range(size):
            column, number = rank[columns[first + at]], counts[first + at]
            pairs[at] = (np.int64(column) << 32) | np.int64(number)
        in_order = sorted_pairs(pairs[:size], spare[:size], rank.size)
        for at in range(size):
            new_columns[first + at] = in_order[at] >> 32
            new_counts[first + at] = in_order[at] & 0xFFFFFFFF
    return new_columns, new_counts


@njit(nogil=True, cache=True)
def sorted_pairs(pairs: Int64s, spare: Int64s, limit: int) -> Int64s:
    """Sorted by their upper halves, which are distinct and below the limit; in one of both arrays.

    Eight bits at a time, from the lowest (a radix sort): it has no branches to mispredict.
    """
    if pairs.size < RADIX_ENTRIES:
        pairs.sort()
        return pairs
    tally, shift = np.empty(256, np.int64), 32
    while limit > 0:
        tally[:] = 0
        for pair in pairs:
            tally[(pair >> shift) & 255] += 1
        top = 0
        for digit in range(256):
            top += tally[digit]
            tally[digit] = top - tally[digit]
        for pair in pairs:
            digit = (pair >> shift) & 255
            spare[tally[digit]] = pair
            tally[digit] += 1
        pairs, spare = spare, pairs
        limit, shift = limit >> 8, shift + 8
    return pairs
