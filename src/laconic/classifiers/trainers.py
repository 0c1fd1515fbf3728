"""Training a classifier on the reduced documents of one size after the other.

Where the reducer ranks words and the classifier reads rows, documents are ranked once, every size
is a prefix of them, and each model starts from the one before. Other selections are copied for
every size, and the models of a size start from each other. Any other classifier gets a copy of the
reduced documents.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator

from laconic.classifiers.path import DecisionFunction
from laconic.classifiers.prefixes import Prefixes, decisions_of
from laconic.model import LinearModel, Model, Normalize, Rule, decide, scale_rows, squared
from laconic.numerics.quotient import quotient
from laconic.numerics.svm.input import Rows
from laconic.reducer import Reducer
from laconic.reduction import Reduction, Selection
from laconic.text.labels import LabelEncoding
from laconic.types import Columns, Floats, Matrix

# Documents on which a classifier is tested for linearity.
N_CHECKED = 20


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """A reduction followed by a classifier that is not linear, so there are no coefficients."""

    reduction: Reduction
    classifier: BaseEstimator
    classes: NDArray[Any]
    rule: Rule
    normalize: Normalize = "all"

    @property
    def size(self) -> int:
        return self.reduction.size

    @property
    def features(self) -> Columns:
        """The distinct columns that the model reads, ascending."""
        return np.sort(self.reduction.terms)

    @property
    def n_features(self) -> int:
        return int(self.reduction.terms.size)

    def decision(self, X: Matrix) -> Floats:
        """Decision values of shape (n_docs, n_rows); log-odds where only probabilities exist."""
        lengths = _lengths(squared(X), self.reduction) if self.normalize == "selected" else None
        documents = _reduced(self.reduction, X, lengths)
        if hasattr(self.classifier, "decision_function"):
            values = np.asarray(self.classifier.decision_function(documents))
        else:
            probability = self.classifier.predict_proba(documents)
            values = _log_odds(probability, self.rule, self.classifier.classes_)
        return values.reshape(documents.shape[0], -1)

    def predict(self, X: Matrix) -> NDArray[Any]:
        return decide(self.decision(X), self.classes, self.rule)


class Stage(Protocol):
    """The documents of one size, on which classifiers are trained."""

    def train(
        self, classifier: BaseEstimator, labels: NDArray[Any], encoding: LabelEncoding
    ) -> tuple[Model, DecisionFunction]: ...


class Trainer(Protocol):
    """Makes the documents of every size."""

    def at(self, reduction: Reduction) -> Stage: ...


def trainer_for(
    reducer: Reducer,
    classifier: BaseEstimator,
    X: Matrix,
    queries: Matrix | None,
    normalize: Normalize,
) -> Trainer:
    """Prefixes of ranked documents where the reducer ranks and the classifier reads rows."""
    order = reducer.order
    if not hasattr(classifier, "fit_rows"):
        return _Columns(X, X if queries is None else queries, normalize)
    if order is None:
        return _Copied(X, queries, normalize)
    prefixes = getattr(reducer, "prefixes", Prefixes.of)
    return _Ranked(
        prefixes(X, order, normalize),
        None if queries is None else prefixes(queries, order, normalize),
    )


@dataclass(eq=False)
class _Ranked:
    """Trains on prefixes; each model starts from those before it in the grid."""

    documents: Prefixes
    queries: Prefixes | None
    starts: list[Any] = field(default_factory=list)

    def at(self, reduction: Reduction) -> Stage:
        queries = None if self.queries is None else self.queries.rows(reduction.size)
        before, self.starts = self.starts, []
        rows, normalize = self.documents.rows(reduction.size), self.documents.normalize
        return _RowsStage(reduction, rows, queries, normalize, self.starts, before)


@dataclass(frozen=True, eq=False)
class _Copied:
    """Trains on copies of the selected columns; a model starts from another of its size."""

    documents: Matrix
    queries: Matrix | None
    normalize: Normalize

    def at(self, reduction: Reduction) -> Stage:
        if issparse(self.documents) and isinstance(reduction, Selection):
            queries = None if self.queries is None else self._rows(self.queries, reduction)
            rows = self._rows(self.documents, reduction)
            return _RowsStage(reduction, rows, queries, self.normalize, [], [])
        queries = self.documents if self.queries is None else self.queries
        return _Columns(self.documents, queries, self.normalize).at(reduction)

    def _rows(self, X: Matrix, reduction: Reduction) -> Rows:
        lengths = _lengths(squared(X), reduction) if self.normalize == "selected" else None
        return Rows.of(csr_array(_reduced(reduction, X, lengths)))


@dataclass(eq=False)
class _RowsStage:
    """One size: `starts` are of the models so far, `before` of those of the previous size."""

    reduction: Reduction
    rows: Rows
    queries: Rows | None
    normalize: Normalize
    starts: list[Any]
    before: list[Any]

    def _start(self) -> Any:
        """The latest model of this size; moved as it moved since the last size, if it can be."""
        place = len(self.starts)
        if not place:
            return self.before[0] if self.before else None
        if place < len(self.before) and hasattr(self.before[place], "moved"):
            return self.before[place].moved(self.starts[-1], self.before[place - 1])
        return self.starts[-1]

    def train(
        self, classifier: BaseEstimator, labels: NDArray[Any], encoding: LabelEncoding
    ) -> tuple[Model, DecisionFunction]:
        solution = classifier.fit_rows(self.rows, encoding, self._start())
        self.starts.append(solution.start)
        lifted = self.reduction.lift(solution.coef)
        model = solution.model(encoding, lifted, self.normalize)
        queries = self.rows if self.queries is None else self.queries
        return model, partial(decisions_of, queries, solution.coef, solution.intercept)


@dataclass(eq=False)
class _Columns:
    """Trains any classifier on copies of the reduced documents."""

    documents: Matrix
    queries: Matrix
    normalize: Normalize

    def __post_init__(self) -> None:
        self.squares = squared(self.documents) if self.normalize == "selected" else None

    def at(self, reduction: Reduction) -> _ColumnsStage:
        lengths = None if self.squares is None else _lengths(self.squares, reduction)
        return _ColumnsStage(self, reduction, _reduced(reduction, self.documents, lengths))


@dataclass(eq=False)
class _ColumnsStage:
    trainer: _Columns
    reduction: Reduction
    Z: Matrix

    def train(
        self, classifier: BaseEstimator, labels: NDArray[Any], encoding: LabelEncoding
    ) -> tuple[Model, DecisionFunction]:
        model = self._model(classifier.fit(self.Z, labels), encoding)
        return model, partial(model.decision, self.trainer.queries)

    def _model(self, classifier: BaseEstimator, encoding: LabelEncoding) -> Model:
        classes, rule, normalize = encoding.classes, encoding.rule, self.trainer.normalize
        weights = _linear(classifier, self.Z, encoding.y_signed.shape[1])
        if weights is None:
            return ReducedModel(self.reduction, classifier, classes, rule, normalize)
        coef, intercept = weights
        lifted = self.reduction.lift(coef)
        return LinearModel(
            lifted,
            intercept,
            classes,
            self.reduction.size,
            normalize=normalize,
            rule=rule,
            calibration=getattr(getattr(classifier, "model_", None), "calibration", None),
        )


def _lengths(squares: Matrix, reduction: Reduction) -> Floats:
    """The length of each document over the words that the reduction reads."""
    indicator = np.zeros(squares.shape[1])
    indicator[reduction.terms] = 1.0
    return np.asarray(np.sqrt(squares @ indicator))


def _reduced(reduction: Reduction, X: Matrix, lengths: Floats | None) -> Matrix:
    """Reduced documents, divided by `lengths` if given."""
    Z = reduction.apply(X)
    if lengths is None:
        return Z
    inverse = quotient(1.0, lengths)
    return scale_rows(Z.tocsr(), inverse) if issparse(Z) else Z * inverse[:, None]


def _linear(classifier: BaseEstimator, Z: Matrix, n_rows: int) -> tuple[Floats, Floats] | None:
    """Coefficients and intercepts with one row per column of y_signed; None if there are none.

    `coef_` may mean something else (one-vs-one, a multinomial of two classes), so it is compared
    with the decision values.
    """
    coef = getattr(classifier, "coef_", None)
    if coef is None or not hasattr(classifier, "decision_function"):
        return None
    W = np.atleast_2d(coef.toarray() if issparse(coef) else np.asarray(coef, dtype=np.float64))
    if W.shape != (n_rows, Z.shape[1]):
        return None
    b = np.broadcast_to(np.asarray(classifier.intercept_, dtype=np.float64), (n_rows,)).copy()
    sample = Z[:N_CHECKED]
    values = np.reshape(classifier.decision_function(sample), (-1, n_rows))
    return (W, b) if np.allclose(values, sample @ W.T + b, rtol=1e-6, atol=1e-8) else None


def _log_odds(probability: Any, rule: Rule, classes: Any) -> Floats:
    """Decision values of a classifier that has only probabilities (k-NN, forests)."""
    tiny = np.finfo(np.float64).tiny
    if rule == "labels" and isinstance(probability, list):
        # a label that is constant in training has one column
        pairs = zip(probability, classes, strict=True)
        yes = [p[:, label_values == 1].sum(axis=1) for p, label_values in pairs]
        probability = np.column_stack(yes)
    if rule == "argmax":
        return np.asarray(np.log(np.maximum(probability, tiny)))
    positive = probability[:, 1] if rule == "sign" else probability
    odds = np.log(np.maximum(positive, tiny)) - np.log(np.maximum(1 - positive, tiny))
    return np.asarray(odds)
