"""Every public estimator, found from the public API, keeps scikit-learn's contract and ours."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import laconic
from laconic.classifiers.path import PathClassifier
from laconic.errors import SizeUnavailable
from laconic.reducer import Reducer
from laconic.testing import check_path, check_reducer
from tests.strategies import text_like

PUBLIC = [getattr(laconic, name) for name in laconic.__all__]
ESTIMATORS = [it for it in PUBLIC if isinstance(it, type) and issubclass(it, BaseEstimator)]
REDUCERS = [it for it in ESTIMATORS if issubclass(it, Reducer)]
PATHS = [it for it in ESTIMATORS if issubclass(it, PathClassifier)]
CLASSIFIERS = [it for it in ESTIMATORS if hasattr(it, "predict")]


@pytest.mark.filterwarnings("ignore::laconic.errors.LaconicWarning")  # checks feed no counts
@parametrize_with_checks([estimator() for estimator in ESTIMATORS])
def test_scikit_learns_contract(estimator, check):
    check(estimator)


def test_the_public_names_are_there():
    assert {"RLSClassifier", "ReduceThenFit", "TopTerms", "Vectorizer", "Weighting"} <= {
        it.__name__ for it in ESTIMATORS
    }
    with pytest.raises(AttributeError):
        _ = laconic.Nonsense


@pytest.mark.parametrize("reducer", REDUCERS)
@pytest.mark.parametrize("form", [csr_array, csc_array, csr_array.toarray])
def test_reducers_keep_our_contract(reducer, form):
    X, y = text_like(30, 21, 3)
    check_reducer(reducer(), form(X), y, nested=reducer is not laconic.JointSelection)


@pytest.mark.parametrize("draw", ["bernoulli", "iid"])
@pytest.mark.parametrize("reducer", [laconic.SampledTerms, laconic.SubspaceSampling])
def test_other_draws_keep_our_contract_too(reducer, draw):
    X, y = text_like(30, 21, 3)
    check_reducer(reducer(draw=draw, random_state=3), X, y)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("form", [csr_array, csc_array, csr_array.toarray])
def test_paths_keep_our_contract(path, n_classes, form):
    X, y = text_like(30, 21, n_classes)
    check_path(path(), form(X), y)


@pytest.mark.parametrize("path", PATHS)
def test_paths_take_several_labels(path):
    X, y = text_like(30, 21, 3)
    check_path(path(), X, np.column_stack([y == 0, y > 0, y == 2]).astype(int))


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_classifiers_work_in_grids_and_pipelines(classifier):
    X, y = text_like(60, 30, 3)
    grid = GridSearchCV(make_pipeline(laconic.Weighting(), classifier()), {}, cv=3)
    assert grid.fit(X, np.array(["a", "b", "c"])[y]).score(X, np.array(["a", "b", "c"])[y]) > 0.8


@pytest.mark.parametrize("reducer", REDUCERS)
def test_reducers_name_their_words(reducer):
    X, y = text_like(30, 21, 3)
    words = np.array([f"word{i}" for i in range(21)], dtype=object)
    own = {"rank": 2} if reducer is laconic.BSS else {}  # which needs more words than that
    fitted = reducer(**own, size=4).fit(X.toarray(), y)
    cut = fitted.at(4)
    if isinstance(cut, laconic.Projection):
        own_names = [f"{reducer.__name__.lower()}{i}" for i in range(4)]
        assert fitted.get_feature_names_out(words).tolist() == own_names
        assert [*fitted.set_output(transform="pandas").transform(X.toarray())] == own_names
        return
    assert fitted.get_feature_names_out(words).tolist() == words[cut.terms].tolist()
    frame = fitted.set_output(transform="pandas").transform(X.toarray())
    assert frame.columns.tolist() == [f"x{term}" for term in cut.terms]


@pytest.mark.parametrize("broken", ["unnested", "stateful", "biased", "never refuses"])
def test_the_examination_of_reducers_can_fail(broken):
    X, y = text_like(30, 21, 3)
    with pytest.raises(AssertionError):
        check_reducer(BrokenReducer(broken), X, y)


@pytest.mark.parametrize(
    "broken", ["descending", "short", "unlike fit", "never refuses", "shifted"]
)
def test_the_examination_of_paths_can_fail(broken):
    X, y = text_like(30, 21, 3)
    with pytest.raises(AssertionError):
        check_path(BrokenPath(broken), X, y)


class BrokenReducer(laconic.TopTerms):
    def __init__(self, broken="", *, size=None):
        super().__init__(size=size)
        self.broken = broken

    def _cut(self, size):
        if self.broken == "never refuses":
            size = min(size, self.available_)
        cut = super()._cut(size)
        if self.broken == "unnested" and size == 2:
            return laconic.Selection(self.ranking_.order[5:7], None, cut.n_terms_in)
        if self.broken == "stateful":
            self.cuts_ = getattr(self, "cuts_", 0) + 1
        if self.broken == "biased":
            return Biased(cut.terms, cut.weights, cut.n_terms_in)
        return cut


class Biased(laconic.Selection):
    def lift(self, coef):
        return super().lift(2 * coef)


def shifted(model, X):
    """By a thousandth of the spread of its decisions."""
    amount = 1e-3 * np.ptp(model.decision(X))
    return replace(model, intercept=model.intercept + amount)


class BrokenPath(laconic.ReduceThenFit):
    def __init__(self, broken="", *, size=None):
        super().__init__(size=size)
        self.broken = broken

    def path(self, X, y, sizes):
        sizes = list(sizes)
        if self.broken == "never refuses":
            sizes = [min(size, X.shape[1]) if size else size for size in sizes]
        items = list(super().path(X, y, sizes))
        if self.broken == "descending":
            items.reverse()
        if self.broken == "short" and len(items) > 1:
            items.pop()
        if self.broken == "unlike fit" and len(items) == 1:
            items = list(super().path(X, 2 - y, sizes))
        if self.broken == "shifted" and len(items) > 1:
            items = [shifted(model, X) for model in items]
        return iter(items)


@pytest.mark.parametrize("inner", [LinearSVC(), LogisticRegression(), laconic.RLSClassifier()])
def test_a_linear_classifier_after_a_selection_is_linear_over_the_vocabulary(inner):
    X, y = text_like(60, 30, 3)
    whole = laconic.ReduceThenFit(laconic.TopTerms(), inner, size=7, normalize="all").fit(X, y)
    terms = laconic.TopTerms(size=7).fit(X, y).at(7).terms
    alone = clone(inner).fit(X[:, terms], y)
    np.testing.assert_allclose(
        whole.decision_function(X), alone.decision_function(X[:, terms]), atol=1e-10
    )
    assert isinstance(whole.model_, laconic.LinearModel)
    assert whole.model_.features.tolist() == sorted(terms)


@pytest.mark.parametrize("inner", [KNeighborsClassifier(), GaussianNB()])
def test_a_classifier_that_is_not_linear_is_kept_with_its_reduction(inner):
    X, y = text_like(60, 30, 3)
    dense = X.toarray()
    for labels in (y, y > 0):
        path = laconic.ReduceThenFit(laconic.TopTerms(), inner, size=7, normalize="all")
        whole = path.fit(dense, labels)
        terms = laconic.TopTerms(size=7).fit(dense, labels).at(7).terms
        expected = clone(inner).fit(dense[:, terms], labels).predict(dense[:, terms])
        assert (whole.predict(dense) == expected).mean() > 0.95, "but for ties of probability"
        assert whole.model_.size == whole.model_.n_features == 7


@pytest.mark.parametrize("form", [csr_array, csr_array.toarray])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize(
    "inner",
    [
        SVC(kernel="linear"),
        LinearSVC(fit_intercept=False),
        RidgeClassifier(fit_intercept=False),
        SGDClassifier(random_state=0),
        MultinomialNB(),
    ],
)
def test_what_is_called_coef_is_believed_only_if_the_decisions_agree(inner, n_classes, form):
    X, y = text_like(60, 30, n_classes)
    X = form(X)
    whole = laconic.ReduceThenFit(laconic.TopTerms(), inner, size=12, normalize="all").fit(X, y)
    chosen = laconic.TopTerms(size=12).fit(X, y).at(12).apply(X)
    expected = clone(inner).fit(chosen, y)
    assert (whole.predict(X) == expected.predict(chosen)).mean() > 0.95, "but for ties"


@pytest.mark.filterwarnings("ignore:. of .* labels occur in")
def test_probabilities_of_labels_that_training_never_saw():
    X, y = text_like(60, 30, 3)
    labels = np.column_stack([y == 0, np.zeros(60, dtype=bool), y == 2]).astype(int)
    whole = laconic.ReduceThenFit(laconic.TopTerms(), KNeighborsClassifier(1), size=20)
    fitted = whole.fit(X.toarray(), labels)
    assert (fitted.predict(X.toarray()) == labels).mean() > 0.99
    values = fitted.model_.decision(X.toarray())
    assert (values[:, 1] < -100).all(), "log-odds of an impossible label"


def test_ties_of_a_score_are_broken_by_document_frequency_then_column():
    X = np.array([[1.0, 1, 0, 0], [0, 1, 1, 1], [0, 1, 1, 0]])
    top = laconic.TopTerms(by=lambda X, y: np.zeros(4)).fit(X)
    assert top.at(4).terms.tolist() == [1, 2, 0, 3]


def test_a_size_that_cannot_be_had_says_what_can():
    X, y = text_like(30, 21, 3)
    with pytest.raises(SizeUnavailable, match=r"size 22: only 21 terms.*from 1 to 21"):
        laconic.ReduceThenFit(size=22).fit(X, y)


def test_importing_laconic_is_light():
    heavy = "{'sklearn', 'scipy', 'numba', 'rich'} & {*sys.modules}"
    ask = f"import sys, laconic, laconic.cli; print(*{heavy})"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
