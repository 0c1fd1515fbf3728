"""Labels as members of classes: one encoding for binary, multiclass and multilabel targets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from laconic.errors import LaconicError
from laconic.numerics.members import signed
from laconic.types import Floats, Indices, Int64s, Matrix, Rule


@dataclass(frozen=True, eq=False)
class LabelEncoding:
    """Which documents belong to the class of each row of a model.

    `members` has an entry for each document of a class, so it takes memory by labels, not by
    classes. It has one column for two classes (members of the second), else one per class; `rule`
    is the decision rule of the models trained on it.
    """

    members: csr_array
    classes: NDArray[Any]
    rule: Rule

    @classmethod
    def of(cls, y: ArrayLike) -> LabelEncoding:
        """Encode labels in the form of scikit-learn: an array of classes or an indicator matrix."""
        if issparse(y) or (np.ndim(y) == 2 and np.shape(y)[1] > 1):
            members = _indicated(y)
            return cls(members, np.arange(members.shape[1]), "labels")
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
        if classes.size < 2:
            raise LaconicError(
                f"y has only one class, {classes.tolist()}; a classifier needs at least two classes"
            )
        rule: Rule = "sign" if classes.size == 2 else "argmax"
        return cls(_members(codes, classes.size, rule), classes, rule)

    @property
    def n_docs(self) -> int:
        return int(self.members.shape[0])

    @property
    def n_rows(self) -> int:
        """Rows of a model: 1 for two classes, else one per class."""
        return int(self.members.shape[1])

    @property
    def codes(self) -> Int64s:
        """The class of each document, for the rule "argmax"."""
        return np.asarray(self.members.indices, dtype=np.int64)

    @cached_property
    def y_signed(self) -> Floats:
        """+1 where a document belongs to the class of the column, else -1; all classes at once."""
        return signed(self.members)

    def row_signed(self, row: int) -> Floats:
        """The same for one row of the model."""
        return signed(self.members[:, [row]])[:, 0]


def signed_labels(y: ArrayLike, classes: NDArray[Any], rule: Rule) -> Floats:
    """Labels of documents as ±1, in the columns of a model with these classes.

    A class without a training document has no column. Its documents are NaN in every column, so no
    prediction for them is right.
    """
    if rule == "labels":
        return signed(_indicated(y))
    labels = column_or_1d(y)
    place = np.minimum(np.searchsorted(classes, labels), classes.size - 1)
    known = classes[place] == labels
    y_signed = signed(_members(place, classes.size, rule))
    y_signed[~known] = np.nan
    return y_signed


def _members(codes: Indices, n_classes: int, rule: Rule) -> csr_array:
    if rule == "argmax":
        return _pattern(codes, np.arange(codes.size + 1), n_classes)
    ends = np.append(0, np.cumsum(codes == 1))
    return _pattern(np.zeros(ends[-1], np.int32), ends, 1)


def _indicated(y: Matrix) -> csr_array:
    if type_of_target(y) != "multilabel-indicator":
        raise LaconicError(
            f"y is {type_of_target(y)!r} with shape {np.shape(y)}; give one class per "
            "document, or an indicator matrix with one 0/1 column per class"
        )
    positive = csr_array((y if issparse(y) else np.asarray(y)) > 0)
    positive.sort_indices()
    return _pattern(positive.indices, positive.indptr, positive.shape[1])


def _pattern(columns: Indices, ends: Indices, n_columns: int) -> csr_array:
    entries = np.ones(columns.size, np.int8), columns.astype(np.int32), ends.astype(np.int64)
    return csr_array(entries, shape=(ends.size - 1, n_columns))
