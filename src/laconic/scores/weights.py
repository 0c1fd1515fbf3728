"""Scores from trained SVMs: the weight of each term, or the round of its elimination."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_array, csr_array

from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.blocks import Blocks, in_memory
from laconic.numerics.candidates import REMEDY, CandidateMethod, on_candidates, require_memory
from laconic.numerics.svm.class_problems import ClassProblems
from laconic.numerics.svm.dual import Dual, Rows
from laconic.numerics.svm.gap import shortfall
from laconic.numerics.svm.joint import descend_all
from laconic.numerics.svm.passes import HingeLoss
from laconic.numerics.svm.start import DualStart, SupportDuals
from laconic.scores.counts import COMBINED, Combine, information_gain, read_labelled
from laconic.types import Columns, Floats, Matrix
from laconic.validation import is_share

# The gap to which SVMs are solved: weights are numbers that people compare, while a round of
# elimination only needs to know which are the smallest.
OF_WEIGHTS, OF_ELIMINATION = 1e-6, 1e-3
# What a column takes of each class that a pass computes derivatives of: about six numbers.
CLASS_BYTES = 6 * 8
# Importances are compared with this if a surviving one is 0.
TINY = 1e-150


def svm_weight(
    X: Matrix,
    y: ArrayLike | None,
    combine: Combine = "max",
    alpha: float = 0.5,
    loss: HingeLoss = "hinge",
) -> Floats:
    """|w| of a linear SVM with an intercept and C = 1/(2 alpha) (Mladenić et al. 2004).

    Each class against all others; `combine` takes the "max" (the default), "mean" or "sum" of the
    weights of several classes.
    """
    documents, problems = _read("svm_weight", X, y, alpha, combine)
    rows = csr_array(require_memory("svm_weight", documents))
    machines = _trained("svm_weight", rows, problems, loss, OF_WEIGHTS)
    return COMBINED[combine](np.abs(np.column_stack([machine.coef for machine in machines])))


def svm_elimination(
    X: Matrix,
    y: ArrayLike | None,
    alpha: float = 0.5,
    loss: HingeLoss = "squared_hinge",
    step: float = 0.25,
) -> Floats:
    """Recursive feature elimination with an SVM (Guyon et al. 2002).

    Train, drop the share `step` of the remaining terms (at least one) with the smallest Σ w² over
    the classes, retrain from the previous duals, repeat. The last remaining term has the score
    n_terms, the first dropped one has 1.

    Of documents that are larger than memory (`Blocks`), the terms with the largest information gain
    that fit into memory are candidates: all others are dropped first. What is checked: at the SVM
    of all candidates, the weights that a term outside would get by one Newton step of its own
    coefficient are smaller, in Σ w², than those of every candidate that survives the first step.
    Terms that fail are added, and the SVM retrained. This is not a proof that an SVM on all terms
    would drop the same ones: a `LaconicWarning` says so, and how many terms still fail.
    """
    documents, problems = _read("svm_elimination", X, y, alpha, "sum")
    if not is_share(step):
        raise LaconicError(f"svm_elimination(step={step!r}): give a share between 0 and 1")
    training = Training(problems, loss, step)
    if isinstance(documents, Blocks):
        worst_first = _worst_first_of_blocks(documents, y, training)
    else:
        worst_first = _worst_first(training.train(csr_array(documents)), training)
    scores = np.empty(worst_first.size)
    scores[worst_first] = np.arange(1.0, worst_first.size + 1)
    return scores


@dataclass(frozen=True, eq=False)
class Trained:
    """SVMs of all classes: Σ w² of each column, and the duals of the next round."""

    documents: csr_array
    importance: Floats
    duals: DualStart

    @property
    def weakest_first(self) -> Columns:
        """Ties: the last column is dropped first."""
        return np.lexsort((-np.arange(self.importance.size), self.importance))


@dataclass(frozen=True, eq=False)
class Training:
    """The settings of an elimination."""

    problems: ClassProblems
    loss: HingeLoss
    step: float

    def train(self, documents: csr_array, start: DualStart | None = None) -> Trained:
        importance, duals, intercepts = np.zeros(documents.shape[1]), [], []
        problem = documents, self.problems, self.loss, OF_ELIMINATION, start
        for machine in _trained("svm_elimination", *problem):
            importance += machine.coef**2
            duals.append(SupportDuals.of(machine.alphas))
            intercepts.append(machine.intercept)
        alpha, n_docs = self.problems.alpha, self.problems.n_docs
        start = DualStart.of(duals, np.array(intercepts), alpha, n_docs)
        return Trained(documents, importance, start)

    def n_dropped(self, trained: Trained) -> int:
        return max(1, int(self.step * trained.importance.size))

    def survivors(self, trained: Trained) -> Columns:
        """The columns that are not dropped, ascending."""
        return np.sort(trained.weakest_first[self.n_dropped(trained) :])


def _worst_first(trained: Trained, training: Training) -> Columns:
    """All columns, the first dropped one first."""
    remaining = np.arange(trained.importance.size)
    dropped: list[Columns] = []
    while remaining.size > 1:
        dropped.append(remaining[trained.weakest_first[: training.n_dropped(trained)]])
        survivors = training.survivors(trained)
        remaining = remaining[survivors]
        if remaining.size > 1:
            trained = training.train(trained.documents[:, survivors], trained.duals)
    return np.concatenate([*dropped, remaining])


def _worst_first_of_blocks(X: Blocks, y: ArrayLike | None, training: Training) -> Columns:
    """Candidates after all other columns, which are ordered by `_importance_outside`."""
    order = np.argsort(-information_gain(X, y), kind="stable")
    method = CandidateMethod(
        training.train, training.survivors, partial(_excess, training=training)
    )
    checked = on_candidates(X, order, method)
    text = checked.shortfall or (
        f"{checked.columns.size:,} words were candidates, because no more fit into memory. After "
        "one Newton step no other word would survive the first round, but words may be ranked "
        f"otherwise than by an SVM on all words. {REMEDY}"
    )
    warnings.warn(f"svm_elimination: {text}", LaconicWarning, stacklevel=4)
    columns = checked.columns
    outside = np.setdiff1d(np.arange(X.shape[1]), columns)
    importance = _importance_outside(checked.result, X[:, outside], training)
    others = outside[np.lexsort((-outside, importance))]
    return np.append(others, columns[_worst_first(checked.result, training)])


def _excess(trained: Trained, outside: Blocks, training: Training) -> Floats:
    """The importance of each column as a share of the smallest surviving one, if it reaches it."""
    smallest = float(trained.importance[training.survivors(trained)].min(initial=np.inf))
    importance = _importance_outside(trained, outside, training)
    reaches = (importance >= smallest) & (importance > 0.0)
    return np.where(reaches, importance / max(smallest, TINY), 0.0)


def _importance_outside(trained: Trained, outside: Blocks, training: Training) -> Floats:
    """Σ w² over the classes, where w is one Newton step of a column's own coefficient.

    With the duals α of the SVM, the derivative of ½ w² + Σ C loss by the coefficient at 0 is
    −Σ α y x. The second derivative is 1, and with the squared hinge 2 C Σ x² over the documents
    within the margin more. Every pass takes as many classes as have
    their tables within the limit of memory, at least one.
    """
    signed = csc_array(training.problems.signed(trained.duals.alphas).T)
    squared_hinge = training.loss == "squared_hinge"
    curvature = (signed != 0.0) * (float(squared_hinge) / training.problems.alpha)
    importance = np.zeros(outside.shape[1])
    n_classes = max(1, outside.memory // (CLASS_BYTES * max(1, importance.size)))
    for first in range(0, signed.shape[1], n_classes):
        parts = (csr_array(M[:, first : first + n_classes]) for M in (signed, curvature))
        slopes, bends = outside.total(_derivatives, *parts)
        importance += ((slopes / (1.0 + bends)) ** 2).sum(axis=1)
    return importance


def _derivatives(
    block: csr_array, signed: csr_array, curvature: csr_array
) -> tuple[Floats, Floats]:
    return (block.T @ signed).toarray(), (block.power(2).T @ curvature).toarray()


def _read(
    name: str, X: Matrix, y: ArrayLike | None, alpha: float, combine: Combine
) -> tuple[Matrix, ClassProblems]:
    """The documents, in memory if they fit, and one problem per class with C = 1/(2 alpha)."""
    documents, encoding = read_labelled(name, X, y, combine)
    if isinstance(alpha, str) or not alpha > 0:
        raise LaconicError(f"{name}(alpha={alpha!r}): an SVM needs a number above 0")
    ones = np.ones(encoding.n_rows)
    return in_memory(documents), ClassProblems(encoding.members, ones, ones, alpha=alpha)


def _trained(
    name: str,
    documents: csr_array,
    problems: ClassProblems,
    loss: HingeLoss,
    tolerance: float,
    start: DualStart | None = None,
) -> Iterator[Dual]:
    """One SVM per class, starting from earlier duals if there are any."""
    solved, gaps = [], []
    for machine in descend_all(
        Rows.of(documents),
        problems,
        loss=loss,
        start=None if start is None else partial(start.row, alpha=problems.alpha),
        tolerance=tolerance,
    ):
        solved.append(machine.solved)
        gaps.append(machine.gap)
        yield machine
    if short := shortfall(solved, gaps, tolerance):
        warnings.warn(
            f"{name}: {short}, so the weights are inaccurate. Divide documents by their lengths, "
            "or raise alpha",
            LaconicWarning,
            stacklevel=3,
        )
