"""`CentroidClassifier`: a document is of the class whose mean is nearest, which is linear."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from laconic.classifiers.path import LinearDeciding, read_documents
from laconic.model import LinearModel
from laconic.reduction import Floats, Matrix


class CentroidClassifier(LinearDeciding):
    """The class with the nearest mean: f = m'x − ½ ‖m‖², which is largest where ‖x − m‖ is least.

    For two classes, and for each of several labels, f is the difference of the two such values:
    yes where the mean of the class is nearer than that of the other documents.

    Attributes
    ----------
    model_ : LinearModel
    classes_ : array
    coef_, intercept_ : arrays of shape (n_rows, n_terms) and (n_rows,)
    """

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Find the means of documents by their classes, or by an indicator matrix of labels."""
        documents, encoding = read_documents(self, X, y)
        coef, intercept = _nearest(documents, encoding.y_signed > 0)
        if encoding.rule != "argmax":
            others, beside = _nearest(documents, encoding.y_signed < 0)
            one_sided = (encoding.y_signed == encoding.y_signed[0]).all(axis=0)
            coef, intercept = coef - others, intercept - beside
            coef[one_sided], intercept[one_sided] = 0.0, encoding.y_signed[0, one_sided]
        size = documents.shape[1]
        return self._keep(LinearModel(coef, intercept, encoding.classes, size, rule=encoding.rule))


def _nearest(X: Matrix, belongs: np.ndarray) -> tuple[Floats, Floats]:
    """Means of the documents of each column, and −½ their squared lengths."""
    shares = belongs / np.maximum(belongs.sum(axis=0), 1)
    means = np.asarray(X.T @ shares).T if issparse(X) else shares.T @ X
    return means, -0.5 * np.square(means).sum(axis=1)
