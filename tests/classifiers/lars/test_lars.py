"""LARS as a classifier: sizes, classes, normalization, refits. Its path is tested in numerics."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_array
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import LarsClassifier
from laconic.classifiers.lars import walk as lars_walk
from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.numerics.lars import newton
from laconic.numerics.lars.forward import forward
from laconic.testing import check_path
from tests.numerics.lars.oracles import lars_by_definition, minimiser
from tests.numerics.lars.test_path import problem
from tests.strategies import text_like

LOSSES = ["squared", "squared_hinge", "modified_huber"]


def documents(n_docs=60, n_terms=30, n_classes=3, seed=0):
    X, y = text_like(n_docs, n_terms, n_classes, seed)
    return csr_array(normalize(X)), y


def signs_of(y, n_classes):
    return [np.where(y == c, 1.0, -1.0) for c in ([1] if n_classes == 2 else range(n_classes))]


def optimum(Z, y_signed, loss, alpha):
    return minimiser(Z, y_signed, loss, alpha, np.zeros(Z.shape[1]), 0.0)


@pytest.mark.parametrize("mode", ["exact", "fast"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_size_is_the_point_where_the_next_word_is_about_to_enter(mode, loss, n_classes):
    X, y = documents(n_classes=n_classes)
    sizes = [7, 1, 3, 12]
    classifier = LarsClassifier(loss, alpha=0.5, mode=mode)
    models = list(classifier.path(X, y, sizes))
    assert [model.size for model in models] == sorted(sizes)
    for row, y_signed in enumerate(signs_of(y, n_classes)):
        expected = lars_by_definition(X.toarray(), y_signed, loss, 0.5, most=13)
        for model in models:
            columns, beta, _ = expected[model.size - 1]
            coef = np.zeros(31)
            coef[columns] = beta
            assert_allclose(model.coef.toarray()[row], coef[:30], atol=1e-8)
            assert model.intercept[row] == pytest.approx(coef[30], abs=1e-8)
            selected = model.coef.indices[slice(*model.coef.indptr[row : row + 2])]
            assert sorted(selected) == sorted(set(columns) - {30})
        assert classifier.order_[row].tolist() == [c for c in expected[11][0] if c < 30]
        entries = [l1 for _, _, l1 in expected[:11]]
        assert_allclose(classifier.entry_l1_[row][1:], entries, atol=1e-8)


def test_the_scores_are_the_largest_limits_of_entry():
    X, y = documents()
    fitted = LarsClassifier(size=5).fit(X, y)
    expected = np.zeros(30)
    for columns, l1 in zip(fitted.order_, fitted.entry_l1_, strict=True):
        for column, own in zip(columns, l1, strict=True):
            expected[column] = max(expected[column], own)
    assert_array_equal(fitted.scores_, expected)
    assert_array_equal(np.flatnonzero(expected), fitted.model_.features)


def test_labels_are_as_many_questions():
    X, y = documents()
    labels = np.column_stack([y == 0, y != 1])
    whole = LarsClassifier(size=4).fit(X, labels.astype(int)).model_
    assert whole.rule == "labels"
    for column in range(2):
        alone = LarsClassifier(size=4).fit(X, labels[:, column]).model_
        assert_allclose(whole.decision(X)[:, column], alone.decision(X)[:, 0], atol=1e-12)


def test_the_documents_are_prepared_once_for_all_classes(monkeypatch):
    X, y = documents(n_classes=4)
    seen = []
    walk = lars_walk.WALKS["fast"]
    monkeypatch.setitem(
        lars_walk.WALKS, "fast", lambda D, *a, **k: seen.append(D) or walk(D, *a, **k)
    )
    LarsClassifier(size=2).fit(X, y)
    assert len(seen) == 4
    assert all(one is seen[0] for one in seen)


def test_one_walk_serves_all_sizes(monkeypatch):
    X, y = documents(n_classes=2)
    walk, points = lars_walk.WALKS["fast"], []

    def counted(*args, **settings):
        for point in walk(*args, **settings):
            points.append(point)
            yield point

    monkeypatch.setitem(lars_walk.WALKS, "fast", counted)
    path = LarsClassifier().path(X, y, [3, 6, 9])
    next(path)
    assert len(points) == 3, "a path is walked as far as it is asked for"
    list(path)
    assert len(points) == 9


def test_a_class_whose_path_ends_keeps_its_last_model():
    """The first class is one word, so with alpha=0 its path saturates at once."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.abs(rng.normal(size=(60, 12)))
    X[:, 0] = y == 0
    classifier = LarsClassifier("squared", alpha=0.0)
    with pytest.warns(LaconicWarning, match="1 of 3 classes have fewer words than requested"):
        models = list(classifier.path(X, y, [1, 5, 12]))
    assert [model.size for model in models] == [1, 5, 12]
    assert [len(order) for order in classifier.order_] == [1, 12, 12]
    assert models[2].coef[[0]].indices.tolist() == [0]
    assert_allclose(models[2].decision(X)[:, 0], np.where(y == 0, 1, -1), atol=1e-9)


