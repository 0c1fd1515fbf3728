"""Selecting 1,000 words for 20 classes with the usual alternatives, and the quality of the words.

On the training part of 20news-bydate, unit ltc vectors over the words of at least two documents; if
`LACONIC_DATA` is not set, on generated documents. The accuracy, which is the micro-F1 here, is that
of the same LinearSVC on the selected words, outside the timing, on the test documents. Methods that
select per class get 1,000 / 20 words per class, so they select at most 1,000 together; against the
L1-penalised SVM, ours takes from one path as many words per class as give at most 1,000 together.

mutual_info_classif is timed on a random sample of words and scaled up; its accuracy is that of the
same score computed for all words, which must agree on the sample. RFE removes a fifth of the words
per step. The C of the L1-penalised SVM is the smallest power of 2 that selects 1,000 words, found
outside the timing. skglm and celer lower their penalty by a fifth per step, with warm starts, until
a class has its words. mRMR needs a dense frame, so it selects 100 of the 1,000 most frequent words,
and so does ours. celer, skglm and mrmr are skipped if they are not installed:
bench/requirements.txt.
CPU seconds with one thread of BLAS; interleaved, medians. Memory as in `bench.memory`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array
from scipy.special import xlogy
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, chi2, mutual_info_classif
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from bench.l1_paths import by_celer, by_skglm
from bench.measuring import Row, interleaved, row
from bench.memory import Memory, peak_growth
from bench.texts import narrow, shape, text_like
from laconic import LarsClassifier, TopTerms, Vectorizer, Weighting, load_corpus
from laconic.corpus.corpus import TEST, TRAIN
from laconic.scores import chi_squared, information_gain, svm_weight

SIZE = 1000
REPEATS, SLOW_REPEATS = 5, 1
SAMPLE = 300
FREQUENT, FEW = 1000, 100
COSTS = 2.0 ** np.arange(-4, 4)

Words = NDArray[np.intp]
Labels = NDArray[Any]
# (X, y, size) -> the chosen columns, `size` at most.
Choice = Callable[[Any, Labels, int], Words]


@dataclass(frozen=True)
class Task:
    """Shuffled training documents, and test documents; `name` describes them."""

    name: str
    X: csr_array
    y: Labels
    X_test: csr_array
    y_test: Labels

    def accuracy(self, words: Words) -> float:
        svm = LinearSVC(random_state=0).fit(self.X[:, words], self.y)
        return float((svm.predict(self.X_test[:, words]) == self.y_test).mean())

    def describe(self, name: str, words: Words) -> str:
        return f"{name}, {np.unique(words).size:,} words, accuracy {self.accuracy(words):.3f}"


def rows() -> list[Row]:
    with threadpool_limits(1):
        task = newsgroups() if os.environ.get("LACONIC_DATA") else generated()
        return [*filters(task), *embedded(task), *optional(task)]


def filters(task: Task) -> Iterator[Row]:
    yield compared("peers.chi2", task, "CHI2", by_chi_squared, "SelectKBest(chi2)", by_chi2)
    yield mutual_information(task)


def embedded(task: Task) -> Iterator[Row]:
    yield compared("peers.rfe", task, "WEIGHTS", by_weights, "RFE(LinearSVC)", by_rfe, SLOW_REPEATS)
    cost = cost_for(task)
    name = f"SelectFromModel(LinearSVC(penalty='l1', C={cost:g}))"
    yield compared("peers.l1", task, "SVM-LARS", by_whole_path, name, partial(by_l1, C=cost), 3)


def optional(task: Task) -> Iterator[Row]:
    if installed("skglm"):
        name = "skglm's SparseLogisticRegression along its path"
        yield compared("peers.skglm", task, "SVM-LARS", by_svm_lars, name, by_skglm, SLOW_REPEATS)
    if installed("celer"):
        name = "celer's Lasso along its path"
        yield compared("peers.celer", task, "RLS-LARS", by_rls_lars, name, by_celer, SLOW_REPEATS)
    if installed("mrmr"):
        yield redundancy(task)


def installed(name: str) -> bool:
    try:
        import_module(name)
    except ImportError as reason:
        message = f"peers: {name} is skipped ({reason}): pip install -r bench/requirements.txt"
        print(message, file=sys.stderr)
        return False
    return True


def compared(
    key: str,
    task: Task,
    name: str,
    ours: Choice,
    peer_name: str,
    peer: Choice,
    repeats: int = REPEATS,
) -> Row:
    X, y = task.X, task.y
    for warm in (ours, peer):
        warm(X[:500], y[:500], 5)
    mine, theirs = interleaved(repeats, lambda: ours(X, y, SIZE), lambda: peer(X, y, SIZE))
    memory = Memory(*(peak_growth(work, X, y, SIZE) for work in (ours, peer)))
    what, other = task.describe(name, mine.last), task.describe(peer_name, theirs.last)
    return row(key, f"{task.name}: {what}, CPU", other, mine.cpu, theirs.cpu, memory)


def by_chi_squared(X: csr_array, y: Labels, size: int) -> Words:
    return TopTerms(chi_squared).fit(X, y).at(size).terms


def by_chi2(X: csr_array, y: Labels, size: int) -> Words:
    return SelectKBest(chi2, k=size).fit(X, y).get_support(indices=True)


def by_gain(X: csr_array, y: Labels, size: int) -> Words:
    return TopTerms(information_gain).fit(X, y).at(size).terms


def mutual_information(task: Task) -> Row:
    """The peer on a sample of words, with its time scaled up."""
    n_terms = task.X.shape[1]
    sample = np.random.default_rng(1).choice(n_terms, min(SAMPLE, n_terms), replace=False)
    P = csc_array(task.X != 0, dtype=np.float64)
    scores, sampled = all_mutual_information(P, task.y), P[:, sample]
    by_gain(task.X[:500], task.y[:500], 5)  # compiles
    mine, theirs = interleaved(
        3,
        lambda: by_gain(task.X, task.y, SIZE),
        lambda: mutual_info_classif(sampled, task.y, discrete_features=True),
    )
    np.testing.assert_allclose(scores[sample], theirs.last, atol=1e-10)
    seconds = [n_terms / sample.size * cpu for cpu in theirs.cpu]
    words = np.argsort(-scores, kind="stable")[:SIZE]
    what = task.describe("IG", mine.last)
    peer = task.describe(f"SelectKBest(mutual_info_classif), from {sample.size} words", words)
    memory = Memory(peak_growth(by_gain, task.X, task.y, SIZE))
    what = f"{task.name}: {what}, CPU"
    return row("peers.mutual-information", what, peer, mine.cpu, seconds, memory)


def all_mutual_information(P: csc_array, y: Labels) -> NDArray[np.float64]:
    """Mutual information of presence and class: Σ p log p over both, minus that of both margins."""
    classes, codes = np.unique(y, return_inverse=True)
    member = csr_array((np.ones(codes.size), (codes, np.arange(codes.size))))
    present = (member @ P).toarray() / codes.size
    share = np.bincount(codes, minlength=classes.size)[:, None] / codes.size
    joint = np.stack([present, share - present])
    joint[joint < 0] = 0.0  # rounding
    margins = xlogy(joint.sum(axis=1), joint.sum(axis=1)).sum(axis=0), xlogy(share, share).sum()
    return np.asarray(xlogy(joint, joint).sum(axis=(0, 1)) - sum(margins))


def by_weights(X: csr_array, y: Labels, size: int) -> Words:
    return TopTerms(svm_weight).fit(X, y).at(size).terms


def by_rfe(X: csr_array, y: Labels, size: int) -> Words:
    elimination = RFE(LinearSVC(random_state=0), n_features_to_select=size, step=0.2)
    return elimination.fit(X, y).get_support(indices=True)


def by_svm_lars(X: csr_array, y: Labels, size: int) -> Words:
    return by_lars(LarsClassifier("squared_hinge"), X, y, size)


def by_whole_path(X: csr_array, y: Labels, size: int) -> Words:
    """SVM-LARS with as many words per class as give at most `size` together, from one path."""
    per_class = max(1, size // np.unique(y).size)
    models = LarsClassifier("squared_hinge").path(X, y, range(per_class, 2 * per_class))
    selections = (np.unique(csr_array(model.coef).indices) for model in models)
    chosen = next(selections)
    for words in selections:
        if words.size > size:
            break
        chosen = words
    return chosen


def by_rls_lars(X: csr_array, y: Labels, size: int) -> Words:
    return by_lars(LarsClassifier("squared", alpha=0.0), X, y, size)


def by_lars(path: LarsClassifier, X: csr_array, y: Labels, size: int) -> Words:
    path.set_params(size=max(1, size // np.unique(y).size))
    return np.unique(csr_array(path.fit(X, y).model_.coef).indices)


def by_l1(X: csr_array, y: Labels, size: int, C: float) -> Words:
    svm = LinearSVC(penalty="l1", dual=False, C=C, random_state=0)
    return SelectFromModel(svm, max_features=size).fit(X, y).get_support(indices=True)


def cost_for(task: Task) -> float:
    """The smallest C with enough words, else the largest."""
    enough = (C for C in COSTS if by_l1(task.X, task.y, SIZE, C).size >= SIZE)
    return float(next(enough, COSTS[-1]))


def redundancy(task: Task) -> Row:
    """mRMR on a dense frame of the most frequent words, made outside the timing."""
    import pandas

    frequency = np.bincount(task.X.indices, minlength=task.X.shape[1])
    frequent = np.sort(np.argsort(-frequency, kind="stable")[:FREQUENT])
    small = replace(task, X=narrow(task.X[:, frequent]), X_test=narrow(task.X_test[:, frequent]))
    frame, y = pandas.DataFrame(small.X.toarray()), small.y
    by_svm_lars(small.X[:500], y[:500], 5)
    mine, theirs = interleaved(
        SLOW_REPEATS, lambda: by_svm_lars(small.X, y, FEW), lambda: by_mrmr(frame, y, FEW)
    )
    memory = Memory(peak_growth(by_svm_lars, small.X, y, FEW), peak_growth(by_mrmr, frame, y, FEW))
    what = small.describe(f"{task.name}: SVM-LARS among {frequent.size:,} words", mine.last)
    peer = small.describe("mRMR (mrmr_classif, dense)", theirs.last)
    return row("peers.mrmr", f"{what}, CPU", peer, mine.cpu, theirs.cpu, memory)


def by_mrmr(frame: Any, y: Labels, size: int) -> Words:
    from mrmr import mrmr_classif
    from pandas import Series

    return np.array(mrmr_classif(frame, Series(y), size, n_jobs=1, show_progress=False))


def newsgroups() -> Task:
    corpus = load_corpus("20news-bydate")
    train, test = (corpus.take(corpus.part(part)) for part in (TRAIN, TEST))
    vectorizer, weighting = Vectorizer(), Weighting("ltc", min_df=2)
    X = weighting.fit_transform(vectorizer.fit_transform(train.texts))
    X_test = weighting.transform(vectorizer.transform(test.texts))
    y, y_test = (np.array([label for (label,) in part.labels]) for part in (train, test))
    # The corpus is sorted by class, and the first documents must have all classes.
    order = np.random.default_rng(0).permutation(y.size)
    name = f"20news-bydate, {shape(X)}"
    return Task(name, narrow(X[order]), y[order], narrow(X_test), y_test)


def generated(n_docs: int = 12_000, n_terms: int = 56_000) -> Task:
    X, y = text_like(n_docs, n_terms, 150)
    test = np.arange(y.size) // 20 % 5 == 4  # the same share of every class
    name = f"generated documents, {shape(X[~test])}"
    return Task(name, narrow(X[~test]), y[~test], narrow(X[test]), y[test])
