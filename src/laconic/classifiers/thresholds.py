"""`TunedThreshold`: every model of a path, with the decision threshold of the best F1.

Keerthi (2005) tunes the threshold of each classifier on out-of-sample decision values: by
leave-one-out for LARS (in `LarsClassifier`), by cross-validation for other methods (here).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import Tags, check_random_state

from laconic.classifiers.path import PathClassifier, read_training_data
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.errors import LaconicError, SizeUnavailable
from laconic.model import LinearModel, Model
from laconic.numerics.blocks import Blocks
from laconic.numerics.strata import rarest_label, stratified_order
from laconic.numerics.thresholds import best_threshold
from laconic.text.labels import LabelEncoding
from laconic.types import Bools, Floats, Matrix
from laconic.validation import check_choice, is_whole

By: TypeAlias = Literal["cv", "training"]
Path: TypeAlias = Iterator[Model | SizeUnavailable]


def best_thresholds(values: Floats, y_signed: Floats) -> Floats:
    """The best threshold of each column; NaN values are missing and ignored."""
    columns = zip(values.T, y_signed.T, ~np.isnan(values).T, strict=True)
    return np.array([best_threshold(f[present], y[present]) for f, y, present in columns])


class TunedThreshold(PathClassifier):
    """Each model of another path classifier, with the threshold of the best F1 for each row.

    For two classes (the F1 is that of the second) or an indicator matrix of labels. With several
    classes the largest decision value wins, so there is no threshold.

    Parameters
    ----------
    classifier : PathClassifier or None, default=None
        Its models must be linear. None is ReduceThenFit().
    by : "cv" or "training", default="cv"
        The decision values on which the threshold is chosen: out-of-fold values of a
        cross-validation, which repeats selection and training in each fold; or those of the
        training documents themselves, which is cheap and optimistic.
    cv : int, default=10
        Number of stratified cross-validation folds. Fewer if there are fewer documents.
    size : int, float or None, default=None
        The size of the model that `fit` trains, as in the classifier.
    random_state : int, default=0
        Seed of the fold assignment.

    Attributes
    ----------
    thresholds_ : array of shape (n_rows,)
        The thresholds of the latest model.
    model_ : LinearModel
        The fitted model.
    classes_ : array of shape (n_classes,)
    """

    def __init__(
        self,
        classifier: PathClassifier | None = None,
        *,
        by: By = "cv",
        cv: int = 10,
        size: int | float | None = None,
        random_state: int = 0,
    ) -> None:
        self.classifier = classifier
        self.by = by
        self.cv = cv
        self.size = size
        self.random_state = random_state

    def path(self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]) -> Path:
        """One model per size, ascending; each fold computes its path once for all sizes."""
        self._check_parameters()
        documents, encoding = read_training_data(self, X, y)
        _refuse_argmax(encoding)
        labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        requested, y_signed = list(sizes), encoding.y_signed
        masks = _stratified(y_signed, self.cv, self.random_state) if self.by == "cv" else []
        folds = [_Fold(self._path(documents, labels, ~mask, requested), mask) for mask in masks]
        for outcome in self._path(documents, labels, np.ones(len(labels), dtype=bool), requested):
            by_fold = [fold.decisions(documents) for fold in folds]
            if isinstance(outcome, SizeUnavailable):
                yield outcome
                continue
            model = _linear(outcome)
            values = _pooled(by_fold, y_signed) if self.by == "cv" else model.decision(documents)
            yield self._tuned(model, values, y_signed)

    def _path(self, X: Matrix, labels: NDArray[Any], rows: Bools, sizes: list[Any]) -> Path:
        classifier = self.classifier if self.classifier is not None else ReduceThenFit()
        models: Path = clone(classifier).path(_rows(X, rows), labels[rows], sizes)
        return models

    def _tuned(
        self, model: LinearModel, values: Floats, y_signed: Floats
    ) -> LinearModel | SizeUnavailable:
        if np.isnan(values).all():
            reason = "no fold has a model of this size to choose a threshold by"
            return SizeUnavailable(model.size, f"{reason}. Ask for a smaller size")
        self.thresholds_ = best_thresholds(values, y_signed)
        return replace(model, thresholds=self.thresholds_)

    def _check_parameters(self) -> None:
        check_choice("by", self.by, get_args(By))
        if not is_whole(self.cv, 2):
            raise LaconicError(f"cv={self.cv!r}: give a number of folds, at least 2")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class _Fold:
    """The path trained without the documents of one fold, and the mask of these documents."""

    def __init__(self, path: Path, mask: Bools) -> None:
        self.path = path
        self.mask = mask

    def decisions(self, X: Matrix) -> tuple[Bools, Floats | None]:
        """The mask, and the decisions of the next model on these documents; None without a model.

        Call it once per size.
        """
        outcome = next(self.path)
        if isinstance(outcome, SizeUnavailable):
            return self.mask, None
        return self.mask, outcome.decision(_rows(X, self.mask))


def _rows(X: Matrix, mask: Bools) -> Matrix:
    return X.take(np.flatnonzero(mask)) if isinstance(X, Blocks) else X[mask]


def _pooled(by_fold: list[tuple[Bools, Floats | None]], y_signed: Floats) -> Floats:
    """The decision values of all folds together; NaN where there are none."""
    pooled = np.full(y_signed.shape, np.nan)
    for mask, values in by_fold:
        if values is not None:
            pooled[mask] = values
    return pooled


def _stratified(y_signed: Floats, folds: int, random_state: int) -> list[Bools]:
    """The documents of each fold: distributed class by class, each class in random order.

    A document with several labels counts for the rarest of them. Folds without which only one
    class would be left for training are dropped.
    """
    n_docs = y_signed.shape[0]
    rng = check_random_state(random_state)
    order = stratified_order(np.arange(n_docs), rarest_label(y_signed > 0), rng)
    fold_of = np.empty(n_docs, dtype=np.intp)
    fold_of[order] = np.arange(n_docs) % folds
    masks = [fold_of == fold for fold in range(min(folds, n_docs))]
    return [mask for mask in masks if y_signed.shape[1] > 1 or np.unique(y_signed[~mask]).size > 1]


def _linear(model: Model) -> LinearModel:
    if not isinstance(model, LinearModel):
        raise LaconicError(
            f"{type(model).__name__} has no thresholds: it is not linear. Choose a linear "
            "classifier"
        )
    return model


def _refuse_argmax(encoding: LabelEncoding) -> None:
    if encoding.rule == "argmax":
        raise LaconicError(
            "Only binary classification is supported. The type of the target is multiclass: with "
            f"{len(encoding.classes)} classes the largest decision value wins, and there is no "
            "threshold to tune. Give two classes, or an indicator matrix of labels"
        )
