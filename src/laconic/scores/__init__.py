"""Scores of terms: pure functions (X, y) -> one number per term."""

from laconic.scores.counts import (
    bi_normal_separation,
    chi_squared,
    document_frequency,
    information_gain,
)
from laconic.scores.spectral import hellinger, leverage, lottery, squared_norm, uniform
from laconic.scores.weights import svm_elimination, svm_weight

__all__ = [
    "bi_normal_separation",
    "chi_squared",
    "document_frequency",
    "hellinger",
    "information_gain",
    "leverage",
    "lottery",
    "squared_norm",
    "svm_elimination",
    "svm_weight",
    "uniform",
]
