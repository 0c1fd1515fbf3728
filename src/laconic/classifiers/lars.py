"""`LarsClassifier`: a model at every number of words, each word chosen in view of those before it.

LARS for the SVM and its relatives (Keerthi 2005): one path a class, walked once for all sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, softmax
from sklearn.utils.metaestimators import available_if

from laconic.classifiers.lars_candidate import Candidate
from laconic.classifiers.lars_shortfall import Shortfall
from laconic.classifiers.lars_walk import Loss, Mode, Settings, Trained, Walk
from laconic.classifiers.path import (
    LinearDeciding,
    PathClassifier,
    read_documents,
    read_queries,
    stacked,
)
from laconic.errors import LaconicError, SizeUnavailable
from laconic.model import LinearModel, Normalize
from laconic.numerics.lars import Bias, Documents
from laconic.reduction import Floats, Matrix, columns_for
from laconic.vectors.labels import LabelEncoding

# What leave-one-out chooses from: λ₂ as the paper has it, and sizes.
LOO = "loo"
L2S = (0.0, 1.0)
# With longest="auto": words of a class if no size is given, and the largest size to ask for.
UNASKED, LONGEST = 200, 2000
LADDER = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)


def _is_logistic(classifier: LarsClassifier) -> bool:
    return bool(classifier.loss == "logistic")


class LarsClassifier(LinearDeciding, PathClassifier):
    """Least angle regression for classification: words come in one by one, and never leave.

    With f(x) = x'β + b and signs t = ±1 it follows min λ₂/2 (‖β‖² + b²) + Σ loss(t f) under a
    falling limit λ₁ on the gradient. Of several classes, or labels, each has its own words.

    Parameters
    ----------
    loss : "squared_hinge", "squared", "modified_huber" or "logistic", default="squared_hinge"
        ½ max(0, 1 − t f)² gives SVM-LARS, ½ (1 − t f)² RLS-LARS. The modified Huber loss is the
        first of them, in a straight line where t f < −1. The logistic loss has no exact mode.
    alpha : float or "loo", default=1.0
        λ₂, the same as alpha of RLSClassifier and SVMClassifier. With 0 the path ends where the
        words explain every document that counts, often early. "loo" takes 0 or 1, at every size
        whichever is better by leave-one-out.
    size : int, float, "loo" or None
        Words of each class: a number, a share in (0, 1] of those that occur, None for the whole
        path, up to `longest`. A class whose path ends before keeps its last model, and a
        `LaconicWarning` says so. "loo" takes the best of 1, 2, 5, 10, …, of equals the smallest.
    mode : "fast", "exact" or "aggressive", default="fast"
        "exact" stops wherever a document crosses its margin; "fast" goes from word to word along
        the same path, wherever it can prove that no word came up to λ₁ on the way. "aggressive" is
        no LARS but the greedy baseline that the paper warns of: optimise over the words that are
        in, then take that of the largest gradient.
    refit : bool, default=False
        Optimise the loss, with alpha, over the chosen words alone. Else the model is the point of the
        path where the next word is about to enter; its coefficients are shrunken, the more the
        fewer words there are.
    normalize : "all" or "selected", default="all"
        Documents are taken as they come; or divided by their length over the words of the class,
        which gives closed models: they need their own words only. The words are chosen among
        documents as they come in any case, so "selected" implies `refit`.
    bias : "always", "selectable" or None, default="always"
        b is in from the start, or has to be selected as any word, or is 0. It counts as no word.
    threshold : "loo", optional
        Moves each row's intercept to where leave-one-out has the best F-measure. It is for two
        classes or for labels; of several classes one is chosen without a threshold.
    longest : int, "auto" or None, default="auto"
        The largest number of words of a class. Larger sizes are refused before the path gets
        there; paths without a size are cut there, with a `LaconicWarning`. "auto" refuses sizes
        above 2,000, and cuts at 200 words where no size is given. None sets no limit. The memory of
        a path grows with the square of the size for each class, its time faster.

    Attributes
    ----------
    model_ : LinearModel
    classes_ : array
    coef_, intercept_ : sparse array of shape (n_rows, n_terms), and array of shape (n_rows,)
    order_ : list of arrays; the words of each row of the newest model, in the order of entry
    entry_l1_ : list of arrays; the λ₁ at which they came in
    scores_ : array of n_terms; the largest λ₁ at which each came in, 0 where it did not
    l2_ : float
    solved_ : array of bool, one for each row of the newest model
        False where the optimum of a refit was not found, or where `residual_` exceeds 1e-6.
    residual_ : array of float, one for each row of the newest model
        The largest violation of the optimality conditions. At a point of the path: |gradient| = λ₁
        for chosen words, at most λ₁ for others, 0 for the bias, relative to the first λ₁. After a
        refit: gradient 0, relative to the largest gradient of a chosen word at β = 0, b = 0.
    loo_ : list of (alpha, size, value); only after alpha="loo" or size="loo"
        What leave-one-out gave: the accuracy where one of several classes is chosen, else the mean
        F1 of the rows (of the second of two classes).
    """

    def __init__(
        self,
        loss: Loss = "squared_hinge",
        *,
        alpha: float | Literal["loo"] = 1.0,
        size: int | float | Literal["loo"] | None = None,
        mode: Mode = "fast",
        refit: bool = False,
        normalize: Normalize = "all",
        bias: Bias = "always",
        threshold: Literal["loo"] | None = None,
        longest: int | Literal["auto"] | None = "auto",
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.size = size
        self.mode = mode
        self.refit = refit
        self.normalize = normalize
        self.bias = bias
        self.threshold = threshold
        self.longest = longest

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Train the model of `size`."""
        if self.size != LOO:
            return super().fit(X, y)
        outcomes = list(self._walk(X, y, LADDER, judging=True, choosing=True))
        found = [one for one in outcomes if isinstance(one, Candidate)]
        if not found:
            raise outcomes[0]
        return self._keep(self._newest(max(found, key=attrgetter("worth"))))

    def path(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]
    ) -> Iterator[LinearModel | SizeUnavailable]:
        """One model a size, ascending, None last; one walk along the path serves all of them."""
        for found in self._walk(X, y, sizes, judging=False):
            yield self._newest(found) if isinstance(found, Candidate) else found

    @available_if(_is_logistic)
    def predict_proba(self, X: Matrix) -> Floats:
        """Probabilities of the classes, or of each label; only with the logistic loss.

        Of several classes, each against all others, they are divided by their sum. A tuned
        `threshold` shifts them: they are of the decision, not of the class.
        """
        queries = read_queries(self, X)
        values = self.model_.decision(queries)
        if self.model_.rule == "sign":
            return expit(np.hstack([-values, values]))
        return softmax(log_expit(values), axis=1) if self.model_.rule == "argmax" else expit(values)

    def leave_one_out(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]
    ) -> Iterator[Floats | SizeUnavailable]:
        """Decisions about each document by a model that lacks it, one array a size, ascending.

        Of shape (n_docs, n_rows); NaN where the other documents hardly determine them. They are
        approximate: words, documents that count and λ₁ are those of the whole model.
        """
        for found in self._walk(X, y, sizes, judging=True):
            yield found.left_out if isinstance(found, Candidate) else found

    def _walk(
        self,
        X: Matrix,
        y: ArrayLike,
        sizes: Iterable[int | float | None],
        *,
        judging: bool,
        choosing: bool = False,
    ) -> Iterator[Candidate | SizeUnavailable]:
        """The best candidate of each size, or why there is none.

        If one of the sizes will be chosen, warnings are about that one.
        """
        settings = self._settings()
        documents, encoding = read_documents(self, X, y)
        self._check_threshold(encoding)
        shared = Documents.of(documents)
        available = int(np.count_nonzero(shared.lengths[: shared.constant]))
        walks = [
            [Walk(shared, y_signed, one) for y_signed in encoding.y_signed.T] for one in settings
        ]
        vars(self).pop("loo_", None)
        n_rows, longest = encoding.y_signed.shape[1], self._limit(math.inf)
        short = Shortfall.of(encoding.classes, n_rows, longest, choosing=choosing)
        for size in sorted(_words(size, available) for size in sizes):
            refused = self._too_long(size, available)
            yield refused or self._best(size, walks, encoding, judging or len(walks) > 1, short)
        short.warn()

    def _best(
        self,
        size: float,
        alternatives: list[list[Walk]],
        encoding: LabelEncoding,
        judging: bool,
        short: Shortfall,
    ) -> Candidate | SizeUnavailable:
        """Of what the values of alpha give; of equals the last, which has the largest."""
        outcomes = [self._at(size, walks, encoding, judging) for walks in alternatives]
        found = [one for one in outcomes if isinstance(one, Candidate)]
        if not found:
            return outcomes[-1]
        if not judging:
            short.note(size, alternatives[0])
            return found[0]
        compared = [(one.alpha, one.model.size, one.worth) for one in found]
        self.loo_ = [*getattr(self, "loo_", []), *compared]
        best = max(reversed(found), key=attrgetter("worth"))
        chosen = next(walks for walks in alternatives if walks[0].settings.alpha == best.alpha)
        short.note(size, chosen, best.worth)
        return best

    def _at(
        self, size: float, walks: list[Walk], encoding: LabelEncoding, judging: bool
    ) -> Candidate | SizeUnavailable:
        for walk in walks:
            walk.go(min(size, self._limit(size)))
        furthest = max(walks, key=lambda walk: walk.point.size)
        if furthest.point.size < size < math.inf:
            return SizeUnavailable(size, furthest.end())
        rows = [walk.row() for walk in walks]
        found = Candidate(
            self._model(rows, furthest, encoding),
            [walk.point.columns for walk in walks],
            [walk.point.entry_l1 for walk in walks],
            furthest.settings.alpha,
            encoding.y_signed,
            np.array([row.solved for row in rows]),
            np.array([row.residual for row in rows]),
        )
        if judging or self.threshold is not None:
            found = found.judged(walks)
        return found.tuned() if self.threshold is not None else found

    def _model(self, rows: list[Trained], furthest: Walk, encoding: LabelEncoding) -> LinearModel:
        return LinearModel(
            stacked(
                [row.columns for row in rows],
                [row.coef for row in rows],
                furthest.documents.constant,
            ),
            np.array([row.intercept for row in rows]),
            encoding.classes,
            furthest.point.size,
            normalize=self.normalize,
            rule=encoding.rule,
        )

    def _newest(self, found: Candidate) -> LinearModel:
        self.order_, self.entry_l1_, self.l2_ = found.order, found.entry_l1, found.alpha
        self.solved_, self.residual_ = found.solved, found.residual
        return found.model

    def _too_long(self, size: float, available: int) -> SizeUnavailable | None:
        """A size that is known to be too large before the path has been walked."""
        if available < size < math.inf:
            reason = f"only {available} words occur. Ask for a size from 1 to {available}"
            return SizeUnavailable(size, reason)
        if (limit := self._limit(size)) < size < math.inf:
            return SizeUnavailable(
                size,
                f"paths end at {limit} words, because of longest={self.longest!r}. "
                f"Ask for a size up to {limit}, or raise longest",
            )
        return None

    def _limit(self, size: float) -> float:
        """How many words a path may have, where `size` is asked for."""
        if self.longest == "auto":
            return UNASKED if size == math.inf else LONGEST
        return math.inf if self.longest is None else self.longest

    def _settings(self) -> list[Settings]:
        """As many as there are values of alpha to choose from."""
        longest = self.longest
        if isinstance(longest, bool) or not (
            longest in ("auto", None) or (isinstance(longest, int | np.integer) and longest >= 1)
        ):
            raise LaconicError(f"longest={longest!r}: give a number of words, or None, or 'auto'")
        if not isinstance(self.refit, bool | np.bool_):
            raise LaconicError(f"refit={self.refit!r}: give True or False")
        if self.threshold not in (LOO, None):
            raise LaconicError(f"threshold={self.threshold!r}: choose from {LOO}, None")
        given = (self.loss, self.mode, self.bias, bool(self.refit), self.normalize)
        return [Settings(alpha, *given) for alpha in (L2S if self.alpha == LOO else (self.alpha,))]

    def _check_threshold(self, encoding: LabelEncoding) -> None:
        if self.threshold is not None and encoding.rule == "argmax":
            raise LaconicError(
                f"threshold={self.threshold!r} with {encoding.classes.size} classes: one of them is "
                "chosen by the largest decision, without thresholds. Ask about each class alone, "
                "or give y as an indicator matrix of labels"
            )

    @property
    def scores_(self) -> Floats:
        scores = np.zeros(self.n_features_in_)
        for columns, l1 in zip(self.order_, self.entry_l1_, strict=True):
            scores[columns] = np.maximum(scores[columns], l1)
        return scores


def _words(size: int | float | None, available: int) -> float:
    return math.inf if size is None else columns_for(size, available)
