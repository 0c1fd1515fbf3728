"""Linear SVMs, squared hinge with an intercept: SVMClassifier against LinearSVC in the primal.

Four categories of Reuters-21578 and two newsgroups of 20news-bydate, each against the rest, ltc
weights, C = 1, 50 and 500, that is alpha = 0.5, 0.01 and 0.001. Both stop at the same quality: the
peer has the largest tolerance, of 1e-4, 1e-6, 1e-8 and 1e-10, with which the duality gap of every
category is at most 1e-8 of the objective, our default. Its intercept has a very small penalty, as
liblinear requires (intercept_scaling=100); its gap is that of the problem that it solves. Needs
`LACONIC_DATA`. CPU seconds with one thread of BLAS, one run of each.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from bench.texts import narrow, shape
from laconic import SVMClassifier, Vectorizer, Weighting, load_corpus
from laconic.errors import collected_warnings

CORPORA = {
    "reuters-21578": ("earn", "money-fx", "crude", "corn"),
    "20news-bydate": ("comp.os.ms-windows.misc", "sci.med"),
}
COSTS = (1, 50, 500)
GAP = 1e-8
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
REPEATS = 1
INTERCEPT_COLUMN = 100.0


def rows() -> list[Row]:
    if not os.environ.get("LACONIC_DATA"):
        print("svm: LACONIC_DATA is not set, so there are no documents", file=sys.stderr)
        return []
    with threadpool_limits(1):
        return [
            compared(corpus, *documents(corpus, categories), cost)
            for corpus, categories in CORPORA.items()
            for cost in COSTS
        ]


def documents(name: str, categories: Sequence[str]) -> tuple[csr_array, NDArray[np.int_]]:
    """Training documents and an indicator matrix of the categories."""
    corpus = load_corpus(name)
    train = np.array([part == "train" for part in corpus.split])
    counts = Vectorizer().fit_transform(corpus.texts)[train]
    labels = [labels for labels, used in zip(corpus.labels, train, strict=True) if used]
    X = Weighting("ltc", min_df=2).fit(counts).transform(counts)
    return narrow(X), np.array([[name in names for name in categories] for names in labels]).astype(
        int
    )


def compared(corpus: str, X: csr_array, Y: NDArray[np.int_], cost: int) -> Row:
    ours = SVMClassifier(0.5 / cost, tol=GAP)
    with collected_warnings():  # about labels that the first documents do not have
        ours.fit(X[:50], Y[:50])  # compiles
    tolerance, gap = calibrated(X, Y, cost)
    mine, theirs = interleaved(
        REPEATS, lambda: ours.fit(X, Y), lambda: peers(X, Y, cost, tolerance)
    )
    assert ours.solved_.all(), "not solved to the tolerance"
    what = (
        f"{corpus}, {shape(X)}, {Y.shape[1]} categories, C={cost}, gap {ours.gap_.max():.0e}, CPU"
    )
    peer = f"LinearSVC(dual=False, tol={tolerance:g}), gap {gap:.0e}"
    return row(f"svm.{corpus}.C{cost}", what, peer, mine.cpu, theirs.cpu)


def calibrated(X: csr_array, Y: NDArray[np.int_], cost: int) -> tuple[float, float]:
    """The peer's tolerance, and its largest gap with it."""
    for tolerance in TOLERANCES:
        gap = max(
            gap_of(machine, X, column, cost)
            for machine, column in zip(peers(X, Y, cost, tolerance), Y.T, strict=True)
        )
        if gap <= GAP:
            break
    return tolerance, gap


def peers(X: csr_array, Y: NDArray[np.int_], cost: int, tolerance: float) -> list[LinearSVC]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return [
            LinearSVC(
                C=cost,
                dual=False,
                tol=tolerance,
                intercept_scaling=INTERCEPT_COLUMN,
                max_iter=10_000,
            ).fit(X, column)
            for column in Y.T
        ]


def gap_of(machine: LinearSVC, X: csr_array, column: NDArray[np.int_], cost: int) -> float:
    """Primal minus dual as a share of the primal.

    The duals are those that the losses give, times the factor that makes the dual value largest.
    """
    y_signed = np.where(column > 0, 1.0, -1.0)
    coef, b = machine.coef_[0], float(machine.intercept_[0]) / INTERCEPT_COLUMN
    short = np.maximum(0.0, 1.0 - y_signed * machine.decision_function(X))
    alphas = 2.0 * cost * short
    summed, balance = X.T @ (alphas * y_signed), INTERCEPT_COLUMN * float(alphas @ y_signed)
    primal = 0.5 * (coef @ coef + b * b) + cost * (short @ short)
    curved = summed @ summed + balance**2 + alphas @ alphas / (2.0 * cost)
    return float(1.0 - alphas.sum() ** 2 / (2.0 * curved) / primal)
