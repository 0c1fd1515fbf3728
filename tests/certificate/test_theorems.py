"""No statement of a certificate is violated, every exact one is attained."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from laconic import RLSClassifier, Selection
from laconic.certificate import certify
from laconic.numerics.bounds import span as spans
from laconic.numerics.bounds import suprema as of
from tests.certificate.cases import RNG, case, check_no_certificate_is_violated, model_behind, unit
from tests.oracles import rls_in_dual, span_by_svd
from tests.strategies import counts


@pytest.mark.full
@settings(max_examples=300)
@given(counts(max_docs=10, max_terms=9), st.integers(0, 10**6), st.sampled_from([2, 3, "labels"]))
@pytest.mark.filterwarnings("ignore:. of .* labels occur in")
def test_no_certificate_is_violated(X, seed, n_classes):
    if X.shape[0] < 2 or X.shape[1] < 1:
        X = np.vstack([X, X])
    check_no_certificate_is_violated(*case(seed, n_classes, X), RNG(seed))


@pytest.mark.slow
def test_no_certificate_is_violated_in_ten_thousand_cases():
    for seed in range(10_000):
        n_classes = (2, 3, "labels")[seed % 3]
        check_no_certificate_is_violated(*case(seed, n_classes), RNG(seed))


@pytest.mark.full
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
    y_signed = np.where(y == 1, 1.0, -1.0)
    expected = rls_in_dual(X.toarray(), T, y_signed, alpha)
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
