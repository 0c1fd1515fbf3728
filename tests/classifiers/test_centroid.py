"""The nearest mean, against distances to every one."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csc_array, csr_array
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import LinearModel, ReduceThenFit
from laconic.classifiers.centroid import CentroidClassifier
from tests.blocks_double import GuardedBlocks

NAMES = np.array(["ant", "bee", "cat", "dog"])


def documents(seed, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.8, (30, 5)) * rng.random((30, 5))
    return X, np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 30 - n_classes)])


def squared_distances(X, y, queries):
    """Of every query to the mean of every class."""
    means = [X[y == label].mean(axis=0) for label in np.unique(y)]
    return np.array([[((q - mean) ** 2).sum() for mean in means] for q in queries])


@parametrize_with_checks([CentroidClassifier()])
def test_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("form", [csr_array, csc_array, np.asarray])
@given(seed=st.integers(0, 999), n_classes=st.integers(3, 4))
def test_the_nearest_mean_decides(form, seed, n_classes):
    X, y = documents(seed, n_classes)
    queries, _ = documents(seed + 1)
    fitted = CentroidClassifier().fit(form(X), NAMES[y])
    far = squared_distances(X, y, queries)
    # f = ½ ‖x‖² − ½ ‖x − m‖²
    expected = 0.5 * (queries**2).sum(axis=1)[:, None] - 0.5 * far
    assert_allclose(fitted.decision_function(form(queries)), expected, atol=1e-12)
    assert fitted.predict(form(queries)).tolist() == NAMES[far.argmin(axis=1)].tolist()


@given(seed=st.integers(0, 999))
def test_of_two_classes_the_difference_decides(seed):
    X, y = documents(seed, 2)
    queries, _ = documents(seed + 1)
    fitted = CentroidClassifier().fit(X, NAMES[y])
    far = squared_distances(X, y, queries)
    assert_allclose(fitted.decision_function(queries), 0.5 * (far[:, 0] - far[:, 1]), atol=1e-12)


@pytest.mark.filterwarnings("ignore:1 of .* labels occur in")
def test_each_label_is_decided_by_its_own_two_means():
    X, y = documents(3)
    labels = np.column_stack([y == 0, y > 0, np.ones(30), np.zeros(30)]).astype(int)
    fitted = CentroidClassifier().fit(csr_array(X), labels)
    for column in range(2):
        alone = CentroidClassifier().fit(X, labels[:, column])
        assert_allclose(fitted.decision_function(X)[:, column], alone.decision_function(X))
    assert (fitted.decision_function(X)[:, 2] == 1).all()
    assert (fitted.decision_function(X)[:, 3] == -1).all()


@pytest.mark.parametrize("labels", [False, True])
def test_memory_follows_entries_and_not_documents_times_classes(labels):
    n_docs, n_classes = 5000, 400
    codes = np.arange(n_docs) % n_classes
    X = csr_array((np.ones(n_docs), codes % 3, np.arange(n_docs + 1)), shape=(n_docs, 3))
    y = csr_array((np.ones(n_docs), codes, np.arange(n_docs + 1))) if labels else codes
    tracemalloc.start()
    try:
        CentroidClassifier().fit(X, y)
        assert tracemalloc.get_traced_memory()[1] < n_docs * n_classes
    finally:
        tracemalloc.stop()


def test_over_blocks_the_means_are_the_same():
    X, y = documents(7)
    expected = CentroidClassifier().fit(csr_array(X), y)
    fitted = CentroidClassifier().fit(GuardedBlocks.of(csr_array(X), 3), y)
    assert_allclose(fitted.coef_, expected.coef_, atol=1e-12)
    assert_allclose(fitted.intercept_, expected.intercept_, atol=1e-12)


def test_behind_a_selection_it_is_a_linear_model_over_the_vocabulary():
    X, y = documents(5)
    path = ReduceThenFit(None, CentroidClassifier(), size=3).fit(X, y)
    assert isinstance(path.model_, LinearModel)
    assert path.model_.n_features == 3
