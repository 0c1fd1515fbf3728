from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import metrics as skm

from laconic.numerics import metrics as m
from tests.oracles import auc_by_pairs, best_f1_by_thresholds

# many ties, on purpose
values = st.sampled_from([-1.0, 0.0, 0.0, 0.5, 0.5, 2.0])


def error_by_documents(decision, y_signed, rule):
    """Documents whose answer is wrong, or who get none, one at a time."""
    wrong = 0
    for values, truth in zip(decision, y_signed, strict=True):
        if rule == "argmax":
            best = [place for place, value in enumerate(values) if value == max(values)]
            wrong += not (len(best) == 1 and truth[best[0]] == 1)
        else:
            wrong += not all(v * sign > 0 for v, sign in zip(values, truth, strict=True))
    return wrong / len(decision)


def decisions(columns):
    return st.integers(2, 15).flatmap(
        lambda n: st.tuples(
            hnp.arrays(np.float64, (n, columns), elements=values),
            hnp.arrays(np.float64, (n, columns), elements=st.sampled_from([-1.0, 1.0])),
        )
    )


MACRO = {
    m.f1_macro: skm.f1_score,
    m.precision_macro: skm.precision_score,
    m.recall_macro: skm.recall_score,
}


@given(decisions(3))
def test_label_metrics_are_scikit_learns(pair):
    decision, y_signed = pair
    chosen, truth = m.apply_rule(decision, "labels"), y_signed > 0
    assert np.array_equal(chosen, decision > 0)
    keys = {"y_true": truth, "y_pred": chosen, "zero_division": 0}
    assert m.accuracy(chosen, y_signed) == pytest.approx(skm.accuracy_score(truth, chosen))
    micro = skm.f1_score(average="micro", **keys)
    assert m.f1_micro(chosen, y_signed, "labels") == pytest.approx(micro)
    for ours, theirs in MACRO.items():
        expected = theirs(average="macro", **keys)
        assert ours(chosen, y_signed, "labels") == pytest.approx(expected)


def check_one_label(y, n_classes, decision, rule):
    """Every metric of one label per document, where classes from `n_classes` on are unseen."""
    columns = np.array([1]) if rule == "sign" else np.arange(n_classes)
    y_signed = np.where(y[:, None] == columns, 1.0, -1.0)
    y_signed[y >= n_classes] = np.nan
    chosen = m.apply_rule(decision, rule)
    predicted = chosen[:, 0].astype(int) if rule == "sign" else decision.argmax(axis=1)
    n_unseen = np.unique(y[y >= n_classes]).size
    keys = {"y_true": y, "y_pred": predicted, "zero_division": 0}
    assert m.accuracy(chosen, y_signed) == pytest.approx(skm.accuracy_score(y, predicted))
    micro = skm.f1_score(average="micro", **keys)
    assert m.f1_micro(chosen, y_signed, rule) == pytest.approx(micro)
    for ours, theirs in MACRO.items():
        expected = theirs(average="macro", **keys)
        assert ours(chosen, y_signed, rule, n_unseen) == pytest.approx(expected)
    balanced = skm.recall_score(labels=np.unique(y), average="macro", **keys)
    assert m.balanced_accuracy(chosen, y_signed, rule, n_unseen) == pytest.approx(balanced)
    return chosen, y_signed, keys


@given(decisions(4), st.randoms(use_true_random=False), st.integers(1, 7))
def test_metrics_of_classes_are_scikit_learns(pair, random, n_true):
    """Some of the four classes may occur nowhere; classes 4 to 6 have no training document."""
    decision, _ = pair
    y = np.array([random.randrange(n_true) for _ in range(len(decision))])
    chosen, y_signed, _ = check_one_label(y, 4, decision, "argmax")
    assert chosen.sum(axis=1).tolist() == [1] * len(y)
    for metric in (m.f1, m.precision, m.recall):
        assert np.isnan(metric(chosen, y_signed)), "for two classes only"


@given(decisions(1), st.randoms(use_true_random=False), st.integers(1, 4))
def test_metrics_of_two_classes_are_scikit_learns(pair, random, n_true):
    decision, _ = pair
    y = np.array([random.randrange(n_true) for _ in range(len(decision))])
    chosen, y_signed, keys = check_one_label(y, 2, decision, "sign")
    of_positive = {m.f1: skm.f1_score, m.precision: skm.precision_score, m.recall: skm.recall_score}
    for ours, theirs in of_positive.items():
        expected = theirs(labels=[1], average="macro", **keys)
        assert ours(chosen, y_signed) == pytest.approx(expected)


def test_labels_have_no_balanced_accuracy():
    chosen = np.array([[True, False], [False, True]])
    assert np.isnan(m.balanced_accuracy(chosen, np.where(chosen, 1.0, -1.0), "labels"))


