"""`LinearModel`: a decision over the original vocabulary. What we save, explain, certify, report.

A model states how documents are **normalized**:

- "all": documents are divided by their length over the full vocabulary beforehand;
- "selected": each class divides documents by their length over its own selected words, before any
  weights; the quotient is 0 for a document without any of them. Such a model is *self-contained*:
  it needs no other words.

A model states its **rule**: "sign" (two classes, the second iff f > threshold), "argmax" (one of
several classes), "labels" (any number of classes, each iff f > its threshold). Thresholds are 0
unless they were tuned. The inequality is strict: f = 0, the value of a document without selected
words in a model without intercept, is negative.

A model may have a **calibration**, which turns decision values into probabilities. Thresholds do
not change these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from laconic.arrays import frozen
from laconic.numerics.blocks import Blocks
from laconic.numerics.quotient import quotient
from laconic.reduction import check_vocabulary
from laconic.runtime.choices import Normalize as Normalize
from laconic.runtime.decisions import strongest
from laconic.runtime.rules import above, model_probabilities, read_calibration, read_thresholds
from laconic.types import Floats, Indices, Matrix
from laconic.types import Rule as Rule

# Above this share of nonzero coefficients a sparse product is slower than a dense one.
DENSE_FROM = 0.1


class Model(Protocol):
    """What a path yields: a `LinearModel`, or a model that is not linear with the same methods."""

    @property
    def classes(self) -> NDArray[Any]: ...

    @property
    def size(self) -> int: ...

    @property
    def rule(self) -> Rule: ...

    @property
    def features(self) -> Indices: ...

    @property
    def n_features(self) -> int: ...

    def decision(self, X: Matrix) -> Floats: ...

    def predict(self, X: Matrix) -> NDArray[Any]: ...


def decide(
    decision: Floats, classes: NDArray[Any], rule: Rule, thresholds: Floats | None = None
) -> NDArray[Any]:
    """Predicted classes from decision values; an indicator matrix for the rule "labels"."""
    if rule == "argmax":
        return np.asarray(classes[decision.argmax(axis=1)])
    positive = above(decision, thresholds)
    if rule == "sign":
        return np.asarray(classes[positive[:, 0].astype(np.intp)])
    return positive.astype(np.int64)


def margins(decision: Floats, model: Model) -> Floats:
    """Decision values of the model minus its thresholds: what its rule compares with 0."""
    thresholds = getattr(model, "thresholds", None)
    return decision if thresholds is None else decision - thresholds


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Decision values X @ coef.T + intercept, with a normalization and a rule.

    Parameters
    ----------
    coef : csr_array or array of shape (n_rows, n_terms)
        One row for the rule "sign", otherwise one row per class. The stored entries of a sparse row
        are the selected words of its class, even where a coefficient is 0.
    intercept : array of shape (n_rows,)
    classes : array of shape (n_classes,)
    size : int
        Columns that the classifier saw, per class where classes select their own.
    normalize : "all" or "selected", default="all"
        How documents are normalized: over all words, or over the selected words of each class.
    rule : "sign", "argmax" or "labels", default="argmax"
        How decision values become predictions.
    thresholds : array of shape (n_rows,) or None, default=None
        For the rules "sign" and "labels": f > threshold is positive. None is 0.
    calibration : array or None, default=None
        How decision values become probabilities: for the rules "sign" and "labels" a pair (a, b)
        for each row, with a > 0 and P = 1 / (1 + exp(−(a f + b))); for "argmax" an array of one
        temperature T > 0, with P = softmax(f / T). None if the model has no probabilities.
    """

    coef: Matrix
    intercept: Floats
    classes: NDArray[Any]
    size: int
    normalize: Normalize = "all"
    rule: Rule = "argmax"
    thresholds: Floats | None = None
    calibration: Floats | None = None

    def __post_init__(self) -> None:
        coef = _read_only(self.coef)
        object.__setattr__(self, "coef", coef)
        object.__setattr__(self, "intercept", frozen(np.atleast_1d(self.intercept), np.float64))
        object.__setattr__(self, "classes", np.asarray(self.classes))
        if self.normalize not in get_args(Normalize) or self.rule not in get_args(Rule):
            raise ValueError(
                f"normalize={self.normalize!r}, rule={self.rule!r}: normalize is one of "
                f"{get_args(Normalize)}, rule one of {get_args(Rule)}"
            )
        rows = 1 if self.rule == "sign" else len(self.classes)
        if self.rule == "sign" and len(self.classes) != 2:
            raise ValueError(f"the rule 'sign' is for two classes, not {len(self.classes)}")
        if coef.shape[0] != rows or self.intercept.shape != (rows,):
            raise ValueError(
                f"{len(self.classes)} classes by the rule {self.rule!r} need {rows} rows of "
                f"coefficients and intercepts, not {coef.shape[0]} and {self.intercept.shape}"
            )
        thresholds = read_thresholds(self.thresholds, self.rule, rows)
        object.__setattr__(self, "thresholds", thresholds)
        calibration = read_calibration(self.calibration, self.rule, rows)
        object.__setattr__(self, "calibration", calibration)

    @property
    def n_features_in(self) -> int:
        """Size of the vocabulary."""
        return int(self.coef.shape[1])

    @property
    def features(self) -> Indices:
        """The distinct columns that the model reads, ascending."""
        if issparse(self.coef):
            return np.flatnonzero(np.bincount(self.coef.indices))
        return np.flatnonzero(self.coef.any(axis=0))

    @property
    def n_features(self) -> int:
        """The number of distinct columns that the model reads."""
        return int(self.features.size)

    def decision(self, X: Matrix) -> Floats:
        """Decision values of shape (n_docs, n_rows)."""
        check_vocabulary(X, self.n_features_in, "the model was trained on")
        if isinstance(X, Blocks):
            return np.asarray(X.stack(self.decision))
        product = X @ self._columns
        values = product.toarray() if issparse(product) else np.asarray(product, dtype=np.float64)
        if self.normalize == "selected":
            values = quotient(values, self._selected_lengths(X))
        return values + self.intercept

    @cached_property
    def _columns(self) -> Matrix:
        """The coefficients as a right factor of X; dense where that is faster.

        A dense factor is stored in the order that a product with sparse documents needs; otherwise
        every product would copy it.
        """
        if not issparse(self.coef):
            return np.ascontiguousarray(self.coef.T)
        if self.coef.nnz > DENSE_FROM * np.prod(self.coef.shape):
            return np.ascontiguousarray(self.coef.toarray().T)
        return self.coef.T

    def predict(self, X: Matrix) -> NDArray[Any]:
        """Predicted classes; an indicator matrix for the rule "labels"."""
        if isinstance(X, Blocks):
            return np.asarray(X.stack(self.predict))
        return decide(self.decision(X), self.classes, self.rule, self.thresholds)

    def predict_proba(self, X: Matrix) -> Floats:
        """Probabilities of shape (n_docs, n_classes); those of a document's labels are independent.

        Only for a model with `calibration`.
        """
        return model_probabilities(self.decision(X), self.rule, self.calibration)

    def without_thresholds(self) -> LinearModel:
        """The same predictions and probabilities, with the thresholds in the intercepts."""
        if self.thresholds is None:
            return self
        calibration = self.calibration
        if calibration is not None:
            a, b = calibration.T
            calibration = np.column_stack([a, b + a * self.thresholds])
        intercept = self.intercept - self.thresholds
        return replace(self, intercept=intercept, thresholds=None, calibration=calibration)

    def contributions(self, X: Matrix) -> csr_array:
        """What each word adds to the decision values of one document: shape (n_rows, n_terms).

        The rows sum to `decision(X) - intercept`.
        """
        if X.shape[0] != 1:
            raise ValueError(f"contributions explain one document at a time, not {X.shape[0]}")
        document = csr_array(X)
        shares = csr_array(self.coef).multiply(document).tocsr()
        if self.normalize == "selected":
            lengths = self._selected_lengths(document).ravel()
            return scale_rows(shares, quotient(1.0, lengths))
        return shares

    def explain(
        self, X: Matrix, vocabulary: NDArray[Any], top: int | None = 10
    ) -> dict[Any, list[tuple[str, float]]]:
        """The contributions of words to the decision on one document, largest first, per class.

        For the rule "sign" the only entry is the second class: positive numbers support it.
        """
        shares = self.contributions(X)
        names = self.classes[1:] if self.rule == "sign" else self.classes
        explanation = {}
        for row, name in enumerate(names.tolist()):
            span = slice(shares.indptr[row], shares.indptr[row + 1])
            explanation[name] = strongest(vocabulary, shares.indices[span], shares.data[span], top)
        return explanation

    def _selected_lengths(self, X: Matrix) -> Floats:
        """The length of each document over the selected words of each row: (n_docs, n_rows)."""
        pattern = csr_array(self.coef, copy=True)
        pattern.data = np.ones_like(pattern.data)
        total = squared(X) @ pattern.T
        dense: Floats = total.toarray() if issparse(total) else np.asarray(total)
        return np.asarray(np.sqrt(dense))


def scale_rows(X: csr_array, factors: Floats) -> csr_array:
    """Each document multiplied by its factor; X is unchanged."""
    data = X.data * np.repeat(factors, np.diff(X.indptr))
    return csr_array((data, X.indices, X.indptr), shape=X.shape)


def squared(X: Matrix) -> Matrix:
    """Every entry squared."""
    return X.power(2) if issparse(X) else np.square(X)


def _read_only(coef: Matrix) -> Matrix:
    """A read-only copy without duplicate entries: models are shared and must not change."""
    if not issparse(coef):
        return frozen(np.atleast_2d(coef), np.float64)
    copy = csr_array(coef, dtype=np.float64, copy=True)
    copy.sum_duplicates()
    copy.data.setflags(write=False)
    return copy
