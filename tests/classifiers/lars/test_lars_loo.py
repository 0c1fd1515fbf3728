"""What leave-one-out chooses for LARS: size, alpha, threshold."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import normalize

from laconic import LarsClassifier
from laconic.classifiers.lars import classifier as module
from laconic.errors import LaconicError, SizeUnavailable
from laconic.numerics.lars.fast import fast_lars
from laconic.numerics.lars.leave_one_out import leave_one_out
from laconic.numerics.metrics import accuracy, apply_rule, mean_f1
from laconic.numerics.thresholds import best_threshold
from tests.classifiers.lars.test_lars import documents, optimum, signs_of


@pytest.mark.parametrize("normalization", ["all", "selected"])
@pytest.mark.parametrize("bias", ["always", None])
def test_of_least_squares_it_is_training_without_the_document(normalization, bias):
    """Exact there: the words stay, and no document crosses a border."""
    X, y = documents(30, 20, 3)
    classifier = LarsClassifier(
        "squared", alpha=0.5, refit=True, normalize=normalization, bias=bias
    )
    (found,) = classifier.leave_one_out(X, y, [4])
    orders = classifier.set_params(size=4).fit(X, y).order_
    for row, y_signed in enumerate(signs_of(y, 3)):
        Z = X.toarray()[:, orders[row]]
        Z = normalize(Z) if normalization == "selected" else Z
        Z = np.hstack([Z, np.ones((30, 1))[:, : int(bias is not None)]])
        for doc in range(30):
            others = np.arange(30) != doc
            beta = optimum(Z[others], y_signed[others], "squared", 0.5)
            assert found[doc, row] == pytest.approx(Z[doc] @ beta, abs=1e-9)


@pytest.mark.parametrize("loss", ["squared_hinge", "modified_huber", "logistic"])
def test_along_the_path_it_is_that_of_its_points(loss):
    X, y = documents(40, 20, 2)
    y_signed = signs_of(y, 2)[0]
    found = list(LarsClassifier(loss, alpha=0.5).leave_one_out(X, y, [6, 2]))
    points = {p.size: p for p in fast_lars(X, y_signed, loss=loss, alpha=0.5)}
    for values, size in zip(found, (2, 6), strict=True):
        expected = leave_one_out(X, y_signed, points[size], loss=loss, alpha=0.5)
        assert_allclose(values[:, 0], expected, atol=1e-10)


def test_of_a_refit_it_is_that_of_the_refits_own_documents():
    """r_{−i} = r_i / (1 − h_i) for documents within the margin, the rest as they are."""
    X, y = documents(60, 25, 2, seed=5)
    y_signed = signs_of(y, 2)[0]
    classifier = LarsClassifier(alpha=0.2, refit=True)
    (found,) = classifier.leave_one_out(X, y, [5])
    order = classifier.set_params(size=5).fit(X, y).order_[0]
    Z = np.hstack([X.toarray()[:, order], np.ones((60, 1))])
    beta = optimum(Z, y_signed, "squared_hinge", 0.2)
    inside = y_signed * (Z @ beta) < 1
    assert 5 < inside.sum() < 55
    H = Z[inside].T @ Z[inside] + 0.2 * np.eye(6)
    leverage = np.einsum("ij,ij->i", Z, np.linalg.solve(H, Z.T).T)
    expected = np.where(inside, y_signed + (Z @ beta - y_signed) / (1 - leverage), Z @ beta)
    assert_allclose(found[:, 0], expected, atol=1e-9)


def test_a_size_that_is_not_there_has_no_decisions():
    X, y = documents(30, 20, 2)
    one, two = LarsClassifier().leave_one_out(X, y, [3, 99])
    assert one.shape == (30, 1)
    assert isinstance(two, SizeUnavailable)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_size_is_the_smallest_of_the_best(n_classes, monkeypatch):
    X, y = documents(60, 30, n_classes, seed=4)
    monkeypatch.setattr(module, "SIZES", (1, 2, 4, 8, 16, 99))
    fitted = LarsClassifier(size="loo").fit(X, y)
    sizes = [1, 2, 4, 8, 16]
    y_signed = np.column_stack(signs_of(y, n_classes))
    rule, metric = ("sign", mean_f1) if n_classes == 2 else ("argmax", accuracy)
    worth = [
        metric(apply_rule(values, rule), y_signed)
        for values in LarsClassifier().leave_one_out(X, y, sizes)
    ]
    best = sizes[int(np.argmax(worth))]
    assert len(set(worth)) > 1
    assert fitted.model_.size == best
    assert fitted.loo_ == [(1.0, size, value) for size, value in zip(sizes, worth, strict=True)]
    alone = LarsClassifier(size=best).fit(X, y)
    assert_array_equal(fitted.model_.coef.toarray(), alone.model_.coef.toarray())
    assert [o.tolist() for o in fitted.order_] == [o.tolist() for o in alone.order_]


def test_alpha_is_the_better_at_every_size():
    X, y = documents(40, 60, 2, seed=3)
    sizes = [2, 5, 10, 15]
    chosen = LarsClassifier(alpha="loo")
    models = []
    for model in chosen.path(X, y, sizes):
        models.append((model, chosen.alpha_))
    values = {}
    for alpha in (0.0, 1.0):
        for outcome, size in zip(LarsClassifier(alpha=alpha).leave_one_out(X, y, sizes), sizes,
                                 strict=True):  # fmt: skip
            if not isinstance(outcome, SizeUnavailable):
                y_signed = np.column_stack(signs_of(y, 2))
                wrong = np.where(np.isnan(outcome), -np.inf * y_signed, outcome)
                values[alpha, size] = mean_f1(wrong > 0, y_signed)
    taken = set()
    for (model, alpha), size in zip(models, sizes, strict=True):
        expected = max((values[one, size], one) for one in (0.0, 1.0) if (one, size) in values)[1]
        assert alpha == expected
        taken.add(alpha)
        alone = LarsClassifier(alpha=alpha, size=size).fit(X, y).model_
        assert_array_equal(model.coef.toarray(), alone.coef.toarray())
    assert chosen.loo_ == [
        (alpha, size, values[alpha, size])
        for size in sizes
        for alpha in (0.0, 1.0)
        if (alpha, size) in values
    ]
    assert taken == {0.0, 1.0}, "the test sees both"


def test_ties_go_to_the_larger_alpha():
    X, y = np.array([[1.0], [1.0], [0.0], [0.0]] * 4), np.array([1, 1, 0, 0] * 4)
    fitted = LarsClassifier(alpha="loo", size=1).fit(X, y)
    assert {value for _, _, value in fitted.loo_} == {1.0}
    assert fitted.alpha_ == 1.0


def test_a_decision_that_is_not_available_is_wrong():
    """Each word is in one document: with alpha=0 a left-out document has no decision."""
    X, y = np.eye(6), np.array([0, 1, 0, 1, 0, 1])
    classifier = LarsClassifier("squared", alpha=0.0, bias=None)
    (values,) = classifier.leave_one_out(X, y, [6])
    assert np.isnan(values).all()
    assert classifier.loo_ == [(0.0, 6, 0.0)]


def test_the_threshold_is_beside_the_intercept():
    X, y = documents(90, 40, 3, seed=2)
    labels = np.column_stack([y == 0, y == 1]).astype(int)
    plain = LarsClassifier(size=3).fit(X, labels).model_
    tuned = LarsClassifier(size=3, threshold="loo").fit(X, labels).model_
    (values,) = LarsClassifier().leave_one_out(X, labels, [3])
    shift = [best_threshold(values[:, k], 2.0 * labels[:, k] - 1.0) for k in range(2)]
    assert np.abs(shift).min() > 0.01
    assert_array_equal(tuned.coef.toarray(), plain.coef.toarray())
    assert_array_equal(tuned.intercept, plain.intercept)
    assert_allclose(tuned.thresholds, shift, atol=1e-12)
    classifier = LarsClassifier(threshold="loo")
    (moved,) = classifier.leave_one_out(X, labels, [3])
    assert_allclose(moved, values - shift, atol=1e-12)
    assert classifier.loo_[0][2] == pytest.approx(mean_f1(moved > 0, 2.0 * labels - 1.0))
    assert mean_f1(moved > 0, 2.0 * labels - 1.0) > mean_f1(values > 0, 2.0 * labels - 1.0)


def test_there_is_no_threshold_between_several_classes():
    X, y = documents()
    with pytest.raises(LaconicError, match=r"with 3 classes.*Train one classifier per class"):
        LarsClassifier(threshold="loo").fit(X, y)
    with pytest.raises(LaconicError, match=r"threshold=0\.5: choose from loo, None"):
        LarsClassifier(threshold=0.5).fit(X, y == 1)


def test_if_no_size_is_available_it_says_why():
    X, y = np.array([[1.0], [-1.0]] * 3), np.array([0, 0, 0, 0, 1, 1])
    with pytest.raises(SizeUnavailable, match="no word distinguishes"):
        LarsClassifier(size="loo").fit(X, y)


def test_an_older_choice_is_forgotten():
    X, y = documents(n_classes=2)
    classifier = LarsClassifier(alpha="loo", size=2).fit(X, y)
    assert len(classifier.loo_) == 2
    classifier.set_params(alpha=1.0).fit(X, y)
    assert not hasattr(classifier, "loo_")
    assert classifier.alpha_ == 1.0
