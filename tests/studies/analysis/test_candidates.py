"""Of the classifiers, alphas and class weights of a method, each size has the best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from laconic.numerics import decision_counts as dc
from laconic.rows import Row
from laconic.studies.analysis.candidates import Candidate, candidates

FAMILIES = {"ALL": ["ALL+svm", "ALL+ridge"], "IG": ["IG+svm", "IG+ridge"], "IG+svm": ["IG+svm"]}


def rows(method, size, alpha, values, metric="accuracy"):
    return [
        Row("p", method, size, metric, v, size, size, 0, "validation", f"fold {f}", alpha=alpha)
        for f, v in enumerate(values)
    ]


MEASURED = [
    *rows("IG+svm", 10, 1.0, [0.7, 0.8]),
    *rows("IG+svm", 10, 0.1, [0.8, 0.9]),
    *rows("IG+ridge", 10, 1.0, [0.8, 0.8]),
    *rows("IG+svm", 20, 1.0, [0.8, 0.8]),
    *rows("IG+ridge", 20, 3.0, [0.9, 0.9]),
    *rows("IG+ridge", 20, 1.0, [0.9, 0.9]),
    *rows("ALL+svm", 500, 0.1, [0.9, 0.8]),
    *rows("ALL+ridge", 500, 1.0, [0.9, 0.7]),
]


def test_each_size_of_a_method_has_its_best_classifier_and_alpha():
    offered, _ = candidates(MEASURED, "accuracy", families=FAMILIES)
    assert {(c.method, c.size): (c.variant, c.alpha, c.values) for c in offered} == {
        ("IG", 10): ("IG+svm", 0.1, (0.8, 0.9)),
        ("IG", 20): ("IG+ridge", 3.0, (0.9, 0.9)),
        ("IG+svm", 10): ("IG+svm", 0.1, (0.8, 0.9)),
        ("IG+svm", 20): ("IG+svm", 1.0, (0.8, 0.8)),
        ("ALL", 500): ("ALL+svm", 0.1, (0.9, 0.8)),
    }


@pytest.mark.parametrize("reverse", [False, True])
def test_of_equal_alphas_the_larger_one(reverse):
    measured = MEASURED[::-1] if reverse else MEASURED
    offered, _ = candidates(measured, "accuracy", families=FAMILIES)
    (chosen,) = (c for c in offered if (c.method, c.size) == ("IG", 20))
    assert (chosen.variant, chosen.alpha) == ("IG+ridge", 3.0)


def test_the_rows_are_those_of_the_best_under_the_name_of_the_method():
    macro = [replace(row, metric="f1_macro", value=row.value / 2) for row in MEASURED]
    offered, tuned = candidates([*MEASURED, *macro], "accuracy", families=FAMILIES)
    for candidate in offered:
        table = [r for r in tuned if (r.method, r.size) == (candidate.method, candidate.size)]
        assert tuple(r.value for r in table if r.metric == "accuracy") == candidate.values
        halves = tuple(r.value for r in table if r.metric == "f1_macro")
        assert halves == tuple(v / 2 for v in candidate.values), "also of other metrics"
        assert {r.alpha for r in table} == {candidate.alpha}


def test_mistakes_are_documents_with_a_wrong_prediction_per_thousand():
    offered, _ = candidates(MEASURED, "accuracy", families=FAMILIES)
    (found,) = (c for c in offered if (c.method, c.size) == ("IG", 10))
    assert found.mistakes == pytest.approx(150)
    (other,) = candidates(rows("A", 5, 1.0, [0.5, 0.6], "roc_auc"), "roc_auc")[0]
    assert other.mistakes is None


def test_an_alpha_that_some_fold_lacks_is_not_chosen():
    lacking = [replace(row, value=None) if row.fold == "fold 1" else row for row in MEASURED[2:4]]
    offered, _ = candidates([*MEASURED[:2], *lacking], "accuracy", families=FAMILIES)
    assert [c.alpha for c in offered if c.method == "IG"] == [1.0]


def test_a_fold_in_which_nothing_has_a_value_is_left_out():
    undefined = [replace(MEASURED[0], fold="fold 2", value=None), *MEASURED[:2]]
    (found,) = candidates(undefined, "accuracy")[0]
    assert found.values == (0.7, 0.8)


def test_thresholds_of_other_folds_replace_the_values():
    """Decisions that are all 1 too high: 0 is a bad threshold, that of other folds is good."""
    rng = np.random.default_rng(0)
    folds = {}
    for name in ("fold 0", "fold 1", "fold 2"):
        y = rng.random((50, 1)) < 0.4
        decision = np.where(y, 2.0, 0.5)
        folds[name] = dc.count_decisions(decision, np.where(y, 1.0, -1.0))
    measured = [
        *rows("A", 5, 1.0, [0.5, 0.5, 0.5], "f1"),
        *rows("A", 5, 1.0, [0.4, 0.4, 0.4], "accuracy"),
    ]
    (found,), tuned = candidates(measured, "f1", counts=lambda problem, variant: folds)
    assert (found.thresholding, found.values) == ("common", (1.0, 1.0, 1.0))
    assert found.mistakes == 0
    assert [r.value for r in tuned if r.metric == "f1"] == [1.0] * 3
    assert [r.value for r in tuned if r.metric == "accuracy"] == [0.4] * 3
    (plain,), _ = candidates(measured, "accuracy", counts=lambda problem, variant: folds)
    assert (plain.thresholding, plain.values) == ("zero", (0.4, 0.4, 0.4))


def test_n_grams_are_not_called_words():
    candidate = Candidate("p", "IG", 5, "accuracy", 0.9, 0.0, 5.0, (), features="word:ngrams=1-2")
    assert candidate.description == "IG with 5 n-grams"
    assert replace(candidate, method="ALL").description == "all n-grams"
    assert replace(candidate, n_features=1.0, features="word").description == "IG with 1 word"
