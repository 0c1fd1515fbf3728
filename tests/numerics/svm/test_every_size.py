from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.numerics import metrics
from laconic.numerics.svm.every_size import auc_at_every_size, best_f1_at_every_size
from laconic.numerics.svm.ranked import Ranked, prefix_decisions
from tests.numerics.svm.test_ranked import decision_by_prefix, ordered, rows_of
from tests.oracles import auc_by_pairs, best_f1_by_thresholds
from tests.strategies import text_like

BOTH_NORMS = pytest.mark.parametrize("normalize_selected", [False, True])


def one_size_at_a_time(metric, ranked, coef, truth, normalize_selected):
    """The metric of each size's decisions, one after the other."""
    sizes = np.arange(1, ranked.n_ranks + 1)
    y_signed = np.where(truth, 1.0, -1.0)[:, None]
    decisions = prefix_decisions(ranked, coef, sizes, normalize_selected=normalize_selected)
    return [metric(values[:, None], y_signed) for values in decisions]


def same(found, expected):
    return np.array_equal(found, np.asarray(expected, dtype=float), equal_nan=True)


def agrees(ranked, coef, truth, normalize_selected):
    """Both metrics, exactly."""
    areas = auc_at_every_size(ranked, coef, truth, normalize_selected=normalize_selected)
    f1s = best_f1_at_every_size(ranked, coef, truth, normalize_selected=normalize_selected)
    return same(
        areas, one_size_at_a_time(metrics.roc_auc, ranked, coef, truth, normalize_selected)
    ) and same(f1s, one_size_at_a_time(metrics.best_f1, ranked, coef, truth, normalize_selected))


@st.composite
def targets(draw):
    """Documents with ties everywhere, and which of them are true: also all, or none."""
    X, order, coef = draw(ordered(max_docs=20, max_terms=14))
    if draw(st.booleans()):
        X = (X > 0).astype(float)
    return X, order, coef, draw(hnp.arrays(np.bool_, X.shape[0]))


@given(targets(), st.booleans())
def test_every_size_is_measured_from_the_definition(target, normalize_selected):
    X, order, coef, truth = target
    ranked = Ranked.of(csr_array(X), order)
    areas = auc_at_every_size(ranked, coef, truth, normalize_selected=normalize_selected)
    f1s = best_f1_at_every_size(ranked, coef, truth, normalize_selected=normalize_selected)
    assert areas.shape == f1s.shape == (order.size,)
    for size in range(1, order.size + 1):
        values = [
            decision_by_prefix(row, coef, size, normalize_selected) for row in rows_of(X, order)
        ]
        values = np.array(values)
        if truth.any():
            assert f1s[size - 1] == pytest.approx(best_f1_by_thresholds(values, truth))
        if truth.any() and not truth.all():
            assert areas[size - 1] == pytest.approx(auc_by_pairs(values, truth))


@given(targets(), st.booleans())
def test_every_size_is_exactly_the_measure_of_its_decisions(target, normalize_selected):
    X, order, coef, truth = target
    assert agrees(Ranked.of(csr_array(X), order), coef, truth, normalize_selected)


@BOTH_NORMS
@pytest.mark.parametrize("n_classes", [2, 3, 30])
@pytest.mark.parametrize("digits", [0, 1, 15])
def test_rare_and_frequent_classes_with_few_and_many_ties(n_classes, digits, normalize_selected):
    """Long rows, so that documents go up and down through many levels."""
    X, y = text_like(150, 300, n_classes, seed=n_classes)
    rng = np.random.default_rng(digits)
    coef = np.round(np.sort(rng.normal(size=280))[::-1] * rng.choice([-1, 1], 280), digits)
    assert agrees(Ranked.of(X, rng.permutation(300)[:280]), coef, y == 0, normalize_selected)


@pytest.mark.parametrize("n_true", [1, 2, 100, 199, 200])
def test_labels_that_the_words_know_nothing_of(n_true):
    """The best threshold wanders from one end to the other, and the last one is no guide."""
    X, _ = text_like(200, 120, 2)
    rng = np.random.default_rng(n_true)
    truth = rng.permutation(200) < n_true
    coef = rng.normal(size=120)
    assert agrees(Ranked.of(X, rng.permutation(120)), coef, truth, normalize_selected=False)


@BOTH_NORMS
def test_a_word_that_no_document_has_changes_nothing(normalize_selected):
    X = csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    truth = np.array([False, True, False])
    ranked = Ranked.of(X, np.array([1, 0, 2]))
    found = auc_at_every_size(
        ranked, np.array([5.0, 1.0, -1.0]), truth, normalize_selected=normalize_selected
    )
    # false, true, none: (0, 0, 0), (1, 0, 0), then (−1, −1, 0), or divided (−1/√5, −1, 0)
    assert found.tolist() == [0.5, 0.25, 0.0 if normalize_selected else 0.25]
    best = best_f1_at_every_size(
        ranked, np.array([5.0, 1.0, -1.0]), truth, normalize_selected=normalize_selected
    )
    assert best.tolist() == [0.5, 0.5, 0.5]


def test_a_good_word_first_is_as_good_as_can_be():
    X = csr_array(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    ranked, truth = Ranked.of(X, np.arange(2)), np.array([True, True, False])
    assert auc_at_every_size(
        ranked, np.array([2.0, -5.0]), truth, normalize_selected=False
    ).tolist() == [1, 1]
    assert best_f1_at_every_size(ranked, np.ones(2), truth, normalize_selected=False).tolist() == [
        1,
        0.8,
    ]


def test_questions_without_an_answer():
    ranked = Ranked.of(csr_array(np.eye(3)), np.arange(3))
    none, all_true = np.zeros(3, dtype=bool), np.ones(3, dtype=bool)
    assert (
        np.isnan(auc_at_every_size(ranked, np.ones(3), none, normalize_selected=False)).tolist()
        == [True] * 3
    )
    assert np.isnan(auc_at_every_size(ranked, np.ones(3), all_true, normalize_selected=False)).all()
    assert np.isnan(best_f1_at_every_size(ranked, np.ones(3), none, normalize_selected=False)).all()
    assert (
        best_f1_at_every_size(ranked, -np.ones(3), all_true, normalize_selected=False).tolist()
        == [1.0] * 3
    )


@pytest.mark.parametrize("metric", [auc_at_every_size, best_f1_at_every_size])
def test_arrays_that_do_not_fit_are_refused(metric):
    ranked = Ranked.of(csr_array(np.eye(3)), np.arange(3))
    truth = np.array([True, False, True])
    with pytest.raises(LaconicError, match=r"shape \(2,\) for documents with 3 ranks"):
        metric(ranked, np.ones(2), truth, normalize_selected=False)
    with pytest.raises(LaconicError, match=r"truth of shape \(2,\) and type bool for 3 documents"):
        metric(ranked, np.ones(3), truth[:2], normalize_selected=False)
    with pytest.raises(LaconicError, match="Give True or False"):
        metric(ranked, np.ones(3), np.array([1.0, -1.0, 1.0]), normalize_selected=False)
