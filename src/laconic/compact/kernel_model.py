"""`KernelModel`: a reduction, then a support vector machine with Gaussian kernel, as plain numbers.

`laconic.runtime.decisions` computes its decision values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from laconic.arrays import frozen
from laconic.errors import LaconicError
from laconic.model import Model, Normalize, Rule
from laconic.reduction import Projection, Selection
from laconic.runtime.decisions import Coefficients, KernelDecision
from laconic.text.matrices import vectors_of
from laconic.types import Floats, Indices, Matrix


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
        assert self.runtime is not None  # raises if the arrays do not fit together

    @classmethod
    def of(cls, model: Model) -> KernelModel:
        """The numbers of a fitted GaussianSVM, SVC(kernel="rbf") or OneVsRestClassifier of such."""
        from laconic.classifiers.trainers import ReducedModel

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
    def features(self) -> Indices:
        """The distinct columns that the model uses, ascending."""
        return np.sort(self.reduction.terms)

    @property
    def n_features(self) -> int:
        return int(self.features.size)

    def over(self, words: Indices) -> KernelModel:
        """The same over these columns only, which are all that it uses."""
        if isinstance(self.reduction, Projection):
            return replace(self, reduction=Projection(self.reduction.components[words]))
        terms = np.searchsorted(words, self.reduction.terms)
        return replace(self, reduction=Selection(terms, self.reduction.weights, words.size))

    def decision(self, X: Matrix) -> Floats:
        """Decision values of shape (n_docs, n_rows)."""
        return self.runtime.values(vectors_of(csr_array(X)))

    @cached_property
    def runtime(self) -> KernelDecision:
        """What computes the decision values."""
        terms = None
        if isinstance(self.reduction, Projection):
            reduction = Coefficients.dense(self.reduction.components)
        else:
            terms, weights = self.reduction.terms, self.reduction.weights
            reduction = Coefficients.of_terms(terms, weights, self.n_features_in)
        machine = self.support, self.dual, self.intercept, self.gamma
        return KernelDecision(reduction, terms, *machine, self.normalize)


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
