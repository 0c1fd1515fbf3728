"""`ReduceThenFit`: a reducer, then any classifier on its columns, at every size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone

from laconic.classifiers.path import PathClassifier, read_documents
from laconic.classifiers.rls import RLSClassifier
from laconic.errors import LaconicError, SizeUnavailable
from laconic.model import LinearModel, Model, Normalize, Rule, decide, squared
from laconic.numerics.quotient import quotient
from laconic.numerics.weighing import scale_rows
from laconic.reducer import Reducer
from laconic.reduction import Columns, Floats, Matrix, Reduction, columns_for
from laconic.selectors.top import TopTerms
from laconic.vectors.labels import LabelEncoding

# So many documents are asked whether a classifier is linear.
ASKED = 20


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """A reduction with a classifier behind it that is not linear, so that no coefficients exist."""

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
    """Fits the reducer once, and the classifier anew on the columns of each size.

    Parameters
    ----------
    reducer : Reducer, default=TopTerms()
    classifier : scikit-learn classifier, default=RLSClassifier()
        A linear one (with `coef_` and `intercept_`) gives models over the original vocabulary.
    size : int, float or None
        Columns that the classifier sees: a number, a share in (0, 1], None for all.
    normalize : "all" or "selected", default="all"
        Documents are taken as they come; or divided by their length over the words of the
        reduction, before its weights, which gives closed models: they need their own words only.

    Attributes
    ----------
    reducer_ : the reducer as it was fitted, for the largest size
    reduction_ : the reduction behind which the newest model was trained
    classifier_ : the classifier of the newest model, as it was fitted on the reduced documents;
        `gap_` or `residual_` of ours says how exactly it was solved
    model_ : LinearModel, or ReducedModel behind a classifier that is not linear
    classes_ : array
    """

    def __init__(
        self,
        reducer: Reducer | None = None,
        classifier: BaseEstimator | None = None,
        *,
        size: int | float | None = None,
        normalize: Normalize = "all",
    ) -> None:
        self.reducer = reducer
        self.classifier = classifier
        self.size = size
        self.normalize = normalize

    def path(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]
    ) -> Iterator[Model | SizeUnavailable]:
        """One model a size, ascending; the reducer is fitted once for all of them."""
        if self.normalize not in get_args(Normalize):
            raise LaconicError(
                f"normalize={self.normalize!r}: choose from {', '.join(get_args(Normalize))}"
            )
        documents, encoding = read_documents(self, X, y)
        squares = squared(documents) if self.normalize == "selected" else None
        labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        wanted = list(sizes)
        reducer = clone(self.reducer if self.reducer is not None else TopTerms())
        self.reducer_ = reducer.set_params(size=_largest(wanted)).fit(documents, labels)
        for size in sorted(columns_for(size, reducer.available_) for size in wanted):
            try:
                self.reduction_ = reducer.at(size)
            except SizeUnavailable as absent:
                yield absent
            else:
                lengths = None if squares is None else _lengths(squares, self.reduction_)
                Z = _reduced(self.reduction_, documents, lengths)
                yield self._train(self.reduction_, Z, labels, encoding)

    def _train(
        self, reduction: Reduction, Z: Matrix, labels: NDArray[Any], encoding: LabelEncoding
    ) -> Model:
        classifier = clone(self.classifier if self.classifier is not None else RLSClassifier())
        self.classifier_ = classifier.fit(Z, labels)
        weights = _linear(classifier, Z, encoding.y_signed.shape[1])
        if weights is None:
            return ReducedModel(
                reduction, classifier, encoding.classes, encoding.rule, self.normalize
            )
        coef, intercept = weights
        return LinearModel(
            reduction.lift(coef),
            intercept,
            encoding.classes,
            reduction.size,
            normalize=self.normalize,
            rule=encoding.rule,
        )


def _largest(sizes: list[int | float | None]) -> int | None:
    """The size a reducer must be fitted for; None for all where shares are among them."""
    counts = [int(size) for size in sizes if isinstance(size, int | np.integer)]
    return max(counts) if counts and len(counts) == len(sizes) else None


def _lengths(squares: Matrix, reduction: Reduction) -> Floats:
    """Of each document, over the words that the reduction reads."""
    read = np.zeros(squares.shape[1])
    read[reduction.terms] = 1.0
    return np.asarray(np.sqrt(squares @ read))


def _reduced(reduction: Reduction, X: Matrix, lengths: Floats | None) -> Matrix:
    """Documents over the columns, divided by their lengths where these are given."""
    Z = reduction.apply(X)
    if lengths is None:
        return Z
    inverse = quotient(1.0, lengths)
    return scale_rows(Z.tocsr(), inverse) if issparse(Z) else Z * inverse[:, None]


def _linear(classifier: BaseEstimator, Z: Matrix, n_rows: int) -> tuple[Floats, Floats] | None:
    """Coefficients and intercepts, one row a column of the targets; None if it is not linear so.

    What is called `coef_` may be another thing (one-vs-one, a multinomial of two classes), so that
    the decisions themselves are asked.
    """
    coef = getattr(classifier, "coef_", None)
    if coef is None or not hasattr(classifier, "decision_function"):
        return None
    W = np.atleast_2d(coef.toarray() if issparse(coef) else np.asarray(coef, dtype=np.float64))
    if W.shape != (n_rows, Z.shape[1]):
        return None
    b = np.broadcast_to(np.asarray(classifier.intercept_, dtype=np.float64), (n_rows,)).copy()
    asked = Z[:ASKED]
    said = np.reshape(classifier.decision_function(asked), (-1, n_rows))
    return (W, b) if np.allclose(said, asked @ W.T + b, rtol=1e-6, atol=1e-8) else None


def _log_odds(probability: Any, rule: Rule, classes: Any) -> Floats:
    """Decision values of a classifier that has probabilities only (k-NN, forests)."""
    tiny = np.finfo(np.float64).tiny
    if rule == "labels" and isinstance(probability, list):
        # one column where training knew one answer only
        yes = [p[:, known == 1].sum(axis=1) for p, known in zip(probability, classes, strict=True)]
        probability = np.column_stack(yes)
    if rule == "argmax":
        return np.log(np.maximum(probability, tiny))
    positive = probability[:, 1] if rule == "sign" else probability
    return np.log(np.maximum(positive, tiny)) - np.log(np.maximum(1 - positive, tiny))
