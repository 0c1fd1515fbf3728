"""Numbering n-grams: an n-gram is the pair of an (n-1)-gram and the unit that follows it.

Words and characters alike are units here, given as ids with document boundaries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_BITS = 16


class Grams(NamedTuple):
    """The n-grams that begin at each unit: `ids[n - 1, at]`, or -1 where the document ends before.

    Each length n has ids of its own. Id i of length n > 1 is the (n-1)-gram `pairs[n - 2][0][i]`,
    then the unit `pairs[n - 2][1][i]`.
    """

    ids: Int32s
    starts: Int64s
    pairs: list[tuple[Int32s, Int32s]]


def grams(
    units: Int32s, starts: Int64s, n_units: int, longest: int, bits: int = FIRST_BITS
) -> Grams:
    """All n-grams of up to `longest` units, none across two documents."""
    if longest == 1:
        return Grams(units[np.newaxis], starts, [])
    ids = np.empty((longest, units.size), np.int32)
    ids[0] = units
    pairs = [
        extend(ids[length - 1], units, starts, length, n_units, bits, ids[length])
        for length in range(1, longest)
    ]
    return Grams(ids, starts, pairs)


@njit(nogil=True, cache=True)
def extend(
    prefixes: Int32s,
    units: Int32s,
    starts: Int64s,
    length: int,
    n_units: int,
    bits: int,
    out: Int32s,
) -> tuple[Int32s, Int32s]:
    """Write the ids of (prefix, unit `length` places on) to `out`; return what they stand for."""
    known = np.empty(1 << (bits - 1), np.int64)
    slots = np.full(1 << bits, -1, np.int32)
    n_known = 0
    for doc in range(starts.size - 1):
        last = max(starts[doc], starts[doc + 1] - length)
        for at in range(starts[doc], last):
            pair = np.int64(prefixes[at]) * n_units + units[at + length]
            slot = seek(slots, known, pair, bits)
            if slots[slot] < 0:
                slots[slot] = n_known
                known[n_known] = pair
                n_known += 1
            out[at] = slots[slot]
            if n_known == known.size:
                bits += 1
                slots, known = grown(known, bits)
        out[last : starts[doc + 1]] = -1
    pairs = known[:n_known]
    return (pairs // n_units).astype(np.int32), (pairs % n_units).astype(np.int32)


@njit(nogil=True, cache=True)
def seek(slots: Int32s, known: Int64s, pair: int, bits: int) -> np.uint64:
    """The slot of a pair: its own, or the free one that it may take."""
    mask = np.uint64(slots.size - 1)
    slot = (np.uint64(pair) * GOLDEN) >> np.uint64(64 - bits)
    while slots[slot] >= 0 and known[slots[slot]] != pair:
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(nogil=True, cache=True)
def grown(known: Int64s, bits: int) -> tuple[Int32s, Int64s]:
    """The full table with 2 ** bits slots, twice as many; at most every other slot is taken."""
    slots = np.full(1 << bits, -1, np.int32)
    for i in range(known.size):
        slots[seek(slots, known, known[i], bits)] = i
    wider = np.empty(slots.size // 2, np.int64)
    wider[: known.size] = known
    return slots, wider
