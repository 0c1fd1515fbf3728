"""What a certificate says of a reduction alone, and of what its method promised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from laconic import ReduceThenFit, RLSClassifier, Selection
from laconic.certificate import NotComputed, certify
from laconic.numerics.bounds import suprema as of
from laconic.reduction import Promise
from laconic.selectors.bss import BSS
from tests.certificate.cases import RNG, case, model_behind
from tests.oracles import span_by_svd
from tests.strategies import counts, text_like


@pytest.mark.full
@settings(max_examples=100)
@given(counts(max_docs=8, max_terms=8), st.integers(0, 10**6))
def test_the_distortion_is_that_of_the_dense_matrices(X, seed):
    """M̂ = U'SU on the basis of numpy's SVD, for weights and for projections."""
    if X.shape[0] < 2:
        X = np.vstack([X, X])
    X, _, reduction, _, full, small, _ = case(seed, 2, X)
    part = certify(full, small, X, reduction=reduction).distortion
    if isinstance(part, NotComputed):
        assert "not 0" in part.reason
        return
    U, _, _ = span_by_svd(X.toarray())
    S = of.dense(reduction.lift(reduction.apply(np.eye(X.shape[1]))))
    M_hat = U.T @ S @ U
    values = np.linalg.eigvalsh(M_hat)
    assert part.rank == U.shape[1]
    assert (part.m, part.M) == pytest.approx((values[0], values[-1]), abs=1e-9)
    assert part.epsilon == pytest.approx(np.linalg.norm(M_hat - np.eye(len(M_hat)), 2), abs=1e-9)
    off = U.T @ S @ (np.eye(X.shape[1]) - U @ U.T)
    assert part.off_span == pytest.approx(np.linalg.norm(off, 2), abs=1e-5)


def promising(low, high, rank, sigma=(4.0, 2.0, 0.5), squares=(0.7, 1.4, 0.4)):
    """U = e₁, e₂, e₃ in the first three words, so that M̂ is the diagonal of the squares."""
    X = csr_array(np.hstack([np.diag(sigma), np.zeros((3, 1))]))
    reduction = Selection([0, 1, 2], np.sqrt(squares), 4, Promise(rank, low, high))
    y = [0, 1, 0]
    full = RLSClassifier(alpha=0.3).fit(X, y).model_
    return X, y, reduction, full, model_behind(reduction, X, y, 0.3)


@pytest.mark.parametrize(
    ("rank", "low", "high", "found", "kept", "factor"),
    [
        (1, 0.7, 0.7, (0.7, 0.7), True, None),
        (1, 0.7 + 1e-6, 2.0, (0.7, 0.7), False, None),
        (2, 0.7, 1.4, (0.7, 1.4), True, None),
        (2, 0.5, 1.4 - 1e-6, (0.7, 1.4), False, None),
        (3, 0.25, 2.25, (0.4, 1.4), True, 1 / 3),
        (3, 0.25, 9.0, (0.4, 1.4), True, 1 / 2),
        (3, 0.5, 2.25, (0.4, 1.4), False, None),
    ],
)
def test_a_promise_is_checked_on_the_directions_it_is_about(rank, low, high, found, kept, factor):
    X, y, reduction, full, small = promising(low, high, rank)
    certificate = certify(full, small, X, y, reduction, 0.3)
    part = certificate.promise
    assert (part.rank, part.low, part.high, part.kept) == (rank, low, high, kept)
    assert (part.m, part.M) == pytest.approx(found)
    assert part.factor == (None if factor is None else pytest.approx(factor))
    whole = certificate.distortion
    assert (whole.rank, whole.m, whole.M) == (3, pytest.approx(0.4), pytest.approx(1.4))
    flat, said = certificate.as_dict(), certificate.summary()
    assert (flat["promise.kept"], flat["promise.m"]) == (kept, part.m)
    assert f"computed independently they are {found[0]:.3g} to {found[1]:.3g}" in said
    assert ("promise is kept" in said, "promise is broken" in said) == (kept, not kept)
    assert (f"by at most {factor or 0:.3g}·‖a‖‖y‖" in said) == (factor is not None)
    assert ("not about all directions" in said) == (kept and rank < 3)


@given(st.integers(0, 10**6), st.integers(1, 5))
def test_a_promise_about_leading_directions_meets_those_of_the_svd(seed, rank):
    rng = RNG(seed)
    X = csr_array(rng.normal(size=(6, 10)) * [[5.0], [4], [3], [2], [1], [0.5]])
    reduction = Selection(rng.permutation(10)[:8], rng.uniform(0.5, 1.5, 8), 10)
    U, _, _ = span_by_svd(X.toarray())
    S = reduction.lift(reduction.apply(np.eye(10))).toarray()
    values = np.linalg.eigvalsh(U[:, :rank].T @ S @ U[:, :rank])
    m, M = values[0], values[-1]
    y = np.arange(6) % 2
    full = RLSClassifier().fit(X, y).model_
    for low, high, kept in (
        (m, M, True),
        (m * 0.9, M * 1.1, True),
        (m + 1e-6, M + 1, False),
        (m / 2, max(M - 1e-6, m / 2), False),
    ):
        promising_selection = Selection(
            reduction.terms, reduction.weights, 10, Promise(rank, low, high)
        )
        part = certify(
            full, replace(full, normalize="selected"), X, reduction=promising_selection
        ).promise
        assert (part.m, part.M) == pytest.approx((m, M))
        assert part.kept == kept
        assert part.factor is None, "6 directions, of which at most 5 were promised"


def test_the_factor_of_a_promise_bounds_the_realised_one():
    """s/(2 − s) for rank 3 and size 12, beside what the eigenvalues give."""
    s = np.sqrt(3 / 12)
    X, y, reduction, full, small = promising((1 - s) ** 2, (1 + s) ** 2, 3)
    certificate = certify(full, small, X, y, reduction, 0.3)
    assert certificate.promise.factor == pytest.approx(s / (2 - s))
    assert certificate.in_span.factor < certificate.promise.factor


@pytest.mark.parametrize(
    ("rank", "sigma", "says"),
    [
        (4, (4.0, 2.0, 0.5), "about 4 directions, but X has rank 3"),
        (1, (2.0, 2.0, 0.5), "about the 1 leading directions of X, but the next singular value"),
        (2, (4.0, 1.0, 1.0 - 1e-15), "not determined"),
    ],
)
def test_a_promise_that_cannot_be_checked_says_why(rank, sigma, says):
    X, y, reduction, full, small = promising(0.1, 2.0, rank, sigma)
    certificate = certify(full, small, X, y, reduction, 0.3)
    assert says in certificate.promise.reason
    assert f"Promise: not computed: {certificate.promise.reason}." in certificate.summary()
    assert certificate.distortion.m == pytest.approx(0.4), "which needs no directions"


def test_a_promise_about_the_whole_row_space_needs_no_gaps():
    X, y, reduction, full, small = promising(0.4, 1.4, 3, sigma=(2.0, 2.0, 2.0))
    assert certify(full, small, X, y, reduction, 0.3).promise.kept


def test_promises_have_a_place_only_where_they_were_made():
    X, y, reduction, full, small = promising(0.1, 2.0, 3)
    limited = certify(full, small, X, y, reduction, 0.3, span_limit=2)
    assert limited.promise == limited.distortion == limited.span
    assert "span_limit" in limited.promise.reason
    silent = Selection(reduction.terms, reduction.weights, 4)
    certificate = certify(full, small, X, y, silent, 0.3)
    assert certificate.promise is None
    assert "promise" not in certificate.parts()
    assert "The method promised" not in certificate.summary()
    assert not [key for key in certificate.as_dict() if key.startswith("promise")]


def test_lemma_6_fails_and_the_certificate_says_so():
    """ERRATA E2: 1,000 equal words, 40 selected with weights: ε̂ = 0, the ratio 4.9."""
    X, y = csr_array(np.ones((2, 1000)) * [[1.0], [2.0]]), [0, 1]
    reduction = Selection(np.arange(40) * 25, np.full(40, 5.0), 1000)
    full = RLSClassifier().fit(X, y).model_
    certificate = certify(full, model_behind(reduction, X, y, 1.0), X, y, reduction, 1.0)
    assert certificate.in_span.epsilon == pytest.approx(0, abs=1e-9)
    assert certificate.in_span.off_span == pytest.approx(np.sqrt(24))
    assert certificate.as_dict()["distortion.off_span"] == pytest.approx(4.9, abs=2e-3)
    assert "a product of up to 4.9 with a mixture" in certificate.summary()


@pytest.mark.parametrize("normalization", ["all", "selected"])
@pytest.mark.parametrize(("rank", "size"), [(None, 60), (None, 150), (5, 12)])
def test_bss_keeps_its_promise_on_a_basis_that_it_has_not_seen(rank, size, normalization):
    """Lemma 1, for whatever model is trained behind it."""
    X, y = text_like(40, 200, 2)
    full = RLSClassifier().fit(X, y).model_
    method = ReduceThenFit(BSS(rank=rank), RLSClassifier(), size=size, normalize=normalization).fit(
        X, y
    )
    certificate = certify(full, method.model_, X, y, method.reduction_, 1.0)
    part, directions = certificate.promise, rank or np.linalg.matrix_rank(X.toarray())
    s = np.sqrt(directions / size)
    assert (part.low, part.high) == pytest.approx(((1 - s) ** 2, (1 + s) ** 2))
    assert (part.rank, part.kept) == (directions, True)
    assert part.factor == (None if rank else pytest.approx(s / (2 - s)))
    if rank is None:
        assert (part.m, part.M) == (certificate.distortion.m, certificate.distortion.M)
    else:
        assert certificate.distortion.m < part.m - 0.05, "it promised nothing of the rest"
