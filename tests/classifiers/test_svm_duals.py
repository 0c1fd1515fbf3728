"""Duals, support vectors, class weights and warm starts of `SVMClassifier`."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.svm import SVC, LinearSVC

from laconic import SVMClassifier
from laconic.classifiers import svm as module
from laconic.classifiers.svm_costs import costs
from laconic.numerics.svm.input import Rows
from laconic.text.labels import LabelEncoding
from tests.classifiers.test_svm import KINDS, problem

LOSSES = ["squared_hinge", "hinge"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [True, False])
def test_coefficients_are_sums_of_documents(kind, loss, intercept):
    X, y = problem((40, 21), kind)
    fitted = SVMClassifier(0.3, loss=loss, fit_intercept=intercept).fit(X, y)
    y_signed = LabelEncoding.of(y).y_signed.T
    assert isinstance(fitted.dual_coef_, csr_array)
    assert fitted.dual_coef_.shape == y_signed.shape
    alphas = fitted.dual_coef_.toarray() * y_signed
    assert (alphas >= 0).all()
    if loss == "hinge":
        assert alphas.max() <= 1 / (2 * 0.3)
    np.testing.assert_allclose((fitted.dual_coef_ @ X).toarray(), fitted.coef_, atol=1e-6)
    expected = (alphas > 1e-6 / (2 * 0.3)).any(axis=0)
    assert np.array_equal(fitted.support_, np.flatnonzero(expected))


def test_the_support_is_libsvms():
    X, y = problem((40, 21), "two")
    fitted = SVMClassifier(0.5, loss="hinge", tol=1e-8).fit(X, y)
    peer = SVC(kernel="linear", C=1.0, tol=1e-9).fit(X, y)
    assert 0 < peer.support_.size < 40
    assert np.array_equal(fitted.support_, np.sort(peer.support_))
    mine = fitted.dual_coef_.toarray()[0, peer.support_]
    np.testing.assert_allclose(mine, peer.dual_coef_.toarray()[0], atol=1e-4)


@pytest.mark.parametrize("kind", ["two", "several"])
@pytest.mark.parametrize("weight", ["balanced", "named"])
def test_class_weights_are_liblinears(kind, weight):
    X, y = problem((40, 21), kind)
    y = np.where(np.arange(40) % 3 == 0, y[0], y)
    named = dict(zip(np.unique(y).tolist(), [3.0, 0.2], strict=False))
    asked = "balanced" if weight == "balanced" else named
    # liblinear penalises an intercept, and we do not
    fitted = SVMClassifier(0.5, class_weight=asked, fit_intercept=False, tol=1e-8).fit(X, y)
    peer = LinearSVC(dual=False, tol=1e-10, fit_intercept=False, class_weight=asked).fit(X, y)
    np.testing.assert_allclose(fitted.coef_, peer.coef_, atol=1e-6)
    plain = SVMClassifier(0.5, fit_intercept=False).fit(X, y)
    assert np.abs(plain.coef_ - fitted.coef_).max() > 1e-2


def test_labels_are_balanced_on_both_sides():
    y = np.array([[1, 0], [0, 0], [0, 1], [0, 1]])
    found = costs(LabelEncoding.of(y), "balanced")
    np.testing.assert_allclose(found[:, 0], [2.0, 2 / 3, 2 / 3, 2 / 3])
    np.testing.assert_allclose(found[:, 1], [1.0, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(costs(LabelEncoding.of(y), {1: 5.0})[:, 1], [1.0, 1.0, 5.0, 5.0])


def test_a_hinge_with_class_weights_is_libsvms():
    X, y = problem((40, 21), "two")
    asked = {"no": 0.3, "yes": 2.0}
    fitted = SVMClassifier(0.5, loss="hinge", class_weight=asked, tol=1e-8).fit(X, y)
    peer = SVC(kernel="linear", tol=1e-9, class_weight=asked).fit(X, y)
    np.testing.assert_allclose(fitted.coef_, peer.coef_.toarray(), atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", LOSSES)
def test_a_warm_start_begins_where_the_last_fit_ended(kind, loss, monkeypatch):
    """N2: for both losses. A pass over the documents is less work than solving from nothing."""
    X, y = problem((40, 21), kind)
    calls = []

    def recorded(*args, **options):
        machines = list(descend_all(*args, **options))
        calls.append((options["start"], sum(machine.epochs for machine in machines)))
        return machines

    descend_all = module.descend_all
    monkeypatch.setattr(module, "descend_all", recorded)
    machine = SVMClassifier(0.5, loss=loss, warm_start=True, tol=1e-7).fit(X, y)
    coef, intercept = machine.coef_.copy(), machine.intercept_.copy()
    duals = machine.dual_coef_.toarray() * LabelEncoding.of(y).y_signed.T
    machine.fit(X, y)
    (cold, n_passes), (warm, n_passes_again) = calls
    assert cold is None
    starts = [warm(row) for row in range(len(duals))]
    np.testing.assert_allclose([alphas for alphas, _ in starts], duals, atol=1e-12)
    np.testing.assert_allclose([b for _, b in starts], intercept, atol=1e-12)
    assert n_passes_again < n_passes / 4 or n_passes_again == len(starts)
    np.testing.assert_allclose(machine.coef_, coef, atol=1e-5)
    machine.set_params(alpha=5.0).fit(X, y)
    fresh = SVMClassifier(5.0, loss=loss, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(machine.coef_, fresh.coef_, atol=1e-5)
    machine.fit(X[:30], y[:30])
    assert machine.dual_coef_.shape[1] == 30, "other documents: a fresh start"


@pytest.mark.parametrize("loss", LOSSES)
def test_a_prefix_of_ranked_columns_is_those_columns(loss):
    """From the start of another alpha and of more columns."""
    X, y = problem((40, 21), "several")
    encoding = LabelEncoding.of(y)
    whole = Rows.of(X)
    start = SVMClassifier(1.0, loss=loss).fit_rows(whole, encoding).start
    ends = np.array([a + (X.indices[a:b] < 9).sum() for a, b in pairwise(X.indptr)])
    rows = replace(whole, ends=ends, n_columns=9)
    solution = SVMClassifier(0.3, loss=loss, tol=1e-12).fit_rows(rows, encoding, start)
    alone = SVMClassifier(0.3, loss=loss, tol=1e-12).fit(X[:, :9], y)
    np.testing.assert_allclose(solution.coef, alone.coef_, atol=1e-5)
    assert solution.solved.all()
