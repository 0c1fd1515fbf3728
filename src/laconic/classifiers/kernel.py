"""`GaussianSVM`: support vector machines with a Gaussian kernel, one a class, on one matrix."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from sys import float_info
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from laconic.classifiers.path import Deciding, read_documents
from laconic.errors import LaconicError, LaconicWarning
from laconic.model import Rule, decide
from laconic.numerics.gaussian import gaussian_kernel, gaussian_sums
from laconic.reduction import Columns, Floats, Matrix

# All machines share one kernel matrix; for so many documents it takes 7 GB.
MOST_DOCUMENTS = 30_000
LIBSVM_STEPS = 10_000_000


@dataclass(frozen=True, eq=False)
class Machines:
    """f(x) = Σ dual_i · exp(−‖x − support_i‖² / width²) + intercept, one row a machine.

    A document that supports several machines stands once in `support`; where it does not support
    a machine, that one's `dual` is 0.
    """

    support: Matrix
    dual: Floats
    intercept: Floats
    width: float
    classes: NDArray[Any]
    rule: Rule

    @property
    def size(self) -> int:
        return int(self.support.shape[1])

    @property
    def features(self) -> Columns:
        return np.arange(self.size)

    @property
    def n_features(self) -> int:
        return self.size

    def decision(self, X: Matrix) -> Floats:
        """Decision values of shape (n_docs, n_rows)."""
        return gaussian_sums(X, self.support, self.width, self.dual) + self.intercept

    def predict(self, X: Matrix) -> NDArray[Any]:
        return decide(self.decision(X), self.classes, self.rule)


class Trained(NamedTuple):
    """What one class's problem gave: the documents with dual weights, and these."""

    support: Columns
    dual: Floats
    intercept: float
    solved: bool


class GaussianSVM(Deciding):
    """One SVM a class against the rest, with a Gaussian kernel; the largest output decides.

    The kernel is exp(−‖x − z‖² / width²). Its matrix is computed once for all machines, so that
    many classes cost little more than one; it takes 8 bytes a pair of training documents.

    Parameters
    ----------
    width : float, default=10.0
        Of the kernel. Documents that are much nearer to each other than that look alike: scale
        matters. scikit-learn's gamma is 1 / width².
    C : float, default=100.0
        What an error costs: min ½ ‖w‖² + C Σ max(0, 1 − y f). Both defaults are SVM Torch's.

    Attributes
    ----------
    model_ : Machines
    classes_ : array
    support_ : positions of the training documents that support any machine, ascending
    n_support_ : array of shape (n_rows,), documents that support each
    """

    def __init__(self, width: float = 10.0, C: float = 100.0) -> None:
        self.width = width
        self.C = C

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Train on documents and their classes, or on an indicator matrix of labels."""
        self._refuse()
        documents, encoding = read_documents(self, X, y)
        K = _matrix(documents, float(self.width))
        rows = [self._train(K, y_signed) for y_signed in encoding.y_signed.T]
        self._warn(sum(not row.solved for row in rows), len(rows))
        self.n_support_ = np.array([row.support.size for row in rows])
        self.support_ = np.unique(np.concatenate([row.support for row in rows]))
        dual = np.zeros((len(rows), self.support_.size))
        for own, row in zip(dual, rows, strict=True):
            own[np.searchsorted(self.support_, row.support)] = row.dual
        intercept = np.array([row.intercept for row in rows])
        support = documents[self.support_]
        width = float(self.width)
        return self._keep(
            Machines(support, dual, intercept, width, encoding.classes, encoding.rule)
        )

    def _refuse(self) -> None:
        for name in ("width", "C"):
            value = getattr(self, name)
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            sound = number and 0 < value <= float_info.max
            # the width will be squared
            if not (sound and 0 < float(value) * float(value) <= float_info.max):
                raise LaconicError(f"{name}={value!r}: a Gaussian SVM needs a number above 0")

    def _train(self, K: Floats, y_signed: Floats) -> Trained:
        if (y_signed == y_signed[0]).all():
            return Trained(np.empty(0, dtype=np.intp), np.empty(0), float(y_signed[0]), solved=True)
        machine = SVC(kernel="precomputed", C=self.C, max_iter=LIBSVM_STEPS)
        # the matrix is known to be finite: to ask for every class takes longer than many trainings
        with warnings.catch_warnings(), config_context(assume_finite=True):
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(K, y_signed)
        solved = bool(np.max(machine.n_iter_) < LIBSVM_STEPS)
        support = machine.support_.astype(np.intp)
        return Trained(support, machine.dual_coef_[0], float(machine.intercept_[0]), solved)

    def _warn(self, unsolved: int, n_rows: int) -> None:
        if unsolved:
            warnings.warn(
                f"GaussianSVM: {unsolved} of {n_rows} machines did not converge with "
                f"width={self.width:g} and C={self.C:g}. Lower C",
                LaconicWarning,
                stacklevel=3,
            )


def _matrix(X: Matrix, width: float) -> Floats:
    n_docs = X.shape[0]
    if n_docs > MOST_DOCUMENTS:
        raise LaconicError(
            f"GaussianSVM: the kernel matrix of {n_docs:,} documents takes {8e-9 * n_docs**2:,.0f} "
            f"GB. Train on up to {MOST_DOCUMENTS:,}, or choose a linear classifier"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        K = gaussian_kernel(X, X, width)
        if not np.isfinite(K.sum()):
            raise LaconicError(
                f"GaussianSVM: width={width:g} and documents of these lengths give distances that "
                "are no numbers. Divide the documents by a number, and the width too"
            )
    return K
