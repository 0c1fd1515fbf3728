"""Generated documents of 20 classes, with word frequencies by Zipf's law."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

N_CLASSES = 20
TOPIC_WORDS = 200

Labels = NDArray[np.intp]


def text_like(n_docs: int, n_terms: int, n_words: int) -> tuple[csr_array, Labels]:
    """Unit ltc vectors and their classes."""
    X, y = counts(n_docs, n_terms, n_words)
    return ltc(X), y


def counts(n_docs: int, n_terms: int, n_words: int) -> tuple[csr_array, Labels]:
    """Documents of about n_words words; each class prefers 200 terms. The seed is always 0."""
    rng = np.random.default_rng(0)
    steps = [_steps(n_terms, rng) for _ in range(N_CLASSES)]
    lengths = np.maximum(20, rng.lognormal(np.log(n_words), 0.5, n_docs)).astype(int)
    y = np.arange(n_docs) % N_CLASSES
    words = [
        np.searchsorted(steps[label], rng.random(length))
        for label, length in zip(y, lengths, strict=True)
    ]
    docs = np.repeat(np.arange(n_docs), lengths)
    terms = np.minimum(np.concatenate(words), n_terms - 1)
    return csr_array((np.ones(docs.size), (docs, terms)), shape=(n_docs, n_terms)), y


def _steps(n_terms: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The cumulative probabilities of the terms in one class."""
    chance = 1.0 / np.arange(1, n_terms + 1)
    middle = np.arange(50, max(260, n_terms // 3)) % n_terms
    chance[rng.choice(middle, TOPIC_WORDS, replace=False)] *= 30
    return np.asarray(np.cumsum(chance / chance.sum()))


def ltc(X: csr_array) -> csr_array:
    """Unit ltc vectors; overwrites the counts."""
    X.sum_duplicates()
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    idf = np.log(X.shape[0] / np.maximum(frequency, 1))
    X.data = (1 + np.log(X.data)) * idf[X.indices]
    length = np.sqrt(X.power(2).sum(axis=1))
    X.data /= np.repeat(np.where(length > 0, length, 1.0), np.diff(X.indptr))
    return X


def narrow(X: csr_array) -> csr_array:
    """With 32-bit indices, as liblinear and some others require."""
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return csr_array(parts, shape=X.shape)


def shape(X: csr_array) -> str:
    return f"{X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / 1e6:.1f} M entries"
