"""Logistic regression of 20 classes: LogisticClassifier against LogisticRegression with lbfgs.

20news-bydate, training documents, ltc weights, the 1,000 words of the highest information gain,
documents of unit length over these words; alpha = 1, 0.1 and 0.01, that is C = 0.5, 5 and 50. Both
stop at the same quality: an objective at most 1e-6 above the optimum, relatively. Ours has this as
its bound; the peer has the largest tolerance of a grid that reaches it. The last rows compare 11
sizes × 5 alphas with warm starts, on prefixes of the ranked words, with the same fits from 0, at
this gap and at that of studies. Needs `LACONIC_DATA`. CPU seconds with one thread of BLAS, medians.
"""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from bench.texts import narrow, shape
from laconic import LogisticClassifier, Vectorizer, Weighting, load_corpus
from laconic.methods.classifiers import TOLERANCE
from laconic.numerics.logistic.solve import PrimalStart
from laconic.numerics.quotient import quotient
from laconic.numerics.svm.input import Rows
from laconic.scores import information_gain
from laconic.text.labels import LabelEncoding

CORPUS = "20news-bydate"
SIZE = 1000
SIZES = (10, 20, 50, 100, 200, 300, 500, 700, 1000, 1500, 2000)
ALPHAS = (1.0, 0.1, 0.01)
PATH = (1.0, 0.3, 0.1, 0.03, 0.01)
GAP = 1e-6
TOLERANCES = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 1e-8)
REPEATS = 3

Labels = NDArray[Any]


def rows() -> list[Row]:
    if not os.environ.get("LACONIC_DATA"):
        print("logistic: LACONIC_DATA is not set, so there are no documents", file=sys.stderr)
        return []
    with threadpool_limits(1):
        ranked, y = documents()
        X = selected(ranked, SIZE)
        return [
            *(compared(X, y, alpha) for alpha in ALPHAS),
            path("logistic.warm", ranked, y, GAP),
            path("logistic.warm.study", ranked, y, TOLERANCE),
        ]


def documents() -> tuple[csr_array, Labels]:
    """Training documents with the columns in the order of their scores, and their classes."""
    corpus = load_corpus(CORPUS)
    train = np.array([part == "train" for part in corpus.split])
    counts = Vectorizer().fit_transform(corpus.texts)[train]
    y = np.array([labels[0] for labels, used in zip(corpus.labels, train, strict=True) if used])
    X = Weighting("ltc", min_df=2).fit(counts).transform(counts)
    order = np.argsort(-information_gain(X, y), kind="stable")
    ranked = csr_array(X[:, order[: max(SIZES)]])
    ranked.sort_indices()
    return narrow(ranked), y


def prefix(ranked: csr_array, size: int) -> Rows:
    """The best words of unit documents, without a copy."""
    best = ranked.indices < size
    before = np.concatenate([[0], np.cumsum(best)])
    squares = np.concatenate([[0.0], np.cumsum(np.where(best, ranked.data, 0.0) ** 2)])
    starts, stops = ranked.indptr[:-1], ranked.indptr[1:]
    scales = quotient(1.0, np.sqrt(np.maximum(squares[stops] - squares[starts], 0.0)))
    ends = starts + before[stops] - before[starts]
    return replace(Rows.of(ranked), ends=ends.astype(np.int64), scales=scales, n_columns=size)


def selected(ranked: csr_array, size: int) -> csr_array:
    """The same documents as a matrix of their own."""
    view, X = prefix(ranked, size), csr_array(ranked[:, :size])
    X.data *= np.repeat(view.scales, np.diff(X.indptr))
    return narrow(X)


def compared(X: csr_array, y: Labels, alpha: float) -> Row:
    ours = LogisticClassifier(alpha, tol=GAP)
    exact = LogisticClassifier(alpha, tol=1e-12).fit(X, y)
    optimum = objective(exact, X, y, alpha)
    for tolerance in TOLERANCES:
        gap = objective(peer(X, y, alpha, tolerance), X, y, alpha) / optimum - 1.0
        if gap <= GAP:
            break
    mine, theirs = interleaved(
        REPEATS, lambda: ours.fit(X, y), lambda: peer(X, y, alpha, tolerance)
    )
    assert ours.solved_.all(), "not solved to the tolerance"
    distance = objective(ours, X, y, alpha) / optimum - 1.0
    assert distance <= ours.gap_[0], "the bound does not hold"
    what = f"{CORPUS}, {shape(X)}, 20 classes, alpha={alpha:g}, gap {distance:.0e}, CPU"
    other = f"LogisticRegression(C={0.5 / alpha:g}, tol={tolerance:g}), gap {gap:.0e}"
    return row(f"logistic.{CORPUS}.alpha{alpha:g}", what, other, mine.cpu, theirs.cpu)


def peer(X: csr_array, y: Labels, alpha: float, tolerance: float) -> LogisticRegression:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LogisticRegression(C=0.5 / alpha, tol=tolerance, max_iter=100_000).fit(X, y)


def objective(model: Any, X: csr_array, y: Labels, alpha: float) -> float:
    F = X @ model.coef_.T + model.intercept_
    largest = F.max(axis=1)
    logs = largest + np.log(np.exp(F - largest[:, None]).sum(axis=1))
    own_class = F[np.arange(y.size), np.searchsorted(model.classes_, y)]
    return float((logs - own_class).sum() + alpha * (model.coef_**2).sum())


def path(key: str, ranked: csr_array, y: Labels, gap: float) -> Row:
    """Sizes ascending, and within each the alphas descending."""
    encoding = LabelEncoding.of(y)
    views = [prefix(ranked, size) for size in SIZES]
    warm, cold = interleaved(
        1,
        lambda: fits(views, encoding, gap, warm=True),
        lambda: fits(views, encoding, gap, warm=False),
    )
    what = f"{CORPUS}, {len(SIZES)} sizes × {len(PATH)} alphas, warm starts, gap {gap:g}, CPU"
    return row(key, what, "the same fits from 0", warm.cpu, cold.cpu)


def fits(views: list[Rows], encoding: LabelEncoding, gap: float, *, warm: bool) -> None:
    """A model starts from its alpha at the size before, moved as the alpha before was."""
    before: dict[float, PrimalStart] = {}
    for view in views:
        here: dict[float, PrimalStart] = {}
        for last, alpha in zip((None, *PATH), PATH, strict=False):
            start = before.get(alpha, here.get(last))
            if last in before and start is not None:
                start = start.moved(here[last], before[last])
            model = LogisticClassifier(alpha, tol=gap)
            here[alpha] = model.fit_rows(view, encoding, start if warm else None).start
        before = here
