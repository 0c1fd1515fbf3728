"""Ids of n-grams: an n-gram is the pair of an (n-1)-gram and the unit that follows it.

Units are words or characters, given as ids with document boundaries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.numerics.text import numpy_kernels
from laconic.numerics.text.compiled import compiled
from laconic.types import Int32s, Int64s

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_BITS = 16


class Grams(NamedTuple):
    """The n-grams that begin at each unit: `ids[n - 1, at]`, or -1 if the document ends too soon.

    Each length n has separate ids. Id i of length n > 1 is the (n-1)-gram `pairs[n - 2][0][i]`,
    followed by the unit `pairs[n - 2][1][i]`.
    """

    ids: Int32s
    starts: Int64s
    pairs: list[tuple[Int32s, Int32s]]


def grams(
    units: Int32s, starts: Int64s, n_units: int, longest: int, bits: int = FIRST_BITS
) -> Grams:
    """All n-grams of up to `longest` units within documents."""
    if longest == 1:
        return Grams(units[np.newaxis], starts, [])
    ids = np.empty((longest, units.size), np.int32)
    ids[0] = units
    pairs = [
        extend(ids[length - 1], units, starts, length, n_units, bits, ids[length])
        for length in range(1, longest)
    ]
    return Grams(ids, starts, pairs)


@compiled(numpy_kernels.extend)
def extend(
    prefixes: Int32s,
    units: Int32s,
    starts: Int64s,
    length: int,
    n_units: int,
    bits: int,
    out: Int32s,
) -> tuple[Int32s, Int32s]:
    """Write the ids of (prefix, unit `length` places later) to `out`; return each id's pair."""
    pairs = np.empty(1 << (bits - 1), np.int64)
    slots = np.full(1 << bits, -1, np.int32)
    n_pairs = 0
    for doc in range(starts.size - 1):
        last = max(starts[doc], starts[doc + 1] - length)
        for at in range(starts[doc], last):
            pair = np.int64(prefixes[at]) * n_units + units[at + length]
            slot = find_slot(slots, pairs, pair, bits)
            if slots[slot] < 0:
                slots[slot] = n_pairs
                pairs[n_pairs] = pair
                n_pairs += 1
            out[at] = slots[slot]
            if n_pairs == pairs.size:
                bits += 1
                slots, pairs = enlarge(pairs, bits)
        out[last : starts[doc + 1]] = -1
    distinct = pairs[:n_pairs]
    return (distinct // n_units).astype(np.int32), (distinct % n_units).astype(np.int32)


@compiled()
def find_slot(slots: Int32s, pairs: Int64s, pair: int, bits: int) -> np.uint64:
    """The slot of a pair, or the free slot for it."""
    mask = np.uint64(slots.size - 1)
    slot = (np.uint64(pair) * GOLDEN) >> np.uint64(64 - bits)
    while slots[slot] >= 0 and pairs[slots[slot]] != pair:
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled()
def enlarge(pairs: Int64s, bits: int) -> tuple[Int32s, Int64s]:
    """The table enlarged to 2 ** bits slots, twice as many; at most half of them are used."""
    slots = np.full(1 << bits, -1, np.int32)
    for i in range(pairs.size):
        slots[find_slot(slots, pairs, pairs[i], bits)] = i
    enlarged = np.empty(slots.size // 2, np.int64)
    enlarged[: pairs.size] = pairs
    return slots, enlarged
