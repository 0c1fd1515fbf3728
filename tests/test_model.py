from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from laconic import LinearModel, Selection
from laconic.errors import LaconicError
from laconic.model import margins
from tests.oracles import decision_by_words
from tests.strategies import counts


def sparse_model(n_terms, selected, normalize="all", rule="argmax", seed=0):
    """One row per list of selected columns, with random coefficients, some of them 0."""
    rng = np.random.default_rng(seed)
    coef = np.concatenate([rng.normal(size=len(columns)).round(1) for columns in selected])
    structure = csr_array(
        (coef, np.concatenate(selected).astype(int), np.cumsum([0, *map(len, selected)])),
        shape=(len(selected), n_terms),
    )
    classes = np.array(["no", "yes"]) if rule == "sign" else np.arange(len(selected))
    return LinearModel(
        structure, rng.normal(size=len(selected)), classes, 2, normalize=normalize, rule=rule
    )


@given(counts(), st.sampled_from(["all", "selected"]), st.data())
def test_decision_is_the_sum_over_words(X, normalization, data):
    n_terms = X.shape[1]
    subset = st.lists(st.integers(0, n_terms - 1), min_size=1, max_size=n_terms, unique=True)
    selected = [sorted(columns) for columns in data.draw(st.lists(subset, min_size=2, max_size=3))]
    model = sparse_model(n_terms, selected, normalization)
    dense = model.coef.toarray()
    expected = [
        [
            decision_by_words(dense[c], selected[c], model.intercept[c], x, normalization)
            for c in range(len(selected))
        ]
        for x in X
    ]
    np.testing.assert_allclose(model.decision(csr_array(X)), expected, atol=1e-12)
    np.testing.assert_allclose(model.decision(X), expected, atol=1e-12)
    shares = model.contributions(csr_array(X[:1]))
    np.testing.assert_allclose(
        np.asarray(shares.sum(axis=1)).ravel() + model.intercept, expected[0], atol=1e-12
    )


def test_a_selected_word_with_coefficient_0_counts_in_the_length():
    coef = Selection([0, 1], None, 3).lift(np.array([[1.0, 0.0], [0.0, 1.0]]))
    model = LinearModel(coef, np.zeros(2), np.arange(2), 2, normalize="selected")
    np.testing.assert_allclose(model.decision(np.array([[3.0, 4.0, 12.0]])), [[0.6, 0.8]])


def test_a_document_without_selected_words_gets_the_intercept():
    for normalization in ("all", "selected"):
        model = sparse_model(4, [[0], [1]], normalization)
        np.testing.assert_array_equal(
            model.decision(np.array([[0, 0, 5, 5.0]]))[0], model.intercept
        )


def test_rules():
    coef = np.array([[1.0, -1.0]])
    model = LinearModel(coef, [0.0], np.array(["ham", "spam"]), 2, rule="sign")
    X = np.array([[2.0, 1.0], [1.0, 2.0], [1.0, 1.0]])
    assert model.predict(X).tolist() == ["spam", "ham", "ham"], "f = 0 is a no"
    three = LinearModel(np.eye(3, 2), np.zeros(3), np.array(["a", "b", "c"]), 2)
    assert three.predict(X).tolist() == ["a", "b", "a"]
    labels = LinearModel(np.eye(2) - 0.6, np.zeros(2), np.arange(2), 2, rule="labels")
    assert labels.predict(X).tolist() == [[1, 0], [0, 1], [0, 0]]


def test_terms_are_the_distinct_words_of_the_whole_model():
    model = sparse_model(10, [[1, 4], [4, 7]])
    assert model.features.tolist() == [1, 4, 7]
    assert model.n_features == 3
    dense = LinearModel(np.array([[0.0, 1.0, 2.0]]), [0.0], np.arange(2), 3, rule="sign")
    assert dense.features.tolist() == [1, 2]


def test_explain_names_the_words_strongest_first():
    coef = csr_array(np.array([[1.0, -5.0, 2.0, 0.0]]))
    model = LinearModel(coef, [0.5], np.array(["ham", "spam"]), 4, rule="sign")
    vocabulary = np.array(["free", "meeting", "win", "the"], dtype=object)
    explanation = model.explain(csr_array([[1.0, 1.0, 2.0, 9.0]]), vocabulary)
    assert explanation == {"spam": [("meeting", -5.0), ("win", 4.0), ("free", 1.0)]}
    assert model.explain(csr_array([[1.0, 1.0, 2.0, 9.0]]), vocabulary, top=1) == {
        "spam": [("meeting", -5.0)]
    }
    with pytest.raises(ValueError, match="one document"):
        model.explain(csr_array(np.ones((2, 4))), vocabulary)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"normalize": "none"}, "normalize"),
        ({"rule": "vote"}, "rule"),
        ({"rule": "sign"}, "two classes"),
        ({"intercept": np.zeros(2)}, "3 rows"),
        ({"coef": np.ones((2, 4))}, "3 rows"),
    ],
)
def test_model_refuses(change, says):
    parts = {"coef": np.ones((3, 4)), "intercept": np.zeros(3), "classes": np.arange(3), "size": 4}
    with pytest.raises(ValueError, match=says):
        LinearModel(**(parts | change))


def test_a_model_owns_its_numbers():
    coef = csr_array(([1.0, 2.0], [0, 0], [0, 2, 2]), shape=(2, 3))
    model = LinearModel(coef, [0.0, 0.0], np.arange(2), 1, normalize="selected")
    np.testing.assert_allclose(model.decision(np.array([[2.0, 5.0, 0.0]])), [[3.0, 0.0]])
    coef.data[:] = 0
    assert model.coef.toarray().tolist() == [[3, 0, 0], [0, 0, 0]]
    for array in (model.coef.data, model.intercept):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 7
    dense = LinearModel(np.eye(3), np.zeros(3), np.arange(3), 3)
    with pytest.raises(ValueError, match="read-only"):
        dense.coef[:] = 0


