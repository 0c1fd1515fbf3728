"""Thresholds of the best F1: by definition, by cross-validation, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csc_array, csr_array
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import BSS, ReduceThenFit, RLSClassifier, SVMClassifier, TopTerms
from laconic.classifiers.lars.classifier import LarsClassifier
from laconic.classifiers.thresholds import (
    TunedThreshold,
    _stratified,
    best_thresholds,
)
from laconic.errors import LaconicError, SizeUnavailable
from laconic.methods import parse_method
from laconic.scores import information_gain
from laconic.studies.execution.task import Task
from laconic.testing import check_path
from tests.strategies import text_like

LEVELS = st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.0, 3.0])
SIZES = (2, 5, 12)


def f1(values, truth, threshold):
    """From the definition, over what is known."""
    yes = values > threshold
    hits = np.count_nonzero(yes & truth)
    claims = np.count_nonzero(yes) + np.count_nonzero(truth[~np.isnan(values)])
    return 2 * hits / claims if claims else 0.0


def best_by_force(values, truth):
    """The best of thresholds below, between and above all values."""
    levels = np.unique(values[~np.isnan(values)])
    return max(f1(values, truth, level) for level in [levels[0] - 1, *levels])


@st.composite
def decided(draw):
    """Values with many ties, some unknown, and what is true."""
    n_docs = draw(st.integers(1, 25))
    values = draw(hnp.arrays(np.float64, n_docs, elements=LEVELS | st.just(np.nan)))
    truth = draw(hnp.arrays(np.bool_, n_docs))
    return values, truth


@given(decided())
def test_no_threshold_is_better_for_what_is_known(documents):
    values, truth = documents
    (threshold,) = best_thresholds(values[:, None], np.where(truth, 1.0, -1.0)[:, None])
    if truth[~np.isnan(values)].any():
        assert f1(values, truth, threshold) == best_by_force(values, truth)
    else:
        assert threshold == 0.0


def test_each_column_has_its_own():
    values = np.array([[3.0, 3.0], [2.0, 2.0], [1.0, 1.0]])
    y_signed = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    assert best_thresholds(values, y_signed).tolist() == [1.5, 2.5]


def rare(n_docs=90, seed=0):
    """Two classes, of which the second is a quarter, and words that tell them apart a little."""
    X, y = text_like(n_docs, 30, 4, seed)
    return X, (y == 0).astype(int)


def filtered(classifier=None):
    return ReduceThenFit(TopTerms(information_gain), classifier or RLSClassifier(alpha=1.0))


def labelled(y):
    return np.column_stack([y, 1 - y, (np.arange(y.size) % 3 == 0)]).astype(int)


@pytest.mark.parametrize("kind", ["two classes", "labels"])
def test_by_training_it_is_the_best_threshold_of_the_models_own_values(kind):
    X, y = rare()
    y = labelled(y) if kind == "labels" else y
    tuned = TunedThreshold(filtered(), by="training").path(X, y, SIZES)
    for own, model in zip(filtered().path(X, y, SIZES), tuned, strict=True):
        values = own.decision(X)
        truth = y > 0 if kind == "labels" else y[:, None] > 0
        for column in range(values.shape[1]):
            best = best_by_force(values[:, column], truth[:, column])
            chosen = model.predict(X).reshape(len(y), -1)[:, column] > 0
            assert f1(chosen.astype(float), truth[:, column], 0.5) == best
        np.testing.assert_array_equal(model.coef.toarray(), own.coef.toarray())
        assert model.size == own.size


def by_definition(path, X, y, size, folds, seed):
    """Each fold on its own: select, train, decide about what was left out."""
    y_signed = np.where(y > 0, 1.0, -1.0).reshape(len(y), -1)
    values = np.full(y_signed.shape, np.nan)
    for fold in _stratified(y_signed, folds, seed):
        (model,) = path().path(X[~fold], y[~fold], [size])
        values[fold] = model.decision(X[fold])
    return best_thresholds(values, y_signed)


@pytest.mark.parametrize("kind", ["two classes", "labels"])
@pytest.mark.parametrize(
    "path",
    [
        filtered,
        lambda: filtered(SVMClassifier(1.0, tol=1e-8)),
        lambda: LarsClassifier("squared"),
    ],
)
def test_by_cv_every_fold_repeats_selection_and_training(path, kind):
    X, y = rare()
    y = labelled(y) if kind == "labels" else y
    tuned = TunedThreshold(path(), cv=4, random_state=3)
    models = tuned.path(X, y, SIZES)
    for size, own, model in zip(SIZES, path().path(X, y, SIZES), models, strict=True):
        expected = by_definition(path, X, y, size, 4, 3)
        np.testing.assert_allclose(tuned.thresholds_, expected, atol=1e-9)
        np.testing.assert_array_equal(model.thresholds, tuned.thresholds_)
        np.testing.assert_array_equal(model.intercept, own.intercept)
        assert (np.abs(expected) > 1e-3).any(), "thresholds that are 0 test nothing"


def test_a_tuned_threshold_finds_more_of_a_rare_class():
    """Signal and noise from fixed seeds: at 0 the model of two words says no to nearly all."""
    X, y = rare(400)
    X_test, y_test = rare(400, seed=1)
    for by in ("cv", "training"):
        fitted = TunedThreshold(filtered(), by=by, size=2).fit(X, y)
        plain = filtered().set_params(size=2).fit(X, y)
        found = f1(fitted.decision_function(X_test), y_test > 0, 0.0)
        assert found > f1(plain.decision_function(X_test), y_test > 0, 0.0) + 0.1


def test_the_seed_decides_who_is_in_which_fold():
    X, y = rare()
    models = [TunedThreshold(filtered(), random_state=s, size=12).fit(X, y) for s in (0, 0, 1)]
    first, again, other = (model.thresholds_.tolist() for model in models)
    assert first == again
    assert first != other


@given(st.integers(2, 12), st.integers(0, 40), st.integers(2, 40), st.integers(0, 9))
def test_folds_are_stratified_and_leave_every_document_out_once(folds, n_true, n_false, seed):
    y_signed = np.repeat([1.0, -1.0], [n_true + 2, n_false])[:, None]
    dealt = np.array(_stratified(y_signed, folds, seed))
    assert dealt.sum(axis=0).tolist() == [1] * y_signed.size
    true, false = dealt[:, : n_true + 2].sum(axis=1), dealt[:, n_true + 2 :].sum(axis=1)
    assert len(dealt) == min(folds, y_signed.size)
    for counts in (true, false):
        assert counts.max() - counts.min() <= 1


def test_folds_of_several_labels_spread_the_rarest():
    y_signed = -np.ones((40, 3))
    y_signed[:, 0] = 1.0
    y_signed[[3, 17, 18, 30], 2] = 1.0
    dealt = np.array(_stratified(y_signed, 4, 0))
    assert dealt[:, [3, 17, 18, 30]].sum(axis=1).tolist() == [1, 1, 1, 1]


def test_a_class_of_one_document_has_no_threshold_but_a_model():
    X, _ = rare(40)
    alone = np.zeros(40, dtype=int)
    alone[7] = 1
    fitted = TunedThreshold(filtered(), cv=4, size=3).fit(X, alone)
    assert fitted.thresholds_.tolist() == [0.0]


def test_a_fold_that_has_no_such_size_does_not_count():
    """With alpha=0 the paths of folds end before that of all documents."""
    X, y = text_like(41, 90, 2)
    lars = LarsClassifier("squared", alpha=0.0)
    whole = length(lars, X, y)
    lengths = [length(lars, X[~fold], y[~fold]) for fold in dealt_of(y, 3)]
    assert min(lengths) < max(lengths) <= whole
    shortest, longest = TunedThreshold(lars, cv=3).path(X, y, [min(lengths), max(lengths)])
    assert (shortest.size, longest.size) == (min(lengths), max(lengths))


def test_where_no_fold_has_a_size_it_is_refused():
    X, y = np.eye(8), np.arange(8) % 2
    lars = LarsClassifier("squared", alpha=0.0, bias=None)
    items = list(TunedThreshold(lars, cv=2).path(X, y, [1, 4, 8]))
    assert [isinstance(item, SizeUnavailable) for item in items] == [False, False, True]
    assert "no fold has a model of this size" in items[-1].reason
    assert "Ask for a smaller size" in items[-1].reason


def test_a_size_that_the_classifier_does_not_have_stays_refused():
    X, y = rare(40)
    (item,) = TunedThreshold(filtered(), cv=3).path(X, y, [1000])
    assert isinstance(item, SizeUnavailable)
    assert "only 30 terms" in item.reason


def test_refused_sizes_do_not_put_the_folds_out_of_step():
    """BSS has no size up to the rank, and larger ones."""
    X, y = rare()
    tuned = TunedThreshold(ReduceThenFit(BSS(rank=4)), cv=4)
    refused, _ = tuned.path(X, y, [3, 12])
    assert isinstance(refused, SizeUnavailable)
    expected = by_definition(lambda: ReduceThenFit(BSS(rank=4)), X, y, 12, 4, 0)
    np.testing.assert_allclose(tuned.thresholds_, expected, atol=1e-9)


def length(lars, X, y):
    """How many words the path has."""
    (model,) = lars.path(X, y, [None])
    return model.size


def dealt_of(y, folds):
    return _stratified(np.where(y > 0, 1.0, -1.0)[:, None], folds, 0)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"by": "test"}, "by='test': choose from cv, training"),
        ({"cv": 1}, "cv=1: give a number of folds, at least 2"),
        ({"cv": 2.5}, "cv=2.5"),
        (
            {"classifier": ReduceThenFit(classifier=GaussianNB())},
            "has no thresholds: it is not linear",
        ),
    ],
)
def test_what_cannot_be_is_refused(settings, says):
    X, y = rare(40)
    with pytest.raises(LaconicError, match=says):
        TunedThreshold(**settings).fit(X.toarray(), y)


def test_the_largest_of_several_values_has_no_threshold():
    X, y = text_like(30, 21, 3)
    with pytest.raises(LaconicError, match=r"3 classes .* no threshold .* indicator matrix"):
        TunedThreshold().fit(X, y)


@pytest.mark.filterwarnings("ignore::laconic.errors.LaconicWarning")
@parametrize_with_checks([TunedThreshold(cv=3), TunedThreshold(by="training")])
def test_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("by", ["cv", "training"])
@pytest.mark.parametrize("form", [csr_array, csc_array, csr_array.toarray])
def test_it_keeps_our_contract(by, form):
    X, y = text_like(30, 21, 2)
    check_path(TunedThreshold(by=by, cv=3), form(X), y)
    check_path(TunedThreshold(by=by, cv=3), form(X), labelled(y))


def test_any_method_takes_a_threshold_in_its_brackets():
    method = parse_method("ig:combine=max+svm:threshold=CV")
    assert method.name == "IG:combine=max+svm:threshold=cv"
    assert parse_method(method.name) == method
    tuned = method.build(alpha=0.5, intercept=True)
    assert (type(tuned), tuned.by, tuned.classifier.classifier.alpha) == (TunedThreshold, "cv", 0.5)
    assert parse_method("SS:rank=2+ridge:threshold=training").build().by == "training"
    assert parse_method("IG+ridge:threshold=zero") == parse_method("IG+ridge")
    lars = parse_method("SVM-LARS:alpha=0:threshold=loo").build()
    assert (type(lars), lars.threshold, lars.alpha) == (LarsClassifier, "loo", 0.0)
    crossed = parse_method("SVM-LARS:threshold=cv").build()
    assert (type(crossed), crossed.classifier.threshold) == (TunedThreshold, None)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "IG+ridge:threshold=loo",
            "threshold=loo: only LARS methods have leave-one-out.*=cv",
        ),
        ("IG+ridge:threshold=best", "threshold=best: choose from zero, training, cv$"),
        ("RLS-LARS:threshold=0", "threshold=0: choose from zero, training, cv, loo"),
    ],
)
def test_thresholds_that_a_method_does_not_have(text, says):
    with pytest.raises(LaconicError, match=says):
        parse_method(text)


def test_one_draw_for_every_threshold():
    task = Task("d", "p", "test", "f", "s", "v", "US:draw=iid", 0, (3,), ("f1_micro",))
    tuned = replace(task, method="US:draw=iid+ridge:threshold=cv")
    assert tuned.random_state == task.random_state
    assert tuned.key != task.key


@pytest.mark.parametrize("kind", ["two classes", "labels"])
def test_scikit_learns_attributes_have_the_thresholds_in_them(kind):
    """So that X @ coef_ + intercept_ > 0, decision_function > 0 and predict agree."""
    X, y = rare()
    y = labelled(y) if kind == "labels" else y
    fitted = LarsClassifier(size=5, threshold="loo").fit(X, y)
    assert np.abs(fitted.model_.thresholds).max() > 0.01
    values = fitted.decision_function(X)
    lines = X @ fitted.coef_.T + fitted.intercept_
    np.testing.assert_allclose(values.reshape(len(y), -1), lines.reshape(len(y), -1), atol=1e-9)
    np.testing.assert_array_equal(values > 0, fitted.predict(X) > 0)


def test_a_model_with_calibration_gives_its_classifier_probabilities():
    X, y = rare()
    fitted = TunedThreshold(filtered(), by="training", size=3).fit(X, y)
    model = fitted.model_
    fitted.model_ = replace(model, calibration=[[2.0, -1.0]])
    assert not hasattr(fitted, "predict_proba"), "its most probable class is not the prediction"
    fitted.model_ = replace(model, thresholds=None)
    assert not hasattr(fitted, "predict_proba")
    fitted.model_ = replace(model, thresholds=None, calibration=[[2.0, -1.0]])
    np.testing.assert_array_equal(fitted.predict_proba(X), fitted.model_.predict_proba(X))
