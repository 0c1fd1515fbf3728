"""`TunedThreshold`: every model of a path, with the threshold that gives the best F-measure.

Keerthi (2005) tunes the threshold of each classifier on outputs that training has not seen:
leave-one-out for LARS (`LarsClassifier` does it along its path), cross-validation for other
selections of words, which is here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import Tags, check_random_state

from laconic.classifiers.path import PathClassifier, read_documents
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.errors import LaconicError, SizeUnavailable
from laconic.model import LinearModel, Model
from laconic.numerics.thresholds import best_threshold
from laconic.reduction import Floats, Matrix
from laconic.vectors.labels import LabelEncoding

By: TypeAlias = Literal["cv", "training"]
Path: TypeAlias = Iterator[Model | SizeUnavailable]


def best_thresholds(values: Floats, y_signed: Floats) -> Floats:
    """That of each column; values that are NaN are not known, and do not count."""
    columns = zip(values.T, y_signed.T, ~np.isnan(values).T, strict=True)
    return np.array([best_threshold(column[known], own[known]) for column, own, known in columns])


def shifted(model: LinearModel, thresholds: Floats) -> LinearModel:
    """The model that says yes where f > θ: the threshold is in the intercept."""
    return replace(model, intercept=model.intercept - thresholds)


class TunedThreshold(PathClassifier):
    """Each model of another path, with the threshold of the best F1 for each of its rows.

    For two classes (the F1 is that of the second), or several labels. Where the largest of several
    values decides there is no threshold.

    Parameters
    ----------
    classifier : PathClassifier, default=ReduceThenFit()
        Its models must be linear.
    by : "cv" or "training", default="cv"
        The values that the threshold is chosen for: of documents left out in a cross-validation,
        in which each fold selects and trains anew along the whole path; or of the training
        documents themselves, which is cheap and too hopeful.
    folds : int, default=10
        Stratified. Fewer where there are fewer documents.
    size : int, float or None
        That of the model to keep, as the classifier takes it.
    random_state : int, default=0
        Who is in which fold.

    Attributes
    ----------
    thresholds_ : array; of the newest model, on the scale of the classifier's own values
    model_ : LinearModel
    classes_ : array
    """

    def __init__(
        self,
        classifier: PathClassifier | None = None,
        *,
        by: By = "cv",
        folds: int = 10,
        size: int | float | None = None,
        random_state: int = 0,
    ) -> None:
        self.classifier = classifier
        self.by = by
        self.folds = folds
        self.size = size
        self.random_state = random_state

    def path(self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]) -> Path:
        """One model a size, ascending; each fold walks its own path once for all of them."""
        self._refuse()
        documents, encoding = read_documents(self, X, y)
        _refuse_argmax(encoding)
        labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        wanted = list(sizes)
        folds = _dealt(encoding.y_signed, self.folds, self.random_state) if self.by == "cv" else []
        left_out = [_LeftOut(self._path(documents, labels, ~fold, wanted), fold) for fold in folds]
        for outcome in self._path(documents, labels, slice(None), wanted):
            values = [one.values(documents) for one in left_out]
            if isinstance(outcome, SizeUnavailable):
                yield outcome
                continue
            model = _linear(outcome)
            seen = (
                _pooled(values, encoding.y_signed) if self.by == "cv" else model.decision(documents)
            )
            yield self._tuned(model, seen, encoding.y_signed)

    def _path(self, X: Matrix, labels: NDArray[Any], which: Any, sizes: list[Any]) -> Path:
        classifier = self.classifier if self.classifier is not None else ReduceThenFit()
        return clone(classifier).path(X[which], labels[which], sizes)

    def _tuned(
        self, model: LinearModel, seen: Floats, y_signed: Floats
    ) -> LinearModel | SizeUnavailable:
        if np.isnan(seen).all():
            reason = "no fold has a model of this size to choose a threshold by"
            return SizeUnavailable(model.size, f"{reason}. Ask for a smaller one")
        self.thresholds_ = best_thresholds(seen, y_signed)
        return shifted(model, self.thresholds_)

    def _refuse(self) -> None:
        if self.by not in get_args(By):
            raise LaconicError(f"by={self.by!r}: choose from {', '.join(get_args(By))}")
        if not isinstance(self.folds, int | np.integer) or self.folds < 2:
            raise LaconicError(f"folds={self.folds!r}: give a number of folds, at least 2")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class _LeftOut:
    """A path without some documents, and what its models say about them."""

    def __init__(self, path: Path, fold: NDArray[np.bool_]) -> None:
        self.path = path
        self.fold = fold

    def values(self, X: Matrix) -> tuple[NDArray[np.bool_], Floats | None]:
        """Which documents, and their values by the next model; None where there is no such model.

        To be asked once for each size.
        """
        outcome = next(self.path)
        absent = isinstance(outcome, SizeUnavailable)
        return self.fold, None if absent else outcome.decision(X[self.fold])


def _pooled(values: list[tuple[NDArray[np.bool_], Floats | None]], y_signed: Floats) -> Floats:
    """What all folds say together; NaN where nothing is said."""
    pooled = np.full(y_signed.shape, np.nan)
    for fold, own in values:
        if own is not None:
            pooled[fold] = own
    return pooled


def _dealt(y_signed: Floats, folds: int, random_state: int) -> list[NDArray[np.bool_]]:
    """Which documents each fold leaves out: dealt class by class, each in random order.

    The class of a document with several labels is the rarest of them. No fold is left out where
    training without it would know one answer only.
    """
    n_docs = y_signed.shape[0]
    chosen = y_signed > 0
    rarity = np.where(chosen, chosen.sum(axis=0), n_docs + 1)
    stratum = np.where(chosen.any(axis=1), rarity.argmin(axis=1), y_signed.shape[1])
    shuffled = check_random_state(random_state).permutation(n_docs)
    fold_of = np.empty(n_docs, dtype=np.intp)
    fold_of[shuffled[np.argsort(stratum[shuffled], kind="stable")]] = np.arange(n_docs) % folds
    dealt = [fold_of == fold for fold in range(min(folds, n_docs))]
    return [fold for fold in dealt if y_signed.shape[1] > 1 or np.unique(y_signed[~fold]).size > 1]


def _linear(model: Model) -> LinearModel:
    if not isinstance(model, LinearModel):
        raise LaconicError(
            f"a threshold was asked for, but {type(model).__name__} has no intercept to put it in. "
            "Choose a linear classifier"
        )
    return model


def _refuse_argmax(encoding: LabelEncoding) -> None:
    if encoding.rule == "argmax":
        raise LaconicError(
            "Only binary classification is supported. The type of the target is multiclass: of "
            f"{len(encoding.classes)} classes the largest value decides, and there is no threshold "
            "to tune. Give two classes, or an indicator matrix of labels"
        )
