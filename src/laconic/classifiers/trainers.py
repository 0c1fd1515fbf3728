"""Training a classifier on the reduced documents of one size after the other.

Where the reducer ranks words and the classifier reads rows, documents are ranked once, every size
is a prefix of them, and each model starts from the one before. Other selections are copied for
every size, and the models of a size start from each other. Any other classifier gets a copy of the
reduced documents.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from laconic.classifiers.path import DecisionFunction, ModelClassifier, not_in_memory
from laconic.classifiers.prefixes import Prefixes, decisions_of
from laconic.classifiers.row_groups import rows_of
from laconic.model import LinearModel, Model, Normalize, Rule, decide, scale_rows, squared
from laconic.numerics.blocks import Blocks, canonical
from laconic.numerics.column_selection import DivideByLengths
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
        if isinstance(X, Blocks):
            return np.asarray(X.stack(self.decision))
        documents = Reduce(self.reduction, self.normalize)(X)
        if hasattr(self.classifier, "decision_function"):
            values = np.asarray(self.classifier.decision_function(documents))
        else:
            probability = self.classifier.predict_proba(documents)
            values = _log_odds(probability, self.rule, self.classifier.classes_)
        return values.reshape(documents.shape[0], -1)

    def predict(self, X: Matrix) -> NDArray[Any]:
        """Predicted classes; an indicator matrix for the rule "labels"."""
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
    largest: int,
) -> Trainer:
    """Prefixes of ranked documents where the reducer ranks and the classifier reads rows.

    Of blocks, the best `largest` words are read into memory once, if they fit.
    """
    order = None if reducer.order is None else reducer.order[:largest]
    if not hasattr(classifier, "fit_rows"):
        return _Columns.of(X, X if queries is None else queries, normalize, order)
    if order is None:
        return _Copied(X, queries, normalize)
    prefixes = getattr(reducer, "prefixes", Prefixes.of)
    ranked = prefixes(X, order, normalize)
    if ranked is None:
        return _Copied(X, queries, normalize)
    ranked_queries = None if queries is None else prefixes(queries, order, normalize)
    return _Ranked(ranked, queries, ranked_queries)


@dataclass(eq=False)
class _Ranked:
    """Trains on prefixes; each model starts from those before it in the grid."""

    documents: Prefixes
    queries: Matrix | None
    ranked_queries: Prefixes | None
    starts: list[Any] = field(default_factory=list)

    def at(self, reduction: Reduction) -> Stage:
        before, self.starts = self.starts, []
        rows, normalize = self.documents.rows(reduction.size), self.documents.normalize
        queries: Rows | Blocks | None = None
        if self.ranked_queries is not None:
            queries = self.ranked_queries.rows(reduction.size)
        elif self.queries is not None:
            queries = Reduce(reduction, normalize).blocks(self.queries)
        return _RowsStage(reduction, rows, queries, normalize, self.starts, before)


@dataclass(frozen=True, eq=False)
class _Copied:
    """Trains on copies of the selected columns; a model starts from another of its size."""

    documents: Matrix
    queries: Matrix | None
    normalize: Normalize

    def at(self, reduction: Reduction) -> Stage:
        reads_rows = issparse(self.documents) or isinstance(self.documents, Blocks)
        if reads_rows and isinstance(reduction, Selection):
            reduction = reduction.ascending  # or every pass over blocks would sort the columns
            queries = None if self.queries is None else self._rows(self.queries, reduction)
            rows = self._rows(self.documents, reduction)
            return _RowsStage(reduction, rows, queries, self.normalize, [], [])
        queries = self.documents if self.queries is None else self.queries
        return _Columns.of(self.documents, queries, self.normalize).at(reduction)

    def _rows(self, X: Matrix, reduction: Reduction) -> Rows | Blocks:
        reduce = Reduce(reduction, self.normalize)
        return rows_of(reduce.blocks(X) if isinstance(X, Blocks) else reduce(X))


@dataclass(eq=False)
class _RowsStage:
    """One size: `starts` are of the models so far, `before` of those of the previous size."""

    reduction: Reduction
    rows: Rows | Blocks
    queries: Rows | Blocks | None
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
    columns: Columns | None = None

    @classmethod
    def of(
        cls, X: Matrix, queries: Matrix, normalize: Normalize, order: Columns | None = None
    ) -> Self:
        """Of blocks, the columns that all sizes select are read into memory once, if they fit."""
        if isinstance(X, Blocks) and order is not None:
            columns = np.sort(order)
            selected = X[:, columns].gathered()
            if not isinstance(selected, Blocks):
                return cls(selected, queries, normalize, columns)
        return cls(X, queries, normalize)

    def __post_init__(self) -> None:
        by_length = self.normalize == "selected" and not isinstance(self.documents, Blocks)
        self.squares = squared(self.documents) if by_length else None

    def at(self, reduction: Reduction) -> _ColumnsStage:
        return _ColumnsStage(self, reduction, self._reduced(reduction))

    def _reduced(self, reduction: Reduction) -> Matrix:
        reduce = Reduce(reduction, self.normalize)
        if isinstance(self.documents, Blocks):
            if isinstance(reduction, Selection):
                return reduce.blocks(self.documents).gathered()
            return self.documents.stack(reduce)
        if self.columns is not None:
            terms = np.searchsorted(self.columns, reduction.terms)
            reduce = Reduce(Selection(terms, None, self.columns.size), self.normalize)
        return reduce(self.documents, self.squares)


@dataclass(eq=False)
class _ColumnsStage:
    trainer: _Columns
    reduction: Reduction
    Z: Matrix

    def train(
        self, classifier: BaseEstimator, labels: Any, encoding: LabelEncoding
    ) -> tuple[Model, DecisionFunction]:
        if isinstance(self.Z, Blocks) and not isinstance(classifier, ModelClassifier):
            raise not_in_memory(type(classifier).__name__, self.Z)
        if issparse(labels) and not isinstance(classifier, ModelClassifier):
            labels = labels.toarray()
        model = self._model(classifier.fit(self.Z, labels), encoding)
        return model, partial(model.decision, self.trainer.queries)

    def _model(self, classifier: BaseEstimator, encoding: LabelEncoding) -> Model:
        classes, rule, normalize = encoding.classes, encoding.rule, self.trainer.normalize
        weights = _linear(classifier, self.Z, encoding.n_rows)
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


@dataclass(frozen=True, eq=False)
class Reduce:
    """Documents -> reduced documents, divided by their lengths over the words of the reduction."""

    reduction: Reduction
    normalize: Normalize

    def __call__(self, X: Matrix, squares: Matrix | None = None) -> Matrix:
        """`squares` are those of X, if they are known."""
        if self.normalize != "selected":
            return self.reduction.apply(X)
        lengths = _lengths(squared(X) if squares is None else squares, self.reduction)
        return _divided(self.reduction.apply(X), lengths)

    def blocks(self, X: Blocks) -> Blocks:
        """The reduced documents of a selection, computed when they are read."""
        assert isinstance(self.reduction, Selection)
        if self.normalize != "selected":
            reduced: Blocks = self.reduction.apply(X)
            return reduced
        weights = None if self.reduction.plain else self.reduction.weights
        return X[:, self.reduction.terms].map(DivideByLengths(weights))


def _lengths(squares: Matrix, reduction: Reduction) -> Floats:
    """The length of each document over the words that the reduction reads."""
    indicator = np.zeros(squares.shape[1])
    indicator[reduction.terms] = 1.0
    return np.asarray(np.sqrt(squares @ indicator))


def _divided(Z: Matrix, lengths: Floats) -> Matrix:
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
    sample = first_documents(Z, N_CHECKED)
    values = np.reshape(classifier.decision_function(sample), (-1, n_rows))
    return (W, b) if np.allclose(values, sample @ W.T + b, rtol=1e-6, atol=1e-8) else None


def first_documents(Z: Matrix, n_docs: int) -> Matrix:
    if isinstance(Z, Blocks):
        return Z.take(np.arange(min(n_docs, Z.shape[0]))).stack(canonical)
    return Z[:n_docs]


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
