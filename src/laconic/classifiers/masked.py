"""`MaskedSVM`: words by the weights of an SVM, and every smaller one without training it anew.

Kołcz & Chowdhury 2007: `laconic.classifiers.masked_machine` has the formulas.
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

from laconic.classifiers.masked_machine import Cut, Machine, OnePass, Settings, Variant
from laconic.classifiers.path import (
    Decided,
    LinearDeciding,
    PathClassifier,
    read_documents,
    read_queries,
    stacked,
)
from laconic.classifiers.svm import Loss, check_svm
from laconic.classifiers.svm_costs import ClassWeight, costs
from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.model import LinearModel, Normalize
from laconic.numerics.dual import Dual, Rows, descend
from laconic.numerics.dual_gap import shortfall
from laconic.numerics.every_size import auc_at_every_size, best_f1_at_every_size
from laconic.numerics.ranked import Ranked
from laconic.reduction import Floats, Matrix, columns_for
from laconic.vectors.labels import LabelEncoding

EVERY_SIZE = {"auc": auc_at_every_size, "best_f1": best_f1_at_every_size}
# The lengths that documents are divided by, as the paper has it.
NORMALIZE_OF: dict[Variant, Normalize] = {
    "mask": "all",
    "sv_set": "selected",
    "repaired": "selected",
    "exact": "selected",
}


class MaskedSVM(LinearDeciding, PathClassifier):
    """One linear SVM a class on all words; smaller ones keep those of the largest weights.

    Words are ranked once, by |w|, among those that occur in the support vectors. Of several
    classes, or labels, each has its own words. Documents should come with unit length.

    Parameters
    ----------
    variant : "mask", "sv_set", "repaired" or "exact", default="mask"
        "mask" keeps the weights as they are: all sizes come from one training. "sv_set" keeps the
        dual variables, and computes weights anew from the support vectors, divided by their length
        over the kept words; where one class is rare and less than half of the words are kept it may
        collapse. "repaired" goes on from there with a few passes over the documents. "exact" trains
        to the end, starting from the dual variables of the machine on all words.
    alpha : float, default=0.5
        The ridge λ, above 0: C = 1/(2 alpha), the same as of SVMClassifier. The default is C = 1.
    size : int, float or None
        Words of each class: a number, a share in (0, 1] of those in the support vectors, None for
        all of them. A class that has fewer keeps all it has.
    loss : "hinge" or "squared_hinge", default="hinge"
    fit_intercept : bool, default=True
        Without penalty. "mask" and "sv_set" keep that of the machine on all words.
    normalize : "all", "selected" or None
        Documents are taken as they come, or divided by their length over the words of the class.
        None is as the paper has it: "all" for "mask", "selected" for the others.
    epochs : int, default=1
        Passes of "repaired" over the documents; three are as good as "exact".
    class_weight : dict, "balanced" or None
        As SVMClassifier takes it.
    tol : float, default=1e-6
        When a machine is solved: as of SVMClassifier. Whenever one is not, a `LaconicWarning` says
        so; "repaired" stops after its passes, and does not warn.

    Attributes
    ----------
    model_ : LinearModel
    classes_ : array
    coef_, intercept_ : sparse array of shape (n_rows, n_terms), and array of shape (n_rows,)
    machines_ : list of Machine, one a row; the SVMs on all words, with their dual variables
    scores_ : array of n_terms; the largest |w| of any row, 0 where no support vector has the word
    solved_, gap_ : arrays of shape (n_rows,); as of SVMClassifier, of the training that the weights
        of the newest model come from: "mask" and "sv_set" have those of `machines_`
    agreements_ : list of Agreement, one a row; of the newest model with `machines_`, only where
        it was trained anew: "repaired" and "exact"
    """

    def __init__(
        self,
        variant: Variant = "mask",
        *,
        alpha: float = 0.5,
        size: int | float | None = None,
        loss: Loss = "hinge",
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
        """One model a size, ascending; one training on all words serves all of them.

        All of them are made before the first one is given, a class after the other.
        """
        for model, _ in self._models(X, y, sizes):
            yield model

    def along(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None], queries: Matrix
    ) -> Iterator[tuple[LinearModel, Decided] | SizeUnavailable]:
        """The path, and with each model its decisions about the queries.

        Those of "mask" come in one pass over the queries for all sizes.
        """
        if self._settings().variant != "mask":
            yield from super().along(X, y, sizes, queries)
            return
        once: OnePass | None = None
        for place, (model, counts) in enumerate(self._models(X, y, sizes)):
            if isinstance(model, SizeUnavailable):
                yield model
                continue
            once = once or OnePass(
                self.machines_, counts, queries, kept=model.normalize == "selected"
            )
            yield model, partial(once.decision, place)

    def every_size(
        self, X: Matrix, y: ArrayLike, metric: Literal["auc", "best_f1"] = "auc"
    ) -> list[Floats]:
        """What each row's masked machines of 1, 2, 3, … words are worth on documents X.

        All of them cost about as much as a few predictions, because a word changes the decisions
        only about the documents that have it. Only for "mask". The best F1 is that of a threshold
        chosen on these documents: choose it on other documents than you report it on.
        """
        settings = self._settings()
        if settings.variant != "mask" or metric not in EVERY_SIZE:
            raise LaconicError(
                f"every_size: {metric!r} of variant={self.variant!r}: choose from "
                f"{', '.join(EVERY_SIZE)}, of variant='mask'; other variants are trained for each "
                "size: ask path for some"
            )
        documents = read_queries(self, X)
        y_signed = LabelEncoding(np.empty(0), self.classes_, self.model_.rule).transform(y)
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
        """Each model, ascending, with the words of all sizes to come, a list a row."""
        settings = self._settings()
        given, encoding = read_documents(self, X, y)
        documents = csr_array(given)
        self.machines_ = self._train(documents, encoding)
        most = max(machine.available for machine in self.machines_)
        wanted = sorted(sizes, key=lambda size: columns_for(size, most))
        possible = [size for size in wanted if columns_for(size, most) <= most]
        counts = [[machine.size(size) for size in possible] for machine in self.machines_]
        # a class at a time: its documents, sorted by its own ranking, are in memory once
        cuts = [
            list(machine.cuts(documents, own, settings))
            for machine, own in zip(self.machines_, counts, strict=True)
        ]
        for own in zip(*cuts, strict=True):
            yield self._model(own, encoding, settings.normalize), counts
        for size in wanted[len(possible) :]:
            yield _absent(columns_for(size, most), most), counts

    def _train(self, documents: csr_array, encoding: LabelEncoding) -> list[Machine]:
        """The machine of each row on all words."""
        rows = Rows.of(documents)
        C = costs(encoding, self.class_weight) / (2.0 * self.alpha)
        found = [
            descend(
                rows,
                y_signed,
                cost,
                loss=self.loss,
                intercept=bool(self.fit_intercept),
                tolerance=self.tol,
            )
            for y_signed, cost in zip(encoding.y_signed.T, C.T, strict=True)
        ]
        self._warn(found)
        return [
            Machine.of(documents, one, y_signed, cost)
            for one, y_signed, cost in zip(found, encoding.y_signed.T, C.T, strict=True)
        ]

    def _model(
        self, cuts: Sequence[Cut], encoding: LabelEncoding, normalize: Normalize
    ) -> LinearModel:
        if self.variant == "exact":
            self._warn(cuts)
        self.solved_ = np.array([cut.solved for cut in cuts])
        self.gap_ = np.array([cut.gap for cut in cuts])
        self.agreements_ = [cut.agreement for cut in cuts if cut.agreement is not None]
        kept = [m.order[: cut.coef.size] for m, cut in zip(self.machines_, cuts, strict=True)]
        return LinearModel(
            stacked(kept, [cut.coef for cut in cuts], self.n_features_in_),
            np.array([cut.intercept for cut in cuts]),
            encoding.classes,
            max(cut.coef.size for cut in cuts),
            normalize=normalize,
            rule=encoding.rule,
        )

    def _settings(self) -> Settings:
        if self.variant not in get_args(Variant):
            offered = ", ".join(get_args(Variant))
            raise LaconicError(f"variant={self.variant!r}: choose from {offered}")
        if self.normalize is not None and self.normalize not in get_args(Normalize):
            raise LaconicError(
                f"normalize={self.normalize!r}: choose from {', '.join(get_args(Normalize))}, None"
            )
        whole = isinstance(self.epochs, int | np.integer) and not isinstance(self.epochs, bool)
        if not (whole and self.epochs >= 1):
            raise LaconicError(f"epochs={self.epochs!r}: give a number of passes, at least 1")
        check_svm(self.alpha, self.loss, self.tol)
        normalize = NORMALIZE_OF[self.variant] if self.normalize is None else self.normalize
        return Settings(
            self.variant, self.loss, bool(self.fit_intercept), normalize, int(self.epochs), self.tol
        )

    def _warn(self, trained: Sequence[Dual] | Sequence[Cut]) -> None:
        solved, gaps = zip(*((one.solved, one.gap) for one in trained), strict=True)
        if short := shortfall(solved, gaps, self.tol):
            warnings.warn(
                f"MaskedSVM: {short}. Divide documents by their lengths, raise "
                f"alpha={self.alpha:g}, or raise tol",
                LaconicWarning,
                stacklevel=6,
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # it may collapse, as the parameter's description says
        tags.classifier_tags.poor_score = self.variant == "sv_set"
        return tags

    @property
    def scores_(self) -> Floats:
        scores = np.zeros(self.n_features_in_)
        for machine in self.machines_:
            scores[machine.order] = np.maximum(scores[machine.order], np.abs(machine.coef))
        return scores


def _absent(size: int, most: int) -> SizeUnavailable:
    if not most:
        reason = "no support vector has a word: all documents are empty, or of one class"
        return SizeUnavailable(size, f"{reason}. Look at the training documents")
    reason = f"the support vectors have {most} words at most"
    return SizeUnavailable(size, f"{reason}. Ask for a size from 1 to {most}")
