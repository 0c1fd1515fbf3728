"""`Blocks`: documents × features as CSR blocks of consecutive documents, read when they are used.

Whatever is computed from documents that do not fit into memory goes through two operations:
`total`, a sum over the blocks, and `stack`, the rows of all blocks one after the other. Products,
selections of rows and columns, and weights are made from these, so that numerics see the same
`X @ V`, `X.T @ U`, `X[:, terms]` as with a matrix in memory.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from itertools import chain, islice, pairwise
from math import isqrt
from typing import Any, ClassVar, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from laconic.engine import Engine
from laconic.errors import LaconicError, ResourceError
from laconic.types import Floats, Indices, Int64s, Ints, Matrix

Call: TypeAlias = Callable[[], Any]
_Item = TypeVar("_Item")

# What a matrix that is gathered into memory may take, unless a study says otherwise.
MEMORY = 500 * 10**6
# The limit of what is in memory already: it is always gathered.
NO_LIMIT = sys.maxsize
# A sum over blocks is a sum of the sums of so many blocks each, so that floating-point numbers do
# not depend on where they are added.
GROUP = 4
# Of an entry of a matrix of floats: the number and its column.
ENTRY_BYTES = 12
FLOAT_BYTES = 8
# Of the memory of a worker of a cluster, for X'X, and for dense columns of features.
GRAM_SHARE = 0.5
DENSE_SHARE = 0.4


class DocumentBlock(Protocol):
    """Consecutive documents, in memory or in a file."""

    @property
    def n_docs(self) -> int: ...

    def read(self) -> csr_array:
        """The documents, with sorted columns and without duplicate entries."""


@dataclass(frozen=True, eq=False)
class MatrixBlock:
    """A block in memory."""

    X: csr_array

    @property
    def n_docs(self) -> int:
        return int(self.X.shape[0])

    def read(self) -> csr_array:
        return self.X


@dataclass(frozen=True, eq=False)
class SomeRows:
    """Some documents of a block, ascending."""

    part: DocumentBlock
    rows: Indices

    @property
    def n_docs(self) -> int:
        return self.rows.size

    def read(self) -> csr_array:
        block = self.part.read()
        return block if self.rows.size == self.part.n_docs else block[self.rows]


@dataclass(frozen=True, eq=False)
class Mapped:
    """The documents of a block after a step, which gets the block's numbers per document."""

    part: DocumentBlock
    step: Callable[..., csr_array]
    per_document: tuple[Any, ...]

    @property
    def n_docs(self) -> int:
        return self.part.n_docs

    def read(self) -> csr_array:
        return self.step(self.part.read(), *self.per_document)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Documents × features in blocks.

    Parameters
    ----------
    parts : tuple of DocumentBlock, at least one
    n_columns : number of features
    memory : bytes that a matrix of selected columns may take in memory
    n_threads : blocks that are read at a time; 1 in another process
    engine : the cluster that computes functions of blocks; None in another process
    """

    parts: tuple[DocumentBlock, ...]
    n_columns: int
    memory: int = MEMORY
    n_threads: int = 1
    engine: Engine | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "n_threads": 1, "engine": None}

    @classmethod
    def of(cls, X: Matrix, n_blocks: int = 1, memory: int = MEMORY) -> Self:
        """A matrix in memory as blocks of about the same number of documents."""
        documents = canonical(csr_array(X))
        ends = np.linspace(0, documents.shape[0], n_blocks + 1).astype(int)
        blocks = [documents] if n_blocks == 1 else map(documents.__getitem__, _slices(ends))
        return cls(tuple(map(MatrixBlock, blocks)), documents.shape[1], memory)

    ndim = 2

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.starts[-1]), self.n_columns

    @cached_property
    def starts(self) -> Int64s:
        """The first document of each block, and the number of all documents."""
        return np.append(0, np.cumsum([part.n_docs for part in self.parts], dtype=np.int64))

    def total(self, f: Callable[..., Any], *per_document: Any) -> Any:
        """Σ f(block, *its slices of per_document), added in the order of the blocks.

        f returns a new array, a number, or a tuple of these.
        """
        if self.engine is None:
            groups = in_groups(self._results(f, per_document))
            return reduce(_added, map(_sum_of, groups))
        calls = map(tuple, in_groups(self._calls(f, per_document)))
        return reduce(_added, self.engine.run(_sum_of_calls, calls))

    def stack(self, f: Callable[..., Any], *per_document: Any) -> Any:
        """f(block, *its slices of per_document) of all blocks, one after the other.

        f returns an array or a sparse matrix with one row per document, or a tuple of these.
        """
        return _stacked(list(self._results(f, per_document)))

    def _results(self, f: Callable[..., Any], per_document: tuple[Any, ...]) -> Iterator[Any]:
        """f of each block, in order."""
        calls = self._calls(f, per_document)
        if self.engine is not None:
            return self.engine.run(_called, calls)
        return in_threads(calls, min(self.n_threads, len(self.parts)), self.memory)

    def _calls(self, f: Callable[..., Any], per_document: tuple[Any, ...]) -> Iterator[Call]:
        """For each block a function without arguments, which can be pickled."""
        return (partial(_result, f, *arguments) for arguments in self.with_slices(per_document))

    def with_slices(
        self, per_document: tuple[Any, ...]
    ) -> Iterator[tuple[DocumentBlock, tuple[Any, ...]]]:
        """Each block with its numbers per document."""
        for numbers in per_document:
            if numbers.shape[0] != self.shape[0]:
                raise LaconicError(
                    f"{numbers.shape[0]:,} labels or values for {self.shape[0]:,} documents: give "
                    "one per document"
                )
        for part, rows in zip(self.parts, _slices(self.starts), strict=True):
            yield part, tuple(numbers[rows] for numbers in per_document)

    def map(
        self, step: Callable[..., csr_array], *per_document: Any, n_columns: int | None = None
    ) -> Self:
        """Blocks that are step(block, *its slices of per_document), computed when they are read."""
        parts = (Mapped(part, step, slices) for part, slices in self.with_slices(per_document))
        width = self.n_columns if n_columns is None else n_columns
        return replace(self, parts=tuple(parts), n_columns=width)

    @property
    def pattern(self) -> Self:
        """Blocks with the same entries, without steps that only change their values."""
        return replace(self, parts=tuple(map(_entries_of, self.parts)))

    def take(self, documents: Indices) -> Self:
        """The documents at these positions, ascending."""
        rows = np.asarray(documents, dtype=np.intp)
        if (np.diff(rows) <= 0).any():
            raise LaconicError("documents of blocks are taken in ascending order")
        if rows.size and not 0 <= rows[0] <= rows[-1] < self.shape[0]:
            raise LaconicError(
                f"documents {rows[0]:,} to {rows[-1]:,}: there are {self.shape[0]:,}, from 0"
            )
        bounds = np.searchsorted(rows, self.starts)
        parts = [
            SomeRows(part, rows[chosen] - start)
            for part, start, chosen in zip(self.parts, self.starts, _slices(bounds), strict=False)
            if chosen.start < chosen.stop
        ]
        return replace(self, parts=tuple(parts) or (SomeRows(self.parts[0], rows[:0]),))

    def __getitem__(self, key: Any) -> Self:
        """X[:, columns]"""
        rows, columns = key
        if not isinstance(rows, slice) or rows != slice(None):
            raise LaconicError("X[rows] of blocks: use X.take(rows)")
        # compiled: whoever imports blocks need not wait for numba
        from laconic.numerics.column_selection import SelectColumns

        chosen = np.arange(self.n_columns)[columns]
        if chosen.size == self.n_columns and (np.diff(chosen) == 1).all():
            return self
        return self.map(SelectColumns.of(chosen, self.n_columns), n_columns=chosen.size)

    def __matmul__(self, V: Matrix) -> Matrix:
        return self.by_columns(V, lambda part: self.stack(Product(part)))

    def by_columns(self, V: Matrix, product: Callable[[Matrix], Matrix]) -> Matrix:
        """The product of a few columns of V at a time, if workers have too little memory for all.

        Each has numbers of features × columns three times: V, a result, and the sum so far.
        """
        memory = self.engine.memory if self.engine is not None else None
        if memory is None or V.ndim == 1 or issparse(V):
            return product(V)
        most = max(1, int(DENSE_SHARE * memory) // (3 * FLOAT_BYTES * self.n_columns))
        starts = range(0, V.shape[1], most)
        products = [product(V[:, start : start + most]) for start in starts]
        return products[0] if len(products) == 1 else np.hstack(products)

    @property
    def T(self) -> Transposed:  # noqa: N802 - numpy's name
        return Transposed(self)

    def sum(self, axis: int) -> Floats:
        """Of each column."""
        if axis != 0:
            raise LaconicError("sum over the columns of blocks: use X @ np.ones(X.shape[1])")
        return np.asarray(self.total(column_sums))

    def gathered(self) -> csr_array | Self:
        """The matrix in memory, if it is within the limit; otherwise these blocks."""
        blocks: list[csr_array] = []
        room = self.memory // ENTRY_BYTES
        for block in self._results(unchanged, ()):
            room -= block.nnz
            if room < 0:
                return self
            blocks.append(block)
        return row_stack(blocks)


@dataclass(frozen=True, eq=False)
class Transposed:
    """X', for products from the left."""

    blocks: Blocks

    @property
    def T(self) -> Blocks:  # noqa: N802 - numpy's name
        return self.blocks

    @property
    def shape(self) -> tuple[int, int]:
        return self.blocks.shape[::-1]

    def __matmul__(self, U: Matrix) -> Matrix:
        return self.blocks.by_columns(U, lambda part: self.blocks.total(back_product, part))


