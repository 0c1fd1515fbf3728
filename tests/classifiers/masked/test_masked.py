"""Every smaller SVM without training: against the formulas, document by document."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_array
from sklearn.base import clone
from sklearn.preprocessing import normalize
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import MaskedSVM, SVMClassifier, Weighting, curve, make_problems
from laconic.errors import LaconicError, SizeUnavailable
from laconic.numerics.metrics import best_f1, roc_auc
from laconic.numerics.svm.dual import Rows, descend
from laconic.numerics.svm.ranked import Ranked, prefix_decisions
from laconic.testing import check_path
from tests.known_corpora import known_corpus
from tests.strategies import text_like

VARIANTS = ["mask", "sv_set", "repaired", "exact"]
FRACTIONS = [0.01, 0.05, *(n / 10 for n in range(1, 10)), 0.99]
C = 1.0


def documents(n_docs=60, n_terms=40, n_classes=2, seed=0):
    """Zeros and ones of unit length, as the paper has them; some documents are empty."""
    X, y = text_like(n_docs, n_terms, n_classes, seed)
    X = normalize((X.toarray() > np.random.default_rng(seed).integers(0, 3, X.shape)).astype(float))
    X[::17] = 0.0
    return X, y


def svm(X, y_signed):
    """Another solver's weights, bias and α on all words."""
    machine = SVC(kernel="linear", C=C, tol=1e-10).fit(X, y_signed)
    alphas = np.zeros(len(y_signed))
    alphas[machine.support_] = np.abs(machine.dual_coef_[0])
    return machine.coef_[0], machine.intercept_[0], alphas


def ranking(X, weights, alphas):
    """Words in support vectors, by |w|, of equals the first."""
    words = [i for i in range(X.shape[1]) if any(X[j, i] for j in np.flatnonzero(alphas > 1e-6))]
    return sorted(words, key=lambda i: (-abs(weights[i]), i))


def masked(X, selected):
    m = np.zeros(X.shape[1])
    m[selected] = 1.0
    return X * m


def unit(X):
    lengths = np.array([np.sqrt(sum(x * x for x in row)) for row in X])
    return np.array(
        [row / length if length else row for row, length in zip(X, lengths, strict=True)]
    )


def of_the_machine(machine, X):
    """The weights of all words that a machine was made from."""
    weights = np.zeros(X.shape[1])
    weights[machine.order] = machine.coef
    return weights


@pytest.mark.parametrize("form", [csr_array, csc_array, np.asarray])
def test_the_machine_on_all_words_is_the_svm(form):
    X, y = documents()
    machine = MaskedSVM(tol=1e-9).fit(form(X), y).machines_[0]
    weights, bias, alphas = svm(X, np.where(y == 1, 1, -1))
    assert_allclose(of_the_machine(machine, X), weights, atol=1e-6)
    assert machine.intercept == pytest.approx(bias, abs=1e-5)
    assert set(machine.order) == set(ranking(X, weights, alphas))
    assert_array_equal(machine.order, ranking(X, of_the_machine(machine, X), alphas))


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 3))
def test_mask_is_its_formula_at_every_size(seed, n_classes):
    X, y = documents(40, 25, n_classes, seed)
    queries, _ = documents(30, 25, 2, seed + 1)
    path = MaskedSVM("mask", tol=1e-8)
    models = list(path.path(csr_array(X), y, range(1, 26)))
    for size, model in enumerate(models, 1):
        if isinstance(model, SizeUnavailable):
            assert size > max(machine.available for machine in path.machines_)
            continue
        expected = [
            [
                sum(machine.coef[r] * x[i] for r, i in enumerate(machine.order[:size]))
                for x in queries
            ]
            for machine in path.machines_
        ]
        biases = [machine.intercept for machine in path.machines_]
        assert_allclose(
            model.decision(csr_array(queries)), np.transpose(expected) + biases, atol=1e-10
        )
        assert model.normalize == "all"


