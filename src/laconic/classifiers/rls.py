"""`RLSClassifier`: regularized least squares classification, on all the columns it is given."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.classifiers.path import Deciding, read_documents
from laconic.errors import LaconicError
from laconic.model import LinearModel
from laconic.numerics.ridge import ridge
from laconic.reduction import Matrix


class RLSClassifier(Deciding):
    """One regression on ±1 a class: min ‖Xw − y‖² + alpha ‖w‖² (Dasgupta et al. 2007, eq. 4).

    Parameters
    ----------
    alpha : float, default=1.0
        The paper's λ; no 1/n in it. 0 gives the least-norm least-squares solution.
    fit_intercept : bool, default=False
        An intercept without penalty. The paper has none.

    Attributes
    ----------
    model_ : LinearModel
    classes_ : array
    coef_, intercept_ : arrays of shape (n_rows, n_terms) and (n_rows,)
    """

    def __init__(self, *, alpha: float = 1.0, fit_intercept: bool = False) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Train on documents and their classes, or on an indicator matrix of labels."""
        if not (np.isfinite(self.alpha) and self.alpha >= 0):
            raise LaconicError(f"alpha={self.alpha}: must be a number of at least 0")
        documents, targets = read_documents(self, X, y)
        coef, intercept = ridge(documents, targets.signs, self.alpha, self.fit_intercept)
        size = documents.shape[1]
        return self._keep(LinearModel(coef, intercept, targets.classes, size, rule=targets.rule))

    @property
    def coef_(self) -> NDArray[np.float64]:
        return self.model_.coef

    @property
    def intercept_(self) -> NDArray[np.float64]:
        return self.model_.intercept
