"""What a certificate leaves out, what it refuses, and how it speaks."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic import LinearModel, ReduceThenFit, RLSClassifier, Selection, TopTerms
from laconic.certificate import NotComputed, certify, serving_interval
from laconic.classifiers.trainers import ReducedModel
from laconic.errors import LaconicError
from laconic.numerics.bounds import suprema as of
from tests.certificate.cases import RNG, case, check_no_certificate_is_violated, model_behind
from tests.oracles import span_by_svd
from tests.strategies import text_like


def test_models_outside_the_span_have_suprema_too():
    """Two models that nobody trained: w off the span counts as well."""
    rng = RNG(1)
    X = csr_array(rng.random((3, 8)))
    one, two = (LinearModel(rng.normal(size=(3, 8)), np.zeros(3), np.arange(3), 8) for _ in "ab")
    found = certify(one, two, X).span
    U, _, _ = span_by_svd(X.toarray())
    D = two.coef - one.coef
    np.testing.assert_allclose(found.inside, np.linalg.norm(D @ U, axis=1))
    np.testing.assert_allclose(found.outside, np.linalg.norm(D - D @ U @ U.T, axis=1))


@pytest.mark.parametrize("name", ["full", "small"])
def test_a_self_contained_model_has_no_parts_of_the_span(name):
    X, y, reduction, alpha, full, small, H = case(2)
    models = {"full": full, "small": small}
    models[name] = replace(models[name], normalize="selected")
    certificate = certify(**models, X=X, y=y, reduction=reduction, alpha=alpha, held_out=H)
    for part_name, part in certificate.parts().items():
        absent = part_name in ("span", "in_span", "queries")
        assert isinstance(part, NotComputed) == absent
        assert not absent or "'selected'" in part.reason
    open_pair = certify(full, small, X, y, reduction, alpha)
    assert certificate.distortion == open_pair.distortion, "it does not depend on any model"
    assert vars(certificate.distortion).items() <= vars(open_pair.in_span).items()
    without = certify(**models, X=X, held_out=H)
    assert "needs the reduction" in without.distortion.reason
    assert "'selected'" in without.in_span.reason
    change = models["small"].decision(H) - models["full"].decision(H)
    np.testing.assert_array_equal(certificate.changes.per_document, np.abs(change))
    assert certificate.held_out.decision_bound <= np.abs(change).max()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"y": None}, "needs y"),
        ({"reduction": None, "alpha": None}, "needs reduction, alpha"),
        ({"alpha": 0.0}, "must be positive"),
        ({"alpha": 0.7}, "full model is not RLS with alpha=0.7"),
        ({"reduction": Selection([0], None, 9)}, "small model is not RLS"),
        ({"y": [1, 2, 0, 1, 2, 0]}, "full model is not RLS"),
        (
            {"span_limit": 4},
            "6 × 9, and its span is computed only if the smaller side is at most 4",
        ),
    ],
)
def test_a_premise_that_is_not_met_is_named(changes, says):
    X = RNG(0).poisson(1.0, size=(6, 9)) + 0.1
    X, y, reduction, alpha, full, small, H = case(10, 3, X, alpha=1.5)
    arguments = {"y": y, "reduction": reduction, "alpha": alpha, "held_out": H} | changes
    certificate = certify(full, small, X, **arguments)
    assert isinstance(certificate.in_span, NotComputed)
    assert says in certificate.in_span.reason
    assert says in certificate.queries.reason
    assert f"In span: not computed: {certificate.in_span.reason}." in certificate.summary()


def test_other_absences_are_named():
    X, y, reduction, alpha, full, small, H = case(10)
    few = certify(full, small, X, held_out=H[:5])
    assert few.held_out.reason == "needs at least 9 documents at confidence 0.9, not 5"
    assert certify(full, small, X).held_out.reason == "needs held_out documents"
    assert "needs held_out" in certify(full, small, X, y, reduction, alpha).queries.reason
    assert "not 0" in certify(full, small, 0 * X).span.reason
    X, y, reduction, alpha, full, small, H = case(10, intercept=True)
    assert "intercepts" in certify(full, small, X, y, reduction, alpha).in_span.reason
    hopeless = np.diag([1.0, 1e-6] + [0.0] * (X.shape[1] - 2))
    assert "ill-conditioned" in certify(full, small, hopeless).span.reason


def test_duplicate_and_empty_documents_are_no_obstacle():
    X = np.array([[1.0, 2, 0, 0], [1, 2, 0, 0], [0, 0, 0, 0], [0, 1, 3, 0]])
    made = case(7, 2, X)
    certificate = check_no_certificate_is_violated(*made, RNG(7))
    assert certificate.in_span.rank == 2


def test_what_cannot_be_compared_is_refused():
    X, y, reduction, alpha, full, small, _ = case(10)
    other = RLSClassifier().fit(np.eye(3), [0, 1, 2]).model_
    with pytest.raises(LaconicError, match="the small one of 3"):
        certify(full, other, X)
    renamed = replace(small, classes=np.array(["a", "b", "c"]))
    with pytest.raises(LaconicError, match="train both on the same y"):
        certify(full, renamed, X)
    with pytest.raises(LaconicError, match="'labels'"):
        certify(full, replace(small, rule="labels"), X)
    with pytest.raises(LaconicError, match="held_out has 1 columns"):
        certify(full, small, X, held_out=np.ones((20, 1)))
    with pytest.raises(LaconicError, match="X has 1 columns"):
        certify(full, small, np.ones((20, 1)))
    with pytest.raises(LaconicError, match="not numbers"):
        certify(full, small, np.full(X.shape, np.nan))
    with pytest.raises(LaconicError, match="confidence=90"):
        certify(full, small, X, confidence=90)
    with pytest.raises(LaconicError, match="LinearModels"):
        certify(full, ReducedModel(reduction, None, full.classes, "argmax"), X)
    with pytest.raises(LaconicError, match="Give the y that both were trained on"):
        certify(full, small, X, np.arange(X.shape[0]) % 2, reduction, alpha)
    with pytest.raises(LaconicError, match="labels for"):
        certify(full, small, X, [0, 1, 2], reduction, alpha)
    with pytest.raises(LaconicError, match="vocabulary of 2"):
        certify(full, small, X, y, Selection([0], None, 2), alpha)


def test_serving_interval_is_attained_and_refuses():
    full = LinearModel(np.array([[1.0, -3, 4, 0.5]]), [0.25], [0, 1], 4, rule="sign")
    low, high = serving_interval(full, [3, 0], np.array([[0.0, 0.6]]))[0, 0]
    assert (low, high) == pytest.approx((0.85 - 0.8 * 3, 0.85 + 0.8 * 4))
    assert full.decision(np.array([[0.6, 0.8, 0, 0]])).item() == pytest.approx(low)
    assert full.decision(np.array([[0.6, 0, 0.8, 0]])).item() == pytest.approx(high)
    whole = serving_interval(full, [3, 0], csr_array([[0.0, 0.6]]), [0.6])[0, 0]
    assert whole == pytest.approx(0.85), "nothing is unseen"
    with pytest.raises(LaconicError, match="shorter than their known part"):
        serving_interval(full, [0], np.array([[1.5]]))
    with pytest.raises(LaconicError, match="distinct"):
        serving_interval(full, [0, 0], np.array([[0.1, 0.1]]))
    with pytest.raises(LaconicError, match="normalize='all'"):
        serving_interval(replace(full, normalize="selected"), [0], np.array([[0.1]]))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_certificate_is_flat_and_speaks(n_classes):
    X, y = text_like(80, 200, n_classes)
    full = RLSClassifier().fit(X[:60], y[:60]).model_
    path = ReduceThenFit(TopTerms(), RLSClassifier(), size=40, normalize="all")
    method = path.fit(X[:60], y[:60])
    reduction = TopTerms().fit(X[:60], y[:60]).at(40)
    certificate = certify(full, method.model_, X[:60], y[:60], reduction, 1.0, X[60:])
    flat = json.loads(json.dumps(certificate.as_dict(), allow_nan=False))
    assert flat["in_span.m"] == certificate.in_span.m
    assert flat["held_out.flips"] == certificate.held_out.flips
    assert len(flat["suprema.everywhere"]) == len(flat["rows"]) == (1 if n_classes == 2 else 4)
    assert flat["suprema.n_features"] == [40] * len(flat["rows"])
    assert flat["queries.median_theorem_1"] is None, "40 words of rank 60: ε = 1, no theorem"
    assert all(isinstance(v, int | float | str | bool | list | None) for v in flat.values())
    said = certificate.summary()
    assert "reads 40 of 200 words" in said
    assert "From 20 held-out documents, each at confidence 90%: no decision value" in said
    assert "does not hold: ε = 1" in said
    assert "nothing (ε ≥ 1)" in said
    assert "not computed" not in said


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"alpha": "1"}, "alpha='1': give the number that both"),
        ({"alpha": True}, "alpha=True"),
        ({"confidence": "0.9"}, "confidence='0.9'"),
        ({"held_out": np.ones(9)}, r"held_out has the shape \(9,\): give documents in rows"),
        ({"held_out": csr_array(np.ones((2, 9)))[0]}, r"held_out has the shape \(9,\)"),
        ({"held_out": [["a"] * 9]}, "held_out has entries that are not numbers"),
        ({"y": [1, 2, None, 1, 2, 0]}, "y cannot be read as classes"),
        ({"y": 3}, "y cannot be read as classes"),
        ({"reduction": "DF"}, "reduction is a str; give a Selection or a Projection"),
        ({"X": np.full((6, 9), 1e155)}, "products of them overflow"),
    ],
)
def test_what_cannot_be_read_is_refused_in_our_words(changes, says):
    """Low: these were errors of numpy, scipy and scikit-learn."""
    X = RNG(0).poisson(1.0, size=(6, 9)) + 0.1
    X, y, reduction, alpha, full, small, H = case(10, 3, X, alpha=1.5)
    given = {"X": X, "y": y, "reduction": reduction, "alpha": alpha, "held_out": H} | changes
    with pytest.raises(LaconicError, match=says):
        certify(full, small, **given)


def test_lists_are_documents_too():
    X, y, reduction, alpha, full, small, H = case(10)
    lists = certify(
        full, small, X.toarray().tolist(), y.tolist(), reduction, alpha, H.toarray().tolist()
    )
    assert lists.as_dict() == certify(full, small, X, y, reduction, alpha, H).as_dict()


@pytest.mark.parametrize("rls", [False, True])
def test_memory_follows_the_entries_of_the_models(monkeypatch, rls):
    """Low: 50 classes × 200,000 words took 4 times the coefficients; a few rows at a time now."""
    monkeypatch.setattr(of, "BLOCK_ENTRIES", 6_000)
    rng = RNG(0)
    X = csr_array(rng.random((60, 6_000)) * (rng.random((60, 6_000)) < 0.01))
    y = np.arange(60) % 25
    reduction = Selection(np.arange(300), None, 6_000)
    full = RLSClassifier().fit(X, y).model_
    small = model_behind(reduction, X, y, 1.0)
    for model in (full, small):
        model.decision(X)  # which keeps its factor
    arguments = {"y": y, "reduction": reduction, "alpha": 1.0} if rls else {"span_limit": 0}
    tracemalloc.start()
    try:
        certificate = certify(full, small, X, held_out=X, **arguments)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(certificate.in_span, NotComputed) != rls
    assert peak < full.coef.nbytes, "before: 4 times that"
