"""The main job: a study against the script that a scikit-learn user would write for the question.

*One classifier*: all words, χ² and recursive feature elimination (half at a time) with a linear SVM
(C = 1) behind each, 11 sizes, 5 folds, then the best model trained on all training documents and
tested. scikit-learn's RFE gives one set of words per run, so its user runs it once per size.
*Shared elimination* is the script of a user who orders the words by the rounds of one run, which is
not the same selection within a round. *Tuned*: the default study (all words, information gain, RFE)
with logistic regression and SVM, 5 alphas each, behind every size; the script has χ² in place of
information gain, the same grid, and a shared elimination. Tuned on 20 Newsgroups, both sides have
2,000 documents, 5 sizes and 3 folds, because the script takes hours otherwise.

Both sides start from texts, in one process with one thread, and have the same folds and weights:
TF-IDF as scikit-learn has it, words of at least two training documents. The script does once what
it can: words are counted once, χ² is computed once per fold, documents are weighted once. Its SVM
has its default tolerance. Ours includes the journal, the models and the certificate. The row says
the best validation accuracy of both. CPU seconds, one run of each, after one run of ours on few
documents that compiles.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import RFE, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from laconic import Corpus, load_corpus
from laconic.methods.classifiers import ALPHAS
from laconic.studies.options import SIZES, SplitOptions
from laconic.studies.plan import Plan
from laconic.studies.study import Study
from laconic.text.options import WeightingOptions

SVM_METHODS = ("ALL+svm:alpha=0.5", "CHI2+svm:alpha=0.5", "RFE:step=0.5+svm:alpha=0.5")
TUNED_METHODS = ("ALL", "IG", "RFE")


@dataclass(frozen=True)
class Job:
    """A question: documents, sizes and folds, and the classifiers of both sides."""

    key: str
    corpus: Corpus
    methods: tuple[str, ...]
    classifiers: tuple[Any, ...]
    sizes: tuple[int, ...] = SIZES
    cv: int = 5
    shared_elimination: bool = False

    @property
    def plan(self) -> Plan:
        return Plan(
            self.corpus,
            self.methods,
            self.sizes,
            metrics=("accuracy",),
            split=SplitOptions(cv=self.cv, duplicates="keep"),
            weighting=WeightingOptions("tfidf"),
            features="words",
        )


def rows() -> list[Row]:
    if not os.environ.get("LACONIC_DATA"):
        print("main-job: LACONIC_DATA is not set, so only pydocs is measured", file=sys.stderr)
    with threadpool_limits(1):
        return [compared(job) for job in jobs()]


def jobs() -> Iterator[Job]:
    machine = (LinearSVC(C=1.0),)
    names = ["pydocs", *(["20news-bydate"] if os.environ.get("LACONIC_DATA") else [])]
    corpora = {name: load_corpus(name) for name in names}
    for name, corpus in corpora.items():
        yield Job(f"main-job.{name}", corpus, SVM_METHODS, machine)
        yield Job(f"main-job.{name}.shared", corpus, SVM_METHODS, machine, shared_elimination=True)
    yield Job("main-job.pydocs.tuned", corpora["pydocs"], TUNED_METHODS, grid())
    if len(corpora) > 1:
        small = sampled(corpora["20news-bydate"], 2000)
        sizes = (10, 100, 1000, 5000, 10_000)
        yield Job("main-job.20news-bydate.tuned", small, TUNED_METHODS, grid(), sizes, cv=3)


def grid() -> tuple[Any, ...]:
    """The classifiers that a study tunes, as scikit-learn has them: C = 1 / (2 alpha)."""
    logistic = [LogisticRegression(C=0.5 / alpha, max_iter=1000) for alpha in ALPHAS["logistic"]]
    return (*logistic, *(LinearSVC(C=0.5 / alpha) for alpha in ALPHAS["svm"]))


def sampled(corpus: Corpus, n_train: int) -> Corpus:
    """Every k-th training document, and as many test documents."""
    if corpus.split is None:
        return corpus.take(np.arange(0, len(corpus), max(1, len(corpus) // n_train)))
    train, test = corpus.part("train"), corpus.part("test")
    parts = [part[:: max(1, part.size // n_train)][:n_train] for part in (train, test)]
    return corpus.take(np.sort(np.concatenate(parts)))


def compared(job: Job) -> Row:
    with TemporaryDirectory() as folder:
        few = replace(job, corpus=sampled(job.corpus, 200), sizes=job.sizes[:3], cv=2)
        study(few, Path(folder) / "compiles")
        ours, theirs = interleaved(
            1, lambda: study(job, Path(folder) / "study"), lambda: script(job)
        )
    about = f"{len(job.corpus):,} documents, {len(job.sizes)} sizes, {job.cv} folds"
    best = f"best accuracy {ours.last:.3f} against {theirs.last:.3f}"
    tuned = f"{len(job.classifiers)} classifiers" if len(job.classifiers) > 1 else "one SVM"
    what = f"{job.corpus.name}, {about}, {tuned}; {best}, CPU"
    peer = "a scikit-learn script" + ", shared elimination" * job.shared_elimination
    return row(job.key, what, peer, ours.cpu, theirs.cpu)


def study(job: Job, folder: Path) -> float:
    """The best mean accuracy in validation."""
    findings = Study(job.plan, folder).run()
    return max(candidate.mean for candidate in findings.candidates)


def script(job: Job) -> float:
    """What a careful user would write: what folds and sizes share is done once."""
    texts, labels = np.array(job.corpus.texts, dtype=object), np.array(job.corpus.labels)[:, 0]
    (whole,) = job.plan.split.held_out(job.corpus)
    vectorizer = CountVectorizer(token_pattern=r"\w\w+")
    counts = vectorizer.fit_transform(texts)
    scores: dict[tuple[str, int, int], list[float]] = {}
    for fold in job.plan.split.validation(job.corpus):
        X, Z = weighted(counts, fold.train, fold.test)
        y, truth = labels[fold.train], labels[fold.test]
        for method in ("all", "chi2", "rfe"):
            for key, model, columns in fitted(job, method, X, y):
                accuracy = float(np.mean(model.predict(Z[:, columns]) == truth))
                scores.setdefault(key, []).append(accuracy)
    best = max(scores, key=lambda key: float(np.mean(scores[key])))
    X, Z = weighted(counts, whole.train, whole.test)
    columns = next(selections(job, best[0], (best[1],), X, labels[whole.train]))
    model = clone(job.classifiers[best[2]]).fit(X[:, columns], labels[whole.train])
    model.predict(Z[:, columns])
    return float(np.mean(scores[best]))


def weighted(
    counts: csr_array, train: NDArray[Any], test: NDArray[Any]
) -> tuple[csr_array, csr_array]:
    """TF-IDF over the words of at least two training documents."""
    X, Z = counts[train], counts[test]
    frequent = np.flatnonzero(X.getnnz(axis=0) >= 2)
    X, Z = X[:, frequent], Z[:, frequent]
    transformer = TfidfTransformer().fit(X)
    return transformer.transform(X), transformer.transform(Z)


def fitted(
    job: Job, method: str, X: csr_array, y: NDArray[Any]
) -> Iterator[tuple[tuple[str, int, int], Any, NDArray[Any]]]:
    """Every classifier at every size; the columns of a size are sliced once."""
    sizes = job.sizes if method != "all" else (0,)
    for size, columns in zip(sizes, selections(job, method, sizes, X, y), strict=True):
        Z = X[:, columns]
        for place, classifier in enumerate(job.classifiers):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                yield (method, size, place), clone(classifier).fit(Z, y), columns


def selections(
    job: Job, method: str, sizes: tuple[int, ...], X: csr_array, y: NDArray[Any]
) -> Iterator[NDArray[Any]]:
    """The columns of each size."""
    if method == "all":
        yield from (np.arange(X.shape[1]) for _ in sizes)
    elif method == "chi2":
        order = np.argsort(-np.nan_to_num(chi2(X, y)[0]), kind="stable")
        yield from (order[:size] for size in sizes)
    elif job.shared_elimination or len(job.classifiers) > 1:
        order = np.argsort(eliminated(X, y, min(sizes)).ranking_, kind="stable")
        yield from (order[:size] for size in sizes)
    else:
        for size in sizes:
            within = min(size, X.shape[1])
            yield np.flatnonzero(eliminated(X, y, within).support_)


def eliminated(X: csr_array, y: NDArray[Any], size: int) -> RFE:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return RFE(LinearSVC(C=1.0), n_features_to_select=size, step=0.5).fit(X, y)
