from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array
from scipy.stats import binomtest, ortho_group

from laconic.numerics import bounds as of
from tests.oracles import (
    cannot_change_by_pairs,
    conformal_by_counting,
    floor_by_subsets,
    span_by_svd,
)
from tests.strategies import counts

RULES = ("sign", "argmax", "labels")
values = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0])


def matrices(max_rows=4, max_columns=6, min_rows=1):
    shape = st.tuples(st.integers(min_rows, max_rows), st.integers(1, max_columns))
    return shape.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=values))


@given(matrices(), st.integers(0, 10**6))
def test_the_reach_over_text_is_attained_and_never_exceeded(D, seed):
    reach = of.reach(D)
    for row, most in zip(D, reach, strict=True):
        best = np.maximum(row, 0)
        length = np.linalg.norm(best)
        assert row @ (best / length if length else best) == pytest.approx(most)
    Q = np.abs(np.random.default_rng(seed).normal(size=(50, D.shape[1])))
    Q /= np.linalg.norm(Q, axis=1, keepdims=True)
    assert (reach + 1e-12 >= Q @ D.T).all()


@given(matrices(), st.data())
def test_no_selection_of_as_many_words_is_nearer_than_the_floor(w, data):
    size = data.draw(st.integers(0, w.shape[1]))
    kept = np.zeros(w.shape, dtype=bool)
    kept[:, data.draw(st.permutations(range(w.shape[1])))[:size]] = True
    floor_any = of.tail(w, kept.sum(axis=1))
    np.testing.assert_allclose(floor_any, [floor_by_subsets(row, size) for row in w])
    floor = of.off_selection(w, kept)
    np.testing.assert_allclose(floor, [np.linalg.norm(r[~k]) for r, k in zip(w, kept, strict=True)])
    assert (floor >= floor_any - 1e-12).all()


@given(matrices(), st.floats(0, 1), st.floats(0, 2))
def test_the_range_of_unseen_words_is_attained(w_off, chosen, more):
    whole = np.hypot(chosen, more)
    ((ends,),) = [of.serving_range(w_off, np.array([chosen]), np.array([whole]))]
    for row, (low, high) in zip(w_off, ends, strict=True):
        for sign, end in ((1, high), (-1, low)):
            part = np.maximum(sign * row, 0)
            rest = np.sqrt(whole**2 - chosen**2)
            q = part / (np.linalg.norm(part) or 1) * rest
            assert row @ q == pytest.approx(end, abs=1e-9)


def margin_by_loops(v, rule):
    if rule == "argmax":
        a = int(np.argmax(v))
        return min(v[a] - v[b] for b in range(len(v)) if b != a)
    return min(abs(each) for each in v)


@pytest.mark.parametrize("rule", RULES)
@given(data=st.data())
def test_a_changed_decision_has_lost_at_least_its_margin(rule, data):
    rows = 1 if rule == "sign" else data.draw(st.integers(2, 4))
    shape = (data.draw(st.integers(1, 8)), rows)
    full, small = (data.draw(hnp.arrays(np.float64, shape, elements=values)) for _ in range(2))
    margin, loss = of.margin(small, rule), of.margin_loss(full, small, rule)
    assert margin.tolist() == [margin_by_loops(v, rule) for v in small]
    flips = of.changed(full, small, rule)
    if rule == "argmax":
        assert flips.tolist() == [
            f.argmax() != s.argmax() for f, s in zip(full, small, strict=True)
        ]
    else:
        assert flips.tolist() == [
            (f > 0).tolist() != (s > 0).tolist() for f, s in zip(full, small, strict=True)
        ]
    assert (loss[flips] >= margin[flips]).all()
    assert (loss <= 2 * np.abs(full - small).max(axis=1)).all()


