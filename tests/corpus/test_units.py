from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from laconic import Corpus
from laconic.corpus.split_notes import split_notes
from laconic.corpus.splits import folds, given_split, random_splits, without_copies
from laconic.corpus.units import blocks_by_time, divide_into_folds, units_of
from laconic.errors import LaconicError


def corpus_of(labels, texts=None, **more):
    ids = tuple(map(str, range(len(labels))))
    return Corpus("made", tuple((label,) for label in labels), ids, texts=texts or ids, **more)


def is_divided(split, unit):
    """Whether a unit is on both sides."""
    return bool(set(unit[split.train]) & set(unit[split.test]))


grouped = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["", *"pqrstuvw"])), min_size=20, max_size=80
).map(lambda pairs: corpus_of([a for a, _ in pairs], groups=tuple(g for _, g in pairs)))


@given(grouped, st.integers(2, 4), st.integers(0, 5))
def test_no_unit_is_on_both_sides_and_every_document_is_tested_once(corpus, n_folds, seed):
    unit = units_of(corpus)
    if np.unique(unit).size < n_folds:
        with pytest.raises(LaconicError, match="groups or distinct texts"):
            list(folds(corpus, n_folds, random_state=seed))
        return
    made = list(folds(corpus, n_folds, random_state=seed))
    assert sorted(np.concatenate([split.test for split in made])) == list(range(len(corpus)))
    for split in (*made, *random_splits(corpus, 0.3, times=3, random_state=seed)):
        assert min(split.train.size, split.test.size) > 0
        assert sorted([*split.train, *split.test]) == list(range(len(corpus)))
        assert not is_divided(split, unit)


texts = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30)), min_size=12, max_size=80)


@given(texts, st.integers(2, 4), st.integers(0, 5))
def test_copies_are_together_and_classes_are_spread(pairs, n_folds, seed):
    """The folds differ in a class by at most its largest unit if units are of one class each."""
    labels = [label for label, _ in pairs]
    corpus = corpus_of(labels, tuple(f" {label} {number}\n" for label, number in pairs))
    unit = units_of(corpus, copies_together=True)
    if np.unique(unit).size < n_folds:
        return
    made = list(folds(corpus, n_folds, random_state=seed, units=unit))
    largest = {
        label: max(Counter(unit[i] for i, of in enumerate(labels) if of == label).values())
        for label in set(labels)
    }
    for label, size in largest.items():
        counts = [sum(labels[i] == label for i in split.test) for split in made]
        assert max(counts) - min(counts) <= size
    for split in (*made, *random_splits(corpus, 0.25, times=2, random_state=seed, units=unit)):
        assert not is_divided(split, unit)


def test_single_units_are_divided_in_turn_as_the_rule_says():
    """The rule itself, one unit at a time: the smallest share of its stratum, then the fewest."""
    rng = np.random.default_rng(0)
    stratum = np.sort(rng.integers(0, 4, 50))
    strata = csr_array((np.ones(50), stratum, np.arange(51)), (50, 4))
    in_folds, expected = np.zeros((4, 3)), []
    for of in stratum:
        fold = min(range(3), key=lambda f: (in_folds[of, f], in_folds[:, f].sum(), f))
        in_folds[of, fold] += 1
        expected.append(fold)
    assert divide_into_folds(strata, 3).tolist() == expected


