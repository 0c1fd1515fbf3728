from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
from sklearn.pipeline import make_pipeline

from laconic import LDA, LSI, RandomProjection, ReduceThenFit, RLSClassifier, TopTerms
from laconic.errors import LaconicError, SizeUnavailable
from laconic.projections.lda import memberships
from laconic.scores import information_gain
from laconic.testing import check_path, check_reducer
from tests.numerics.spectral.discriminant_oracles import directions_by_eigh
from tests.strategies import text_like

FIRSTS = [LSI(9), RandomProjection(9), TopTerms(size=9)]


def one_hot(y):
    return (np.asarray(y)[:, None] == np.unique(y)).astype(float)


def upright(W):
    return W * np.sign(W[np.abs(W).argmax(axis=0), np.arange(W.shape[1])])


@pytest.mark.parametrize("form", [csr_array, csc_array, csr_array.toarray])
@pytest.mark.parametrize("size", [None, 7])
def test_on_documents_themselves_it_is_the_dense_oracle(form, size):
    X, y = text_like(60, 40, 4)
    lda = LDA(size=size).fit(form(X), np.array(["d", "a", "c", "b"])[y])
    expected, theta = directions_by_eigh(X.toarray(), one_hot(y), 3.0, size or 3)
    cut = lda.at(size)
    np.testing.assert_allclose(cut.components, upright(expected[:, : cut.size]), atol=1e-8)
    np.testing.assert_allclose(lda.ratios_[: cut.size], theta[: cut.size], rtol=1e-8)


@pytest.mark.parametrize("first", FIRSTS)
@pytest.mark.parametrize("size", [None, 7])
def test_behind_a_first_reduction_it_equals_the_two_steps(first, size):
    X, y = text_like(60, 40, 4)
    lda = LDA(first, size=size).fit(X, y)
    before = first.fit(X, y).at(9)
    Z = before.apply(X)
    Z = Z.toarray() if hasattr(Z, "toarray") else Z
    W = directions_by_eigh(Z, one_hot(y), 0.01, size or 3)[0][:, : size or 3]
    both = lda.at(size)
    y_signed = np.sign((both.apply(X) * (Z @ W)).sum(axis=0))
    np.testing.assert_allclose(both.apply(X), Z @ W * y_signed, atol=1e-7)
    largest = np.abs(both.components).argmax(axis=0)
    assert (both.components[largest, np.arange(both.size)] > 0).all()
    assert first.size == 9, "the reducer that was given is left as it is"


def test_documents_of_several_classes_are_shared_or_ignored():
    X, y = text_like(60, 20, 3)
    Y = one_hot(y).astype(int)
    Y[::4, 0] = 1
    Y[5] = 0
    several, none = Y.sum(axis=1) > 1, Y.sum(axis=1) == 0
    shares = Y[~none] / Y[~none].sum(axis=1, keepdims=True)
    expected = directions_by_eigh(X.toarray()[~none], shares, 3.0, 2)[0]
    np.testing.assert_allclose(LDA().fit(X, Y).at(2).components, upright(expected), atol=1e-8)
    single = ~several & ~none
    alone = LDA().fit(X[single], Y[single].argmax(axis=1)).at(2).components
    ignoring = LDA(labels="ignore").fit(X, Y).at(2).components
    np.testing.assert_allclose(ignoring, alone, atol=1e-9)
    assert not np.allclose(alone, LDA().fit(X, Y).at(2).components, atol=1e-3)


def test_classes_without_documents_do_not_count():
    X, y = text_like(30, 20, 2)
    Y = np.column_stack([y == 0, np.zeros(30), y == 1]).astype(int)
    np.testing.assert_allclose(
        LDA().fit(X, Y).at(1).components, LDA().fit(X, y).at(1).components, atol=1e-9
    )
    H, counted = memberships(Y, "shared")
    assert H.shape == (30, 2)
    assert counted.tolist() == list(range(30))


@pytest.mark.parametrize("first", [None, *FIRSTS])
def test_it_keeps_our_contract_with_any_first(first):
    X, y = text_like(40, 21, 3)
    check_reducer(LDA(first, size=5), X, y)
    check_path(ReduceThenFit(LDA(first)), X, y)


def test_it_separates_what_it_was_shown():
    X, y = text_like(90, 60, 6)
    pipe = make_pipeline(LDA(size=5), RLSClassifier()).fit(X[:60], y[:60])
    assert pipe.score(X[60:], y[60:]) > 0.85


