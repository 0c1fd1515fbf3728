"""Labels as ±1: one encoding for binary, multiclass and multilabel targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from laconic.errors import LaconicError
from laconic.types import Floats, Indices, Matrix, Rule


@dataclass(frozen=True, eq=False)
class LabelEncoding:
    """y as ±1: +1 where a document belongs to the class of the column, else -1.

    One column for two classes (the second is +1), else one per class; `rule` is the decision rule
    of the models trained on it.
    """

    y_signed: Floats
    classes: NDArray[Any]
    rule: Rule

    @classmethod
    def of(cls, y: ArrayLike) -> LabelEncoding:
        """Encode labels in the form of scikit-learn: an array of classes or an indicator matrix."""
        if issparse(y) or (np.ndim(y) == 2 and np.shape(y)[1] > 1):
            return cls._of_indicator(y)
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
        if classes.size < 2:
            raise LaconicError(
                f"y has only one class, {classes.tolist()}; a classifier needs at least two classes"
            )
        rule: Rule = "sign" if classes.size == 2 else "argmax"
        return cls(_signed(codes, classes.size, rule), classes, rule)

    @classmethod
    def _of_indicator(cls, y: Matrix) -> LabelEncoding:
        if type_of_target(y) != "multilabel-indicator":
            raise LaconicError(
                f"y is {type_of_target(y)!r} with shape {np.shape(y)}; give one class per "
                "document, or an indicator matrix with one 0/1 column per class"
            )
        indicator = y.toarray() if issparse(y) else np.asarray(y)
        return cls(np.where(indicator > 0, 1.0, -1.0), np.arange(indicator.shape[1]), "labels")

    def transform(self, y: ArrayLike) -> Floats:
        """Encode the labels of other documents, in the columns of these classes.

        A class without a training document has no column. Its documents are NaN in every column,
        so no prediction for them is right.
        """
        if self.rule == "labels":
            return LabelEncoding._of_indicator(y).y_signed
        labels = column_or_1d(y)
        place = np.minimum(np.searchsorted(self.classes, labels), self.classes.size - 1)
        codes = np.where(self.classes[place] == labels, place, -1)
        return _signed(codes, self.classes.size, self.rule)


def _signed(codes: Indices, n_classes: int, rule: Rule) -> Floats:
    columns = np.array([1]) if rule == "sign" else np.arange(n_classes)
    y_signed = np.where(codes[:, None] == columns, 1.0, -1.0)
    y_signed[codes < 0] = np.nan
    return y_signed