@pytest.mark.full
@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 3))
def test_sv_set_is_its_formula_at_every_size(seed, n_classes):
    X, y = documents(40, 25, n_classes, seed)
    queries, _ = documents(30, 25, 2, seed + 1)
    path = MaskedSVM("sv_set", tol=1e-8)
    for size, model in enumerate(path.path(csr_array(X), y, range(1, 26)), 1):
        if isinstance(model, SizeUnavailable):
            continue
        expected = []
        for machine in path.machines_:
            selected = machine.order[:size]
            d, x = unit(masked(X, selected)), unit(masked(queries, selected))
            weights = sum(
                a * t * own for a, t, own in zip(machine.alphas, machine.y_signed, d, strict=True)
            )
            expected.append(x @ weights + machine.intercept)
        assert_allclose(model.decision(csr_array(queries)), np.transpose(expected), atol=1e-10)
        assert model.normalize == "selected"


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("normalization", [None, "all"])
def test_exact_is_a_machine_trained_on_the_selected_words_alone(loss, n_classes, normalization):
    X, y = documents(80, 40, n_classes, seed=3)
    path = MaskedSVM("exact", loss=loss, normalize=normalization, tol=1e-10)
    for model in path.path(csr_array(X), y, [2, 5, 20]):
        for row, machine in enumerate(path.machines_):
            selected = machine.order[: model.size]
            Z = masked(X, selected) if normalization else unit(masked(X, selected))
            cold = SVMClassifier(0.5, loss=loss, tol=1e-10).fit(Z, machine.y_signed)
            assert_allclose(model.decision(X)[:, row], cold.decision_function(Z), atol=1e-5)


def test_what_comes_of_a_size_does_not_depend_on_the_other_sizes():
    X, y = documents(80, 40, 3, seed=5)
    for variant in VARIANTS:
        (alone,) = MaskedSVM(variant).path(X, y, [7])
        together = list(MaskedSVM(variant).path(X, y, [20, 7, 3]))[1]
        assert_array_equal(alone.coef.toarray(), together.coef.toarray())
        assert_array_equal(alone.intercept, together.intercept)


def dual_objective(Z, y_signed, alphas):
    weights = (alphas * y_signed) @ Z
    return weights @ weights / 2 - alphas.sum()


def skewed(seed=1):
    """One document in ten is of the class, so that renormalising goes wrong."""
    X, y = documents(300, 120, 10, seed)
    return X, (y == 0).astype(int)


def test_repaired_lies_between_sv_set_and_exact_and_ends_there():
    X, y = skewed()
    size = 12
    exact = MaskedSVM("exact", size=size, tol=1e-9).fit(X, y)
    distances = []
    for path in (
        MaskedSVM("sv_set", size=size, tol=1e-9),
        *(MaskedSVM("repaired", size=size, epochs=n, tol=1e-9) for n in (1, 3, 2000)),
    ):
        gap = path.fit(X, y).decision_function(X) - exact.decision_function(X)
        distances.append(np.abs(gap).mean())
    assert distances[0] > 2 * distances[1]
    assert distances[1] > distances[2] > distances[3]
    assert distances[3] < 1e-5


def test_without_lengths_sv_set_is_mask():
    X, y = documents(seed=2)
    mask, sv_set = (MaskedSVM(v, normalize="all", size=9).fit(X, y) for v in ("mask", "sv_set"))
    assert_allclose(sv_set.coef_.toarray(), mask.coef_.toarray(), atol=1e-9)
    assert_array_equal(sv_set.intercept_, mask.intercept_)


