"""The sentence of a recommendation: what to use, what it costs, what would be cheaper or better."""

from __future__ import annotations

from dataclasses import replace

import pytest

from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.recommendation import HeldOutResult, Recommendation, recommend
from laconic.studies.options import LimitOptions


def candidate(method, n_features, mean, mistakes, variant="", se=0.02):
    return Candidate(
        "mail",
        method,
        n_features,
        "f1",
        mean,
        se,
        float(n_features),
        (mean,),
        variant=variant or f"{method}+svm",
        mistakes=mistakes,
    )


CURVE = [
    candidate("IG", 10, 0.80, 43.0),
    candidate("IG", 50, 0.90, 21.25, "IG+logistic:weights=balanced"),
    candidate("IG", 400, 0.91, 8.04),
    candidate("ALL", 9000, 0.905, 20.0, "ALL+ridge"),
]


def recommended(**about) -> Recommendation:
    limits = LimitOptions(**about)
    (found,) = recommend(CURVE, limits)
    return replace(found, n_features_in=9500, positive_class="spam")


def test_it_names_the_model_its_cost_and_its_neighbours():
    assert recommended().sentence == (
        "mail: use IG with 50 words and logistic regression (0.5% of 9,500). In validation its f1 "
        "of spam is 0.900, 21 mistakes in 1,000 documents: within one standard error (0.020) of "
        "the best. The best is IG with 400 words: 0.910, 8.0 mistakes in 1,000 documents. "
        "Cheaper: IG with 10 words, 0.800 (43 mistakes). Better: IG with 400 words, 0.910 (8.0 "
        "mistakes)."
    )


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"max_loss": 0.01}, "0.900, 21 mistakes in 1,000 documents: at most 0.01 below the best."),
        ({"max_features": 20}, "43 mistakes in 1,000 documents: the best within 20 features."),
        ({"max_loss": 0.0}, "its f1 of spam is 0.910, the best result, 8.0 mistakes in 1,000"),
        (
            {"max_features": 20, "max_loss": 0.01},
            "Limit missed: no model within 20 features is at most 0.01 below the best.",
        ),
        ({"max_features": 5}, "Limit missed: no model is within 5 features."),
    ],
)
def test_it_says_which_limit_decided(limits, says):
    assert says in recommended(**limits).sentence
    assert ("Limit missed" in recommended(**limits).sentence) == says.startswith("Limit missed")


def test_labels_have_wrong_labels():
    sentence = replace(recommended(), multilabel=True).sentence
    assert "21 wrong labels in 1,000 documents" in sentence
    assert "(43 wrong labels)" in sentence
    assert "mistakes" not in sentence


def test_all_words_are_a_recommendation_too():
    (found,) = recommend(CURVE[3:])
    found = replace(found, n_features=9100, n_features_in=9100)
    assert found.sentence.startswith("mail: use all 9,100 words and ridge regression. In")


def test_a_classifier_in_the_name_is_not_named_again():
    (found,) = recommend([candidate("IG+svm", 10, 0.8, None, "IG+svm:weights=balanced")])
    assert found.sentence.startswith("mail: use IG+svm with 10 words. In validation its f1 is")


def sentence_with(score, interval, **about):
    test = HeldOutResult(score, interval)
    return replace(recommended(), test=test, n_test_documents=300, **about).sentence


def test_the_test_score_has_its_interval_beside_that_of_all_words():
    sentence = sentence_with(0.89, (0.86, 0.92), baseline_test=HeldOutResult(0.88, (0.85, 0.91)))
    assert sentence.endswith(
        "On the 300 held-out test documents: 0.890 (95 % interval 0.860 to 0.920); all words: "
        "0.880 (95 % interval 0.850 to 0.910)."
    )


def test_a_test_score_far_below_validation_is_a_warning():
    """Far: the upper limit is more than two standard errors (0.02) below the mean, 0.9."""
    says = "The test score is far below validation (0.900)"
    assert says in sentence_with(0.8, (0.75, 0.859))
    assert says not in sentence_with(0.8, (0.75, 0.861))
    assert says not in sentence_with(0.8, None)
