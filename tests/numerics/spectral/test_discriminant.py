from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from laconic.errors import LaconicError
from laconic.numerics.spectral.discriminant import Scatter, discriminants, reduced_discriminants
from tests.numerics.spectral.discriminant_oracles import directions_by_eigh, scatter_by_documents
from tests.strategies import text_like

ROUTES = [discriminants, reduced_discriminants]


def shares(y) -> csr_array:
    return csr_array((np.asarray(y)[:, None] == np.unique(y)).astype(float))


def shared_among_several(n_docs: int, n_classes: int) -> csr_array:
    belongs = np.random.default_rng(1).random((n_docs, n_classes)) < 0.4
    belongs[np.arange(n_docs), np.arange(n_docs) % n_classes] = True
    return csr_array(belongs / belongs.sum(axis=1, keepdims=True))


def taken(blocks, size):
    """The first `size` directions and ratios, or all where there are fewer."""
    W, ratios = [], []
    for block in blocks:
        W.append(block.directions)
        ratios.append(block.ratios)
        if sum(map(len, ratios)) >= size:
            break
    return np.hstack(W)[:, :size], np.concatenate(ratios)[:size]


def upright(W):
    return W * np.sign(W[np.abs(W).argmax(axis=0), np.arange(W.shape[1])])


@pytest.mark.parametrize("several", [False, True])
def test_covariances_are_those_of_the_definition(several):
    X, y = text_like(40, 12, 4)
    H = shared_among_several(40, 4) if several else shares(y)
    S_w, S_b = scatter_by_documents(X.toarray(), H.toarray())
    for form in (csr_array, csc_array, csr_array.toarray):
        scatter = Scatter.of(form(X), H, 0.5)
        S = S_w + 0.5 * np.trace(S_w) / 12 * np.eye(12)
        np.testing.assert_allclose(scatter.apply(np.eye(12)), S, atol=1e-12)
        np.testing.assert_allclose(scatter.M @ scatter.M.T, S_b, atol=1e-12)
        np.testing.assert_allclose(scatter.diagonal, S.diagonal(), atol=1e-12)
    np.testing.assert_allclose(scatter.within(), S, atol=1e-12)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("reg", [0.01, 3.0])
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("size", [3, 10])
def test_directions_are_those_of_the_dense_eigenproblem(route, reg, several, size):
    """10 directions of 4 classes: three blocks and a part of the fourth."""
    X, y = text_like(60, 25, 4)
    H = shared_among_several(60, 4) if several else shares(y)
    W, ratios = taken(route(X.toarray(), H, reg), size)
    expected, theta = directions_by_eigh(X.toarray(), H.toarray(), reg, size)
    np.testing.assert_allclose(ratios, theta[:size], rtol=1e-8)
    np.testing.assert_allclose(upright(W), upright(expected[:, :size]), atol=1e-8)


@pytest.mark.parametrize("form", [csr_array, csc_array])
def test_sparse_documents_give_the_same_and_are_never_made_dense(form, monkeypatch):
    X, y = text_like(60, 300, 4)
    made = form.toarray

    def only_means(matrix, *args, **options):
        assert 60 not in matrix.shape, "documents were made dense"
        return made(matrix, *args, **options)

    monkeypatch.setattr(form, "toarray", only_means)
    W, ratios = taken(discriminants(form(X), shares(y), 3.0), 8)
    monkeypatch.undo()
    expected, theta = directions_by_eigh(X.toarray(), shares(y).toarray(), 3.0, 8)
    np.testing.assert_allclose(ratios, theta[:8], rtol=1e-8)
    np.testing.assert_allclose(upright(W), upright(expected[:, :8]), atol=1e-8)


@pytest.mark.parametrize("route", ROUTES)
def test_without_regularization_directions_are_scikit_learns(route):
    """Its solver weighs classes and divides by N as we do, but has another scale."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), [40, 60, 25, 75])
    X = rng.normal(size=(200, 8)) @ rng.normal(size=(8, 8)) + rng.normal(size=(4, 8))[y]
    peer = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    W, ratios = taken(route(X, shares(y), 0.0), 3)
    theirs = peer.scalings_[:, :3]
    unit = upright(W / np.linalg.norm(W, axis=0))
    np.testing.assert_allclose(unit, upright(theirs / np.linalg.norm(theirs, axis=0)), atol=1e-8)
    np.testing.assert_allclose(ratios / ratios.sum(), peer.explained_variance_ratio_, atol=1e-8)


@settings(max_examples=50)
@given(st.integers(2, 5), st.integers(1, 20), st.integers(0, 99), st.sampled_from([0.1, 1.0, 5.0]))
def test_both_routes_agree_on_any_documents(n_classes, n_terms, seed, reg):
    """Also on one-document classes, equal documents and empty words."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(12, n_terms)) * (rng.random((12, n_terms)) < 0.5) * 1.0
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=12 - n_classes)])
    H = shares(y)
    S_w, S_b = scatter_by_documents(X, H.toarray())
    assume(np.trace(S_w) > 0.1)
    assume(np.trace(S_b) > 1e-9)
    S = S_w + reg * np.trace(S_w) / n_terms * np.eye(n_terms)
    found = [taken(route(X, H, reg), n_terms) for route in ROUTES]
    for W, ratios in found:
        first = slice(0, np.linalg.matrix_rank(S_b, tol=1e-8))
        block = W[:, first]
        np.testing.assert_allclose(block.T @ S @ block, np.eye(block.shape[1]), atol=1e-7)
        np.testing.assert_allclose(block.T @ S_b @ block, np.diag(ratios[first]), atol=1e-7)
        np.testing.assert_allclose(np.diag(W.T @ S @ W), 1.0, atol=1e-7)
    by_products, by_factors = (ratios[ratios > 1e-4 * ratios[0]] for _, ratios in found)
    np.testing.assert_allclose(by_products, by_factors, rtol=1e-5)


