"""Self-contained models: trained and evaluated on documents over their own words only."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array, random_array
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from laconic import ReduceThenFit, RLSClassifier, SampledTerms, TopTerms
from laconic.errors import LaconicError
from laconic.scores import squared_norm

SELECTORS = {"top": TopTerms(), "sampled": SampledTerms(squared_norm, random_state=3)}


def documents(seed: int, n_classes: int = 3) -> tuple[csr_array, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = csr_array(normalize(random_array((40, 25), density=0.15, rng=rng)))
    return X, np.arange(40) % n_classes


def self_contained_by_hand(reducer, X, y, queries, size):
    """Drop the other columns, bring every document to length 1, weigh, train, decide."""
    selection = reducer.fit(X, y).at(size)
    Z, Q = (normalize(D.toarray()[:, selection.terms]) for D in (X, queries))
    classifier = RLSClassifier(alpha=0.7, fit_intercept=True).fit(Z * selection.weights, y)
    return classifier.decision_function(Q * selection.weights).reshape(len(Q), -1)


@pytest.mark.parametrize("selector", SELECTORS)
@given(seed=st.integers(0, 1000), size=st.integers(1, 12), n_classes=st.integers(2, 4))
def test_a_self_contained_model_is_trained_on_its_own_words(selector, seed, size, n_classes):
    X, y = documents(seed, n_classes)
    queries, _ = documents(seed + 1)
    reducer = SELECTORS[selector]
    method = ReduceThenFit(
        reducer, RLSClassifier(alpha=0.7, fit_intercept=True), size=size, normalize="selected"
    ).fit(X, y)
    assert method.model_.normalize == "selected"
    expected = self_contained_by_hand(reducer, X, y, queries, size)
    assert_allclose(method.model_.decision(queries), expected, atol=1e-9)


@pytest.mark.parametrize("classifier", [RLSClassifier(), SVC(kernel="rbf")], ids=["linear", "rbf"])
def test_words_outside_a_self_contained_model_do_not_matter(classifier):
    X, y = documents(5, 2)
    model = ReduceThenFit(TopTerms(), classifier, size=8, normalize="selected").fit(X, y).model_
    others = np.setdiff1d(np.arange(25), TopTerms().fit(X, y).at(8).terms)
    strange = X.toarray()
    strange[:, others] *= 17.0
    assert_allclose(model.decision(csr_array(strange)), model.decision(X), atol=1e-12)
    assert_allclose(model.decision(strange), model.decision(X), atol=1e-12)


def test_the_length_over_selected_words_is_that_before_weights():
    X, y = documents(8)
    reducer = SampledTerms(squared_norm, random_state=1)
    assert not reducer.fit(X, y).at(6).plain
    plain = ReduceThenFit(reducer, size=6, normalize="all").fit(X, y).model_
    self_contained = ReduceThenFit(reducer, size=6).fit(X, y).model_
    assert self_contained.normalize == "selected", "the default"
    assert plain.normalize == "all"
    assert not np.allclose(plain.decision(X), self_contained.decision(X))


def test_an_unknown_normalization_is_refused():
    X, y = documents(0)
    with pytest.raises(LaconicError, match="'none': choose from selected, all"):
        ReduceThenFit(normalize="none").fit(X, y)
