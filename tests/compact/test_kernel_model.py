"""A kernel machine decides as scikit-learn's does, before and after it was saved."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from laconic.classifiers.kernel import GaussianSVM
from laconic.compact import CompactModel
from laconic.errors import LaconicError
from tests.compact.kernel_machines import trained
from tests.compact.models import NAMES, TEXTS

DOCUMENTS = [*TEXTS, "", "zebra", "moon cat cat été"]


@pytest.mark.parametrize("rule", ["sign", "argmax", "labels"])
@pytest.mark.parametrize("how", ["selection", "projection"])
@pytest.mark.parametrize("norm", ["all", "selected"])
def test_decisions_are_those_of_the_classifier(rule, how, norm, tmp_path):
    model, vectorizer, weighting, _ = trained(rule, how, norm)
    X = weighting.transform(vectorizer.transform(DOCUMENTS))
    expected = model.decision(X)
    assert np.ptp(expected, axis=0).min() > 1e-3, "a constant would be no test"
    compact = CompactModel.of(model, vectorizer, weighting, classes=NAMES[rule])
    np.testing.assert_allclose(compact.decision(DOCUMENTS), expected, atol=1e-10)
    assert compact.self_contained == (norm == "selected")
    assert compact.n_words == model.n_features
    compact.save(tmp_path / "m")
    loaded = CompactModel.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.decision(DOCUMENTS), compact.decision(DOCUMENTS))
    assert loaded.predict(DOCUMENTS) == compact.predict(DOCUMENTS)
    assert "KernelModel" in loaded.summary()


@pytest.mark.parametrize("rule", ["sign", "argmax", "labels"])
@pytest.mark.parametrize("how", ["selection", "projection"])
@pytest.mark.parametrize("norm", ["all", "selected"])
def test_our_own_machines_decide_alike_from_their_file(rule, how, norm, tmp_path):
    model, vectorizer, weighting, _ = trained(rule, how, norm, GaussianSVM(width=1.7, C=3.0))
    expected = model.decision(weighting.transform(vectorizer.transform(DOCUMENTS)))
    assert np.ptp(expected, axis=0).min() > 1e-3, "a constant would be no test"
    CompactModel.of(model, vectorizer, weighting, classes=NAMES[rule]).save(tmp_path / "m")
    loaded = CompactModel.load(tmp_path / "m")
    np.testing.assert_allclose(loaded.decision(DOCUMENTS), expected, atol=1e-10)


def test_a_kernel_machine_has_no_words_to_tell():
    model, vectorizer, weighting, _ = trained("sign", "selection")
    with pytest.raises(LaconicError, match="not a sum over words"):
        CompactModel.of(model, vectorizer, weighting).explain("cat")


def test_many_documents_go_in_blocks(monkeypatch):
    monkeypatch.setattr("laconic.runtime.decisions.BLOCK", 20)
    model, vectorizer, weighting, texts = trained("argmax", "projection")
    compact = CompactModel.of(model, vectorizer, weighting)
    X = weighting.transform(vectorizer.transform(texts))
    np.testing.assert_allclose(compact.decision(texts), model.decision(X), atol=1e-10)
    assert compact.decision([]).shape == (0, 3)


@pytest.mark.parametrize(
    ("classifier", "rule", "says"),
    [
        (KNeighborsClassifier(2), "sign", "KNeighborsClassifier is neither linear"),
        (RandomForestClassifier(3), "argmax", "RandomForestClassifier is neither linear"),
        (SVC(kernel="poly"), "sign", "its kernel is 'poly'"),
        (SVC(), "argmax", "one against one"),
        (OneVsRestClassifier(KNeighborsClassifier(2)), "argmax", "KNeighborsClassifier is neither"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_classifiers_are_refused_with_the_reason(classifier, rule, says):
    model, vectorizer, weighting, _ = trained(rule, "selection", classifier=classifier)
    with pytest.raises(LaconicError, match=says):
        CompactModel.of(model, vectorizer, weighting)
