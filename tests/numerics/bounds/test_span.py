from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.stats import ortho_group

from laconic.numerics.bounds import span as spans
from laconic.numerics.bounds.suprema import lengths
from tests.oracles import span_by_svd
from tests.strategies import counts


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
        span = spans.Span.of(matrix)
        assert span.rank == sigma.size
        assert span.doubtful == 0
        np.testing.assert_allclose(span.sigma, sigma, rtol=1e-9)
        np.testing.assert_allclose(lengths(span.coordinates(D)), lengths(D @ U))
        np.testing.assert_allclose(span.outside(D), D - D @ U @ U.T, atol=1e-12)
        np.testing.assert_allclose(lengths(span.on_documents(Y).T), lengths(Y.T @ V))
        reduced = spans.Reduced(span, lambda rows: rows @ T)
        eigenvalues = np.linalg.eigvalsh(U.T @ T @ T @ U)
        np.testing.assert_allclose(np.linalg.eigvalsh(reduced.gram), eigenvalues, atol=1e-9)
        crossed = lengths(reduced.crossed(D))
        np.testing.assert_allclose(crossed, lengths(D @ T @ T @ U), atol=1e-9)
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
    span = spans.Span.of(csr_array(X))
    spectrum = spans.Spectrum.of(spans.Reduced(span, lambda rows: rows * np.sqrt(squares)))
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
    span = spans.Span.of(csr_array(X))
    assert (span.rank, span.doubtful) == (4, 0)
    U, _, _ = span_by_svd(X)
    assert lengths(span.outside(U.T)).max() < 1e-11


def test_a_matrix_beyond_double_precision_is_doubtful():
    X, _ = rotated(np.array([1.0, 1e-6]), [1.0, 1.0], 4, 8)
    assert spans.Span.of(csr_array(X)).doubtful == 1


def test_the_factors_at_known_places():
    def spectrum(m, M, low=1.0, high=1.0):
        return spans.Spectrum(m, M, low, high, 0.0)

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
    spectrum = spans.Spectrum(max(low, 0.0), high, sigma[-1], sigma[0], 0.0)
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
    spectrum = spans.Spectrum(*np.linalg.eigvalsh(M_hat)[[0, -1]], sigma[-1], sigma[0], 0.0)
    phi = np.linalg.inv(M_hat) - np.eye(rank)
    inner = np.diag(sigma**2) + alpha * np.eye(rank) + alpha * phi
    psi = alpha * np.diag(1 / sigma) @ phi @ np.linalg.inv(inner) @ np.diag(sigma)
    prefactor = float(spans.repaired_20(epsilon, spectrum, alpha))
    assert np.linalg.norm(psi, 2) <= prefactor * (1 + 1e-9) + 1e-12
    assert prefactor <= epsilon * spectrum.condition * (1 + 1e-12), "so that 2εκ of (10) survives"
    delta = np.diag(sigma) @ M_hat @ np.diag(sigma) + alpha * np.eye(rank)
    off = float(spans.repaired_21(epsilon, spectrum, alpha))
    assert epsilon * np.linalg.norm(np.diag(sigma) @ np.linalg.inv(delta), 2) <= off * (1 + 1e-9)


def test_without_epsilon_below_one_there_is_no_theorem():
    spectrum = spans.Spectrum(0.0, 1.0, 1.0, 2.0, 0.0)
    epsilon, aligned, outside = np.array([0.5, 1.0, np.inf]), np.zeros((3, 2)), np.zeros(3)
    found = spans.theorem_1(epsilon, spectrum, 1.0, aligned, outside)
    assert found.tolist() == [[0.0, 0.0], [np.inf, np.inf], [np.inf, np.inf]]
    printed = spans.theorem_1_printed(epsilon, spectrum, np.ones(3), np.full(3, 4.0), 3.0)
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
    spectrum = spans.Spectrum(1 - epsilon, 1 - epsilon, 1.0, 1.0, 0.0)
    assert change > epsilon * 1.05
    assert change == pytest.approx(float(spans.repaired_21(epsilon, spectrum, 0.0)))


def test_a_query_states_its_own_epsilon():
    rest, noise = np.array([1.0, 1.0, 0.0, 0.0, 2.0]), np.full(5, 1e-9)
    crossed = np.array([0.1, 0.6, 1e-15, 0.3, 0.8])
    epsilon = spans.query_epsilon(crossed, rest, 0.2, noise)
    assert epsilon.tolist() == [0.2, 0.6, 0.2, np.inf, 0.4]


def dense_reduction(rng, X):
    """A random selection of words (or a map of all), as T, as its map, and as the map behind S²."""
    n_terms = X.shape[1]
    size = int(rng.integers(1, n_terms + 1))
    T = np.zeros((n_terms, n_terms))
    terms = rng.permutation(n_terms)[:size]
    T[terms, terms] = rng.uniform(0.3, 3.0, size)
    return T, (lambda rows: rows @ T), (lambda rows: rows @ (T @ T.T))


