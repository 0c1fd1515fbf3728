from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic import Corpus
from laconic.corpus.splits import folds, given_split, random_splits
from laconic.errors import CorpusError, LaconicError


def corpus_of(labels, split=None):
    ids = tuple(map(str, range(len(labels))))
    return Corpus("made", tuple(labels), ids, texts=ids, split=split)


labelled = st.lists(
    st.lists(st.sampled_from("abcd"), max_size=3, unique=True).map(tuple), min_size=4, max_size=60
).map(corpus_of)


@given(labelled, st.integers(2, 4), st.integers(1, 2), st.integers(0, 5))
def test_folds_partition_and_stratify(corpus, n_folds, repeats, seed):
    made = list(folds(corpus, n_folds, repeats=repeats, random_state=seed))
    assert len(made) == n_folds * repeats
    for repeat in range(repeats):
        tested = np.concatenate([s.test for s in made[repeat * n_folds : (repeat + 1) * n_folds]])
        assert sorted(tested) == list(range(len(corpus)))
    for split in made:
        assert sorted([*split.train, *split.test]) == list(range(len(corpus)))


def test_each_class_gives_its_share():
    corpus = corpus_of([("rare",)] * 10 + [("common",)] * 90)
    for split in folds(corpus, 5):
        assert Counter(corpus.labels[i][0] for i in split.test) == {"rare": 2, "common": 18}
    for split in random_splits(corpus, 0.2, times=3):
        assert Counter(corpus.labels[i][0] for i in split.test) == {"rare": 2, "common": 18}


def test_every_rare_class_is_tested_in_some_split():
    corpus = corpus_of([(f"class {i % 30:02}",) for i in range(60)])
    tested = {corpus.labels[i][0] for split in random_splits(corpus, times=50) for i in split.test}
    # a class is passed over with probability at most 0.8 a split: 30 · 0.8⁵⁰ < 5e-4, seed fixed
    assert len(tested) == 30


def test_the_only_document_of_a_class_is_tested_as_often_as_any():
    """2,000 splits, 5 standard errors, seed fixed: a false alarm has probability below 6e-7."""
    corpus = corpus_of([("rare",)] + [("common",)] * 9)
    rate = np.mean([0 in split.test for split in random_splits(corpus, 0.2, times=2000)])
    assert abs(rate - 0.2) < 5 * np.sqrt(0.2 * 0.8 / 2000)


def test_the_share_is_exact_and_unused_documents_stay_so():
    corpus = corpus_of([("a",), ("b",)] * 50)
    (split,) = random_splits(corpus, 0.29, times=1)
    assert (split.train.size, split.test.size) == (71, 29)
    marked = corpus_of([("a",), ("b",)] * 5, split=("train", "test", "", "", "train") * 2)
    used = {0, 1, 4, 5, 6, 9}
    for split in (*folds(marked, 2), *random_splits(marked, 0.5, times=2)):
        assert {*split.train, *split.test} == used


def test_of_several_labels_the_rarest_is_spread():
    corpus = corpus_of([("common", "rare")] * 10 + [("common",)] * 80 + [("other", "common")] * 10)
    for seed in range(5):
        made = [
            *folds(corpus, 5, random_state=seed),
            *random_splits(corpus, 0.2, times=3, random_state=seed),
        ]
        for split in made:
            counts = Counter(label for i in split.test for label in corpus.labels[i])
            assert counts == {"rare": 2, "other": 2, "common": 20}


def test_splits_repeat_with_their_seed_and_differ_otherwise():
    corpus = corpus_of([("a",), ("b",)] * 30)
    first, again = (list(random_splits(corpus, times=2, random_state=4)) for _ in range(2))
    assert all((a.test == b.test).all() for a, b in zip(first, again, strict=True))
    assert first[0].test.tolist() != first[1].test.tolist()
    (other,) = random_splits(corpus, times=1, random_state=5)
    assert first[0].test.tolist() != other.test.tolist()


def test_the_corpus_own_split():
    corpus = corpus_of([("a",), ("b",), ("a",)], split=("test", "", "train"))
    (split,) = given_split(corpus)
    assert (split.train.tolist(), split.test.tolist()) == ([2], [0])
    with pytest.raises(CorpusError, match="no split"):
        list(given_split(corpus_of([("a",), ("b",)])))


def test_impossible_splits_are_refused():
    corpus = corpus_of([("a",), ("b",)])
    for impossible in (folds(corpus, 1), folds(corpus, 3), random_splits(corpus, 1.0)):
        with pytest.raises(LaconicError):
            next(impossible)
