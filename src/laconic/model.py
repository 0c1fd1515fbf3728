"""`LinearModel`: a decision over the original vocabulary. What we save, explain, certify, report.

A model states its **norm**, the length by which a text vector is divided:

- "all": the vector comes divided by its length over the full vocabulary, and stays so;
- "selected": each class divides by the length over its own kept words, before any weights, and a
  document without any of them gets the quotient 0. Such a model is *closed*: it needs its own
  words only.

A model states its **rule**: "sign" (two classes, the second iff f > 0), "argmax" (one of several
classes), "labels" (any number of classes, each iff f > 0). The inequality is strict: f = 0, the
value of a document with no chosen word and no intercept, is a no.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from laconic.numerics.quotient import quotient
from laconic.numerics.weighing import scale_rows
from laconic.reduction import Floats, Matrix, check_vocabulary, frozen

Normalize: TypeAlias = Literal["all", "selected"]
Rule: TypeAlias = Literal["sign", "argmax", "labels"]

# A sparse product that keeps more than this share of the words is slower than a dense one.
DENSE_FROM = 0.1


class Model(Protocol):
    """What a path yields: a `LinearModel`, or a reduction with a classifier that has none."""

    @property
    def classes(self) -> NDArray[Any]: ...

    @property
    def size(self) -> int: ...

    @property
    def rule(self) -> Rule: ...

    @property
    def features(self) -> NDArray[np.intp]: ...

    @property
    def n_features(self) -> int: ...

    def decision(self, X: Matrix) -> Floats: ...

    def predict(self, X: Matrix) -> NDArray[Any]: ...


def decide(decision: Floats, classes: NDArray[Any], rule: Rule) -> NDArray[Any]:
    """Class names (an indicator matrix for "labels") from decision values."""
    if rule == "sign":
        return np.asarray(classes[(decision[:, 0] > 0).astype(np.intp)])
    if rule == "argmax":
        return np.asarray(classes[decision.argmax(axis=1)])
    return (decision > 0).astype(np.int64)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Decision values X @ coef.T + intercept, with a stated norm and rule.

    Parameters
    ----------
    coef : csr_array or array of shape (n_rows, n_terms)
        One row for "sign", one a class otherwise. The stored entries of a sparse row are the words
        that its class keeps, also where a coefficient is 0.
    intercept : array of shape (n_rows,)
    classes : array of shape (n_classes,)
    size : int
        Columns that the classifier saw, per class where classes choose their own.
    normalize : "all" or "selected"
    rule : "sign", "argmax" or "labels"
    """

    coef: Matrix
    intercept: Floats
    classes: NDArray[Any]
    size: int
    normalize: Normalize = "all"
    rule: Rule = "argmax"

    def __post_init__(self) -> None:
        coef = _own(self.coef)
        object.__setattr__(self, "coef", coef)
        object.__setattr__(self, "intercept", frozen(np.atleast_1d(self.intercept), np.float64))
        object.__setattr__(self, "classes", np.asarray(self.classes))
        if self.normalize not in get_args(Normalize) or self.rule not in get_args(Rule):
            raise ValueError(
                f"normalize={self.normalize!r}, rule={self.rule!r}: norm is one of {get_args(Normalize)}, rule "
                f"one of {get_args(Rule)}"
            )
        rows = 1 if self.rule == "sign" else len(self.classes)
        if self.rule == "sign" and len(self.classes) != 2:
            raise ValueError(f"the rule 'sign' is for two classes, not {len(self.classes)}")
        if coef.shape[0] != rows or self.intercept.shape != (rows,):
            raise ValueError(
                f"{len(self.classes)} classes by the rule {self.rule!r} need {rows} rows of "
                f"coefficients and intercepts, not {coef.shape[0]} and {self.intercept.shape}"
            )

    @property
    def n_features_in(self) -> int:
        """Words of the vocabulary, whether the model reads them or not."""
        return int(self.coef.shape[1])

    @property
    def features(self) -> NDArray[np.intp]:
        """The distinct columns that the model reads, ascending."""
        if issparse(self.coef):
            return np.flatnonzero(np.bincount(self.coef.indices))
        return np.flatnonzero(self.coef.any(axis=0))

    @property
    def n_features(self) -> int:
        """How many these are."""
        return int(self.features.size)

    def decision(self, X: Matrix) -> Floats:
        """Decision values of shape (n_docs, n_rows)."""
        check_vocabulary(X, self.n_features_in, "the model was trained on")
        product = X @ self._columns
        values = product.toarray() if issparse(product) else np.asarray(product, dtype=np.float64)
        if self.normalize == "selected":
            values = quotient(values, self._kept_lengths(X))
        return values + self.intercept

    @cached_property
    def _columns(self) -> Matrix:
        """The coefficients as a factor of X: dense where most words are kept, being faster then.

        A dense one lies as a product with sparse documents needs it, or each would copy it.
        """
        if not issparse(self.coef):
            return np.ascontiguousarray(self.coef.T)
        if self.coef.nnz > DENSE_FROM * np.prod(self.coef.shape):
            return np.ascontiguousarray(self.coef.toarray().T)
        return self.coef.T

    def predict(self, X: Matrix) -> NDArray[Any]:
        """Class names; for the rule "labels" an indicator matrix."""
        return decide(self.decision(X), self.classes, self.rule)

    def contributions(self, X: Matrix) -> csr_array:
        """What each word adds to each decision value of one document: shape (n_rows, n_terms).

        The rows sum to `decision(X) - intercept`.
        """
        if X.shape[0] != 1:
            raise ValueError(f"contributions explain one document at a time, not {X.shape[0]}")
        document = csr_array(X)
        shares = csr_array(self.coef).multiply(document).tocsr()
        if self.normalize == "selected":
            lengths = self._kept_lengths(document).ravel()
            return scale_rows(shares, quotient(1.0, lengths))
        return shares

    def explain(
        self, X: Matrix, vocabulary: NDArray[Any], top: int | None = 10
    ) -> dict[Any, list[tuple[str, float]]]:
        """The words that decided about one document, strongest first, for each class.

        For the rule "sign" the one entry is the second class: positive numbers speak for it.
        """
        shares = self.contributions(X)
        names = self.classes[1:] if self.rule == "sign" else self.classes
        told = {}
        for row, name in enumerate(names.tolist()):
            span = slice(shares.indptr[row], shares.indptr[row + 1])
            columns, values = shares.indices[span], shares.data[span]
            strongest = np.lexsort((columns, -np.abs(values)))
            strongest = strongest[values[strongest] != 0][:top]
            told[name] = [(str(vocabulary[columns[i]]), float(values[i])) for i in strongest]
        return told

    def _kept_lengths(self, X: Matrix) -> Floats:
        pattern = csr_array(self.coef, copy=True)
        pattern.data = np.ones_like(pattern.data)
        total = squared(X) @ pattern.T
        dense: Floats = total.toarray() if issparse(total) else np.asarray(total)
        return np.asarray(np.sqrt(dense))


def squared(X: Matrix) -> Matrix:
    """Every entry squared."""
    return X.power(2) if issparse(X) else np.square(X)


def _own(coef: Matrix) -> Matrix:
    """A read-only copy with one entry a place: models are shared and must not move."""
    if not issparse(coef):
        return frozen(np.atleast_2d(coef), np.float64)
    own = csr_array(coef, dtype=np.float64, copy=True)
    own.sum_duplicates()
    own.data.setflags(write=False)
    return own
