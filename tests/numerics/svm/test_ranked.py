from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import coo_array, csc_array, csr_array

from laconic.errors import LaconicError
from laconic.numerics.svm.ranked import Ranked, masked_coefficients, prefix_decisions
from tests.strategies import counts, text_like

# halves, so that sums are often 0 and often equal
HALVES = st.integers(-4, 4).map(lambda number: number / 2)


def rows_of(X, order):
    """(rank, value) of each document's ranked words, ascending, from the definition."""
    rank_of = {column: rank for rank, column in enumerate(order)}
    return [
        sorted((rank_of[c], row[c]) for c in range(len(row)) if row[c] != 0 and c in rank_of)
        for row in X
    ]


def decision_by_prefix(row, coef, size, normalize_selected):
    """Σ over ranks below `size`, by the length over these."""
    total = square = 0.0
    for rank, value in row:
        if rank < size:
            total += coef[rank] * value
            square += value * value
    if not normalize_selected:
        return total
    return total / np.sqrt(square) if square else 0.0


def sv_set_by_definition(X, order, size, alphas_signed):
    """Mask every document, divide by its length, and add them up (ERRATA B1)."""
    masked = np.array(X, dtype=float)[:, order[:size]]
    w = np.zeros(min(size, len(order)))
    for doc, alpha in zip(masked, alphas_signed, strict=True):
        length = np.linalg.norm(doc)
        if length:
            w += alpha * doc / length
    return w


def rows_in(ranked):
    bounds = zip(ranked.starts[:-1], ranked.starts[1:], strict=True)
    return [
        list(zip(ranked.ranks[a:b].tolist(), ranked.values[a:b].tolist(), strict=True))
        for a, b in bounds
    ]


@st.composite
def ordered(draw, max_docs=12, max_terms=9):
    """Documents, and an order of some of their words with halves for weights."""
    X = draw(counts(max_docs, max_terms))
    columns = draw(st.permutations(range(X.shape[1])))
    order = np.array(columns[: draw(st.integers(0, len(columns)))], dtype=np.intp)
    coef = draw(hnp.arrays(np.float64, order.size, elements=HALVES))
    return X, order, coef


@given(ordered(), st.sampled_from([csr_array, csc_array, np.asarray]))
def test_rows_are_relabelled_and_sorted_by_rank(case, kind):
    X, order, _ = case
    ranked = Ranked.of(kind(X), order)
    assert rows_in(ranked) == rows_of(X, order)
    assert (ranked.n_docs, ranked.n_ranks) == (X.shape[0], order.size)
    assert [ranked.starts.dtype, ranked.ranks.dtype] == [np.int64, np.int32]


@pytest.mark.parametrize("n_terms", [63, 64, 65, 4095, 4096, 4097, 9000])
def test_ranks_cross_words_and_pages_of_bits(n_terms):
    """The first and last bit of every word and page, and rows that leave no mark for the next."""
    rng = np.random.default_rng(n_terms)
    X = np.zeros((4, n_terms))
    edges = [at + step for at in range(0, n_terms, 64) for step in (-1, 0, 1)]
    X[0, [at for at in edges if 0 <= at < n_terms]] = 1.0
    X[1] = rng.random(n_terms)
    X[3] = rng.random(n_terms) < 0.01
    for order in (np.arange(n_terms), rng.permutation(n_terms)):
        assert rows_in(Ranked.of(csr_array(X), order)) == rows_of(X, order.tolist())


def test_repeated_entries_are_summed_and_the_documents_left_alone():
    docs, terms = [0, 0, 0, 1, 1], [2, 0, 2, 1, 1]
    X = csr_array((np.arange(1.0, 6.0), terms, [0, 3, 5]), shape=(2, 3))
    before = X.data.copy(), X.indices.copy()
    ranked = Ranked.of(X, np.array([2, 1, 0]))
    dense = coo_array((np.arange(1.0, 6.0), (docs, terms)), shape=(2, 3)).toarray()
    assert rows_in(ranked) == rows_of(dense, [2, 1, 0])
    assert np.array_equal(X.data, before[0])
    assert np.array_equal(X.indices, before[1])


