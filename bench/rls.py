"""Ridge, 20 alphas by leave-one-out: RLSClassifier against scikit-learn's RidgeClassifierCV.

2,000 generated documents of about 150 distinct words out of 60,000 by Zipf's law, ltc weights, 20
classes. Both factorize the same Gram matrix once. Interleaved runs by wall time, medians of the
ratio, one thread of BLAS. Also, without a bar: one alpha on 5,000 selected words, against
RidgeClassifier.

We know of no exact method that reaches 4x. RidgeClassifierCV takes as long as about 12 side³
operations of a matrix product, so 3 side³ are left. Reducing a symmetric matrix to tridiagonal form
with its basis takes 8/3 side³ already, half of them slower than in a product.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import RidgeClassifier, RidgeClassifierCV
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from bench.texts import Labels, shape, text_like
from laconic.classifiers.ridge import RLSClassifier

REPEATS = 5
N_WORDS = 180
ALPHAS = np.logspace(-3, 3, 20)


def rows() -> list[Row]:
    with threadpool_limits(1):
        X, y = text_like(2_000, 60_000, N_WORDS)
        RLSClassifier(alpha="loo").fit(X[:40], y[:40])  # compiles
        return [
            *(leave_one_out(X, y, intercept) for intercept in (False, True)),
            one_alpha(*text_like(8_000, 5_000, N_WORDS)),
        ]


def leave_one_out(X: csr_array, y: Labels, intercept: bool) -> Row:
    ours = RLSClassifier(alpha="loo", alphas=ALPHAS, fit_intercept=intercept)
    peer = RidgeClassifierCV(ALPHAS, fit_intercept=intercept)
    key = "rls.leave-one-out.intercept" if intercept else "rls.leave-one-out"
    what = f"20 alphas by leave-one-out, {shape(X)}, 20 classes, fit_intercept={intercept}, wall"
    return compared(key, what, ours, peer, X, y)


def one_alpha(X: csr_array, y: Labels) -> Row:
    ours, peer = RLSClassifier(), RidgeClassifier(fit_intercept=False, tol=1e-10)
    return compared("rls.one", f"one alpha, {shape(X)}, 20 classes, wall", ours, peer, X, y)


def compared(key: str, what: str, ours: Any, peer: Any, X: csr_array, y: Labels) -> Row:
    mine, theirs = interleaved(REPEATS, lambda: ours.fit(X, y), lambda: peer.fit(X, y))
    # speed counts only for the right result
    assert getattr(ours, "alpha_", None) == getattr(peer, "alpha_", ours.alpha_), "alphas differ"
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-6 * np.abs(peer.coef_).max())
    name = f"{type(peer).__name__}, same coefficients"
    return row(key, what, name, mine.wall, theirs.wall)
