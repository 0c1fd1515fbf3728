"""Sentences about repeated texts and groups in the splits of a corpus."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from laconic.corpus.builder import amount
from laconic.corpus.corpus import Corpus
from laconic.corpus.options import Duplicates
from laconic.corpus.splits import Split, used_documents
from laconic.corpus.units import units_of


def split_notes(corpus: Corpus, held_out: Split | None, duplicates: Duplicates) -> Iterator[str]:
    """What a reader of results should know; `held_out` is None without test documents."""
    used = used_documents(corpus)
    part = corpus.take(used)
    n_copies = part.n_copies
    repeat = amount(n_copies, "document repeats", "documents repeat")
    if n_copies and duplicates == "together" and corpus.times is None:
        yield (
            f"{repeat} the text of an earlier one: equal texts are on one side of every random "
            "split and fold"
        )
    if n_copies and duplicates == "drop":
        yield f"{repeat} the text of an earlier one: all but one are left out of training"
    if held_out is not None:
        unit = np.empty(len(corpus), dtype=np.intp)
        unit[used] = part.first_copies
        yield from _in_both_parts(unit, held_out)
    yield from _group_notes(corpus, held_out)


def _in_both_parts(unit: np.ndarray, split: Split) -> Iterator[str]:
    n_repeated = int(np.isin(unit[split.test], unit[split.train]).sum())
    if n_repeated:
        verb = "repeats" if n_repeated == 1 else "repeat"
        yield (
            f"{n_repeated:,} of {split.test.size:,} test documents {verb} the text of a training "
            "document"
        )


def _group_notes(corpus: Corpus, held_out: Split | None) -> Iterator[str]:
    if corpus.groups is None:
        return
    groups = units_of(corpus)
    n_groups = amount(np.unique(groups).size, "group", "groups")
    yield f"{n_groups}: the documents of each are on one side of every random split and fold"
    if held_out is not None:
        both = np.intersect1d(groups[held_out.train], groups[held_out.test]).size
        if both:
            yield f"{amount(both, 'group is', 'groups are')} in both training and test"
