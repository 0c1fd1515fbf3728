from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array
from sklearn.svm import LinearSVC

from laconic import ReduceThenFit, RLSClassifier
from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.selectors import bss as module
from laconic.selectors.bss import BSS
from laconic.testing import check_path, check_reducer
from tests.oracles import bss_by_algorithm_1
from tests.strategies import counts, text_like


def eigenvalues(X, cut, rank=None):
    """Of U'SU, U the leading right singular vectors of X."""
    values, V = np.linalg.svd(X, full_matrices=False)[1:]
    U = V[values > 1e-10 * values[0]][:rank].T
    return np.linalg.eigvalsh(U[cut.terms].T @ (cut.weights[:, None] ** 2 * U[cut.terms]))


@pytest.mark.parametrize("form", [csr_array, csc_array, csr_array.toarray])
@pytest.mark.parametrize("rank", ["auto", 3, None])
def test_it_keeps_the_contract_of_reducers(form, rank):
    X, _ = text_like(12, 60, 3)
    check_reducer(BSS(rank), form(X), nested=False)


def test_behind_it_stands_a_path_of_models():
    X, y = text_like(30, 21, 3)
    check_path(ReduceThenFit(BSS(2)), X, y)


@pytest.mark.parametrize("form", [csr_array, csc_array, csr_array.toarray])
def test_the_selection_is_that_of_algorithm_1_on_the_rows_of_x(form):
    X, _ = text_like(12, 60, 3)
    U = np.linalg.svd(X.toarray(), full_matrices=False)[2].T
    for size in (13, 20, 45):
        cut = BSS(repeat=0.0).fit(form(X)).at(size)
        total: dict[int, float] = {}
        for row, t in bss_by_algorithm_1(U, size):
            total[row] = total.get(row, 0.0) + t
        squares = np.array(list(total.values())) * (1 - np.sqrt(12 / size)) / size
        assert cut.terms.tolist() == list(total)
        np.testing.assert_allclose(cut.weights, np.sqrt(squares), rtol=1e-7)


@given(counts(max_docs=8, max_terms=25), st.integers(1, 20), st.sampled_from(["auto", 1, 2, None]))
def test_every_selection_keeps_its_promise(X, more, rank):
    fitted = BSS(rank).fit(csr_array(X)) if X.any() else None
    assume(fitted is not None and fitted.rank_ + more < fitted.available_)
    cut = fitted.at(fitted.rank_ + more)
    s = np.sqrt(fitted.rank_ / (fitted.rank_ + more))
    assert (cut.promise.low, cut.promise.high) == pytest.approx(((1 - s) ** 2, (1 + s) ** 2))
    assert cut.promise.rank == fitted.rank_
    U = fitted.basis_
    found = np.linalg.eigvalsh(U[cut.terms].T @ (cut.weights[:, None] ** 2 * U[cut.terms]))
    assert cut.promise.low - 1e-9 <= found[0] <= found[-1] <= cut.promise.high + 1e-9


def test_the_promise_is_kept_in_the_subspace_that_it_names():
    X, _ = text_like(40, 90, 3)
    for rank in (None, 5, 12):
        cut = BSS(rank).fit(X).at(60)
        values = eigenvalues(X.toarray(), cut, cut.promise.rank)
        assert cut.promise.low <= values[0] <= values[-1] <= cut.promise.high


def test_all_terms_are_kept_as_they_are():
    X, _ = text_like(12, 60, 3)
    padded = np.hstack([np.zeros((12, 2)), X.toarray(), np.zeros((12, 1))])
    fitted = BSS().fit(padded)
    assert fitted.available_ == (padded != 0).any(axis=0).sum()
    for size in (None, fitted.available_, 1.0):
        cut = fitted.at(size)
        assert cut.terms.tolist() == np.flatnonzero(padded.any(axis=0)).tolist()
        assert cut.plain
        assert cut.promise is None


def test_a_size_within_the_rank_says_what_to_do():
    X, _ = text_like(12, 60, 3)
    fitted = BSS().fit(X)
    with pytest.raises(SizeUnavailable, match=r"BSS preserves 12 dir.*above 12, or set rank=3"):
        fitted.at(12)
    assert fitted.at(13).size <= 13
    with pytest.raises(SizeUnavailable, match=r"size 100: only \d+ terms occur"):
        fitted.at(100)


def test_many_documents_take_a_quarter_of_the_size(monkeypatch):
    monkeypatch.setattr(module, "WHOLE_UP_TO", 39)
    monkeypatch.setattr(module, "LARGEST_RANK", 8)
    X, y = text_like(40, 90, 3)
    assert [BSS(size=size).fit(X).rank_ for size in (20, 70)] == [5, 8]
    fitted = BSS().fit(X)
    assert fitted.rank_ == 8, "not knowing the size, the most that any will need"
    promised = {size: fitted.at(size).promise.rank for size in (2, 3, 4, 8, 20, 31, 32, 70)}
    assert promised == {2: 1, 3: 1, 4: 1, 8: 2, 20: 5, 31: 7, 32: 8, 70: 8}
    with pytest.raises(SizeUnavailable, match="above 1"):
        fitted.at(1)
    alone = BSS(size=20).fit(X).at(20)
    assert alone.terms.tolist() == fitted.at(20).terms.tolist()
    path = ReduceThenFit(BSS())
    assert [model.size for model in path.path(X, y, [20, 8])] == [
        fitted.at(8).size,
        alone.size,
    ]
    assert path.reducer_.rank_ == 5, "a path knows its largest size"
    assert path.reduction_.terms.tolist() == alone.terms.tolist()


