"""Ids of the chunks of UTF-8 text, and counts per document, in one pass over the bytes.

A *chunk* is a maximal run of ASCII word characters and non-ASCII bytes within a document. Its
tokens and their stems are determined elsewhere, once per distinct chunk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from laconic.numerics.text import numpy_kernels
from laconic.numerics.text.compiled import compiled
from laconic.types import Bytes, Floats, Int32s, Int64s

Keys = NDArray[np.uint64]

NEWLINE = np.uint8(10)
ONE, EIGHT, HALF, TOP = np.uint64(1), np.uint64(8), np.uint64(32), np.uint64(56)
FREE = np.uint64(0)
# a key without this bit is the chunk itself, of up to 8 bytes; one with it may be a hash
HASHED = np.uint64(1 << 63)
MIXER, GOLDEN = np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x9E3779B97F4A7C15)
FIRST_BITS = 14


def folding(lowercase: bool) -> Bytes:
    """The folded form of each byte within a chunk; 0 for bytes that end a chunk."""
    fold = np.arange(256, dtype=np.uint8)
    word = np.array([byte >= 128 or chr(byte) == "_" or chr(byte).isalnum() for byte in range(256)])
    if lowercase:
        fold[ord("A") : ord("Z") + 1] += 32
    fold[~word] = 0
    return fold


@compiled(numpy_kernels.scan)
def scan(text: Bytes, starts: Int64s, fold: Bytes, bits: int) -> tuple[Int32s, Int64s, Bytes, int]:
    """The chunks of each document as ids, numbered by first occurrence.

    Returns the ids, the boundaries of the documents among them, the distinct chunks (folded, each
    terminated by a newline) and their number. The table starts with 2 ** bits slots, bits > 1.
    """
    n_docs = starts.size - 1
    ids = np.empty((text.size + n_docs) // 2 + 1, np.int32)
    bounds = np.zeros(n_docs + 1, np.int64)
    arena = np.empty(text.size + n_docs + 1, np.uint8)
    keys, names = np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.int32)
    begins = np.empty(keys.size // 2, np.int64)
    n_ids, n_distinct, top = 0, 0, 0
    for doc in range(n_docs):
        at, end = np.uint64(starts[doc]), np.uint64(starts[doc + 1])
        while at < end:
            at, n_ids, n_distinct, top = read_chunks(
                text, at, end, fold, bits, keys, names, begins, arena, ids, n_ids, n_distinct, top
            )
            if n_distinct == begins.size:
                bits += 1
                keys, names, begins = enlarge(keys, names, begins, bits)
        bounds[doc + 1] = n_ids
    return ids[:n_ids].copy(), bounds, arena[:top].copy(), n_distinct


@compiled()
def read_chunks(
    text: Bytes,
    at: np.uint64,
    end: np.uint64,
    fold: Bytes,
    bits: int,
    keys: Keys,
    names: Int32s,
    begins: Int64s,
    arena: Bytes,
    ids: Int32s,
    n_ids: int,
    n_distinct: int,
    top: int,
) -> tuple[np.uint64, int, int, int]:
    """Read chunks from `at` to the end of the document, or until the table is full.

    Separate from `scan`, because a loop that may replace its own arrays is markedly slower.
    """
    while at < end and n_distinct < begins.size:
        if fold[text[at]] == 0:
            at += ONE
            continue
        first = at
        key, at = key_at(text, at, end, fold)
        slot = first_slot(key, bits)
        while keys[slot] != FREE and not (
            keys[slot] == key
            and (key < HASHED or same_chunk(arena, begins[names[slot]], text, first, at, fold))
        ):
            slot = (slot + ONE) & np.uint64(keys.size - 1)
        if keys[slot] == FREE:
            keys[slot], names[slot], begins[n_distinct] = key, n_distinct, top
            n_distinct += 1
            for place in range(first, at):
                arena[top] = fold[text[place]]
                top += 1
            arena[top] = NEWLINE
            top += 1
        ids[n_ids] = names[slot]
        n_ids += 1
    return at, n_ids, n_distinct, top


@compiled()
def key_at(text: Bytes, at: np.uint64, end: np.uint64, fold: Bytes) -> tuple[np.uint64, np.uint64]:
    """The key of the chunk that starts here, never `FREE`, and where the chunk ends."""
    first, key = at, np.uint64(0)
    while True:
        # the byte that is shifted out, 0 for the first eight bytes, is mixed in as a hash
        key = ((key << EIGHT) | np.uint64(fold[text[at]])) ^ ((key >> TOP) * MIXER)
        at += ONE
        if at >= end or fold[text[at]] == 0:
            break
    if at - first > EIGHT:
        key |= HASHED
    return key, at


@compiled()
def first_slot(key: np.uint64, bits: int) -> np.uint64:
    """The slot where the search for a key starts: the high bits of a product (Knuth)."""
    return ((key ^ (key >> HALF)) * GOLDEN) >> np.uint64(64 - bits)


@compiled()
def same_chunk(
    arena: Bytes, begin: int, text: Bytes, first: np.uint64, end: np.uint64, fold: Bytes
) -> bool:
    """Whether the stored chunk at `begin` has the same bytes as this one."""
    for place in range(first, end):
        if arena[begin] != fold[text[place]]:
            return False
        begin += 1
    return bool(arena[begin] == NEWLINE)


@compiled()
def enlarge(keys: Keys, names: Int32s, begins: Int64s, bits: int) -> tuple[Keys, Int32s, Int64s]:
    """The table enlarged to 2 ** bits slots, twice as many; at most half of them are used."""
    new_keys, new_names = np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.int32)
    for old in range(keys.size):
        if keys[old] != FREE:
            slot = first_slot(keys[old], bits)
            while new_keys[slot] != FREE:
                slot = (slot + ONE) & np.uint64(new_keys.size - 1)
            new_keys[slot], new_names[slot] = keys[old], names[old]
    new_begins = np.empty(keys.size, np.int64)
    new_begins[: begins.size] = begins
    return new_keys, new_names, new_begins


@compiled(numpy_kernels.expand)
def expand(
    ids: Int32s, starts: Int64s, firsts: Int32s, sizes: Int32s, units: Int32s
) -> tuple[Int32s, Int64s]:
    """The units of each document: chunk c stands for `sizes[c]` units from `units[firsts[c]]` on.

    Negative units, such as stop words, are omitted.
    """
    capacity = 0
    for chunk in ids:
        capacity += sizes[chunk]
    expanded, bounds = np.empty(capacity, np.int32), np.zeros(starts.size, np.int64)
    top = 0
    for doc in range(starts.size - 1):
        for at in range(starts[doc], starts[doc + 1]):
            first = firsts[ids[at]]
            for place in range(first, first + sizes[ids[at]]):
                if units[place] >= 0:
                    expanded[top] = units[place]
                    top += 1
        bounds[doc + 1] = top
    return expanded[:top], bounds


@compiled(numpy_kernels.count)
def count(columns: Int32s, starts: Int64s, n_columns: int) -> tuple[Int32s, Floats, Int64s]:
    """How often each column occurs in each document, columns in the order of first occurrence.

    `columns` may have several rows, all counted; negative columns are omitted.
    """
    n_docs = starts.size - 1
    slot_of = np.full(n_columns, -1, np.int64)
    indices, counts = np.empty(columns.size, np.int32), np.empty(columns.size, np.float64)
    bounds = np.zeros(n_docs + 1, np.int64)
    top = 0
    for doc in range(n_docs):
        for line in range(columns.shape[0]):
            for at in range(starts[doc], starts[doc + 1]):
                column = columns[line, at]
                if column < 0:
                    continue
                if slot_of[column] >= bounds[doc]:
                    counts[slot_of[column]] += 1.0
                else:
                    slot_of[column] = top
                    indices[top], counts[top] = column, 1.0
                    top += 1
        bounds[doc + 1] = top
    return indices[:top].copy(), counts[:top].copy(), bounds