def test_a_size_that_no_class_reaches_says_where_and_why():
    X, y = documents(20, 60, 2)
    *_, model, refused = LarsClassifier(alpha=0.0).path(X, y, [1, 5, 50])
    assert model.size == 5
    assert isinstance(refused, SizeUnavailable)
    reached = LarsClassifier(alpha=0.0).fit(X, y).model_.size
    assert refused.size == 50
    assert f"saturated at {reached} words" in refused.reason
    assert f"up to {reached}, or give alpha a number above 0" in refused.reason
    ended = next(LarsClassifier(alpha=1.0).path(np.diag([1.0, 1, 0, 0]), [0, 1, 0, 1], [3]))
    assert "only 2 words occur. Ask for a size from 1 to 2" in ended.reason


def test_a_path_that_ends_before_all_words_are_in_says_so():
    X = np.array([[1.0, 1.0], [1.0, -1.0], [0.0, 0.0], [0.0, 0.0]])
    (refused,) = LarsClassifier("squared").path(X, [1, 1, 0, 0], [2])
    assert "the path ends at 1 words: no other word improves the fit" in refused.reason
    assert "alpha" not in refused.reason
    assert LarsClassifier("squared").fit(X, [1, 1, 0, 0]).model_.size == 1


def test_words_that_say_nothing_leave_the_bias():
    X, y = np.array([[1.0], [-1.0]] * 3), np.array([0, 0, 0, 0, 1, 1])
    (refused,) = LarsClassifier().path(X, y, [1])
    assert "no word distinguishes the classes" in refused.reason
    fitted = LarsClassifier("logistic", alpha=0.5).fit(X, y)
    expected = optimum(np.ones((6, 1)), 2.0 * y - 1.0, "logistic", 0.5)
    assert (fitted.model_.size, fitted.model_.n_features) == (0, 0)
    assert_allclose(fitted.model_.intercept, expected, atol=1e-9)


@pytest.mark.filterwarnings("ignore:1 of .* labels occur in")
def test_a_label_that_all_documents_have_needs_no_word():
    X, y = documents()
    labels = np.column_stack([np.ones(60), y == 1, np.zeros(60)]).astype(int)
    with pytest.warns(LaconicWarning, match="2 of 3 classes.*all documents are on one side"):
        model = LarsClassifier(size=3).fit(X, labels).model_
    assert np.diff(model.coef.indptr).tolist() == [0, 3, 0]
    assert (model.predict(X)[:, [0, 2]] == [1, 0]).all()


def test_sizes_may_be_shares_of_the_words_that_occur():
    X, y = documents(n_classes=2)
    wide = csr_array(np.hstack([X.toarray(), np.zeros((60, 10))]))
    half, whole = LarsClassifier(alpha=3.0).path(wide, y, [0.5, None])
    assert half.size == 15
    assert whole.size <= 30
    for size in (0, 1.5, True):
        with pytest.raises(LaconicError, match="size="):
            LarsClassifier(size=size).fit(X, y)


@pytest.mark.parametrize("loss", [*LOSSES, "logistic"])
@pytest.mark.parametrize("normalization", ["all", "selected"])
@pytest.mark.parametrize("bias", ["always", None])
def test_a_refit_is_the_optimum_over_the_chosen_words(loss, normalization, bias):
    X, y = documents(n_classes=3)
    X = X.toarray()
    X[5] = 0.0
    queries = documents(seed=9)[0].toarray()
    settings = {"alpha": 0.4, "size": 6, "bias": bias}
    path = LarsClassifier(loss, **settings).fit(X, y)
    fitted = LarsClassifier(loss, **settings, refit=True, normalize=normalization).fit(X, y)
    assert fitted.model_.normalize == normalization
    for row, y_signed in enumerate(signs_of(y, 3)):
        chosen = path.order_[row]
        assert fitted.order_[row].tolist() == chosen.tolist(), "the order is that of the path"
        Z, Q = (
            normalize(D[:, chosen]) if normalization == "selected" else D[:, chosen]
            for D in (X, queries)
        )
        ones = np.ones((60, 1))[:, : int(bias is not None)]
        beta = optimum(np.hstack([Z, ones]), y_signed, loss, 0.4)
        expected = Q @ beta[:6] + (beta[6] if bias else 0.0)
        assert_allclose(fitted.model_.decision(queries)[:, row], expected, atol=1e-8)


