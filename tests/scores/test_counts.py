from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csc_array, csr_array
from sklearn.base import clone
from sklearn.feature_selection import mutual_info_classif
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from laconic.errors import LaconicError
from laconic.scores.counts import (
    bi_normal_separation,
    chi_squared,
    document_frequency,
    information_gain,
)
from laconic.selectors.top import TopTerms
from laconic.text.weighting import Weighting
from tests import oracles
from tests.strategies import counts, text_like

ORACLES = {
    information_gain: oracles.information_gain_of_cells,
    chi_squared: oracles.chi_squared_of_cells,
    bi_normal_separation: oracles.bi_normal_separation_of_cells,
}
SUPERVISED = pytest.mark.parametrize("score", ORACLES)
COMBINE = {"mean": np.mean, "max": np.max, "sum": np.sum}


@st.composite
def classified(draw, n_classes):
    """Counts with one class a document, two at least."""
    X = draw(counts())
    y = draw(hnp.arrays(np.int64, len(X), elements=st.integers(0, n_classes - 1)))
    assume(len(set(y)) > 1)
    return X, y


@st.composite
def labelled(draw):
    """Counts with any labels a document, or none; some classes are empty."""
    X = draw(counts())
    return X, draw(hnp.arrays(np.int64, (len(X), 3), elements=st.integers(0, 1)))


def by_definition(score, X, belongs, combine):
    """One number per term, document by document; `belongs` has a column a class."""
    return [
        COMBINE[combine](
            [ORACLES[score](oracles.cells_by_documents(has > 0, column)) for column in belongs.T]
        )
        for has in X.T
    ]


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@given(counts())
def test_document_frequency_counts_documents(X):
    expected = [sum(1 for value in column if value != 0) for column in X.T]
    for form in (np.asarray, csr_array, csc_array):
        assert document_frequency(form(X)).tolist() == expected


def test_a_stored_zero_is_an_occurrence_and_a_repeated_entry_is_one():
    X = csr_array(([0.0, 1.0, 1.0], [0, 1, 1], [0, 3]), shape=(1, 3))
    assert document_frequency(X).tolist() == [1.0, 1.0, 0.0]


@SUPERVISED
@given(classified(2))
def test_two_classes_are_one_question(score, problem):
    X, y = problem
    expected = by_definition(score, X, (y == y.max())[:, None], "sum")
    for combine in COMBINE:
        close(score(X, y, combine=combine), expected)


@SUPERVISED
@pytest.mark.parametrize("combine", COMBINE)
@given(classified(4))
def test_classes_are_combined(score, combine, problem):
    X, y = problem
    classes = np.unique(y)
    assume(len(classes) > 2)
    close(score(X, y, combine), by_definition(score, X, y[:, None] == classes, combine))


@SUPERVISED
@pytest.mark.parametrize("combine", COMBINE)
@given(labelled())
def test_labels_are_combined(score, combine, problem):
    X, Y = problem
    expected = by_definition(score, X, Y > 0, combine)
    close(score(X, Y, combine), expected)
    close(score(csr_array(X), csr_array(Y), combine), expected)


@given(classified(2))
def test_information_gain_is_scikit_learns_mutual_information(problem):
    X, y = problem
    expected = mutual_info_classif(X > 0, y, discrete_features=True)
    np.testing.assert_allclose(information_gain(X, y), expected, atol=1e-14)


@SUPERVISED
@given(classified(4), st.randoms(use_true_random=False))
def test_form_order_and_names_do_not_matter(score, problem, random):
    X, y = problem
    found = score(X, y)
    for form in (csr_array, csc_array):
        assert np.array_equal(score(form(X), y), found)
    order = random.sample(range(len(y)), len(y))
    assert np.array_equal(score(X[order], y[order]), found)
    names = np.array(["pear", "apple", "zebra", "fig"])
    assert np.array_equal(score(X, names[y]), found)
    assert np.array_equal(score((7 * X).tolist(), y.tolist()), found)


@SUPERVISED
def test_words_of_weight_zero_are_present(score):
    X, y = text_like(40, 20, 3)
    weighted = Weighting("ltc").fit_transform(X)
    assert (weighted.data == 0).any()
    assert np.array_equal(score(weighted, y), score(X, y))


@SUPERVISED
@pytest.mark.parametrize("combine", COMBINE)
def test_terms_alike_but_for_the_class_are_ties(score, combine):
    # with classes of equal size, each term has the counts of another one in another order
    y = np.repeat(np.arange(5), 20)
    found = np.array([[13, 7, 1, 3, 2], [1, 13, 2, 7, 3], [3, 2, 7, 1, 13], [7, 1, 3, 2, 13]])
    X = np.concatenate([(np.arange(20)[:, None] < n).astype(float) for n in found.T])
    assert len(set(score(X, y, combine))) == 1


@SUPERVISED
def test_without_labels_the_message_says_what_to_do(score):
    X, _ = text_like(12, 5, 2)
    says = rf"{score.__name__} is supervised and requires y .* an unsupervised score: document_f"
    with pytest.raises(LaconicError, match=says):
        TopTerms(by=score).fit(X)


@SUPERVISED
def test_bad_arguments_are_refused_in_words(score):
    X, y = text_like(12, 5, 2)
    with pytest.raises(LaconicError, match=r"combine='min'.*'mean', 'max', 'sum'"):
        score(X, y, combine="min")
    with pytest.raises(LaconicError, match=r"X has 12 documents, y has labels of 11"):
        score(X, y[:-1])
    with pytest.raises(LaconicError, match="only one class"):
        score(X, np.zeros(12))


@SUPERVISED
def test_top_terms_takes_the_words_that_tell(score):
    X, y = text_like(300, 40, 2)
    X = csr_array(np.column_stack([X.toarray()[:, :20], np.ones(300), y, np.zeros(300)]))
    fitted = TopTerms(by=score, size=1).fit(X, y)
    assert fitted.at(1).terms.tolist() == [21]
    assert fitted.at(23).terms[-2:].tolist() == [20, 22], "of no use; by document frequency"


@SUPERVISED
def test_a_partial_score_is_cloned_pickled_and_searched(score):
    X, y = text_like(60, 30, 3)
    top = clone(TopTerms(by=partial(score, combine="max"), size=5)).fit(X, y)
    assert np.array_equal(top.scores_, score(X, y, combine="max"))
    again = pickle.loads(pickle.dumps(top))
    assert np.array_equal(again.transform(X).toarray(), top.transform(X).toarray())
    choices = {"topterms__by": [score, partial(score, combine="max")]}
    grid = GridSearchCV(make_pipeline(TopTerms(size=10), RidgeClassifier()), choices, cv=3)
    assert grid.fit(X, y).best_score_ > 0.6