@given(counts(max_docs=6, max_terms=7), st.integers(0, 10**6))
def test_the_ratio_off_the_span_is_the_norm_of_the_whole_operator(X, seed):
    """‖U'S(I − UU')‖ with everything written out; attained by its singular vector, never passed."""
    if not X.any():
        return
    rng = np.random.default_rng(seed)
    U, _, _ = span_by_svd(X)
    T, apply, squared = dense_reduction(rng, X)
    S, off = T @ T.T, np.eye(X.shape[1]) - U @ U.T
    for matrix in (csr_array(X), X, X.repeat(8, axis=0)):
        span = spans.Span.of(matrix)
        found = spans.off_span_ratio(spans.Reduced(span, apply), spans.Reduced(span, squared))
        assert found == pytest.approx(np.linalg.norm(U.T @ S @ off, 2), abs=1e-5)
        q = off @ np.linalg.svd(U.T @ S @ off)[2][0]
        assert np.linalg.norm(U.T @ S @ q) == pytest.approx(found * np.linalg.norm(q), abs=1e-5)
        others = rng.normal(size=(20, X.shape[1])) @ off
        assert (lengths(others @ S @ U) <= lengths(others) * found + 1e-5).all()


def test_lemma_6_of_paul_and_drineas_fails_for_equal_words():
    """ERRATA E2: 1,000 equal words, rank 1, 40 of them kept: ε̂ = 0, yet the ratio is √24 = 4.9."""
    X = csr_array(np.ones((1, 1000)))
    weights = np.zeros(1000)
    weights[::25] = 5.0
    span = spans.Span.of(X)
    reduced = spans.Reduced(span, lambda rows: rows * weights)
    squared = spans.Reduced(span, lambda rows: rows * weights**2)
    assert spans.Spectrum.of(reduced).epsilon == pytest.approx(0, abs=1e-9)
    assert spans.off_span_ratio(reduced, squared) == pytest.approx(np.sqrt(24))
    q = np.where(weights > 0, 24.0, -1.0)
    assert q.sum() == 0, "orthogonal to the document"
    crossed = np.abs(reduced.crossed(q[None, :])).item()
    assert crossed / np.linalg.norm(q) == pytest.approx(np.sqrt(24)), "and it is attained"


def test_a_reduction_that_changes_nothing_has_no_ratio():
    X = csr_array(np.random.default_rng(0).random((4, 9)))
    reduced = spans.Reduced(spans.Span.of(X), lambda rows: rows)
    assert spans.off_span_ratio(reduced, reduced) < 1e-6


@pytest.mark.parametrize("n_docs", [3, 5, 40])
def test_leading_directions_are_those_of_the_largest_singular_values(n_docs):
    X, squares = rotated([20.0, 5.0, 0.1], [0.7, 1.9, 0.25], n_docs, 12)
    span = spans.Span.of(csr_array(X))
    reduced = spans.Reduced(span, lambda rows: rows * np.sqrt(squares))
    for rank, expected in ((1, (0.7, 0.7)), (2, (0.7, 1.9)), (3, (0.25, 1.9))):
        assert reduced.leading(rank) == pytest.approx(expected, rel=1e-9)


def test_rounding_turns_directions_by_the_gap_at_the_cut():
    X, _ = rotated([2.0, 1.0, 1.0], np.ones(3), 5, 12)
    span = spans.Span.of(csr_array(X))
    assert span.turned(1) == pytest.approx(5 * np.finfo(float).eps * 4 / 3)
    assert span.turned(2) > 1e-3, "a tie up to rounding"
    assert span.turned(3) == 0, "the whole row space"
    assert spans.Span.of(csr_array(np.eye(3))).turned(2) == np.inf, "an exact tie"


@pytest.mark.parametrize("share", [1e-6, 1 / 36, 1 / 4, 0.9])
def test_the_factor_of_lemma_1(share):
    """ERRATA F: s/(2 − s) from (1 ∓ s)², s = √(rank/size)."""
    s = np.sqrt(share)
    found = spans.in_span_factor((1 - s) ** 2, (1 + s) ** 2)
    assert found == pytest.approx(s / (2 - s))
    assert spans.in_span_factor((1 - s) / (1 + s), (1 + s) / (1 - s)) == pytest.approx(
        s / (1 + np.sqrt(1 - s**2))
    ), "rescaled so that mM = 1"


def test_epsilon_one_half_needs_far_more_words_than_directions():
    """ERRATA E3: 3s ≤ ½ from size 36·rank, 2s/(1 + s²) ≤ ½ after recentring from 13.93·rank."""
    for times, promised, recentred in (
        (36.001, True, True),
        (35.9, False, True),
        (13.9, False, False),
    ):
        s = 1 / np.sqrt(times)
        low, high = (1 - s) ** 2, (1 + s) ** 2
        centre = 2 / (low + high)
        assert centre * high - 1 == pytest.approx(2 * s / (1 + s**2))
        assert 1 - centre * low == pytest.approx(2 * s / (1 + s**2))
        assert (3 * s <= 0.5) == promised
        assert (centre * high - 1 <= 0.5) == recentred
    assert 1 / (2 - np.sqrt(3)) ** 2 == pytest.approx(13.93, abs=5e-3)
