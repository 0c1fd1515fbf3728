"""`MaskedSVM`: words ranked by SVM weights, and smaller SVMs derived without full retraining.

Kołcz & Chowdhury 2007: the formulas are in `laconic.classifiers.masked.machine`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.utils import Tags

from laconic.classifiers.masked.machine import (
    Machine,
    MaskedDecisions,
    MaskSettings,
    SmallerMachine,
    Variant,
)
from laconic.classifiers.path import (
    DecisionFunction,
    LinearModelClassifier,
    PathClassifier,
    read_queries,
    read_training_data,
    stack_rows,
)
from laconic.classifiers.svm import SVMLoss, check_svm
from laconic.classifiers.svm_costs import ClassWeight, class_problems
from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.model import LinearModel, Model, Normalize
from laconic.numerics.candidates import require_memory
from laconic.numerics.svm.dual import Rows, descend
from laconic.numerics.svm.every_size import auc_at_every_size, best_f1_at_every_size
from laconic.numerics.svm.gap import shortfall
from laconic.numerics.svm.ranked import Ranked
from laconic.reduction import columns_for
from laconic.text.labels import LabelEncoding, signed_labels
from laconic.types import Floats, Matrix
from laconic.validation import check_choice, is_whole

EVERY_SIZE = {"roc_auc": auc_at_every_size, "best_f1": best_f1_at_every_size}
# The normalization of each variant in the paper.
NORMALIZE_OF: dict[Variant, Normalize] = {
    "mask": "all",
    "sv_set": "selected",
    "repaired": "selected",
    "exact": "selected",
}


class MaskedSVM(LinearModelClassifier, PathClassifier):
    """One linear SVM per class on all words; smaller models keep the words of largest weight.

    Words are ranked once, by |w|, among those that occur in the support vectors. With several
    classes or labels, each selects its own words. Documents should have unit length.

    Parameters
    ----------
    variant : "mask", "sv_set", "repaired" or "exact", default="mask"
        "mask" keeps the weights as they are: all sizes come from one training. "sv_set" keeps the
        dual variables and recomputes the weights from the support vectors, divided by their length
        over the selected words; it may collapse where one class is rare and less than half of the
        words are selected. "repaired" continues from there with a few passes over the documents.
        "exact" trains until convergence, starting from the dual variables of the SVM on all words.
    alpha : float, default=0.5
        Strength of regularization, above 0, the same as in SVMClassifier: C = 1/(2 alpha).
    size : int, float or None, default=None
        Words per class: a number, a share in (0, 1] of those in the support vectors, None for all
        of them. A class that has fewer words uses all of them.
    loss : "hinge" or "squared_hinge", default="hinge"
        max(0, 1 − y f) or its square.
    fit_intercept : bool, default=True
        Whether to fit an intercept, without penalty. "mask" and "sv_set" use that of the SVM on all
        words.
    normalize : "all", "selected" or None, default=None
        "all" uses documents as they are; "selected" divides them by their length over the words of
        the class, which gives self-contained models. None is the paper's choice: "all" for "mask",
        "selected" for the others.
    epochs : int, default=1
        Passes of "repaired" over the documents; three are as good as "exact".
    class_weight : dict, "balanced" or None, default=None
        As in SVMClassifier.
    tol : float, default=1e-6
        Tolerance of the solver, as in SVMClassifier. A `LaconicWarning` reports rows that are not
        solved, except with "repaired", which stops after its passes.

    Attributes
    ----------
    model_ : LinearModel
        The fitted model.
    classes_ : array of shape (n_classes,)
    coef_ : sparse array of shape (n_rows, n_terms)
    intercept_ : array of shape (n_rows,)
    machines_ : list of Machine
        The SVM of each row on all words, with its dual variables.
    scores_ : array of shape (n_terms,)
        The largest |w| of any row; 0 for words that are in no support vector.
    solved_, gap_ : arrays of shape (n_rows,)
        As in SVMClassifier, for the training that the weights of the latest model come from; with
        "mask" and "sv_set" those of `machines_`.
    agreements_ : list of Agreement
        For each row, the agreement of the latest model with `machines_`; only for the variants that
        retrain, "repaired" and "exact".
    """

    def __init__(
        self,
        variant: Variant = "mask",
        *,
        alpha: float = 0.5,
        size: int | float | None = None,
        loss: SVMLoss = "hinge",
        fit_intercept: bool = True,
        normalize: Normalize | None = None,
        epochs: int = 1,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
    ) -> None:
        self.variant = variant
        self.alpha = alpha
        self.size = size
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.epochs = epochs
        self.class_weight = class_weight
        self.tol = tol

    def path(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]
    ) -> Iterator[LinearModel | SizeUnavailable]:
        """One model per size, ascending; the SVM on all words is trained once for all sizes.

        All models are computed before the first is returned, class by class.
        """
        for model, _ in self._models(X, y, sizes):
            yield model

    def along(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None], queries: Matrix
    ) -> Iterator[tuple[Model, DecisionFunction] | SizeUnavailable]:
        """The path, and with each model a function that returns its decisions on the queries.

        With "mask", one pass over the queries serves all sizes.
        """
        if self._settings().variant != "mask":
            yield from super().along(X, y, sizes, queries)
            return
        decisions: MaskedDecisions | None = None
        for position, (model, counts) in enumerate(self._models(X, y, sizes)):
            if isinstance(model, SizeUnavailable):
                yield model
                continue
            decisions = decisions or MaskedDecisions(
                self.machines_, counts, queries, model.normalize
            )
            yield model, partial(decisions.at, position)

    def every_size(
        self, X: Matrix, y: ArrayLike, metric: Literal["roc_auc", "best_f1"] = "roc_auc"
    ) -> list[Floats]:
        """The metric of the masked SVMs of 1, 2, 3, … words on documents X, one array per row.

        All sizes together cost about as much as a few predictions, because a word changes the
        decisions only of documents that contain it. Only for variant="mask". "best_f1" chooses the
        threshold on these documents: do not report it on the same documents.
        """
        settings = self._settings()
        if settings.variant != "mask" or metric not in EVERY_SIZE:
            raise LaconicError(
                f"every_size: metric={metric!r} with variant={self.variant!r}: choose from "
                f"{', '.join(EVERY_SIZE)}, with variant='mask'. Other variants are trained for "
                "each size: use path"
            )
        documents = read_queries(self, X)
        y_signed = signed_labels(y, self.classes_, self.model_.rule)
        return [
            EVERY_SIZE[metric](
                Ranked.of(documents, machine.order),
                machine.coef,
                column > 0,
                normalize_selected=settings.normalize == "selected",
            )
            for machine, column in zip(self.machines_, y_signed.T, strict=True)
        ]

    def _models(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]
    ) -> Iterator[tuple[LinearModel | SizeUnavailable, list[list[int]]]]:
        """Each model, ascending, with the numbers of words of all sizes, one list per row."""
        settings = self._settings()
        training, encoding = read_training_data(self, X, y)
        documents = csr_array(require_memory("MaskedSVM", training))
        self.machines_ = self._train(documents, encoding)
        most = max(machine.available for machine in self.machines_)
        requested = sorted(sizes, key=lambda size: columns_for(size, most))
        possible = [size for size in requested if columns_for(size, most) <= most]
        counts = [[machine.size(size) for size in possible] for machine in self.machines_]
        # class by class: only one copy of the documents sorted by a ranking is in memory
        by_row = [
            list(machine.smaller(documents, row_counts, settings))
            for machine, row_counts in zip(self.machines_, counts, strict=True)
        ]
        for machines in zip(*by_row, strict=True):
            yield self._model(machines, encoding, settings.normalize), counts
        for size in requested[len(possible) :]:
            yield _unavailable(columns_for(size, most), most), counts

    def _train(self, documents: csr_array, encoding: LabelEncoding) -> list[Machine]:
        """The SVM of each row on all words."""
        rows = Rows.of(documents)
        problems = class_problems(encoding, self.class_weight, alpha=self.alpha)
        machines = []
        for row in range(problems.n_classes):
            dual = descend(
                rows,
                *problems.column(row),
                loss=self.loss,
                intercept=bool(self.fit_intercept),
                tolerance=self.tol,
            )
            machines.append(Machine.of(documents, dual, problems, row))
        self._warn(machines)
        return machines

    def _model(
        self, rows: Sequence[SmallerMachine], encoding: LabelEncoding, normalize: Normalize
    ) -> LinearModel:
        if self.variant == "exact":
            self._warn(rows)
        self.solved_ = np.array([row.solved for row in rows])
        self.gap_ = np.array([row.gap for row in rows])
        self.agreements_ = [row.agreement for row in rows if row.agreement is not None]
        columns = [m.order[: row.coef.size] for m, row in zip(self.machines_, rows, strict=True)]
        return LinearModel(
            stack_rows(columns, [row.coef for row in rows], self.n_features_in_),
            np.array([row.intercept for row in rows]),
            encoding.classes,
            max(row.coef.size for row in rows),
            normalize=normalize,
            rule=encoding.rule,
        )

    def _settings(self) -> MaskSettings:
        check_choice("variant", self.variant, get_args(Variant))
        check_choice("normalize", self.normalize, (*get_args(Normalize), None))
        if not is_whole(self.epochs, 1):
            raise LaconicError(f"epochs={self.epochs!r}: give a number of passes, at least 1")
        check_svm(self.alpha, self.loss, self.tol)
        normalize = NORMALIZE_OF[self.variant] if self.normalize is None else self.normalize
        return MaskSettings(
            self.variant, self.loss, bool(self.fit_intercept), normalize, int(self.epochs), self.tol
        )

    def _warn(self, rows: Sequence[Machine] | Sequence[SmallerMachine]) -> None:
        solved, gaps = zip(*((row.solved, row.gap) for row in rows), strict=True)
        if short := shortfall(solved, gaps, self.tol):
            warnings.warn(
                f"MaskedSVM: {short}. Divide documents by their lengths, raise "
                f"alpha={self.alpha:g}, or raise tol",
                LaconicWarning,
                stacklevel=6,
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # it may collapse, see the parameter `variant`
        tags.classifier_tags.poor_score = self.variant == "sv_set"
        return tags

    @property
    def scores_(self) -> Floats:
        scores = np.zeros(self.n_features_in_)
        for machine in self.machines_:
            scores[machine.order] = np.maximum(scores[machine.order], np.abs(machine.coef))
        return scores


def _unavailable(size: int, most: int) -> SizeUnavailable:
    if not most:
        reason = "no support vector has a word: all documents are empty, or of one class"
        return SizeUnavailable(size, f"{reason}. Check the training documents")
    reason = f"the support vectors have at most {most} words"
    return SizeUnavailable(size, f"{reason}. Ask for a size from 1 to {most}")
