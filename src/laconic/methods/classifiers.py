"""The classifiers that follow a selection or projection: `+ridge`, `+svm:alpha=0.5`, `+knn`.

The keyword-only parameters of a factory are the settings that a method's name may give it. A
factory with the parameters `alpha` and `intercept` takes alpha from the method's name or from the
plan, and the intercept from the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from sklearn.base import BaseEstimator

from laconic.classifiers.centroid import CentroidClassifier
from laconic.classifiers.kernel import GaussianSVM
from laconic.classifiers.neighbours import NearestNeighbors
from laconic.classifiers.ridge import RLSClassifier
from laconic.classifiers.svm import SVMClassifier
from laconic.errors import LaconicError
from laconic.text.options import Alpha

RIDGE, SVM = "ridge", "svm"
# Only a linear model has thresholds.
LINEAR = frozenset({RIDGE, SVM, "centroid"})
FROM_PLAN = ("alpha", "intercept")


def _ridge(alpha: Alpha, intercept: bool) -> BaseEstimator:
    return RLSClassifier(alpha=alpha, fit_intercept=intercept)


def _svm(alpha: Alpha, intercept: bool) -> BaseEstimator:
    if isinstance(alpha, str) or not alpha > 0:
        raise LaconicError(
            f"alpha={alpha} is for +ridge only; an SVM needs a number above 0. Give one for all "
            "methods, or in the method's name: +svm:alpha=1.0"
        )
    return SVMClassifier(alpha, fit_intercept=intercept)


def _gaussian(*, width: float = 10.0, C: float = 100.0) -> BaseEstimator:
    return GaussianSVM(width, C)


def _centroid() -> BaseEstimator:
    return CentroidClassifier()


def _knn(*, n_neighbors: int = 5) -> BaseEstimator:
    if type(n_neighbors) is not int or n_neighbors < 1:
        raise LaconicError(f"n_neighbors={n_neighbors!r}: give a whole number from 1")
    return NearestNeighbors(n_neighbors)


CLASSIFIERS: dict[str, Callable[..., BaseEstimator]] = {
    RIDGE: _ridge,
    SVM: _svm,
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
