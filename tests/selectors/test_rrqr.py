from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg
from scipy.sparse import csc_array, csr_array
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import RRQR
from laconic.corpus.loading import load_corpora
from laconic.errors import LaconicError, SizeUnavailable
from laconic.numerics.spectral import pivoting
from laconic.numerics.spectral.pivoting import order_after_swaps, pivot_rounds, pivots
from laconic.testing import check_reducer
from tests.restricted_matrix import OnlyProducts
from tests.strategies import counts, text_like

FORMS = [csr_array, csc_array, np.asarray, OnlyProducts]
SHAPES = [(30, 80), (80, 30), (40, 40), (1, 12), (12, 1)]


def residuals(X, chosen):
    """What the chosen columns do not explain of every column, by least squares."""
    if not chosen:
        return X.copy()
    return X - X[:, chosen] @ np.linalg.lstsq(X[:, chosen], X, rcond=None)[0]


def pivots_by_definition(X, rank=None, left_out=()):
    """The longest residual next; of those within 1e-9 the lowest column; none below 1e-11."""
    chosen: list[int] = []
    most = min(X.shape) if rank is None else min(rank, *X.shape)
    while len(chosen) < most:
        squares = (residuals(X, chosen) ** 2).sum(axis=0)
        squares[[*chosen, *left_out]] = 0
        if squares.max() <= 1e-22 * (X**2).sum(axis=0).max():
            break
        chosen.append(next(j for j, s in enumerate(squares) if s >= squares.max() * (1 - 1e-9)))
    return chosen


def random(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_without_ties_it_is_lapacks_pivoting(shape, form):
    X = random(shape)
    expected = linalg.qr(X, pivoting=True, mode="r")[1]
    found = pivots(form(X))
    assert found.tolist() == expected[: min(shape)].tolist()
    assert order_after_swaps(found, shape[1]).tolist() == expected.tolist()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(60, 400), (400, 60)])
@pytest.mark.parametrize("rank", [7, 37, 55])
def test_it_ends_at_the_rank(shape, rank, form):
    X = random((shape[0], rank)) @ random((rank, shape[1]), seed=1)
    expected = linalg.qr(X, pivoting=True, mode="r")[1]
    found = pivots(form(X))
    assert found.tolist() == expected[:rank].tolist()
    assert pivots(form(X), 5).tolist() == expected[:5].tolist()


@given(counts(max_docs=8, max_terms=12), st.sampled_from([csr_array, csc_array, np.asarray]))
def test_it_is_the_definition_with_ties_empty_words_and_duplicates(X, form):
    found = pivots(form(X))
    assert found.tolist() == pivots_by_definition(X)
    assert found.size == np.linalg.matrix_rank(X)


@given(counts(max_docs=8, max_terms=12))
def test_again_is_the_definition_on_what_is_left(X):
    expected: list[int] = []
    while (X[:, [j for j in range(X.shape[1]) if j not in expected]] != 0).any():
        rest = X.copy()
        rest[:, expected] = 0
        expected += pivots_by_definition(rest)
    found = [column for one in pivot_rounds(csr_array(X)) for column in one.tolist()]
    assert found == expected
    assert sorted(found) == np.flatnonzero(X.any(axis=0)).tolist()


@given(st.integers(0, 10_000))
def test_duplicates_scaled_copies_and_the_order_of_documents_change_nothing(seed):
    """Every column is there four times: as it is first, then equal, then shorter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(9, 14))
    together = np.hstack([X, X, 0.5 * X, -X])
    assert pivots(together).tolist() == pivots(X).tolist()
    assert pivots(csr_array(together[rng.permutation(9)])).tolist() == pivots(X).tolist()


@given(st.integers(0, 10_000), st.sampled_from([csr_array, np.asarray]))
def test_columns_of_very_different_scale(seed, form):
    """Lengths from 10⁻⁹ to 1; each has a copy, of which rounding must not make a new direction."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(10, 10)) * 10.0 ** -rng.permutation(10)
    found = pivots(form(np.hstack([X, X])))
    assert found.tolist() == linalg.qr(X, pivoting=True, mode="r")[1].tolist()


def nearly_dependent(seed):
    """Columns nearly in one direction: what tells them apart is far behind the point."""
    rng = np.random.default_rng(seed)
    scale = 10.0 ** -np.linspace(0, 7, 12)
    return linalg.qr(rng.normal(size=(12, 12)))[0] @ (scale[:, None] * rng.normal(size=(12, 40)))


