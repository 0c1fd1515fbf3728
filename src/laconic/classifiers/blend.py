"""`BlendClassifier`: the average of several linear classifiers, which is one linear model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone

from laconic.classifiers.logistic import LogisticClassifier
from laconic.classifiers.path import LinearModelClassifier, read_training_data
from laconic.classifiers.prefixes import decisions_of
from laconic.classifiers.row_groups import rows_of
from laconic.classifiers.rows_solution import RowsSolution
from laconic.classifiers.svm import SVMClassifier
from laconic.errors import LaconicError
from laconic.numerics.blocks import Blocks
from laconic.numerics.decision_counts import code_losses, count_decisions, scale_of
from laconic.numerics.members import signed
from laconic.numerics.strata import rarest_label, stratified_order
from laconic.numerics.svm.input import Rows
from laconic.text.labels import LabelEncoding
from laconic.types import Floats, Indices, Matrix
from laconic.validation import is_non_negative

FOLDS = 3


class BlendClassifier(LinearModelClassifier):
    """The mean of the decision values of several classifiers, each divided by its scale.

    Classifiers of about the same quality err on different documents, and their mean is often better
    than the best of them. The mean of linear models is a linear model with as many features.

    Parameters
    ----------
    estimators : list of (str, classifier) or None, default=None
        The members, as in scikit-learn's VotingClassifier: `LogisticClassifier` or `SVMClassifier`
        with any settings. None is a logistic regression and an SVM.
    scales : sequence of float or None, default=None
        The scale of each member's decision values. None computes it from out-of-fold decisions: it
        is the temperature that makes them log-odds, as nearly as one number can.

    Attributes
    ----------
    model_ : LinearModel
        The fitted model.
    scales_ : array of shape (n_estimators,)
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (n_rows, n_terms)
    intercept_ : array of shape (n_rows,)
    """

    def __init__(
        self,
        estimators: Sequence[tuple[str, BaseEstimator]] | None = None,
        *,
        scales: Sequence[float] | None = None,
    ) -> None:
        self.estimators = estimators
        self.scales = scales

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Train all members; y has one class per document or is an indicator matrix."""
        documents, encoding = read_training_data(self, X, y)
        solution = self.fit_rows(rows_of(documents), encoding)
        return self._set_model(solution.model(encoding))

    def fit_rows(
        self, rows: Rows | Blocks, encoding: LabelEncoding, start: Any = None
    ) -> RowsSolution:
        """Train on a prefix of ranked documents, or on blocks; `start` is of another solution."""
        members = dict(self._members())
        self.scales_ = self._scales(members, rows, encoding)
        starts = start or {}
        solutions = {
            name: member.fit_rows(rows, encoding, starts.get(name))
            for name, member in members.items()
        }
        weights = 1.0 / (self.scales_ * len(members))
        parts = list(zip(weights, solutions.values(), strict=True))
        return RowsSolution(
            np.asarray(sum(weight * part.coef for weight, part in parts)),
            np.asarray(sum(weight * part.intercept for weight, part in parts)),
            np.concatenate([part.solved for _, part in parts]),
            np.concatenate([part.gap for _, part in parts]),
            {name: solution.start for name, solution in solutions.items()},
        )

    def _members(self) -> Iterator[tuple[str, Any]]:
        default = [("logistic", LogisticClassifier()), ("svm", SVMClassifier(0.3))]
        members = default if self.estimators is None else list(self.estimators)
        for name, member in members:
            if not hasattr(member, "fit_rows"):
                raise LaconicError(
                    f"BlendClassifier: {name} is a {type(member).__name__}. Give classifiers of "
                    "Laconic: LogisticClassifier or SVMClassifier"
                )
            yield name, clone(member)
        if not members:
            raise LaconicError("BlendClassifier(estimators=[]): give at least one classifier")

    def _scales(
        self, members: dict[str, Any], rows: Rows | Blocks, encoding: LabelEncoding
    ) -> Floats:
        if self.scales is None:
            return np.array([_out_of_fold_scale(m, rows, encoding) for m in members.values()])
        valid = all(is_non_negative(scale) and scale > 0 for scale in self.scales)
        if len(self.scales) != len(members) or not valid:
            raise LaconicError(
                f"BlendClassifier(scales={list(self.scales)!r}): give one number above 0 for each "
                f"of the {len(members)} classifiers"
            )
        return np.asarray(self.scales, dtype=np.float64)


def _out_of_fold_scale(member: Any, rows: Rows | Blocks, encoding: LabelEncoding) -> float:
    """The scale of the decisions about documents that the member was not trained on."""
    tunings = [_fold_tuning(member, rows, encoding, fold) for fold in _folds(encoding)]
    return scale_of(np.asarray(sum(tunings)))


def _fold_tuning(
    member: Any, rows: Rows | Blocks, encoding: LabelEncoding, fold: Indices
) -> NDArray[Any]:
    """What the scale follows from, of the documents of a fold; it is a sum over documents."""
    weights = np.ones(encoding.n_docs)
    weights[fold] = 0.0
    solution = clone(member).fit_rows(rows, encoding, None, weights)
    decision = decisions_of(rows.take(fold), solution.coef, solution.intercept)
    if encoding.rule == "argmax":
        return code_losses(decision, encoding.codes[fold])
    return count_decisions(decision, signed(encoding.members[fold]))


def _folds(encoding: LabelEncoding) -> list[Indices]:
    """The documents of each fold, ascending."""
    stratum = rarest_label(encoding.members)
    order = stratified_order(np.arange(stratum.size), stratum, np.random.RandomState(0))
    return [np.sort(order[place::FOLDS]) for place in range(FOLDS)]
