"""`LarsClassifier`: a model for every number of words, each word selected given those before it.

LARS for the SVM and related losses (Keerthi 2005): one path per class, computed once for all sizes.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Final, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, softmax
from sklearn.utils.metaestimators import available_if

from laconic.classifiers.lars.candidate import LarsCandidate
from laconic.classifiers.lars.over_blocks import (
    in_documents,
    n_occurring,
    too_few_candidates,
    walks_of,
)
from laconic.classifiers.lars.shortfall import Shortfall
from laconic.classifiers.lars.walk import LarsLoss, LarsSettings, Mode, ModelRow, Walk
from laconic.classifiers.path import (
    LinearModelClassifier,
    PathClassifier,
    read_queries,
    read_training_data,
    stack_rows,
)
from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.model import LinearModel, Normalize, margins
from laconic.numerics.lars.path import Bias
from laconic.reduction import columns_for
from laconic.text.labels import LabelEncoding
from laconic.types import Floats, Matrix
from laconic.validation import check_choice, is_whole

LOO: Final = "loo"
# Candidates of leave-one-out: the paper's values of λ₂, and sizes.
ALPHAS = (0.0, 1.0)
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
# With longest="auto": words per class where no size is given, and the largest possible size.
WITHOUT_SIZE, LONGEST = 200, 2000


def _is_logistic(classifier: LarsClassifier) -> bool:
    return bool(classifier.loss == "logistic")


class LarsClassifier(LinearModelClassifier, PathClassifier):
    """Least angle regression for classification: words enter one by one and never leave.

    With f(x) = x'β + b and y = ±1 it follows min alpha/2 (‖β‖² + b²) + Σ loss(y f) under a
    decreasing bound λ₁ on the gradient. With several classes or labels, each selects its own words.

    Of documents that are larger than memory (`Blocks`), the words with the largest gradients that
    fit into memory are candidates. After the paths, passes over all documents prove that no other
    word would have entered at or before the largest size; words that would are added, and the paths
    repeated. A `LaconicWarning` says if that could not be proved.

    Parameters
    ----------
    loss : "squared_hinge", "squared", "modified_huber" or "logistic", default="squared_hinge"
        ½ max(0, 1 − y f)² gives SVM-LARS, ½ (1 − y f)² RLS-LARS. The modified Huber loss is the
        squared hinge with a linear part where y f < −1. The logistic loss has no exact mode.
    alpha : float or "loo", default=1.0
        Strength of regularization, the same as in RLSClassifier and SVMClassifier; the paper's λ₂.
        With 0 the path ends where the words fit every document that counts, often early. "loo"
        chooses between 0 and 1 at every size, by leave-one-out.
    size : int, float, "loo" or None, default=None
        Words per class: a number, a share in (0, 1] of those that occur, None for the whole path,
        up to `longest`. A class whose path ends earlier has its last model, with a
        `LaconicWarning`. "loo" chooses among 1, 2, 5, 10, …; ties go to the smallest.
    mode : "fast", "exact" or "aggressive", default="fast"
        "exact" stops wherever a document crosses its margin. "fast" follows the same path from word
        to word, wherever it can prove that no other word reached λ₁ in between. "aggressive" is not
        LARS but the greedy baseline that the paper warns of: optimise over the selected words, then
        add the word with the largest gradient.
    refit : bool, default=False
        Optimise the loss, with alpha, over the selected words. Otherwise the model is the point of
        the path where the next word is about to enter; the fewer words, the more its coefficients
        are shrunk.
    normalize : "all" or "selected", default="all"
        "all" uses documents as they are. "selected" divides them by their length over the words of
        the class, which gives self-contained models: they need no other words. Words are always
        selected on documents as they are, so "selected" implies `refit`.
    bias : "always", "selectable" or None, default="always"
        The bias b is in the model from the start, or is selected like a word, or is 0. It does not
        count as a word.
    threshold : "loo" or None, default=None
        "loo" gives each row of the model the threshold with the best leave-one-out F1. For two
        classes or labels only; with several classes the largest decision value wins.
    longest : int, "auto" or None, default="auto"
        The largest number of words per class. Larger sizes are refused before the path is computed;
        paths without a size are cut there, with a `LaconicWarning`. "auto" refuses sizes above
        2,000, and cuts at 200 words where no size is given. None sets no limit. Memory per class
        grows with the square of the size, time faster.

    Attributes
    ----------
    model_ : LinearModel
        The fitted model.
    classes_ : array of shape (n_classes,)
    coef_ : sparse array of shape (n_rows, n_terms)
    intercept_ : array of shape (n_rows,)
    order_ : list of arrays
        The words of each row of the latest model, in the order of entry.
    entry_l1_ : list of arrays
        The λ₁ at which these words entered.
    scores_ : array of shape (n_terms,)
        The largest λ₁ at which each word entered any row; 0 for words that did not.
    alpha_ : float
        The alpha of the latest model.
    solved_ : bool array of shape (n_rows,)
        False where the optimum of a refit was not found, or where `residual_` exceeds 1e-6.
    residual_ : array of shape (n_rows,)
        The largest violation of the optimality conditions. At a point of the path: |gradient| = λ₁
        for selected words, at most λ₁ for others, 0 for the bias, relative to the first λ₁. After a
        refit: gradient 0, relative to the largest gradient of a selected word at β = 0, b = 0.
    checked_ : Checked or None
        The outcome of that check (`proved`, `rounds`, `columns`); None for documents in memory.
    loo_ : list of (alpha, size, score)
        Leave-one-out scores, only with alpha="loo" or size="loo": accuracy for several classes,
        otherwise the mean F1 of the rows (of the second of two classes).
    """

    # wider than the contract: `fit` replaces "loo" by a size before `path` sees it
    size: int | float | Literal["loo"] | None  # type: ignore[assignment]

    def __init__(
        self,
        loss: LarsLoss = "squared_hinge",
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
        outcomes = list(self._walk(X, y, SIZES, leave_one_out=True, choose_size=True))
        candidates = [outcome for outcome in outcomes if isinstance(outcome, LarsCandidate)]
        if not candidates:
            raise next(outcome for outcome in outcomes if isinstance(outcome, SizeUnavailable))
        return self._set_model(self._record(max(candidates, key=attrgetter("score"))))

    def path(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]
    ) -> Iterator[LinearModel | SizeUnavailable]:
        """One model per size, ascending, None last; the path is computed once for all sizes."""
        for outcome in self._walk(X, y, sizes, leave_one_out=False):
            yield self._record(outcome) if isinstance(outcome, LarsCandidate) else outcome

    @available_if(_is_logistic)  # type: ignore[untyped-decorator]  # scikit-learn is untyped
    def predict_proba(self, X: Matrix) -> Floats:
        """Probabilities of the classes, or of each label; only with the logistic loss.

        With several classes, the one-vs-rest probabilities are divided by their sum. A tuned
        `threshold` does not change them.
        """
        queries = read_queries(self, X)
        values = self.model_.decision(queries)
        if self.model_.rule == "sign":
            return np.asarray(expit(np.hstack([-values, values])))
        several = self.model_.rule == "argmax"
        return np.asarray(softmax(log_expit(values), axis=1) if several else expit(values))

    def leave_one_out(
        self, X: Matrix, y: ArrayLike, sizes: Iterable[int | float | None]
    ) -> Iterator[Floats | SizeUnavailable]:
        """Leave-one-out decision values, one array of shape (n_docs, n_rows) per size, ascending.

        Tuned thresholds are subtracted, as in `decision_function`. NaN where the other documents
        hardly determine a value. The values are approximate: words, documents that count and λ₁ are
        those of the model trained on all documents.
        """
        for outcome in self._walk(X, y, sizes, leave_one_out=True):
            if isinstance(outcome, LarsCandidate):
                yield margins(outcome.decisions, outcome.model)
            else:
                yield outcome

    def _walk(
        self,
        X: Matrix,
        y: ArrayLike,
        sizes: Iterable[int | float | None],
        *,
        leave_one_out: bool,
        choose_size: bool = False,
    ) -> Iterator[LarsCandidate | SizeUnavailable]:
        """The best candidate of each size, or why there is none.

        With `choose_size`, warnings are about the size with the best score only.
        """
        settings = self._settings()
        training, encoding = read_training_data(self, X, y)
        self._check_threshold(encoding)
        documents = in_documents(training)
        available = n_occurring(documents)
        words = sorted(_words(size, available) for size in sizes)
        reached = [min(n, self._limit(n)) for n in words if self._too_long(n, available) is None]
        walks, self.checked_ = walks_of(documents, encoding.y_signed, settings, reached)
        if self.checked_ is not None and (missed := self.checked_.shortfall):
            warnings.warn(f"LarsClassifier: {missed}", LaconicWarning, stacklevel=3)
        leave_one_out = leave_one_out or len(walks) > 1
        self.__dict__.pop("loo_", None)
        n_rows, longest = encoding.y_signed.shape[1], self._limit(math.inf)
        short = Shortfall.of(encoding.classes, n_rows, longest, choose_size=choose_size)
        for n in words:
            refused = self._too_long(n, available) or too_few_candidates(n, self.checked_)
            outcome = refused or self._best(n, walks, encoding, leave_one_out, short)
            if self.checked_ is not None and isinstance(outcome, LarsCandidate):
                outcome = outcome.over(self.checked_.columns, training.shape[1])
            yield outcome
        short.warn()

    def _best(
        self,
        size: float,
        alternatives: list[list[Walk]],
        encoding: LabelEncoding,
        leave_one_out: bool,
        short: Shortfall,
    ) -> LarsCandidate | SizeUnavailable:
        """The best of the candidate alphas; ties go to the last, which is the largest."""
        outcomes = [self._at(size, walks, encoding, leave_one_out) for walks in alternatives]
        candidates = [outcome for outcome in outcomes if isinstance(outcome, LarsCandidate)]
        if not candidates:
            return outcomes[-1]
        if not leave_one_out:
            short.note(size, alternatives[0])
            return candidates[0]
        scores = [(c.alpha, c.model.size, c.score) for c in candidates]
        self.loo_ = [*getattr(self, "loo_", []), *scores]
        best = max(reversed(candidates), key=attrgetter("score"))
        best_walks = next(walks for walks in alternatives if walks[0].settings.alpha == best.alpha)
        short.note(size, best_walks, best.score)
        return best

    def _at(
        self, size: float, walks: list[Walk], encoding: LabelEncoding, leave_one_out: bool
    ) -> LarsCandidate | SizeUnavailable:
        for walk in walks:
            walk.go(min(size, self._limit(size)))
        furthest = max(walks, key=lambda walk: walk.point.size)
        if furthest.point.size < size < math.inf:
            return SizeUnavailable(size, furthest.end())
        rows = [walk.row() for walk in walks]
        candidate = LarsCandidate(
            self._model(rows, furthest, encoding),
            [walk.point.columns for walk in walks],
            [walk.point.entry_l1 for walk in walks],
            furthest.settings.alpha,
            encoding.y_signed,
            np.array([row.solved for row in rows]),
            np.array([row.residual for row in rows]),
        )
        if leave_one_out or self.threshold is not None:
            candidate = candidate.with_leave_one_out(walks)
        return candidate.with_threshold() if self.threshold is not None else candidate

    def _model(self, rows: list[ModelRow], furthest: Walk, encoding: LabelEncoding) -> LinearModel:
        return LinearModel(
            stack_rows(
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

    def _record(self, candidate: LarsCandidate) -> LinearModel:
        """Its model, after setting the attributes of the latest model."""
        self.order_, self.entry_l1_ = candidate.order, candidate.entry_l1
        self.alpha_, self.solved_ = candidate.alpha, candidate.solved
        self.residual_ = candidate.residual
        return candidate.model

    def _too_long(self, size: float, available: int) -> SizeUnavailable | None:
        """Why a size is too large, where that is known before the path is computed."""
        if available < size < math.inf:
            reason = f"only {available} words occur. Ask for a size from 1 to {available}"
            return SizeUnavailable(size, reason)
        if (limit := self._limit(size)) < size < math.inf:
            return SizeUnavailable(
                size,
                f"paths end at {limit} words because of longest={self.longest!r}. "
                f"Ask for a size up to {limit}, or raise longest",
            )
        return None

    def _limit(self, size: float) -> float:
        """The largest number of words of a path, for a requested `size`."""
        if self.longest == "auto":
            return WITHOUT_SIZE if size == math.inf else LONGEST
        return math.inf if self.longest is None else self.longest

    def _settings(self) -> list[LarsSettings]:
        """The settings for each candidate alpha."""
        longest = self.longest
        if longest not in ("auto", None) and not is_whole(longest, 1):
            raise LaconicError(f"longest={longest!r}: give a number of words, or None, or 'auto'")
        if not isinstance(self.refit, bool | np.bool_):
            raise LaconicError(f"refit={self.refit!r}: give True or False")
        check_choice("threshold", self.threshold, (LOO, None))
        alphas = ALPHAS if self.alpha == LOO else (self.alpha,)
        shared = (self.loss, self.mode, self.bias, bool(self.refit), self.normalize)
        return [LarsSettings(alpha, *shared) for alpha in alphas]

    def _check_threshold(self, encoding: LabelEncoding) -> None:
        if self.threshold is not None and encoding.rule == "argmax":
            raise LaconicError(
                f"threshold={self.threshold!r} with {encoding.classes.size} classes: the largest "
                "decision value wins, without thresholds. Train one classifier per class, or give "
                "y as an indicator matrix of labels"
            )

    @property
    def scores_(self) -> Floats:
        scores = np.zeros(self.n_features_in_)
        for columns, l1 in zip(self.order_, self.entry_l1_, strict=True):
            scores[columns] = np.maximum(scores[columns], l1)
        return scores


def _words(size: int | float | None, available: int) -> float:
    return math.inf if size is None else columns_for(size, available)
