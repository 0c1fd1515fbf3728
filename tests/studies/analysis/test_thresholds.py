"""Thresholds by brute force: every fold is decided by the best thresholds of the other folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from laconic.numerics import decision_counts as dc
from laconic.studies.analysis.thresholds import evaluate, modes_for, simplest, thresholds_of


def decisions(n_labels: int, n_folds: int = 3, n_docs: int = 40, seed: int = 0):
    """Decision values and labels by fold; labels are rarer than values above 0."""
    rng = np.random.default_rng(seed)
    folds = []
    for _ in range(n_folds):
        y = rng.random((n_docs, n_labels)) < rng.uniform(0.1, 0.5, n_labels)
        f = np.where(y, 0.5, -0.2) + rng.normal(0.1, 0.6, y.shape)
        folds.append((f, y))
    return folds


def counted(folds):
    return [dc.count_decisions(f, np.where(y, 1.0, -1.0)) for f, y in folds]


def best_common(folds, average: str) -> float:
    """The best edge on these documents; the nearest to 0 on ties."""
    f, y = (np.concatenate(parts) for parts in zip(*folds, strict=True))
    scores = [f1_score(y, f > edge, average=average, zero_division=0) for edge in dc.EDGES]
    best = np.flatnonzero(np.array(scores) >= max(scores) - 1e-12)
    return dc.EDGES[best[np.abs(best - dc.ZERO).argmin()]]


@pytest.mark.parametrize(("metric", "average"), [("f1_micro", "micro"), ("f1_macro", "macro")])
def test_a_fold_is_decided_by_the_common_threshold_of_the_others(metric, average):
    folds = decisions(3)
    result = evaluate(counted(folds), metric, "common")
    for place, (f, y) in enumerate(folds):
        others = folds[:place] + folds[place + 1 :]
        chosen = f > best_common(others, average)
        for name in ("micro", "macro"):
            expected = f1_score(y, chosen, average=name, zero_division=0)
            assert result.values[f"f1_{name}"][place] == pytest.approx(expected)
        assert result.mistakes[place] == pytest.approx((chosen != y).sum() / len(y))


def test_of_two_classes_it_is_the_threshold_of_the_positive_one():
    folds = decisions(1)
    result = evaluate(counted(folds), "f1", "common")
    for place, (f, y) in enumerate(folds):
        chosen = f > best_common(folds[:place] + folds[place + 1 :], "binary")
        assert result.values["f1"][place] == pytest.approx(f1_score(y, chosen))


def test_separate_thresholds_are_the_best_of_each_label_with_a_prior():
    """F1 of the label, to which PRIOR positive documents of all labels are added."""
    folds = decisions(3, seed=1)
    result = evaluate(counted(folds), "f1_macro", "separate")
    for place, (f, y) in enumerate(folds):
        rest_f, rest_y = (
            np.concatenate(parts)
            for parts in zip(*(folds[:place] + folds[place + 1 :]), strict=True)
        )
        share = dc.PRIOR / rest_y.sum()
        chosen = np.empty_like(y)
        for label in range(3):
            scores = []
            for edge in dc.EDGES:
                above, all_above = rest_f[:, label] > edge, rest_f > edge
                hits = (above & rest_y[:, label]).sum() + share * (all_above & rest_y).sum()
                n_both = above.sum() + rest_y[:, label].sum()
                scores.append(2 * hits / (n_both + share * all_above.sum() + dc.PRIOR))
            best = np.flatnonzero(np.array(scores) >= max(scores) - 1e-12)
            edge = dc.EDGES[best[np.abs(best - dc.ZERO).argmin()]]
            chosen[:, label] = f[:, label] > edge
        expected = f1_score(y, chosen, average="macro", zero_division=0)
        assert result.values["f1_macro"][place] == pytest.approx(expected)


def test_without_thresholds_a_fold_is_decided_at_zero():
    folds = decisions(2)
    result = evaluate(counted(folds), "f1_macro", "zero")
    expected = [f1_score(y, f > 0, average="macro") for f, y in folds]
    assert result.values["f1_macro"] == pytest.approx(expected)


def test_a_fold_does_not_choose_its_own_threshold():
    """With all its labels swapped, a fold has other scores but the thresholds of before."""
    folds = decisions(2)
    f, y = folds[0]
    swapped = [(f, ~y), *folds[1:]]
    chosen = f > best_common(folds[1:], "macro")
    result = evaluate(counted(swapped), "f1_macro", "common")
    assert result.values["f1_macro"][0] == pytest.approx(f1_score(~y, chosen, average="macro"))


def test_the_thresholds_of_the_model_are_those_of_all_folds():
    folds = decisions(3)
    total = np.sum(counted(folds), axis=0)
    thresholds = thresholds_of(total, "f1_micro", "common")
    assert thresholds == pytest.approx([best_common(folds, "micro")] * 3)
    assert thresholds_of(total, "f1_micro", "zero").tolist() == [0.0] * 3


def test_thresholds_are_tried_for_metrics_that_they_can_raise():
    assert modes_for("accuracy", 3) == modes_for("roc_auc", 1) == ("zero",)
    assert modes_for("f1", 1) == modes_for("f1_micro", 3) == ("zero", "common")
    assert modes_for("f1_macro", 3) == ("zero", "common", "separate")
    assert modes_for("f1_micro", 1) == modes_for("f1_macro", 1) == ("zero",), (
        "that is not F1 of one"
    )


def test_the_simplest_that_no_later_one_beats_by_a_standard_error():
    zero = np.array([0.5, 0.6, 0.7])
    steady, noisy = zero + 0.01, zero + np.array([0.4, -0.3, -0.05])
    assert simplest([zero, noisy]) == 0
    assert simplest([zero, steady]) == 1
    assert simplest([zero, steady, steady + 0.001]) == 2
    assert simplest([zero, steady, steady]) == 1
    assert simplest([zero, zero - 0.1, steady]) == 2, "compared with the one that was chosen"
    assert simplest([np.array([0.5]), np.array([0.6])]) == 1
