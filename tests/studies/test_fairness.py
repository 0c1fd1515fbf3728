"""All words are no straw man: a study tunes them as well as a scikit-learn user would.

The same folds, vectors and grid: LinearSVC and LogisticRegression with C = 1/(2 alpha) for every
alpha of the study, the best of all chosen by the mean over the folds, as the study does.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from laconic import Corpus
from laconic.methods.classifiers import ALPHAS
from laconic.studies.options import SplitOptions
from laconic.studies.plan import Plan
from laconic.studies.study import Study
from laconic.text.options import WeightingOptions
from tests.known_corpora import known_corpus

pytestmark = pytest.mark.usefixtures("corpora")


def newsgroups_by_length(n_documents: int) -> Corpus:
    """80 small classes: each newsgroup in four quarters by the length of its messages."""
    corpus = known_corpus("20news-bydate")
    train = corpus.part("train")
    corpus = corpus.take(train[:: train.size // n_documents])
    groups = np.array([labels[0] for labels in corpus.labels])
    lengths = np.array([len(text) for text in corpus.texts or ()])
    quarters = np.empty(len(corpus), dtype=int)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        ranks = lengths[members].argsort().argsort()
        quarters[members] = 4 * ranks // members.size
    labels = [(f"{group} {quarter}",) for group, quarter in zip(groups, quarters, strict=True)]
    return Corpus("newsgroups", tuple(labels), corpus.ids, texts=corpus.texts)


def messages(n_documents: int) -> Corpus:
    corpus = known_corpus("sms-spam")
    return corpus.take(np.arange(0, len(corpus), len(corpus) // n_documents))


def reuters(n_documents: int) -> Corpus:
    """Labels of at least 1 % of the documents, so that every fold has them."""
    corpus = known_corpus("reuters-21578")
    train = corpus.part("train")
    corpus = corpus.take(train[:: train.size // n_documents])
    frequent = {name for name, n in corpus.class_counts.items() if n >= len(corpus) / 100}
    labels = tuple(tuple(n for n in names if n in frequent) for names in corpus.labels)
    return Corpus("reuters", labels, corpus.ids, texts=corpus.texts, multilabel=True)


def peers() -> Iterator[object]:
    """The grid of the study, as scikit-learn has it."""
    for alpha in ALPHAS["logistic"]:
        yield LogisticRegression(C=0.5 / alpha, max_iter=2000)
    for alpha in ALPHAS["svm"]:
        yield LinearSVC(C=0.5 / alpha)


def scored(metric: str, y: np.ndarray, predicted: np.ndarray) -> float:
    if metric == "accuracy":
        return float(accuracy_score(y, predicted))
    average = {"f1": "binary", "f1_micro": "micro", "f1_macro": "macro"}[metric]
    return float(f1_score(y, predicted, average=average, zero_division=0))


def best_of_peers(study: Study, metric: str) -> float:
    """The best mean over the folds, of every classifier with every C."""
    (prepared,) = study.corpora
    (target,) = prepared.targets
    problems = [p for split in prepared.splits for p in prepared.problems(split, [target.name])]
    means = []
    for peer in peers():
        model = OneVsRestClassifier(peer) if target.rule == "labels" else peer
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            values = [
                scored(metric, p.y_test, model.fit(p.X_train, p.y_train).predict(p.X_test))
                for p in problems
            ]
        means.append(np.mean(values))
    return float(max(means))


CORPORA: dict[str, tuple[Callable[[int], Corpus], int, str]] = {
    "80 classes": (newsgroups_by_length, 1600, "accuracy"),
    "two classes": (messages, 2700, "f1"),
    "labels": (reuters, 1600, "f1_micro"),
}


def check(name: str, n_documents: int, cv: int, min_df: int, folder: object) -> None:
    make, _, metric = CORPORA[name]
    split = SplitOptions(test_size=None, cv=cv)
    weighting = WeightingOptions(min_df=min_df)
    plan = Plan(
        make(n_documents),
        ("ALL",),
        metrics=(metric,),
        split=split,
        weighting=weighting,
        features="words",
    )
    study = Study(plan, folder)
    (candidate,) = study.run().candidates
    assert candidate.se > 0
    assert candidate.mean >= best_of_peers(study, metric) - candidate.se


@pytest.mark.full
@pytest.mark.parametrize(
    "name", [pytest.param("80 classes", marks=pytest.mark.slow), "two classes", "labels"]
)
def test_all_words_are_tuned_as_well_as_by_scikit_learn(name, tmp_path):
    check(name, CORPORA[name][1], cv=2, min_df=5, folder=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_all_words_are_tuned_as_well_on_all_documents(name, tmp_path):
    check(name, {"80 classes": 11_000, "two classes": 5500, "labels": 9000}[name], 5, 2, tmp_path)
