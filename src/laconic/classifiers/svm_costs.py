"""The weight of each document in the loss of each row: `class_weight` of the SVMs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from laconic.errors import LaconicError
from laconic.text.labels import LabelEncoding
from laconic.types import Bools, Columns, Floats

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | None


def costs(encoding: LabelEncoding, class_weight: ClassWeight) -> Floats:
    """One weight per document and row of the model, as in liblinear; 1 without class weights.

    For two classes, each class has its weight. One-vs-rest, a class weights its own documents, and
    the rest have 1. Each label of an indicator matrix is balanced between its two sides.
    """
    if class_weight is None:
        return np.ones(encoding.y_signed.shape)
    yes = encoding.y_signed > 0
    if isinstance(class_weight, str):
        return _balanced(yes, encoding, class_weight)
    if not isinstance(class_weight, Mapping):
        raise _unknown(class_weight)
    weights = _from_dict(class_weight, encoding)
    if encoding.rule == "sign":
        return np.where(yes, weights[1:], weights[:1])
    return np.where(yes, weights, 1.0)


def _unknown(class_weight: object) -> LaconicError:
    return LaconicError(f"class_weight={class_weight!r}: give 'balanced', a dict by class, or None")


def _balanced(yes: Bools, encoding: LabelEncoding, class_weight: str) -> Floats:
    if class_weight != "balanced":
        raise _unknown(class_weight)
    n_docs, n_classes = len(yes), len(encoding.classes)
    # avoids division by 0; the weight of a side without documents is not used
    with_class: Columns = np.maximum(yes.sum(axis=0), 1)
    without: Columns = np.maximum((~yes).sum(axis=0), 1)
    if encoding.rule == "argmax":
        return np.where(yes, n_docs / (n_classes * with_class), 1.0)
    return np.where(yes, n_docs / (2.0 * with_class), n_docs / (2.0 * without))


def _from_dict(class_weight: Mapping[Any, float], encoding: LabelEncoding) -> Floats:
    classes = encoding.classes.tolist()
    unknown = [name for name in class_weight if name not in classes]
    if unknown:
        raise LaconicError(
            f"class_weight names {unknown}, but the classes are {classes}. Use only these"
        )
    try:
        weights = np.array([float(class_weight.get(name, 1.0)) for name in classes])
    except (TypeError, ValueError):
        weights = np.array([np.nan])
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise LaconicError(
            f"class_weight={dict(class_weight)!r}: weights must be finite and at least 0"
        )
    return weights
