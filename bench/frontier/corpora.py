"""The five corpora as tasks: training, validation and test documents over the same words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.texts import counts, narrow
from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.corpus.loading import load_corpora, load_corpus
from laconic.corpus.splits import random_splits
from laconic.text.problem import CountedCorpus, default_weighting
from laconic.text.vectorizer import Vectorizer
from laconic.text.weighting import Weighting
from laconic.types import Bools

Places: TypeAlias = NDArray[np.intp]

HELD_OUT = 0.2
MIN_DF = 2
SETS, EVERY = 20, 5
# All 22,000 training documents of 101 topics would take hours.
RCV1_DOCS = 3000


@dataclass(frozen=True, eq=False)
class Part:
    """Documents as unit ltc vectors, with one column of `truth` per class, and the raw data.

    `counts` are over the words of the task.
    """

    X: csr_array
    truth: Bools
    counts: csr_array
    texts: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """One task on a corpus, or on one of its sets.

    `word_counts` says whether the raw vectors are counts. `memo` caches what several families need,
    such as a ranking of the words.
    """

    corpus: str
    part: str
    classes: tuple[str, ...]
    multilabel: bool
    words: NDArray[Any] = field(repr=False)
    weighting: Weighting
    word_counts: bool
    train: Part = field(repr=False)
    valid: Part = field(repr=False)
    test: Part = field(repr=False)
    memo: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def y(self) -> NDArray[np.int64]:
        """The training labels: positions in `classes`, or an indicator."""
        truth = self.train.truth
        return truth.astype(np.int64) if self.multilabel else truth.argmax(axis=1)

    @property
    def n_words(self) -> int:
        return len(self.words)

    def once(self, name: str, make: Callable[[Task], Any]) -> Any:
        """The result of `make`, computed once."""
        if name not in self.memo:
            self.memo[name] = make(self)
        return self.memo[name]


def tasks_of(name: str) -> Iterator[Task]:
    for corpus in (CORPORA | QUICK)[name]():
        part = corpus.name.partition("/")[2]
        yield task_of(corpus, name, part)


def task_of(corpus: Corpus, name: str, part: str = "") -> Task:
    """The given split, else 4:1; a fifth of the training part is held out for choices."""
    whole, test = _split(corpus)
    (inner,) = random_splits(_without_split(corpus.take(whole)), HELD_OUT, times=1)
    train, valid = whole[inner.train], whole[inner.test]
    counted = CountedCorpus.of(corpus)
    default = default_weighting(counted.counts)
    weighting = Weighting(default.scheme, min_df=MIN_DF).fit(counted.counts[train])
    truth = _truth(corpus)

    def of(documents: Places) -> Part:
        texts = None if corpus.texts is None else tuple(corpus.texts[i] for i in documents)
        rows = counted.counts[documents]
        X = narrow(weighting.transform(rows))
        return Part(X, truth[documents], csr_array(rows[:, weighting.features_]), texts)

    return Task(
        name,
        part,
        corpus.classes,
        bool(corpus.multilabel),
        counted.words[weighting.features_],
        weighting,
        default.scheme == "ltc",
        of(train),
        of(valid),
        of(test),
    )


def vectorizer() -> Vectorizer:
    """The vectorizer for texts."""
    return Vectorizer()


def _split(corpus: Corpus) -> tuple[Places, Places]:
    if corpus.split is not None:
        return corpus.part(TRAIN), corpus.part(TEST)
    (outer,) = random_splits(corpus, HELD_OUT, times=1)
    return outer.train, outer.test


def _without_split(corpus: Corpus) -> Corpus:
    return replace(corpus, split=None)


def _truth(corpus: Corpus) -> Bools:
    place = {label: i for i, label in enumerate(corpus.classes)}
    truth = np.zeros((len(corpus), len(corpus.classes)), dtype=bool)
    for document, labels in enumerate(corpus.labels):
        truth[document, [place[label] for label in labels]] = True
    return truth


def reuters() -> Iterator[Corpus]:
    """ModApte, the 90 topics that are in both parts, and the documents that have one of them."""
    yield shared_topics(load_corpus("reuters-21578", split="ModApte"))


def shared_topics(corpus: Corpus) -> Corpus:
    """Topics with documents in both parts, and the documents that have such a topic."""
    seen = {
        part: {label for i in corpus.part(part) for label in corpus.labels[i]}
        for part in (TRAIN, TEST)
    }
    topics = seen[TRAIN] & seen[TEST]
    labels = tuple(tuple(name for name in names if name in topics) for names in corpus.labels)
    assert corpus.split is not None
    used = [i for i, names in enumerate(labels) if names and corpus.split[i] in (TRAIN, TEST)]
    return replace(corpus, labels=labels, classes=tuple(sorted(topics))).take(used)


def newsgroups() -> Iterator[Corpus]:
    yield load_corpus("20news-bydate")


def ohscal() -> Iterator[Corpus]:
    yield load_corpus("ohscal")


def techtc() -> Iterator[Corpus]:
    """Every fifth set."""
    yield from islice(load_corpora("techtc100"), 0, SETS * EVERY, EVERY)


def rcv1() -> Iterator[Corpus]:
    """All test documents, and a stratified sample of the training documents."""
    yield sampled(shared_topics(load_corpus("rcv1")), RCV1_DOCS)


def sampled(corpus: Corpus, n_train: int) -> Corpus:
    """With this many training documents, drawn topic by topic."""
    train = corpus.part(TRAIN)
    if train.size <= n_train:
        return corpus
    training = _without_split(corpus.take(train))
    (drawn,) = random_splits(training, n_train / train.size, times=1)
    return corpus.take(np.sort(np.append(train[drawn.test], corpus.part(TEST))))


def pydocs() -> Iterator[Corpus]:
    yield load_corpus("pydocs")


def generated() -> Iterator[Corpus]:
    """Generated documents of 20 classes, for `--quick`."""
    X, y = counts(1200, 3000, 60)
    order = np.random.default_rng(0).permutation(X.shape[0])
    yield Corpus(
        "generated",
        tuple((f"class {label:02}",) for label in y[order]),
        tuple(map(str, order)),
        vectors=csr_array(X[order]),
        vocabulary=tuple(f"word{i}" for i in range(X.shape[1])),
    )


CORPORA: dict[str, Callable[[], Iterator[Corpus]]] = {
    "reuters-21578": reuters,
    "20news-bydate": newsgroups,
    "ohscal": ohscal,
    "techtc100": techtc,
    "rcv1": rcv1,
}
QUICK: dict[str, Callable[[], Iterator[Corpus]]] = {"generated": generated, "pydocs": pydocs}
