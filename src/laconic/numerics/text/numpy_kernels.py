"""The kernels of this folder in numpy, for systems without numba.

Each has the parameters of the compiled kernel of its name, and returns the same to the last bit.
"""

from __future__ import annotations

from itertools import chain, pairwise

import numpy as np

from laconic.numerics.quotient import quotient
from laconic.types import Bools, Bytes, Floats, Indices, Int32s, Int64s, Integers

BLANK = np.uint8(32)
# Coefficients that are multiplied at once.
BLOCK = 1 << 21


def scan(text: Bytes, starts: Int64s, fold: Bytes, bits: int) -> tuple[Int32s, Int64s, Bytes, int]:
    folded = text.tobytes().translate(np.where(fold == 0, BLANK, fold).tobytes())
    number: dict[bytes, int] = {}
    docs = [
        [number.setdefault(chunk, len(number)) for chunk in folded[begin:end].split()]
        for begin, end in pairwise(starts.tolist())
    ]
    ids = np.fromiter(chain.from_iterable(docs), np.int32)
    names = np.frombuffer(b"".join(chunk + b"\n" for chunk in number), np.uint8)
    return ids, bounds(np.array([len(doc) for doc in docs], np.int64)), names, len(number)


def expand(
    ids: Int32s, starts: Int64s, firsts: Int32s, sizes: Int32s, units: Int32s
) -> tuple[Int32s, Int64s]:
    expanded = units[spans(firsts[ids], sizes[ids])]
    counted = expanded >= 0
    return expanded[counted], bounds(counted)[bounds(sizes[ids])[starts]]


def count(columns: Int32s, starts: Int64s, n_columns: int) -> tuple[Int32s, Floats, Int64s]:
    docs = np.tile(documents(starts), columns.shape[0])
    # all rows of the first document, then all of the second
    order = np.argsort(docs, kind="stable")
    order = order[columns.ravel()[order] >= 0]
    pairs, _, counts = numbered(docs[order] * n_columns + columns.ravel()[order])
    doc, column = np.divmod(pairs, max(n_columns, 1))
    ends = np.searchsorted(doc, np.arange(starts.size))
    return column.astype(np.int32), counts.astype(np.float64), ends.astype(np.int64)


def extend(
    prefixes: Int32s,
    units: Int32s,
    starts: Int64s,
    length: int,
    n_units: int,
    bits: int,
    out: Int32s,
) -> tuple[Int32s, Int32s]:
    at = np.arange(units.size)
    at = at[at + length < starts[1:][documents(starts)]]
    pairs, ids, _ = numbered(prefixes[at].astype(np.int64) * n_units + units[at + length])
    out[:] = -1
    out[at] = ids
    prefix, unit = np.divmod(pairs, max(n_units, 1))
    return prefix.astype(np.int32), unit.astype(np.int32)


def linear_decisions(
    columns: Int32s,
    weights: Floats,
    starts: Int64s,
    firsts: Int64s,
    rows: Int32s,
    coef: Floats,
    n_rows: int,
    normalize_selected: bool,
) -> Floats:
    sizes = np.diff(firsts)[columns]
    ends = bounds(sizes)[starts]
    blocks = np.unique([*np.searchsorted(ends, np.arange(0, ends[-1], BLOCK)), starts.size - 1])
    values = np.zeros((starts.size - 1, n_rows))
    for begin, end in pairwise(blocks.tolist()):
        part = slice(starts[begin], starts[end])
        docs = documents(starts[begin : end + 1])
        entries = spans(firsts[columns[part]], sizes[part])
        place = np.repeat(docs * n_rows, sizes[part]) + rows[entries]
        weight = np.repeat(weights[part], sizes[part])
        line = totals(place, weight * coef[entries], (end - begin, n_rows))
        if normalize_selected:
            # as in the kernel, words of all classes are added up apart
            common = sizes[part] == n_rows
            some = np.repeat(~common, sizes[part])
            squares = totals(place[some], weight[some] ** 2, line.shape)
            squares += totals(docs[common], weights[part][common] ** 2, (end - begin, 1))
            line = quotient(line, np.sqrt(squares))
        values[begin:end] = line
    return values


def totals(places: Integers, values: Floats, shape: tuple[int, int]) -> Floats:
    """The sum of the values of each place, added up in their order."""
    sums = np.bincount(places, values, shape[0] * shape[1])
    return sums.astype(np.float64, copy=False).reshape(shape)


def bounds(sizes: Integers | Bools) -> Int64s:
    """The start of each part in their concatenation, and the end of the last part."""
    return np.append(0, np.cumsum(sizes, dtype=np.int64))


def documents(starts: Int64s) -> Indices:
    """The document of each entry, from 0 on."""
    return np.repeat(np.arange(starts.size - 1), np.diff(starts))


def spans(firsts: Integers, sizes: Integers) -> Int64s:
    """The places first, first + 1, … of each span, one span after the other."""
    ends = bounds(sizes)
    return np.arange(ends[-1]) + np.repeat(firsts - ends[:-1], sizes)


def numbered(values: Int64s) -> tuple[Int64s, Indices, Indices]:
    """The distinct values by first occurrence, the number of each value, how often each occurs."""
    distinct, firsts, inverse, counts = np.unique(
        values, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(firsts)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return distinct[order], rank[inverse], counts[order]
