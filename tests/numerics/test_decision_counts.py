"""Counts of decisions, and the thresholds and temperatures from them, by definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.metrics import confusion_matrix, f1_score

from laconic.numerics.decision_counts import (
    CENTRES,
    EDGES,
    N_BINS,
    PRIOR,
    TEMPERATURES,
    ZERO,
    best_temperature,
    common_threshold,
    confusion_at,
    count_decisions,
    f1_above,
    log_losses,
    positives_above,
    separate_thresholds,
)

SEEDS = range(6)
# Edges at which predictions are compared one by one, 0 and the ends among them.
SOME = np.unique([0, 1, ZERO - 1, ZERO, ZERO + 1, *range(7, 255, 31), 254])


def labelled(seed, n_docs=60, rates=(0.5, 0.2, 0.03)):
    """Decisions that know a little about the labels; some equal an edge, some are far away."""
    rng = np.random.default_rng(seed)
    y_signed = np.where(rng.random((n_docs, len(rates))) < rates, 1.0, -1.0)
    decision = 0.5 * y_signed + rng.normal(size=y_signed.shape) - 0.4
    decision[:4, 0] = [0.0, EDGES[3], 1e9, -1e9]
    return decision, y_signed


def test_edges_ascend_through_0():
    assert EDGES.size == N_BINS - 1
    assert (np.diff(EDGES) > 0).all()
    assert EDGES[ZERO] == 0.0
    assert ((CENTRES[1:] >= EDGES) & (CENTRES[:-1] <= EDGES)).all(), "a centre is in its bin"


@given(
    st.lists(
        st.tuples(
            st.floats(-1e12, 1e12) | st.sampled_from(EDGES.tolist()),
            st.sampled_from([1.0, -1.0, np.nan]),
        ),
        max_size=30,
    )
)
def test_counts_are_those_of_a_loop(documents):
    expected = np.zeros((2, N_BINS, 2), dtype=int)
    for value, label in documents:
        if not np.isnan(label):
            expected[0, sum(value > edge for edge in EDGES), int(label > 0)] += 1
            expected[1, sum(-value > edge for edge in EDGES), int(label < 0)] += 1
    values, labels = np.reshape(documents, (-1, 2)).T
    counts = count_decisions(np.column_stack([values, -values]), np.column_stack([labels, -labels]))
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_above_an_edge_is_what_a_model_with_this_threshold_predicts(seed):
    decision, y_signed = labelled(seed)
    counts = count_decisions(decision, y_signed)
    hits, n_above = positives_above(counts)
    values = f1_above(counts)
    for place in SOME:
        predicted = decision > EDGES[place]
        assert n_above[:, place].tolist() == predicted.sum(axis=0).tolist()
        assert hits[:, place].tolist() == (predicted & (y_signed > 0)).sum(axis=0).tolist()
        f1 = f1_score(y_signed > 0, predicted, average=None, zero_division=0.0)
        np.testing.assert_allclose(values[:, place], f1)


def check_best(place, values):
    """No edge is better, and none as good is nearer to 0."""
    best = max(values)
    assert values[place] == pytest.approx(best, rel=1e-10)
    nearer = [v for at, v in enumerate(values) if abs(at - ZERO) < abs(place - ZERO)]
    assert all(value < best * (1 - 1e-10) for value in nearer)


def f1_by_edge(decision, truth, weights=1.0):
    """The definition, for one column: every document is compared with every edge."""
    weights = np.broadcast_to(weights, truth.shape)
    predicted = decision > EDGES[:, None]
    claims = predicted @ weights + truth @ weights
    return 2 * (predicted & truth) @ weights / np.where(claims > 0, claims, 1.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_common_threshold_is_the_best_of_all_edges(seed):
    decision, y_signed = labelled(seed)
    counts, truth = count_decisions(decision, y_signed), y_signed > 0
    (micro, *others) = common_threshold(counts, micro=True)
    assert others == [micro] * 2
    check_best(micro, f1_by_edge(decision.ravel(), truth.ravel()))
    (macro, *others) = common_threshold(counts, micro=False)
    assert others == [macro] * 2
    columns = zip(decision.T, truth.T, strict=True)
    check_best(macro, np.mean([f1_by_edge(*column) for column in columns], axis=0))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_separate_threshold_is_the_best_with_a_few_documents_of_all_columns(seed):
    """F1 of the documents of the column, and of all columns with `PRIOR` positive ones in total."""
    decision, y_signed = labelled(seed)
    truth = y_signed > 0
    weights = np.concatenate([np.ones(len(truth)), np.full(truth.size, PRIOR / truth.sum())])
    for column, place in enumerate(separate_thresholds(count_decisions(decision, y_signed))):
        values, labels = (np.concatenate([D[:, column], D.ravel()]) for D in (decision, truth))
        check_best(place, f1_by_edge(values, labels, weights))


def test_a_frequent_label_has_its_own_threshold_and_a_rare_one_nearly_the_common_one():
    rng = np.random.default_rng(0)
    y_signed = np.where(rng.random((400, 6)) < 0.3, 1.0, -1.0)
    y_signed[:, 2] = -1.0
    decision = y_signed + 0.05 * rng.normal(size=y_signed.shape)
    decision[:, 1] += 2.0
    y_signed[decision[:, 2].argmax(), 2] = 1.0  # a single positive document, among the negatives
    counts = count_decisions(decision, y_signed)
    _, frequent, rare, *_ = EDGES[separate_thresholds(counts)]
    assert 1.1 < frequent < 2.9
    assert EDGES[f1_above(counts)[2].argmax()] < -0.7, "the best for its one document"
    assert abs(rare) < 0.7


def test_without_a_positive_document_thresholds_are_0():
    decision, y_signed = labelled(0)
    counts = count_decisions(decision, -np.abs(y_signed))
    assert separate_thresholds(counts).tolist() == [ZERO] * 3
    assert common_threshold(counts, micro=True).tolist() == [ZERO] * 3
    assert common_threshold(counts, micro=False).tolist() == [ZERO] * 3


@pytest.mark.parametrize("seed", SEEDS)
def test_confusions_are_those_of_the_predictions(seed):
    decision, y_signed = labelled(seed)
    places = np.random.default_rng(seed).integers(0, EDGES.size, 3)
    results = np.column_stack(confusion_at(count_decisions(decision, y_signed), places))
    for column, place in enumerate(places):
        predicted = decision[:, column] > EDGES[place]
        (_, fp), (fn, tp) = confusion_matrix(y_signed[:, column] > 0, predicted, labels=[0, 1])
        assert results[column].tolist() == [tp, tp + fp, tp + fn]


def classified(seed, scale, n_docs=300, n_classes=5):
    """Logits from which classes are drawn, times `scale`: the best temperature is near it."""
    rng = np.random.default_rng(seed)
    logits = 2.0 * rng.normal(size=(n_docs, n_classes))
    codes = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    return scale * logits, np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0), codes


@pytest.mark.parametrize("seed", SEEDS)
def test_log_losses_are_scipys(seed):
    decision, y_signed, codes = classified(seed, 3.0)
    expected = [
        -log_softmax(decision / T, axis=1)[np.arange(codes.size), codes].sum() for T in TEMPERATURES
    ]
    np.testing.assert_allclose(log_losses(decision, y_signed), expected, rtol=1e-12)


def test_a_document_of_a_class_without_a_column_has_no_loss():
    decision, y_signed, _ = classified(0, 1.0)
    without = log_losses(decision[2:], y_signed[2:])
    y_signed[:2] = np.nan
    np.testing.assert_allclose(log_losses(decision, y_signed), without, rtol=1e-12)
    assert not log_losses(decision[:2], y_signed[:2]).any()


@pytest.mark.parametrize("scale", [0.03, 0.1, 0.7, 1.0, 4.0])
@pytest.mark.parametrize("seed", SEEDS[:3])
def test_the_best_temperature_is_near_that_of_all_numbers(seed, scale):
    decision, y_signed, codes = classified(seed, scale)

    def loss(log2):
        scores = log_softmax(decision / 2.0**log2, axis=1)
        return -scores[np.arange(codes.size), codes].sum()

    exact = minimize_scalar(loss, bounds=(-6.0, 3.0), method="bounded")
    chosen = np.log2(best_temperature(log_losses(decision, y_signed)))
    assert abs(chosen - exact.x) < 0.15, "of a step between temperatures"
    assert loss(chosen) < exact.fun * 1.004


def test_beyond_the_temperatures_the_end_is_the_best():
    sure = np.array([[9.0, 0.0], [0.0, 9.0]])
    assert best_temperature(log_losses(sure, np.array([[1.0, -1], [-1, 1]]))) == TEMPERATURES[0]
    assert best_temperature(log_losses(sure, np.array([[-1.0, 1], [1, -1]]))) == TEMPERATURES[-1]
