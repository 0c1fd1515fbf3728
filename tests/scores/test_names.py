"""Scores by name, in `TopTerms(by=)` and elsewhere."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.utils import get_tags

from laconic import TopTerms
from laconic.errors import LaconicError
from laconic.methods import METHODS
from laconic.scores import SCORES, document_frequency, information_gain, score_named
from tests.strategies import text_like


@pytest.mark.parametrize("name", SCORES)
def test_a_name_is_its_function(name):
    X, y = text_like(40, 20, 3)
    assert score_named(name) is score_named(name.upper()) is SCORES[name]
    by_name, by_function = TopTerms(name).fit(X, y), TopTerms(SCORES[name]).fit(X, y)
    np.testing.assert_array_equal(by_name.scores_, by_function.scores_)
    assert by_name.order.tolist() == by_function.order.tolist()


@pytest.mark.parametrize("name", sorted({*SCORES} & {name.lower() for name in METHODS}))
def test_a_score_ranks_as_the_method_of_its_name(name):
    X, y = text_like(40, 20, 3)
    reducer = METHODS[name.upper()].build().reducer.fit(X, y)
    if isinstance(reducer, TopTerms):
        assert TopTerms(name).fit(X, y).order.tolist() == reducer.order.tolist()
    else:
        np.testing.assert_allclose(SCORES[name](X, y), reducer.scores_)


def test_a_function_is_itself_and_the_default_is_information_gain():
    def longest(X, y):
        return np.arange(20.0)

    X, y = text_like(40, 20, 3)
    assert score_named(longest) is longest
    assert TopTerms(longest).fit(X).order.tolist() == list(range(20))[::-1]
    np.testing.assert_array_equal(TopTerms().fit(X, y).scores_, information_gain(X, y))


def test_an_unknown_name_is_refused():
    with pytest.raises(
        LaconicError, match=r"by='tfidf': choose from bns, chi2, df, ig, rfe, .*pass"
    ):
        TopTerms("tfidf").fit(*text_like(40, 20, 3))


@pytest.mark.parametrize("by", [*SCORES, "IG", information_gain, partial(information_gain)])
def test_a_score_that_needs_labels_says_so(by):
    """In the tags, which scikit-learn reads, and in the error."""
    X, _ = text_like(40, 20, 3)
    if not get_tags(TopTerms(by)).target_tags.required:
        assert by in ("df", "uniform", "ws")
        assert TopTerms(by).fit(X).at(3).size == 3
        return
    with pytest.raises(LaconicError, match="requires y to be passed, but the target y is None"):
        TopTerms(by).fit(X)


def test_a_function_of_the_user_may_need_no_labels():
    assert not get_tags(TopTerms(document_frequency)).target_tags.required
    assert not get_tags(TopTerms(lambda X, y: np.ones(X.shape[1]))).target_tags.required
