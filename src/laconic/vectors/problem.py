"""`Problem`: training and test documents as numbers. What a curve is measured on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import clone

from laconic.corpus.corpus import Corpus
from laconic.corpus.splits import Split, given_split, random_splits
from laconic.errors import LaconicError
from laconic.vectors.vectorizer import Vectorizer
from laconic.vectors.weighting import Weighting

Task = Literal["auto", "classes", "labels", "per-category"]


@dataclass(frozen=True, eq=False)
class Problem:
    """One question put to a classifier, with training and test documents.

    y holds positions in `classes`: one number a document, or, where a document may have any number
    of labels, an indicator matrix. Of two classes, the second is the positive one. `columns` are
    the places of the vocabulary among all words of the corpus, which its folds share.
    """

    name: str
    X_train: csr_array = field(repr=False)
    y_train: NDArray[np.int64] = field(repr=False)
    X_test: csr_array = field(repr=False)
    y_test: NDArray[np.int64] = field(repr=False)
    vocabulary: NDArray[Any] = field(repr=False)
    classes: tuple[str, ...]
    fold: str = ""
    columns: NDArray[np.intp] | None = field(default=None, repr=False)

    @classmethod
    def expand(
        cls,
        corpus: Corpus,
        splits: Iterable[Split] | None = None,
        *,
        vectorizer: Vectorizer | None = None,
        weighting: Weighting | None = None,
        task: Task = "auto",
    ) -> Iterator[Problem]:
        """The problems of a corpus, one a split; for "per-category" one a split and class.

        Words are counted once; `weighting` is fitted on the training documents of each split, and
        words that occur in none of them are left out there.

        Parameters
        ----------
        corpus : Corpus
        splits : iterable of Split, default: the corpus's own, else one random 4:1 split
        vectorizer : Vectorizer, default=Vectorizer(); not used where the corpus comes as vectors
        weighting : Weighting, default: ltc for counts, as they are for other vectors
        task : "auto" takes "labels" (several a document) or "classes" (one a document) as the
            corpus has it; "per-category" asks yes or no about each class.
        """
        counted = Counted.of(corpus, vectorizer)
        questions = questions_of(corpus, task)
        for split in splits if splits is not None else default_splits(corpus):
            check_split(split, corpus)
            yield from counted.problems(split, questions, weighting)


@dataclass(frozen=True, eq=False)
class Counted:
    """A corpus with its words counted, once for all splits."""

    corpus: Corpus
    counts: csr_array = field(repr=False)
    words: NDArray[Any] = field(repr=False)

    @classmethod
    def of(cls, corpus: Corpus, vectorizer: Vectorizer | None = None) -> Counted:
        """Counts over all documents, and the words; a corpus of vectors has them already."""
        if corpus.vectors is not None:
            return cls(corpus, corpus.vectors, np.array(corpus.vocabulary, dtype=object))
        fresh = clone(vectorizer) if vectorizer is not None else Vectorizer()
        counts = fresh.fit_transform(corpus.texts)
        return cls(corpus, counts, fresh.get_feature_names_out())

    def weigh(self, split: Split, weighting: Weighting | None = None) -> Weighting:
        """The weighting as the training documents of the split make it."""
        scheme = weighting if weighting is not None else default_weighting(self.counts)
        return clone(scheme).fit(self.counts[split.train], words=self.words)

    def problems(
        self, split: Split, questions: Iterable[Question], weighting: Weighting | None = None
    ) -> Iterator[Problem]:
        """One problem a question, over the words of the split's training documents."""
        fitted = self.weigh(split, weighting)
        X_train = fitted.transform(self.counts[split.train])
        X_test = csr_array((0, fitted.kept_.size))
        if split.test.size:
            X_test = fitted.transform(self.counts[split.test])
        for question in questions:
            yield Problem(
                question.name,
                X_train,
                question.y[split.train],
                X_test,
                question.y[split.test],
                self.words[fitted.kept_],
                question.classes,
                split.name,
                fitted.kept_,
            )


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked about every document: y holds positions in `classes`, or is an indicator."""

    name: str
    classes: tuple[str, ...]
    y: NDArray[np.int64] = field(repr=False)

    @property
    def n_columns(self) -> int:
        """Decisions about a document: one for two classes, else one a class."""
        return 1 if self.y.ndim == 1 and len(self.classes) == 2 else len(self.classes)


def questions_of(corpus: Corpus, task: Task = "auto") -> list[Question]:
    """The questions about a corpus: one, or, for "per-category", one a class."""
    asked = ("labels" if corpus.multilabel else "classes") if task == "auto" else task
    _check_task(asked, corpus)
    return list(_questions(corpus, asked))


def default_splits(corpus: Corpus) -> Iterator[Split]:
    """The corpus's own split, else one random 4:1."""
    return given_split(corpus) if corpus.split is not None else random_splits(corpus, times=1)


def default_weighting(counts: csr_array) -> Weighting:
    """ltc for counts; numbers that are no counts are weighted already and stay as they are."""
    counted = bool(((counts.data == np.floor(counts.data)) & (counts.data >= 0)).all())
    return Weighting("ltc" if counted else "count")


def _questions(corpus: Corpus, task: str) -> Iterator[Question]:
    number = {label: i for i, label in enumerate(corpus.classes)}
    if task == "classes":
        codes = np.array([number[labels[0]] for labels in corpus.labels])
        yield Question(corpus.name, corpus.classes, codes)
        return
    indicator = np.zeros((len(corpus), len(corpus.classes)), dtype=np.int64)
    for document, labels in enumerate(corpus.labels):
        for label in labels:
            indicator[document, number[label]] = 1
    if task == "labels" and len(corpus.classes) > 1:
        yield Question(corpus.name, corpus.classes, indicator)
        return
    for label, i in number.items():
        yield Question(f"{corpus.name}: {label}", (f"not {label}", label), indicator[:, i])


def _check_task(task: str, corpus: Corpus) -> None:
    if task not in ("classes", "labels", "per-category"):
        raise LaconicError(f"task={task!r}: choose 'auto', 'classes', 'labels' or 'per-category'")
    if task == "classes" and corpus.multilabel:
        several = sum(len(labels) != 1 for labels in corpus.labels)
        raise LaconicError(
            f"task='classes' wants one label a document, but {several:,} of {len(corpus):,} "
            f"documents of {corpus.name} have none or several. Use 'labels' or 'per-category'."
        )


def check_split(split: Split, corpus: Corpus) -> None:
    if split.train.size == 0 or split.test.size == 0:
        raise LaconicError(
            f"{corpus.name}, {split.name}: {split.train.size:,} training and {split.test.size:,} "
            "test documents; both are needed. Choose --folds, or another --test-share"
        )