@given(st.sampled_from([1, 3]).flatmap(decisions), st.sampled_from(["sign", "labels"]))
def test_the_error_counts_what_is_wrong_and_what_is_undecided(pair, rule):
    decision, y_signed = pair
    assert m.error(decision, y_signed, rule) == error_by_documents(decision, y_signed, rule)


@given(decisions(4), st.randoms(use_true_random=False))
def test_a_tie_for_the_largest_value_is_an_error(pair, random):
    decision, _ = pair
    y = np.array([random.randrange(4) for _ in range(len(decision))])
    y_signed = np.where(y[:, None] == np.arange(4), 1.0, -1.0)
    assert m.error(decision, y_signed, "argmax") == error_by_documents(decision, y_signed, "argmax")


def test_the_error_is_not_what_accuracy_leaves():
    """Two documents without a chosen word: accuracy takes 0 for a no, and the first class."""
    y_signed = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    decision = np.array([[0.0], [0.0], [-0.5], [0.5]])
    assert m.accuracy(m.apply_rule(decision, "sign"), y_signed) == 0.75
    assert m.error(decision, y_signed, "sign") == 0.5
    several = np.array([[1.0, -1.0, -1.0]])
    assert m.error(np.zeros((1, 3)), several, "argmax") == 1.0
    assert m.error(np.array([[0.0, -1.0, -1.0]]), several, "argmax") == 0.0
    assert m.error(np.array([[0.5]]), np.array([[np.nan]]), "sign") == 1.0
    assert m.error(np.array([[-0.5]]), np.array([[np.nan]]), "sign") == 1.0


def test_a_document_of_an_unseen_class_is_never_right():
    """As scikit-learn counts a third class that is never predicted."""
    nan = np.nan
    several = np.array([[1.0, -1.0, -1.0], [nan, nan, nan], [-1.0, 1.0, -1.0]])
    chosen = m.apply_rule(np.array([[2.0, 1.0, 0.0]] * 3), "argmax")
    assert m.accuracy(chosen, several) == pytest.approx(1 / 3)
    two = np.array([[1.0], [nan], [-1.0], [nan]])
    for decision in ([[1.0], [1.0], [-1.0], [-1.0]], [[1.0], [-1.0], [-1.0], [1.0]]):
        assert m.accuracy(m.apply_rule(np.array(decision), "sign"), two) == 0.5


def test_measures_of_several_columns_are_means():
    decision = np.array([[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    y_signed = np.array([[1.0, 1.0], [-1.0, -1.0], [-1.0, 1.0]])
    assert m.roc_auc(decision, y_signed) == pytest.approx((1.0 + 0.5) / 2)
    assert m.best_f1(decision, y_signed) == pytest.approx((1.0 + 0.8) / 2)


@given(decisions(1))
def test_auc_counts_pairs(pair):
    decision, y_signed = pair
    truth = y_signed[:, 0] > 0
    if truth.all() or not truth.any():
        assert np.isnan(m.roc_auc(decision, y_signed))
    else:
        assert m.roc_auc(decision, y_signed) == pytest.approx(auc_by_pairs(decision[:, 0], truth))


def test_the_pooled_area_compares_decisions_of_different_columns():
    decision = np.array([[3.0, 0.0], [1.0, 2.0], [0.0, 1.0]])
    y_signed = np.array([[1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0]])
    expected = auc_by_pairs(decision.ravel(), y_signed.ravel() > 0)
    assert m.roc_auc_micro(decision, y_signed) == pytest.approx(expected)
    assert expected < m.roc_auc(decision, y_signed) == 1.0
    assert np.isnan(m.roc_auc_micro(decision, -np.abs(y_signed)))


@given(decisions(1))
def test_best_f1_tries_every_threshold_and_splits_no_tie(pair):
    decision, y_signed = pair
    truth = y_signed[:, 0] > 0
    if not truth.any():
        assert np.isnan(m.best_f1(decision, y_signed))
    else:
        expected = best_f1_by_thresholds(decision[:, 0], truth)
        assert m.best_f1(decision, y_signed) == pytest.approx(expected)


def test_columns_without_an_answer_are_left_out_of_the_mean():
    decision = np.array([[0.1, 0.9], [0.2, 0.8]])
    y_signed = np.array([[-1.0, -1.0], [1.0, -1.0]])
    assert m.roc_auc(decision, y_signed) == 1.0
    assert m.best_f1(decision, y_signed) == 1.0


def test_a_value_at_its_threshold_is_not_positive():
    decision = np.array([[1.0, 1.0], [2.0, -1.0]])
    positive = m.apply_rule(decision, "labels", np.array([1.0, -2.0]))
    assert positive.tolist() == [[False, True], [True, True]]
