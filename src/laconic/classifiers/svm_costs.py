"""The weight of each document in the loss of each row: `class_weight`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from laconic.errors import LaconicError
from laconic.text.labels import LabelEncoding
from laconic.types import Bools, Floats

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | None


def costs(
    encoding: LabelEncoding, class_weight: ClassWeight, sample_weight: Floats | None = None
) -> Floats:
    """One weight per document and row of the model, as in liblinear; 1 without class weights.

    For two classes, each class has its weight. One-vs-rest, a class weights its own documents, and
    the rest have 1. Each label of an indicator matrix is balanced between its two sides. A document
    with a sample weight counts as that many documents, in its cost and in the balance.
    """
    weights = np.ones(len(encoding.y_signed)) if sample_weight is None else sample_weight
    return weights[:, None] * _class_costs(encoding, class_weight, weights)


def document_costs(
    encoding: LabelEncoding, class_weight: ClassWeight, sample_weight: Floats | None = None
) -> Floats:
    """One weight per document, that of its class, for several classes in one problem."""
    return costs(encoding, class_weight, sample_weight)[encoding.y_signed > 0]


def _class_costs(
    encoding: LabelEncoding, class_weight: ClassWeight, sample_weight: Floats
) -> Floats:
    if class_weight is None:
        return np.ones(encoding.y_signed.shape)
    yes = encoding.y_signed > 0
    if isinstance(class_weight, str):
        return _balanced(yes, encoding, class_weight, sample_weight)
    if not isinstance(class_weight, Mapping):
        raise _unknown(class_weight)
    weights = _from_dict(class_weight, encoding)
    if encoding.rule == "sign":
        return np.where(yes, weights[1:], weights[:1])
    return np.where(yes, weights, 1.0)


def _unknown(class_weight: object) -> LaconicError:
    return LaconicError(f"class_weight={class_weight!r}: give 'balanced', a dict by class, or None")


def _balanced(
    yes: Bools, encoding: LabelEncoding, class_weight: str, sample_weight: Floats
) -> Floats:
    if class_weight != "balanced":
        raise _unknown(class_weight)
    n_docs, n_classes = sample_weight.sum(), len(encoding.classes)
    # avoids division by 0; the weight of a side without documents is not used
    with_class = _positive(sample_weight @ yes)
    without = _positive(sample_weight @ ~yes)
    if encoding.rule == "argmax":
        return np.asarray(np.where(yes, n_docs / (n_classes * with_class), 1.0))
    return np.asarray(np.where(yes, n_docs / (2.0 * with_class), n_docs / (2.0 * without)))


def _positive(totals: Floats) -> Floats:
    return np.asarray(np.where(totals > 0, totals, 1.0))


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