@dataclass(frozen=True, eq=False)
class Product:
    """block -> block @ V"""

    V: Matrix

    def __call__(self, block: csr_array) -> Matrix:
        return block @ self.V


@dataclass(frozen=True, eq=False)
class NormalProduct:
    """block -> block' (block @ V), a summand of X'X V: one pass instead of two."""

    V: Floats

    def __call__(self, block: csr_array) -> Floats:
        return np.asarray(block.T @ (block @ self.V))


@dataclass(frozen=True, eq=False)
class ScaleColumns:
    """block -> block with every column times its weight"""

    weights: Floats

    def __call__(self, block: csr_array) -> csr_array:
        values = block.data * self.weights[block.indices]
        return type(block)((values, block.indices, block.indptr), shape=block.shape)


@dataclass(frozen=True)
class AsFloats:
    """block -> block with numbers of 8 bytes"""

    keeps_entries: ClassVar[bool] = True

    def __call__(self, block: csr_array) -> csr_array:
        if block.dtype == np.float64:
            return block
        values = block.data.astype(np.float64)
        return csr_of(values, block.indices, block.indptr, block.shape[1])


FLOATS = AsFloats()


def back_product(block: csr_array, U: Matrix) -> Matrix:
    return block.T @ U


def column_sums(block: csr_array) -> Floats:
    return np.bincount(block.indices, block.data, block.shape[1]).astype(np.float64)