@pytest.mark.parametrize("rule", RULES)
@given(data=st.data())
def test_the_worst_case_is_that_of_every_pair(rule, data):
    rows = 1 if rule == "sign" else data.draw(st.integers(2, 4))
    n_terms = data.draw(st.integers(1, 4))
    draw = lambda *shape: data.draw(hnp.arrays(np.float64, shape, elements=values))  # noqa: E731
    w, D, b, d = draw(rows, n_terms), 0.3 * draw(rows, n_terms), draw(rows), 0.3 * draw(rows)
    Q = np.abs(draw(5, n_terms))
    small = Q @ (w + D).T + b + d
    safe = of.cannot_change(small, D, d, of.lengths(Q), rule, nonnegative=True)
    # equality of margin and bound is decided by rounding: only clear cases are compared
    for slack, wrong in ((1e-9, ~safe), (-1e-9, safe)):
        expected = [
            cannot_change_by_pairs(v, w, b, w + D, b + d, np.linalg.norm(q), rule, slack)
            for v, q in zip(small, Q, strict=True)
        ]
        assert not (wrong & (np.array(expected) == (slack > 0))).any()
    assert not of.changed(Q @ w.T + b, small, rule)[safe].any()
    both = of.cannot_change(small, D, d, of.lengths(Q), rule, nonnegative=False)
    assert (safe | ~both).all(), "documents with negative entries can do more harm"


@given(st.lists(st.sampled_from([0.0, 0.1, 0.1, 0.7, 2.0]), min_size=1, max_size=30), st.data())
def test_the_conformal_bound_counts(scores, data):
    confidence = data.draw(st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.97]))
    bound = of.conformal_bound(np.array(scores), confidence)
    assert bound == conformal_by_counting(scores, confidence)
    assert np.isfinite(bound) == (len(scores) >= of.documents_needed(confidence))


@pytest.mark.parametrize(
    ("confidence", "needed"), [(0.5, 1), (0.9, 9), (0.95, 19), (0.99, 99), (0.8, 4), (0.85, 6)]
)
def test_documents_needed(confidence, needed):
    assert of.documents_needed(confidence) == needed
    assert np.isfinite(of.conformal_bound(np.zeros(needed), confidence))
    assert np.isinf(of.conformal_bound(np.zeros(needed - 1), confidence))


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
@pytest.mark.parametrize(
    ("hits", "trials"), [(0, 1), (0, 50), (1, 50), (17, 50), (49, 50), (50, 50)]
)
def test_the_rate_limit_is_clopper_and_pearsons(hits, trials, confidence):
    test = binomtest(hits, trials, alternative="less")
    peer = test.proportion_ci(confidence, method="exact").high
    assert of.rate_limit(hits, trials, confidence) == pytest.approx(peer, rel=1e-9)


@given(counts(max_docs=8, max_terms=9), st.integers(0, 99))
def test_the_span_is_that_of_the_svd(X, seed):
    """Both ways round, with empty and repeated documents."""
    if not X.any():
        return
    rng = np.random.default_rng(seed)
    U, sigma, V = span_by_svd(X)
    weights = rng.random(X.shape[1])
    T = np.diag(weights)
    D, Y = rng.normal(size=(3, X.shape[1])), rng.normal(size=(X.shape[0], 2))
    for matrix in (csr_array(X), X):
        span = of.Span.of(matrix)
        assert span.rank == sigma.size
        assert span.doubtful == 0
        np.testing.assert_allclose(span.sigma, sigma, rtol=1e-9)
        np.testing.assert_allclose(of.lengths(span.coordinates(D)), of.lengths(D @ U))
        np.testing.assert_allclose(span.outside(D), D - D @ U @ U.T, atol=1e-12)
        np.testing.assert_allclose(of.lengths(span.on_documents(Y).T), of.lengths(Y.T @ V))
        reduced = of.Reduced(span, lambda rows: rows @ T)
        eigenvalues = np.linalg.eigvalsh(U.T @ T @ T @ U)
        np.testing.assert_allclose(np.linalg.eigvalsh(reduced.gram), eigenvalues, atol=1e-9)
        crossed = of.lengths(reduced.crossed(D))
        np.testing.assert_allclose(crossed, of.lengths(D @ T @ T @ U), atol=1e-9)
        assert span.scaled is span.scaled, "the same for every block of queries"
        assert reduced.gram is reduced.gram


def rotated(sigma, M_diagonal, n_docs, n_terms, seed=0):
    """X' = U Σ V' and squared weights with U'SU = diag(M_diagonal), all known.

    Direction i lives on the words 2i and 2i+1 with weights that average to the given eigenvalue.
    """
    rank = len(sigma)
    U, squares = np.zeros((n_terms, rank)), np.ones(n_terms)
    for i, eigenvalue in enumerate(M_diagonal):
        U[[2 * i, 2 * i + 1], i] = 0.6, 0.8
        squares[[2 * i, 2 * i + 1]] = eigenvalue / 0.36, 0.0
    V = ortho_group.rvs(n_docs, random_state=seed)[:, :rank]
    return V @ np.diag(sigma) @ U.T, squares