@pytest.mark.parametrize("few", ["terms", "distinct documents"])
def test_many_documents_of_low_rank_take_the_leading_directions(monkeypatch, few):
    """Fewer directions than the largest rank: they must still come best first."""
    monkeypatch.setattr(module, "WHOLE_UP_TO", 39)
    X, _ = text_like(120, 30, 3) if few == "terms" else text_like(20, 90, 3)
    X = X if few == "terms" else csr_array(np.tile(X.toarray(), (4, 1)))
    fitted = BSS().fit(X)
    assert fitted.rank_ == np.linalg.matrix_rank(X.toarray()) < module.LARGEST_RANK
    cut = fitted.at(24)
    assert cut.promise.rank == 6
    values = eigenvalues(X.toarray(), cut, 6)
    assert cut.promise.low <= values[0] <= values[-1] <= cut.promise.high
    alone = BSS(size=24).fit(X).at(24)
    assert alone.terms.tolist() == cut.terms.tolist()


def test_a_size_beyond_what_it_was_fitted_for_is_refused(monkeypatch):
    monkeypatch.setattr(module, "WHOLE_UP_TO", 39)
    X, _ = text_like(40, 90, 3)
    fitted = BSS(size=8).fit(X)
    assert fitted.at(11).promise.rank == 2
    with pytest.raises(SizeUnavailable, match=r"fitted for size=8, with 2 dir.*BSS\(size=40\)"):
        fitted.at(40)


def test_advice_can_be_followed():
    X, _ = text_like(50, 10, 3)
    with pytest.raises(SizeUnavailable, match=r"words\. Set rank=1\.") as found:
        BSS().fit(X).at(6)
    assert "above" not in str(found.value), "there are no more than 10 terms"
    assert BSS(rank=1).fit(X).at(6).size <= 6
    with pytest.raises(SizeUnavailable, match="Ask for all words"):
        BSS().fit(X).at(1)


def test_documents_without_terms_are_refused():
    with pytest.raises(LaconicError, match="every term is empty"):
        BSS().fit(csr_array((4, 7)))


def test_hours_of_work_are_foretold(monkeypatch):
    monkeypatch.setattr(module, "SECONDS_PER_CUBE", 1.0)
    X, _ = text_like(12, 60, 3)
    with pytest.warns(LaconicWarning, match=r"size 30 with rank 12: takes about 14 hours"):
        BSS().fit(X).at(30)


def test_few_documents_take_all_directions():
    X, _ = text_like(30, 90, 3)
    assert module.WHOLE_UP_TO == 2000
    assert BSS(size=20).fit(X).rank_ == np.linalg.matrix_rank(X.toarray()) == 30
    assert BSS(rank=7).fit(X).rank_ == 7
    assert BSS(rank=None).fit(X).rank_ == 30
    assert BSS(rank=700).fit(X).rank_ == 30


@pytest.mark.parametrize("rank", ["auto", 6])
def test_the_same_documents_give_the_same_bits(rank):
    X, _ = text_like(30, 200, 3)
    one, other = BSS(rank).fit(X).at(60), BSS(rank).fit(X.copy()).at(60)
    assert pickle.dumps(one) == pickle.dumps(other)


def test_labels_are_not_used():
    X, y = text_like(12, 60, 3)
    assert BSS().fit(X, y).at(30).terms.tolist() == BSS().fit(X).at(30).terms.tolist()


def test_a_gamma_beyond_the_barrier_is_refused():
    X, _ = text_like(12, 60, 3)
    with pytest.raises(LaconicError, match=r"gamma=1e\+09.*less than 19"):
        BSS(gamma=1e9).fit(X).at(30)


def test_the_papers_gamma_promises_nothing():
    X, _ = text_like(12, 60, 3)
    cut = BSS(gamma=0.01).fit(X).at(30)
    assert cut.promise is None
    assert not np.array_equal(cut.weights[:1], BSS().fit(X).at(30).weights[:1])


@pytest.mark.parametrize(
    "wrong",
    [
        {"rank": 0},
        {"rank": "full"},
        {"rank": 0.5},
        {"rank": True},
        {"gamma": -1},
        {"gamma": "x"},
        {"gamma": None},
        {"repeat": 2},
        {"repeat": "x"},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong):
    X, _ = text_like(12, 60, 3)
    with pytest.raises(LaconicError, match=f"{next(iter(wrong))}="):
        BSS(**wrong).fit(X)


@pytest.mark.parametrize("classifier", [RLSClassifier(), LinearSVC()])
def test_it_serves_any_classifier(classifier):
    X, y = text_like(30, 90, 3)
    model = ReduceThenFit(BSS(), classifier, size=60).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.9
