from __future__ import annotations

import numpy as np
import pytest

from laconic.studies.feature_choice import FeatureChoice, SetScore, compare_sets
from laconic.text.features import FeatureSet

WORDS, STEMS, CHARACTERS = map(FeatureSet.parse, ("words", "stems:english", "char-ngrams"))


def flat(*folds: float) -> np.ndarray:
    """The same values at both sizes."""
    return np.array([folds, folds])


@pytest.mark.parametrize(
    ("words", "stems", "chosen"),
    [
        # differences 0.01, 0.03, 0.02: mean 0.02, standard error 0.01/√3
        ((0.80, 0.80, 0.80), (0.81, 0.83, 0.82), STEMS),
        # 0.00, 0.03, 0.00: mean 0.01 is exactly one standard error, 0.0173/√3
        ((0.80, 0.80, 0.80), (0.80, 0.83, 0.80), WORDS),
        # -0.01, 0.03, 0.01: mean 0.01, standard error 0.02/√3
        ((0.81, 0.80, 0.80), (0.80, 0.83, 0.81), WORDS),
        ((0.80, 0.80, 0.80), (0.80, 0.80, 0.80), WORDS),
        ((0.83, 0.82, 0.84), (0.80, 0.80, 0.80), WORDS),
    ],
)
def test_the_simplest_within_one_standard_error_of_the_best(words, stems, chosen):
    features, reason, scores = compare_sets({WORDS: flat(*words), STEMS: flat(*stems)}, {})
    assert features == chosen
    best = WORDS if sum(words) >= sum(stems) else STEMS
    simplest = "the simplest within one standard error of the best"
    assert reason == ("the best" if chosen == best else simplest)
    differences = np.array(words) - np.array(stems if best == STEMS else words)
    assert scores[0].difference == pytest.approx(differences.mean())
    assert scores[0].se == pytest.approx(differences.std(ddof=1) / np.sqrt(3))
    assert scores[1].values == pytest.approx((np.mean(stems), np.mean(stems)))


def test_a_set_that_is_worse_at_the_largest_size_is_not_as_good():
    """Its mean over sizes may hide it."""
    words = np.array([[0.71, 0.72, 0.70], [0.88, 0.87, 0.89]])
    stems = np.array([[0.70, 0.71, 0.69], [0.91, 0.89, 0.92]])
    features, _, (score, _) = compare_sets({WORDS: words, STEMS: stems}, {})
    assert features == STEMS
    assert -score.difference > score.se
    stems[0] = [0.70, 0.68, 0.69]
    features, _, (score, _) = compare_sets({WORDS: words, STEMS: stems}, {})
    assert -score.difference <= score.se, "on the mean it would do"
    assert features == STEMS


def test_sets_that_failed_are_listed_and_never_chosen():
    features, reason, scores = compare_sets({STEMS: flat(0.8, 0.9)}, {WORDS: "no memory"})
    assert (features, reason) == (STEMS, "the best")
    assert [score.failure for score in scores] == ["", "no memory"]
    features, reason, scores = compare_sets({}, {WORDS: "a", STEMS: "b"})
    assert (features, reason, len(scores)) == (WORDS, "because no set could be measured", 2)


def test_the_sentence_has_scores_choice_and_language():
    scores = (
        SetScore("words", "words", (0.8, 0.878), 0.839, -0.003, 0.004),
        SetScore("stems:english", "stems (English)", (0.8, 0.884), 0.842),
        SetScore("char-ngrams:1-3", "character 1–3-grams", failure="no memory"),
    )
    choice = FeatureChoice(
        "mail",
        "words",
        "words",
        "the simplest within one standard error of the best",
        "Language: English (guessed from stop words)",
        "accuracy",
        (100, 1000),
        2000,
        3,
        scores,
    )
    assert choice.sentence == (
        "Features: stems (English) 0.842, words 0.839, character 1–3-grams failed → words, the "
        "simplest within one standard error of the best (mean accuracy with at most 100 and 1,000 "
        "features, in 3 folds of 2,000 training documents). Language: English (guessed from stop "
        "words)."
    )