def test_first_keeps_as_many_columns_as_there_are():
    X, y = text_like(30, 12, 3)
    assert LDA(LSI(513)).fit(X, y).first_.size == 12
    assert LDA(RandomProjection(513)).fit(X, y).first_.size == 12
    assert LDA(LSI()).fit(X, y).first_.size == 12


def test_reg_is_relative_to_the_spread_within():
    X, y = text_like(60, 40, 4)
    first = LDA(reg=2.0).fit(X, y)
    scaled = LDA(reg=2.0).fit(10 * X, y)
    np.testing.assert_allclose(scaled.at(3).components, first.at(3).components / 10, atol=1e-9)
    assert (LDA().fit(X, y).reg_, LDA(LSI(9)).fit(X, y).reg_) == (3.0, 0.01)


def test_sizes_that_are_not_available_say_why():
    X, y = text_like(60, 12, 4)
    with pytest.raises(SizeUnavailable, match=r"3 directions.*size=None.*complement"):
        LDA().fit(X, y).at(4)
    with pytest.raises(SizeUnavailable, match=r"complement of 11 directions all class means"):
        LDA(size=12).fit(X, y).at(12)
    with pytest.raises(SizeUnavailable, match="longest=3"):
        LDA(size=12, longest=3).fit(X, y).at(4)
    with pytest.raises(SizeUnavailable, match="ends at 4 components because of longest=4"):
        LDA(size=12, longest=4).fit(X, y).at(5)
    with pytest.raises(SizeUnavailable, match=r"only 3 components were fitted. Fit LDA\(size=4\)"):
        LDA(size=3).fit(X, y).at(4)
    with pytest.raises(LaconicError, match="size=0: must be at least 1"):
        LDA(size=0).fit(X, y)
    assert LDA(size=0.67).fit_transform(X, y).shape == (60, 2)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"reg": -1}, "reg=-1: give a number of at least 0, or 'auto'"),
        ({"reg": "loo"}, "reg='loo'"),
        ({"reg": float("inf")}, "reg=inf"),
        ({"labels": "all"}, "labels='all': choose from shared, ignore"),
        ({"first": 513}, r"first=513: give a reducer, such as LSI\(513\)"),
        ({"longest": 1.5}, "longest=1.5: give a number of components"),
    ],
)
def test_other_parameters_are_refused(given, says):
    X, y = text_like(30, 12, 3)
    with pytest.raises(LaconicError, match=says):
        LDA(**given).fit(X, y)


def test_documents_that_cannot_be_told_apart_are_refused():
    X, _ = text_like(30, 12, 3)
    with pytest.raises(LaconicError, match="only one class"):
        LDA().fit(X, np.zeros(30))
    with pytest.raises(LaconicError, match="means of all classes are equal"):
        LDA().fit(np.array([[1.0, 2], [3, 1], [1, 2], [3, 1]]), [0, 0, 1, 1])
    with pytest.raises(LaconicError, match=r"0 classes.*Set labels=shared"):
        LDA(labels="ignore").fit(X, np.ones((30, 2), dtype=int))


def test_the_first_reducer_stays_as_it_was_given_and_learns_the_classes():
    X, y = text_like(40, 30, 3)
    seen = []

    class Watched(TopTerms):
        def fit(self, X, y=None):
            seen.append(y)
            return super().fit(X, y)

    first = Watched(information_gain, size=10)
    fitted = LDA(first, size=2).fit(X, y)
    np.testing.assert_array_equal(seen[0], y)
    assert not hasattr(first, "scores_")
    chosen = TopTerms(information_gain, size=10).fit(X, y).at(10).terms
    assert set(np.flatnonzero(fitted.at(2).components.any(axis=1))) <= set(chosen)


def test_ratios_are_those_of_the_fitted_components():
    X, y = text_like(60, 30, 4)
    fitted = LDA(longest=5, size=5).fit(X, y)
    assert fitted.ratios_.size == fitted.available_ == 5


@pytest.mark.parametrize("first", [None, LSI(6)])
def test_without_a_size_the_columns_end_with_the_rank_of_the_means(first):
    """Low: of four classes two have the same documents; there were 4 columns, in two blocks."""
    X, y = text_like(60, 40, 3)
    X = csr_array(np.vstack([X.toarray(), X.toarray()[y == 2]]))
    labels = np.concatenate([y, np.full((y == 2).sum(), 3)])
    assert LDA(first).fit(X, labels).at(None).size == 2
    assert LDA(first, size=0.5).fit(X, labels).transform(X).shape[1] == 1
    more = LDA(first, size=3).fit(X, labels)
    assert more.transform(X).shape[1] == 3, "a number goes on in the complement"
    np.testing.assert_array_equal(more.at(2).components, LDA(first).fit(X, labels).at(2).components)