def test_a_self_contained_model_is_always_refitted():
    X, y = documents(n_classes=2)
    plain, asked = (
        LarsClassifier(size=5, normalize="selected", refit=r).fit(X, y) for r in (False, True)
    )
    assert_array_equal(plain.model_.coef.toarray(), asked.model_.coef.toarray())
    others = np.setdiff1d(np.arange(30), plain.model_.features)
    strange = X.toarray()
    strange[:, others] *= 17.0
    assert_allclose(plain.model_.decision(strange), plain.model_.decision(X), atol=1e-12)


@pytest.mark.parametrize("normalization", ["all", "selected"])
def test_a_refit_is_what_other_solvers_find(normalization):
    X, y = documents(200, 40, 2)
    order = LarsClassifier(size=8).fit(X, y).order_[0]
    Z = normalize(X[:, order].toarray()) if normalization == "selected" else X[:, order].toarray()
    peers = {
        "squared_hinge": LinearSVC(C=1.0, dual=False, tol=1e-12, max_iter=10_000),
        "logistic": LogisticRegression(C=2.0, solver="liblinear", tol=1e-12, max_iter=10_000),
    }
    for loss, peer in peers.items():
        fitted = LarsClassifier(loss, alpha=0.5, size=8, refit=True, normalize=normalization).fit(
            X, y
        )
        own = fitted.order_[0]
        Z = normalize(X[:, own].toarray()) if normalization == "selected" else X[:, own].toarray()
        peer.fit(Z, y)
        assert_allclose(fitted.model_.coef.toarray()[0, own], peer.coef_[0], atol=1e-5)
        assert fitted.model_.intercept[0] == pytest.approx(peer.intercept_[0], abs=1e-5)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:LarsClassifier. . of 3 classes have fewer words")
@settings(max_examples=25)
@given(
    st.integers(0, 500),
    st.sampled_from([*LOSSES, "logistic"]),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from(["all", "selected"]),
)
def test_no_size_depends_on_the_others(seed, loss, alpha, normalization):
    X, y = documents(40, 15, 3, seed)
    alpha = max(alpha, 0.1) if loss == "logistic" else alpha
    classifier = LarsClassifier(loss, alpha=alpha, normalize=normalization)
    together = dict(zip([1, 4, 9], clone(classifier).path(X, y, [9, 1, 4]), strict=True))
    for size, model in together.items():
        (alone,) = clone(classifier).path(X, y, [size])
        if isinstance(model, SizeUnavailable):
            assert alone.reason == model.reason
        else:
            assert_array_equal(alone.coef.toarray(), model.coef.toarray())
            assert_array_equal(alone.intercept, model.intercept)


@pytest.mark.parametrize("bias", ["always", "selectable", None])
def test_the_bias_is_as_asked(bias):
    X, y_signed = problem(80, 20)
    model = LarsClassifier("squared", alpha=0.5, size=4, bias=bias).fit(X, y_signed).model_
    (expected,) = (p for p in lars_walk.lars(X, y_signed, loss="squared", alpha=0.5, bias=bias)
                   if p.size == 4)  # fmt: skip
    assert model.intercept[0] == expected.intercept
    assert (model.intercept[0] == 0.0) == (bias is None)


def test_a_bias_that_was_not_selected_stays_out_of_a_refit():
    X, y_signed = problem(80, 20)
    fitted = LarsClassifier(bias="selectable", size=1, refit=True).fit(5 * X, y_signed)
    assert fitted.model_.intercept.tolist() == [0.0]
    assert LarsClassifier(size=1, refit=True).fit(5 * X, y_signed).model_.intercept[0] < -0.2


def test_the_aggressive_mode_is_forward_selection():
    X, y = documents(n_classes=2)
    y_signed = signs_of(y, 2)[0]
    classifier = LarsClassifier(mode="aggressive", alpha=0.5)
    models = list(classifier.path(X, y, [2, 5]))
    points = {point.size: point for point in forward(X, y_signed, alpha=0.5)}
    for model in models:
        point = points[model.size]
        assert_allclose(model.coef.toarray()[0, point.columns], point.coef, atol=1e-10)
    assert classifier.order_[0].tolist() == points[5].columns.tolist()
    again = LarsClassifier(mode="aggressive", alpha=0.5, refit=True, size=5).fit(X, y).model_
    assert_allclose(again.coef.toarray(), models[1].coef.toarray(), atol=1e-9)


