"""`CentroidClassifier`: the class with the nearest mean, which is a linear decision."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from laconic.classifiers.path import LinearModelClassifier, read_training_data
from laconic.model import LinearModel
from laconic.types import Floats, Int64s, Matrix


class CentroidClassifier(LinearModelClassifier):
    """Nearest class mean: f = m'x − ½ ‖m‖², which is largest where ‖x − m‖ is least.

    For two classes, and for each label of an indicator matrix, f is the difference of two such
    values: positive where the mean of the class is nearer than that of the other documents.

    Attributes
    ----------
    model_ : LinearModel
        The fitted model.
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (n_rows, n_terms)
    intercept_ : array of shape (n_rows,)
    """

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Compute the class means; y has one class per document or is an indicator matrix."""
        documents, encoding = read_training_data(self, X, y)
        sums = _class_sums(documents, encoding.members)
        n_members = np.bincount(encoding.members.indices, minlength=encoding.n_rows)
        coef, intercept = _means(sums, n_members)
        if encoding.rule != "argmax":
            total, n_others = np.asarray(documents.sum(axis=0)).ravel(), encoding.n_docs - n_members
            other_coef, other_intercept = _means(total - sums, n_others)
            coef, intercept = coef - other_coef, intercept - other_intercept
            for constant, value in ((n_members == 0, -1.0), (n_others == 0, 1.0)):
                coef[constant], intercept[constant] = 0.0, value
        size = documents.shape[1]
        return self._set_model(
            LinearModel(coef, intercept, encoding.classes, size, rule=encoding.rule)
        )


def _class_sums(X: Matrix, members: csr_array) -> Floats:
    """The sum of the documents of each class: memory follows entries and labels."""
    ones = members.astype(np.float64)
    return np.asarray(ones.T @ X if isinstance(X, np.ndarray) else (X.T @ ones).toarray().T)


def _means(sums: Floats, n_docs: Int64s) -> tuple[Floats, Floats]:
    """The mean of each row of sums of so many documents, and −½ its squared length."""
    means = sums / np.maximum(n_docs, 1)[:, None]
    return means, -0.5 * np.square(means).sum(axis=1)
