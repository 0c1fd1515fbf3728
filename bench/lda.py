"""Discriminant analysis of Reuters-21578 on the sparse matrix, against a truncated SVD first.

Torkkola's task: split ModLewis, documents of one topic, topics of both parts, 52 classes; words of
at least three letters, stemmed, without SMART's stop words, in 3 documents to half of them; as
histograms (the paper's) and as unit ltc vectors. Ours is LDA(size=51), the peer is scikit-learn's
TruncatedSVD(513), the paper's number of components, then LinearDiscriminantAnalysis; both are
fitted and project the training documents. Both are followed by the same linear SVM, outside the
timing; the peer counts with the better of that and its own decisions. Our accuracy may not be
lower. Needs `LACONIC_DATA`. CPU seconds with one thread of BLAS; interleaved, medians. Memory as in
`bench.memory`.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.decomposition import TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import Pipeline, make_pipeline
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from bench.memory import Memory, peak_growth
from bench.texts import shape
from laconic import LDA, SVMClassifier, Vectorizer, Weighting, load_corpus
from laconic.corpus.corpus import TEST, TRAIN

REPEATS = 3
SIZE = 51
FIRST = 513
ALPHA = 1.0

Labels = NDArray[Any]


@dataclass(frozen=True)
class Task:
    """Training and test documents of one topic each."""

    X: csr_array
    y: Labels
    X_test: csr_array
    y_test: Labels


def rows() -> list[Row]:
    if not os.environ.get("LACONIC_DATA"):
        print("lda: LACONIC_DATA is not set, so Reuters-21578 is skipped", file=sys.stderr)
        return []
    with threadpool_limits(1):
        return [compared(scheme) for scheme in ("histogram", "ltc")]


def compared(scheme: str) -> Row:
    task = reuters(scheme)
    mine, theirs = interleaved(
        REPEATS, lambda: ours(task.X, task.y, SIZE), lambda: peers(task.X, task.y, SIZE)
    )
    mine_accuracy, other = accuracy(mine.last, task), accuracy(theirs.last, task)
    other = max(other, float((theirs.last.predict(task.X_test) == task.y_test).mean()))
    assert mine_accuracy >= other, (
        f"{scheme}: accuracy {mine_accuracy:.4f}, less than the peer's {other:.4f}"
    )
    memory = Memory(*(peak_growth(work, task.X, task.y, SIZE) for work in (ours, peers)))
    data = f"Reuters-21578 {scheme}, {shape(task.X)}"
    what = f"LDA to {SIZE} components, {data}, accuracy {mine_accuracy:.3f}, CPU"
    peer = f"TruncatedSVD({FIRST}) and LinearDiscriminantAnalysis, accuracy {other:.3f}"
    return row(f"lda.{scheme}", what, peer, mine.cpu, theirs.cpu, memory)


def ours(X: csr_array, y: Labels, size: int) -> LDA:
    fitted = LDA(size=size).fit(X, y)
    fitted.transform(X)
    return fitted


def peers(X: csr_array, y: Labels, size: int) -> Pipeline:
    fitted = make_pipeline(
        TruncatedSVD(FIRST, random_state=0), LinearDiscriminantAnalysis(n_components=size)
    ).fit(X, y)
    fitted.transform(X)
    return fitted


def accuracy(projection: Any, task: Task) -> float:
    """The accuracy of a linear SVM after the projection."""
    svm = SVMClassifier(ALPHA).fit(projection.transform(task.X), task.y)
    return float((svm.predict(projection.transform(task.X_test)) == task.y_test).mean())


def reuters(scheme: str) -> Task:
    corpus = load_corpus("reuters-21578", split="ModLewis")
    corpus = corpus.take(np.flatnonzero([len(labels) == 1 for labels in corpus.labels]))
    topics = np.array([labels[0] for labels in corpus.labels])
    parts = [corpus.part(name) for name in (TRAIN, TEST)]
    shared = np.intersect1d(*(topics[part] for part in parts))
    train, test = (part[np.isin(topics[part], shared)] for part in parts)
    vectorizer = Vectorizer(
        token_pattern="[a-z]+", min_length=3, stop_words="smart", stem="porter"
    ).fit([corpus.texts[i] for i in train])
    counts = [vectorizer.transform([corpus.texts[i] for i in part]) for part in (train, test)]
    weighting = Weighting(scheme, min_df=3, max_df=0.5).fit(counts[0])
    X, X_test = (weighting.transform(part) for part in counts)
    return Task(X, topics[train], X_test, topics[test])
