"""Scores of every term: laconic's information_gain against scikit-learn's own scores.

On seeded counts of 20,000 documents, 60,000 terms, about 2 million entries and 20 classes.
CPU seconds of one thread, interleaved runs, medians. `mutual_info_classif` loops over columns for
minutes, so it is timed on a random sample of them and scaled up by their number; `--full` runs all
of them once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array
from sklearn.feature_selection import chi2, mutual_info_classif

from laconic.scores.counts import chi_squared, information_gain

REPEATS, SLOW_REPEATS = 5, 3
N_DOCS, N_TERMS, N_CLASSES = 20_000, 60_000, 20
LENGTH = 110
SAMPLE = 600


def rows(full: bool = False) -> list[dict[str, Any]]:
    """One row a comparison: name, seconds of ours and of the peer, their ratio, the bar to clear.

    The ratio is the peer's time by ours. "At most 3 times as slow" is a bar of 1/3.
    """
    X, y = counts()
    verify(X, y)
    slow, scale, how = mutual_information(X, y, full)
    works = (lambda: information_gain(X, y), lambda: chi_squared(X, y), lambda: chi2(X, y), slow)
    runs = [[timed(work) for work in works[:3]] for _ in range(REPEATS)]
    # one run of --full takes minutes and is itself an average over 60,000 columns
    slow_runs = [(timed(works[0]), scale * timed(slow)) for _ in range(1 if full else SLOW_REPEATS)]
    gain, squared, peer = ([run[i] for run in runs] for i in range(3))
    ours, minutes = ([run[i] for run in slow_runs] for i in range(2))
    return [
        row(f"information_gain, peer mutual_info_classif ({how})", ours, minutes, target=100.0),
        row("information_gain, peer sklearn's chi2", gain, peer, target=1 / 3),
        row("chi_squared, peer sklearn's chi2", squared, peer, target=1 / 3),
    ]


def row(name: str, ours: list[float], peer: list[float], target: float) -> dict[str, Any]:
    # the ratio of each round, because the load of the machine drifts between rounds
    ratio = median(b / a for a, b in zip(ours, peer, strict=True))
    return {
        "name": name,
        "ours_s": median(ours),
        "peer_s": median(peer),
        "ratio": ratio,
        "target": target,
    }


def mutual_information(
    X: csr_array, y: NDArray[np.intp], full: bool
) -> tuple[Callable[[], object], float, str]:
    """The peer on presence, by what to multiply its time, and in words what was timed."""
    P = csc_array(X > 0, dtype=np.float64)
    if not full:
        P = P[:, np.random.default_rng(1).choice(N_TERMS, SAMPLE, replace=False)]
    how = "all terms, once" if full else f"{SAMPLE} random terms x {N_TERMS // SAMPLE}"
    return lambda: mutual_info_classif(P, y, discrete_features=True), N_TERMS / P.shape[1], how


def counts() -> tuple[csr_array, NDArray[np.intp]]:
    """Words as frequent as Zipf says; a class prefers every twentieth word."""
    rng = np.random.default_rng(0)
    y = rng.integers(N_CLASSES, size=N_DOCS)
    chance = 1.0 / (np.arange(N_TERMS) + 10.0)
    terms = rng.choice(N_TERMS, size=(N_DOCS, LENGTH), p=chance / chance.sum())
    own = (terms - terms % N_CLASSES + y[:, None]) % N_TERMS
    terms = np.where(rng.random(terms.shape) < 0.2, own, terms)
    docs = np.repeat(np.arange(N_DOCS, dtype=np.int32), LENGTH)
    entries = (np.ones(terms.size), (docs, terms.ravel().astype(np.int32)))
    return csr_array(entries, shape=(N_DOCS, N_TERMS)), y


def verify(X: csr_array, y: NDArray[np.intp], n_terms: int = 20) -> None:
    """A fast wrong answer is worth nothing. This compiles the kernels, too, off the clock."""
    for label in range(2):
        found = information_gain(X, y == label)[:n_terms]
        P = csc_array(X > 0, dtype=np.float64)[:, :n_terms]
        expected = mutual_info_classif(P, y == label, discrete_features=True)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-14)


def timed(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def main() -> None:
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"{'comparison':72} {'ours s':>8} {'peer s':>8} {'ratio':>8} {'bar':>7}")
    for found in rows(full="--full" in sys.argv[1:]):
        verdict = "reached" if found["ratio"] >= found["target"] else "MISSED"
        print(
            f"{found['name']:72} {found['ours_s']:8.3f} {found['peer_s']:8.3f} "
            f"{found['ratio']:8.2f} {found['target']:7.2f} {verdict}"
        )
    print(f"load average before: {load}; after: {' '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
