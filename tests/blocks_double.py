"""Blocks as a cluster would see them, for tests of what is computed from blocks."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from scipy.sparse import csr_array

from laconic.numerics.blocks import MEMORY, Blocks, DocumentBlock, MatrixBlock

_reading: list[bool] = []


@contextmanager
def _door() -> Iterator[None]:
    _reading.append(True)
    try:
        yield
    finally:
        _reading.pop()


@dataclass(frozen=True, eq=False)
class Guarded:
    """A part that can be read inside of `total` and `stack` only."""

    part: DocumentBlock

    @property
    def n_docs(self) -> int:
        return self.part.n_docs

    def read(self) -> csr_array:
        assert _reading, "a part was read outside of total and stack"
        return self.part.read()


@dataclass(frozen=True, eq=False)
class GuardedBlocks(Blocks):
    """Blocks that are read by `total` and `stack` only, and that count the passes over them.

    Function, part and numbers are pickled and back before each call, as on the way to a worker;
    the result too, on the way from it. By default nothing fits into memory.
    """

    log: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, X: Any, n_blocks: int = 7, memory: int = 1) -> GuardedBlocks:
        """A matrix in memory as guarded blocks."""
        parts = Blocks.of(X, n_blocks, MEMORY).parts
        assert all(isinstance(part, MatrixBlock) for part in parts)
        return cls(tuple(map(Guarded, parts)), X.shape[1], memory)

    @property
    def passes(self) -> int:
        """Passes over the documents so far, those of blocks derived from these included."""
        return len(self.log)

    def _results(self, f: Any, per_document: tuple[Any, ...]) -> Iterator[Any]:
        self.log.append(getattr(f, "__name__", type(f).__name__))
        for part, slices in self.with_slices(per_document):
            f_there, part_there, slices_there = _travelled((f, part, slices))
            with _door():
                result = f_there(part_there.read(), *slices_there)
            yield _travelled(result)


def _travelled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))
