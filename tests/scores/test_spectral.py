from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array, csr_matrix

from laconic.errors import LaconicError, LaconicWarning
from laconic.scores.spectral import (
    hellinger,
    leverage,
    lottery,
    measure_leverage,
    squared_norm,
    uniform,
)
from tests.oracles import leverage_by_projector, leverage_by_svd, ridge_leverage_by_inverse
from tests.strategies import counts, text_like

FORMS = [csr_array, csc_array, csr_matrix, np.asarray]


@given(counts(), st.sampled_from(FORMS))
def test_uniform_is_1_wherever_a_term_occurs(X, form):
    assert uniform(form(-X)).tolist() == X.any(axis=0).astype(float).tolist()


def test_a_stored_zero_is_no_weight():
    X = csr_array((np.array([0.0, 1e-200]), np.array([0, 1]), np.array([0, 2])), shape=(1, 3))
    assert uniform(X).tolist() == [0, 1, 0]


@given(counts(), st.sampled_from(FORMS))
def test_squared_norm_is_that_of_the_columns(X, form):
    np.testing.assert_allclose(squared_norm(form(X)), (X**2).sum(axis=0))


@given(counts(), st.sampled_from(FORMS))
def test_leverage_is_the_projectors_or_the_ridges_diagonal(X, form):
    np.testing.assert_allclose(leverage(form(X)), leverage_by_projector(X), atol=1e-8)
    np.testing.assert_allclose(
        leverage(form(X), ridge=0.3), ridge_leverage_by_inverse(X, 0.3), atol=1e-8
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rank", [1, np.int64(4), 20])
def test_leverage_of_the_top_singular_vectors(rank, form):
    X = text_like(25, 60, 3)[0].toarray()
    np.testing.assert_allclose(leverage(form(X), rank=rank), leverage_by_svd(X, rank), atol=1e-8)


def test_a_share_is_the_rank_that_holds_it():
    X = text_like(25, 60, 3)[0]
    squares = np.linalg.svd(X.toarray(), compute_uv=False) ** 2
    for share in (0.5, 0.9, 0.99):
        rank = next(k for k in range(1, 26) if squares[:k].sum() >= share * squares.sum())
        found = measure_leverage(X, rank=share, ridge=0.0)
        assert found.rank == rank
        np.testing.assert_allclose(found.scores, leverage(X, rank=rank), atol=1e-12)


def test_whole_numbers_and_labels_are_welcome():
    X, y = text_like(25, 60, 3)
    assert leverage(X.astype(np.int64), y).tolist() == leverage(X).tolist()
    assert leverage(X.astype(np.int32).toarray()).sum() == pytest.approx(25)
    assert squared_norm(X, y).tolist() == squared_norm(X).tolist()


@pytest.mark.parametrize("rank", [0, -1, 1.0, 1.5, 0.0, True, "all", np.nan])
def test_other_ranks_are_refused(rank):
    with pytest.raises(LaconicError, match=r"rank=.*whole number.*share"):
        leverage(np.eye(3), rank=rank)


@pytest.mark.parametrize("alpha", [-1.0, np.nan, np.inf])
def test_other_alphas_are_refused(alpha):
    with pytest.raises(LaconicError, match="ridge="):
        leverage(np.eye(3), ridge=alpha)


def test_rank_and_alpha_exclude_each_other():
    with pytest.raises(LaconicError, match=r"rank=2 and ridge=0\.5: give only one"):
        leverage(np.eye(3), rank=2, ridge=0.5)


def test_a_cut_between_equal_singular_values_is_told():
    with pytest.warns(LaconicWarning, match="rank=2 cuts between"):
        leverage(np.diag([2.0, 1.0, 1.0, 1.0]), rank=2)


@given(counts(max_docs=2, max_terms=9), st.integers(0, 99))
def test_hellinger_is_its_definition(X, seed):
    p, q = np.random.default_rng(seed).dirichlet(np.ones(X.shape[1]), size=2)
    expected = sum((a**0.5 - b**0.5) ** 2 for a, b in zip(p, q, strict=True)) ** 0.5
    assert hellinger(p, q) == pytest.approx(expected, abs=1e-12)
    assert hellinger(p, q) == hellinger(q, p)


def test_hellinger_runs_from_0_to_the_root_of_2():
    assert hellinger([0.2, 0.8], [0.2, 0.8]) == 0
    assert hellinger([1, 0, 0], [0, 0.5, 0.5]) == pytest.approx(2**0.5)


@pytest.mark.parametrize("p", [[0.5, 0.4], [1.5, -0.5], [[0.5, 0.5]], [np.nan, 1.0], [3, 1]])
def test_hellinger_refuses_what_is_no_distribution(p):
    with pytest.raises(LaconicError, match="sum 1"):
        hellinger(p, [0.5, 0.5])
    with pytest.raises(LaconicError, match="2 and 1 terms"):
        hellinger([0.5, 0.5], [1.0])


@pytest.mark.parametrize("score", [leverage, lottery, squared_norm, uniform])
def test_scores_read_lists_and_refuse_what_is_no_number(score):
    """Low: leverage of NaN was 0 throughout; leverage and uniform crashed on lists."""
    X = np.array([[1.0, 2, 0], [0, 1, 3]])
    np.testing.assert_array_equal(score(X.tolist()), score(X))
    for broken in (X * np.nan, csr_array(X) * np.inf, [["a", 1, 2]], [[1, 2], [3]], X[0]):
        with pytest.raises(LaconicError, match="X has"):
            score(broken)