def test_mask_may_divide_by_the_selected_words():
    X, y = documents(seed=2)
    model = MaskedSVM("mask", normalize="selected", size=9).fit(X, y).model_
    plain = MaskedSVM("mask", size=9).fit(X, y)
    selected = plain.machines_[0].order[:9]
    assert_allclose(model.decision(X), plain.model_.decision(unit(masked(X, selected))), atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_fractions_are_of_the_words_in_each_rows_support_vectors(variant):
    X, y = documents(90, 60, 3, seed=4)
    path = MaskedSVM(variant, alpha=5.0)
    models = list(path.path(X, y, FRACTIONS))
    counts = [machine.available for machine in path.machines_]
    for fraction, model in zip(FRACTIONS, models, strict=True):
        selected = np.diff(model.coef.indptr)
        assert_array_equal(selected, [max(1, round(fraction * count)) for count in counts])
        assert model.size == selected.max()


@pytest.mark.filterwarnings("ignore:1 of .* labels occur in")
def test_a_class_that_has_fewer_words_uses_all_of_them_and_too_many_are_refused():
    X = np.zeros((8, 7))
    X[[0, 1], 0] = 1.0
    X[[2, 3], 1] = 1.0
    X[np.arange(4, 8), np.arange(3, 7)] = 1.0
    y = np.column_stack([[1, 1, 0, 0, 0, 0, 0, 0], np.zeros(8), [0, 0, 0, 0, 1, 1, 1, 1]])
    path = MaskedSVM()
    last, beyond = path.path(X, y.astype(int), [7, 6])
    words = [machine.available for machine in path.machines_]
    assert words[1] == 0
    assert max(words) == 6
    assert_array_equal(np.diff(last.coef.indptr), np.minimum(words, 6))
    assert last.intercept[1] == -1.0
    assert isinstance(beyond, SizeUnavailable)
    assert "at most 6 words" in beyond.reason


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("normalization", [None, "selected", "all"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_decisions_along_the_path_are_those_of_its_models(variant, normalization, n_classes):
    X, y = documents(n_classes=n_classes)
    queries, _ = documents(30, seed=9)
    path = MaskedSVM(variant, normalize=normalization)
    for outcome in path.along(csr_array(X), y, [1, 5, 12, 1000, None], csr_array(queries)):
        if isinstance(outcome, SizeUnavailable):
            assert outcome.size == 1000
        else:
            model, decided = outcome
            assert_allclose(decided(), model.decision(queries), atol=1e-12)


@pytest.mark.parametrize("metric", ["roc_auc", "best_f1"])
@pytest.mark.parametrize("normalization", ["all", "selected"])
def test_a_metric_at_every_size_is_that_of_each_model(metric, normalization):
    X, y = documents(80, 30, 3, seed=6)
    queries, truth = documents(50, 30, 3, seed=7)
    path = MaskedSVM(normalize=normalization).fit(X, y)
    of = {"roc_auc": roc_auc, "best_f1": best_f1}[metric]
    values = path.every_size(csr_array(queries), truth, metric)
    for row, machine in enumerate(path.machines_):
        assert values[row].size == machine.available
        ranked = Ranked.of(queries, machine.order)
        y_signed = np.where(truth == row, 1.0, -1.0)[:, None]
        for size in range(1, machine.available + 1):
            # the same sums in the same order, because ties count
            (decision,) = prefix_decisions(
                ranked, machine.coef, [size], normalize_selected=normalization == "selected"
            )
            model = clone(path).set_params(size=size).fit(X, y).model_
            product = model.decision(queries)[:, row] - model.intercept[row]
            assert_allclose(decision, product, atol=1e-12)
            assert values[row][size - 1] == pytest.approx(
                of(decision[:, None], y_signed), abs=1e-12
            )


def test_every_size_needs_a_mask():
    X, y = documents()
    path = MaskedSVM("exact").fit(X, y)
    with pytest.raises(LaconicError, match=r"variant='exact'.*with variant='mask'"):
        path.every_size(X, y)
    with pytest.raises(LaconicError, match=r"'f1'.*choose from roc_auc, best_f1"):
        MaskedSVM().fit(X, y).every_size(X, y, "f1")


def test_agreements_are_by_definition():
    X, y = documents(90, 50, 3, seed=8)
    path = MaskedSVM("exact", size=10, tol=1e-9).fit(X, y)
    for row, (machine, agreement) in enumerate(zip(path.machines_, path.agreements_, strict=True)):
        selected = machine.order[:10]
        before, after = machine.coef[:10], path.coef_.toarray()[row, selected]
        assert agreement.size == 10
        assert agreement.cosine == pytest.approx(
            before @ after / np.sqrt((before @ before) * (after @ after)), abs=1e-12
        )
        assert agreement.pearson == pytest.approx(np.corrcoef(before, after)[0, 1], abs=1e-12)
        Z = masked(X, selected)
        lengths = np.linalg.norm(Z, axis=1)
        old = set(np.flatnonzero(machine.alphas > 1e-6 * C))
        again = descend(
            Rows.of(csr_array(unit(Z))),
            machine.y_signed,
            machine.costs,
            start=machine.alphas * np.sqrt(lengths),
            start_intercept=machine.intercept,
            tolerance=1e-9,
        )
        new = set(np.flatnonzero(again.alphas > 1e-6 * C))
        assert agreement.overlap == pytest.approx(len(old & new) / len(old | new))
        assert agreement.containment == pytest.approx(len(old & new) / len(new))
        assert agreement.recall == pytest.approx(len(old & new) / len(old))


def test_only_a_retrained_machine_has_an_agreement():
    X, y = documents()
    assert MaskedSVM("sv_set").fit(X, y).agreements_ == []


def test_without_lengths_the_support_vectors_of_all_words_stay():
    """Overlap at 100 % differs from 1 only because lengths change (ERRATA B12)."""
    X, y = documents(120, 60, 2, seed=1)
    path = MaskedSVM("exact", normalize="all", alpha=5.0, tol=1e-9).fit(X, y)
    assert path.agreements_[0].overlap == 1.0
    assert path.agreements_[0].cosine == pytest.approx(1.0)


def test_sv_set_collapses_where_a_class_is_rare_and_repaired_does_not(corpora):
    """One newsgroup of twenty, a tenth of the words: what the paper did not look at."""
    corpus = known_corpus("20news-bydate")
    weighting = Weighting("binary", min_df=2)
    problems = make_problems(corpus, weighting=weighting, target="one-vs-rest")
    problem = next(one for one in problems if one.name.endswith("comp.windows.x"))
    best = {
        variant: curve(MaskedSVM(variant, tol=1e-3), problem, [0.1], ["best_f1"]).values("best_f1")
        for variant in VARIANTS
    }
    f1 = {variant: found[0.1] for variant, found in best.items()}
    assert f1["sv_set"] < f1["exact"] - 0.1
    assert f1["mask"] > f1["exact"] - 0.05
    assert f1["repaired"] > f1["exact"] - 0.03


def test_scores_are_the_largest_weights():
    X, y = documents(n_classes=3)
    path = MaskedSVM(size=4).fit(X, y)
    expected = np.abs([of_the_machine(machine, X) for machine in path.machines_]).max(axis=0)
    assert_array_equal(path.scores_, expected)


def test_a_weight_of_a_class_counts_its_documents_more_often():
    X, y = skewed()
    heavy = MaskedSVM(class_weight={0: 1, 1: 3}, tol=1e-9).fit(X, y)
    often = np.concatenate([np.arange(len(y)), *2 * [np.flatnonzero(y == 1)]])
    repeated = MaskedSVM(tol=1e-9).fit(X[often], y[often])
    assert_allclose(heavy.decision_function(X), repeated.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_every_variant_keeps_our_contract(variant, loss):
    X, y = documents(40, 21, 3)
    check_path(MaskedSVM(variant, loss=loss), csr_array(X), y)


@pytest.mark.filterwarnings("ignore::laconic.errors.LaconicWarning")  # checks feed no counts
@parametrize_with_checks([MaskedSVM(variant) for variant in VARIANTS[1:]])
def test_every_variant_keeps_scikit_learns_contract(estimator, check):
    check(estimator)