@pytest.mark.parametrize(
    "settings",
    [
        {"mode": "exact"},
        {"mode": "aggressive"},
        {"loss": "logistic"},
        {"loss": "squared", "alpha": 0.0},
        {"normalize": "selected"},
        {"refit": True, "bias": None},
        {"bias": "selectable"},
    ],
    ids=str,
)
def test_every_setting_keeps_the_contract(settings):
    X, y = documents(30, 21, 3)
    for form in (csr_array, csc_array, csr_array.toarray):
        check_path(LarsClassifier(**settings), form(X), y)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"loss": "hinge"}, "loss='hinge': choose from squared_hinge, squared"),
        ({"loss": "logistic", "mode": "exact"}, "Choose mode='fast'"),
        ({"mode": "slow"}, "mode='slow': choose from fast, exact, aggressive"),
        ({"normalize": "l2"}, "normalize='l2': choose from selected, all"),
        ({"bias": True}, "bias=True: choose from always, selectable, None"),
        ({"alpha": -1.0}, "alpha=-1.0: give a number of at least 0"),
        ({"alpha": math.inf}, "alpha=inf"),
        ({"alpha": "much"}, "alpha='much'"),
        ({"longest": 0}, "longest=0: give a number of words, or None"),
        ({"longest": 3, "size": 4}, "size 4: paths end at 3 words.*or raise longest"),
        ({"longest": 2.5}, "longest=2.5: give a number of words, or None"),
        ({"longest": "many"}, "longest='many': give a number of words, or None"),
        ({"refit": "false"}, "refit='false': give True or False"),
    ],
)
def test_what_cannot_be_is_refused(settings, says):
    X, y = documents()
    with pytest.raises(LaconicError, match=says):
        LarsClassifier(**settings).fit(X, y)


def test_the_longest_path_is_not_walked_beyond():
    X, y = documents()
    one, two, three = LarsClassifier(longest=5).path(X, y, [4, 5, 6])
    assert (one.size, two.size) == (4, 5)
    assert isinstance(three, SizeUnavailable)


def test_an_optimum_that_was_not_found_is_told(monkeypatch):
    monkeypatch.setattr(newton, "MAX_STEPS", 1)
    X, y = documents()
    with pytest.warns(LaconicWarning, match="3 of 3 problems did not converge with alpha=0.01"):
        LarsClassifier(alpha=0.01, size=10, refit=True).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_logistic_loss_gives_probabilities(n_classes):
    X, y = documents(n_classes=n_classes)
    fitted = LarsClassifier("logistic", size=6).fit(X, y)
    values, probabilities = fitted.model_.decision(X), fitted.predict_proba(X)
    alone = 1 / (1 + np.exp(-values))
    if n_classes == 2:
        assert_allclose(probabilities, np.hstack([1 - alone, alone]))
    else:
        assert_allclose(probabilities, alone / alone.sum(axis=1, keepdims=True))
    assert_array_equal(fitted.classes_[probabilities.argmax(axis=1)], fitted.predict(X))
    labels = np.column_stack([y == 0, y == 1]).astype(int)
    several = LarsClassifier("logistic", size=6).fit(X, labels)
    assert_allclose(several.predict_proba(X), 1 / (1 + np.exp(-several.model_.decision(X))))


def test_probabilities_stay_numbers_however_sure_the_model_is():
    X, y = documents()
    fitted = LarsClassifier("logistic", size=6).fit(X, y)
    assert_allclose(fitted.predict_proba(-1e6 * X).sum(axis=1), 1.0)


def test_other_losses_have_no_probabilities():
    X, y = documents()
    assert not hasattr(LarsClassifier(size=3).fit(X, y), "predict_proba")
    with pytest.raises(AttributeError):
        LarsClassifier(size=3).fit(X, y).predict_proba(X)


@pytest.mark.filterwarnings("ignore::laconic.errors.LaconicWarning")
@parametrize_with_checks([LarsClassifier("logistic")])
def test_scikit_learns_contract_with_probabilities(estimator, check):
    check(estimator)


@pytest.mark.parametrize("seed", range(30))
def test_the_logistic_path_ends_whatever_is_left_of_it(seed):
    """The last jumps are a tenth of what is left: one of them may be neither a step nor the end."""
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(30, 3)), np.arange(30) % 3
    fitted = LarsClassifier("logistic", alpha=rng.choice([0.3, 1.0, 3.0])).fit(X, y)
    assert [order.size for order in fitted.order_] == [3, 3, 3]
    for row, y_signed in enumerate(signs_of(y, 3)):
        Z = np.column_stack([X, np.ones(30)])
        best = optimum(Z, y_signed, "logistic", fitted.alpha_)
        assert_allclose(fitted.model_.coef.toarray()[row], best[:3], atol=1e-6)


def test_without_a_size_the_path_goes_on_as_long_as_it_may():
    X, y = documents()
    with pytest.warns(LaconicWarning, match="3 of 3 classes were cut at 5 words"):
        fitted = LarsClassifier(longest=5).fit(X, y)
    assert [order.size for order in fitted.order_] == [5, 5, 5]
    whole, usual = (LarsClassifier(longest=n).fit(X, y) for n in (None, 2000))
    assert usual.model_.size == whole.model_.size > 5
    assert_array_equal(whole.coef_.toarray(), whole.model_.coef.toarray())
