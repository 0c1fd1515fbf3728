"""The weight of each document in the loss of each row: `class_weight`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from laconic.errors import LaconicError
from laconic.numerics.svm.class_problems import ClassProblems
from laconic.text.labels import LabelEncoding
from laconic.types import Floats

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | None


def class_problems(
    encoding: LabelEncoding,
    class_weight: ClassWeight,
    sample_weight: Floats | None = None,
    alpha: float = 0.5,
) -> ClassProblems:
    """The problem of each row of the model, with weights as in liblinear; 1 without class weights.

    For two classes, each class has its weight. One-vs-rest, a class weights its own documents, and
    the rest have 1. Each label of an indicator matrix is balanced between its two sides. A document
    with a sample weight counts as that many documents, in its cost and in the balance.
    """
    sides = _sides(encoding, class_weight, sample_weight)
    return ClassProblems(encoding.members, *sides, sample_weight, alpha)


def costs(
    encoding: LabelEncoding, class_weight: ClassWeight, sample_weight: Floats | None = None
) -> Floats:
    """One weight per document and row of the model."""
    problems = class_problems(encoding, class_weight, sample_weight)
    return problems.columns(np.arange(problems.n_classes))[1]


def document_costs(
    encoding: LabelEncoding, class_weight: ClassWeight, sample_weight: Floats | None = None
) -> Floats:
    """One weight per document, that of its class, for several classes in one problem."""
    inside, _ = _sides(encoding, class_weight, sample_weight)
    by_document = inside[encoding.codes]
    return by_document if sample_weight is None else sample_weight * by_document


def _sides(
    encoding: LabelEncoding, class_weight: ClassWeight, sample_weight: Floats | None
) -> tuple[Floats, Floats]:
    """The weights of the documents inside and outside the class of each row."""
    ones = np.ones(encoding.n_rows)
    if class_weight is None:
        return ones, ones
    if isinstance(class_weight, str):
        return _balanced(encoding, class_weight, sample_weight)
    if not isinstance(class_weight, Mapping):
        raise _unknown(class_weight)
    weights = _from_dict(class_weight, encoding)
    return (weights[1:], weights[:1]) if encoding.rule == "sign" else (weights, ones)


def _unknown(class_weight: object) -> LaconicError:
    return LaconicError(f"class_weight={class_weight!r}: give 'balanced', a dict by class, or None")


def _balanced(
    encoding: LabelEncoding, class_weight: str, sample_weight: Floats | None
) -> tuple[Floats, Floats]:
    if class_weight != "balanced":
        raise _unknown(class_weight)
    weights = np.ones(encoding.n_docs) if sample_weight is None else sample_weight
    n_docs, n_classes = weights.sum(), len(encoding.classes)
    inside = np.asarray(encoding.members.T @ weights)
    # avoids division by 0; the weight of a side without documents is not used
    with_class, without = _positive(inside), _positive(n_docs - inside)
    if encoding.rule == "argmax":
        return n_docs / (n_classes * with_class), np.ones(encoding.n_rows)
    return n_docs / (2.0 * with_class), n_docs / (2.0 * without)


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
