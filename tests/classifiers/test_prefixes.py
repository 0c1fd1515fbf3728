"""Prefixes of ranked documents are the documents over the selected words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array
from sklearn.preprocessing import normalize

from laconic.classifiers.prefixes import Prefixes, decisions_of

N_TERMS = 9


def documents(seed):
    """Sparse, some without any word, with negative numbers and other lengths than 1."""
    rng = np.random.default_rng(seed)
    X = csr_array(random_array((12, N_TERMS), density=0.3, rng=rng, data_sampler=rng.normal))
    return X, rng.permutation(N_TERMS)


def dense(rows):
    """The documents that `rows` describes, one entry at a time."""
    X = np.zeros((rows.starts.size, rows.n_columns))
    for doc, (start, end) in enumerate(zip(rows.starts, rows.ends, strict=True)):
        for entry in range(start, end):
            X[doc, rows.columns[entry]] += rows.values[entry] * rows.scales[doc]
    return X


@pytest.mark.parametrize("form", [csr_array, csr_array.toarray])
@given(seed=st.integers(0, 99), size=st.integers(1, N_TERMS), n_ranked=st.integers(1, N_TERMS))
def test_a_prefix_is_the_selected_columns(form, seed, size, n_ranked):
    X, order = documents(seed)
    size, order = min(size, n_ranked), order[:n_ranked]
    selected = X.toarray()[:, order[:size]]
    for kind, expected in (("all", selected), ("selected", normalize(selected))):
        rows = Prefixes.of(form(X), order, kind).rows(size)
        np.testing.assert_allclose(dense(rows), expected, atol=1e-15)


@given(seed=st.integers(0, 99), size=st.integers(1, N_TERMS), n_classes=st.integers(1, 4))
def test_decisions_are_products(seed, size, n_classes):
    X, order = documents(seed)
    rng = np.random.default_rng(seed)
    coef, intercept = rng.normal(size=(n_classes, size)), rng.normal(size=n_classes)
    for kind in ("all", "selected"):
        rows = Prefixes.of(X, order, kind).rows(size)
        expected = dense(rows) @ coef.T + intercept
        np.testing.assert_allclose(decisions_of(rows, coef, intercept), expected, atol=1e-13)


def test_no_size_copies_the_entries():
    X, order = documents(3)
    prefixes = Prefixes.of(X, order, "selected")
    for size in range(1, N_TERMS + 1):
        rows = prefixes.rows(size)
        assert rows.values is prefixes.ranked.values
        assert rows.columns is prefixes.ranked.ranks
