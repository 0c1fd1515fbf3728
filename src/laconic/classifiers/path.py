"""The contract `PathClassifier`: one training set, a family of models, one for each size."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.model import LinearModel, Model, margins
from laconic.numerics.blocks import Blocks
from laconic.text.labels import LabelEncoding
from laconic.text.matrices import check_labelled, read_documents
from laconic.types import Columns, Floats, Matrix

DecisionFunction: TypeAlias = Callable[[], Floats]


def read_training_data(
    estimator: BaseEstimator, X: Matrix, y: ArrayLike
) -> tuple[Matrix, LabelEncoding]:
    """Validated documents and labels: one class per document, or indicators."""
    if isinstance(X, Blocks):
        documents, labels = read_documents(estimator, X), y
    else:
        documents, labels = validate_data(
            estimator, X, y, accept_sparse=("csr", "csc"), dtype=np.float64, multi_output=True
        )
    encoding = LabelEncoding.of(labels)
    check_labelled(documents, encoding.n_docs)
    _warn_constant_labels(encoding)
    return documents, encoding


def _warn_constant_labels(encoding: LabelEncoding) -> None:
    """A label that no training document has, or that all have, cannot be learned."""
    if encoding.rule != "labels":
        return
    n_members = np.bincount(encoding.members.indices, minlength=encoding.n_rows)
    for constant, quantifier in ((0, "no"), (encoding.n_docs, "every")):
        if n_labels := np.count_nonzero(n_members == constant):
            warnings.warn(
                f"{n_labels:,} of {encoding.classes.size:,} labels occur in {quantifier} training "
                "document, so nothing can be learned about them",
                LaconicWarning,
                stacklevel=4,
            )


def not_in_memory(name: str, X: Blocks, otherwise: str = "") -> LaconicError:
    """For what needs all documents in memory."""
    n_docs, n_columns = X.shape
    advice = f", {otherwise}" if otherwise else ""
    return LaconicError(
        f"{name} needs the documents in memory, but {n_docs:,} documents over {n_columns:,} "
        f"features take more than {X.memory / 1e6:,.0f} MB. Select fewer words first, raise that "
        f"limit (--in-memory){advice}"
    )


def read_queries(estimator: BaseEstimator, X: Matrix) -> Matrix:
    check_is_fitted(estimator)
    return read_documents(estimator, X, reset=False)


def stack_rows(columns: Sequence[Columns], values: Sequence[Floats], n_terms: int) -> csr_array:
    """Sparse coefficients of rows that select their own words.

    Every selected word has a stored entry, even where its coefficient is 0.
    """
    ends = np.cumsum([0, *(row.size for row in columns)])
    entries = (np.concatenate(values), np.concatenate(columns), ends)
    return csr_array(entries, shape=(len(columns), n_terms))


def _is_calibrated(estimator: Any) -> bool:
    """scikit-learn expects the most probable class as the prediction; a threshold changes that."""
    model = getattr(estimator, "model_", None)
    return isinstance(model, LinearModel) and (
        model.calibration is not None and model.thresholds is None
    )


class ModelClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose predictions come from its fitted `model_`."""

    model_: Model

    def decision_function(self, X: Matrix) -> Floats:
        """Decision values: one column per class or label; one-dimensional for two classes.

        The model's thresholds are subtracted: scikit-learn compares with 0.
        """
        queries = read_queries(self, X)
        values = margins(self.model_.decision(queries), self.model_)
        return values[:, 0] if self.model_.rule == "sign" else values

    def predict(self, X: Matrix) -> NDArray[Any]:
        """Class labels, or an indicator matrix if the training labels were one."""
        queries = read_queries(self, X)
        return self.model_.predict(queries)

    @available_if(_is_calibrated)  # type: ignore[untyped-decorator]  # scikit-learn is untyped
    def predict_proba(self, X: Matrix) -> Floats:
        """Probabilities of the classes, or of each label.

        Only if `model_` has a calibration and no thresholds; otherwise use those of `model_`.
        """
        assert isinstance(self.model_, LinearModel)
        return self.model_.predict_proba(read_queries(self, X))

    def _set_model(self, model: Model) -> Self:
        self.model_ = model
        self.classes_ = model.classes
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags


class LinearModelClassifier(ModelClassifier):
    """A classifier whose model is linear, with scikit-learn's attributes `coef_`, `intercept_`."""

    model_: LinearModel

    @property
    def coef_(self) -> Matrix:
        return self.model_.coef

    @property
    def intercept_(self) -> Floats:
        """With the thresholds subtracted, as in `decision_function`."""
        return self.model_.without_thresholds().intercept


class PathClassifier(ModelClassifier, metaclass=ABCMeta):
    """`path(X, y, sizes)` trains one model per size; `fit` trains the one of its own `size`.

    A subclass has a parameter `size` and implements `path`. `laconic.testing.check_path` tests it.
    """

    size: int | float | None

    @abstractmethod
    def path(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]
    ) -> Iterator[Model | SizeUnavailable]:
        """Exactly one item per size, ascending: a model, or why there is none."""

    def along(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None], queries: Matrix
    ) -> Iterator[tuple[Model, DecisionFunction] | SizeUnavailable]:
        """The path, and with each model a function that returns its decisions on the queries.

        A subclass may override it where the models share work; `ReduceThenFit` can train with
        several alphas at each size.
        """
        for outcome in self.path(X, y, sizes):
            if isinstance(outcome, SizeUnavailable):
                yield outcome
            else:
                yield outcome, partial(outcome.decision, queries)

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Train the model of `size`."""
        (outcome,) = self.path(X, y, [self.size])
        if isinstance(outcome, SizeUnavailable):
            raise outcome
        return self._set_model(outcome)