@pytest.mark.parametrize("form", [csr_array, csr_array.toarray])
def test_a_product_with_documents_copies_no_coefficients(form):
    """Sparse documents times a factor that lies otherwise would copy it, batch after batch."""
    coef = np.random.default_rng(0).normal(size=(3, 50))
    model = LinearModel(form(csr_array(coef)), np.zeros(3), np.arange(3), 50)
    assert model._columns.flags.c_contiguous
    X = np.random.default_rng(1).random((7, 50))
    np.testing.assert_allclose(model.decision(csr_array(X)), X @ coef.T, atol=1e-12)


def test_another_vocabulary_is_refused():
    with pytest.raises(LaconicError, match=r"X has 5 columns, but the model .* of 4\. Vectori"):
        sparse_model(4, [[0], [1]]).decision(np.ones((1, 5)))


def test_thresholds_are_strict_and_apart_from_the_intercept():
    X = np.array([[1.0], [2.0], [3.0]])
    two = LinearModel([[1.0]], [0.5], np.array(["ham", "spam"]), 1, rule="sign", thresholds=[2.5])
    assert two.predict(X).tolist() == ["ham", "ham", "spam"], "f = threshold is a no"
    assert two.decision(X).ravel().tolist() == [1.5, 2.5, 3.5]
    labels = LinearModel(
        [[1.0], [-1.0]], np.zeros(2), np.arange(2), 1, rule="labels", thresholds=[1.0, -3.0]
    )
    assert labels.predict(X).tolist() == [[0, 1], [1, 1], [1, 0]]
    assert margins(labels.decision(X), labels).tolist() == [[0, 2], [1, 1], [2, 0]]
    with pytest.raises(ValueError, match="read-only"):
        two.thresholds[0] = 0.0


@pytest.mark.parametrize("rule", ["sign", "labels"])
def test_a_model_without_thresholds_predicts_the_same(rule):
    rng = np.random.default_rng(0)
    n_rows = 1 if rule == "sign" else 2
    model = LinearModel(
        rng.normal(size=(n_rows, 4)),
        rng.normal(size=n_rows),
        np.array(["a", "b"]),
        4,
        rule=rule,
        thresholds=rng.normal(size=n_rows),
        calibration=np.column_stack([np.full(n_rows, 2.0), np.ones(n_rows)]),
    )
    X = rng.normal(size=(50, 4))
    plain = model.without_thresholds()
    assert plain.thresholds is None
    np.testing.assert_array_equal(plain.predict(X), model.predict(X))
    np.testing.assert_allclose(plain.predict_proba(X), model.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(plain.decision(X), margins(model.decision(X), model), atol=1e-12)
    assert plain.without_thresholds() is plain


def test_probabilities_have_the_shapes_of_scikit_learn():
    X = np.array([[1.0], [-3.0]])
    names = np.array(["ham", "spam"])
    two = LinearModel([[1.0]], [0.0], names, 1, rule="sign", calibration=[[2.0, -1.0]])
    spam = 1 / (1 + np.exp([-1.0, 7.0]))
    np.testing.assert_allclose(two.predict_proba(X), np.column_stack([1 - spam, spam]))
    pairs = [[2.0, -1.0], [0.5, 0.0]]
    labels = LinearModel(
        [[1.0], [2.0]], np.zeros(2), names, 1, rule="labels", calibration=pairs, thresholds=[9, 9]
    )
    both = np.column_stack([spam, 1 / (1 + np.exp([-1.0, 3.0]))])
    np.testing.assert_allclose(labels.predict_proba(X), both)
    several = LinearModel(np.eye(3, 1), [0.0, 1.0, 2.0], np.arange(3), 1, calibration=[2.0])
    powers = np.exp(several.decision(X) / 2.0)
    expected = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(several.predict_proba(X), expected)
    with pytest.raises(ValueError, match="read-only"):
        several.calibration[0] = 1.0


def test_a_model_without_calibration_says_what_to_do():
    model = sparse_model(4, [[0], [1]])
    with pytest.raises(LaconicError, match=r"no calibration.*Fit one on held-out"):
        model.predict_proba(np.ones((1, 4)))


@pytest.mark.parametrize(
    ("rule", "fields", "says"),
    [
        ("argmax", {"thresholds": [0.0, 0.0]}, "thresholds with the rule 'argmax'"),
        ("labels", {"thresholds": [0.0]}, r"thresholds of shape \(1,\): .* needs \(2,\)"),
        ("labels", {"thresholds": [0.0, np.nan]}, "thresholds: not a number"),
        ("labels", {"calibration": [[1.0, 0.0]]}, r"shape \(1, 2\): .* needs \(2, 2\)"),
        ("labels", {"calibration": [[1.0, 0.0], [0.0, 1.0]]}, "the slope a .* not 0"),
        ("labels", {"calibration": [[1.0, np.inf], [1.0, 1.0]]}, "calibration: not a number"),
        ("argmax", {"calibration": [1.0, 1.0]}, r"needs \(1,\)"),
        ("argmax", {"calibration": [-1.0]}, "the temperature .* not -1"),
    ],
)
def test_thresholds_and_calibration_that_do_not_fit_are_refused(rule, fields, says):
    with pytest.raises(LaconicError, match=says):
        LinearModel(np.eye(2), np.zeros(2), np.arange(2), 2, rule=rule, **fields)