@pytest.mark.parametrize("n_docs", [3, 5, 40])
def test_a_known_spectrum_is_found(n_docs):
    sigma, eigenvalues = np.array([20.0, 5.0, 0.1]), [0.7, 1.9, 0.25]
    X, squares = rotated(sigma, eigenvalues, n_docs, 12)
    span = of.Span.of(csr_array(X))
    spectrum = of.Spectrum.of(of.Reduced(span, lambda rows: rows * np.sqrt(squares)))
    assert span.rank == 3
    assert spectrum.m == pytest.approx(0.25, rel=1e-9)
    assert pytest.approx(1.9, rel=1e-9) == spectrum.M
    assert spectrum.epsilon == pytest.approx(0.9, rel=1e-9)
    assert spectrum.condition == pytest.approx(200, rel=1e-9)
    assert (spectrum.sigma_min, spectrum.sigma_max) == pytest.approx((0.1, 20), rel=1e-9)


def test_what_lies_in_an_ill_conditioned_span_has_nothing_outside():
    """U'U is I up to 10⁻¹⁶κ² only: one projection would leave 10⁻⁹ of D, as if it were there."""
    sigma = np.array([1.0, 3e-2, 1e-3, 1e-4])
    X, _ = rotated(sigma, np.ones(4), 4, 12)
    span = of.Span.of(csr_array(X))
    assert (span.rank, span.doubtful) == (4, 0)
    U, _, _ = span_by_svd(X)
    assert of.lengths(span.outside(U.T)).max() < 1e-11


def test_a_matrix_beyond_double_precision_is_doubtful():
    X, _ = rotated(np.array([1.0, 1e-6]), [1.0, 1.0], 4, 8)
    assert of.Span.of(csr_array(X)).doubtful == 1


def test_the_factors_at_known_places():
    def spectrum(m, M, low=1.0, high=1.0):
        return of.Spectrum(m, M, low, high, 0.0)

    assert spectrum(0.25, 1).in_span_factor == pytest.approx(1 / 3)
    assert spectrum(1, 4).in_span_factor == pytest.approx(1 / 3)
    assert spectrum(0.5, 9).in_span_factor == pytest.approx(1 / 2)
    assert spectrum(0.0, 1).in_span_factor == 1.0
    assert spectrum(1.0, 1.0).in_span_factor == 0.0
    # λ within the spectrum of Δ: 1/(2√(λm)); below it: σ_min/(mσ²_min + λ); m = 0: σ_max/λ
    assert spectrum(0.25, 1, 1, 10).off_span_factor(1.0) == pytest.approx(1.0)
    assert spectrum(0.25, 1, 2, 10).off_span_factor(0.5) == pytest.approx(2 / 1.5)
    assert spectrum(0.0, 1, 1, 10).off_span_factor(4.0) == pytest.approx(2.5)


@given(st.integers(0, 10**6), st.sampled_from([1e-3, 0.1, 1.0, 30.0]), st.integers(1, 5))
def test_the_factors_bound_the_operators_they_stand_for(seed, alpha, rank):
    """‖g(K̃) − g(K)‖ and ‖Σ(Δ + λI)⁻¹‖ for random Σ and M̂, and the forms of ERRATA F."""
    rng = np.random.default_rng(seed)
    sigma = np.sort(10 ** rng.uniform(-1, 1, rank))[::-1]
    root = rng.normal(size=(rank, rank)) * rng.choice([0.2, 1.0])
    M_hat = root @ root.T
    low, *_, high = [*np.linalg.eigvalsh(M_hat), np.linalg.eigvalsh(M_hat)[-1]]
    spectrum = of.Spectrum(max(low, 0.0), high, sigma[-1], sigma[0], 0.0)
    K, delta = np.diag(sigma**2), np.diag(sigma) @ M_hat @ np.diag(sigma)
    inverse = np.linalg.inv(delta + alpha * np.eye(rank))
    change = delta @ inverse - K @ np.linalg.inv(K + alpha * np.eye(rank))
    assert np.linalg.norm(change, 2) <= spectrum.in_span_factor * (1 + 1e-9) + 1e-12
    off = spectrum.off_span_factor(alpha)
    assert np.linalg.norm(np.diag(sigma) @ inverse, 2) <= off * (1 + 1e-9)
    if spectrum.m > 1e-9:
        simple = min(1 / (2 * np.sqrt(alpha * spectrum.m)), 1 / (spectrum.m * sigma[-1]))
        assert off <= simple * (1 + 1e-9)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 1e-3, 0.1, 1.0, 30.0]), st.integers(1, 5))
