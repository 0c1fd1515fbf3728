"""Splits of a corpus into training and test documents: stratified and reproducible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.corpus.corpus import TEST, TRAIN, UNUSED, Corpus
from laconic.corpus.units import (
    blocks_by_time,
    choose_test_units,
    divide_into_folds,
    units_of,
)
from laconic.errors import LaconicError
from laconic.numerics.strata import rarest_label
from laconic.types import Indices
from laconic.validation import is_share

T = TypeVar("T", bound=Any)


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

    def within(self, documents: Indices) -> Split:
        """This split of some documents of a corpus, with their positions in the corpus."""
        return Split(self.name, documents[self.train], documents[self.test])


def without_copies(split: Split, corpus: Corpus) -> Split:
    """Without training documents whose text is that of a test document or an earlier one."""
    documents = np.append(split.test, split.train)
    first = corpus.take(documents).first_copies == np.arange(documents.size)
    return Split(split.name, split.train[first[split.test.size :]], split.test)


def given_split(corpus: Corpus) -> Iterator[Split]:
    """The corpus's own split."""
    yield Split("given", corpus.part(TRAIN), corpus.part(TEST))


def folds(
    corpus: Corpus,
    n_folds: int = 5,
    *,
    repeats: int = 1,
    random_state: int = 0,
    units: Indices | None = None,
) -> Iterator[Split]:
    """Stratified cross-validation: each document is tested once per repeat.

    Documents of one unit are in one fold; by default the units are the groups of the corpus. With
    `corpus.times`, there are `n_folds` + 1 blocks by time; each but the first is tested once, by
    training on all earlier ones.
    """
    if not 2 <= n_folds <= len(corpus):
        raise LaconicError(
            f"{n_folds} folds of {len(corpus)} documents: give from 2 folds to one per document"
        )
    if corpus.times is not None:
        yield from _folds_by_time(corpus, n_folds, repeats)
        return
    for repeat in range(repeats):
        rng = np.random.default_rng([random_state, repeat])
        ordered = _UnitOrder.of(corpus, rng, units)
        ordered.check(n_folds, f"{n_folds} folds")
        fold_of = np.full(len(corpus), -1)
        fold_of[ordered.documents] = ordered.spread(
            divide_into_folds(ordered.stratum_counts(), n_folds)
        )
        suffix = f", repeat {repeat + 1}" if repeats > 1 else ""
        for fold in range(n_folds):
            train = np.flatnonzero((fold_of != fold) & (fold_of >= 0))
            name = f"fold {fold + 1} of {n_folds}{suffix}"
            yield Split(name, train, np.flatnonzero(fold_of == fold))


def random_splits(
    corpus: Corpus,
    test_size: float = 0.2,
    *,
    times: int = 5,
    random_state: int = 0,
    units: Indices | None = None,
) -> Iterator[Split]:
    """Repeated stratified splits, such as the papers' 4:1.

    Documents of one unit are on one side; by default the units are the groups of the corpus. With
    `corpus.times`, the latest documents are the test documents of the only split.
    """
    if not is_share(test_size):
        raise LaconicError(f"test_size={test_size}: give a number strictly between 0 and 1")
    if corpus.times is not None:
        yield _split_by_time(corpus, test_size, times)
        return
    for time in range(times):
        rng = np.random.default_rng([random_state, time])
        ordered = _UnitOrder.of(corpus, rng, units)
        ordered.check(2, "a training and a test part")
        n_docs = ordered.documents.size
        n_test = min(max(1, round(test_size * n_docs)), n_docs - 1)
        # Evenly spaced from a random start: each stratum contributes its share, and no stratum is
        # skipped in every split.
        start = rng.random()
        places = ((np.arange(n_test) + start) * n_docs / n_test).astype(np.intp)
        tested = ordered.spread(choose_test_units(ordered.sizes, places))
        name = f"split {time + 1} of {times}"
        yield Split(name, np.sort(ordered.documents[~tested]), np.sort(ordered.documents[tested]))


