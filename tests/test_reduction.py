from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array, issparse

from laconic import Projection, Ranking, Selection
from laconic.errors import SizeUnavailable
from laconic.reduction import Promise, Reduction, columns_for
from tests.blocks_double import GuardedBlocks
from tests.strategies import counts, scored_terms


@given(counts(), st.data())
def test_selection_applies_and_lifts_as_its_matrix(X, data):
    n_terms = X.shape[1]
    terms = data.draw(st.permutations(range(n_terms)))[: data.draw(st.integers(1, n_terms))]
    weights = np.linspace(0.5, 2, len(terms))
    selection = Selection(terms, weights, n_terms)
    T = np.zeros((n_terms, len(terms)))
    T[terms, np.arange(len(terms))] = weights
    for documents in (X, csr_array(X), csc_array(X)):
        Z = selection.apply(documents)
        assert issparse(Z) == issparse(documents)
        np.testing.assert_allclose(Z.toarray() if issparse(Z) else Z, X @ T)
    coef = np.arange(2.0 * len(terms)).reshape(2, -1)
    lifted = selection.lift(coef)
    assert issparse(lifted)
    assert lifted.nnz == 2 * len(terms), "a chosen word keeps its place with coefficient 0"
    np.testing.assert_allclose(lifted.toarray(), coef @ T.T)
    ascending = selection.ascending
    assert ascending.terms.tolist() == sorted(terms)
    np.testing.assert_array_equal(
        ascending.lift(coef[:, np.argsort(terms)]).toarray(), lifted.toarray()
    )


@given(counts(), st.integers(1, 5), st.booleans())
def test_reductions_of_blocks_are_those_of_the_matrix(X, n_blocks, plain):
    terms = np.random.default_rng(0).permutation(X.shape[1])[: max(1, X.shape[1] // 2)]
    weights = None if plain else np.linspace(0.5, 2, terms.size)
    selection, blocks = Selection(terms, weights, X.shape[1]), GuardedBlocks.of(X, n_blocks)
    Z = selection.apply(blocks)
    assert isinstance(Z, GuardedBlocks)
    assert blocks.passes == 0, "weighted when they are read"
    np.testing.assert_array_equal(Z @ np.eye(terms.size), selection.apply(X))
    projection = Projection(np.random.default_rng(1).normal(size=(X.shape[1], 3)))
    np.testing.assert_allclose(projection.apply(blocks), projection.apply(X), atol=1e-12)


def test_selection_of_a_million_terms_lifts_to_its_own_size():
    selection = Selection([999_999, 3], None, 1_000_000)
    lifted = selection.lift(np.ones((20, 2)))
    assert lifted.data.nbytes + lifted.indices.nbytes + lifted.indptr.nbytes < 2000


@pytest.mark.parametrize(
    ("terms", "weights", "says"),
    [
        ([1, 1], None, "distinct"),
        ([0, 5], None, "outside"),
        ([-1], None, "outside"),
        ([0, 1], [1.0], "one weight per term"),
        ([0], [np.inf], "finite"),
    ],
)
def test_selection_refuses(terms, weights, says):
    with pytest.raises(ValueError, match=says):
        Selection(terms, weights, 5)


def test_values_are_frozen():
    selection = Selection([1, 0], [1.0, 2.0], 3)
    with pytest.raises(ValueError, match="read-only"):
        selection.terms[0] = 2
    with pytest.raises(AttributeError):
        selection.n_features_in = 4
    with pytest.raises(ValueError, match="read-only"):
        Projection(np.eye(3)).components[0, 0] = 2


def test_a_selection_carries_what_its_method_promises():
    promise = Promise(rank=2, low=0.25, high=2.25)
    selection = Selection([1, 0], [1.0, 2.0], 3, promise)
    for same in (
        selection,
        pickle.loads(pickle.dumps(selection)),
        copy.copy(selection),
        copy.deepcopy(selection),
        replace(selection, terms=[2, 0]),
    ):
        assert same.promise == Promise(2, 0.25, 2.25)
    assert Selection([1], None, 3).promise is None
    assert Ranking.by_score([1.0, 2.0]).top(1).promise is None
    with pytest.raises(FrozenInstanceError):
        selection.promise = None
    with pytest.raises(FrozenInstanceError):
        promise.low = 0.0


@pytest.mark.parametrize(
    ("rank", "low", "high"),
    [(0, 0.5, 1.0), (3, -0.1, 1.0), (3, 1.1, 1.0), (3, 0.5, np.inf), (3, np.nan, 1.0)],
)
def test_a_promise_that_means_nothing_is_refused(rank, low, high):
    with pytest.raises(ValueError, match="0 ≤ low ≤ high"):
        Promise(rank, low, high)


@given(counts(), st.integers(1, 4), st.integers(1, 3))
def test_projections_compose_into_one_matrix(X, first_size, second_size):
    rng = np.random.default_rng(0)
    first = Projection(rng.normal(size=(X.shape[1], first_size)))
    second = Projection(rng.normal(size=(first_size, second_size)))
    np.testing.assert_allclose(
        second.after(first).apply(csr_array(X)), second.apply(first.apply(X)), atol=1e-12
    )
    chosen = Selection(np.arange(X.shape[1])[::-1], np.full(X.shape[1], 3.0), X.shape[1])
    third = Projection(rng.normal(size=(X.shape[1], 2)))
    np.testing.assert_allclose(
        third.after(chosen).apply(X), third.apply(chosen.apply(X)), atol=1e-12
    )


@pytest.mark.parametrize("reduction", [Selection([0], None, 4), Projection(np.ones((4, 2)))])
def test_another_vocabulary_is_refused(reduction):
    assert isinstance(reduction, Reduction)
    with pytest.raises(ValueError, match="vocabulary of 4"):
        reduction.apply(np.ones((2, 5)))


@given(scored_terms(), st.data())
def test_ranking_by_score_is_sorted_with_ties_by_frequency_then_column(score, data):
    ties = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=score.size, max_size=score.size))
    )
    order = Ranking.by_score(score, ties).order
    expected = sorted(range(score.size), key=lambda i: (-score[i], -ties[i], i))
    assert order.tolist() == expected
    assert Ranking.by_score(score).order.tolist() == sorted(
        range(score.size), key=lambda i: (-score[i], i)
    )


