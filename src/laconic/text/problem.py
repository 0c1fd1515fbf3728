"""`Problem`: training and test documents as matrices, with one target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import clone

from laconic.corpus.corpus import Corpus
from laconic.corpus.splits import Split, given_split, random_splits
from laconic.corpus.stored_texts import StoredTexts
from laconic.errors import LaconicError
from laconic.numerics.blocks import NO_LIMIT, Blocks
from laconic.text.blocks import store_counts
from laconic.text.options import StorageOptions, TargetKind
from laconic.text.vectorizer import Vectorizer
from laconic.text.weighting import Weighting
from laconic.types import Columns, Indices, Int64s, Matrix, Progress, Rule
from laconic.validation import check_choice

# One class per document, or a sparse indicator matrix.
Labels: TypeAlias = "Int64s | csr_array"
DEFAULT_STORAGE = StorageOptions()
# Above this ratio of the largest to the rarest class, accuracy hardly counts the rare ones.
UNEVEN = 5


@dataclass(frozen=True, eq=False)
class Problem:
    """Training and test documents with one target.

    X is a CSR matrix; of texts in files it is `Blocks` if it is too large for memory. y holds
    positions in `classes`: one number per document, or, where a document may have any number of
    labels, a sparse indicator matrix. Of two classes, the second is positive. `columns` are the
    positions of the vocabulary among all words of the corpus, which all folds share.
    """

    name: str
    X_train: Matrix = field(repr=False)
    y_train: Labels = field(repr=False)
    X_test: Matrix = field(repr=False)
    y_test: Labels = field(repr=False)
    vocabulary: NDArray[Any] = field(repr=False)
    classes: tuple[str, ...]
    fold: str = ""
    columns: Columns | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class CountedCorpus:
    """A corpus with its words counted, once for all splits.

    `documents` are the positions in the corpus of the documents that are counted, ascending; None
    for all.
    """

    corpus: Corpus
    counts: Blocks = field(repr=False)
    words: NDArray[Any] = field(repr=False)
    documents: Indices | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        vectorizer: Vectorizer | None = None,
        storage: StorageOptions = DEFAULT_STORAGE,
        progress: Progress | None = None,
    ) -> CountedCorpus:
        """Count the words of all documents; a corpus of vectors is used as it is.

        The limit of `storage` is that of texts in files: other counts are in memory anyway.
        """
        if corpus.vectors is not None:
            counts = Blocks.of(corpus.vectors, memory=NO_LIMIT)
            return cls(corpus, counts, np.array(corpus.vocabulary, dtype=object))
        fitted = clone(vectorizer) if vectorizer is not None else Vectorizer()
        if isinstance(corpus.texts, StoredTexts):
            return cls(corpus, *store_counts(corpus, fitted, storage, progress))
        counts = Blocks.of(fitted.fit_transform(corpus.texts or ()), memory=NO_LIMIT)
        return cls(corpus, counts, fitted.get_feature_names_out())

    @property
    def notes(self) -> tuple[str, ...]:
        """What is done differently if the texts are too large for memory."""
        texts, counts = self.corpus.texts, self.counts
        if not isinstance(texts, StoredTexts):
            return ()
        return (
            f"the texts have {texts.starts[-1] / 1e6:,.0f} MB: their words are counted in "
            f"{len(counts.parts):,} blocks on disk. A study selects features and trains final "
            "models block by block where a matrix is larger than --in-memory",
        )

    def only(self, documents: Indices) -> CountedCorpus:
        """Some of the documents, in memory."""
        counts = replace(self._rows(documents), memory=NO_LIMIT).gathered()
        return replace(self, counts=Blocks.of(counts, memory=NO_LIMIT), documents=documents)

    def _rows(self, documents: Indices) -> Blocks:
        if self.documents is not None:
            documents = np.searchsorted(self.documents, documents)
        return self.counts.take(documents)

    def weigh(self, split: Split, weighting: Weighting | None = None) -> Weighting:
        """The weighting, fitted on the training documents of the split."""
        scheme = weighting if weighting is not None else default_weighting(self.counts)
        fitted: Weighting = clone(scheme).fit(self._rows(split.train), words=self.words)
        return fitted

    def problems(
        self, split: Split, targets: Iterable[Target], weighting: Weighting | None = None
    ) -> Iterator[Problem]:
        """One problem per target, over the words of the split's training documents."""
        yield from self.weighted_problems(split, targets, self.weigh(split, weighting))

    def weighted_problems(
        self, split: Split, targets: Iterable[Target], fitted: Weighting
    ) -> Iterator[Problem]:
        """The same by a weighting that `weigh` has fitted."""
        X_train = fitted.transform(self._rows(split.train)).gathered()
        X_test = csr_array((0, fitted.features_.size))
        if split.test.size:
            X_test = fitted.transform(self._rows(split.test)).gathered()
        for target in targets:
            yield Problem(
                target.name,
                X_train,
                target.y[split.train],
                X_test,
                target.y[split.test],
                self.words[fitted.features_],
                target.classes,
                split.name,
                fitted.features_,
            )


