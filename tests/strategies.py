"""Inputs nobody thought of: documents, labels, scores."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array


def counts(max_docs: int = 12, max_terms: int = 9) -> st.SearchStrategy[np.ndarray]:
    """Small count matrices with empty documents, empty and repeated words."""
    shape = st.tuples(st.integers(1, max_docs), st.integers(1, max_terms))
    return shape.flatmap(
        lambda shape: hnp.arrays(np.float64, shape, elements=st.sampled_from([0, 0, 0, 1, 2, 7]))
    )


@st.composite
def scored_terms(draw, max_terms: int = 30):
    """Scores with many ties."""
    size = draw(st.integers(1, max_terms))
    element = st.sampled_from([0.0, 1.0, 2.5, -1.0])
    return draw(hnp.arrays(np.float64, size, elements=element))


def text_like(n_docs: int, n_terms: int, n_classes: int, seed: int = 0):
    """A seeded corpus as counts: each class prefers some words; Zipf elsewhere."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_docs) % n_classes
    base = 1.0 / np.arange(1, n_terms + 1)
    X = np.zeros((n_docs, n_terms))
    for d in range(n_docs):
        chance = base.copy()
        chance[rng.permutation(n_terms)[:3]] *= 2
        chance[y[d] :: n_classes] *= 3
        X[d] = rng.multinomial(40, chance / chance.sum())
    return csr_array(X), y
