"""Certificates: no statement is violated, every exact one is attained."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from laconic import (
    LinearModel,
    Problem,
    Projection,
    ReduceThenFit,
    RLSClassifier,
    Selection,
    TopTerms,
    load_corpus,
)
from laconic.certificate import NotComputed, certify, serving_interval
from laconic.classifiers.reduce_then_fit import ReducedModel
from laconic.errors import LaconicError
from laconic.numerics import bounds as of
from laconic.numerics import span as spans
from tests.oracles import rls_in_dual, span_by_svd
from tests.strategies import counts, text_like

RNG = np.random.default_rng


def unit(rows):
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-10)


def model_behind(reduction, X, y, alpha, **options):
    classifier = RLSClassifier(alpha=alpha, **options).fit(reduction.apply(X), y)
    lifted = reduction.lift(np.atleast_2d(classifier.coef_))
    model = classifier.model_
    return LinearModel(lifted, model.intercept, model.classes, reduction.size, rule=model.rule)


def case(seed, n_classes=3, X=None, alpha=None, intercept=False):
    """Documents, labels, a reduction, both models and held-out documents, all from a seed."""
    rng = RNG(seed)
    if X is None:
        X = rng.poisson(0.7, size=(rng.integers(2, 12), rng.integers(2, 14))).astype(float)
        X[:, 0] += 1
    X = unit(X) if rng.random() < 0.5 else X
    n_docs, n_terms = X.shape
    size = rng.integers(1, n_terms + 1)
    terms = rng.permutation(n_terms)[:size]
    weights = rng.choice([np.ones(size), rng.uniform(0.2, 2.5, size)])
    reduction = Selection(terms, weights, n_terms)
    if rng.random() < 0.15:
        reduction = Projection(rng.normal(size=(n_terms, size)) / np.sqrt(size))
    elif rng.random() < 0.3:  # near the identity, so that the theorems' premise holds
        reduction = Selection(np.arange(n_terms), rng.uniform(0.85, 1.2, n_terms), n_terms)
    alpha = float(10 ** rng.uniform(-3, 2)) if alpha is None else alpha
    if n_classes == "labels":
        y = rng.integers(0, 2, size=(n_docs, 3))
        y[0, 0] = 1 - y[-1, 0]
    else:
        y = np.arange(n_docs) % min(n_classes, n_docs)
    X = csr_array(X)
    full = RLSClassifier(alpha=alpha, fit_intercept=intercept).fit(X, y).model_
    small = model_behind(reduction, X, y, alpha, fit_intercept=intercept)
    H = rng.poisson(0.8, size=(12, n_terms)).astype(float)
    H[:3] = rng.random((3, n_docs)) @ X.toarray()
    return X, y, reduction, alpha, full, small, csr_array(H)


def check_no_certificate_is_violated(X, y, reduction, alpha, full, small, H, rng):
    """Every inequality of the certificate, at random documents, beyond 1e-9 relative."""
    certificate = certify(full, small, X, y, reduction, alpha, H, 0.8)
    dense = H.toarray()
    change = small.decision(H) - full.decision(H)
    lengths = np.linalg.norm(dense, axis=1)[:, None]
    room = 1e-9 * (1 + np.abs(full.decision(H)).max() + np.abs(small.decision(H)).max())
    suprema = certificate.suprema
    assert (change <= lengths * suprema.up + room).all()
    assert (-change <= lengths * suprema.down + room).all()
    queries = rng.normal(size=(20, X.shape[1]))
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    anywhere = np.abs(small.decision(queries) - full.decision(queries))
    assert (anywhere <= np.array(suprema.everywhere) + room).all()
    assert (np.array(suprema.floor) <= np.array(suprema.everywhere) + room).all()
    assert (np.array(suprema.floor_any) <= np.array(suprema.floor) + room).all()
    check_interval(small, full, dense, lengths, room)
    if isinstance(certificate.span, NotComputed):
        assert "ill-conditioned" in certificate.span.reason or "not 0" in certificate.span.reason
        return certificate
    check_span(certificate, X, full, small, rng)
    check_queries(certificate, change, room)
    return certificate


def check_interval(small, full, documents, lengths, room):
    terms = small.terms
    low, high = np.moveaxis(
        serving_interval(full, terms, documents[:, terms], lengths.ravel()), -1, 0
    )
    values = full.decision(documents)
    assert (low - room <= values).all()
    assert (values <= high + room).all()


def check_span(certificate, X, full, small, rng):
    U, _, _ = span_by_svd(X.toarray())
    change = small.decision(np.eye(X.shape[1])) - full.decision(np.eye(X.shape[1]))
    inside = U @ rng.normal(size=(U.shape[1], 20))
    outside = rng.normal(size=(X.shape[1], 20))
    outside -= U @ (U.T @ outside)
    for documents, most in ((inside, certificate.span.inside), (outside, certificate.span.outside)):
        found = np.abs(change.T @ documents) / np.maximum(np.linalg.norm(documents, axis=0), 1e-3)
        assert (found <= np.array(most)[:, None] * (1 + 1e-9) + 1e-9).all()


def check_queries(certificate, change, room):
    bounds, in_span = certificate.query_bounds, certificate.in_span
    assert bounds is not None, certificate.in_span
    assert in_span.attained <= in_span.bound * (1 + 1e-9) + room
    np.testing.assert_allclose(bounds.change, np.abs(change), atol=room)
    total = (bounds.in_span + bounds.off_span)[:, None]
    assert (bounds.change <= total * (1 + 1e-9) + room).all()
    assert (bounds.in_span_change <= bounds.in_span[:, None] * (1 + 1e-9) + room).all()
    assert (bounds.change <= bounds.theorem_1 * (1 + 1e-9) + room).all(), "repaired Theorem 1"
    printed = bounds.theorem_1_printed[:, None] * (1 + 1e-9) + room
    premise = bounds.epsilon <= 0.5
    assert (bounds.change <= printed)[premise].all(), "Theorem 1 for λ > 0 survives"
    assert (bounds.theorem_1 <= printed)[premise].all()
    if in_span.premise:
        assert (bounds.in_span_change <= bounds.theorem_2 * (1 + 1e-9) + room).all(), "Theorem 2"


@settings(max_examples=300)
@given(counts(max_docs=10, max_terms=9), st.integers(0, 10**6), st.sampled_from([2, 3, "labels"]))
def test_no_certificate_is_violated(X, seed, n_classes):
    if X.shape[0] < 2 or X.shape[1] < 1:
        X = np.vstack([X, X])
    check_no_certificate_is_violated(*case(seed, n_classes, X), RNG(seed))


@pytest.mark.slow
def test_no_certificate_is_violated_in_ten_thousand_cases():
    for seed in range(10_000):
        n_classes = (2, 3, "labels")[seed % 3]
        check_no_certificate_is_violated(*case(seed, n_classes), RNG(seed))


def test_the_cases_reach_every_theorem():
    """The test above would prove nothing if the premises were never met."""
    premise, strict, computed = 0, 0, 0
    for seed in range(60):
        certificate = check_no_certificate_is_violated(*case(seed), RNG(seed))
        computed += certificate.query_bounds is not None
        premise += (certificate.query_bounds.epsilon <= 0.5).any()
        strict += certificate.in_span.m < 1e-12
    assert (premise >= 5, strict >= 5, computed >= 50) == (True, True, True)


@pytest.mark.parametrize("n_classes", [2, 3, "labels"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_every_supremum_is_attained(n_classes, intercept, seed):
    X, _, _, _, full, small, _ = case(seed, n_classes, intercept=intercept)
    certificate = certify(full, small, X)
    D = of.dense(small.coef) - of.dense(full.coef)
    b = small.intercept - full.intercept
    U, _, _ = span_by_svd(X.toarray())

    def value(documents):
        change = small.decision(documents) - full.decision(documents)
        return np.diag(change) if len(documents) > 1 else change[0]

    away = np.where(b < 0, -1.0, 1.0)[:, None]
    for found, directions in (
        (certificate.suprema.everywhere, away * unit(D)),
        (certificate.span.inside, away * unit(D @ U @ U.T)),
        (certificate.span.outside, away * unit(D - D @ U @ U.T)),
    ):
        np.testing.assert_allclose(np.abs(value(directions)), found, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(value(unit(np.maximum(D, 0))), certificate.suprema.up, atol=1e-9)
    np.testing.assert_allclose(-value(unit(np.maximum(-D, 0))), certificate.suprema.down, atol=1e-9)


@pytest.mark.parametrize("square", [4.0, 0.25])
def test_the_in_span_bound_is_sharp(square):
    """Documents e₁, e₂ of length σ, weights √M, λ = √M·σ² and a ∝ y: equality."""
    sigma = 3.0
    X, y = csr_array(sigma * np.eye(2, 4)), np.array([0, 1])
    reduction = Selection([0, 1], np.full(2, np.sqrt(square)), 4)
    alpha = np.sqrt(square) * sigma**2
    full = RLSClassifier(alpha=alpha).fit(X, y).model_
    small = model_behind(reduction, X, y, alpha)
    part = certify(full, small, X, y, reduction, alpha).in_span
    assert (part.m, part.M) == pytest.approx((square, square))
    assert part.factor == pytest.approx(1 / 3, rel=1e-9)
    a = np.array([[-1.0, 1.0]])
    change = abs((small.decision(a @ X) - full.decision(a @ X)).item())
    assert change == pytest.approx(part.bound * np.linalg.norm(a), rel=1e-6)
    assert part.attained == pytest.approx(part.bound, rel=1e-6)


def test_the_models_are_the_papers():
    X, y, reduction, alpha, _, small, _ = case(3, 2)
    T = np.zeros((X.shape[1], reduction.size))
    T[reduction.terms, np.arange(reduction.size)] = reduction.weights
    signs = np.where(y == 1, 1.0, -1.0)
    expected = rls_in_dual(X.toarray(), T, signs, alpha)
    np.testing.assert_allclose(small.coef.toarray()[0], expected, atol=1e-10)


def test_theorems_at_alpha_0_hold_for_least_norm_models():
    """λ = 0, which certify leaves out: in-span 0, off-span ε/(1−ε)·‖β‖‖y‖/σ_min (D1)."""
    rng = RNG(5)
    for _ in range(50):
        X = csr_array(rng.normal(size=(4, 12)))
        reduction = Selection(np.arange(12), rng.uniform(0.85, 1.15, 12), 12)
        y = np.array([0, 1, 0, 1])
        full = RLSClassifier(alpha=0).fit(X, y).model_
        small = model_behind(reduction, X, y, 0.0)
        span = spans.Span.of(X)
        reduced = spans.Reduced(span, reduction.apply)
        spectrum = spans.Spectrum.of(reduced)
        assert spectrum.m > 0
        np.testing.assert_allclose(small.decision(X), full.decision(X), atol=1e-9)
        Q = rng.normal(size=(5, 12))
        u = span.coordinates(Q)
        rest = of.lengths(span.outside(Q))
        crossed = of.lengths(reduced.crossed(Q) - u @ reduced.gram)
        change = np.abs(small.decision(Q) - full.decision(Q)).ravel()
        epsilon = spans.query_epsilon(crossed, rest, spectrum.epsilon, np.zeros(5))
        assert (spans.repaired_20(epsilon, spectrum, 0.0) == 0).all()
        assert (change <= spans.repaired_21(epsilon, spectrum, 0.0) * rest * 2 * (1 + 1e-9)).all()


@pytest.mark.parametrize(
    ("squares", "epsilon", "premise"), [([1.4, 0.7], 0.4, True), ([1.6, 0.7], 0.6, False)]
)
def test_known_eigenvalues_come_through(squares, epsilon, premise):
    """U = e₁, e₂ in the words 0 and 1; word 2 is never seen, and read by nobody."""
    X = csr_array(np.array([[2.0, 0, 0], [0, 0.5, 0]]))
    reduction = Selection([1, 0], np.sqrt(squares), 3)
    y = [0, 1]
    full = RLSClassifier(alpha=0.3).fit(X, y).model_
    small = model_behind(reduction, X, y, 0.3)
    held_out = np.array([[1.0, 0.5, 0], [0, 0, 1]])
    certificate = certify(full, small, X, y, reduction, 0.3, held_out)
    part = certificate.in_span
    assert (part.m, part.M, part.epsilon) == pytest.approx((0.7, squares[0], epsilon))
    assert (part.condition, part.sigma_min, part.sigma_max) == pytest.approx((4, 0.5, 2))
    assert (part.rank, part.premise) == (2, premise)
    assert certificate.queries.premise_share == float(premise)


def test_the_attained_change_is_that_of_the_worst_class():
    X, y, reduction, alpha, full, small, _ = case(5)
    part = certify(full, small, X, y, reduction, alpha).in_span
    change = small.decision(X) - full.decision(X)
    assert part.attained == pytest.approx(np.linalg.norm(change, axis=0).max())


def test_queries_come_in_blocks(monkeypatch):
    X, y, reduction, alpha, full, small, H = case(5)
    whole = certify(full, small, X, y, reduction, alpha, H).query_bounds
    monkeypatch.setattr("laconic.certificate.spectral.BLOCK", 5)
    blocks = certify(full, small, X, y, reduction, alpha, H).query_bounds
    for name, values in vars(whole).items():
        np.testing.assert_allclose(getattr(blocks, name), values, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape", [(4, 9), (9, 4)])
def test_what_is_the_same_for_all_blocks_is_computed_once(monkeypatch, shape):
    """Each further block costs one projection and one reduction, of its own queries."""
    X, y, reduction, alpha, full, small, H = case(5, X=RNG(5).random(shape))
    calls = []

    def counted(owner, name):
        method = getattr(owner, name)

        def counting(self, given, *rest):
            calls.append((name, given.shape[0]))
            return method(self, given, *rest)

        monkeypatch.setattr(owner, name, counting)

    for owner, name in (
        (spans.Span, "coordinates"),
        (spans.Span, "on_documents"),
        (type(reduction), "apply"),
    ):
        counted(owner, name)
    eigenvalues = spans.linalg.eigvalsh

    def counting_eigenvalues(M, **options):
        calls.append(("eigvalsh", len(M)))
        return eigenvalues(M, **options)

    monkeypatch.setattr(spans.linalg, "eigvalsh", counting_eigenvalues)
    certify(full, small, X, y, reduction, alpha, H)
    once = calls.copy()
    assert [name for name, _ in once].count("eigvalsh") == 2, "of M̂, and of U'S²U − M̂²"
    calls.clear()
    monkeypatch.setattr("laconic.certificate.spectral.BLOCK", 6)
    certify(full, small, X, y, reduction, alpha, H)
    of_queries = [("coordinates", 6), ("apply", 6)]
    others = [each for each in once if each[1] != 12]
    assert sorted(calls) == sorted(others + 2 * of_queries)


@pytest.mark.parametrize("n_classes", [2, 3, "labels"])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_change_of_each_held_out_document_needs_no_training_facts(n_classes, intercept):
    X, _, _, _, full, small, H = case(4, n_classes, intercept=intercept)
    certificate = certify(full, small, X, held_out=H, span_limit=0)
    part, (D, b) = certificate.changes, (small.coef - full.coef, small.intercept - full.intercept)
    exact = np.abs(H.toarray() @ of.dense(D).T + b)
    np.testing.assert_allclose(part.per_document, exact, atol=1e-12)
    worst = part.per_document.max(axis=1)
    assert (part.n_documents, part.median, part.largest) == (12, np.median(worst), worst.max())
    assert part.median < part.largest
    assert certify(full, small, X, held_out=H[:1]).changes.n_documents == 1, "no least number"
    assert certify(full, small, X).changes.reason == "needs held_out documents"
    said = f"by {part.median:.3g} in the median and by {part.largest:.3g} at most (exact)"
    assert said in certificate.summary()
    assert "per_document" not in repr(certificate)
    assert {k for k in certificate.as_dict() if k.startswith("changes")} == {
        "changes.n_documents",
        "changes.median",
        "changes.largest",
    }


@pytest.mark.parametrize("n_classes", [2, 3, "labels"])
@pytest.mark.parametrize("seed", range(8))
def test_the_worst_case_share_counts_documents_that_cannot_flip(n_classes, seed):
    X, _, _, _, full, _, H = case(seed, n_classes)
    near = LinearModel(
        of.dense(full.coef) + 0.02 * RNG(seed).normal(size=full.coef.shape),
        full.intercept + 0.01,
        full.classes,
        full.size,
        rule=full.rule,
    )
    part = certify(full, near, X, held_out=H).worst_case
    D, b = near.coef - full.coef, near.intercept - full.intercept
    safe = of.cannot_change(near.decision(H), D, b, of.lengths(H), full.rule, True)
    assert (part.documents, part.n_documents) == ("held-out", H.shape[0])
    assert (part.certified, part.nonnegative) == (safe.sum(), True)
    assert not of.changed(full.decision(H), near.decision(H), full.rule)[safe].any()
    assert certify(full, near, X).worst_case.documents == "training"
    both = certify(full, near, X, held_out=csr_array(np.vstack([H.toarray(), -H.toarray()])))
    assert both.worst_case.nonnegative is False


def test_the_worst_case_of_equal_models_is_every_clear_decision():
    X, _, _, _, full, _, H = case(1)
    part = certify(full, full, X, held_out=H).worst_case
    assert part.certified == (of.margin(full.decision(H), "argmax") > 1e-9).sum() > 0


def held_out_numbers(rule_classes):
    X, _, _, _, full, small, _ = case(4, rule_classes)
    H = csr_array(RNG(0).poisson(0.8, size=(40, X.shape[1])).astype(float))
    return full, small, H, certify(full, small, X, held_out=H, confidence=0.8).held_out


@pytest.mark.parametrize("n_classes", [2, 3, "labels"])
def test_the_held_out_part_is_what_it_says(n_classes):
    full, small, H, part = held_out_numbers(n_classes)
    f, g = full.decision(H), small.decision(H)
    differ = np.asarray(full.predict(H) != small.predict(H)).reshape(40, -1).any(axis=1)
    assert (part.n_documents, part.flips) == (40, differ.sum())
    assert part.decision_bound == np.sort(np.abs(f - g).max(axis=1))[33 - 1], "⌈41·0.8⌉ = 33"
    loss = of.margin_loss(f, g, full.rule)
    assert part.margin_bound == np.sort(loss)[33 - 1]
    certified = of.margin(g, full.rule) > part.margin_bound
    assert (part.certified, part.certified_flips) == (certified.sum(), (certified & differ).sum())
    assert part.flip_limit == of.rate_limit(part.flips, 40, 0.8)
    outlasts = part.decision_bound * (2 if n_classes == 3 else 1)
    clear = of.margin(g, full.rule) > outlasts
    assert (part.clear, part.clear_flips) == (clear.sum(), (clear & differ).sum())


def test_the_medians_are_those_of_the_queries():
    X, y, reduction, alpha, full, small, H = case(5)
    certificate = certify(full, small, X, y, reduction, alpha, H)
    bounds, told = certificate.query_bounds, certificate.queries
    assert told.median_bound == np.median(bounds.in_span + bounds.off_span)
    assert told.median_change == np.median(bounds.change.max(axis=1))
    assert told.premise_share == np.mean(bounds.epsilon <= 0.5)
    f = np.abs(full.decision(H))
    known = f > 1e-9
    relative = 2 * certificate.in_span.epsilon * certificate.in_span.condition * bounds.gamma * f
    np.testing.assert_allclose(bounds.theorem_2[known], relative[known])
    _, sigma, V = span_by_svd(X.toarray())
    a = np.linalg.lstsq(X.T.toarray(), H.T.toarray(), rcond=None)[0]
    signs = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    shrunk = np.linalg.norm((V.T @ a) / (1 + alpha / sigma[:, None] ** 2), axis=0)
    aligned = np.outer(shrunk, np.linalg.norm(V.T @ signs, axis=0))
    np.testing.assert_allclose(bounds.gamma[known], (aligned / np.maximum(f, 1e-300))[known])


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


@pytest.mark.parametrize("closed", ["full", "small"])
def test_a_kept_model_has_the_parts_from_held_out_documents_and_of_its_reduction(closed):
    X, y, reduction, alpha, full, small, H = case(2)
    models = {"full": full, "small": small}
    models[closed] = replace(models[closed], norm="kept")
    certificate = certify(**models, X=X, y=y, reduction=reduction, alpha=alpha, held_out=H)
    for name, part in certificate.parts().items():
        absent = name not in ("held_out", "changes", "distortion")
        assert isinstance(part, NotComputed) == absent
        assert not absent or "'kept'" in part.reason
    open_pair = certify(full, small, X, y, reduction, alpha)
    assert certificate.distortion == open_pair.distortion, "it does not depend on any model"
    assert vars(certificate.distortion).items() <= vars(open_pair.in_span).items()
    without = certify(**models, X=X, held_out=H)
    assert "give also the reduction" in without.distortion.reason
    assert "'kept'" in without.in_span.reason
    change = models["small"].decision(H) - models["full"].decision(H)
    np.testing.assert_array_equal(certificate.changes.per_document, np.abs(change))
    assert certificate.held_out.decision_bound <= np.abs(change).max()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"y": None}, "give also y"),
        ({"reduction": None, "alpha": None}, "give also reduction, alpha"),
        ({"alpha": 0.0}, "must be positive"),
        ({"alpha": 0.7}, "full model is not RLS with alpha=0.7"),
        ({"reduction": Selection([0], None, 9)}, "small model is not RLS"),
        ({"y": [1, 2, 0, 1, 2, 0]}, "full model is not RLS"),
        ({"span_limit": 4}, "6 × 9, and its span is computed up to a smaller side of 4"),
    ],
)
def test_a_premise_that_is_not_met_is_named(changes, says):
    X = RNG(0).poisson(1.0, size=(6, 9)) + 0.1
    X, y, reduction, alpha, full, small, H = case(10, 3, X, alpha=1.5)
    told = {"y": y, "reduction": reduction, "alpha": alpha, "held_out": H} | changes
    certificate = certify(full, small, X, **told)
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
    with pytest.raises(LaconicError, match="shorter than their chosen part"):
        serving_interval(full, [0], np.array([[1.5]]))
    with pytest.raises(LaconicError, match="distinct"):
        serving_interval(full, [0, 0], np.array([[0.1, 0.1]]))
    with pytest.raises(LaconicError, match="norm 'document'"):
        serving_interval(replace(full, norm="kept"), [0], np.array([[0.1]]))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_certificate_is_flat_and_speaks(n_classes):
    X, y = text_like(80, 200, n_classes)
    full = RLSClassifier().fit(X[:60], y[:60]).model_
    method = ReduceThenFit(TopTerms(), RLSClassifier(), size=40).fit(X[:60], y[:60])
    reduction = TopTerms().fit(X[:60], y[:60]).at(40)
    certificate = certify(full, method.model_, X[:60], y[:60], reduction, 1.0, X[60:])
    flat = json.loads(json.dumps(certificate.as_dict(), allow_nan=False))
    assert flat["in_span.m"] == certificate.in_span.m
    assert flat["held_out.flips"] == certificate.held_out.flips
    assert len(flat["suprema.everywhere"]) == len(flat["rows"]) == (1 if n_classes == 2 else 4)
    assert flat["suprema.kept"] == [40] * len(flat["rows"])
    assert flat["queries.median_theorem_1"] is None, "40 words of rank 60: ε = 1, no theorem"
    assert all(isinstance(v, int | float | str | bool | list | None) for v in flat.values())
    said = certificate.summary()
    assert "reads 40 of 200 words" in said
    assert "From 20 held-out documents, each at confidence 90%: no decision value" in said
    assert "does not hold: ε = 1" in said
    assert "nothing (ε ≥ 1)" in said
    assert "not computed" not in said


@pytest.fixture(scope="module")
def newsgroups(corpora):
    return next(Problem.expand(load_corpus("20news-bydate")))


def coverage(problem, n_train, n_held_out, n_next, splits, size=2_000, confidence=0.9):
    """Shares of next documents within the bounds, certified, certified but flipped."""
    X, y = problem.X_train, problem.y_train
    chosen = RNG(0).permutation(X.shape[0])
    train, pool = chosen[:n_train], chosen[n_train:]
    full = RLSClassifier().fit(X[train], y[train]).model_
    small = ReduceThenFit(TopTerms(), RLSClassifier(), size=size).fit(X[train], y[train]).model_
    f, g = full.decision(X[pool]), small.decision(X[pool])
    flips, margin = of.changed(f, g, "argmax"), of.margin(g, "argmax")
    largest, loss = np.abs(f - g).max(axis=1), of.margin_loss(f, g, "argmax")
    rows = []
    for seed in range(splits):
        order = RNG(seed + 1).permutation(pool.size)
        seen, fresh = order[:n_held_out], order[n_held_out : n_held_out + n_next]
        part = certify(
            full, small, X[train], held_out=X[pool[seen]], confidence=confidence, span_limit=0
        ).held_out
        certified = margin[fresh] > part.margin_bound
        rows.append(
            (
                (largest[fresh] <= part.decision_bound).mean(),
                (loss[fresh] <= part.margin_bound).mean(),
                certified.mean(),
                (flips[fresh] & certified).mean(),
                flips.mean() <= part.flip_limit,
            )
        )
    return np.array(rows)


def check_coverage(rows, n_held_out, n_next, confidence=0.9):
    """Coverage of a split has variance about c(1−c)(1/(n+2) + 1/n'), of their mean no more.

    Splits share a pool, so the standard error of the mean is taken as that of one split: three of
    them below nominal is a false alarm of at most 0.1 %. A bound at rank (n+1)(c − 0.05) goes red.
    The flip limit fails in more than 5 of 12 splits with a probability of P(Bin(12, 0.1) > 5) <
    0.1 %; what is certified and flips is at most 1 − c, and on text far less.
    """
    error = np.sqrt(confidence * (1 - confidence) * (1 / (n_held_out + 2) + 1 / n_next))
    for mean in rows[:, :2].mean(axis=0):
        assert confidence - 3 * error <= mean <= confidence + 3 * error + 1 / n_held_out
    assert rows[:, 4].mean() >= 7 / 12
    assert rows[:, 3].mean() <= (1 - confidence) / 2


@pytest.mark.corpus
def test_conformal_coverage_on_newsgroups(newsgroups):
    rows = coverage(newsgroups, n_train=1_200, n_held_out=1_000, n_next=4_000, splits=12)
    check_coverage(rows, 1_000, 4_000)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("size", [500, 2_000, 5_000])
def test_conformal_coverage_on_more_newsgroups(newsgroups, size):
    rows = coverage(newsgroups, 4_000, 3_000, 4_000, splits=30, size=size)
    check_coverage(rows, 3_000, 4_000)