@dataclass(frozen=True, eq=False)
class Target:
    """What is predicted: y holds positions in `classes`, or is a sparse indicator matrix."""

    name: str
    classes: tuple[str, ...]
    y: Labels = field(repr=False)

    @property
    def rule(self) -> Rule:
        """How decision values become predictions."""
        if self.y.ndim > 1:
            return "labels"
        return "sign" if len(self.classes) == 2 else "argmax"

    @property
    def n_columns(self) -> int:
        """Decision values per document: one for two classes, else one per class."""
        return 1 if self.y.ndim == 1 and len(self.classes) == 2 else len(self.classes)


def make_problems(
    corpus: Corpus,
    splits: Iterable[Split] | None = None,
    *,
    vectorizer: Vectorizer | None = None,
    weighting: Weighting | None = None,
    target: TargetKind = "auto",
    positive: str | None = None,
) -> Iterator[Problem]:
    """The problems of a corpus: one per split; for "one-vs-rest" one per split and class.

    Words are counted once; `weighting` is fitted on the training documents of each split, and
    words that occur in none of them are left out of that problem.

    Parameters
    ----------
    corpus : Corpus
    splits : iterable of Split, default: the corpus's own split, else one random 4:1 split
    vectorizer : Vectorizer, default=Vectorizer(); not used if the corpus has vectors
    weighting : Weighting, default: ltc for counts; other vectors are not weighted
    target : "multiclass" (one label per document), "multilabel" (any number of labels),
        "one-vs-rest" (one binary problem per class), or "auto": multilabel if the
        corpus is, else multiclass
    positive : the second of two classes, by default the rarer one
    """
    counted = CountedCorpus.of(corpus, vectorizer)
    targets = targets_of(corpus, target, positive)
    for split in splits if splits is not None else default_splits(corpus):
        check_split(split, corpus)
        yield from counted.problems(split, targets, weighting)


def make_problem(
    corpus: Corpus,
    split: Split | None = None,
    *,
    vectorizer: Vectorizer | None = None,
    weighting: Weighting | None = None,
) -> Problem:
    """The problem of one split, multilabel if the corpus is; see `make_problems`."""
    splits = None if split is None else [split]
    return next(make_problems(corpus, splits, vectorizer=vectorizer, weighting=weighting))


def targets_of(
    corpus: Corpus, kind: TargetKind = "auto", positive: str | None = None
) -> list[Target]:
    """The targets of a corpus: one, or, for "one-vs-rest", one per class.

    Of two classes the second is `positive`, by default the rarer one; ties: the second in the
    alphabet.
    """
    _check_kind(kind, corpus)
    if kind == "auto":
        kind = "multilabel" if corpus.multilabel else "multiclass"
    two_classes = kind == "multiclass" and len(corpus.classes) == 2
    if positive is not None and not (two_classes and positive in corpus.classes):
        raise _not_positive(corpus, kind, positive)
    if kind != "multiclass":
        return list(_label_targets(corpus, kind))
    classes = _negative_first(corpus, positive) if two_classes else corpus.classes
    number = {label: i for i, label in enumerate(classes)}
    return [Target(corpus.name, classes, np.array([number[label] for (label,) in corpus.labels]))]


