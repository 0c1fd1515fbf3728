"""The classifiers that follow a selection or projection: `+logistic`, `+svm:alpha=0.5`, `+knn`.

The keyword-only parameters of a factory are the settings that a method's name may give it. A
factory with the parameters `alpha` and `intercept` takes alpha from the method's name or from the
plan, and the intercept from the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, Literal, TypeAlias

from sklearn.base import BaseEstimator

from laconic.classifiers.blend import BlendClassifier
from laconic.classifiers.centroid import CentroidClassifier
from laconic.classifiers.kernel import GaussianSVM
from laconic.classifiers.logistic import LogisticClassifier
from laconic.classifiers.neighbours import NearestNeighbors
from laconic.classifiers.ridge import RLSClassifier
from laconic.classifiers.svm import SVMClassifier
from laconic.errors import LaconicError
from laconic.text.options import Alpha

BLEND, LOGISTIC, RIDGE, SVM = "blend", "logistic", "ridge", "svm"
# The classifier of a method without one, where nothing is tuned.
DEFAULT = LOGISTIC
# Only a linear model has a threshold.
LINEAR = frozenset({LOGISTIC, RIDGE, SVM, BLEND, "centroid"})
FROM_PLAN = ("alpha", "intercept")
Balanced: TypeAlias = Literal["balanced"] | None
# What alpha="auto" is for each classifier: where nothing is tuned, and where a study tunes it.
# Descending, so that each model starts from the one before.
ALPHA = {LOGISTIC: 0.1, SVM: 0.3, RIDGE: 1.0}
ALPHAS: dict[str, tuple[float, ...]] = {
    LOGISTIC: (1.0, 0.3, 0.1, 0.03, 0.01),
    SVM: (3.0, 1.0, 0.3, 0.1, 0.03),
    RIDGE: (10.0, 3.0, 1.0, 0.3, 0.1),
}
# The gap to which the classifiers of methods are solved, as a share of the objective.
TOLERANCE = 1e-4


def _logistic(alpha: Alpha, intercept: bool, *, weights: Balanced = None) -> BaseEstimator:
    return LogisticClassifier(
        _positive(LOGISTIC, alpha),
        fit_intercept=intercept,
        class_weight=_checked(weights),
        tol=TOLERANCE,
    )


def _ridge(alpha: Alpha, intercept: bool) -> BaseEstimator:
    return RLSClassifier(alpha=resolved_alpha(RIDGE, alpha), fit_intercept=intercept)


def _svm(alpha: Alpha, intercept: bool, *, weights: Balanced = None) -> BaseEstimator:
    return SVMClassifier(
        _positive(SVM, alpha),
        fit_intercept=intercept,
        class_weight=_checked(weights),
        tol=TOLERANCE,
    )


def _blend() -> BaseEstimator:
    members = [(name, CLASSIFIERS[name]("auto", intercept=True)) for name in (LOGISTIC, SVM)]
    return BlendClassifier(members)


def resolved_alpha(classifier: str, alpha: Alpha) -> float | Literal["loo"]:
    """The number of "auto", where nothing is tuned."""
    return ALPHA[classifier] if alpha == "auto" else alpha


def _positive(classifier: str, alpha: Alpha) -> float:
    number = resolved_alpha(classifier, alpha)
    if isinstance(number, str) or not number > 0:
        raise LaconicError(
            f"alpha={alpha} is for +ridge only; +{classifier} needs a number above 0. Give one for "
            f"all methods, or in the method's name: +{classifier}:alpha=1.0"
        )
    return number


def _checked(weights: object) -> Balanced:
    if weights is None or weights == "balanced":
        return weights
    raise LaconicError(f"weights={weights!r}: choose balanced or none")


def _gaussian(*, width: float = 10.0, C: float = 100.0) -> BaseEstimator:
    return GaussianSVM(width, C)


def _centroid() -> BaseEstimator:
    return CentroidClassifier()


def _knn(*, n_neighbors: int = 5) -> BaseEstimator:
    if type(n_neighbors) is not int or n_neighbors < 1:
        raise LaconicError(f"n_neighbors={n_neighbors!r}: give a whole number from 1")
    return NearestNeighbors(n_neighbors)


CLASSIFIERS: dict[str, Callable[..., BaseEstimator]] = {
    LOGISTIC: _logistic,
    SVM: _svm,
    RIDGE: _ridge,
    BLEND: _blend,
    "gaussian": _gaussian,
    "centroid": _centroid,
    "knn": _knn,
}


def takes_alpha(name: str) -> bool:
    """Whether the classifier of this name has the setting alpha."""
    return "alpha" in signature(CLASSIFIERS[name]).parameters


def settings_of(name: str) -> dict[str, Any]:
    """The settings of a classifier apart from alpha, with their defaults."""
    parameters = signature(CLASSIFIERS[name]).parameters.items()
    return {key: parameter.default for key, parameter in parameters if key not in FROM_PLAN}
