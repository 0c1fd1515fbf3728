from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from scipy.sparse import csc_array, csr_array
from sklearn.feature_extraction.text import TfidfTransformer

from laconic import Weighting
from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.blocks import Blocks
from laconic.scores import document_frequency
from tests.oracles import ltc
from tests.strategies import counts


@given(counts())
def test_ltc_is_smarts(X):
    assume(X.any())
    weighting = Weighting("ltc").fit(csr_array(X))
    assert weighting.features_.tolist() == np.flatnonzero(X.any(axis=0)).tolist()
    np.testing.assert_allclose(
        weighting.transform(csr_array(X)).toarray(), ltc(X)[:, weighting.features_], atol=1e-12
    )


@given(counts())
def test_tfidf_is_scikit_learns(X):
    assume(X.any())
    kept = X[:, X.any(axis=0)]
    np.testing.assert_allclose(
        Weighting("tfidf").fit_transform(csc_array(X)).toarray(),
        TfidfTransformer().fit_transform(kept).toarray(),
        atol=1e-12,
    )


@given(counts())
def test_saturated_is_bm25_without_lengths(X):
    assume(X.any())
    kept = X[:, X.any(axis=0)]
    n_docs, n_terms = kept.shape
    expected = np.zeros_like(kept)
    for word in range(n_terms):
        df = sum(kept[document, word] > 0 for document in range(n_docs))
        for document in range(n_docs):
            tf = kept[document, word]
            expected[document, word] = tf / (tf + 1.2) * np.log(n_docs / df)
    lengths = np.sqrt((expected**2).sum(axis=1, keepdims=True))
    unit = np.divide(expected, lengths, out=np.zeros_like(kept), where=lengths > 0)
    weights = Weighting("saturated").fit_transform(csr_array(X)).toarray()
    np.testing.assert_allclose(weights, unit, atol=1e-12)


@given(counts())
def test_binary_histogram_and_count(X):
    assume(X.any())
    kept = X[:, X.any(axis=0)]
    totals = kept.sum(axis=1, keepdims=True)
    histogram = np.divide(kept, totals, out=np.zeros_like(kept), where=totals > 0)
    np.testing.assert_allclose(Weighting("histogram").fit_transform(X).toarray(), histogram)
    np.testing.assert_array_equal(Weighting("count").fit_transform(X).toarray(), kept)
    presence = (kept > 0).astype(float)
    unscaled = Weighting("binary", norm=None).fit_transform(X)
    np.testing.assert_array_equal(unscaled.toarray(), presence)
    lengths = np.sqrt(presence.sum(axis=1, keepdims=True))
    unit = np.divide(presence, lengths, out=np.zeros_like(kept), where=lengths > 0)
    np.testing.assert_allclose(Weighting("binary").fit_transform(X).toarray(), unit)


def test_weights_come_from_training_documents_only():
    train, test = np.array([[1.0, 0, 1, 0], [1, 0, 0, 2]]), np.array([[1.0, 5, 3, 0]])
    weighting = Weighting("ltc", norm=None).fit(csr_array(train))
    assert weighting.features_.tolist() == [0, 2, 3], "a word that training never saw has no weight"
    np.testing.assert_allclose(
        weighting.transform(csr_array(test)).toarray(), [[0, (1 + np.log(3)) * np.log(2), 0]]
    )


def test_presence_survives_an_idf_of_0():
    X = csr_array(np.array([[1.0, 2], [3, 0]]))
    assert document_frequency(Weighting("ltc").fit_transform(X)).tolist() == [2, 1]


def test_filters():
    X = np.array([[1.0, 1, 0, 2], [1, 0, 0, 1], [1, 1, 1, 0], [1, 0, 0, 0]])
    kept = lambda **keys: Weighting("count", **keys).fit(X).features_.tolist()  # noqa: E731
    assert kept(min_df=2) == [0, 1, 3]
    assert kept(min_df=0.5) == [0, 1, 3]
    assert kept(max_df=0.5) == [1, 2, 3]
    assert kept(max_df=3, min_df=2) == [1, 3]
    words = ["a", "the", "of", "word"]
    assert Weighting("count", min_length=3).fit(X, words=words).features_.tolist() == [1, 3]
    frame = pd.DataFrame(X, columns=words)
    assert Weighting("count", min_length=3).fit(frame).get_feature_names_out().tolist() == [
        "the",
        "word",
    ]


