"""Ways to divide a corpus into training and test documents. Seeded, stratified, reproducible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.errors import LaconicError


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of the training and the test documents, ascending, and a name for both."""

    name: str
    train: NDArray[np.intp]
    test: NDArray[np.intp]


def given_split(corpus: Corpus) -> Iterator[Split]:
    """The corpus's own split."""
    yield Split("given", corpus.part(TRAIN), corpus.part(TEST))


def folds(corpus: Corpus, n_folds: int = 5, *, repeats: int = 1, seed: int = 0) -> Iterator[Split]:
    """Stratified cross-validation: each document is tested once a repeat."""
    if not 2 <= n_folds <= len(corpus):
        raise LaconicError(f"{n_folds} folds of {len(corpus)} documents: give at least 2 of each")
    for repeat in range(repeats):
        fold_of = _dealt(corpus, np.random.default_rng([seed, repeat])) % n_folds
        for fold in range(n_folds):
            name = f"fold {fold + 1} of {n_folds}" + (
                f", repeat {repeat + 1}" if repeats > 1 else ""
            )
            yield Split(name, np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold))


def random_splits(
    corpus: Corpus, test_share: float = 0.2, *, times: int = 5, seed: int = 0
) -> Iterator[Split]:
    """Repeated stratified splits, such as the papers' 4:1."""
    if not 0 < test_share < 1:
        raise LaconicError(f"test_share={test_share}: must lie strictly between 0 and 1")
    for time in range(times):
        place = _dealt(corpus, np.random.default_rng([seed, time]))
        # Every 1/share-th document of the dealt order, so that each stratum gives its share.
        tested = np.floor((place + 1) * test_share) > np.floor(place * test_share)
        yield Split(f"split {time + 1} of {times}", np.flatnonzero(~tested), np.flatnonzero(tested))


def _dealt(corpus: Corpus, rng: np.random.Generator) -> NDArray[np.intp]:
    """The place of each document in an order that is random but goes stratum by stratum.

    The stratum of a document is its rarest label, so that rare classes are spread best.
    """
    counts = corpus.class_counts
    number = {label: i for i, label in enumerate(corpus.classes)}
    stratum = np.array(
        [
            number[min(labels, key=lambda label: (counts[label], label))] if labels else -1
            for labels in corpus.labels
        ]
    )
    shuffled = rng.permutation(len(corpus))
    order = shuffled[np.argsort(stratum[shuffled], kind="stable")]
    place = np.empty(len(corpus), dtype=np.intp)
    place[order] = np.arange(len(corpus))
    return place
