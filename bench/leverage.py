"""Leverage scores of text-like documents: laconic against what one would call instead.

(a) full rank: a pivoted Cholesky factor of the Gram matrix against its eigenvectors;
(b) the top 100: Lanczos to the last digit against randomized SVD at the smallest number of power
    iterations whose scores are within 1 % of the largest; where 32 do not suffice, the ratio is a
    lower bound.
CPU seconds with one BLAS thread, because the load of the machine drifts; interleaved, medians.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from laconic.numerics.leverage import full_leverage, truncated_leverage

REPEATS = 3
RANK = 100
ACCURACY = 1e-2
MOST_ITERATIONS = 32

Floats = NDArray[np.float64]


def rows() -> list[dict[str, Any]]:
    """One row a comparison: name, CPU seconds of ours and of the peer, their ratio, the bar."""
    with threadpool_limits(1):
        full_leverage(text_like(50, 200, 20))  # compiles
        return [full_rank(), top_of_spectrum()]


def full_rank() -> dict[str, Any]:
    X = text_like(3_000, 60_000, 250)
    ours, peer = interleaved(lambda: full_leverage(X).scores, lambda: through_eigenvectors(X))
    np.testing.assert_allclose(ours[1], peer[1], atol=1e-8)
    return row(f"full rank, {shape(X)}, against eigh of the Gram matrix", ours, peer, 1.7)


def through_eigenvectors(X: csr_array) -> Floats:
    """X'V/σ in blocks, whose squared row lengths are the scores."""
    values, V = linalg.eigh((X @ X.T).toarray())
    sound = values > values[-1] * values.size * np.finfo(np.float64).eps
    V = V[:, sound] / np.sqrt(values[sound])
    scores = np.zeros(X.shape[1])
    for first in range(0, V.shape[1], 100):
        scores += (np.asarray(X.T @ V[:, first : first + 100]) ** 2).sum(axis=1)
    return scores


def top_of_spectrum() -> dict[str, Any]:
    X = text_like(20_000, 60_000, 135)
    exact = truncated_leverage(X, RANK)
    assert exact.error < 1e-8, f"our own bound on the error is {exact.error:.1e}"
    n_iter, error = iterations_for(X, exact.scores)
    ours, peer = interleaved(
        lambda: truncated_leverage(X, RANK).scores, lambda: randomized(X, n_iter)
    )
    reached = f"reaches {error:.1e}" if error <= ACCURACY else f"still off by {error:.1e}"
    name = (
        f"top {RANK}, {shape(X)}, error at most {exact.error:.0e}, against randomized SVD with "
        f"n_iter={n_iter} ({reached} of the largest score)"
    )
    return row(name, ours, peer, 1.0)


def iterations_for(X: csr_array, exact: Floats) -> tuple[int, float]:
    """The smallest power of 2 whose worst error is 1 % of the largest score, and that error.

    Relative to the largest score: kinder to the peer than relative to each.
    """
    n_iter = 1
    while True:
        error = float(np.abs(randomized(X, n_iter) - exact).max() / exact.max())
        print(f"  randomized SVD, n_iter={n_iter}: worst error {error:.1e} of the largest score")
        if error <= ACCURACY or n_iter >= MOST_ITERATIONS:
            return n_iter, error
        n_iter *= 2


def randomized(X: csr_array, n_iter: int) -> Floats:
    V = randomized_svd(X, RANK, n_iter=n_iter, random_state=0)[2]
    return np.asarray((V**2).sum(axis=0))


Timed = tuple[list[float], Floats]


def interleaved(ours: Callable[[], Floats], peer: Callable[[], Floats]) -> tuple[Timed, Timed]:
    """Seconds of each round, and the last result."""
    seconds: tuple[list[float], list[float]] = ([], [])
    results = [np.empty(0), np.empty(0)]
    for _ in range(REPEATS):
        for side, work in enumerate((ours, peer)):
            start = process_time()
            results[side] = work()
            seconds[side].append(process_time() - start)
    return (seconds[0], results[0]), (seconds[1], results[1])


def row(name: str, ours: Timed, peer: Timed, target: float) -> dict[str, Any]:
    return {
        "name": name,
        "ours_s": median(ours[0]),
        "peer_s": median(peer[0]),
        "ratio": median(b / a for a, b in zip(ours[0], peer[0], strict=True)),
        "target": target,
    }


def shape(X: csr_array) -> str:
    return f"{X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / 1e6:.1f} M entries"


def text_like(n_docs: int, n_terms: int, n_words: int, n_classes: int = 20) -> csr_array:
    """Zipf's counts with 200 topic words a class, as unit ltc vectors."""
    rng = np.random.default_rng(0)
    steps = [_steps(n_terms, rng) for _ in range(n_classes)]
    lengths = np.maximum(20, rng.lognormal(np.log(n_words), 0.5, n_docs)).astype(int)
    words = [
        np.searchsorted(steps[doc % n_classes], rng.random(length))
        for doc, length in enumerate(lengths)
    ]
    docs = np.repeat(np.arange(n_docs), lengths)
    terms = np.minimum(np.concatenate(words), n_terms - 1)
    counts = csr_array((np.ones(docs.size), (docs, terms)), shape=(n_docs, n_terms))
    return _ltc(counts)


def _steps(n_terms: int, rng: np.random.Generator) -> Floats:
    chance = 1.0 / np.arange(1, n_terms + 1)
    chance[rng.choice(np.arange(50, max(260, n_terms // 3)) % n_terms, 200, replace=False)] *= 30
    return np.asarray(np.cumsum(chance / chance.sum()))


def _ltc(counts: csr_array) -> csr_array:
    counts.sum_duplicates()
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log(counts.shape[0] / np.maximum(frequency, 1))
    counts.data = (1 + np.log(counts.data)) * idf[counts.indices]
    length = np.sqrt(counts.power(2).sum(axis=1))
    counts.data /= np.repeat(np.where(length > 0, length, 1.0), np.diff(counts.indptr))
    return counts


def main() -> None:
    before = os.getloadavg()
    for found in rows():
        verdict = "reached" if found["ratio"] >= found["target"] else "MISSED"
        print(
            f"{found['name']}: {found['ours_s']:.2f} s of CPU, peer {found['peer_s']:.2f} s, "
            f"{found['ratio']:.1f}x; bar {found['target']:.1f}x {verdict}"
        )
    load = " ".join(f"{value:.2f}" for value in (*before, *os.getloadavg()))
    print(f"one BLAS thread; load average before and after: {load}")


if __name__ == "__main__":
    main()
