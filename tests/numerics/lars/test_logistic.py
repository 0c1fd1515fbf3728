"""The path of the logistic loss, at its points and between them, against damped Newton steps."""

from __future__ import annotations

from itertools import islice, pairwise

import numpy as np
import pytest

from laconic.numerics.lars.fast import fast_lars
from tests.numerics.lars.oracles import logistic_between, next_logistic_entry
from tests.numerics.lars.test_path import problem


def rare(n_docs=400, n_terms=60, seed=0):
    """A rare class and a word that nearly names it: the first jump leads far."""
    rng = np.random.default_rng(seed)
    y_signed = np.where(rng.random(n_docs) < 0.05, 1.0, -1.0)
    X = (rng.random((n_docs, n_terms)) < 0.1) * rng.random((n_docs, n_terms))
    X[:, 0] = np.where(y_signed > 0, 0.3, 0.0) * (rng.random(n_docs) < 0.8)
    X[: n_docs // 100, 0] += 0.1
    return X, y_signed


def check_way(X, y_signed, point, alpha, shares=(0.3, 0.6, 0.9, 1.0), slack=1e-8):
    """At and between two points: |g| = λ₁ with the right sign inside, |g| ≤ λ₁ outside.

    The features of `point` are followed from where the last of them entered to where the next does,
    with coefficients by the oracle, which gets only the features and signs of the path.
    """
    a, b, first = point.entry_l1[-1], point.l1, point.entry_l1[0]
    start = np.append(point.coef, point.intercept)
    entry_signs = entry_signs_of(X, y_signed, point, alpha)
    for share in shares:
        l1 = a + share * (b - a)
        beta, g = logistic_between(X, y_signed, point.columns, entry_signs, alpha, l1, start)
        np.testing.assert_allclose(g[point.columns], l1 * entry_signs, rtol=0, atol=slack * first)
        assert np.abs(g).max() <= l1 + slack * first
        if share == 1.0:
            scale = 1.0 + np.abs(beta).max()
            np.testing.assert_allclose(start, beta, rtol=0, atol=1e-6 * scale)


def entry_signs_of(X, y_signed, point, alpha):
    _, g = logistic_gradient(X, y_signed, point, alpha)
    return np.sign(g[point.columns])


def logistic_gradient(X, y_signed, point, alpha):
    margins = y_signed * (X[:, point.columns] @ point.coef + point.intercept)
    g = np.asarray(X.T @ (-y_signed / (1.0 + np.exp(margins))))
    g[point.columns] += alpha * point.coef
    return margins, g


@pytest.mark.parametrize("alpha", [0.0, 0.1])
@pytest.mark.parametrize("make", [rare, lambda: problem(150, 60, 1), lambda: rare(300, 30, 3)])
def test_n1_the_logistic_path_holds_at_every_point_and_between(make, alpha):
    X, y_signed = make()
    points = list(islice(fast_lars(X, y_signed, loss="logistic", alpha=alpha), 15))
    assert points[-1].size == 15 or points[-1].ending in ("finished", "saturated")
    assert points[-1].size > 5
    for point in points:
        if point.l1 > 1e-5 * point.entry_l1[0]:
            check_way(X, y_signed, point, alpha)


@pytest.mark.parametrize("alpha", [0.0, 0.01])
def test_n1_the_next_word_is_that_of_bisection(alpha):
    """N1: the second to fourth word of a rare class; without damping the path ended early."""
    X, y_signed = rare(seed=3)
    points = list(islice(fast_lars(X, y_signed, loss="logistic", alpha=alpha), 4))
    for here, ahead in pairwise(points):
        start = np.append(here.coef, here.intercept)
        entry_signs = entry_signs_of(X, y_signed, here, alpha)
        l1, column = next_logistic_entry(
            X, y_signed, here.columns, entry_signs, alpha, here.entry_l1[-1], start
        )
        assert column == ahead.columns[-1]
        assert l1 == pytest.approx(here.l1, abs=1e-8 * here.entry_l1[0])
