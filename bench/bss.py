"""Spectral sparsification: rows asked lazily, against asking all of them in every step.

(a) a vectorised full scan: the one quadratic form that decides, of all rows in one product;
(b) the textbook's four quadratic forms a row, each of all rows in one product.
Both on the same factorisations of the barriers, on random rows and on those of a text-like corpus,
with the same selection. CPU seconds with one BLAS thread; interleaved, medians.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from bench.texts import text_like
from laconic.numerics.basis import row_basis
from laconic.numerics.bss import _Barriers, sparsify

REPEATS = 3
SIZE = 300

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
# What may be taken, from the barriers after their move, U, both forms, and the inverses before it.
Asking = Callable[[_Barriers, Floats, Floats, Floats, tuple[Floats, Floats]], Bools]


def rows() -> list[Row]:
    with threadpool_limits(1):
        sparsify(np.eye(3), 5)  # compiles
        random = linalg.qr(np.random.default_rng(0).normal(size=(20_000, 150)), mode="economic")[0]
        texts = row_basis(text_like(150, 20_000, 250)[0])
        return [*compared("random", random), *compared("text-like", texts)]


def compared(kind: str, U: Floats) -> list[Row]:
    U = np.ascontiguousarray(U)
    lazy, full, textbook = interleaved(
        REPEATS,
        lambda: sparsify(U, SIZE, repeat=0.0).rows.tolist(),
        lambda: scanned(U, one_form),
        lambda: scanned(U, four_forms),
    )
    assert lazy.last == full.last == textbook.last, "the selections differ"
    what = f"BSS, {kind} {U.shape[0]:,} terms × rank {U.shape[1]}, size {SIZE}, against"
    return [
        row(f"{what} a vectorised full scan, CPU", lazy.cpu, full.cpu, target=10),
        row(f"{what} four forms a row, CPU", lazy.cpu, textbook.cpu, target=30),
    ]


def scanned(U: Floats, asked: Asking) -> list[int]:
    """Algorithm 1: of all rows that may be taken, the longest that was not."""
    rank = U.shape[1]
    s = sqrt(rank / SIZE)
    barriers = _Barriers.around(np.zeros((rank, rank)), sqrt(SIZE * rank), (1 + s) / (1 - s))
    lengths = np.einsum("ij,ij->i", U, U)
    chosen: dict[int, None] = {}
    for _ in range(SIZE):
        before = barriers.below, barriers.above
        lower, upper = barriers.forms()
        allowed = asked(barriers, U, lower, upper, before)
        fresh = np.where(allowed, lengths, -1.0)
        fresh[list(chosen)] = -1.0
        pick = int(fresh.argmax()) if fresh.max() > 0 else int((allowed * lengths).argmax())
        u = U[pick]
        barriers.pass_by(u, 2.0 / (u @ lower @ u + u @ upper @ u))
        chosen[pick] = None
    return list(chosen)


def one_form(_: _Barriers, U: Floats, lower: Floats, upper: Floats, *__: object) -> Bools:
    return np.einsum("ij,ij->i", U @ (lower - upper), U) >= 0


def four_forms(
    barriers: _Barriers, U: Floats, _: Floats, __: Floats, before: tuple[Floats, Floats]
) -> Bools:
    P, Q = barriers.below, barriers.above
    rise = np.vdot(P, before[0])
    fall = barriers.stride * np.vdot(Q, before[1])
    forms = [np.einsum("ij,ij->i", U @ form, U) for form in (P @ P, P, Q @ Q, Q)]
    return forms[2] / fall + forms[3] <= forms[0] / rise - forms[1]
