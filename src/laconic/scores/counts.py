"""Scores from counting documents: pure functions (X, y) -> one number per term.

All but `document_frequency` are supervised. They use the number of documents that contain a term
and belong to a class. Each class is compared with all other documents, so with several classes or
labels a term has one value per class; `combine` takes their "mean" (the default), "max" or "sum".
With two classes there is one value.

A stored entry of a sparse matrix is an occurrence, even if its weight is 0: `Weighting` stores the
entries of words whose idf is 0, because presence depends on counts only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from laconic.errors import LaconicError
from laconic.numerics import contingency as tables
from laconic.numerics.blocks import Blocks, occurrences
from laconic.text.labels import LabelEncoding
from laconic.types import Floats, Matrix

Combine: TypeAlias = Literal["mean", "max", "sum"]


def document_frequency(X: Matrix, y: ArrayLike | None = None) -> Floats:
    """The number of documents in which each term occurs. Labels are not used."""
    return np.asarray(tables.as_blocks(_documents(X)).total(occurrences), dtype=np.float64)


def information_gain(X: Matrix, y: ArrayLike | None, combine: Combine = "mean") -> Floats:
    """Mutual information of presence and class, in nats (Dasgupta et al. 2007, eq. 24)."""
    return _score(tables.information_gain, X, y, combine)


def chi_squared(X: Matrix, y: ArrayLike | None, combine: Combine = "mean") -> Floats:
    """Pearson's χ² statistic of presence and class: a 2 × 2 table without correction.

    It differs from `sklearn.feature_selection.chi2`, which sums the values of X.
    """
    return _score(tables.chi_squared, X, y, combine)


def bi_normal_separation(X: Matrix, y: ArrayLike | None, combine: Combine = "mean") -> Floats:
    """|F⁻¹(true positive rate) − F⁻¹(false positive rate)| (Forman 2003).

    F is the normal distribution; rates are clipped to [0.0005, 0.9995].
    """
    return _score(tables.bi_normal_separation, X, y, combine)


def _score(
    by: Callable[[tables.ContingencyTable], Floats],
    X: Matrix,
    y: ArrayLike | None,
    combine: Combine,
) -> Floats:
    _check_combine(by.__name__, combine)
    documents = _documents(X)
    members = read_labels(by.__name__, documents, y).members
    slices = tables.contingency_tables(documents, members)
    return np.concatenate([np.empty(0), *(COMBINED[combine](by(table)) for table in slices)])


def read_labelled(
    score: str, X: Matrix, y: ArrayLike | None, combine: Combine
) -> tuple[Matrix, LabelEncoding]:
    """Validated documents and labels of a supervised score."""
    _check_combine(score, combine)
    documents = _documents(X)
    return documents, read_labels(score, documents, y)


def _check_combine(score: str, combine: Combine) -> None:
    if combine not in COMBINED:
        choices = ", ".join(map(repr, COMBINED))
        raise LaconicError(f"{score}(combine={combine!r}): choose one of {choices}")


def _documents(X: Matrix) -> Matrix:
    return X if issparse(X) or isinstance(X, Blocks) else np.asarray(X)


def read_labels(name: str, documents: Matrix, y: ArrayLike | None) -> LabelEncoding:
    """The labels of these documents, for a score or selector of this name."""
    if y is None:
        raise LaconicError(
            f"{name} is supervised and requires y to be passed, but the target y is None. "
            "Give y, or use an unsupervised score: document_frequency"
        )
    encoding = LabelEncoding.of(y if issparse(y) else np.asarray(y))
    if encoding.n_docs != documents.shape[0]:
        raise LaconicError(
            f"{name}: X has {documents.shape[0]} documents, y has labels of "
            f"{encoding.n_docs}. Give the labels of each document"
        )
    return encoding


def _mean(values: Floats) -> Floats:
    return _sum(values) / float(values.shape[1])


def _max(values: Floats) -> Floats:
    largest: Floats = values.max(axis=1)
    return largest


def _sum(values: Floats) -> Floats:
    # sorted, so that terms with the same values in different classes tie to the last bit
    total: Floats = np.sort(values, axis=1).sum(axis=1)
    return total


COMBINED: dict[str, Callable[[Floats], Floats]] = {"mean": _mean, "max": _max, "sum": _sum}