@pytest.mark.parametrize("route", ROUTES)
def test_blocks_are_orthogonal_to_those_before_and_end_with_the_space(route):
    """All documents have 40 words, so that one of 12 directions has no information."""
    X, y = text_like(60, 12, 4)
    blocks = list(route(X.toarray(), shares(y), 1.0))
    assert [block.ratios.size for block in blocks] == [3, 3, 3, 2]
    for i, later in enumerate(blocks):
        for before in blocks[:i]:
            np.testing.assert_allclose(before.directions.T @ later.directions, 0, atol=1e-8)
        assert (np.diff(later.ratios) <= 0).all()


@pytest.mark.parametrize("route", ROUTES)
def test_a_class_of_one_document_adds_nothing_to_the_spread_within(route):
    X, y = text_like(40, 6, 3)
    dense = np.vstack([X.toarray(), 100 * np.ones(6)])
    labels = np.append(y, 3)
    spread = Scatter.of(dense, shares(labels), 0.0).apply(np.eye(6))
    alone = Scatter.of(X.toarray(), shares(y), 0.0).apply(np.eye(6))
    np.testing.assert_allclose(spread * 41, alone * 40, rtol=1e-9, atol=1e-9)
    assert next(route(dense, shares(labels), 1.0)).ratios.size == 3


@pytest.mark.parametrize("route", ROUTES)
def test_equal_class_means_give_no_block(route):
    X = np.array([[1.0, 2], [3, 1], [1, 2], [3, 1]])
    assert not list(route(X, shares([0, 0, 1, 1]), 1.0))


@pytest.mark.parametrize("route", ROUTES)
def test_as_many_directions_as_differing_means(route):
    """Two of four classes have the same documents."""
    X, y = text_like(40, 30, 4)
    dense = X.toarray()
    dense[y == 3] = dense[y == 2]
    assert next(route(dense, shares(y), 1.0)).ratios.size == 2


@pytest.mark.parametrize("route", ROUTES)
def test_a_spread_without_an_inverse_is_refused(route):
    X, y = text_like(20, 40, 3)
    with pytest.raises(LaconicError, match="larger reg"):
        list(islice(route(X.toarray(), shares(y), 0.0), 1))


@pytest.mark.parametrize("find", [discriminants, reduced_discriminants])
def test_documents_that_are_alike_within_classes_have_no_directions(find):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(4, 6)), 3, axis=0)
    H = np.repeat(np.eye(4), 3, axis=0)
    with pytest.raises(LaconicError, match="all documents of a class are identical"):
        next(find(X, csr_array(H), 3.0))


def test_blocks_stay_orthogonal_where_words_have_very_different_weights():
    """One orthogonalisation against those before would leave 1e-6 of them."""
    X, y = text_like(60, 30, 4)
    weights = np.random.default_rng(0).permutation(10.0 ** np.linspace(-3, 3, 30))
    blocks = list(discriminants(csr_array(X.toarray() * weights), shares(y), 1e-4))
    W = [block.directions / np.linalg.norm(block.directions, axis=0) for block in blocks]
    assert len(W) == 10
    for i, later in enumerate(W):
        for before in W[:i]:
            np.testing.assert_allclose(before.T @ later, 0, atol=1e-8)


def told_apart_in(n_dimensions: int, seed: int):
    """Classes differ in so many dimensions, which vary independently of twenty others; turned.

    Each document comes twice, the other dimensions with the other sign: no mean differs in these,
    and nothing within the classes mixes both.
    """
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 4
    telling = rng.normal(size=(40, n_dimensions)) * 10.0 ** rng.uniform(-2, 2, n_dimensions)
    telling += rng.normal(size=(4, n_dimensions))[y]
    others = rng.normal(size=(40, 20)) * 10.0 ** rng.uniform(-2, 2, 20)
    X = np.vstack([np.hstack([telling, others]), np.hstack([telling, -others])])
    turn = np.linalg.qr(rng.normal(size=(n_dimensions + 20,) * 2))[0]
    return X @ turn, np.tile(y, 2)


@pytest.mark.parametrize(("seed", "reg"), [(0, 0.01), (1, 1.0)])
def test_what_conjugate_gradients_leave_of_class_means_is_no_direction(seed, reg):
    """A stricter border goes on into rounding in the first case, a laxer stops short in the other.

    In exact numbers the directions stay in the dimensions that tell the classes apart.
    """
    X, y = told_apart_in(6, seed)
    assert [block.ratios.size for block in discriminants(X, shares(y), reg)] == [3, 3]