def occurrences(block: csr_array) -> Int64s:
    """Documents with an entry in each column."""
    from laconic.numerics.column_selection import frequencies

    return frequencies(block.indices, block.shape[1])


def _result(f: Callable[..., Any], part: DocumentBlock, slices: tuple[Any, ...]) -> Any:
    return f(part.read(), *slices)


def _called(call: Call) -> Any:
    return call()


def _sum_of_calls(calls: tuple[Call, ...]) -> Any:
    return _sum_of(call() for call in calls)


def _sum_of(results: Iterator[Any]) -> Any:
    return reduce(_added, results)


def in_groups(items: Iterator[_Item]) -> Iterator[Iterator[_Item]]:
    """`GROUP` items at a time; each group is used up before the next one is taken."""
    for first in items:
        yield chain([first], islice(items, GROUP - 1))


def in_threads(
    calls: Iterator[Callable[[], Any]], n_threads: int, memory: int | None = None
) -> Iterator[Any]:
    """The results in order; no more calls than threads are ahead of the one that is next.

    With `memory`, fewer if that many results as large as the first one would take more bytes.
    """
    if n_threads == 1:
        yield from (call() for call in calls)
        return
    pending: deque[Future[Any]] = deque()
    ahead = n_threads if memory is None else 2
    with ThreadPoolExecutor(n_threads) as pool:
        for call in calls:
            pending.append(pool.submit(call))
            while len(pending) >= ahead:
                result = pending.popleft().result()
                if memory is not None:
                    ahead = max(1, min(n_threads, memory // max(1, _size(result))))
                    memory = None
                yield result
        yield from (future.result() for future in pending)


def _size(result: Any) -> int:
    """Bytes of an array, or of several."""
    if isinstance(result, tuple):
        return sum(map(_size, result))
    return int(result.data.nbytes if issparse(result) else getattr(result, "nbytes", 0))


def _entries_of(part: DocumentBlock) -> DocumentBlock:
    while isinstance(part, Mapped) and getattr(part.step, "keeps_entries", False):
        part = part.part
    return part


def unchanged(block: csr_array) -> csr_array:
    return block


def normal_product(X: Matrix, V: Floats) -> Floats:
    """X'X V"""
    if isinstance(X, Blocks):
        return np.asarray(X.by_columns(V, lambda part: X.total(NormalProduct(part))))
    return np.asarray(X.T @ np.asarray(X @ V))


def refuse_gram(X: Blocks) -> None:
    """Raise if the workers of a cluster have too little memory for X'X, and for a summand of it."""
    memory = X.engine.memory if X.engine is not None else None
    needed = 2 * FLOAT_BYTES * X.n_columns**2
    if memory is not None and needed > GRAM_SHARE * memory:
        most = isqrt(int(GRAM_SHARE * memory) // (2 * FLOAT_BYTES))
        raise ResourceError(
            f"X'X of {X.n_columns:,} words takes {needed / 1e6:,.0f} MB in each worker, which has "
            f"{memory / 1e6:,.0f} MB. Select up to {most:,} words, or give the workers more memory"
        )


def in_memory(X: Matrix) -> Matrix:
    """X itself, or the matrix of its blocks if that is within their limit."""
    return X.gathered() if isinstance(X, Blocks) else X


def csr_of(
    values: NDArray[Any], columns: Ints, starts: Ints, n_columns: int, *, in_order: bool = True
) -> csr_array:
    """A matrix from its arrays, which are neither checked nor copied; columns are distinct."""
    index = np.int32 if values.size <= np.iinfo(np.int32).max else np.int64
    X = csr_array((starts.size - 1, n_columns), dtype=values.dtype)
    X.data = values
    X.indices, X.indptr = columns.astype(index, copy=False), starts.astype(index, copy=False)
    X.has_sorted_indices = X.has_canonical_format = in_order
    return X


def row_stack(blocks: list[csr_array]) -> csr_array:
    """The rows of all blocks, one after the other.

    The list is emptied on the way, so that at most one block is in memory twice.
    """
    if len(blocks) == 1:
        return blocks.pop()
    last, in_order = blocks[-1], all(block.has_canonical_format for block in blocks)
    n_entries = sum(block.nnz for block in blocks)
    values, columns = np.empty(n_entries, last.dtype), np.empty(n_entries, last.indices.dtype)
    ends, at = [np.zeros(1, np.int64)], 0
    blocks.reverse()
    while blocks:
        block = blocks.pop()
        entries = slice(at, at + block.nnz)
        values[entries], columns[entries] = block.data, block.indices
        ends.append(block.indptr[1:].astype(np.int64) + at)
        at += block.nnz
    return csr_of(values, columns, np.concatenate(ends), last.shape[1], in_order=in_order)


def canonical(X: csr_array) -> csr_array:
    """X with sorted columns and without duplicate entries; copied if it is in another form."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _slices(ends: Any) -> list[slice]:
    return [slice(int(a), int(b)) for a, b in pairwise(ends)]


def _added(sums: Any, result: Any) -> Any:
    if isinstance(sums, tuple):
        return tuple(map(_added, sums, result))
    if isinstance(sums, np.ndarray) and sums.dtype == np.asarray(result).dtype:
        return np.add(sums, result, out=sums)
    return sums + result


def _stacked(results: list[Any]) -> Any:
    if isinstance(results[0], tuple):
        return tuple(_stacked([result[at] for result in results]) for at in range(len(results[0])))
    if len(results) == 1:
        return results[0]
    if issparse(results[0]):
        return row_stack(results)
    return np.concatenate(results)
