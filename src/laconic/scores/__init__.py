"""Scores of terms: pure functions (X, y) -> one number per term, and their short names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from numpy.typing import ArrayLike

from laconic.errors import LaconicError
from laconic.scores.counts import (
    bi_normal_separation,
    chi_squared,
    document_frequency,
    information_gain,
)
from laconic.scores.spectral import hellinger, leverage, lottery, squared_norm, uniform
from laconic.scores.weights import svm_elimination, svm_weight
from laconic.types import Floats, Matrix

__all__ = [
    "SCORES",
    "bi_normal_separation",
    "chi_squared",
    "document_frequency",
    "hellinger",
    "information_gain",
    "leverage",
    "lottery",
    "score_named",
    "squared_norm",
    "svm_elimination",
    "svm_weight",
    "uniform",
]

Score: TypeAlias = Callable[[Matrix, ArrayLike | None], Floats]

# The names of methods in lower case, where a method is one score.
SCORES: dict[str, Score] = {
    "bns": bi_normal_separation,
    "chi2": chi_squared,
    "df": document_frequency,
    "ig": information_gain,
    "rfe": svm_elimination,
    "uniform": uniform,
    "weights": svm_weight,
    "ws": squared_norm,
}


def score_named(by: str | Score) -> Score:
    """The function of a name of `SCORES`; a function is returned as it is."""
    if not isinstance(by, str):
        return by
    if by.lower() not in SCORES:
        raise LaconicError(f"by={by!r}: choose from {', '.join(SCORES)}, or pass a function (X, y)")
    return SCORES[by.lower()]
