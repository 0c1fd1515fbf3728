"""Splits of a corpus into training and test documents: stratified and reproducible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from laconic.corpus.corpus import TEST, TRAIN, UNUSED, Corpus
from laconic.errors import LaconicError
from laconic.numerics.strata import rarest_label, stratified_order
from laconic.types import Indices
from laconic.validation import is_share


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of the training and test documents, ascending, and the name of the split."""

    name: str
    train: Indices
    test: Indices

    @classmethod
    def training(cls, documents: Indices, name: str = "training") -> Self:
        """All these documents are for training, and none for testing."""
        return cls(name, documents, documents[:0])


def given_split(corpus: Corpus) -> Iterator[Split]:
    """The corpus's own split."""
    yield Split("given", corpus.part(TRAIN), corpus.part(TEST))


def folds(
    corpus: Corpus, n_folds: int = 5, *, repeats: int = 1, random_state: int = 0
) -> Iterator[Split]:
    """Stratified cross-validation: each document is tested once per repeat."""
    if not 2 <= n_folds <= len(corpus):
        raise LaconicError(
            f"{n_folds} folds of {len(corpus)} documents: give from 2 folds to one per document"
        )
    for repeat in range(repeats):
        documents = _stratified_order(corpus, np.random.default_rng([random_state, repeat]))
        fold_of = np.full(len(corpus), -1)
        fold_of[documents] = np.arange(documents.size) % n_folds
        for fold in range(n_folds):
            suffix = f", repeat {repeat + 1}" if repeats > 1 else ""
            name = f"fold {fold + 1} of {n_folds}{suffix}"
            train = np.flatnonzero((fold_of != fold) & (fold_of >= 0))
            yield Split(name, train, np.flatnonzero(fold_of == fold))


def random_splits(
    corpus: Corpus, test_size: float = 0.2, *, times: int = 5, random_state: int = 0
) -> Iterator[Split]:
    """Repeated stratified splits, such as the papers' 4:1."""
    if not is_share(test_size):
        raise LaconicError(f"test_size={test_size}: give a number strictly between 0 and 1")
    for time in range(times):
        rng = np.random.default_rng([random_state, time])
        documents = _stratified_order(corpus, rng)
        n_test = min(max(1, round(test_size * documents.size)), documents.size - 1)
        # Evenly spaced from a random start: each stratum contributes its share, and no stratum is
        # skipped in every split.
        start = rng.random()
        places = ((np.arange(n_test) + start) * documents.size / n_test).astype(np.intp)
        test = documents[places]
        train = np.setdiff1d(documents, test)
        yield Split(f"split {time + 1} of {times}", train, np.sort(test))


def _stratified_order(corpus: Corpus, rng: np.random.Generator) -> Indices:
    """The documents in random order within strata; the order of the strata is random too.

    The stratum of a document is its rarest label, so rare classes are spread most evenly. Documents
    that the corpus's own split leaves unused are omitted.
    """
    names = sorted(corpus.classes)
    number = {label: i for i, label in enumerate(names)}
    columns = [number[label] for labels in corpus.labels for label in labels]
    starts = np.cumsum([0, *map(len, corpus.labels)])
    membership = csr_array((np.ones(len(columns)), columns, starts), (len(corpus), len(names)))
    position = [*map(corpus.classes.index, names), len(names)]
    order_of_strata = rng.permutation(len(names) + 1)[position]
    used = np.arange(len(corpus))
    if corpus.split is not None:
        used = np.flatnonzero(np.array(corpus.split, dtype=object) != UNUSED)
    return stratified_order(used, order_of_strata[rarest_label(membership)], rng)
