"""Units: documents that are on one side of every random split and fold, such as copies of a text.

A unit is a number; documents with the same number are one unit. Greedy rules divide the units, so
that each side has its share of every stratum. Where all units are single documents, the rules are
those of stratified sampling.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from laconic.corpus.corpus import Corpus, first_equal
from laconic.types import Bools, Floats, Indices


def units_of(corpus: Corpus, *, copies_together: bool = False) -> Indices:
    """The unit of each document: its group, with the copies of its text if these are together."""
    n_docs = len(corpus)
    units = np.arange(n_docs)
    if corpus.groups is not None:
        names = enumerate(corpus.groups)
        units = first_equal(name or document for document, name in names)
    if not copies_together:
        return units
    if corpus.groups is None:
        return corpus.first_copies
    pairs = (
        np.ones(2 * n_docs),
        (np.tile(np.arange(n_docs), 2), np.append(units, corpus.first_copies)),
    )
    return np.asarray(connected_components(csr_array(pairs, (n_docs, n_docs)))[1], dtype=np.intp)


def divide_into_folds(strata: csr_array, n_folds: int) -> Indices:
    """The fold of each unit. `strata` counts the documents of each unit, in order, by stratum.

    From large to small, a unit goes to the fold with the smallest share of its strata; ties: the
    fold with the fewest documents, then the first.
    """
    sizes = np.asarray(strata.sum(axis=1)).ravel()
    if (sizes == 1).all():
        return np.arange(sizes.size) % n_folds  # what the rule gives
    shares = strata.data / np.asarray(strata.sum(axis=0)).ravel()[strata.indices]
    fold_of = np.empty(sizes.size, dtype=np.intp)
    in_folds, totals = np.zeros((strata.shape[1], n_folds)), np.zeros(n_folds)
    for unit in np.argsort(-sizes, kind="stable"):
        entries = slice(strata.indptr[unit], strata.indptr[unit + 1])
        counts, columns = strata.data[entries], strata.indices[entries]
        full = shares[entries] @ in_folds[columns]
        fold = np.lexsort((totals, full))[0]
        in_folds[columns, fold] += counts
        totals[fold] += counts.sum()
        fold_of[unit] = fold
    return fold_of


def choose_test_units(sizes: Indices, places: Indices) -> Bools:
    """Whether each unit is tested. `places` are evenly spaced over the documents of the units.

    A unit is tested if half of it or more is missing from the places that have been passed. There
    is always a unit on each side.
    """
    passed = np.searchsorted(places, np.cumsum(sizes))
    tested = np.zeros(sizes.size, dtype=bool)
    n_tested = 0
    for unit, (size, target) in enumerate(zip(sizes.tolist(), passed.tolist(), strict=True)):
        if size <= 2 * (target - n_tested):
            tested[unit] = True
            n_tested += size
    if not tested.any():
        tested[sizes.argmin()] = True
    elif tested.all():
        tested[sizes.argmax()] = False
    return tested


def blocks_by_time(times: Floats, borders: Iterable[float]) -> Indices:
    """The block of each document: borders are shares of the documents, in order of time.

    Documents of one time are in one block, the one with the nearest border.
    """
    ordered = np.sort(times)
    starts = np.append(np.flatnonzero(np.diff(ordered, prepend=-np.inf)), times.size)
    first_of = np.array([starts[np.abs(starts - share * times.size).argmin()] for share in borders])
    position = np.searchsorted(ordered, times)
    return np.searchsorted(first_of, position, side="right").astype(np.intp)
