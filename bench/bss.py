"""Spectral sparsification: rows tested lazily, against testing all of them in every step.

(a) a vectorised full scan: the one quadratic form that decides, for all rows in one product;
(b) the textbook's four quadratic forms per row, each for all rows in one product.
Both use the same factorizations of the barriers, on random rows and on those of a text-like corpus,
and must make the same selection. CPU seconds with one BLAS thread; interleaved, medians.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
from scipy import linalg
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from bench.texts import text_like
from laconic.numerics.spectral.basis import row_basis
from laconic.numerics.spectral.bss import _Barriers, _Forms, sparsify
from laconic.types import Bools, Floats

REPEATS = 3
SIZE = 300

# Tests which rows may be taken.
RowTest = Callable[[_Forms, Floats], Bools]


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
    what = f"{kind} {U.shape[0]:,} terms × rank {U.shape[1]}, size {SIZE}, same words, CPU"
    return [
        row(f"bss.{kind}.scan", what, "a vectorised full scan", lazy.cpu, full.cpu),
        row(f"bss.{kind}.textbook", what, "four forms per row", lazy.cpu, textbook.cpu),
    ]


def scanned(U: Floats, row_test: RowTest) -> list[int]:
    """Algorithm 1: of all rows that may be taken, the longest that was not taken before."""
    rank = U.shape[1]
    s = sqrt(rank / SIZE)
    barriers = _Barriers.around(np.zeros((rank, rank)), sqrt(SIZE * rank), (1 + s) / (1 - s))
    lengths = np.einsum("ij,ij->i", U, U)
    chosen: dict[int, None] = {}
    for _ in range(SIZE):
        forms = barriers.advance()
        allowed = row_test(forms, U)
        fresh = np.where(allowed, lengths, -1.0)
        fresh[list(chosen)] = -1.0
        pick = int(fresh.argmax()) if fresh.max() > 0 else int((allowed * lengths).argmax())
        u = U[pick]
        barriers.add(u, 2.0 / float(np.sum(forms.values(u[None]))))
        chosen[pick] = None
    return list(chosen)


def one_form(forms: _Forms, U: Floats) -> Bools:
    return np.einsum("ij,ij->i", U @ forms._difference(), U) >= 0


def four_forms(forms: _Forms, U: Floats) -> Bools:
    P, Q = forms.below, forms.above
    of = [np.einsum("ij,ij->i", U @ form, U) for form in (P @ P, P, Q @ Q, Q)]
    return of[2] / forms.fall + of[3] <= of[0] / forms.rise - of[1]