@given(st.integers(0, 10_000))
def test_lengths_are_recomputed_before_cancellation_spoils_them(seed):
    X = nearly_dependent(seed)
    expected = linalg.qr(X, pivoting=True, mode="r")[1][:12]
    assert pivots(csr_array(np.hstack([X, X]))).tolist() == expected.tolist()


def test_lengths_are_measured_a_few_times_only(monkeypatch):
    """From 1 to 10⁻¹⁴ by millionths, and at the beginning."""
    times = []
    original = pivoting._squares_outside
    monkeypatch.setattr(
        pivoting, "_squares_outside", lambda X, Q: times.append(Q.shape[1]) or original(X, Q)
    )
    assert pivots(nearly_dependent(0)).size == 12
    assert len(times) == 3
    times.clear()
    assert pivots(random((40, 90))).size == 40
    assert times == [0]


def test_a_direction_is_orthogonal_to_the_others_to_the_last_digit():
    """A column of which a hundred-millionth is new: one pass leaves eight digits."""
    Q = linalg.qr(random((40, 40)))[0]
    span, new = Q[:, :20], Q[:, 30]
    X = (span @ random((20, 1), seed=1)) + 1e-8 * new[:, None]
    q = pivoting._direction(X, 0, span)
    assert np.abs(span.T @ q).max() < 1e-15
    assert np.abs(q - new).max() < 1e-6


def test_small_documents_of_low_rank_have_that_rank():
    rng = np.random.default_rng(0)
    for _ in range(500):
        n_docs, n_terms = rng.integers(2, 9, 2)
        rank = rng.integers(1, min(n_docs, n_terms) + 1)
        X = rng.normal(size=(n_docs, rank)) @ rng.normal(size=(rank, n_terms))
        assert pivots(X).size == rank


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rank", [0, 3, 8, 11, 12])
def test_what_is_outside_a_span_is_measured_alike_from_both_sides(form, rank):
    Q = linalg.qr(random((12, 12)))[0][:, :rank]
    X = random((12, 150), seed=1)
    expected = ((X - Q @ (Q.T @ X)) ** 2).sum(axis=0)
    for measured in (
        pivoting._by_projecting_out,
        pivoting._by_complement,
        pivoting._squares_outside,
    ):
        np.testing.assert_allclose(measured(form(X), Q), expected, atol=1e-13)


def test_it_is_measured_from_the_side_that_has_fewer_directions(monkeypatch):
    X = random((12, 150))
    monkeypatch.setattr(pivoting, "_by_projecting_out", lambda X, Q: "span")
    monkeypatch.setattr(pivoting, "_by_complement", lambda X, Q: "rest")
    sides = [pivoting._squares_outside(X, random((12, rank))) for rank in (0, 6, 7, 12)]
    assert sides == ["span", "span", "rest", "rest"]


def test_no_more_than_a_block_of_documents_is_ever_dense(monkeypatch):
    X, _ = text_like(30, 200, 3)
    monkeypatch.setattr(pivoting, "BLOCK", 8)
    monkeypatch.setattr(csc_array, "toarray", None)
    monkeypatch.setattr(csr_array, "toarray", None)
    widths = []
    original = np.eye
    monkeypatch.setattr(pivoting.np, "eye", lambda n: widths.append(n) or original(n))
    assert pivots(X).size == 30
    assert max(widths) == 8


def test_entries_that_are_stored_twice_are_added():
    X = csr_array((np.array([1.0, 1, 1.5, 1]), np.array([0, 0, 1, 2]), np.array([0, 3, 4])))
    assert pivots(X).tolist() == [0, 2]
    assert X.nnz == 4, "and the caller's stay as they are"


@given(st.lists(st.integers(0, 14), unique=True, max_size=15))
def test_the_order_after_swaps_is_that_of_swapping(taken):
    columns = list(range(15))
    for front, pivot in enumerate(taken):
        there = columns.index(pivot)
        columns[front], columns[there] = columns[there], columns[front]
    assert order_after_swaps(np.array(taken, dtype=np.intp), 15).tolist() == columns


@pytest.mark.parametrize("beyond", ["raise", "again", "columns"])
@pytest.mark.parametrize("rank", [None, 4])
@pytest.mark.parametrize("form", [csr_array, csc_array, csr_array.toarray])
def test_our_contract(beyond, rank, form):
    X, y = text_like(15, 41, 3)
    check_reducer(RRQR(rank, beyond=beyond), form(X), y)


# the default is examined in tests/test_contracts.py
@parametrize_with_checks([RRQR(beyond="again"), RRQR(1, beyond="columns")])
def test_scikit_learns_contract_beyond_the_defaults(estimator, check):
    check(estimator)


