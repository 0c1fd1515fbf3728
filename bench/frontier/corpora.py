"""The corpora, each with the folds and matrices that a study makes of it; both sides use them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from bench.frontier.journal import Truth
from bench.frontier.scoring import packed, rule_of, signed
from bench.texts import counts
from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.corpus.loading import load_corpus
from laconic.corpus.splits import Split, random_splits
from laconic.model import Normalize
from laconic.studies.options import SplitOptions
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.text.problem import Problem, Target
from laconic.types import Floats

N_FOLDS = 3
BUDGETS = (10, 30, 100, 300, 1000, 3000)
BYTES = (10_000, 100_000, 300_000)
# The lengths by which documents are divided before a peer's classifier: over some or all words.
LENGTHS: tuple[Normalize, ...] = ("selected", "all")
# The selected words only, as ours, to save time.
ONE_LENGTH = frozenset({"reuters-21578", "rcv1"})
# All 22,000 training documents of 101 topics would take hours.
RCV1_DOCS = 3000


@dataclass(frozen=True, eq=False)
class Fold:
    """Training and test documents as vectors; `idf` of the words, unless they come weighted."""

    problem: Problem
    idf: Floats | None


@dataclass(frozen=True, eq=False)
class FrontierCorpus:
    """A corpus with what a study of it sees: validation folds, and test documents.

    `lengths` are those that the peers try.
    """

    corpus: Corpus
    budgets: Sequence[int] = BUDGETS
    lengths: tuple[Normalize, ...] = LENGTHS

    def plan(self, metric: str) -> Plan:
        """The study of a user who wants small models, with the default methods."""
        split = SplitOptions(cv=N_FOLDS)
        return Plan(self.corpus, sizes=self.sizes, metrics=(metric,), split=split, features="words")

    @property
    def sizes(self) -> tuple[int, ...]:
        """The budgets for which there are enough words."""
        n_words = min(fold.problem.X_train.shape[1] for fold in self.folds)
        return tuple(size for size in self.budgets if size <= n_words)

    @property
    def target(self) -> Target:
        (target,) = self._prepared.targets
        return target

    @property
    def truth(self) -> Truth:
        problem = self.final.problem
        n_classes = len(problem.classes)
        labels = signed(problem.y_test, n_classes) > 0
        rule = rule_of(problem.y_train, n_classes)
        return Truth(rule, n_classes, *problem.X_train.shape, labels.shape, packed(labels))

    @cached_property
    def folds(self) -> tuple[Fold, ...]:
        return tuple(map(self._fold, self._prepared.splits))

    @cached_property
    def final(self) -> Fold:
        """All training documents, and the test documents."""
        return self._fold(self.final_split)

    @property
    def final_split(self) -> Split:
        return self._prepared.final_split()

    @cached_property
    def _prepared(self) -> PreparedCorpus:
        return PreparedCorpus.of(
            Plan(self.corpus, split=SplitOptions(cv=N_FOLDS), features="words"), self.corpus
        )

    def _fold(self, split: Split) -> Fold:
        (problem,) = self._prepared.problems(split, [self.target.name])
        if problem.y_train.ndim == 2:  # peers take an array
            dense = problem.y_train.toarray(), problem.y_test.toarray()
            problem = replace(problem, y_train=dense[0], y_test=dense[1])
        return Fold(problem, self._prepared.weigh(split).idf_)


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


def sampled(corpus: Corpus, n_train: int) -> Corpus:
    """With this many training documents, drawn topic by topic."""
    train = corpus.part(TRAIN)
    if train.size <= n_train:
        return corpus
    training = replace(corpus.take(train), split=None)
    (drawn,) = random_splits(training, n_train / train.size, times=1)
    return corpus.take(np.sort(np.append(train[drawn.test], corpus.part(TEST))))


def reuters() -> Corpus:
    """ModApte, the 90 topics that are in both parts, and the documents that have one of them."""
    return shared_topics(load_corpus("reuters-21578", split="ModApte"))


def rcv1() -> Corpus:
    """All test documents, and a stratified sample of the training documents."""
    return sampled(shared_topics(load_corpus("rcv1")), RCV1_DOCS)


def generated() -> Corpus:
    """Generated documents of 20 classes, for `--quick`."""
    X, y = counts(1200, 3000, 60)
    order = np.random.default_rng(0).permutation(X.shape[0])
    return Corpus(
        "generated",
        tuple((f"class {label:02}",) for label in y[order]),
        tuple(map(str, order)),
        vectors=csr_array(X[order]),
        vocabulary=tuple(f"word{i}" for i in range(X.shape[1])),
    )


def pydocs() -> Corpus:
    return load_corpus("pydocs")


# The small ones first.
CORPORA: dict[str, Callable[[], Corpus]] = {
    "pydocs": pydocs,
    "sms-spam": lambda: load_corpus("sms-spam"),
    "la1s": lambda: load_corpus("la1s"),
    "fbis": lambda: load_corpus("fbis"),
    "enron": lambda: load_corpus("enron"),
    "ohscal": lambda: load_corpus("ohscal"),
    "20news-bydate": lambda: load_corpus("20news-bydate"),
    "reuters-21578": reuters,
    "rcv1": rcv1,
}
QUICK: dict[str, Callable[[], Corpus]] = {"generated": generated, "pydocs": pydocs}


def frontier_corpus(name: str, budgets: Sequence[int] = BUDGETS) -> FrontierCorpus:
    lengths = LENGTHS[:1] if name in ONE_LENGTH else LENGTHS
    return FrontierCorpus((CORPORA | QUICK)[name](), budgets, lengths)
