"""The L1 paths of skglm and celer, class by class, until each class has its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_array

from laconic.types import Floats

# The penalty falls by a fifth per step; after the last step it is a thousandth of the first.
STEP, MOST_STEPS = 0.8, 31
TOLERANCE = 1e-4

Words = NDArray[np.intp]


def by_skglm(X: csr_array, y: NDArray[Any], size: int) -> Words:
    from skglm import SparseLogisticRegression

    return by_path(
        lambda: SparseLogisticRegression(warm_start=True, tol=TOLERANCE), 0.5, X, y, size
    )


def by_celer(X: csr_array, y: NDArray[Any], size: int) -> Words:
    from celer import Lasso

    return by_path(lambda: Lasso(warm_start=True, tol=TOLERANCE), 1.0, X, y, size)


def by_path(
    make: Callable[[], Any], slope: float, X: csr_array, y: NDArray[Any], size: int
) -> Words:
    """The words of all classes. The penalty starts where the first word enters; `slope` is that of
    the loss at 0."""
    columns, classes = csc_matrix(X), np.unique(y)
    per_class = max(1, size // classes.size)
    words = [
        words_of(make(), slope, columns, np.where(y == label, 1.0, -1.0), per_class)
        for label in classes
    ]
    return np.unique(np.concatenate(words))


def words_of(path: Any, slope: float, X: csc_matrix, y_signed: Floats, size: int) -> Words:
    """The heaviest `size` words of the first penalty that gives as many."""
    first = slope * float(np.abs(X.T @ (y_signed - y_signed.mean())).max()) / y_signed.size
    for step in range(1, MOST_STEPS + 1):
        coef = path.set_params(alpha=first * STEP**step).fit(X, y_signed).coef_.ravel()
        if np.count_nonzero(coef) >= size:
            break
    heaviest = np.argsort(-np.abs(coef), kind="stable")[:size]
    return heaviest[coef[heaviest] != 0]