@given(st.lists(st.sampled_from([0.0, 0.1, 1.0, 5.0]), min_size=1, max_size=20), st.integers(0, 99))
def test_a_draw_is_a_ranking_with_nested_prefixes(chance, seed):
    if sum(chance) == 0:
        chance[0] = 1.0
    ranking = Ranking.by_draw(chance, np.random.default_rng(seed))
    drawable = int(np.count_nonzero(chance))
    assert ranking.available == drawable
    assert sorted(ranking.order.tolist()) == np.flatnonzero(chance).tolist()
    p = np.asarray(chance) / np.sum(chance)
    for size in range(1, drawable + 1):
        top = ranking.top(size)
        assert top.terms.tolist() == ranking.order[:size].tolist()
        r = ranking.arrival[ranking.order[size]] if size < drawable else np.inf
        np.testing.assert_allclose(top.weights, 1 / np.sqrt(np.minimum(1, r * p[top.terms])))
        within = ranking.within(ranking.arrival[ranking.order[size - 1]] * (1 + 1e-12))
        assert within.terms.tolist() == top.terms.tolist()
    with pytest.raises(SizeUnavailable, match=f"only {drawable} terms"):
        ranking.top(drawable + 1)


@pytest.mark.full
def test_within_is_the_papers_bernoulli_draw():
    """Each term is selected with probability min(1, r·p), independently of the order of terms."""
    p = np.array([0.5, 0.3, 0.15, 0.05])
    budget, draws = 2.5, 20_000
    rng = np.random.default_rng(7)
    kept = np.zeros(4)
    for _ in range(draws):
        kept[Ranking.by_draw(p, rng).within(budget).terms] += 1
    expected = np.minimum(1, budget * p)
    # 5.2 standard errors, two-sided, 4 terms: false alarm < 4 · 2e-7
    np.testing.assert_array_less(
        np.abs(kept / draws - expected), 5.2 * np.sqrt(expected * (1 - expected) / draws) + 1e-12
    )


@pytest.mark.full
@pytest.mark.parametrize("cut", ["top", "within"])
def test_both_draws_estimate_the_gram_matrix_without_bias(cut):
    """E[X S S X'] = X X' for the weights of either cut.

    z-test on the 6 distinct entries with 20,000 draws, each at 5.5 standard errors: a false alarm
    has probability below 6 · 4e-8 < 1e-6. Halving one weight moves an entry by far more.
    """
    rng = np.random.default_rng(3)
    X = rng.random((3, 8))
    chance = rng.random(8) ** 2
    draws = 20_000
    samples = np.empty((draws, 3, 3))
    for i in range(draws):
        ranking = Ranking.by_draw(chance, rng)
        Z = (ranking.top(3) if cut == "top" else ranking.within(3.0)).apply(X)
        samples[i] = Z @ Z.T
    error = samples.std(axis=0, ddof=1) / np.sqrt(draws)
    assert (np.abs(samples.mean(axis=0) - X @ X.T) < 5.5 * error).all()


def test_a_draw_repeats_with_its_seed():
    first, again = (Ranking.by_draw(np.ones(50), np.random.default_rng(1)) for _ in range(2))
    assert first.order.tolist() == again.order.tolist()
    other = Ranking.by_draw(np.ones(50), np.random.default_rng(2))
    assert first.order.tolist() != other.order.tolist()


def test_ranking_refuses():
    with pytest.raises(ValueError, match="NaN"):
        Ranking.by_score([1.0, np.nan])
    with pytest.raises(ValueError, match="positive sum"):
        Ranking.by_draw([0.0, 0.0], np.random.default_rng(0))
    with pytest.raises(ValueError, match="positive sum"):
        Ranking.by_draw([1.0, -1.0, 3.0], np.random.default_rng(0))
    with pytest.raises(TypeError, match="no draw"):
        Ranking.by_score([1.0]).within(3)
    with pytest.raises(SizeUnavailable):
        Ranking.by_score([1.0]).top(0)


@pytest.mark.parametrize(
    ("size", "columns"), [(None, 50), (7, 7), (70, 70), (0.5, 25), (1.0, 50), (1, 1), (1e-9, 1)]
)
def test_sizes_are_counts_or_shares(size, columns):
    assert columns_for(size, 50) == columns


@pytest.mark.parametrize("size", [0, -3, 0.0, 1.5, True, "ten"])
def test_other_sizes_are_refused(size):
    with pytest.raises((TypeError, ValueError), match="size="):
        columns_for(size, 50)
