"""`CentroidClassifier`: the class with the nearest mean, which is a linear decision."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from laconic.classifiers.path import LinearModelClassifier, read_training_data
from laconic.model import LinearModel
from laconic.numerics.blocks import Blocks
from laconic.types import Floats, Matrix


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
        coef, intercept = _means(documents, encoding.y_signed > 0)
        if encoding.rule != "argmax":
            other_coef, other_intercept = _means(documents, encoding.y_signed < 0)
            constant = (encoding.y_signed == encoding.y_signed[0]).all(axis=0)
            coef, intercept = coef - other_coef, intercept - other_intercept
            coef[constant], intercept[constant] = 0.0, encoding.y_signed[0, constant]
        size = documents.shape[1]
        return self._set_model(
            LinearModel(coef, intercept, encoding.classes, size, rule=encoding.rule)
        )


def _means(X: Matrix, belongs: np.ndarray) -> tuple[Floats, Floats]:
    """The mean of the documents in each column of `belongs`, and −½ its squared length."""
    shares = belongs / np.maximum(belongs.sum(axis=0), 1)
    in_blocks = isinstance(X, Blocks)
    means = np.asarray(X.T @ shares).T if issparse(X) or in_blocks else shares.T @ X
    return means, -0.5 * np.square(means).sum(axis=1)
