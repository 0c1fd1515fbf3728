from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

from laconic import JointSelection
from laconic.errors import LaconicError, SizeUnavailable
from laconic.testing import check_reducer
from tests.strategies import text_like


@pytest.fixture(scope="module")
def corpus():
    X, y = text_like(90, 60, 3)
    return csr_array(np.log1p(X.toarray())), y


@pytest.mark.parametrize("form", [csr_array, csc_array, lambda X: X.toarray()])
def test_reducer(corpus, form):
    X, y = corpus
    check_reducer(JointSelection(longest=20), form(X), y, nested=False)


def test_labels_and_two_classes(corpus):
    X, y = corpus
    labels = np.column_stack([y == 0, y > 0, np.zeros(y.size)]).astype(int)
    check_reducer(JointSelection(), X, labels, nested=False)
    check_reducer(JointSelection(), X, y > 1, nested=False)


def test_sizes_of_the_ladder_do_not_depend_on_the_size_asked(corpus):
    X, y = corpus
    small, large = (JointSelection(size=size).fit(X, y) for size in (5, 50))
    for size in (1, 7, 10, 13, 20, 60):
        np.testing.assert_array_equal(small.at(size).terms, large.at(size).terms)


def test_between_rungs_the_rung_below_grows(corpus):
    X, y = corpus
    fitted = JointSelection().fit(X, y)
    below, above = set(fitted.at(10).terms), set(fitted.at(13).terms)
    assert below < above
    assert fitted.at(60).terms.size == 60


def test_ties_go_to_the_first_column(corpus):
    X, y = corpus
    doubled = csr_array(np.hstack([X.toarray(), X.toarray()]))
    first = JointSelection(longest=9).fit(doubled, y).at(1).terms
    assert first == JointSelection(longest=9).fit(X, y).at(1).terms


def test_order_of_documents_and_unit_do_not_matter(corpus):
    X, y = corpus
    order = np.random.default_rng(1).permutation(y.size)
    expected = JointSelection().fit(X, y)
    for other in (JointSelection().fit(X[order], y[order]), JointSelection().fit(X * 1e-90, y)):
        for size in (3, 10, 30):
            assert set(other.at(size).terms) == set(expected.at(size).terms)


def test_words_of_the_classes_come_first():
    """Of 200 words, three decide."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 4
    X = (rng.random((300, 200)) < 0.1).astype(float)
    X[:, [17, 90, 151]] = y[:, None] == [1, 2, 3]
    assert set(JointSelection(longest=3).fit(X, y).at(3).terms) == {17, 90, 151}


def test_constant_labels_select_the_first_columns():
    X = csr_array(np.eye(5))
    fitted = JointSelection().fit(X, np.ones((5, 2), dtype=int))
    np.testing.assert_array_equal(fitted.at(3).terms, [0, 1, 2])


def test_more_words_than_there_are(corpus):
    X, y = corpus
    with pytest.raises(SizeUnavailable):
        JointSelection().fit(X, y).at(61)


@pytest.mark.parametrize(
    "parameters",
    [{"alpha": 0.0}, {"alpha": "auto"}, {"batch": 0.0}, {"batch": 2}, {"longest": 0}],
)
def test_invalid_parameters(corpus, parameters):
    with pytest.raises(LaconicError, match=next(iter(parameters))):
        JointSelection(**parameters).fit(*corpus)


def test_labels_are_needed(corpus):
    with pytest.raises(LaconicError, match="requires y"):
        JointSelection().fit(corpus[0])
