"""What a study tunes for a method, and what the name of a method decides."""

from __future__ import annotations

from itertools import product

import pytest

from laconic.methods import METHODS, parse_method
from laconic.methods.classifiers import ALPHA, ALPHAS

CLASSIFIERS = ("logistic", "svm", "ridge")
WEIGHTS = (None, "balanced")
# Methods, and the names that a study trains for them.
VARIANTS = {
    "IG": [
        "IG+logistic",
        "IG+logistic:weights=balanced",
        "IG+svm",
        "IG+svm:weights=balanced",
        "IG+ridge",
    ],
    "IG+logistic": ["IG+logistic", "IG+logistic:weights=balanced"],
    "IG+svm": ["IG+svm", "IG+svm:weights=balanced"],
    "IG+svm:weights=balanced": ["IG+svm:weights=balanced"],
    "IG+ridge": ["IG+ridge"],
    "IG+svm:alpha=2.0": ["IG+svm:alpha=2.0"],
    "IG+logistic:threshold=cv": ["IG+logistic:threshold=cv"],
    "IG+knn": ["IG+knn"],
    "IG+centroid": ["IG+centroid"],
    "SVM-LARS": ["SVM-LARS"],
    "MASK:weights=balanced": ["MASK:weights=balanced"],
}


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_have_every_classifier_and_weight_that_the_name_does_not_decide(name):
    variants = [*parse_method(name).variants(CLASSIFIERS, WEIGHTS)]
    assert variants == VARIANTS[name]
    assert [parse_method(variant).name for variant in variants] == variants, "canonical"


def test_settings_of_the_selection_stay_before_the_classifier():
    variants = parse_method("SS:rank=3:draw=iid").variants(("svm",), ("balanced",))
    assert [*variants] == ["SS:rank=3:draw=iid+svm:weights=balanced"]


def test_a_method_covers_exactly_its_variants():
    """The names of one selection, each against each; other selections are covered by none."""
    names = sorted({*VARIANTS, *(name for names in VARIANTS.values() for name in names)})
    for name, other in product(names, names):
        expected = other == name or other in VARIANTS.get(name, [])
        assert parse_method(name).covers(parse_method(other)) == expected, (name, other)
    assert not parse_method("IG").covers(parse_method("IG:combine=max+svm"))
    assert not parse_method("IG").covers(parse_method("CHI2+svm"))


@pytest.mark.parametrize("name", METHODS)
def test_every_selection_is_tuned_alike_and_no_method_that_trains_its_own_models(name):
    method = METHODS[name]
    assert method.tuned == (method.classifier == "auto")
    variants = [*method.variants(("svm",), (None,))]
    assert variants == ([f"{name}+svm"] if method.tuned else [name])


@pytest.mark.parametrize(
    ("name", "tuned"),
    [
        ("IG", True),
        ("IG+ridge", True),
        ("IG+svm:weights=balanced", True),
        ("IG+svm:alpha=1", False),
        ("IG+ridge:alpha=loo", False),
        ("IG+ridge:threshold=cv", False),
        ("IG+gaussian", False),
        ("IG+centroid", False),
        ("MASK", False),
    ],
)
def test_alpha_is_tuned_where_neither_the_name_nor_the_plan_has_one(name, tuned):
    method = parse_method(name)
    assert method.tuned == tuned
    classifier = "logistic" if method.classifier == "auto" else method.classifier
    at_auto = "auto" if method.alpha is None else method.alpha
    assert method.alphas("auto") == (ALPHAS[classifier] if tuned else (at_auto,))
    assert method.alphas(7.0) == (7.0 if method.alpha is None else method.alpha,)


@pytest.mark.parametrize("classifier", ALPHAS)
def test_alphas_descend_around_the_default(classifier):
    alphas = ALPHAS[classifier]
    assert list(alphas) == sorted(alphas, reverse=True)
    assert alphas[len(alphas) // 2] == ALPHA[classifier]
    assert parse_method(f"IG+{classifier}").build().classifier.alpha == ALPHA[classifier]