def default_metric(target: Target) -> str:
    """F1 of the positive one of two classes; accuracy of several, or macro F1 if they are uneven.

    Classes are uneven if the largest has more than `UNEVEN` times the documents of the rarest.
    Labels have micro F1.
    """
    if target.y.ndim > 1:
        return "f1_micro"
    if len(target.classes) == 2:
        return "f1"
    counts = np.unique(target.y, return_counts=True)[1]
    return "f1_macro" if counts.max() > UNEVEN * counts.min() else "accuracy"


def default_splits(corpus: Corpus) -> Iterator[Split]:
    """The corpus's own split, else one random 4:1 split."""
    return given_split(corpus) if corpus.split is not None else random_splits(corpus, times=1)


def default_weighting(counts: Blocks) -> Weighting:
    """ltc for counts; other numbers are taken as weights and not changed."""
    return Weighting("count" if counts.total(_n_other_than_counts) else "ltc")


def _n_other_than_counts(block: csr_array) -> int:
    return int(np.count_nonzero((block.data != np.floor(block.data)) | (block.data < 0)))


def _negative_first(corpus: Corpus, positive: str | None) -> tuple[str, ...]:
    if positive is None:
        counts = corpus.class_counts
        positive = max(corpus.classes, key=lambda label: (-counts[label], label))
    (negative,) = (label for label in corpus.classes if label != positive)
    return negative, positive


def _not_positive(corpus: Corpus, kind: str, positive: str) -> LaconicError:
    if kind != "multiclass" or len(corpus.classes) != 2:
        n_classes = f"{len(corpus.classes):,} {'classes' if kind == 'multiclass' else 'labels'}"
        return LaconicError(
            f"positive={positive!r}: {corpus.name} has {n_classes}. Only one of two classes can be "
            "positive: leave it out, or use target='one-vs-rest', where each class is"
        )
    classes = " and ".join(map(repr, corpus.classes))
    return LaconicError(
        f"positive={positive!r}: the classes of {corpus.name} are {classes}. Name one of them"
    )


def _label_targets(corpus: Corpus, kind: str) -> Iterator[Target]:
    number = {label: i for i, label in enumerate(corpus.classes)}
    columns = [number[label] for labels in corpus.labels for label in labels]
    ends = np.cumsum([0, *map(len, corpus.labels)])
    entries = np.ones(len(columns), np.int8), columns, ends
    indicator = csr_array(entries, shape=(len(corpus), len(corpus.classes)))
    if kind == "multilabel" and len(corpus.classes) > 1:
        yield Target(corpus.name, corpus.classes, indicator)
        return
    for label, i in number.items():
        y = indicator[:, [i]].toarray()[:, 0].astype(np.int64)
        yield Target(f"{corpus.name}: {label}", (f"not {label}", label), y)


def _check_kind(kind: str, corpus: Corpus) -> None:
    check_choice("target", kind, get_args(TargetKind))
    if kind == "multiclass" and corpus.multilabel:
        n_other = sum(len(labels) != 1 for labels in corpus.labels)
        raise LaconicError(
            f"target='multiclass' needs one label per document, but {n_other:,} of "
            f"{len(corpus):,} documents of {corpus.name} have none or several. Use 'multilabel' or "
            "'one-vs-rest'."
        )


def check_split(split: Split, corpus: Corpus) -> None:
    if split.train.size == 0 or split.test.size == 0:
        raise LaconicError(
            f"{corpus.name}, {split.name}: {split.train.size:,} training and {split.test.size:,} "
            "test documents; both are needed. Use --cv, or another --test-size"
        )
