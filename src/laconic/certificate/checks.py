"""Checks of the arguments of `certify`: comparable models, documents, numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.model import LinearModel
from laconic.numerics.blocks import Blocks
from laconic.reduction import Projection, Selection, check_vocabulary
from laconic.types import Matrix
from laconic.validation import is_number, is_share


def read_documents(X: Matrix, model: LinearModel, name: str) -> Blocks:
    if len(getattr(X, "shape", np.shape(X))) != 2:
        raise LaconicError(
            f"{name} has the shape {np.shape(X)}: give documents in rows; a single document is one "
            f"row, such as {name}[:1]"
        )
    try:
        documents = X if isinstance(X, Blocks) else Blocks.of(csr_array(X, dtype=np.float64))
    except (TypeError, ValueError):
        raise LaconicError(f"{name} has entries that are not numbers") from None
    check_vocabulary(documents, model.n_features_in, "the models were trained on", name)
    if not documents.shape[0] or documents.total(_n_not_finite):
        raise LaconicError(f"{name} has no documents, or entries that are not numbers")
    return documents


def _n_not_finite(block: csr_array) -> int:
    return int(np.count_nonzero(~np.isfinite(block.data)))


def check_numbers(confidence: Any, alpha: Any) -> None:
    if not is_share(confidence):
        raise LaconicError(f"confidence={confidence!r}: must lie between 0 and 1, such as 0.9")
    if alpha is not None and not is_number(alpha):
        raise LaconicError(f"alpha={alpha!r}: give the number that both models were trained with")


def check_models(full: Any, small: Any) -> None:
    for name, model in (("full", full), ("small", small)):
        if not isinstance(model, LinearModel):
            raise LaconicError(f"{name} is a {type(model).__name__}; certify compares LinearModels")
    if full.n_features_in != small.n_features_in:
        raise LaconicError(
            f"the full model has a vocabulary of {full.n_features_in}, the small one of "
            f"{small.n_features_in}. Lift the small model's coefficients with its reduction."
        )
    if full.rule != small.rule or not np.array_equal(full.classes, small.classes):
        raise LaconicError(
            f"the full model decides about {full.classes.tolist()} by {full.rule!r}, the small "
            f"one about {small.classes.tolist()} by {small.rule!r}: train both on the same y"
        )


def check_reduction(reduction: Any, model: LinearModel) -> None:
    if not isinstance(reduction, Selection | Projection | None):
        raise LaconicError(
            f"reduction is a {type(reduction).__name__}; give a Selection or a Projection, such as "
            "reducer.at(size)"
        )
    if reduction is not None and reduction.n_terms_in != model.n_features_in:
        raise LaconicError(
            f"the reduction was made for a vocabulary of {reduction.n_terms_in}, but the models "
            f"for {model.n_features_in}. Give the reduction of the small model."
        )
