"""Spectral numerics of documents in blocks: the same as in memory, within the stated bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.numerics.spectral import spectrum
from laconic.numerics.spectral.basis import leading_subspace
from laconic.numerics.spectral.krylov import lanczos
from laconic.numerics.spectral.leverage import full_leverage, ridge_leverage, truncated_leverage
from laconic.numerics.spectral.pivoting import pivots
from laconic.numerics.spectral.spectrum import column_squares, gram, rank_holding
from tests.blocks_double import GuardedBlocks
from tests.numerics.spectral.test_leverage import AWKWARD, with_spectrum
from tests.oracles import leverage_by_svd
from tests.strategies import counts


def refuse_gram_matrices(patch):
    """Nothing but Lanczos."""
    patch.setattr(spectrum, "GRAM_OF_BLOCKS_UP_TO", 0)
    patch.setattr(spectrum, "LARGEST_GRAM_OF_BLOCKS", 0)


def true_sine(U, V):
    return np.linalg.norm(U - V @ (V.T @ U), 2)


@given(counts(), st.integers(1, 4))
def test_gram_matrices_and_squares_are_sums_over_blocks(X, n_blocks):
    blocks = GuardedBlocks.of(csr_array(X), n_blocks)
    np.testing.assert_allclose(np.tril(gram(blocks)), np.tril(X @ X.T))
    np.testing.assert_allclose(np.tril(gram(blocks.T)), np.tril(X.T @ X))
    np.testing.assert_allclose(column_squares(blocks), (X**2).sum(axis=0))


@pytest.mark.parametrize("name", AWKWARD)
def test_full_and_ridge_leverage_are_those_in_memory(name):
    X = csr_array(AWKWARD[name])
    blocks = GuardedBlocks.of(X)
    found, expected = full_leverage(blocks), full_leverage(X)
    np.testing.assert_allclose(found.scores, expected.scores, atol=1e-8)
    assert found.rank == expected.rank
    ridge = ridge_leverage(blocks, 0.5).scores
    np.testing.assert_allclose(ridge, ridge_leverage(X, 0.5).scores, atol=1e-8)


@pytest.mark.parametrize("shape", [(60, 150), (150, 60), (40, 150)])
@pytest.mark.parametrize("rank", [1, 7, 20])
def test_lanczos_gives_the_leverage_of_the_svd_within_its_bound(shape, rank, monkeypatch):
    refuse_gram_matrices(monkeypatch)
    X = with_spectrum(shape, np.linspace(10, 1, 40))
    found = truncated_leverage(GuardedBlocks.of(csr_array(X)), rank)
    assert found.rank == rank
    assert np.abs(found.scores - leverage_by_svd(X, rank)).max() <= found.error < 1e-4


@st.composite
def spectra(draw):
    """Singular values with clusters, equal values and zeros."""
    centres = draw(
        st.lists(st.sampled_from([9.0, 5.0, 4.9, 2.0, 1.0, 0.0]), min_size=2, max_size=9)
    )
    spread = draw(st.sampled_from([0.0, 1e-9, 1e-4, 1e-2]))
    copies = draw(st.integers(1, 6))
    values = np.repeat(centres, copies) * (1 + spread * np.arange(len(centres) * copies))
    return np.sort(values)[::-1]


@given(spectra(), st.integers(1, 12), st.integers(0, 99))
def test_the_bound_holds_for_clusters_and_rank_deficiency(values, rank, seed):
    """Against the vectors that X was built with, not computed ones."""
    rng = np.random.default_rng(seed)
    V = np.linalg.qr(rng.normal(size=(80, values.size)))[0]
    U = np.linalg.qr(rng.normal(size=(70, values.size)))[0]
    blocks = GuardedBlocks.of(csr_array(U * values @ V.T), 3)
    with pytest.MonkeyPatch.context() as patch:
        refuse_gram_matrices(patch)
        found = truncated_leverage(blocks, rank)
        subspace = leading_subspace(blocks, rank)
    held = int(found.rank)
    assert held == min(rank, np.count_nonzero(values))
    exact = (V[:, :held] ** 2).sum(axis=1)
    assert np.abs(found.scores - exact).max() <= found.error + 1e-12
    assert true_sine(subspace.vectors, V[:, :held]) <= subspace.error + 1e-12
    if held and values[held - 1] > 1.001 * values[held : held + 1].max(initial=0.0):
        assert found.error < 1e-3, "the bound is not idle"


def test_lanczos_restarts_and_finds_every_copy():
    """More vectors than fit: 12 equal eigenvalues below 3 larger ones, then a long slope."""
    values = np.r_[9.0, 8.0, 7.0, np.full(12, 5.0), np.linspace(4.5, 0.1, 1485)]
    steps = []

    def apply(V):
        steps.append(V.shape[1])
        return values[:, None] * V

    found, vectors = lanczos(apply, values.size, 15)
    np.testing.assert_allclose(found[:15], values[:15], rtol=1e-10)
    assert sum(steps) > 4 * 15 + 7 * 16, "restarted"
    np.testing.assert_allclose(vectors[:15, :15] @ vectors[:15, :15].T, np.eye(15), atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(16), atol=1e-12)


def test_lanczos_goes_on_after_an_invariant_subspace():
    values = lanczos(lambda V: 3.0 * V, 200, 30)[0]
    np.testing.assert_allclose(values, np.full(31, 3.0))


@pytest.mark.parametrize(("n_copies", "rank"), [(20, 19), (40, 35), (600, 19)])
def test_more_copies_of_an_eigenvalue_than_vectors_per_step_are_no_gap(n_copies, rank):
    """The start can hold 16 of them: random vectors show that there are more."""
    values = np.r_[10.0, 9.0, 8.0, np.full(n_copies, 2.0), np.linspace(1, 0.1, 1500)]
    found, _ = lanczos(lambda V: values[:, None] * V, values.size, rank)
    np.testing.assert_allclose(found, values[: rank + 1], rtol=1e-9)


def test_a_subspace_beyond_the_rank_is_the_whole_one_best_first():
    X = AWKWARD["low rank, tall"]
    V = np.linalg.svd(X, full_matrices=False)[2]
    for rank in (3, 6, 29, 30):
        U = leading_subspace(GuardedBlocks.of(csr_array(X)), rank).vectors
        few = min(rank, 6)
        assert U.shape == (30, few)
        np.testing.assert_allclose(U @ U.T, V[:few].T @ V[:few], atol=1e-9)


@pytest.mark.parametrize("share", [0.01, 0.5, 0.9])
def test_a_share_of_the_norm_holds_over_blocks(share, monkeypatch):
    X = csr_array(with_spectrum((150, 170), np.linspace(10, 0.1, 140)))
    expected = rank_holding(X, share)
    monkeypatch.setattr(spectrum, "WHOLE_SPECTRUM_UP_TO", 0)
    assert rank_holding(GuardedBlocks.of(X), share) == expected


def test_full_rank_says_how_far_it_goes(monkeypatch):
    monkeypatch.setattr(spectrum, "LARGEST_GRAM_OF_BLOCKS", 20)
    monkeypatch.setattr("laconic.numerics.spectral.pivoting.LARGEST_GRAM_OF_BLOCKS", 20)
    blocks = GuardedBlocks.of(csr_array(AWKWARD["wide"]))
    with pytest.raises(LaconicError, match=r"40 documents or terms .*rank .*up to 20 documents"):
        full_leverage(blocks)
    with pytest.raises(LaconicError, match=r"150 terms: the limit is 20 terms. Give a rank"):
        pivots(blocks)
    monkeypatch.setattr(spectrum, "WHOLE_SPECTRUM_UP_TO", 0)
    monkeypatch.setattr(spectrum, "_ranks_to_try", lambda X: iter([2]))
    with pytest.raises(LaconicError, match=r"rank=0.9: 2 singular vectors hold .*% of"):
        rank_holding(blocks, 0.9)


@pytest.mark.parametrize("rank", [None, 9])
@pytest.mark.parametrize("shape", [(30, 200), (200, 90)])
def test_pivots_are_those_in_memory(shape, rank):
    X = csr_array(np.random.default_rng(0).normal(size=shape))
    blocks = GuardedBlocks.of(X)
    assert pivots(blocks, rank).tolist() == pivots(X, rank).tolist()
    assert blocks.passes < 12