def test_entries_that_repeat_are_one_occurrence():
    parts = (np.array([1.0, 1, 2, 1]), np.array([0, 0, 1, 1]), np.array([0, 3, 4]))
    X = csr_array(parts, shape=(2, 2))
    whole = csr_array(X.toarray())
    for scheme in ("ltc", "binary", "tfidf"):
        fitted = Weighting(scheme).fit(X)
        assert fitted.document_frequency_.tolist() == [1, 2]
        np.testing.assert_allclose(
            fitted.transform(X).toarray(), Weighting(scheme).fit_transform(whole).toarray()
        )
    assert X.nnz == 4, "the caller's matrix is not touched"


def test_stored_zeros_are_no_occurrences():
    X = csr_array((np.array([1.0, 0.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert Weighting("count").fit(X).features_.tolist() == [0]
    assert X.nnz == 2, "the caller's matrix is not touched"


@pytest.mark.parametrize(
    ("keys", "X", "says"),
    [
        ({"scheme": "bm25"}, [[1.0]], "choose from ltc"),
        ({"norm": "max"}, [[1.0]], "norm"),
        ({"min_df": 1.5}, [[1.0]], "min_df"),
        ({"max_df": -1}, [[1.0]], "max_df"),
        ({"min_length": 3}, [[1.0]], "needs the words"),
        ({"min_df": 2}, [[1.0]], "no word is left of 1"),
        ({}, [[-1.0]], "Negative .* the least is -1, but 'ltc' takes counts of words. Use 'count'"),
        ({"scheme": "histogram"}, [[-1.0, 2.0]], "'histogram' takes counts"),
    ],
)
def test_refusals(keys, X, says):
    with pytest.raises(LaconicError, match=says):
        Weighting(**keys).fit(np.array(X))


def test_numbers_of_either_sign_stay_as_they_come():
    """Vectors that are weighted already may be centred, or columns of a projection."""
    X = np.array([[1.5, 0.0, -2.0], [0.0, 0.0, 1.0], [-0.5, 0.0, -1.0]])
    weighting = Weighting("count").fit(X[:2])
    assert weighting.document_frequency_.tolist() == [1, 2]
    np.testing.assert_array_equal(weighting.transform(X).toarray(), X[:, [0, 2]])
    unit = Weighting("count", norm="l2").fit_transform(X).toarray()
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1.0)
    assert not Weighting("count").__sklearn_tags__().input_tags.positive_only
    assert Weighting("ltc").__sklearn_tags__().input_tags.positive_only


def test_ltc_of_weights_is_warned_about():
    with pytest.warns(LaconicWarning, match="use 'count'"):
        Weighting("ltc").fit(np.array([[0.2, 1.0]]))


@pytest.mark.parametrize("scheme", ["count", "binary", "ltc", "tfidf"])
def test_whole_numbers_are_weighted_as_floats_are(scheme):
    """Whole counts have a table of weights: negative numbers and zeros are not in it."""
    least = -9 if scheme == "count" else 0
    X = np.random.default_rng(0).integers(least, 5, (20, 6))
    whole, floats = csr_array(X), csr_array(X.astype(float))
    expected = Weighting(scheme).fit_transform(floats).toarray()
    np.testing.assert_array_equal(Weighting(scheme).fit_transform(whole).toarray(), expected)
    zeros = csr_array((np.ones(X.size, int), np.indices(X.shape).reshape(2, -1)), X.shape)
    zeros.data = X.ravel()
    for blocks in (Blocks.of(whole, 3), Blocks.of(zeros, 3)):
        found = Weighting(scheme).fit_transform(blocks).gathered()
        np.testing.assert_array_equal(found.toarray(), expected)
