"""Compiled loops over the entries of a document that work on 8 adjacent numbers at a time.

Numba's loops over the rows of a matrix test at every entry whether arrays overlap, and keep sums in
memory. Here, a panel of up to 24 numbers stays in registers while the entries go by. Matrices have
a multiple of 8 columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

LANES = 8
# Entries whose products are added before they are added to the sums.
GROUP = 4
INT32, INT64 = ir.IntType(32), ir.IntType(64)
CONTRACT = ("contract",)


def width(n_rows: int) -> int:
    """The next multiple of 8."""
    return -(-n_rows // LANES) * LANES


def padded(matrix: NDArray[Any], dtype: type[np.floating[Any]]) -> NDArray[Any]:
    """A copy with zeros up to a multiple of 8 columns."""
    n_lines, n_rows = matrix.shape
    copy = np.zeros((n_lines, width(n_rows)), dtype)
    copy[:, :n_rows] = matrix
    return copy


class Panel:
    """What the code for some vectors of `line`, and of the rows of `matrix`, is written with.

    The arguments are (columns, values, start, end, matrix, first, line): entries start..end of a
    document, and the first number of the panel.
    """

    def __init__(self, context: Any, builder: Any, kinds: Any, args: Any, n_vectors: int) -> None:
        self.builder, self.n_vectors = builder, n_vectors
        self.columns, self.values, self.line = (
            context.make_array(kinds[place])(context, builder, args[place]).data
            for place in (0, 1, 6)
        )
        matrix = context.make_array(kinds[4])(context, builder, args[4])
        self.matrix, self.first = matrix.data, args[5]
        self.stride = builder.extract_value(matrix.shape, 1)
        self.vector = ir.VectorType(context.get_value_type(kinds[4].dtype), LANES)
        self.alignment = kinds[4].dtype.bitwidth // 8

    def load(self, place: Any) -> Any:
        return self.builder.load(place, align=self.alignment)

    def store(self, vector: Any, place: Any) -> None:
        self.builder.store(vector, place, align=self.alignment)

    def line_places(self) -> list[Any]:
        return self._vectors(self.builder.gep(self.line, [self.first]))

    def entry(self, at: Any) -> tuple[Any, list[Any]]:
        """A vector of copies of the entry's value, and the places of its column in the matrix."""
        builder = self.builder
        value = builder.load(builder.gep(self.values, [at]))
        column = builder.zext(builder.load(builder.gep(self.columns, [at])), INT64)
        empty = ir.Constant(self.vector, ir.Undefined)
        single = builder.insert_element(empty, value, ir.Constant(INT32, 0))
        zeros = ir.Constant(ir.VectorType(INT32, LANES), [0] * LANES)
        copies = builder.shuffle_vector(single, empty, zeros)
        number = builder.add(builder.mul(column, self.stride), self.first)
        return copies, self._vectors(builder.gep(self.matrix, [number]))

    def product(self, left: Any, right: Any) -> Any:
        return self.builder.fmul(left, right, flags=CONTRACT)

    def sum(self, left: Any, right: Any) -> Any:
        return self.builder.fadd(left, right, flags=CONTRACT)

    def _vectors(self, place: Any) -> list[Any]:
        vectors = self.builder.bitcast(place, self.vector.as_pointer())
        return [
            self.builder.gep(vectors, [ir.Constant(INT64, number)])
            for number in range(self.n_vectors)
        ]


def _add_panel(builder: Any, panel: Panel, start: Any, end: Any) -> None:
    """line += Σ value · the row of its column."""
    with builder.goto_entry_block():
        totals = [builder.alloca(panel.vector) for _ in range(panel.n_vectors)]
    for at, total in zip(panel.line_places(), totals, strict=True):
        builder.store(panel.load(at), total)
    rest = builder.srem(builder.sub(end, start), ir.Constant(INT64, GROUP))
    whole = builder.sub(end, rest)
    for first, last, size in ((start, whole, GROUP), (whole, end, 1)):
        step = ir.Constant(INT64, size)
        with cgutils.for_range_slice(builder, first, last, step, INT64) as (at, _):
            places = [builder.add(at, ir.Constant(INT64, number)) for number in range(size)]
            entries = [panel.entry(place) for place in places]
            for number, total in enumerate(totals):
                group = None
                for value, rows in entries:
                    product = panel.product(value, panel.load(rows[number]))
                    group = product if group is None else panel.sum(group, product)
                builder.store(panel.sum(builder.load(total), group), total)
    for at, total in zip(panel.line_places(), totals, strict=True):
        panel.store(builder.load(total), at)


def _spread_panel(builder: Any, panel: Panel, start: Any, end: Any) -> None:
    """The row of every entry's column += value · line."""
    numbers = [panel.load(at) for at in panel.line_places()]
    step = ir.Constant(INT64, 1)
    with cgutils.for_range_slice(builder, start, end, step, INT64) as (at, _):
        value, rows = panel.entry(at)
        for number, row in zip(numbers, rows, strict=True):
            panel.store(panel.sum(panel.load(row), panel.product(value, number)), row)


def _intrinsic(write: Callable[[Any, Panel, Any, Any], None], n_vectors: int) -> Any:
    @intrinsic
    def panel(  # type: ignore[no-untyped-def]
        typing, columns, values, start, end, matrix, first, line
    ):
        signature = types.void(columns, values, start, end, matrix, first, line)

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            write(builder, Panel(context, builder, signature.args, args, n_vectors), *args[2:4])
            return context.get_dummy_value()

        return signature, code

    return panel


_add_1, _add_2, _add_3 = (_intrinsic(_add_panel, n) for n in (1, 2, 3))
_spread_1, _spread_2, _spread_3 = (_intrinsic(_spread_panel, n) for n in (1, 2, 3))


@njit(nogil=True, cache=True, inline="always")
def add_products(
    columns: NDArray[np.uint32],
    values: NDArray[Any],
    start: int,
    end: int,
    matrix: NDArray[Any],
    line: NDArray[Any],
) -> None:
    """line += the entries start..end of a document times the matrix."""
    first = 0
    while first + 24 <= line.size:
        _add_3(columns, values, start, end, matrix, first, line)
        first += 24
    if first + 16 == line.size:
        _add_2(columns, values, start, end, matrix, first, line)
    elif first + 8 == line.size:
        _add_1(columns, values, start, end, matrix, first, line)


@njit(nogil=True, cache=True, inline="always")
def spread(
    columns: NDArray[np.uint32],
    values: NDArray[Any],
    start: int,
    end: int,
    line: NDArray[Any],
    matrix: NDArray[Any],
) -> None:
    """The matrix += the entries start..end of a document, each times the line."""
    first = 0
    while first + 24 <= line.size:
        _spread_3(columns, values, start, end, matrix, first, line)
        first += 24
    if first + 16 == line.size:
        _spread_2(columns, values, start, end, matrix, first, line)
    elif first + 8 == line.size:
        _spread_1(columns, values, start, end, matrix, first, line)