def with_empty_words():
    """Of rank 5; columns 0 and 7 are empty, 8 to 11 are shorter copies of others."""
    X = random((5, 12), seed=2)
    X[:, [0, 7]] = 0
    X[:, 8:] = 0.5 * X[:, 1:5]
    return X


def test_sizes_up_to_the_rank_are_prefixes_with_weight_1():
    X = with_empty_words()
    expected = pivots_by_definition(X)
    for beyond in ("raise", "again", "columns"):
        fitted = RRQR(beyond=beyond).fit(csr_array(X))
        assert fitted.rank_ == 5
        for size in range(1, 6):
            assert fitted.at(size).terms.tolist() == expected[:size]
            assert fitted.at(size).plain


def test_beyond_the_rank_it_says_the_rank_and_what_to_do():
    X = with_empty_words()
    fitted = RRQR().fit(X)
    assert fitted.available_ == fitted.at(None).size == 5
    with pytest.raises(SizeUnavailable, match=r"size 6: the documents have rank 5.*beyond=again"):
        fitted.at(6)
    stopped = RRQR(3).fit(X)
    assert stopped.rank_ == stopped.available_ == 3
    with pytest.raises(SizeUnavailable, match=r"size 4: .*stops after 3 terms.*larger rank"):
        stopped.at(4)
    with pytest.raises(SizeUnavailable, match="the documents have rank 5"):
        RRQR(99).fit(X).at(6)


def test_again_takes_every_word_that_occurs():
    X = with_empty_words()
    fitted = RRQR(beyond="again").fit(X)
    assert fitted.available_ == 10
    assert set(fitted.at(10).terms) == set(range(12)) - {0, 7}
    first, second, _ = (one.tolist() for one in pivot_rounds(X, 4))
    by_fours = RRQR(4, beyond="again").fit(X)
    assert by_fours.rank_ == 4
    assert by_fours.at(8).terms.tolist() == first + second == [*pivots_by_definition(X, 4), *second]
    with pytest.raises(SizeUnavailable, match="only 10 terms"):
        fitted.at(11)


def test_columns_leaves_the_others_where_lapack_does():
    X = random((5, 12), seed=2)
    order = linalg.qr(X, pivoting=True, mode="r")[1]
    fitted = RRQR(beyond="columns").fit(csr_array(X))
    assert fitted.available_ == 12
    assert fitted.at(12).terms.tolist() == order.tolist()
    assert fitted.at(9).terms.tolist() == order[:9].tolist()


@pytest.mark.parametrize("beyond", ["raise", "again", "columns"])
def test_nothing_can_be_chosen_from_empty_documents(beyond):
    with pytest.raises(LaconicError, match="every term is empty"):
        RRQR(beyond=beyond).fit(np.zeros((3, 4)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rank": 0}, "rank=0: give a whole number of at least 1, or None"),
        ({"rank": 2.0}, "rank=2.0"),
        ({"rank": True}, "rank=True"),
        ({"rank": "auto"}, "rank='auto'"),
        ({"beyond": "stop"}, "beyond='stop': choose from raise, again, columns"),
    ],
)
def test_parameters_that_mean_nothing(parameters, message):
    with pytest.raises(LaconicError, match=message):
        RRQR(**parameters).fit(np.eye(3))


@pytest.mark.corpus
def test_on_real_documents_it_is_the_dense_factorization_but_for_ties(corpora):
    X = next(iter(load_corpora("techtc100"))).vectors
    fitted = RRQR().fit(X)
    assert fitted.rank_ == np.linalg.matrix_rank(X.toarray())
    chosen = X[:, fitted.ranking_.order].toarray()
    expected = np.abs(np.diag(linalg.qr(X.toarray(), pivoting=True, mode="r")[0]))[: fitted.rank_]
    np.testing.assert_allclose(np.abs(np.diag(linalg.qr(chosen, mode="r")[0])), expected, rtol=1e-6)


def test_again_orders_no_more_terms_than_it_is_fitted_for():
    X, _ = text_like(5, 40, 3)
    whole = RRQR(beyond="again").fit(X)
    some = RRQR(beyond="again", size=12).fit(X)
    assert some.ranking_.available < whole.ranking_.available
    assert some.available_ == whole.available_, "a share is of all terms that occur"
    assert some.at(12).terms.tolist() == whole.at(12).terms.tolist()
    with pytest.raises(SizeUnavailable, match=r"fitted for size=12.*RRQR\(size=30\)"):
        some.at(30)
    with pytest.raises(SizeUnavailable, match="only"):
        some.at(41)
