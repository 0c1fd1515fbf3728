"""Machines with a Gaussian kernel, against libsvm's own and the conditions of an optimum."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csc_array, csr_array
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import ReduceThenFit, TopTerms
from laconic.classifiers import kernel
from laconic.classifiers.kernel import GaussianSVM
from laconic.errors import LaconicError, LaconicWarning
from tests.strategies import text_like

NAMES = np.array(["ant", "bee", "cat", "dog"])


def documents(seed, n_docs=60, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n_docs) % n_classes
    return rng.normal(size=(n_docs, 4)) + 2.0 * np.eye(4)[y], y


@parametrize_with_checks([GaussianSVM()])
def test_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("form", [csr_array, csc_array, np.asarray])
@given(
    seed=st.integers(0, 99),
    n_classes=st.integers(2, 4),
    width=st.floats(0.5, 20),
    cost=st.floats(0.1, 1000),
)
def test_decisions_are_those_of_one_libsvm_a_class(form, seed, n_classes, width, cost):
    X, y = documents(seed, 40, n_classes)
    queries, _ = documents(seed + 1)
    machine = SVC(kernel="rbf", gamma=1.0 / width**2, C=cost)
    peer = (machine if n_classes == 2 else OneVsRestClassifier(machine)).fit(X, NAMES[y])
    own = GaussianSVM(width, cost).fit(form(X), NAMES[y])
    # either stops where no margin is violated by more than 0.001
    scale = max(1.0, np.abs(peer.decision_function(queries)).max())
    assert_allclose(
        own.decision_function(form(queries)), peer.decision_function(queries), atol=0.01 * scale
    )
    expected = NAMES[own.decision_function(queries).argmax(axis=1)] if n_classes > 2 else None
    if expected is not None:
        assert own.predict(queries).tolist() == expected.tolist()


@given(seed=st.integers(0, 99), cost=st.floats(0.5, 50))
def test_the_machines_are_optimal(seed, cost):
    """0 ≤ a ≤ C and Σ a y = 0; y f > 1 only where a = 0, y f < 1 only where a = C."""
    X, y = documents(seed)
    fitted = GaussianSVM(2.0, cost).fit(X, y)
    for row in range(3):
        y_signed = np.where(y == row, 1.0, -1.0)
        a = np.zeros(len(y))
        a[fitted.support_] = fitted.model_.dual[row] * y_signed[fitted.support_]
        assert a.min() >= 0
        assert a.max() <= cost * (1 + 1e-12)
        assert (a > 0).sum() == fitted.n_support_[row]
        assert a @ y_signed == pytest.approx(0, abs=1e-8 * cost)
        margin = y_signed * fitted.decision_function(X)[:, row]
        assert (margin[a < cost] > 1 - 2e-3).all()
        assert (margin[a > 0] < 1 + 2e-3).all()


def test_support_vectors_are_kept_once_for_all_machines():
    X, y = documents(4)
    fitted = GaussianSVM(2.0, 1.0).fit(csr_array(X), y)
    assert fitted.support_.size < fitted.n_support_.sum()
    assert np.array_equal(fitted.support_, np.unique(fitted.support_))
    assert_allclose(fitted.model_.support.toarray(), X[fitted.support_])
    assert (fitted.model_.dual != 0).any(axis=0).all()
    assert (fitted.model_.size, fitted.model_.n_features) == (4, 4)


@pytest.mark.filterwarnings("ignore:1 of .* labels occur in")
def test_labels_are_decided_each_by_its_own_machine():
    X, y = documents(7)
    labels = np.column_stack([y == 0, y > 0, np.ones(60), np.zeros(60)]).astype(int)
    fitted = GaussianSVM(2.0, 10.0).fit(X, labels)
    values = fitted.decision_function(X)
    for column in range(2):
        alone = GaussianSVM(2.0, 10.0).fit(X, labels[:, column])
        assert_allclose(values[:, column], alone.decision_function(X), atol=1e-9)
    assert (values[:, 2] == 1).all(), "all documents have it"
    assert (values[:, 3] == -1).all(), "none has it"
    assert fitted.n_support_[2:].tolist() == [0, 0]
    assert fitted.predict(X).tolist() == (values > 0).astype(int).tolist()


def test_the_width_is_a_scale():
    X, y = documents(2)
    one, other = GaussianSVM(10.0).fit(X, y), GaussianSVM(1.0).fit(X / 10, y)
    assert_allclose(one.decision_function(X), other.decision_function(X / 10), atol=1e-9)
    wider = GaussianSVM(20.0).fit(X, y)
    assert not np.allclose(one.decision_function(X), wider.decision_function(X), atol=0.1)


def test_a_reduction_before_it_is_kept():
    X, y = text_like(60, 30, 3)
    whole = ReduceThenFit(TopTerms(), GaussianSVM(1.0), size=7, normalize="all")
    path = whole.fit(X, NAMES[y])
    terms = TopTerms(size=7).fit(X, y).at(7).terms
    alone = GaussianSVM(1.0).fit(X[:, terms], NAMES[y])
    assert_allclose(path.decision_function(X), alone.decision_function(X[:, terms]))
    assert path.predict(X).tolist() == alone.predict(X[:, terms]).tolist()
    assert path.model_.n_features == path.model_.size == 7


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan, "10", True, None, 1e-200, 1e200])
@pytest.mark.parametrize("name", ["width", "C"])
def test_what_is_no_positive_number_is_refused(name, value):
    X, y = documents(0)
    with pytest.raises(LaconicError, match=f"{name}={re.escape(repr(value))}: a Gaussian"):
        GaussianSVM(**{name: value}).fit(X, y)


def test_too_many_documents_are_refused_before_their_matrix_is_made(monkeypatch):
    X, y = documents(0)
    monkeypatch.setattr(kernel, "MOST_DOCUMENTS", 59)
    with pytest.raises(LaconicError, match=r"of 60 documents takes 0 GB\. Train on up to 59"):
        GaussianSVM().fit(X, y)


def test_machines_that_were_ended_early_are_told(monkeypatch):
    X, y = documents(0)
    monkeypatch.setattr(kernel, "LIBSVM_STEPS", 2)
    with pytest.warns(LaconicWarning, match="3 of 3 machines did not converge with width=1 and"):
        GaussianSVM(1.0, 5.0).fit(X, y)


def test_distances_that_are_no_numbers_are_refused():
    X, y = documents(0)
    with pytest.raises(LaconicError, match="width=10 and documents of these lengths give distance"):
        GaussianSVM().fit(1e200 * X, y)
