from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix, random_array

from laconic.errors import LaconicError
from laconic.numerics.spectral import leverage as module
from laconic.numerics.spectral import spectrum
from laconic.numerics.spectral.basis import davis_kahan
from laconic.numerics.spectral.leverage import full_leverage, ridge_leverage, truncated_leverage
from laconic.numerics.spectral.spectrum import (
    as_floats,
    column_squares,
    gram,
    leading,
    rank_holding,
)
from tests.oracles import leverage_by_projector, leverage_by_svd, ridge_leverage_by_inverse
from tests.restricted_matrix import OnlyProducts
from tests.strategies import counts

FORMS = [csr_array, csc_array, np.asarray, OnlyProducts]


def with_spectrum(shape, values, seed=0):
    """U S V' with these singular values."""
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(rng.normal(size=(shape[0], len(values))))[0]
    V = np.linalg.qr(rng.normal(size=(shape[1], len(values))))[0]
    return U * values @ V.T


def route(monkeypatch, krylov):
    """Through the Krylov method wherever it can go, or through the Gram matrix."""
    cheaper = lambda n, rank, _: rank >= n or not krylov  # noqa: E731
    monkeypatch.setattr(spectrum, "gram_is_cheaper", cheaper)


def awkward():
    """Documents with what breaks a careless factorization."""
    rng = np.random.default_rng(1)
    wide = random_array((40, 150), density=0.1, rng=rng).toarray()
    tall = random_array((150, 40), density=0.1, rng=rng).toarray()
    return {
        "wide": wide,
        "tall": tall,
        "square": wide[:, :40],
        "duplicate documents": np.vstack([wide, wide[:7], 3 * wide[2:5]]),
        "empty documents": np.vstack([np.zeros((3, 150)), wide, np.zeros((2, 150))]),
        "duplicate columns": np.hstack([tall, tall[:, :9], 2 * tall[:, :4]]),
        "empty columns": np.hstack([np.zeros((150, 3)), tall, np.zeros((150, 2))]),
        "sums of documents": np.vstack([wide, wide[:10] + wide[10:20]]),
        "sums of columns": np.hstack([tall, tall[:, :10] + tall[:, 10:20]]),
        "long and short documents": wide * np.logspace(-6, 6, 40)[:, None],
        "frequent and rare terms": np.hstack([tall, tall[:, :5] + tall[:, 5:10]])
        * np.logspace(-3, 3, 45),
        "low rank, wide": rng.normal(size=(30, 6)) @ rng.normal(size=(6, 90)),
        "low rank, tall": rng.normal(size=(90, 6)) @ rng.normal(size=(6, 30)),
        "one document": wide[:1],
        "one term": tall[:, :1],
        "nothing": np.zeros((4, 7)),
        "nothing, tall": np.zeros((7, 4)),
    }


AWKWARD = awkward()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", AWKWARD)
def test_leverage_is_the_diagonal_of_the_projector(name, form):
    X = AWKWARD[name]
    found = full_leverage(form(X))
    # the oracle must see the short documents too: the projector does not depend on lengths
    seen = X / np.maximum(np.linalg.norm(X, axis=1), 1e-300)[:, None] if "long" in name else X
    np.testing.assert_allclose(found.scores, leverage_by_projector(seen), atol=1e-8)
    assert found.rank == np.linalg.matrix_rank(seen, rtol=1e-10)
    assert found.scores.sum() == pytest.approx(found.rank, abs=1e-8)
    assert ((found.scores >= 0) & (found.scores <= 1)).all()


@given(counts(), st.sampled_from(FORMS))
def test_leverage_of_any_counts(X, form):
    found = full_leverage(form(X))
    np.testing.assert_allclose(found.scores, leverage_by_projector(X), atol=1e-8)
    assert found.rank == np.linalg.matrix_rank(X)


@given(counts(), st.sampled_from([1e-3, 1.0, 50.0]), st.sampled_from(FORMS))
def test_ridge_leverage_is_its_definition(X, alpha, form):
    found = ridge_leverage(form(X), alpha)
    expected = ridge_leverage_by_inverse(X, alpha)
    np.testing.assert_allclose(found.scores, expected, atol=1e-8)
    values = np.linalg.svd(X, compute_uv=False) ** 2
    assert found.rank == pytest.approx((values / (values + alpha)).sum(), abs=1e-8)


