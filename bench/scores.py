"""Scores of every term: laconic's information_gain against scikit-learn's scores.

On generated counts of 20,000 documents, 60,000 terms, about 2 million entries and 20 classes.
CPU seconds of one thread, interleaved runs, medians. `mutual_info_classif` loops over columns for
minutes, so it is timed on a random sample of them and scaled up by their number; `--full` runs all
of them once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csc_array, csr_array
from sklearn.feature_selection import chi2, mutual_info_classif

from bench.measuring import Row, interleaved, row
from bench.texts import Labels, counts, narrow, shape
from laconic.scores.counts import chi_squared, information_gain

REPEATS, SLOW_REPEATS = 5, 3
N_DOCS, N_TERMS, N_WORDS = 20_000, 60_000, 117
SAMPLE = 600


def rows(full: bool = False) -> list[Row]:
    X, y = narrow_counts()
    verify(X, y)
    slow, scale, how = mutual_information(X, y, full)
    gain, squared, peer = interleaved(
        REPEATS,
        lambda: information_gain(X, y),
        lambda: chi_squared(X, y),
        lambda: chi2(X, y),
    )
    # one run of --full takes minutes and is itself an average over 60,000 columns
    ours, sample = interleaved(1 if full else SLOW_REPEATS, lambda: information_gain(X, y), slow)
    minutes = [scale * seconds for seconds in sample.cpu]
    per_term = f"mutual_info_classif ({how})"
    gained, counted = (f"{name}, {shape(X)}, CPU" for name in ("information_gain", "chi_squared"))
    return [
        row("scores.gain.mutual-information", gained, per_term, ours.cpu, minutes),
        row("scores.gain.chi2", gained, "scikit-learn's chi2", gain.cpu, peer.cpu),
        row("scores.chi-squared.chi2", counted, "scikit-learn's chi2", squared.cpu, peer.cpu),
    ]


def mutual_information(
    X: csr_array, y: Labels, full: bool
) -> tuple[Callable[[], object], float, str]:
    """The peer on presence, the factor for its time, and a description of what was timed."""
    P = csc_array(X > 0, dtype=np.float64)
    if not full:
        P = P[:, np.random.default_rng(1).choice(N_TERMS, SAMPLE, replace=False)]
    how = "all terms, once" if full else f"{SAMPLE} random terms x {N_TERMS // SAMPLE}"
    return lambda: mutual_info_classif(P, y, discrete_features=True), N_TERMS / P.shape[1], how


def narrow_counts() -> tuple[csr_array, Labels]:
    """Counts with 32-bit indices, as a vectorizer makes them."""
    X, y = counts(N_DOCS, N_TERMS, N_WORDS)
    return narrow(X), y


def verify(X: csr_array, y: Labels, n_terms: int = 20) -> None:
    """Check the results; this also compiles the kernels outside the timing."""
    for label in range(2):
        gain = information_gain(X, y == label)[:n_terms]
        P = csc_array(X > 0, dtype=np.float64)[:, :n_terms]
        expected = mutual_info_classif(P, y == label, discrete_features=True)
        np.testing.assert_allclose(gain, expected, rtol=1e-6, atol=1e-14)
