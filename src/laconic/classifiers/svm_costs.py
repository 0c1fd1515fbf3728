"""What an SVM pays for each document of each row: the meanings of `class_weight`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.reduction import Floats
from laconic.vectors.labels import LabelEncoding

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | None


def costs(encoding: LabelEncoding, class_weight: ClassWeight) -> Floats:
    """One number a document and row, 1 without class weights; as liblinear has them.

    Two classes have each its own weight. One class against the rest weighs its own documents; the
    rest have 1. A label of an indicator matrix is a class of its own, and balanced on both sides.
    """
    if class_weight is None:
        return np.ones(encoding.y_signed.shape)
    yes = encoding.y_signed > 0
    if isinstance(class_weight, str):
        return _balanced(yes, encoding, class_weight)
    if not isinstance(class_weight, Mapping):
        raise _unknown(class_weight)
    weights = _named(class_weight, encoding)
    if encoding.rule == "sign":
        return np.where(yes, weights[1], weights[0])
    return np.where(yes, weights, 1.0)


def _unknown(asked: object) -> LaconicError:
    return LaconicError(f"class_weight={asked!r}: give 'balanced', a dict by class, or None")


def _balanced(yes: NDArray[np.bool_], encoding: LabelEncoding, asked: str) -> Floats:
    if asked != "balanced":
        raise _unknown(asked)
    n_docs, n_classes = len(yes), len(encoding.classes)
    # a side without documents weighs nothing
    with_class = np.maximum(yes.sum(axis=0), 1)
    without = np.maximum((~yes).sum(axis=0), 1)
    if encoding.rule == "argmax":
        return np.where(yes, n_docs / (n_classes * with_class), 1.0)
    return np.where(yes, n_docs / (2.0 * with_class), n_docs / (2.0 * without))


def _named(class_weight: Mapping[Any, float], encoding: LabelEncoding) -> Floats:
    classes = encoding.classes.tolist()
    unknown = [name for name in class_weight if name not in classes]
    if unknown:
        raise LaconicError(
            f"class_weight names {unknown}, but the classes are {classes}. Name these only"
        )
    try:
        weights = np.array([float(class_weight.get(name, 1.0)) for name in classes])
    except (TypeError, ValueError):
        weights = np.array([np.nan])
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise LaconicError(
            f"class_weight={dict(class_weight)!r}: weights are finite numbers, at least 0"
        )
    return weights
