"""The Gaussian kernel, against its definition pair by pair."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csc_array, csr_array

from laconic.numerics.svm import gaussian
from laconic.numerics.svm.gaussian import gaussian_kernel, gaussian_sums

FORMS = {"csr": csr_array, "csc": csc_array, "dense": np.asarray}


def kernel_by_definition(X, Z, width):
    return np.array([[exp(-sum((x - z) ** 2) / width**2) for z in Z] for x in X])


def documents(seed, n_docs, n_terms=6):
    rng = np.random.default_rng(seed)
    return rng.poisson(0.7, (n_docs, n_terms)) * rng.random((n_docs, n_terms))


@pytest.mark.parametrize("form_x", FORMS)
@pytest.mark.parametrize("form_z", FORMS)
@given(seed=st.integers(0, 99), width=st.floats(0.2, 20), block=st.integers(1, 30))
def test_the_kernel_is_its_definition(form_x, form_z, seed, width, block):
    """Whatever the form of the documents, and however many are worked on at a time."""
    X, Z = documents(seed, 7), documents(seed + 1, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gaussian, "BLOCK", block)
        K = gaussian_kernel(FORMS[form_x](X), FORMS[form_z](Z), width)
        dual = np.random.default_rng(seed).normal(size=(3, 4))
        sums = gaussian_sums(FORMS[form_x](X), FORMS[form_z](Z), width, dual)
    expected = kernel_by_definition(X, Z, width)
    assert_allclose(K, expected, rtol=1e-10, atol=1e-14)
    assert_allclose(sums, expected @ dual.T, rtol=1e-9, atol=1e-12)


def test_a_document_is_never_more_than_like_itself():
    X = 1e4 + documents(0, 50)
    K = gaussian_kernel(X, X, 1e-3)
    assert K.max() <= 1.0, "rounding made a squared distance negative"
    assert (X @ X.T * -2.0 + (X**2).sum(1)[:, None] + (X**2).sum(1) < 0).any()


def test_no_documents_give_no_rows():
    empty = csr_array((0, 6))
    assert gaussian_kernel(empty, documents(0, 3), 1.0).shape == (0, 3)
    assert gaussian_sums(documents(0, 3), empty, 1.0, np.empty((2, 0))).tolist() == [[0, 0]] * 3
