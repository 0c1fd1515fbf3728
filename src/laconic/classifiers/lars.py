"""`LarsClassifier`: a model at every number of words, each word chosen in view of those before it.

LARS for the SVM and its relatives (Keerthi 2005): one path a class, walked once for all sizes.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from laconic.classifiers.lars_walk import Mode, Row, Settings, Walk
from laconic.classifiers.path import PathClassifier, read_documents
from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.model import LinearModel, Norm
from laconic.numerics.lars import Bias, Documents
from laconic.reduction import Floats, Matrix, columns_for
from laconic.vectors.targets import Targets

Loss: TypeAlias = Literal["squared_hinge", "squared", "modified_huber", "logistic"]


class LarsClassifier(PathClassifier):
    """Least angle regression for classification: words come in one by one, and never leave.

    With f(x) = x'β + b and signs t = ±1 it follows min λ₂/2 (‖β‖² + b²) + Σ loss(t f) under a
    falling limit λ₁ on the gradient. Of several classes, or labels, each has its own words.

    Parameters
    ----------
    loss : "squared_hinge", "squared", "modified_huber" or "logistic", default="squared_hinge"
        ½ max(0, 1 − t f)² gives SVM-LARS, ½ (1 − t f)² RLS-LARS. The modified Huber loss is the
        first of them, in a straight line where t f < −1. The logistic loss has no exact mode.
    l2 : float, default=1.0
        λ₂, the same as alpha of RLSClassifier and SVMClassifier. With 0 the path ends where the
        words explain every document that counts, often early.
    size : int, float or None
        Words of each class: a number, a share in (0, 1] of those that occur, None for the whole
        path. A class whose path ends before keeps its last model.
    mode : "fast", "exact" or "aggressive", default="fast"
        "exact" stops wherever a document crosses its margin; "fast" goes from word to word along
        the same path. "aggressive" is no LARS but the greedy baseline that the paper warns of:
        optimise over the words that are in, then take that of the largest gradient.
    refit : bool, default=False
        Optimise the loss, with l2, over the chosen words alone. Else the model is the point of the
        path where the next word is about to enter; its coefficients are shrunken, the more the
        fewer words there are.
    norm : "document" or "kept", default="document"
        Documents are taken as they come; or divided by their length over the words of the class,
        which gives closed models: they need their own words only. The words are chosen among
        documents as they come in any case, so "kept" implies `refit`.
    bias : "always", "selectable" or None, default="always"
        b is in from the start, or has to be selected as any word, or is 0. It counts as no word.
    longest : int, optional
        Larger sizes are refused before the path gets there. Its memory grows with the square of
        the size for each class, its time faster.

    Attributes
    ----------
    model_ : LinearModel
    classes_ : array
    order_ : list of arrays; the words of each row of the newest model, in the order of entry
    entry_l1_ : list of arrays; the λ₁ at which they came in
    scores_ : array of n_terms; the largest λ₁ at which each came in, 0 where it did not
    """

    def __init__(
        self,
        loss: Loss = "squared_hinge",
        *,
        l2: float = 1.0,
        size: int | float | None = None,
        mode: Mode = "fast",
        refit: bool = False,
        norm: Norm = "document",
        bias: Bias = "always",
        longest: int | None = None,
    ) -> None:
        self.loss = loss
        self.l2 = l2
        self.size = size
        self.mode = mode
        self.refit = refit
        self.norm = norm
        self.bias = bias
        self.longest = longest

    def path(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]
    ) -> Iterator[LinearModel | SizeUnavailable]:
        """One model a size, ascending, None last; one walk along the path serves all of them."""
        settings = self._settings()
        documents, targets = read_documents(self, X, y)
        shared = Documents.of(documents)
        available = int(np.count_nonzero(shared.lengths[: shared.constant]))
        walks = [Walk(shared, signs, settings) for signs in targets.signs.T]
        for size in sorted(_words(size, available) for size in sizes):
            yield self._too_long(size, available) or self._at(size, walks, targets)

    def _at(
        self, size: float, walks: list[Walk], targets: Targets
    ) -> LinearModel | SizeUnavailable:
        for walk in walks:
            walk.go(size)
        furthest = max(walks, key=lambda walk: walk.point.size)
        if furthest.point.size < size < math.inf:
            return SizeUnavailable(size, furthest.end())
        rows = [walk.row() for walk in walks]
        self._warn(rows)
        self.order_ = [walk.point.columns for walk in walks]
        self.entry_l1_ = [walk.point.entry_l1 for walk in walks]
        return LinearModel(
            _coefficients(rows, furthest.documents.constant),
            np.array([row.intercept for row in rows]),
            targets.classes,
            furthest.point.size,
            norm=self.norm,
            rule=targets.rule,
        )

    def _too_long(self, size: float, available: int) -> SizeUnavailable | None:
        """A size that is known to be too large before the path has been walked."""
        if available < size < math.inf:
            reason = f"only {available} words occur. Ask for a size from 1 to {available}"
            return SizeUnavailable(size, reason)
        if self.longest is not None and size > self.longest:
            return SizeUnavailable(
                "None" if size == math.inf else size,
                f"paths end at {self.longest} words, because of longest={self.longest}. "
                f"Ask for a size up to {self.longest}, or raise longest",
            )
        return None

    def _settings(self) -> Settings:
        for name, known in (("loss", Loss), ("mode", Mode), ("norm", Norm)):
            if (given := getattr(self, name)) not in get_args(known):
                raise LaconicError(f"{name}={given!r}: choose from {', '.join(get_args(known))}")
        if self.bias not in ("always", "selectable", None):
            raise LaconicError(f"bias={self.bias!r}: choose from always, selectable, None")
        if self.longest is not None and not self.longest >= 1:
            raise LaconicError(f"longest={self.longest!r}: give a number of words, or None")
        if self.loss == "logistic" and self.mode == "exact":
            raise LaconicError(
                "loss='logistic' with mode='exact': its path is curved, and has no exact corners. "
                "Choose mode='fast', which follows it to the last digit"
            )
        return Settings(
            self.loss, _checked(self.l2), self.mode, self.bias, bool(self.refit), self.norm
        )

    def _warn(self, rows: list[Row]) -> None:
        if unsolved := sum(not row.solved for row in rows):
            warnings.warn(
                f"LarsClassifier: {unsolved} of {len(rows)} problems did not converge with "
                f"l2={self.l2:g}, so that few digits of their coefficients are right. Raise l2",
                LaconicWarning,
                stacklevel=4,
            )

    @property
    def scores_(self) -> Floats:
        scores = np.zeros(self.n_features_in_)
        for columns, l1 in zip(self.order_, self.entry_l1_, strict=True):
            scores[columns] = np.maximum(scores[columns], l1)
        return scores


def _words(size: int | float | None, available: int) -> float:
    return math.inf if size is None else columns_for(size, available)


def _checked(l2: Any) -> float:
    number = isinstance(l2, int | float | np.number) and not isinstance(l2, bool)
    if not (number and 0.0 <= l2 < math.inf):
        raise LaconicError(f"l2={l2!r}: give a number of at least 0")
    return float(l2)


def _coefficients(rows: list[Row], n_terms: int) -> csr_array:
    """Sparse; every chosen word keeps its place, also where its coefficient is 0."""
    by_column = [np.argsort(row.columns) for row in rows]
    columns = [row.columns[order] for row, order in zip(rows, by_column, strict=True)]
    values = [row.coef[order] for row, order in zip(rows, by_column, strict=True)]
    ends = np.cumsum([0, *(row.columns.size for row in rows)])
    return csr_array(
        (np.concatenate(values), np.concatenate(columns), ends), shape=(len(rows), n_terms)
    )
