from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.numerics.text import weighted_counts as module
from laconic.numerics.text.weighted_counts import weighted_counts
from laconic.numerics.text.weights import idf, weighted

SCHEMES = ["ltc", "tfidf", "saturated", "binary", "histogram", "count"]


@given(st.integers(0, 99), st.sampled_from(SCHEMES), st.sampled_from([None, "l1", "l2"]))
def test_weights_are_those_of_the_formula_to_the_last_bit(seed, scheme, length):
    rng = np.random.default_rng(seed)
    starts = np.append(0, np.cumsum(rng.integers(0, 30, 20)))
    columns = rng.integers(0, 50, starts[-1]).astype(np.int32)
    counts = (rng.zipf(1.5, starts[-1]) % 5000 + 1).astype(np.int32)
    rule = scheme, idf(scheme, 100, rng.integers(1, 101, 50)), length
    expected = weighted(counts.astype(float), columns, starts, *rule)
    np.testing.assert_array_equal(weighted_counts(counts, columns, starts, *rule), expected)


def test_large_counts_need_no_table(monkeypatch: pytest.MonkeyPatch):
    counts, columns, starts = np.array([3, 9], np.int32), np.array([0, 1]), np.array([0, 2])
    expected = weighted_counts(counts, columns, starts, "ltc", np.ones(2), "l2")
    monkeypatch.setattr(module, "LARGEST", 5)
    found = weighted_counts(counts, columns, starts, "ltc", np.ones(2), "l2")
    np.testing.assert_array_equal(found, expected)
