"""Methods on candidates give the results of all columns, or say that they may not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, hstack
from sklearn.preprocessing import normalize

from laconic import JointSelection, LarsClassifier, MaskedSVM, TopTerms
from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.numerics.blocks import ENTRY_BYTES, column_sums
from laconic.numerics.candidates import CandidateMethod, on_candidates
from laconic.numerics.joint import outside as joint_over_blocks
from laconic.numerics.svm.class_problems import ClassProblems
from laconic.scores import information_gain, svm_elimination, svm_weight, weights
from laconic.text.labels import LabelEncoding
from tests.blocks_double import GuardedBlocks
from tests.strategies import text_like

NOT_RANKED_BY_ALL = "svm_elimination: .* may be ranked otherwise than by an SVM on all words"
LOSSES = ["squared", "squared_hinge", "modified_huber", "logistic"]


def documents(n_classes=3, seed=0, n_docs=200, n_terms=300):
    X, y = text_like(n_docs, n_terms, n_classes, seed)
    return csr_array(normalize(np.log1p(X.toarray()))), y


def blocks(X, share, n_blocks=7):
    """Blocks of which this share of the entries fits into memory."""
    return GuardedBlocks.of(X, n_blocks, memory=int(ENTRY_BYTES * X.nnz * share))


@pytest.mark.parametrize("mode", ["fast", "aggressive"])
@pytest.mark.parametrize("loss", LOSSES)
def test_lars_on_candidates_is_lars_on_all_words(loss, mode):
    X, y = documents()
    here, there = (LarsClassifier(loss, mode=mode) for _ in range(2))
    expected = list(here.path(X, y, [1, 5, 12]))
    models = list(there.path(blocks(X, 0.6), y, [1, 5, 12]))
    assert there.checked_.proved
    assert there.checked_.columns.size < X.shape[1]
    for model, other in zip(models, expected, strict=True):
        assert model.coef.shape == other.coef.shape
        assert_allclose(model.coef.toarray(), other.coef.toarray(), atol=1e-8)
        assert_allclose(model.intercept, other.intercept, atol=1e-8)
    for order, others in zip(there.order_, here.order_, strict=True):
        assert_array_equal(order, others)


@pytest.mark.parametrize("loss", LOSSES[:3])
def test_words_that_lars_would_have_missed_are_added(loss):
    """Words that enter late have small gradients at first: two rounds, the same path."""
    X, y = documents(2, seed=3)
    here, there = LarsClassifier(loss, size=25), LarsClassifier(loss, size=25)
    here.fit(X, y)
    there.fit(blocks(X, 0.5), y)
    assert there.checked_.proved
    assert there.checked_.rounds == 2
    assert_array_equal(there.order_[0], here.order_[0])
    assert_allclose(there.coef_.toarray(), here.coef_.toarray(), atol=1e-8)


def test_lars_says_what_does_not_fit():
    X, y = documents()
    tight = blocks(X, 0.3)
    with pytest.warns(LaconicWarning, match=r"other words might have been selected. Raise the mem"):
        *_, last = LarsClassifier().path(tight, y, [5, 200])
    assert isinstance(last, SizeUnavailable)
    assert "words fit into memory" in str(last)
    with pytest.raises(LaconicError, match="bias='selectable' with documents"):
        LarsClassifier(bias="selectable", size=3).fit(tight, y)
    with pytest.raises(LaconicError, match="no word fits into memory"):
        LarsClassifier(size=3).fit(GuardedBlocks.of(X), y)


@pytest.fixture(autouse=True)
def _all_memory_for_candidates(monkeypatch):
    """The shares of the tests are of what the candidates may take."""
    monkeypatch.setattr(joint_over_blocks, "WORKING", 1)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_joint_selection_on_candidates_is_that_of_all_words(n_classes):
    X, y = documents(n_classes, seed=n_classes, n_docs=120, n_terms=150)
    expected = JointSelection(longest=15).fit(X, y)
    fitted = JointSelection(longest=15).fit(blocks(X, 0.8, n_blocks=3), y)
    assert fitted.checked_.proved
    assert fitted.checked_.columns.size < X.shape[1]
    for rung, other in zip(fitted.rungs_, expected.rungs_, strict=True):
        assert_array_equal(rung.words, other.words)
        assert_array_equal(rung.following, other.following)


def test_joint_selection_leaves_memory_for_climbing(monkeypatch):
    monkeypatch.undo()
    X, y = documents()
    limited = blocks(X, 0.9, n_blocks=3)
    with pytest.warns(LaconicWarning, match="might have been selected"):
        columns = JointSelection(longest=15).fit(limited, y).checked_.columns
    assert joint_over_blocks.WORKING > 1
    assert ENTRY_BYTES * X[:, columns].nnz <= limited.memory / joint_over_blocks.WORKING


def test_joint_selection_says_that_too_few_words_fit():
    X, y = documents()
    with pytest.warns(LaconicWarning, match="JointSelection: .* might have been selected"):
        fitted = JointSelection(longest=60).fit(blocks(X, 0.3, n_blocks=3), y)
    assert not fitted.checked_.proved
    assert fitted.at(X.shape[1]).terms.size == X.shape[1]


def test_elimination_adds_words_that_information_gain_misses():
    """Presence says nothing about this word, but its weight separates the classes."""
    X, y = documents(2)
    hidden = np.where(y > 0, 1.0, -1.0)[:, None]
    Z = csr_array(hstack([X, hidden], format="csr"))
    assert information_gain(Z, y)[-1] <= information_gain(Z, y).min() + 1e-12
    with pytest.warns(LaconicWarning, match=NOT_RANKED_BY_ALL):
        scores = svm_elimination(blocks(Z, 0.9), y)
    assert scores.argmax() == svm_elimination(Z, y).argmax() == X.shape[1]
    assert sorted(scores) == list(range(1, Z.shape[1] + 1))


def test_elimination_on_candidates_ranks_about_the_same_words_first():
    X, y = documents(3)
    top = TopTerms("rfe").fit(X, y).order[:20]
    with pytest.warns(LaconicWarning, match=NOT_RANKED_BY_ALL):
        found = TopTerms("rfe").fit(blocks(X, 0.9), y).order[:20]
    assert len({*top} & {*found}) >= 15


@pytest.mark.parametrize(
    "train", [lambda X, y: MaskedSVM(size=5).fit(X, y), svm_weight], ids=["MaskedSVM", "svm_weight"]
)
def test_what_needs_all_words_says_so(train):
    X, y = documents(2)
    train(GuardedBlocks.of(X, memory=10**9), y)
    with pytest.raises(LaconicError, match=r"needs all documents and words in memory.*--in-memory"):
        train(GuardedBlocks.of(X), y)


def test_missed_columns_replace_the_worst_unused_candidates():
    """Four columns fit. The method uses column 0, and misses column 9 until it has it."""
    X = csr_array(np.ones((6, 1)) * np.arange(1.0, 11.0))

    def excess(values, outside):
        return np.asarray(outside.total(column_sums) == 60.0, dtype=np.float64)

    method = CandidateMethod(lambda Z: Z.toarray()[0], lambda values: np.array([0]), excess)
    found = on_candidates(GuardedBlocks.of(X, 2, memory=ENTRY_BYTES * 6 * 4), np.arange(10), method)
    assert found.proved
    assert found.rounds == 2
    assert_array_equal(found.columns, [0, 1, 2, 9])
    assert_array_equal(found.result, [1.0, 2.0, 3.0, 10.0])


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_importances_are_the_same_for_a_few_classes_at_a_time(loss):
    """Tables of words and classes take at most the memory of a matrix, whatever the classes."""
    X, y = documents(n_classes=7)
    problems = ClassProblems(LabelEncoding.of(y).members, np.ones(7), np.ones(7))
    training = weights.Training(problems, loss, step=0.25)
    trained = training.train(X)
    importances, passes = [], []
    for n_classes in (7, 3, 0):
        outside = GuardedBlocks.of(X, memory=n_classes * weights.CLASS_BYTES * X.shape[1])
        importances.append(weights._importance_outside(trained, outside, training))
        passes.append(outside.passes)
    assert passes == [1, 3, 7]
    assert_allclose(importances[1], importances[0], rtol=1e-12)
    assert_allclose(importances[2], importances[0], rtol=1e-12)
    signed = problems.signed(trained.duals.alphas).toarray()
    bends = (X.power(2).T @ (signed.T != 0)) / problems.alpha * (loss == "squared_hinge")
    expected = np.square((X.T @ signed.T) / (1.0 + bends)).sum(axis=1)
    assert_allclose(importances[0], expected, rtol=1e-12)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("estimator", [LarsClassifier(size=3), JointSelection(longest=10)])
def test_what_is_not_finite_is_refused(estimator, value):
    X, y = documents()
    X.data[-1] = value
    with pytest.raises(LaconicError, match="1 entries that are NaN or infinite"):
        estimator.fit(blocks(X, 0.6), y)


@pytest.mark.parametrize("n_blocks", [1, 7])
@pytest.mark.parametrize("method", ["lars", "joint", "rfe"])
def test_long_documents_may_come_first(method, n_blocks):
    """What fits into memory does not depend on the order of the documents."""
    X, y = documents()
    order = np.argsort(-np.diff(X.indptr), kind="stable")
    limited = blocks(csr_array(X[order]), 0.8, n_blocks)
    if method == "rfe":
        with pytest.warns(LaconicWarning, match=NOT_RANKED_BY_ALL):
            assert svm_elimination(limited, y[order]).shape == (300,)
    elif method == "lars":
        assert LarsClassifier(size=3).fit(limited, y[order]).checked_.proved
    else:
        assert JointSelection(longest=10).fit(limited, y[order]).checked_.proved
