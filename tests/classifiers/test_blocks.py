"""Classifiers over blocks that do not fit into memory, against their in-memory twins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.naive_bayes import MultinomialNB

from laconic import (
    LDA,
    LSI,
    BlendClassifier,
    CentroidClassifier,
    GaussianSVM,
    LogisticClassifier,
    ReduceThenFit,
    RLSClassifier,
    SampledTerms,
    SVMClassifier,
    TopTerms,
)
from laconic.classifiers import row_groups
from laconic.classifiers.thresholds import TunedThreshold
from laconic.errors import LaconicError
from laconic.numerics.blocks import MEMORY, Blocks, canonical
from laconic.numerics.ridge import block_sums
from tests.blocks_double import GuardedBlocks
from tests.strategies import text_like

KINDS = ("two", "several", "labels")
SIZES = (3, 8, 21)


class Gathered:
    """Fits in memory, so that only what follows is over blocks."""

    def fit(self, X, y=None):
        return super().fit(X.stack(canonical) if isinstance(X, Blocks) else X, y)


class GatheredSample(Gathered, SampledTerms):
    pass


class GatheredLSI(Gathered, LSI):
    pass


def problem(kind):
    X, y = text_like(60, 21, 2 if kind == "two" else 3)
    labels = np.column_stack([y == 0, y > 0, y == 2]).astype(int) if kind == "labels" else y
    return X, labels, text_like(15, 21, 3, seed=7)[0]


def objective(classifier, X, y_signed, costs, coef, intercept):
    """Σ c loss + alpha ‖w‖² of each row, of the squared hinge."""
    slack = np.maximum(0.0, 1.0 - y_signed * (X @ coef.T + intercept))
    return (costs * slack**2).sum(axis=0) + classifier.alpha * (coef**2).sum(axis=1)


def signed_of(y):
    return 2.0 * y - 1.0 if y.ndim == 2 else np.where(y[:, None] == np.unique(y), 1.0, -1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weight", [None, "balanced"])
@pytest.mark.parametrize("classifier", [LogisticClassifier(0.3), SVMClassifier(0.5)])
def test_newton_over_blocks_reaches_the_optimum(classifier, kind, intercept, weight):
    X, y, queries = problem(kind)
    classifier.set_params(fit_intercept=intercept, class_weight=weight, tol=1e-11)
    expected = classifier.fit(X, y).model_
    found = classifier.fit(GuardedBlocks.of(X), y).model_
    assert classifier.solved_.all()
    assert (classifier.gap_ <= 1e-11).all()
    atol = 2e-5 * max(1.0, np.abs(expected.coef).max())
    np.testing.assert_allclose(found.coef, expected.coef, atol=atol)
    np.testing.assert_allclose(found.intercept, expected.intercept, atol=atol)
    assert found.rule == expected.rule
    decisions = found.decision(GuardedBlocks.of(queries, 4))
    np.testing.assert_allclose(decisions, found.decision(queries), atol=1e-12)
    predicted = found.predict(GuardedBlocks.of(queries, 4))
    np.testing.assert_array_equal(predicted, found.predict(queries))


def test_a_gap_of_one_in_a_million_is_stated_and_reached():
    X, y, _ = problem("several")
    for classifier in (LogisticClassifier(tol=1e-6), SVMClassifier(tol=1e-6)):
        blocks = GuardedBlocks.of(X)
        assert classifier.fit(blocks, y).gap_.max() <= 1e-6
        assert blocks.passes > 2


def test_the_passes_are_counted():
    X, y, _ = problem("two")
    blocks = GuardedBlocks.of(X)
    classifier = LogisticClassifier().fit(blocks, y)
    # before these, blocks that do not fit are found so, and the lengths are computed
    assert classifier.n_iter_.tolist() == [blocks.passes - 2]


@pytest.mark.parametrize("kind", ["two", "labels"])
@pytest.mark.parametrize("tol", [0.3, 1e-2, 1e-4])
def test_the_gap_is_no_less_than_the_distance_from_the_optimum(kind, tol):
    X, y, _ = problem(kind)
    y_signed = signed_of(y)[:, -1:] if kind == "two" else signed_of(y)
    machine = SVMClassifier(0.5, tol=1e-13).fit(X, y)
    inputs = X, y_signed, np.ones(y_signed.shape)
    optimum = objective(machine, *inputs, machine.coef_, machine.intercept_)
    rough = SVMClassifier(0.5, tol=tol).fit(GuardedBlocks.of(X), y)
    value = objective(rough, *inputs, rough.coef_, rough.intercept_)
    assert (value - optimum <= rough.gap_ * value + 1e-12 * value).all()
    assert (rough.gap_ <= tol).all()


@pytest.mark.parametrize("kind", KINDS)
def test_duals_of_blocks_are_those_of_the_dual_solver(kind):
    X, y, _ = problem(kind)
    machine = SVMClassifier(0.5, tol=1e-13).fit(X, y)
    duals, support = machine.dual_coef_.toarray(), machine.support_
    machine.fit(GuardedBlocks.of(X), y)
    np.testing.assert_allclose(machine.dual_coef_.toarray(), duals, atol=1e-5)
    np.testing.assert_array_equal(machine.support_, support)
    np.testing.assert_allclose(machine.dual_coef_ @ X.toarray(), machine.coef_, atol=1e-5)


@pytest.mark.parametrize("classifier", [LogisticClassifier(tol=1e-11), SVMClassifier(tol=1e-11)])
def test_groups_of_rows_give_the_same_model(classifier, monkeypatch):
    X, y, _ = problem("labels")
    expected = classifier.fit(GuardedBlocks.of(X), y).coef_
    monkeypatch.setattr(row_groups, "NUMBERS", 2 * max(X.shape))
    found = classifier.fit(GuardedBlocks.of(X), csr_array(y)).coef_
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_sample_weights_of_blocks_count_documents():
    X, y, _ = problem("several")
    weights = np.random.default_rng(0).random(60) + 0.1
    classifier = LogisticClassifier(tol=1e-11)
    expected = classifier.fit(X, y, weights).coef_
    found = classifier.fit(GuardedBlocks.of(X), y, weights).coef_
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.5, "loo"])
def test_ridge_of_blocks_is_ridge_of_the_matrix(kind, intercept, alpha):
    X, y, _ = problem(kind)
    classifier = RLSClassifier(alpha=alpha, fit_intercept=intercept)
    expected = classifier.fit(X, y).model_
    values = classifier.loo_.values if alpha == "loo" else None
    blocks = GuardedBlocks.of(X)
    found = classifier.fit(blocks, csr_array(y) if y.ndim == 2 else y).model_
    relative = np.linalg.norm(found.coef - expected.coef) / np.linalg.norm(expected.coef)
    assert relative < 1e-10
    np.testing.assert_allclose(found.intercept, expected.intercept, atol=1e-10)
    assert classifier.residual_.max() < 1e-13
    sums = ["EquationSums", "LeaveOneOutSums", "ErrorSums"]
    assert blocks.log[1:] == [name for name in sums if values is not None or name[0] == "E"]
    if values is not None:
        np.testing.assert_allclose(classifier.loo_.values, values, rtol=1e-12)


@pytest.mark.parametrize("criterion", ["accuracy", "f1_micro"])
@pytest.mark.parametrize("kind", KINDS)
def test_leave_one_out_of_blocks_counts_the_same_predictions(kind, criterion):
    X, y, _ = problem(kind)
    classifier = RLSClassifier(alpha="loo", alphas=[0.0, 0.1, 1.0], criterion=criterion)
    expected = classifier.fit(X, y).loo_.values
    np.testing.assert_array_equal(classifier.fit(GuardedBlocks.of(X), y).loo_.values, expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [False, True])
def test_ridge_of_many_columns_is_solved_by_passes(kind, intercept, monkeypatch):
    X, y, _ = problem(kind)
    classifier = RLSClassifier(alpha=0.5, fit_intercept=intercept)
    expected = classifier.fit(X, y).coef_
    monkeypatch.setattr(block_sums, "FACTORISE_UP_TO", 20)
    blocks = GuardedBlocks.of(X)
    found = classifier.fit(blocks, y).coef_
    assert np.linalg.norm(found - expected) < 1e-10 * np.linalg.norm(expected)
    assert blocks.log.count("NormalProduct") > 2
    assert classifier.residual_.max() < 1e-12
    with pytest.raises(LaconicError, match="alpha=0 on 60 documents"):
        RLSClassifier(alpha=0.0).fit(blocks, y)


CLASSIFIERS = {
    "logistic": LogisticClassifier(),
    "svm": SVMClassifier(),
    "hinge": SVMClassifier(loss="hinge"),
    "ridge": RLSClassifier(),
    "blend": BlendClassifier(),
    "bayes": MultinomialNB(),
}
REDUCERS = {"ranked": TopTerms(), "sampled": GatheredSample(), "projected": GatheredLSI()}


@pytest.mark.parametrize("normalized", ["all", "selected"])
@pytest.mark.parametrize("reducer", ["ranked", "sampled"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_what_is_gathered_after_selection_gives_the_same_bits(name, reducer, normalized):
    X, y, queries = problem("several")
    path = ReduceThenFit(REDUCERS[reducer], CLASSIFIERS[name], normalize=normalized)
    expected = list(path.along(X, y, SIZES, queries))
    blocks = GuardedBlocks.of(X, memory=MEMORY), GuardedBlocks.of(queries, 3, memory=MEMORY)
    found = list(path.along(blocks[0], y, SIZES, blocks[1]))
    for (model, decisions), (twin, twin_decisions) in zip(found, expected, strict=True):
        if name != "bayes":
            np.testing.assert_array_equal(model.coef.toarray(), twin.coef.toarray())
            np.testing.assert_array_equal(model.intercept, twin.intercept)
        np.testing.assert_allclose(decisions(), twin_decisions(), rtol=1e-12, atol=1e-12)


def test_ranked_columns_are_gathered_once_for_all_sizes():
    X, y, _ = problem("several")
    for classifier in (LogisticClassifier(), RLSClassifier()):
        passes = []
        for sizes in ((8,), (2, 3, 5, 8)):
            blocks = GuardedBlocks.of(X, memory=MEMORY)
            list(ReduceThenFit(TopTerms(), classifier).path(blocks, y, sizes))
            passes.append(blocks.passes)
        assert passes[0] == passes[1]


@pytest.mark.parametrize("normalized", ["all", "selected"])
@pytest.mark.parametrize("reducer", REDUCERS)
@pytest.mark.parametrize("name", ["logistic", "svm", "ridge"])
def test_what_does_not_fit_is_trained_on_blocks(name, reducer, normalized):
    X, y, queries = problem("several")
    classifier = CLASSIFIERS[name]
    if name != "ridge":
        classifier = type(classifier)(0.3, tol=1e-11)
    path = ReduceThenFit(REDUCERS[reducer], classifier, normalize=normalized)
    expected = list(path.along(X, y, (3, 8), queries))
    found = list(path.along(GuardedBlocks.of(X), y, (3, 8), GuardedBlocks.of(queries, 3)))
    for (model, decisions), (twin, twin_decisions) in zip(found, expected, strict=True):
        assert (model.size, model.normalize) == (twin.size, normalized)
        np.testing.assert_array_equal(model.features, twin.features)
        np.testing.assert_allclose(decisions(), twin_decisions(), rtol=1e-4, atol=1e-4)


def test_the_blend_and_the_centroids_of_blocks():
    X, y, queries = problem("several")
    members = [("one", LogisticClassifier(tol=1e-9)), ("two", SVMClassifier(tol=1e-9))]
    for classifier in (BlendClassifier(members), CentroidClassifier()):
        expected = classifier.fit(X, y).decision_function(queries)
        found = classifier.fit(GuardedBlocks.of(X), y).decision_function(queries)
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-2)


def test_thresholds_of_blocks():
    X, y, _ = problem("two")
    for by in ("cv", "training"):
        tuned = TunedThreshold(ReduceThenFit(TopTerms()), by=by, cv=3, size=8)
        expected = tuned.fit(X, y).thresholds_
        blocks = GuardedBlocks.of(X, memory=MEMORY)
        np.testing.assert_allclose(tuned.fit(blocks, y).thresholds_, expected, atol=1e-12)


@pytest.mark.parametrize(
    "classifier", [SVMClassifier(loss="hinge"), GaussianSVM(), MultinomialNB()]
)
def test_what_needs_memory_says_so(classifier):
    X, y, _ = problem("two")
    with pytest.raises(LaconicError, match=r"60 documents over 8 features .*Select fewer words"):
        ReduceThenFit(TopTerms(), classifier, size=8).fit(GuardedBlocks.of(X), y)
    gathered = ReduceThenFit(TopTerms(), classifier, size=8).fit(Blocks.of(X, 7), y)
    expected = ReduceThenFit(TopTerms(), classifier, size=8).fit(X, y)
    np.testing.assert_array_equal(gathered.predict(X), expected.predict(X))


@pytest.mark.parametrize(
    "estimator",
    [LogisticClassifier(), SVMClassifier(), RLSClassifier(), CentroidClassifier(), LDA()],
)
@pytest.mark.parametrize("memory", [1, MEMORY])
def test_every_document_needs_a_label(estimator, memory):
    X, y, _ = problem("several")
    for labels in (y[:-1], np.append(y, y)):
        with pytest.raises(LaconicError, match=r"60 documents, y has labels of"):
            clone(estimator).fit(Blocks.of(X, 3, memory), labels)
    with pytest.raises(LaconicError, match="59 labels or values for 60 documents"):
        Blocks.of(X, 3).total(lambda block, numbers: 0, np.zeros(59))


def test_whole_numbers_in_blocks_do_not_overflow():
    X, y, _ = problem("several")
    counts = canonical(csr_array(X * 100)).astype(np.uint8)
    path = ReduceThenFit(TopTerms(), RLSClassifier(), size=5)
    expected = clone(path).fit(counts.astype(float), y).model_
    for memory in (1, MEMORY):
        found = clone(path).fit(Blocks.of(counts, 3, memory), y).model_
        np.testing.assert_allclose(found.coef.toarray(), expected.coef.toarray(), atol=1e-10)
