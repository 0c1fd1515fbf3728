"""`ReduceThenFit`: a reducer, then any classifier on its columns, at every size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone

from laconic.classifiers.logistic import LogisticClassifier
from laconic.classifiers.path import DecisionFunction, PathClassifier, read_training_data
from laconic.classifiers.prefixes import Prefixes, decisions_of
from laconic.errors import SizeUnavailable
from laconic.model import LinearModel, Model, Normalize, Rule, decide, scale_rows, squared
from laconic.numerics.quotient import quotient
from laconic.numerics.svm.input import Rows
from laconic.reducer import Reducer
from laconic.reduction import Reduction, columns_for
from laconic.selectors.top import TopTerms
from laconic.text.labels import LabelEncoding
from laconic.types import Columns, Floats, Matrix
from laconic.validation import check_choice

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


class ReduceThenFit(PathClassifier):
    """Fits the reducer once, then trains the classifier on the columns of each size.

    Parameters
    ----------
    reducer : Reducer or None, default=None
        Selects or projects the terms. None is TopTerms(), by information gain.
    classifier : scikit-learn classifier or None, default=None
        Trained on the reduced documents. None is LogisticClassifier(). A linear classifier (with
        `coef_` and `intercept_`) gives models over the original vocabulary.
    size : int, float or None, default=None
        Columns that the classifier sees: a number, a share in (0, 1], None for all.
    normalize : "all" or "selected", default="selected"
        "selected" divides documents by their length over the words of the reduction, before its
        weights, which gives self-contained models: they need no other words. "all" uses documents
        as they are.

    Attributes
    ----------
    reducer_ : Reducer
        The reducer, fitted for the largest size.
    reduction_ : Selection or Projection
        The reduction of the latest model.
    classifier_ : classifier
        The classifier of the latest model, fitted on the reduced documents. With Laconic's
        classifiers, its `gap_` or `residual_` is the accuracy of the solution.
    model_ : LinearModel or ReducedModel
        The fitted model; a ReducedModel if the classifier is not linear.
    classes_ : array of shape (n_classes,)
    """

    def __init__(
        self,
        reducer: Reducer | None = None,
        classifier: BaseEstimator | None = None,
        *,
        size: int | float | None = None,
        normalize: Normalize = "selected",
    ) -> None:
        self.reducer = reducer
        self.classifier = classifier
        self.size = size
        self.normalize = normalize

    def path(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]
    ) -> Iterator[Model | SizeUnavailable]:
        """One model per size, ascending; the reducer is fitted once for all sizes."""
        for outcome in self.along(X, y, sizes, None):
            yield outcome if isinstance(outcome, SizeUnavailable) else outcome[0]

    def along(
        self,
        X: Matrix,
        y: ArrayLike,
        sizes: Iterable[int | float | None],
        queries: Matrix | None,
        alphas: Iterable[float] = (),
    ) -> Iterator[tuple[Model, DecisionFunction] | SizeUnavailable]:
        """The path, and with each model a function that returns its decisions on the queries.

        With `alphas`, one model per alpha at each size; descending alphas are fastest, because
        each model starts from the one before.
        """
        check_choice("normalize", self.normalize, get_args(Normalize))
        documents, encoding = read_training_data(self, X, y)
        labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        requested = list(sizes)
        reducer = clone(self.reducer if self.reducer is not None else TopTerms())
        self.reducer_ = reducer.set_params(size=_largest(requested)).fit(documents, labels)
        classifiers = self._classifiers(alphas)
        trainer = _trainer_for(self, classifiers[0], documents, queries)
        for size in sorted(columns_for(size, reducer.available_) for size in requested):
            try:
                self.reduction_ = reducer.at(size)
            except SizeUnavailable as unavailable:
                yield from [unavailable] * len(classifiers)
                continue
            stage = trainer.at(self.reduction_)
            for classifier in classifiers:
                self.classifier_ = clone(classifier)
                yield stage.train(self.classifier_, labels, encoding)

    def _classifiers(self, alphas: Iterable[float]) -> list[BaseEstimator]:
        """The classifier with each alpha; without any, as it is."""
        classifier = self.classifier if self.classifier is not None else LogisticClassifier()
        return [clone(classifier).set_params(alpha=alpha) for alpha in alphas] or [classifier]

class _Stage(Protocol):
    """The documents of one size, on which classifiers are trained."""

    def train(
        self, classifier: BaseEstimator, labels: NDArray[Any], encoding: LabelEncoding
    ) -> tuple[Model, DecisionFunction]: ...


class _Trainer(Protocol):
    def at(self, reduction: Reduction) -> _Stage: ...


def _trainer_for(
    path: ReduceThenFit, classifier: BaseEstimator, X: Matrix, queries: Matrix | None
) -> _Trainer:
    """Prefixes of ranked documents where the reducer ranks and the classifier reads rows."""
    order = path.reducer_.order
    if order is None or not hasattr(classifier, "fit_rows"):
        return _Columns(X, queries, path.normalize)
    prefixes = getattr(path.reducer_, "prefixes", Prefixes.of)
    documents = [None if Y is None else prefixes(Y, order, path.normalize) for Y in (X, queries)]
    return _Ranked(*documents)


@dataclass(eq=False)
class _Ranked:
    """Trains on prefixes; each model starts from the latest one with the same place in the grid."""

    documents: Prefixes
    queries: Prefixes | None
    start: Any = None

    def at(self, reduction: Reduction) -> _RankedStage:
        queries = None if self.queries is None else self.queries.rows(reduction.size)
        return _RankedStage(self, reduction, self.documents.rows(reduction.size), queries)


@dataclass(eq=False)
class _RankedStage:
    trainer: _Ranked
    reduction: Reduction
    rows: Rows
    queries: Rows | None
    start: Any = None

    def train(
        self, classifier: BaseEstimator, labels: NDArray[Any], encoding: LabelEncoding
    ) -> tuple[Model, DecisionFunction]:
        first = self.start is None
        solution = classifier.fit_rows(
            self.rows, encoding, self.trainer.start if first else self.start
        )
        self.start = solution.start
        if first:
            self.trainer.start = solution.start
        model = LinearModel(
            self.reduction.lift(solution.coef),
            solution.intercept,
            encoding.classes,
            self.reduction.size,
            normalize=self.trainer.documents.normalize,
            rule=encoding.rule,
            calibration=solution.calibration,
        )
        decide = partial(decisions_of, self.queries, solution.coef, solution.intercept)
        return model, decide


@dataclass(eq=False)
class _Columns:
    """Trains any classifier on copies of the reduced documents."""

    documents: Matrix
    queries: Matrix | None
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
            lifted, intercept, classes, self.reduction.size, normalize=normalize, rule=rule
        )


def _largest(sizes: list[int | float | None]) -> int | None:
    """The size to fit a reducer for; None (all) if shares are among the sizes."""
    counts = [int(size) for size in sizes if isinstance(size, int | np.integer)]
    return max(counts) if counts and len(counts) == len(sizes) else None


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
