"""scikit-learn's linear classifiers as peers use them: the settings, training, and the numbers.

C = 1/(2 alpha) for the alphas that a study tries. Several classes have one LinearSVC per class, and
one multinomial logistic regression; labels have one classifier each.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from bench.frontier.corpora import LENGTHS
from bench.texts import narrow
from laconic.methods.classifiers import ALPHAS, LOGISTIC, SVM
from laconic.model import Normalize
from laconic.types import Columns, Floats, Int64s

ClassifierName: TypeAlias = Literal["svm", "logistic"]
ClassWeight: TypeAlias = Literal["balanced"] | None
MAX_ITER = 300
# The selection of a peer that leaves nothing out.
ALL_WORDS = "all words"
CLASS_WEIGHTS: tuple[ClassWeight, ...] = (None, "balanced")
COSTS: dict[ClassifierName, tuple[float, ...]] = {
    "svm": tuple(1 / (2 * alpha) for alpha in ALPHAS[SVM]),
    "logistic": tuple(1 / (2 * alpha) for alpha in ALPHAS[LOGISTIC]),
}


@dataclass(frozen=True)
class Setting:
    """A classifier after a selection; documents are divided by a length over some or all words."""

    selection: str
    size: int
    normalize: Normalize
    classifier: ClassifierName
    class_weight: ClassWeight
    C: float

    @property
    def description(self) -> str:
        weights = f", {self.class_weight}" if self.class_weight else ""
        name = "LinearSVC" if self.classifier == "svm" else "LogisticRegression"
        normalized = f"normalize={self.normalize}"
        return f"{self.selection} {self.size:,} + {name} (C={self.C:.3g}{weights}, {normalized})"

    def make(self, labels: bool) -> BaseEstimator:
        settings = {"C": self.C, "class_weight": self.class_weight, "max_iter": MAX_ITER}
        if self.classifier == "svm":
            return LinearSVC(random_state=0, **settings)
        if labels:
            return LogisticRegression(solver="liblinear", random_state=0, **settings)
        return LogisticRegression(**settings)


def settings_of(
    selection: str, size: int, lengths: Sequence[Normalize] = LENGTHS
) -> Iterator[Setting]:
    """All settings of a selection at a size."""
    for norm, (name, costs), weights in product(lengths, COSTS.items(), CLASS_WEIGHTS):
        for cost in costs:
            yield Setting(selection, size, norm, name, weights, cost)


def cut(X: csr_array, columns: Columns, norm: Normalize) -> csr_array:
    """Some columns; documents have unit length over all words already."""
    return normalize(X[:, columns]) if norm == "selected" else X[:, columns]


def fit(classifier: BaseEstimator, X: csr_array, y: Int64s) -> BaseEstimator:
    """The fitted classifier; one per class where it cannot have several, as for labels."""
    one_per_class = y.ndim > 1 or (_solves_two_classes(classifier) and np.unique(y).size > 2)
    with warnings.catch_warnings():
        # labels without a training document; liblinear's limit of iterations
        warnings.simplefilter("ignore")
        made = OneVsRestClassifier(classifier) if one_per_class else classifier
        return made.fit(narrow(X), y)


def _solves_two_classes(classifier: BaseEstimator) -> bool:
    return getattr(classifier, "solver", "") == "liblinear"


def coefficients(fitted: BaseEstimator, n_classes: int) -> tuple[Floats, Floats]:
    """Coefficients and intercepts, one row per class; of two classes one row.

    A class without a training document is never predicted.
    """
    parts = _fitted_rows(fitted)
    n_rows = 1 if n_classes == 2 and not isinstance(fitted, OneVsRestClassifier) else n_classes
    n_columns = next(iter(parts.values()))[0].size
    coef, intercept = np.zeros((n_rows, n_columns)), np.full(n_rows, -np.inf)
    for row, (weights, bias) in parts.items():
        coef[row], intercept[row] = weights, bias
    return coef, intercept


def _fitted_rows(fitted: Any) -> dict[int, tuple[Floats, float]]:
    if isinstance(fitted, OneVsRestClassifier):
        pairs = zip(fitted.classes_, fitted.estimators_, strict=True)
        trained = {int(row): e for row, e in pairs if hasattr(e, "coef_")}
        return {row: (e.coef_[0], float(e.intercept_[0])) for row, e in trained.items()}
    rows = [0] if len(fitted.coef_) == 1 else fitted.classes_
    return {
        int(row): (weights, float(bias))
        for row, weights, bias in zip(rows, fitted.coef_, fitted.intercept_, strict=True)
    }