def test_unsorted_entries_stay_with_their_values():
    X = csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 1]), [0, 3]), shape=(1, 3))
    assert rows_in(Ranked.of(X, np.array([0, 1, 2]))) == [[(0, 2.0), (1, 3.0), (2, 1.0)]]


@pytest.mark.parametrize("order", [[0, 3], [-1, 0], [1, 1], [0, 1, 2, 0]])
def test_an_order_has_columns_of_the_documents_once(order):
    with pytest.raises(LaconicError, match=r"between 0 and 2.*best first"):
        Ranked.of(csr_array(np.ones((2, 3))), np.array(order))


@given(ordered(), st.integers(0, 12))
def test_a_size_is_a_prefix_with_its_length(case, size):
    X, order, _ = case
    ranked = Ranked.of(csr_array(X), order)
    ends = ranked.ends(size)
    kept = [[pair for pair in row if pair[0] < size] for row in rows_of(X, order)]
    assert (ends - ranked.starts[:-1]).tolist() == [len(row) for row in kept]
    expected = [np.sqrt(sum(value * value for _, value in row)) for row in kept]
    assert ranked.lengths(ends).tolist() == expected


@given(ordered(), st.booleans(), st.lists(st.integers(0, 12), max_size=6))
def test_decisions_of_all_sizes_are_those_of_each(case, normalize_selected, sizes):
    """Exactly: the sums are accumulated in the same order. Sizes repeat, and go beyond."""
    X, order, coef = case
    sizes = sorted(sizes)
    found = prefix_decisions(
        Ranked.of(csr_array(X), order), coef, sizes, normalize_selected=normalize_selected
    )
    expected = [
        [decision_by_prefix(r, coef, n, normalize_selected) for r in rows_of(X, order)]
        for n in sizes
    ]
    assert found.shape == (len(sizes), X.shape[0])
    assert found.tolist() == expected


def test_a_mask_is_a_product_with_the_first_columns():
    X, _ = text_like(40, 200, 3)
    rng = np.random.default_rng(0)
    order, coef = rng.permutation(200)[:150], rng.normal(size=150)
    found = prefix_decisions(Ranked.of(X, order), coef, [1, 10, 150], normalize_selected=False)
    for values, size in zip(found, [1, 10, 150], strict=True):
        assert values == pytest.approx(X[:, order[:size]] @ coef[:size])


def test_sizes_ascend():
    ranked = Ranked.of(csr_array(np.ones((2, 3))), np.arange(3))
    with pytest.raises(LaconicError, match=r"\[2, 1\]. Sort them"):
        prefix_decisions(ranked, np.ones(3), [2, 1], normalize_selected=False)


def test_there_is_a_coefficient_for_each_rank():
    ranked = Ranked.of(csr_array(np.ones((2, 3))), np.arange(3))
    with pytest.raises(LaconicError, match=r"shape \(2,\) for documents with 3 ranks"):
        prefix_decisions(ranked, np.ones(2), [1], normalize_selected=False)


@given(ordered(), st.integers(0, 12), st.data())
def test_support_vectors_are_masked_renormalised_and_added(case, size, data):
    X, order, _ = case
    alphas = data.draw(hnp.arrays(np.float64, X.shape[0], elements=HALVES))
    ranked = Ranked.of(csr_array(X), order)
    ends = ranked.ends(size)
    found = masked_coefficients(ranked, ends, ranked.lengths(ends), alphas)
    expected = sv_set_by_definition(X, order, size, alphas)
    assert found.shape == (order.size,)
    assert found[:size] == pytest.approx(expected, abs=1e-12)
    assert not found[size:].any()


def test_documents_without_weight_are_not_read():
    """A document that is no support vector may even hold what is no number."""
    X = np.array([[3.0, 4.0], [np.nan, 1.0]])
    ranked = Ranked.of(csr_array(X), np.arange(2))
    ends = ranked.ends(2)
    found = masked_coefficients(ranked, ends, ranked.lengths(ends), np.array([5.0, 0.0]))
    assert found.tolist() == [3.0, 4.0]