def test_the_test_share_is_met_with_units_of_several_sizes():
    rng = np.random.default_rng(1)
    groups = tuple(f"g{g}" for g in rng.integers(0, 60, 1000) ** 2 // 60)
    corpus = corpus_of(["a" if x < 0.2 else "b" for x in rng.random(1000)], groups=groups)
    for split in random_splits(corpus, 0.2, times=20):
        assert abs(split.test.size - 200) <= max(Counter(groups).values()) / 2


def test_copies_of_texts_and_vectors_and_what_groups_join():
    corpus = corpus_of("abab", ("x", " x\n", "y", "x y"))
    assert corpus.first_copies.tolist() == [0, 0, 2, 3]
    rows = csr_array(np.array([[1.0, 2], [0, 2], [1, 2], [0, 3]]))
    vectors = Corpus("v", corpus.labels, corpus.ids, vectors=rows, vocabulary=("p", "q"))
    assert vectors.first_copies.tolist() == [0, 1, 0, 3]
    joined = corpus_of("abab", ("x", "x", "y", "z"), groups=("p", "q", "q", ""))
    unit = units_of(joined, copies_together=True)
    assert unit[0] == unit[1] == unit[2] != unit[3]
    assert units_of(joined).tolist() == [0, 1, 1, 3]


def test_too_few_groups_are_refused():
    corpus = corpus_of("ab" * 6, groups=tuple("pq" * 6))
    with pytest.raises(LaconicError, match=r"3 folds of 2 groups .* in 12 documents"):
        list(folds(corpus, 3))
    one_group = corpus_of("ab" * 6, groups=("p",) * 12)
    with pytest.raises(LaconicError, match="a training and a test part of 1 groups"):
        list(random_splits(one_group))


@given(st.lists(st.integers(0, 20), min_size=12, max_size=60), st.integers(2, 4))
def test_by_time_the_past_is_for_training(numbers, n_folds):
    corpus = corpus_of(["ab"[i % 2] for i in range(len(numbers))], times=tuple(map(float, numbers)))
    times = np.array(corpus.times)
    try:
        made = list(folds(corpus, n_folds))
        (latest,) = random_splits(corpus, 0.2, times=1)
    except LaconicError:
        # no border between two times is near enough
        assert max(Counter(numbers).values()) > len(numbers) / (2 * n_folds + 2)
        return
    for split in (*made, latest):
        assert times[split.train].max() < times[split.test].min()
    for earlier, later in pairwise(made):
        assert later.train.tolist() == sorted([*earlier.train, *earlier.test])
    assert sorted([*made[-1].train, *made[-1].test]) == list(range(len(corpus)))


def test_blocks_by_time_are_of_equal_size_and_never_divide_a_time():
    times = np.arange(12.0)[::-1]
    assert blocks_by_time(times, [1 / 3, 2 / 3]).tolist() == [2] * 4 + [1] * 4 + [0] * 4
    times = np.array([1.0, 1, 1, 2, 2, 3])
    assert blocks_by_time(times, [0.5, 0.75]).tolist() == [0, 0, 0, 1, 1, 2]


def test_splits_by_time_exist_once():
    corpus = corpus_of("ab" * 10, times=tuple(map(float, range(20))))
    with pytest.raises(LaconicError, match="repeats=2"):
        list(folds(corpus, 3, repeats=2))
    with pytest.raises(LaconicError, match="5 test sets"):
        list(random_splits(corpus))
    equal = corpus_of("ab" * 10, times=(1.0,) * 20)
    with pytest.raises(LaconicError, match="have only 1 times"):
        list(folds(equal, 3))
    with pytest.raises(LaconicError, match="no such share"):
        list(random_splits(equal, times=1))


def test_of_copies_in_both_parts_the_training_document_is_left_out():
    split = ("train", "train", "train", "test", "test", "test")
    corpus = corpus_of("ababab", ("x", "y", "y", "x", "z", "z"), split=split)
    without = without_copies(next(given_split(corpus)), corpus)
    assert (without.train.tolist(), without.test.tolist()) == ([1], [3, 4, 5])


def test_notes_count_copies_and_groups():
    split = ("train", "train", "train", "test", "test", "test")
    corpus = corpus_of("ababab", ("x", "y", "y", "x", "z", "w"), split=split)
    parts = next(given_split(corpus))
    together, tested = split_notes(corpus, parts, "together")
    assert together.startswith("2 documents repeat the text of an earlier one: equal texts are on")
    assert tested == "1 of 3 test documents repeats the text of a training document"
    assert list(split_notes(corpus, parts, "keep")) == [tested]
    (dropped,) = split_notes(corpus, without_copies(parts, corpus), "drop")
    assert dropped.startswith("2 documents repeat the text of an earlier one: all but one are left")
    grouped = corpus_of("ababab", split=split, groups=(*"ppqqr", ""))
    sides, both = split_notes(grouped, parts, "together")
    assert sides.startswith("4 groups: the documents of each are on one side")
    assert both == "1 group is in both training and test"
