"""`GaussianSVM`: one support vector machine per class, with a shared Gaussian kernel matrix."""

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

from laconic.classifiers.path import ModelClassifier, not_in_memory, read_training_data
from laconic.errors import LaconicError, LaconicWarning
from laconic.model import Rule, decide
from laconic.numerics.blocks import Blocks, in_memory
from laconic.numerics.svm.gaussian import gaussian_kernel, gaussian_sums
from laconic.types import Columns, Floats, Matrix
from laconic.validation import is_number

# The kernel matrix of this many documents takes 7 GB.
MOST_DOCUMENTS = 30_000
LIBSVM_STEPS = 10_000_000


@dataclass(frozen=True, eq=False)
class Machines:
    """f(x) = Σ dual_i · exp(−‖x − support_i‖² / width²) + intercept, one row per machine.

    A document that supports several machines is in `support` once; `dual` is 0 for the machines
    that it does not support.
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


class BinarySVM(NamedTuple):
    """The solution for one class: its support vectors, dual coefficients and intercept."""

    support: Columns
    dual: Floats
    intercept: float
    solved: bool


class GaussianSVM(ModelClassifier):
    """One-vs-rest SVMs with a Gaussian kernel; the class with the largest decision value wins.

    The kernel is exp(−‖x − z‖² / width²). Its matrix is computed once for all machines, so many
    classes cost little more than one. It takes 8 bytes per pair of training documents.

    Parameters
    ----------
    width : float, default=10.0
        Width of the kernel, on the scale of the distances between documents. scikit-learn's gamma
        is 1 / width².
    C : float, default=100.0
        Weight of the loss: min ½ ‖w‖² + C Σ max(0, 1 − y f). Both defaults are those of SVM Torch.

    Attributes
    ----------
    model_ : Machines
        The fitted model.
    classes_ : array of shape (n_classes,)
    support_ : array
        Rows of the training documents that are support vectors of any machine, ascending.
    n_support_ : array of shape (n_rows,)
        Number of support vectors of each machine.
    """

    def __init__(self, width: float = 10.0, C: float = 100.0) -> None:
        self.width = width
        self.C = C

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Train the machines; y has one class per document or is an indicator matrix."""
        self._check_parameters()
        given, encoding = read_training_data(self, X, y)
        documents = in_memory(given)
        if isinstance(documents, Blocks):
            raise not_in_memory("GaussianSVM", documents, "or choose a linear classifier")
        K = _matrix(documents, float(self.width))
        rows = [self._train(K, y_signed) for y_signed in encoding.y_signed.T]
        self._warn(sum(not row.solved for row in rows), len(rows))
        self.n_support_ = np.array([row.support.size for row in rows])
        self.support_ = np.unique(np.concatenate([row.support for row in rows]))
        dual = np.zeros((len(rows), self.support_.size))
        for dual_row, row in zip(dual, rows, strict=True):
            dual_row[np.searchsorted(self.support_, row.support)] = row.dual
        intercept = np.array([row.intercept for row in rows])
        support = documents[self.support_]
        width = float(self.width)
        return self._set_model(
            Machines(support, dual, intercept, width, encoding.classes, encoding.rule)
        )

    def _check_parameters(self) -> None:
        for name in ("width", "C"):
            value = getattr(self, name)
            positive = is_number(value) and 0 < value <= float_info.max
            # the square of the width must be a positive number too
            if not (positive and 0 < float(value) * float(value) <= float_info.max):
                raise LaconicError(f"{name}={value!r}: a Gaussian SVM needs a number above 0")

    def _train(self, K: Floats, y_signed: Floats) -> BinarySVM:
        if (y_signed == y_signed[0]).all():
            return BinarySVM(
                np.empty(0, dtype=np.intp), np.empty(0), float(y_signed[0]), solved=True
            )
        machine = SVC(kernel="precomputed", C=self.C, max_iter=LIBSVM_STEPS)
        # the matrix is finite; checking it for every class can take longer than training
        with warnings.catch_warnings(), config_context(assume_finite=True):
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(K, y_signed)
        solved = bool(np.max(machine.n_iter_) < LIBSVM_STEPS)
        support = machine.support_.astype(np.intp)
        return BinarySVM(support, machine.dual_coef_[0], float(machine.intercept_[0]), solved)

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
                "are not finite. Divide both the documents and the width by the same number"
            )
    return K
