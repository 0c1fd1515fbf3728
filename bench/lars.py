"""LARS: the exact and the fast path against the paper's algorithm, and RLS-LARS against lars_path.

(a) News-3: one newsgroup of 20news-bydate against the rest, all documents, tf-idf over the words of
    at least two documents, 500 features, alpha = 1. The peer is Algorithm SVM-LARS as in the paper,
    with its misprints corrected: one document at a time, and the gradients of all columns at every
    corner. It runs on the same compiled kernels. All three must select the same features in the
    same order. Needs `LACONIC_DATA`.
(b) RLS-LARS with alpha = 0 to 100 features on generated documents, against scikit-learn's lars_path
    on the dense copy, which is made outside the timing. The order is compared up to the first
    coefficient that changes its sign, where lars_path leaves the path.
CPU seconds with one thread of BLAS; interleaved, medians. Memory is the growth of the peak in the
call, in a new process that has run a small problem before.
"""

from __future__ import annotations

import os
import sys
from itertools import islice

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.linear_model import lars_path
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from bench.memory import Memory, peak_growth
from bench.texts import shape, text_like
from laconic import Vectorizer, Weighting, load_corpus
from laconic.numerics.lars.active_set import PIECES, ActiveSet
from laconic.numerics.lars.crossings import Crossings, next_crossings
from laconic.numerics.lars.fast import fast_lars
from laconic.numerics.lars.path import Documents, lars
from laconic.numerics.lars.screening import Entry, step_to_entry
from laconic.numerics.lars.state import PathState
from laconic.types import Floats

REPEATS = 2
SIZE = 500
RLS_SIZE = 100
NEWSGROUP = "comp.os.ms-windows.misc"

Columns = NDArray[np.int64]


def rows() -> list[Row]:
    with threadpool_limits(1):
        measured = rls_lars()
        if os.environ.get("LACONIC_DATA"):
            measured = [*news_3(), *measured]
        else:
            print("lars: LACONIC_DATA is not set, so News-3 is skipped", file=sys.stderr)
        return measured


def news_3() -> list[Row]:
    X, y_signed = newsgroup()
    for warm in (by_the_paper, exact, fast):
        warm(X[:2000], y_signed[:2000], 5)
    paper, lazy, jumping = interleaved(
        REPEATS,
        lambda: by_the_paper(X, y_signed, SIZE),
        lambda: exact(X, y_signed, SIZE),
        lambda: fast(X, y_signed, SIZE),
    )
    assert paper.last.tolist() == lazy.last.tolist() == jumping.last.tolist(), "orders differ"
    growth = Memory(peak_growth(exact, X, y_signed, SIZE))
    what = f"SVM-LARS, News-3, {shape(X)}, {SIZE} features, alpha = 1"
    peer = "the paper's algorithm on the same kernels, same words in the same order"
    return [
        row("lars.news-3.exact", f"{what}, exact, CPU", peer, lazy.cpu, paper.cpu, growth),
        row("lars.news-3.fast", f"{what}, fast, CPU", peer, jumping.cpu, paper.cpu),
    ]


def newsgroup() -> tuple[csr_array, Floats]:
    corpus = load_corpus("20news-bydate")
    X = Weighting("tfidf", min_df=2).fit_transform(Vectorizer().fit_transform(corpus.texts))
    mine = np.array([labels[0] == NEWSGROUP for labels in corpus.labels])
    return X, np.where(mine, 1.0, -1.0)


def exact(X: csr_array, y_signed: Floats, size: int) -> Columns:
    *_, last = islice(lars(X, y_signed), size)
    return last.columns


def fast(X: csr_array, y_signed: Floats, size: int) -> Columns:
    *_, last = islice(fast_lars(X, y_signed), size)
    return last.columns


def by_the_paper(X: csr_array, y_signed: Floats, size: int) -> Columns:
    """Algorithm SVM-LARS: steps 2(a) to 4 with the gradients of all columns at every corner."""
    active = ActiveSet(Documents.of(X), y_signed, PIECES["squared_hinge"], 1.0)
    state = PathState(active, "always")
    documents, everything = active.documents, np.arange(X.shape[1])
    g = documents.products(everything, active.residuals)
    while len(state.entry_l1) <= size:
        direction = active.direction()
        change = documents.products(everything, direction.residuals)
        column, step = first_root(g, change, active.index_of, active.l1, state.screening.tie)
        crossings = next_crossings(active, direction, 0.0)
        state.move(direction, min(step, crossings.step))
        g += min(step, crossings.step) * change
        if step <= crossings.step:
            state.add_feature(Entry(column, step, float(np.sign(g[column])), 1.0))
        else:
            state.cross_borders(direction, Crossings(crossings.step, crossings.docs[:1]))
    return active.columns[1 : size + 1]


@njit(nogil=True, cache=True)
def first_root(
    g: Floats, change: Floats, place: Columns, l1: float, tie: float
) -> tuple[int, float]:
    """Steps 2(b) and 2(c); ties: the lowest column."""
    first, chosen = np.inf, -1
    for column in range(g.size):
        if place[column] < 0:
            step = max(step_to_entry(g[column], change[column], l1), 0.0)
            if step < first - tie:
                first, chosen = step, column
    return chosen, first


def rls_lars() -> list[Row]:
    X, y = text_like(10_000, 20_000, 120)
    y_signed = np.where(y == 0, 1.0, -1.0)
    dense = X.toarray(order="F")
    rls(X[:500], y_signed[:500], 5)
    mine, peer = interleaved(
        REPEATS, lambda: rls(X, y_signed, RLS_SIZE), lambda: lars_path_of(dense, y_signed, RLS_SIZE)
    )
    verify_prefix(mine.last, peer.last)
    memory = Memory(
        peak_growth(rls, X, y_signed, RLS_SIZE),
        peak_growth(lars_path_of, dense, y_signed, RLS_SIZE),
    )
    what = f"RLS-LARS, {shape(X)}, {RLS_SIZE} features, alpha = 0, CPU"
    return [row("lars.rls", what, "lars_path on the dense copy", mine.cpu, peer.cpu, memory)]


def rls(X: csr_array, y_signed: Floats, size: int) -> list[tuple[Columns, Floats]]:
    points = islice(lars(X, y_signed, loss="squared", alpha=0.0, bias=None), size)
    return [(point.columns, point.coef) for point in points]


def lars_path_of(dense: Floats, y_signed: Floats, size: int) -> tuple[list[int], Floats]:
    _, order, coef = lars_path(dense, y_signed, method="lar", max_iter=size)
    return order, coef


def verify_prefix(ours: list[tuple[Columns, Floats]], theirs: tuple[list[int], Floats]) -> None:
    """Compare up to the first change of sign, which must not come too early."""
    order, path = theirs
    for size, (columns, coef) in enumerate(ours, start=1):
        if (coef[:-1] * path[columns[:-1], size - 1] < 0).any():
            break
        assert columns.tolist() == list(order[:size]), "orders differ"
        np.testing.assert_allclose(coef, path[columns, size], atol=1e-8)
    assert size > 10, f"the first change of sign is at {size} features"
