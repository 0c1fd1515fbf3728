"""`KernelModel`: a reduction, then a support vector machine with Gaussian kernel, as plain numbers.

f(z) = Σ dual_i · exp(−gamma ‖z − support_i‖²) + intercept, for each row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from laconic.errors import LaconicError
from laconic.model import Model, Normalize, Rule, squared
from laconic.numerics.quotient import quotient
from laconic.reduction import Projection, Selection, frozen
from laconic.types import Floats, Matrix

BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class KernelModel:
    """Decision values of a support vector machine with Gaussian kernel over reduced documents.

    Parameters
    ----------
    reduction : Selection or Projection
    support : array of shape (n_support, size)
    dual : array of shape (n_rows, n_support)
    intercept : array of shape (n_rows,)
    gamma : float, positive
    classes, rule, normalize : as in `LinearModel`; "selected" divides by the length over the words
        of the reduction, for all classes
    """

    reduction: Selection | Projection
    support: Floats
    dual: Floats
    intercept: Floats
    gamma: float
    classes: NDArray[Any]
    rule: Rule
    normalize: Normalize = "all"

    def __post_init__(self) -> None:
        for name in ("support", "dual", "intercept"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64))
        rows = 1 if self.rule == "sign" else len(self.classes)
        n_support = len(self.support)
        shapes = self.support.shape, self.dual.shape, self.intercept.shape
        expected = (n_support, self.reduction.size), (rows, n_support), (rows,)
        # without support vectors, nothing bounds the number of columns
        if not n_support or shapes != expected or (self.rule == "sign") > (len(self.classes) == 2):
            raise LaconicError(
                f"a kernel model of {len(self.classes)} classes with the rule {self.rule!r} over "
                f"{self.reduction.size} columns has arrays of shapes {expected}, not {shapes}"
            )
        if not self.gamma > 0:
            raise LaconicError(f"gamma={self.gamma}: must be positive")

    @classmethod
    def of(cls, model: Model) -> KernelModel:
        """The numbers of a fitted GaussianSVM, SVC(kernel="rbf") or OneVsRestClassifier of such."""
        from laconic.classifiers.reduce_then_fit import ReducedModel

        if not isinstance(model, ReducedModel):
            raise LaconicError(
                f"{type(model).__name__} cannot be saved: it is neither a LinearModel nor a "
                "ReducedModel"
            )
        assert isinstance(model.reduction, Selection | Projection)
        return cls(
            model.reduction,
            *_kernel_sum(model.classifier, model.size),
            model.classes,
            model.rule,
            model.normalize,
        )

    @property
    def size(self) -> int:
        return self.reduction.size

    @property
    def n_features_in(self) -> int:
        return self.reduction.n_terms_in

    @property
    def features(self) -> NDArray[np.intp]:
        """The distinct columns that the model uses, ascending."""
        return np.sort(self.reduction.terms)

    @property
    def n_features(self) -> int:
        return int(self.features.size)

    def over(self, words: NDArray[np.intp]) -> KernelModel:
        """The same over these columns only, which are all that it uses."""
        if isinstance(self.reduction, Projection):
            return replace(self, reduction=Projection(self.reduction.components[words]))
        terms = np.searchsorted(words, self.reduction.terms)
        return replace(self, reduction=Selection(terms, self.reduction.weights, words.size))

    def decision(self, X: Matrix) -> Floats:
        """Decision values of shape (n_docs, n_rows)."""
        documents = csr_array(X)
        step = max(1, BLOCK // max(self.size, len(self.support)))
        parts = range(0, documents.shape[0], step)
        blocks = [self._block(documents[at : at + step]) for at in parts]
        return np.concatenate([np.empty((0, len(self.intercept))), *blocks])

    def _block(self, X: csr_array) -> Floats:
        Z = _dense(self.reduction.apply(X))
        if self.normalize == "selected":
            lengths = np.sqrt(squared(X[:, self.features]).sum(axis=1))
            Z = Z * quotient(1.0, lengths)[:, None]
        products = Z @ self.support.T
        squares = np.square(Z).sum(axis=1)[:, None] + np.square(self.support).sum(axis=1)
        kernel = np.exp(-self.gamma * np.maximum(squares - 2.0 * products, 0.0))
        return np.asarray(kernel @ self.dual.T + self.intercept)


def _kernel_sum(classifier: Any, size: int) -> tuple[Floats, Floats, Floats, float]:
    """Support, dual weights, intercepts and gamma."""
    from laconic.classifiers.kernel import GaussianSVM, Machines

    if isinstance(classifier, GaussianSVM):
        model = classifier.model_
        assert isinstance(model, Machines)
        return _dense(model.support), model.dual, model.intercept, 1.0 / model.width**2
    machines = _machines(classifier)
    chosen = np.unique(np.concatenate([machine.support_ for machine in machines]))
    support = np.zeros((chosen.size, size))
    dual = np.zeros((len(machines), chosen.size))
    for row, machine in enumerate(machines):
        places = np.searchsorted(chosen, machine.support_)
        support[places] = _dense(machine.support_vectors_)
        dual[row, places] = _dense(machine.dual_coef_)[0]
    intercept = np.array([machine.intercept_[0] for machine in machines])
    return support, dual, intercept, _gamma(machines)


def _machines(classifier: Any) -> list[Any]:
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC

    one_vs_rest = isinstance(classifier, OneVsRestClassifier)
    machines = list(classifier.estimators_) if one_vs_rest else [classifier]
    for machine in machines:
        reason = (
            _unsavable(machine)
            if isinstance(machine, SVC)
            else f"{type(machine).__name__} is neither linear nor an SVM with Gaussian kernel"
        )
        if reason:
            raise LaconicError(
                f"{type(classifier).__name__} cannot be saved: {reason}. What can: linear "
                "classifiers, GaussianSVM, SVC(kernel='rbf') for two classes, and "
                "OneVsRestClassifier(SVC(kernel='rbf'))."
            )
    return machines


def _unsavable(machine: Any) -> str | None:
    if machine.kernel != "rbf":
        return f"its kernel is {machine.kernel!r}, not 'rbf'"
    if len(machine.classes_) != 2:
        return "an SVC of more than two classes votes one against one"
    return None


def _gamma(machines: list[Any]) -> float:
    """The value of "scale" and "auto" is only in a private attribute."""
    gammas = {float(machine._gamma) for machine in machines}
    if len(gammas) > 1:
        raise LaconicError(f"the SVMs have different gamma, {sorted(gammas)}: set one number")
    return gammas.pop()


def _dense(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if issparse(matrix) else matrix, dtype=np.float64)
