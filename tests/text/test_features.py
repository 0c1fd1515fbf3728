from __future__ import annotations

import pytest

from laconic.errors import LaconicError
from laconic.text.features import FeatureSet, check_features, decided, feature_sets
from laconic.text.language import Language
from laconic.text.options import TextOptions


@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("words", "words", TextOptions()),
        ("stems:english", "stems (English)", TextOptions(stem="porter")),
        ("stems:german", "stems (German)", TextOptions(stem="german")),
        ("word-ngrams:1-2", "word 1–2-grams", TextOptions(ngrams=(1, 2))),
        ("word-ngrams:2-2", "word 2-grams", TextOptions(ngrams=(2, 2))),
        ("char-ngrams:1-3", "character 1–3-grams", TextOptions(unit="char", ngrams=(1, 3))),
    ],
)
def test_a_set_is_a_shorthand_of_text_options(name, title, text):
    features = FeatureSet.parse(name)
    assert (features.name, features.title) == (name, title)
    assert features.text(TextOptions()) == text
    others = TextOptions(stop_words="english", lowercase=False, min_length=3)
    assert features.text(others).stop_words == "english"
    assert not features.text(others).lowercase


def test_lengths_have_defaults():
    assert FeatureSet.parse("word-ngrams").ngrams == (1, 2)
    assert FeatureSet.parse("char-ngrams").ngrams == (1, 3)
    assert FeatureSet.parse("char-ngrams:4").ngrams == (4, 4)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("word", "give auto, words, stems"),
        ("words:german", "give auto, words"),
        ("stems:klingon", "no such stemmer. Choose from"),
        ("stems:thai", "no such stemmer"),
        ("char-ngrams:3-1", "give a range of lengths"),
        ("char-ngrams:a", "give a range of lengths"),
        ("", "give auto"),
    ],
)
def test_other_names_are_refused(name, reason):
    with pytest.raises(LaconicError, match=reason):
        check_features(name, TextOptions())


def test_text_options_that_decide_leave_no_choice():
    assert decided(TextOptions(stop_words="english", lowercase=False, min_length=1)) == []
    assert decided(TextOptions(stem="porter", ngrams=(1, 2))) == ["ngrams", "stem"]
    check_features("auto", TextOptions(stem="porter"))
    with pytest.raises(LaconicError, match="features='words' and stem: both say"):
        check_features("words", TextOptions(stem="porter"))


def test_sets_depend_on_the_language():
    def names(language: str) -> list[str]:
        return [features.name for features in feature_sets(Language(language, ""))]

    assert names("german") == ["words", "stems:german", "word-ngrams:1-2", "char-ngrams:1-3"]
    assert names("") == names("ukrainian") == ["words", "word-ngrams:1-2", "char-ngrams:1-3"]
    assert names("chinese") == ["char-ngrams:1-3"]
