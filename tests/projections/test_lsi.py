from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.sparse import csc_array, csr_array
from sklearn.decomposition import TruncatedSVD

from laconic import LSI
from laconic.errors import LaconicError, SizeUnavailable
from tests.strategies import counts, text_like


@pytest.mark.parametrize("form", [csr_array, csc_array, csr_array.toarray])
@pytest.mark.parametrize("shape", [(40, 25), (25, 40)])
def test_columns_are_singular_vectors_with_their_largest_entry_positive(form, shape):
    X, _ = text_like(*shape, 3)
    U = np.linalg.svd(X.toarray(), full_matrices=False)[2][:6].T
    U *= np.sign(U[np.abs(U).argmax(axis=0), np.arange(6)])
    cut = LSI(6).fit(form(X)).at(6)
    np.testing.assert_allclose(cut.components, U, atol=1e-9)
    np.testing.assert_allclose(cut.apply(form(X)), X.toarray() @ U, atol=1e-8)


def test_documents_are_those_of_scikit_learns_truncated_svd():
    """U'd, of length Σ over the training documents; neither centred nor divided by Σ."""
    X, _ = text_like(60, 40, 3)
    peer = TruncatedSVD(5, algorithm="arpack", random_state=0).fit(X)
    ours = LSI(5).fit_transform(X)
    np.testing.assert_allclose(np.abs(ours), np.abs(peer.transform(X)), atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(ours, axis=0), peer.singular_values_, rtol=1e-9)


@given(counts(max_docs=8, max_terms=8))
def test_all_columns_keep_all_inner_products(X):
    """Also of documents that are empty or equal."""
    assume(X.any())
    lsi = LSI().fit(X)
    assert lsi.available_ == np.linalg.matrix_rank(X)
    Z = lsi.transform(X)
    np.testing.assert_allclose(Z @ Z.T, X @ X.T, atol=1e-9)
    assert (np.diff(np.linalg.norm(Z, axis=0)) <= 1e-9).all(), "longest first"


def test_a_smaller_size_has_the_first_columns():
    X, _ = text_like(40, 25, 3)
    lsi = LSI(6).fit(X)
    assert np.array_equal(lsi.at(2).components, lsi.at(6).components[:, :2])
    assert lsi.get_feature_names_out().tolist() == [f"lsi{i}" for i in range(6)]


def test_what_was_not_fitted_is_refused_and_said_why():
    X, _ = text_like(40, 25, 3)
    with pytest.raises(SizeUnavailable, match=r"only 6 components were fitted. Fit LSI\(size=7\)"):
        LSI(6).fit(X).at(7)
    with pytest.raises(SizeUnavailable, match=r"rank 25. Ask for a size up to 25"):
        LSI(30).fit(X).at(26)
    with pytest.raises(SizeUnavailable, match="ends at 4 components because of longest=4"):
        LSI(30, longest=4).fit(X).at(5)
    with pytest.raises(LaconicError, match="longest=0: give a number of components"):
        LSI(longest=0).fit(X)
    with pytest.raises(LaconicError, match="every term is empty"):
        LSI().fit(csr_array((4, 3)))


def test_a_share_is_one_of_the_rank():
    X, _ = text_like(40, 20, 3)
    assert LSI(0.25).fit_transform(X).shape == (40, 5)
