"""Numbering the chunks of UTF-8 text, and counting by document: one pass over the bytes.

A *chunk* is a maximal run of ASCII word characters and non-ASCII bytes inside one document. What a
chunk means (its tokens, their stems) is decided elsewhere, once for each distinct chunk.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]

NEWLINE = np.uint8(10)
ONE, EIGHT, HALF, TOP = np.uint64(1), np.uint64(8), np.uint64(32), np.uint64(56)
FREE = np.uint64(0)
# a key without this bit is the chunk itself, of up to 8 bytes; one with it may be a hash
HASHED = np.uint64(1 << 63)
MIXER, GOLDEN = np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x9E3779B97F4A7C15)
FIRST_BITS = 14


def folding(lowercase: bool) -> Bytes:
    """The byte that stands for each byte inside a chunk; 0 where a chunk ends."""
    fold = np.arange(256, dtype=np.uint8)
    word = np.array([byte >= 128 or chr(byte) == "_" or chr(byte).isalnum() for byte in range(256)])
    if lowercase:
        fold[ord("A") : ord("Z") + 1] += 32
    fold[~word] = 0
    return fold


@njit(nogil=True, cache=True)
def scan(text: Bytes, starts: Int64s, fold: Bytes, bits: int) -> tuple[Int32s, Int64s, Bytes, int]:
    """The chunks of each document as ids, numbered by first occurrence.

    Returns the ids, the boundaries of the documents among them, the distinct chunks (folded, each
    ended by a newline) and how many these are. The table begins with 2 ** bits slots, bits > 1.
    """
    n_docs = starts.size - 1
    ids = np.empty((text.size + n_docs) // 2 + 1, np.int32)
    bounds = np.zeros(n_docs + 1, np.int64)
    arena = np.empty(text.size + n_docs + 1, np.uint8)
    keys, names = np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.int32)
    begins = np.empty(keys.size // 2, np.int64)
    n_ids, n_known, top = 0, 0, 0
    for doc in range(n_docs):
        at, end = np.uint64(starts[doc]), np.uint64(starts[doc + 1])
        while at < end:
            at, n_ids, n_known, top = read(
                text, at, end, fold, bits, keys, names, begins, arena, ids, n_ids, n_known, top
            )
            if n_known == begins.size:
                bits += 1
                keys, names, begins = grown(keys, names, begins, bits)
        bounds[doc + 1] = n_ids
    return ids[:n_ids].copy(), bounds, arena[:top].copy(), n_known


@njit(nogil=True, cache=True)
def read(  # type: ignore[no-untyped-def]
    text, at, end, fold, bits, keys, names, begins, arena, ids, n_ids, n_known, top
):
    """Read on from `at` until the end of the document, or until the table is full.

    Apart from `scan`, because a loop that may replace its own arrays runs markedly slower.
    """
    while at < end and n_known < begins.size:
        if fold[text[at]] == 0:
            at += ONE
            continue
        first = at
        key, at = key_at(text, at, end, fold)
        slot = home(key, bits)
        while keys[slot] != FREE and not (
            keys[slot] == key
            and (key < HASHED or same(arena, begins[names[slot]], text, first, at, fold))
        ):
            slot = (slot + ONE) & np.uint64(keys.size - 1)
        if keys[slot] == FREE:
            keys[slot], names[slot], begins[n_known] = key, n_known, top
            n_known += 1
            for place in range(first, at):
                arena[top] = fold[text[place]]
                top += 1
            arena[top] = NEWLINE
            top += 1
        ids[n_ids] = names[slot]
        n_ids += 1
    return at, n_ids, n_known, top


@njit(nogil=True, cache=True)
def key_at(text, at, end, fold):  # type: ignore[no-untyped-def]
    """The key of the chunk that begins here, never `FREE`, and where the chunk ends."""
    first, key = at, np.uint64(0)
    while True:
        # the byte that is shifted out, 0 among the first eight, comes back as a hash
        key = ((key << EIGHT) | np.uint64(fold[text[at]])) ^ ((key >> TOP) * MIXER)
        at += ONE
        if at >= end or fold[text[at]] == 0:
            break
    if at - first > EIGHT:
        key |= HASHED
    return key, at


@njit(nogil=True, cache=True)
def home(key, bits):  # type: ignore[no-untyped-def]
    """The slot where the search for a key begins: the high bits of a product, as Knuth has it."""
    return ((key ^ (key >> HALF)) * GOLDEN) >> np.uint64(64 - bits)


@njit(nogil=True, cache=True)
def same(arena, begin, text, first, end, fold):  # type: ignore[no-untyped-def]
    """Whether the known chunk that begins there has the bytes of this one."""
    for place in range(first, end):
        if arena[begin] != fold[text[place]]:
            return False
        begin += 1
    return arena[begin] == NEWLINE


@njit(nogil=True, cache=True)
def grown(keys: Keys, names: Int32s, begins: Int64s, bits: int) -> tuple[Keys, Int32s, Int64s]:
    """The table with 2 ** bits slots, twice as many; at most every other slot is ever taken."""
    more_keys, more_names = np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.int32)
    for old in range(keys.size):
        if keys[old] != FREE:
            slot = home(keys[old], bits)
            while more_keys[slot] != FREE:
                slot = (slot + ONE) & np.uint64(more_keys.size - 1)
            more_keys[slot], more_names[slot] = keys[old], names[old]
    more_begins = np.empty(keys.size, np.int64)
    more_begins[: begins.size] = begins
    return more_keys, more_names, more_begins


@njit(nogil=True, cache=True)
def expand(
    ids: Int32s, starts: Int64s, firsts: Int32s, sizes: Int32s, units: Int32s
) -> tuple[Int32s, Int64s]:
    """The units of each document: chunk c stands for `sizes[c]` units from `units[firsts[c]]` on.

    A negative unit is one that does not count (a stop word); it is left out.
    """
    room = 0
    for chunk in ids:
        room += sizes[chunk]
    found, bounds = np.empty(room, np.int32), np.zeros(starts.size, np.int64)
    top = 0
    for doc in range(starts.size - 1):
        for at in range(starts[doc], starts[doc + 1]):
            first = firsts[ids[at]]
            for place in range(first, first + sizes[ids[at]]):
                if units[place] >= 0:
                    found[top] = units[place]
                    top += 1
        bounds[doc + 1] = top
    return found[:top], bounds


@njit(nogil=True, cache=True)
def count(columns: Int32s, starts: Int64s, n_columns: int) -> tuple[Int32s, Floats, Int64s]:
    """How often each column occurs in each document, columns in the order of first occurrence.

    `columns` may have several lines, all counted; negative ones are left out.
    """
    n_docs = starts.size - 1
    seat = np.full(n_columns, -1, np.int64)
    indices, counts = np.empty(columns.size, np.int32), np.empty(columns.size, np.float64)
    bounds = np.zeros(n_docs + 1, np.int64)
    top = 0
    for doc in range(n_docs):
        for line in range(columns.shape[0]):
            for at in range(starts[doc], starts[doc + 1]):
                column = columns[line, at]
                if column < 0:
                    continue
                if seat[column] >= bounds[doc]:
                    counts[seat[column]] += 1.0
                else:
                    seat[column] = top
                    indices[top], counts[top] = column, 1.0
                    top += 1
        bounds[doc + 1] = top
    return indices[:top].copy(), counts[:top].copy(), bounds
