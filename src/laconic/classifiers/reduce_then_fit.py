"""`ReduceThenFit`: a reducer, then any classifier on its columns, at every size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone

from laconic.classifiers.logistic import LogisticClassifier
from laconic.classifiers.path import DecisionFunction, PathClassifier, read_training_data
from laconic.classifiers.trainers import trainer_for
from laconic.errors import SizeUnavailable
from laconic.model import Model, Normalize
from laconic.numerics.blocks import Blocks
from laconic.reducer import Reducer
from laconic.reduction import columns_for
from laconic.selectors.top import TopTerms
from laconic.types import Matrix
from laconic.validation import check_choice


class ReduceThenFit(PathClassifier):
    """Fits the reducer once, then trains the classifier on the columns of each size.

    Parameters
    ----------
    reducer : Reducer or None, default=None
        Selects or projects the terms. None is TopTerms(by="rfe"), recursive
        feature elimination.
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
        classifiers: Sequence[BaseEstimator] = (),
    ) -> Iterator[tuple[Model, DecisionFunction] | SizeUnavailable]:
        """The path, and with each model a function that returns its decisions on the queries.

        Without queries, those are on the training documents. With `alphas`, one model per alpha at
        each size; descending alphas are fastest, because each model starts from the one before.
        With `classifiers`, each size, ascending, has its own.
        """
        check_choice("normalize", self.normalize, get_args(Normalize))
        documents, encoding = read_training_data(self, X, y)
        labels = dense_labels(y, documents)
        requested = list(sizes)
        reducer = clone(self.reducer if self.reducer is not None else TopTerms("rfe"))
        self.reducer_ = reducer.set_params(size=_largest(requested)).fit(documents, labels)
        columns = sorted(columns_for(size, reducer.available_) for size in requested)
        grid = [[classifier] for classifier in classifiers] or [self._grid(alphas)] * len(columns)
        inputs = reducer, grid[0][0], documents, queries, self.normalize
        trainer = trainer_for(*inputs, max(columns, default=0))
        for size, of_size in zip(columns, grid, strict=True):
            try:
                self.reduction_ = reducer.at(size)
            except SizeUnavailable as unavailable:
                yield from [unavailable] * len(of_size)
                continue
            stage = trainer.at(self.reduction_)
            for classifier in of_size:
                self.classifier_ = clone(classifier)
                yield stage.train(self.classifier_, labels, encoding)

    def _grid(self, alphas: Iterable[float]) -> list[BaseEstimator]:
        """The classifier with each alpha; without any, as it is."""
        classifier = self.classifier if self.classifier is not None else LogisticClassifier()
        return [clone(classifier).set_params(alpha=alpha) for alpha in alphas] or [classifier]


def dense_labels(y: ArrayLike, X: Matrix) -> Any:
    """As an array; indicators of blocks stay sparse, because documents may be many."""
    if isinstance(X, Blocks) and issparse(y):
        return y
    return np.asarray(y.toarray() if hasattr(y, "toarray") else y)


def _largest(sizes: list[int | float | None]) -> int | None:
    """The size to fit a reducer for; None (all) if shares are among the sizes."""
    counts = [int(size) for size in sizes if isinstance(size, int | np.integer)]
    return max(counts) if counts and len(counts) == len(sizes) else None