@pytest.mark.parametrize("name", ["wide", "tall", "duplicate documents", "sums of columns"])
def test_ridge_leverage_tends_to_leverage(name):
    X = AWKWARD[name]
    expected = full_leverage(X)
    tiny = ridge_leverage(csr_array(X), 1e-30)
    np.testing.assert_allclose(tiny.scores, expected.scores, atol=1e-8)
    assert tiny.rank == expected.rank
    small = ridge_leverage(csr_array(X), 1e-9)
    np.testing.assert_allclose(small.scores, expected.scores, atol=1e-5)


def test_a_block_of_terms_changes_nothing(monkeypatch):
    X = AWKWARD["duplicate documents"]
    expected = full_leverage(X).scores
    monkeypatch.setattr(module, "BLOCK_BYTES", 8 * 150 * 7)
    np.testing.assert_allclose(full_leverage(X).scores, expected, atol=1e-12)
    assert len(module._blocks(40, 150)) == 6


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(60, 150), (150, 60), (80, 80)])
@pytest.mark.parametrize("rank", [1, 7, 20, 59])
@pytest.mark.parametrize("krylov", [False, True])
def test_truncated_leverage_is_the_svds_and_its_error_is_bounded(
    form, shape, rank, krylov, monkeypatch
):
    route(monkeypatch, krylov)
    X = with_spectrum(shape, np.linspace(10, 1, 60))
    found = truncated_leverage(form(X), rank)
    expected = leverage_by_svd(X, rank)
    assert found.rank == rank
    np.testing.assert_allclose(found.scores, expected, atol=1e-8)
    assert np.abs(found.scores - expected).max() <= found.error < 1e-8


@pytest.mark.parametrize("krylov", [False, True])
def test_equal_singular_values_above_the_cut_are_all_found(krylov, monkeypatch):
    route(monkeypatch, krylov)
    X = with_spectrum((120, 200), np.r_[np.repeat([9.0, 7.0, 5.0], 4), np.linspace(4, 0.1, 100)])
    found = truncated_leverage(csr_array(X), 12)
    np.testing.assert_allclose(found.scores, leverage_by_svd(X, 12), atol=1e-8)
    assert found.error < 1e-8


@pytest.mark.parametrize("krylov", [False, True])
def test_a_cut_between_equal_singular_values_is_not_defined(krylov, monkeypatch):
    route(monkeypatch, krylov)
    X = with_spectrum((50, 80), np.r_[9.0, 5.0, 5.0, np.linspace(4, 1, 30)])
    assert truncated_leverage(X, 2).error > 1e-3
    assert truncated_leverage(X, 1).error < 1e-8
    assert truncated_leverage(X, 3).error < 1e-8


@pytest.mark.parametrize("shape", [(60, 90), (90, 60)])
@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-8, 1e-11])
def test_the_bound_holds_as_the_gap_closes(gap, shape):
    X = with_spectrum(shape, np.r_[3.0, 2.0, 1.0 + gap, 1.0, np.linspace(0.9, 0.1, 20)])
    found = truncated_leverage(csr_array(X), 3)
    exact = known_leverage(shape, 24, 3)
    assert np.abs(found.scores - exact).max() <= found.error


def known_leverage(shape, n_values, rank):
    """From the V that `with_spectrum` was built with, not from a computed one."""
    rng = np.random.default_rng(0)
    rng.normal(size=(shape[0], n_values))
    V = np.linalg.qr(rng.normal(size=(shape[1], n_values)))[0]
    return (V[:, :rank] ** 2).sum(axis=1)


def test_the_bound_holds_for_a_subspace_that_is_off():
    """A basis turned by a known angle: sin θ is known, and the bound is not idle."""
    X = with_spectrum((40, 60), np.r_[3.0, 2.0, 1.0, np.linspace(0.5, 0.1, 20)])
    V = np.linalg.svd(X)[2].T[:, :4]
    for angle in (1e-6, 1e-3, 0.1):
        turned = V.copy()
        turned[:, 2] = np.cos(angle) * V[:, 2] + np.sin(angle) * V[:, 3]
        turned[:, 3] = np.cos(angle) * V[:, 3] - np.sin(angle) * V[:, 2]
        assert np.sin(angle) <= davis_kahan(X, turned, 3) < 4 * np.sin(angle)


@pytest.mark.parametrize("name", ["low rank, wide", "low rank, tall", "duplicate documents"])
@pytest.mark.parametrize("krylov", [False, True])
def test_more_rank_than_there_is_means_all(name, krylov, monkeypatch):
    X = AWKWARD[name]
    full = full_leverage(X)
    route(monkeypatch, krylov)
    for rank in (int(full.rank) + 1, min(X.shape) - 1, min(X.shape), 10_000):
        found = truncated_leverage(csr_array(X), rank)
        np.testing.assert_allclose(found.scores, full.scores, atol=1e-8)
        assert found.rank == full.rank
    assert truncated_leverage(np.zeros((4, 6)), 2).rank == 0


