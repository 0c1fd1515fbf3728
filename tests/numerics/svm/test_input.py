"""What dual descent is given: what it refuses, and documents as they come."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.numerics.svm.dual import Rows, descend
from tests.numerics.svm.test_dual import noisy


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loss": "log"}, "loss='log': choose from hinge, squared_hinge"),
        ({"start": np.zeros(3)}, r"start of shape \(3,\) for 60 documents"),
        ({"y_signed": np.ones(59)}, r"y_signed of shape \(59,\)"),
        ({"costs": np.ones((60, 1))}, r"costs of shape \(60, 1\)"),
        ({"y_signed": np.arange(60) % 2}, "y_signed of 0: give 1 or -1"),
        ({"y_signed": np.full(60, np.nan)}, "y_signed of nan"),
        ({"costs": np.linspace(-0.5, 1.0, 60)}, "costs of -0.5: give finite numbers, 0 or more"),
        ({"costs": np.full(60, np.nan)}, "costs of nan"),
        ({"costs": np.full(60, np.inf)}, "costs of inf"),
        ({"start": np.full(60, np.nan)}, "start of nan: give numbers, or None for 0"),
        ({"start": np.full(60, np.inf)}, "start of inf"),
        ({"start_intercept": np.nan}, "start_intercept of nan: give a number"),
    ],
)
def test_what_cannot_be_asked(change, message):
    X, y_signed, costs = noisy()
    arguments = {"y_signed": y_signed, "costs": costs} | change
    with pytest.raises(LaconicError, match=message):
        descend(Rows.of(X), arguments.pop("y_signed"), arguments.pop("costs"), **arguments)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_documents_without_a_length_are_refused(value):
    X, y_signed, costs = noisy()
    X.data[:1] = value
    with pytest.raises(LaconicError, match="1 of 60 have a squared length that is not finite"):
        descend(Rows.of(X), y_signed, costs, intercept=False)


def test_entries_argumentstwice_are_added_up_in_a_copy():
    once, y_signed, costs = noisy()
    parts = np.repeat(0.5 * once.data, 2), np.repeat(once.indices, 2), 2 * once.indptr
    twice = csr_array(parts, shape=once.shape)
    assert twice.nnz == 2 * once.nnz
    found = descend(Rows.of(twice), y_signed, costs, tolerance=1e-10)
    same = descend(Rows.of(once), y_signed, costs, tolerance=1e-10)
    np.testing.assert_allclose(found.coef, same.coef, atol=1e-9)
    assert twice.nnz == 2 * once.nnz, "the caller's matrix is not written to"
    assert np.shares_memory(Rows.of(once).values, once.data)
