from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic import LogisticClassifier, RLSClassifier, SVMClassifier
from laconic.classifiers import blend as module
from laconic.classifiers.blend import FOLDS, BlendClassifier, _folds, _out_of_fold_scale
from laconic.classifiers.prefixes import decisions_of
from laconic.errors import LaconicError
from laconic.numerics.decision_counts import TEMPERATURES, count_decisions, scale_of, tuning_of
from laconic.numerics.svm.input import Rows
from laconic.text.labels import LabelEncoding
from tests.blocks_double import GuardedBlocks
from tests.strategies import text_like


@pytest.fixture(scope="module")
def corpus():
    X, y = text_like(120, 40, 3)
    return csr_array(np.log1p(X.toarray())), y


def members():
    return [("a", LogisticClassifier(0.3)), ("b", SVMClassifier(1.0, class_weight="balanced"))]


@pytest.mark.parametrize("kind", ["binary", "classes", "labels"])
def test_decisions_are_the_mean_of_scaled_decisions(corpus, kind):
    X, y = corpus
    labels = {"binary": y > 0, "classes": y, "labels": np.column_stack([y == 0, y > 0])}[kind]
    labels = labels.astype(int)
    blend = BlendClassifier(members(), scales=[2.0, 0.5]).fit(X, labels)
    parts = [m.fit(X, labels).decision_function(X) for _, m in members()]
    expected = (parts[0] / 2.0 + parts[1] / 0.5) / 2
    np.testing.assert_allclose(blend.decision_function(X), expected, atol=1e-6)


def test_scales_make_members_comparable(corpus):
    """A stronger regularization makes decisions smaller, and so is their scale."""
    X, y = corpus
    noisy = np.where(np.random.default_rng(0).random(y.size) < 0.4, 0, y)
    pair = [("a", LogisticClassifier(0.3)), ("b", LogisticClassifier(30.0))]
    blend = BlendClassifier(pair).fit(X, noisy)
    sizes = [np.std(member.fit(X, noisy).decision_function(X)) for _, member in pair]
    assert sizes[1] < 0.5 * sizes[0]
    assert blend.scales_[1] < 0.5 * blend.scales_[0]


def test_the_scale_of_counts_is_a_temperature():
    """Decisions that are log-odds times a factor have that factor as their scale."""
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, (40_000, 2))
    y_signed = np.where(rng.random(logits.shape) < 1 / (1 + np.exp(-logits)), 1.0, -1.0)
    for factor in (0.25, 1.0, 3.0):
        scale = scale_of(count_decisions(factor * logits, y_signed))
        assert abs(np.log2(scale / factor)) < 0.2
    assert TEMPERATURES[0] < 0.25 < 3.0 < TEMPERATURES[-1]


@pytest.mark.parametrize("kind", ["binary", "classes", "labels"])
@pytest.mark.parametrize("form", ["memory", "blocks"])
def test_the_scale_is_that_of_all_decisions_of_other_folds(corpus, kind, form):
    """Against decisions and labels of all documents and classes at once."""
    X, y = corpus
    labels = {"binary": y > 0, "classes": y, "labels": np.column_stack([y == 0, y > 0])}[kind]
    encoding = LabelEncoding.of(labels.astype(int))
    rows = GuardedBlocks.of(X, 3) if form == "blocks" else Rows.of(X)
    member, decision = LogisticClassifier(0.3), np.zeros((encoding.n_docs, encoding.n_rows))
    for fold in _folds(encoding):
        weights = np.ones(encoding.n_docs)
        weights[fold] = 0.0
        solution = member.fit_rows(rows, encoding, None, weights)
        decision[fold] = (X @ solution.coef.T + solution.intercept)[fold]
    expected = scale_of(tuning_of(decision, encoding.y_signed, encoding.rule))
    assert _out_of_fold_scale(member, rows, encoding) == pytest.approx(expected, rel=1e-6)


def test_decisions_are_those_of_one_fold_at_a_time(corpus, monkeypatch):
    X, y = corpus
    encoding, shapes = LabelEncoding.of(y), []

    def recorded(rows, coef, intercept):
        decision = decisions_of(rows, coef, intercept)
        shapes.append(decision.shape)
        return decision

    monkeypatch.setattr(module, "decisions_of", recorded)
    BlendClassifier(members()).fit_rows(Rows.of(X), encoding)
    assert shapes == [(120 // FOLDS, 3)] * FOLDS * 2
    assert "y_signed" not in vars(encoding), "labels of all documents and classes are not kept"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimators": []}, "at least one"),
        ({"estimators": [("ridge", RLSClassifier())]}, "RLSClassifier"),
        ({"scales": [1.0]}, "one number above 0 for each of the 2"),
        ({"scales": [1.0, 0.0]}, "above 0"),
    ],
)
def test_invalid_parameters(corpus, parameters, message):
    with pytest.raises(LaconicError, match=message):
        BlendClassifier(**parameters).fit(*corpus)
