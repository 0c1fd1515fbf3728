"""What comes after the words: the classifiers that `then` names, and how each is made.

A recipe's keyword parameters are what the brackets of any method may set: `LDA[then=gaussian,
width=1.0]`. One with `alpha` and `intercept` takes λ, from the brackets too or from the plan, and
the plan's intercept.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from sklearn.base import BaseEstimator

from laconic.classifiers.centroid import CentroidClassifier
from laconic.classifiers.kernel import GaussianSVM
from laconic.classifiers.neighbours import NearestNeighbours
from laconic.classifiers.rls import RLSClassifier
from laconic.classifiers.svm import SVMClassifier
from laconic.errors import LaconicError

RLS, SVM = "rls", "svm"
# A model that is not linear has no intercept to put a threshold in.
LINEAR = frozenset({RLS, SVM, "centroid"})
OF_PLANS = ("alpha", "intercept")


def _rls(alpha: float | str, intercept: bool) -> BaseEstimator:
    return RLSClassifier(alpha=alpha, fit_intercept=intercept)


def _svm(alpha: float | str, intercept: bool) -> BaseEstimator:
    if isinstance(alpha, str) or not alpha > 0:
        raise LaconicError(
            f"lambda={alpha} is for then=rls only; an SVM needs a number above 0. Give one for all "
            "methods, or in the brackets: lambda=1.0"
        )
    return SVMClassifier(alpha, fit_intercept=intercept)


def _gaussian(*, width: float = 10.0, C: float = 100.0) -> BaseEstimator:
    return GaussianSVM(width, C)


def _centroid() -> BaseEstimator:
    return CentroidClassifier()


def _knn(*, neighbours: int = 5) -> BaseEstimator:
    if type(neighbours) is not int or neighbours < 1:
        raise LaconicError(f"neighbours={neighbours!r}: give a whole number from 1")
    return NearestNeighbours(neighbours)


CLASSIFIERS: dict[str, Callable[..., BaseEstimator]] = {
    RLS: _rls,
    SVM: _svm,
    "gaussian": _gaussian,
    "centroid": _centroid,
    "knn": _knn,
}


def takes_lambda(name: str) -> bool:
    return "alpha" in signature(CLASSIFIERS[name]).parameters


def settings_of(name: str) -> dict[str, Any]:
    """What the brackets may set for a classifier, and what it is otherwise."""
    parameters = signature(CLASSIFIERS[name]).parameters
    return {key: known.default for key, known in parameters.items() if key not in OF_PLANS}


# All that may stand in brackets about what comes after the words.
AFTERWARDS = frozenset(
    {"then", "lambda", "threshold"} | {key for name in CLASSIFIERS for key in settings_of(name)}
)
