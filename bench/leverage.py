"""Leverage scores of text-like documents: laconic against the usual alternatives.

(a) full rank: a pivoted Cholesky factor of the Gram matrix against its eigenvectors;
(b) the top 100: Lanczos to machine precision against randomized SVD at the smallest number of power
    iterations whose scores are within 1 % of the largest; where 32 do not suffice, the ratio is a
    lower bound.
CPU seconds with one BLAS thread, because the load of the machine drifts; interleaved, medians.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import linalg
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from bench.texts import shape, text_like
from laconic.numerics.spectral.leverage import full_leverage, truncated_leverage
from laconic.types import Floats

REPEATS = 3
RANK = 100
ACCURACY = 1e-2
MOST_ITERATIONS = 32


def rows() -> list[Row]:
    with threadpool_limits(1):
        full_leverage(text_like(50, 200, 20)[0])  # compiles
        return [full_rank(), top_of_spectrum()]


def full_rank() -> Row:
    X, _ = text_like(3_000, 60_000, 250)
    ours, peer = interleaved(
        REPEATS, lambda: full_leverage(X).scores, lambda: through_eigenvectors(X)
    )
    np.testing.assert_allclose(ours.last, peer.last, atol=1e-8)
    what = f"full rank, {shape(X)}, CPU"
    return row("leverage.full-rank", what, "eigh of the Gram matrix", ours.cpu, peer.cpu)


def through_eigenvectors(X: csr_array) -> Floats:
    """X'V/σ in blocks, whose squared row lengths are the scores."""
    values, V = linalg.eigh((X @ X.T).toarray())
    sound = values > values[-1] * values.size * np.finfo(np.float64).eps
    V = V[:, sound] / np.sqrt(values[sound])
    scores = np.zeros(X.shape[1])
    for first in range(0, V.shape[1], 100):
        scores += (np.asarray(X.T @ V[:, first : first + 100]) ** 2).sum(axis=1)
    return scores


def top_of_spectrum() -> Row:
    X, _ = text_like(20_000, 60_000, 135)
    exact = truncated_leverage(X, RANK)
    assert exact.error < 1e-8, f"our own bound on the error is {exact.error:.1e}"
    n_iter, error = iterations_for(X, exact.scores)
    ours, peer = interleaved(
        REPEATS, lambda: truncated_leverage(X, RANK).scores, lambda: randomized(X, n_iter)
    )
    reached = f"reaches {error:.1e}" if error <= ACCURACY else f"still off by {error:.1e}"
    what = f"top {RANK}, {shape(X)}, error at most {exact.error:.0e}, CPU"
    name = f"randomized_svd with n_iter={n_iter} ({reached} of the largest score)"
    return row("leverage.top", what, name, ours.cpu, peer.cpu)


def iterations_for(X: csr_array, exact: Floats) -> tuple[int, float]:
    """The smallest power of 2 whose worst error is 1 % of the largest score, and that error.

    Relative to the largest score, which favours the peer.
    """
    n_iter = 1
    while True:
        error = float(np.abs(randomized(X, n_iter) - exact).max() / exact.max())
        text = f"randomized SVD, n_iter={n_iter}: worst error {error:.1e} of the largest score"
        print(text, file=sys.stderr)  # not into the table
        if error <= ACCURACY or n_iter >= MOST_ITERATIONS:
            return n_iter, error
        n_iter *= 2


def randomized(X: csr_array, n_iter: int) -> Floats:
    V = randomized_svd(X, RANK, n_iter=n_iter, random_state=0)[2]
    return np.asarray((V**2).sum(axis=0))