@dataclass(frozen=True, eq=False)
class _UnitOrder:
    """The documents in the order of their units; `sizes` are the documents of each unit.

    Units are ordered by stratum, from large to small within each, and at random among equals.
    """

    documents: Indices
    sizes: Indices
    stratum: Indices
    n_strata: int

    @classmethod
    def of(cls, corpus: Corpus, rng: np.random.Generator, units: Indices | None) -> Self:
        stratum = _strata(corpus, rng)
        used = used_documents(corpus)
        numbers = (units_of(corpus) if units is None else units)[used]
        _, unit, sizes = np.unique(numbers, return_inverse=True, return_counts=True)
        # a unit is where the first of its documents in the first stratum is
        first = np.full(sizes.size, stratum.max(initial=0))
        np.minimum.at(first, unit, stratum[used])
        shuffled = rng.permutation(used)
        unit_of = np.empty(len(corpus), dtype=np.intp)
        unit_of[used] = unit
        place = np.full(sizes.size, used.size)
        np.minimum.at(place, unit_of[shuffled], np.arange(used.size))
        order = np.lexsort((place, -sizes, first))
        rank = np.empty(sizes.size, dtype=np.intp)
        rank[order] = np.arange(sizes.size)
        documents = shuffled[np.argsort(rank[unit_of[shuffled]], kind="stable")]
        return cls(documents, sizes[order], stratum[documents], int(stratum.max(initial=0)) + 1)

    def check(self, least: int, parts: str) -> None:
        if self.sizes.size < least <= self.documents.size:
            raise LaconicError(
                f"{parts} of {self.sizes.size:,} groups or distinct texts in "
                f"{self.documents.size:,} documents: each part needs one at least. Use fewer "
                "folds, or leave out --group, or pass --duplicates keep"
            )

    def spread(self, values: NDArray[T]) -> NDArray[T]:
        """One value per document from one per unit."""
        return np.repeat(values, self.sizes)

    def stratum_counts(self) -> csr_array:
        """Documents of each unit by stratum."""
        ends = np.append(0, np.cumsum(self.sizes))
        shape = (self.sizes.size, self.n_strata)
        counts = csr_array((np.ones(self.stratum.size), self.stratum, ends), shape)
        counts.sum_duplicates()
        return counts


def _folds_by_time(corpus: Corpus, n_folds: int, repeats: int) -> Iterator[Split]:
    if repeats > 1:
        raise LaconicError(f"repeats={repeats}: folds by time are always the same. Use repeats=1")
    used, times = used_documents(corpus), np.array(corpus.times)
    borders = [block / (n_folds + 1) for block in range(1, n_folds + 1)]
    block = blocks_by_time(times[used], borders)
    if np.unique(block).size <= n_folds:
        raise LaconicError(
            f"{n_folds} folds by time need {n_folds + 1} blocks of documents, but the "
            f"{used.size:,} documents have only {np.unique(times[used]).size:,} times, or too many "
            "of one time. Use fewer folds, or a column with finer times"
        )
    for fold in range(n_folds):
        name = f"fold {fold + 1} of {n_folds}"
        yield Split(name, used[block <= fold], used[block == fold + 1])


def _split_by_time(corpus: Corpus, test_size: float, n_splits: int) -> Split:
    if n_splits > 1:
        raise LaconicError(f"{n_splits} test sets: by time there is only one, the latest documents")
    used, times = used_documents(corpus), np.array(corpus.times)
    late = blocks_by_time(times[used], [1 - test_size]) == 1
    if late.all() or not late.any():
        raise LaconicError(
            f"test_size={test_size} by time: {corpus.name} has "
            f"{np.unique(times[used]).size:,} times, so the latest documents are no such share. "
            "Use another share, or a column with finer times"
        )
    return Split("split 1 of 1", used[~late], used[late])


def _strata(corpus: Corpus, rng: np.random.Generator) -> Indices:
    """The stratum of each document: its rarest label, so rare classes are spread most evenly.

    The order of the strata is random.
    """
    names = sorted(corpus.classes)
    number = {label: i for i, label in enumerate(names)}
    columns = [number[label] for labels in corpus.labels for label in labels]
    starts = np.cumsum([0, *map(len, corpus.labels)])
    membership = csr_array((np.ones(len(columns)), columns, starts), (len(corpus), len(names)))
    position = [*map(corpus.classes.index, names), len(names)]
    order_of_strata = rng.permutation(len(names) + 1)[position]
    return np.asarray(order_of_strata[rarest_label(membership)], dtype=np.intp)


def used_documents(corpus: Corpus) -> Indices:
    """The documents that the corpus's own split does not leave unused."""
    if corpus.split is None:
        return np.arange(len(corpus))
    return np.flatnonzero(np.array(corpus.split, dtype=object) != UNUSED)
