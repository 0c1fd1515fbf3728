"""Methods that need columns in memory, over blocks: candidates, and a check of all others.

A method runs on the columns that fit into memory, best first by a ranking. Then a pass over the
blocks computes which of the columns outside would have changed the result. If there are none, the
result is that of all columns. Otherwise they replace the worst unused candidates, and the method
runs again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.numerics.blocks import ENTRY_BYTES, Blocks, in_memory, occurrences
from laconic.types import Columns, Floats, Int64s, Matrix

Found = TypeVar("Found")
# Rounds after which the result of the last candidates is used, with a warning.
ROUNDS = 5
REMEDY = (
    "Raise the memory limit (--in-memory of `laconic study`, or `memory` of the blocks), or select "
    "words first"
)


@dataclass(frozen=True, eq=False)
class CandidateMethod(Generic[Found]):
    """A method on candidates.

    Parameters
    ----------
    run : documents over the candidates, in memory -> result
    used : result -> numbers of the candidates that it needs
    excess : (result, blocks of the other columns) -> one number per column, above 0 where the
        column might have changed the result, the more the larger
    """

    run: Callable[[csr_array], Found]
    used: Callable[[Found], Columns]
    excess: Callable[[Found, Blocks], Floats]


@dataclass(frozen=True, eq=False)
class Checked(Generic[Found]):
    """The result of a method on candidates.

    Parameters
    ----------
    result : of the last round
    columns : the candidates of the last round, ascending
    rounds : how often the method ran
    n_missed : columns outside that might have changed the result; 0 if none would, which is proved
    """

    result: Found
    columns: Columns
    rounds: int
    n_missed: int

    @property
    def proved(self) -> bool:
        return self.n_missed == 0

    @property
    def outcome(self) -> Checked[None]:
        """Without the result, which may hold documents."""
        return Checked(None, self.columns, self.rounds, self.n_missed)

    @property
    def shortfall(self) -> str | None:
        """Warning about columns outside, or None if the result is proved."""
        if self.proved:
            return None
        rounds = "1 round" if self.rounds == 1 else f"{self.rounds} rounds"
        return (
            f"{self.columns.size:,} words were candidates, because no more fit into memory. After "
            f"{rounds}, {self.n_missed:,} other words might have been selected. {REMEDY}"
        )


def on_candidates(X: Blocks, order: Columns, method: CandidateMethod[Found]) -> Checked[Found]:
    """Run the method on the first columns of `order`; add columns and repeat where needed.

    Every round reads the blocks once for the candidates, and as often as `excess` does.
    """
    entries, n_not_finite = X.total(_entries)
    if n_not_finite:
        raise LaconicError(
            f"X has {n_not_finite:,} entries that are NaN or infinite. Replace or remove them"
        )
    columns = _fitting(order, entries, X.memory)
    for rounds in range(1, ROUNDS + 1):
        result = method.run(X[:, columns].gathered())
        outside = np.setdiff1d(np.arange(X.shape[1]), columns)
        excess = method.excess(result, X[:, outside]) if outside.size else np.zeros(0)
        missed = outside[np.argsort(-excess, kind="stable")[: np.count_nonzero(excess > 0.0)]]
        checked = Checked(result, columns, rounds, missed.size)
        first = np.append(columns[method.used(result)], missed)
        following = _fitting(np.append(first, order[~np.isin(order, first)]), entries, X.memory)
        if checked.proved or np.isin(following, columns).all():
            break
        columns = following
    return checked


def _entries(block: csr_array) -> tuple[Int64s, int]:
    return occurrences(block), int(np.count_nonzero(~np.isfinite(block.data)))


def require_memory(name: str, X: Matrix) -> Matrix:
    """X in memory, for a method that needs all columns at once."""
    documents = in_memory(X)
    if isinstance(documents, Blocks):
        raise LaconicError(
            f"{name} needs all documents and words in memory, but {X.shape[0]:,} documents with "
            f"{X.shape[1]:,} words take more than {X.memory:,} bytes. {REMEDY}"
        )
    return documents


def _fitting(order: Columns, entries: Int64s, memory: int) -> Columns:
    """The first columns of the order that fit into memory together, ascending."""
    fits = np.cumsum(entries[order]) <= memory // ENTRY_BYTES
    if not fits.any():
        raise LaconicError(
            f"no word fits into memory: the first candidate has {entries[order[0]]:,} entries, "
            f"which take more than {memory:,} bytes. Raise the memory limit (--in-memory)"
        )
    return np.sort(order[fits])
