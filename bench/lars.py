"""LARS: the exact and the fast path against the paper's algorithm, and RLS-LARS against lars_path.

(a) News-3: one newsgroup of 20news-bydate against the rest, all documents, tf-idf over the words of
    at least two documents, 500 features, λ₂ = 1. The yardstick is Algorithm SVM-LARS as the paper
    has it, its misprints corrected: one document at a time, and the gradients of all columns at
    every corner. It runs on the same compiled kernels. All three must name the same features in the
    same order. Needs `LACONIC_DATA`.
(b) RLS-LARS without λ₂ to 100 features on generated documents, against scikit-learn's lars_path on
    the dense copy, which is made off the clock. The order is compared up to the first coefficient
    that changes its sign, where lars_path leaves the path.
CPU seconds with one thread of BLAS; interleaved, medians. Memory is the growth of the peak in the
call, in a new process that has run a small problem before; its rows are in MB.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.linear_model import lars_path
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from bench.texts import shape, text_like
from laconic import Vectorizer, Weighting, load_corpus
from laconic.numerics.lars import Documents, lars
from laconic.numerics.lars_course import Course
from laconic.numerics.lars_crossings import Crossings, next_crossings
from laconic.numerics.lars_fast import fast_lars
from laconic.numerics.lars_position import PIECES, Position
from laconic.numerics.lars_screen import Entry, step_to_entry

REPEATS = 2
SIZE = 500
RLS_SIZE = 100
NEWSGROUP = "comp.os.ms-windows.misc"
MOST_MB = 500.0

Floats = NDArray[np.float64]
Columns = NDArray[np.int64]


def rows() -> list[Row]:
    with threadpool_limits(1):
        found = rls_lars()
        if os.environ.get("LACONIC_DATA"):
            found = [*news_3(), *found]
        else:
            print("lars: LACONIC_DATA is not set, so News-3 is left out", file=sys.stderr)
        return found


def news_3() -> list[Row]:
    X, signs = newsgroup()
    for warm in (by_the_paper, exact, fast):
        warm(X[:2000], signs[:2000], 5)
    paper, lazy, jumping = interleaved(
        REPEATS,
        lambda: by_the_paper(X, signs, SIZE),
        lambda: exact(X, signs, SIZE),
        lambda: fast(X, signs, SIZE),
    )
    assert paper.last.tolist() == lazy.last.tolist() == jumping.last.tolist(), "orders differ"
    growth = peak_growth(exact, X, signs, SIZE)
    what = f"SVM-LARS, News-3, {shape(X)}, {SIZE} features, λ₂ = 1"
    return [
        row(f"{what}, exact, against the paper's algorithm, CPU", lazy.cpu, paper.cpu, 6.0),
        row(f"{what}, fast, against the paper's algorithm, CPU", jumping.cpu, paper.cpu, 15.0),
        Row(
            f"{what}, exact, memory against {MOST_MB:.0f} MB",
            growth,
            MOST_MB,
            MOST_MB / growth,
            1.0,
        ),
    ]


def newsgroup() -> tuple[csr_array, Floats]:
    corpus = load_corpus("20news-bydate")
    X = Weighting("tfidf", min_df=2).fit_transform(Vectorizer().fit_transform(corpus.texts))
    mine = np.array([labels[0] == NEWSGROUP for labels in corpus.labels])
    return X, np.where(mine, 1.0, -1.0)


def exact(X: csr_array, signs: Floats, size: int) -> Columns:
    *_, last = islice(lars(X, signs), size)
    return last.columns


def fast(X: csr_array, signs: Floats, size: int) -> Columns:
    *_, last = islice(fast_lars(X, signs), size)
    return last.columns


def by_the_paper(X: csr_array, signs: Floats, size: int) -> Columns:
    """Algorithm SVM-LARS: steps 2(a) to 4 with the gradients of all columns at every corner."""
    position = Position(Documents.of(X), signs, PIECES["squared_hinge"], 1.0)
    course = Course(position, "always")
    documents, everything = position.documents, np.arange(X.shape[1])
    g = documents.products(everything, position.residuals)
    while len(course.entry_l1) <= size:
        direction = position.direction()
        change = documents.products(everything, direction.residuals)
        column, step = first_root(g, change, position.place, position.l1, course.screen.tie)
        crossings = next_crossings(position, direction, 0.0)
        course.move(direction, min(step, crossings.step))
        g += min(step, crossings.step) * change
        if step <= crossings.step:
            course.take(Entry(column, step, float(np.sign(g[column])), 1.0))
        else:
            course.cross(direction, Crossings(crossings.step, crossings.docs[:1]))
    return position.columns[1 : size + 1]


@njit(nogil=True, cache=True)
def first_root(
    g: Floats, change: Floats, place: Columns, l1: float, tie: float
) -> tuple[int, float]:
    """Steps 2(b) and 2(c); of equals the lowest column."""
    first, chosen = np.inf, -1
    for column in range(g.size):
        if place[column] < 0:
            step = max(step_to_entry(g[column], change[column], l1), 0.0)
            if step < first - tie:
                first, chosen = step, column
    return chosen, first


def rls_lars() -> list[Row]:
    X, y = text_like(10_000, 20_000, 120)
    signs = np.where(y == 0, 1.0, -1.0)
    dense = X.toarray(order="F")
    rls(X[:500], signs[:500], 5)
    mine, peer = interleaved(
        REPEATS, lambda: rls(X, signs, RLS_SIZE), lambda: lars_path_of(dense, signs, RLS_SIZE)
    )
    verify_prefix(mine.last, peer.last)
    growth = peak_growth(rls, X, signs, RLS_SIZE)
    peers = peak_growth(lars_path_of, dense, signs, RLS_SIZE)
    what = f"RLS-LARS, {shape(X)}, {RLS_SIZE} features, λ₂ = 0, against lars_path on the dense copy"
    return [
        row(f"{what}, CPU", mine.cpu, peer.cpu, 40.0),
        Row(f"{what}, memory in MB", growth, peers, peers / growth, 20.0),
    ]


def rls(X: csr_array, signs: Floats, size: int) -> list[tuple[Columns, Floats]]:
    points = islice(lars(X, signs, loss="squared", l2=0.0, bias=None), size)
    return [(point.columns, point.coef) for point in points]


def lars_path_of(dense: Floats, signs: Floats, size: int) -> tuple[list[int], Floats]:
    _, order, coef = lars_path(dense, signs, method="lar", max_iter=size)
    return order, coef


def verify_prefix(ours: list[tuple[Columns, Floats]], theirs: tuple[list[int], Floats]) -> None:
    """Up to the first change of sign; there must be something before it."""
    order, path = theirs
    for size, (columns, coef) in enumerate(ours, start=1):
        if (coef[:-1] * path[columns[:-1], size - 1] < 0).any():
            break
        assert columns.tolist() == list(order[:size]), "orders differ"
        np.testing.assert_allclose(coef, path[columns, size], atol=1e-8)
    assert size > 10, f"the first change of sign is at {size} features"


def peak_growth(work: Callable[..., object], X: Any, signs: Floats, size: int) -> float:
    """MB by which the peak of a process grows in a call."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(growth_here, work, X, signs, size).result()


def growth_here(work: Callable[..., object], X: Any, signs: Floats, size: int) -> float:
    with threadpool_limits(1):
        work(X[:500], signs[:500], 5)
        before = peak(reset=True)
        work(X, signs, size)
        return max(peak() - before, 1.0)


def peak(reset: bool = False) -> float:
    """The most memory that this process has had so far, or since the last reset (Linux)."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith("VmHWM"))
    return float(line.split()[1]) / 1024
