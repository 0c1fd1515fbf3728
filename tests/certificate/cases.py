"""Cases for certificates, from a seed; and that no statement about one is violated."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from laconic import LinearModel, Projection, RLSClassifier, Selection
from laconic.certificate import NotComputed, certify, serving_interval
from tests.oracles import span_by_svd

RNG = np.random.default_rng


def unit(rows):
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-10)


def model_behind(reduction, X, y, alpha, **options):
    classifier = RLSClassifier(alpha=alpha, **options).fit(reduction.apply(X), y)
    lifted = reduction.lift(np.atleast_2d(classifier.coef_))
    model = classifier.model_
    return LinearModel(lifted, model.intercept, model.classes, reduction.size, rule=model.rule)


def case(seed, n_classes=3, X=None, alpha=None, intercept=False):
    """Documents, labels, a reduction, both models and held-out documents, all from a seed."""
    rng = RNG(seed)
    if X is None:
        X = rng.poisson(0.7, size=(rng.integers(2, 12), rng.integers(2, 14))).astype(float)
        X[:, 0] += 1
    X = unit(X) if rng.random() < 0.5 else X
    n_docs, n_terms = X.shape
    size = rng.integers(1, n_terms + 1)
    terms = rng.permutation(n_terms)[:size]
    weights = rng.choice([np.ones(size), rng.uniform(0.2, 2.5, size)])
    reduction = Selection(terms, weights, n_terms)
    if rng.random() < 0.15:
        reduction = Projection(rng.normal(size=(n_terms, size)) / np.sqrt(size))
    elif rng.random() < 0.3:  # near the identity, so that the theorems' premise holds
        reduction = Selection(np.arange(n_terms), rng.uniform(0.85, 1.2, n_terms), n_terms)
    alpha = float(10 ** rng.uniform(-3, 2)) if alpha is None else alpha
    if n_classes == "labels":
        y = rng.integers(0, 2, size=(n_docs, 3))
        y[0, 0] = 1 - y[-1, 0]
    else:
        y = np.arange(n_docs) % min(n_classes, n_docs)
    X = csr_array(X)
    full = RLSClassifier(alpha=alpha, fit_intercept=intercept).fit(X, y).model_
    small = model_behind(reduction, X, y, alpha, fit_intercept=intercept)
    H = rng.poisson(0.8, size=(12, n_terms)).astype(float)
    H[:3] = rng.random((3, n_docs)) @ X.toarray()
    return X, y, reduction, alpha, full, small, csr_array(H)


def check_no_certificate_is_violated(X, y, reduction, alpha, full, small, H, rng):
    """Every inequality of the certificate, at random documents, beyond 1e-9 relative."""
    certificate = certify(full, small, X, y, reduction, alpha, H, 0.8)
    dense = H.toarray()
    change = small.decision(H) - full.decision(H)
    lengths = np.linalg.norm(dense, axis=1)[:, None]
    room = 1e-9 * (1 + np.abs(full.decision(H)).max() + np.abs(small.decision(H)).max())
    suprema = certificate.suprema
    assert (change <= lengths * suprema.up + room).all()
    assert (-change <= lengths * suprema.down + room).all()
    queries = rng.normal(size=(20, X.shape[1]))
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    anywhere = np.abs(small.decision(queries) - full.decision(queries))
    assert (anywhere <= np.array(suprema.everywhere) + room).all()
    assert (np.array(suprema.floor) <= np.array(suprema.everywhere) + room).all()
    assert (np.array(suprema.floor_any) <= np.array(suprema.floor) + room).all()
    check_interval(small, full, dense, lengths, room)
    if isinstance(certificate.span, NotComputed):
        assert "ill-conditioned" in certificate.span.reason or "not 0" in certificate.span.reason
        return certificate
    check_span(certificate, X, full, small, rng)
    check_queries(certificate, change, room)
    return certificate


def check_interval(small, full, documents, lengths, room):
    terms = small.features
    low, high = np.moveaxis(
        serving_interval(full, terms, documents[:, terms], lengths.ravel()), -1, 0
    )
    values = full.decision(documents)
    assert (low - room <= values).all()
    assert (values <= high + room).all()


def check_span(certificate, X, full, small, rng):
    U, _, _ = span_by_svd(X.toarray())
    change = small.decision(np.eye(X.shape[1])) - full.decision(np.eye(X.shape[1]))
    inside = U @ rng.normal(size=(U.shape[1], 20))
    outside = rng.normal(size=(X.shape[1], 20))
    outside -= U @ (U.T @ outside)
    for documents, most in ((inside, certificate.span.inside), (outside, certificate.span.outside)):
        found = np.abs(change.T @ documents) / np.maximum(np.linalg.norm(documents, axis=0), 1e-3)
        assert (found <= np.array(most)[:, None] * (1 + 1e-9) + 1e-9).all()


def check_queries(certificate, change, room):
    bounds, in_span = certificate.query_bounds, certificate.in_span
    assert bounds is not None, certificate.in_span
    assert in_span.attained <= in_span.bound * (1 + 1e-9) + room
    np.testing.assert_allclose(bounds.change, np.abs(change), atol=room)
    total = (bounds.in_span + bounds.off_span)[:, None]
    assert (bounds.change <= total * (1 + 1e-9) + room).all()
    assert (bounds.in_span_change <= bounds.in_span[:, None] * (1 + 1e-9) + room).all()
    assert (bounds.change <= bounds.theorem_1 * (1 + 1e-9) + room).all(), "repaired Theorem 1"
    printed = bounds.theorem_1_printed[:, None] * (1 + 1e-9) + room
    premise = bounds.epsilon <= 0.5
    assert (bounds.change <= printed)[premise].all(), "Theorem 1 for λ > 0 survives"
    assert (bounds.theorem_1 <= printed)[premise].all()
    if in_span.premise:
        assert (bounds.in_span_change <= bounds.theorem_2 * (1 + 1e-9) + room).all(), "Theorem 2"
