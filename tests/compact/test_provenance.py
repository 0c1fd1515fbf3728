"""Is it in the file what a model was trained with?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from laconic.compact import CompactModel, train
from laconic.compact.provenance import classifier_settings
from laconic.errors import LaconicError
from laconic.methods import parse_method
from laconic.methods.classifiers import CLASSIFIERS
from laconic.runtime.settings import ClassifierSettings
from laconic.text.options import TextOptions
from laconic.text.vectorizer import Vectorizer
from tests.compact.models import served
from tests.studies.corpora import pets


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "knn"])
def test_names_are_those_of_methods(name):
    """Of the classifiers whose models can be saved."""
    path = parse_method(f"IG+{name}").build(0.25)
    assert classifier_settings(path).name == name


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("IG", ClassifierSettings("logistic", 0.25)),
        ("IG+ridge", ClassifierSettings("ridge", 0.25)),
        ("IG+logistic:weights=balanced", ClassifierSettings("logistic", 0.25, "balanced")),
        ("IG+ridge:alpha=loo", ClassifierSettings("ridge")),
        ("IG+svm:alpha=2", ClassifierSettings("svm", 2.0)),
        ("LSI+gaussian", ClassifierSettings("gaussian")),
        ("MASK:weights=balanced", ClassifierSettings(None, 0.25, "balanced")),
        ("SVM-LARS", ClassifierSettings(None, 0.25)),
    ],
)
def test_a_trained_model_states_its_classifier(method, expected, tmp_path):
    path = parse_method(method).build(0.25, normalize="selected")
    model = train(path, pets(), 8, vectorizer=Vectorizer(ngrams=(1, 2)))
    assert model.classifier == expected
    assert model.features == "word:ngrams=1-2"
    model.save(tmp_path / "m")
    loaded = CompactModel.load(tmp_path / "m")
    assert loaded.classifier == expected
    shown = loaded.summary()
    assert (f"classifier {expected.name}" in shown) == (expected.name is not None)
    assert (f"alpha {expected.alpha or 0:g}" in shown) == (expected.alpha is not None)
    assert ("class weights balanced" in shown) == (expected.class_weight is not None)


def test_solved_and_gap_are_stored_and_shown(tmp_path):
    model = replace(served()[0], solved=False, gap=0.5)
    model.save(tmp_path / "m")
    loaded = CompactModel.load(tmp_path / "m")
    assert (loaded.solved, loaded.gap) == (False, 0.5)
    assert "not solved, gap 5.0e-01" in loaded.summary()


def test_settings_of_a_classifier_are_checked():
    for settings in ({"alpha": float("nan")}, {"alpha": -1.0}, {"name": ""}, {"name": "x" * 41}):
        with pytest.raises(LaconicError):
            ClassifierSettings(**settings)


def test_kinds_of_features():
    assert TextOptions().features == "word"
    assert TextOptions(unit="char", ngrams=(2, 2)).features == "char:ngrams=2-2"