def test_krylov_repeats_to_the_last_bit():
    X = random_array((800, 1200), density=0.02, rng=np.random.default_rng(0), format="csr")
    assert not spectrum.gram_is_cheaper(800, 6, X.nnz)
    first, again = (truncated_leverage(X, 5).scores for _ in range(2))
    assert first.tobytes() == again.tobytes()
    np.testing.assert_allclose(first, leverage_by_svd(X.toarray(), 5), atol=1e-8)


def test_krylov_repeats_also_where_its_space_is_spent(monkeypatch):
    route(monkeypatch, krylov=True)
    first, again = (leading(np.eye(60), 5).vectors for _ in range(2))
    assert first.tobytes() == again.tobytes()


def test_krylov_that_does_not_converge_gives_way_to_the_gram_matrix(monkeypatch):
    def never(*_, **__):
        raise spectrum.ArpackError(1)

    monkeypatch.setattr(spectrum, "gram_is_cheaper", lambda *_: False)
    monkeypatch.setattr(spectrum, "eigsh", never)
    X = with_spectrum((60, 150), np.linspace(10, 1, 60))
    np.testing.assert_allclose(truncated_leverage(X, 7).scores, leverage_by_svd(X, 7), atol=1e-8)


@pytest.mark.parametrize("way", ["spectrum", "krylov", "krylov, then spectrum"])
@pytest.mark.parametrize("shape", [(70, 150), (150, 70)])
@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.9, 0.999])
def test_the_rank_that_holds_a_share(way, shape, share, monkeypatch):
    if way != "spectrum":
        monkeypatch.setattr(spectrum, "WHOLE_SPECTRUM_UP_TO", 0)
        until = 65 if "then" not in way else 20
        monkeypatch.setattr(spectrum, "gram_is_cheaper", lambda n, rank, _: rank > until)
    values = np.linspace(10, 0.1, 68)
    held = np.cumsum(values**2) / (values**2).sum()
    expected = next(i + 1 for i in range(68) if held[i] >= share)
    assert rank_holding(csr_array(with_spectrum(shape, values)), share) == expected


def test_a_share_is_of_the_squared_norm_and_reached_exactly():
    assert rank_holding(np.diag([2.0, 1.0, 1.0, 1.0, 1.0]), 0.5) == 1
    for n in range(1, 40):
        assert rank_holding(0.1 * np.eye(2 * n), 0.5) == n, "whatever rounding does to the sums"


@given(counts(), st.sampled_from(FORMS))
def test_gram_is_the_lower_triangle_of_the_product(X, form):
    np.testing.assert_allclose(np.tril(gram(form(X))), np.tril(X @ X.T))
    np.testing.assert_allclose(np.tril(gram(form(X).T)), np.tril(X.T @ X))


@given(counts())
def test_column_squares(X):
    for form in (csr_array, csc_array, csr_matrix, np.asarray):
        np.testing.assert_allclose(column_squares(form(X)), (X**2).sum(axis=0))


def test_repeated_entries_are_summed_and_the_callers_matrix_is_left_alone():
    X = csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 3))
    assert column_squares(X).tolist() == [16, 9, 0]
    assert X.nnz == 3
    integers = coo_array(np.array([[1, 0], [2, 3]]))
    assert as_floats(integers).dtype == np.float64


@given(counts(), st.integers(1, 12))
def test_leading_is_the_largest_of_the_smaller_side(X, rank):
    assume(min(X.shape) > 1)
    found = leading(csr_array(X), rank)
    expected = np.linalg.svd(X, compute_uv=False)[:rank] ** 2
    np.testing.assert_allclose(found.values, expected, atol=1e-9 * max(1, expected[0]))
    G = X.T @ X if found.of_terms else X @ X.T
    np.testing.assert_allclose(
        G @ found.vectors, found.vectors * found.values, atol=1e-9 * max(1, expected[0])
    )


def test_a_gram_matrix_that_does_not_fit_is_refused():
    many = csr_array((100_000, 200_000))
    with pytest.raises(LaconicError, match=r"100,000 .* 80 GB.*rank"):
        full_leverage(many)


def test_documents_in_another_order_score_the_same():
    X = AWKWARD["duplicate documents"]
    shuffled = X[np.random.default_rng(0).permutation(len(X))]
    np.testing.assert_allclose(
        full_leverage(csr_array(shuffled)).scores, full_leverage(csr_array(X)).scores, atol=1e-10
    )
