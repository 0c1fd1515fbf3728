"""`SVMClassifier`: linear support vector machines, one a class, on the columns they are given."""

from __future__ import annotations

import warnings
from typing import Literal, NamedTuple, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse, vstack
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from laconic.classifiers.path import LinearDeciding, read_documents
from laconic.errors import LaconicError, LaconicWarning
from laconic.model import LinearModel
from laconic.reduction import Matrix

Floats: TypeAlias = NDArray[np.float64]
Loss: TypeAlias = Literal["squared_hinge", "hinge"]

# Where the solvers stop: the gradient relative to the first one, and the violation of a margin.
TOLERANCE = {"squared_hinge": 1e-10, "hinge": 1e-6}
LIBLINEAR_STEPS = {"squared_hinge": 10_000, "hinge": 100_000}
LIBSVM_STEPS = 10_000_000
# liblinear penalises the intercept as the weight of a column of this number: b²/10⁴ instead of b².
INTERCEPT_COLUMN = 100.0


class Row(NamedTuple):
    """What one class's problem gave."""

    coef: Floats
    intercept: float
    solved: bool


class SVMClassifier(LinearDeciding):
    """One linear SVM a class: min Σ loss(y f) + alpha ‖w‖², f = Xw + b, y = ±1.

    Parameters
    ----------
    alpha : float, default=1.0
        The ridge λ, the same as of RLSClassifier; above 0. In the notation ½ ‖w‖² + C Σ loss it is
        C = 1/(2 alpha), for both losses.
    fit_intercept : bool, default=True
        An intercept b without penalty (with the squared hinge: alpha b²/10⁴, a trace of one).
    loss : "squared_hinge" or "hinge", default="squared_hinge"
        max(0, 1 − y f)², or max(0, 1 − y f). The hinge with an intercept is solved by libsvm, whose
        time grows with the square of the number of documents; all else by liblinear.

    Attributes
    ----------
    model_ : LinearModel
    classes_ : array
    coef_, intercept_ : arrays of shape (n_rows, n_terms) and (n_rows,)
    """

    def __init__(
        self, alpha: float = 1.0, *, fit_intercept: bool = True, loss: Loss = "squared_hinge"
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.loss = loss

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Train on documents and their classes, or on an indicator matrix of labels."""
        self._refuse()
        documents, targets = read_documents(self, X, y)
        if issparse(documents):
            documents = _with_short_indices(documents)
        rows = [self._train(documents, signs) for signs in targets.signs.T]
        self._warn(sum(not row.solved for row in rows), len(rows))
        coef = np.vstack([row.coef for row in rows])
        intercept = np.array([row.intercept for row in rows])
        size = documents.shape[1]
        return self._keep(LinearModel(coef, intercept, targets.classes, size, rule=targets.rule))

    def _refuse(self) -> None:
        alpha = self.alpha
        number = isinstance(alpha, int | float | np.number) and not isinstance(alpha, bool)
        if not (number and np.isfinite(alpha) and alpha > 0):
            raise LaconicError(f"alpha={alpha!r}: an SVM needs a number above 0")
        if self.loss not in get_args(Loss):
            raise LaconicError(f"loss={self.loss!r}: choose from {', '.join(get_args(Loss))}")

    def _train(self, X: Matrix, signs: Floats) -> Row:
        one_sided = bool((signs == signs[0]).all())
        if one_sided and self.fit_intercept:
            return Row(np.zeros(X.shape[1]), float(signs[0]), solved=True)
        if one_sided:
            # an empty document on the other side has f = 0 for every w: it changes no optimum
            X, signs = _with_empty_document(X), np.append(signs, -signs[0])
        machine = self._machine()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(X, signs)
        coef = machine.coef_.toarray() if issparse(machine.coef_) else machine.coef_
        solved = bool(np.max(machine.n_iter_) < machine.max_iter)
        return Row(np.ravel(coef), float(np.ravel(machine.intercept_)[0]), solved)

    def _machine(self) -> BaseEstimator:
        cost = 1.0 / (2.0 * self.alpha)
        if self.loss == "hinge" and self.fit_intercept:
            return SVC(kernel="linear", C=cost, tol=TOLERANCE[self.loss], max_iter=LIBSVM_STEPS)
        return LinearSVC(
            loss=self.loss,
            dual=self.loss == "hinge",
            C=cost,
            fit_intercept=self.fit_intercept,
            intercept_scaling=INTERCEPT_COLUMN,
            tol=TOLERANCE[self.loss],
            max_iter=LIBLINEAR_STEPS[self.loss],
            random_state=0,
        )

    def _warn(self, unsolved: int, n_rows: int) -> None:
        if unsolved:
            warnings.warn(
                f"SVMClassifier: {unsolved} of {n_rows} problems did not converge with "
                f"alpha={self.alpha:g}, so that few digits of their coefficients are right. "
                "Raise alpha",
                LaconicWarning,
                stacklevel=3,
            )


def _with_short_indices(X: Matrix) -> Matrix:
    """liblinear counts in 32 bits."""
    if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32:
        return X
    if X.nnz > np.iinfo(np.int32).max:
        raise LaconicError(f"{X.nnz:,} entries: an SVM takes up to 2³¹. Select words first")
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return type(X)(parts, shape=X.shape)


def _with_empty_document(X: Matrix) -> Matrix:
    shape = (1, X.shape[1])
    if issparse(X):
        return vstack([X, csr_array(shape)], format="csr")
    return np.vstack([X, np.zeros(shape)])