def test_the_repaired_equations_bound_the_operators_they_stand_for(seed, alpha, rank):
    """(20): Ψ = λΣ⁻¹Φ(Σ² + λI + λΦ)⁻¹Σ; (21): Σ(Δ + λI)⁻¹, for every ε < 1."""
    rng = np.random.default_rng(seed)
    sigma = np.sort(10 ** rng.uniform(-1, 1, rank))[::-1]
    E = rng.normal(size=(rank, rank))
    E = (E + E.T) / np.linalg.norm(E + E.T, 2)
    epsilon = rng.uniform(0.01, 0.95)
    M_hat = np.eye(rank) + epsilon * E
    spectrum = of.Spectrum(*np.linalg.eigvalsh(M_hat)[[0, -1]], sigma[-1], sigma[0], 0.0)
    phi = np.linalg.inv(M_hat) - np.eye(rank)
    inner = np.diag(sigma**2) + alpha * np.eye(rank) + alpha * phi
    psi = alpha * np.diag(1 / sigma) @ phi @ np.linalg.inv(inner) @ np.diag(sigma)
    prefactor = float(of.repaired_20(epsilon, spectrum, alpha))
    assert np.linalg.norm(psi, 2) <= prefactor * (1 + 1e-9) + 1e-12
    assert prefactor <= epsilon * spectrum.condition * (1 + 1e-12), "so that 2εκ of (10) survives"
    delta = np.diag(sigma) @ M_hat @ np.diag(sigma) + alpha * np.eye(rank)
    off = float(of.repaired_21(epsilon, spectrum, alpha))
    assert epsilon * np.linalg.norm(np.diag(sigma) @ np.linalg.inv(delta), 2) <= off * (1 + 1e-9)


def test_without_epsilon_below_one_there_is_no_theorem():
    spectrum = of.Spectrum(0.0, 1.0, 1.0, 2.0, 0.0)
    epsilon, aligned, outside = np.array([0.5, 1.0, np.inf]), np.zeros((3, 2)), np.zeros(3)
    found = of.theorem_1(epsilon, spectrum, 1.0, aligned, outside)
    assert found.tolist() == [[0.0, 0.0], [np.inf, np.inf], [np.inf, np.inf]]
    printed = of.theorem_1_printed(epsilon, spectrum, np.ones(3), np.full(3, 4.0), 3.0)
    assert printed.tolist() == [2 * 0.5 * 2 * (3 + 4 / 2), 2 * 1.0 * 2 * (3 + 4 / 2), np.inf]


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.5])
def test_theorem_1_as_printed_fails_for_one_document_and_two_words(epsilon):
    """λ = 0: the change is exactly ε/(1−ε)·‖β‖‖y‖/σ_min, not at most ε·‖β‖‖y‖/σ_min (D1)."""
    t = epsilon / (1 - epsilon)
    x = np.array([1.0, t]) / np.hypot(1, t)
    S = np.diag([(1 - epsilon) / x[0] ** 2, 0.0])
    rest = np.array([-x[1], x[0]])
    assert x @ S @ x == pytest.approx(1 - epsilon)
    assert abs(x @ S @ rest) == pytest.approx(epsilon), "Lemma 10 holds, with equality"
    change = abs(rest @ S @ x / (x @ S @ x) - rest @ x)
    spectrum = of.Spectrum(1 - epsilon, 1 - epsilon, 1.0, 1.0, 0.0)
    assert change > epsilon * 1.05
    assert change == pytest.approx(float(of.repaired_21(epsilon, spectrum, 0.0)))


def test_a_query_states_its_own_epsilon():
    rest, noise = np.array([1.0, 1.0, 0.0, 0.0, 2.0]), np.full(5, 1e-9)
    crossed = np.array([0.1, 0.6, 1e-15, 0.3, 0.8])
    epsilon = of.query_epsilon(crossed, rest, 0.2, noise)
    assert epsilon.tolist() == [0.2, 0.6, 0.2, np.inf, 0.4]
