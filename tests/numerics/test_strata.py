"""Strata by the rarest label, against the definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from laconic.numerics.strata import rarest_label, stratified_order


@given(st.integers(1, 30), st.integers(1, 6), st.floats(0, 1), st.integers(0, 99))
def test_the_rarest_label_of_each_document(n_docs, n_labels, density, seed):
    labels = np.random.default_rng(seed).random((n_docs, n_labels)) < density
    counts = labels.sum(axis=0)
    expected = [
        min(np.flatnonzero(row), key=lambda column: (counts[column], column), default=n_labels)
        for row in labels
    ]
    assert rarest_label(labels).tolist() == expected
    assert rarest_label(csr_array(labels)).tolist() == expected


def test_strata_are_in_order_and_random_within():
    stratum = np.array([1, 0, 1, 0, 1, 1, 0, 2])
    used = np.array([0, 1, 2, 3, 4, 5, 7])
    orders = [stratified_order(used, stratum, np.random.default_rng(seed)) for seed in range(9)]
    for order in orders:
        assert sorted(order) == used.tolist()
        assert stratum[order].tolist() == [0, 0, 1, 1, 1, 1, 2]
    assert len({tuple(order) for order in orders}) > 5
