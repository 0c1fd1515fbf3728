from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from laconic import Corpus
from laconic.corpus.builder import CorpusBuilder
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError


def made(**change):
    parts = {
        "name": "made",
        "labels": (("b",), ("a",), ("b",)),
        "ids": ("1", "2", "3"),
        "texts": ("one", "two", "three"),
        "split": ("train", "test", "train"),
    }
    return Corpus(**(parts | change))


def test_classes_are_sorted_and_counted():
    assert made().classes == ("a", "b")
    assert made().class_counts == {"a": 1, "b": 2}
    assert not made().multilabel
    assert made(labels=(("b",), (), ("b", "a"))).multilabel


def test_take_keeps_order_classes_and_everything_else():
    taken = made().take([2, 0])
    assert (taken.ids, taken.texts) == (("3", "1"), ("three", "one"))
    assert taken.classes == ("a", "b"), "also a class that no document has now"
    vectors = csr_array(np.eye(3))
    counted = made(texts=None, vectors=vectors, vocabulary=("x", "y", "z")).take([1])
    assert counted.vectors.toarray().tolist() == [[0, 1, 0]]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"notes": ("a note",)},
    ],
)
def test_the_fingerprint_ignores_what_results_do_not_depend_on(change):
    assert made(**change).fingerprint == made().fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"texts": ("one", "two", "three!")},
        {"texts": ("on", "etwo", "three")},
        {"labels": (("b",), ("a",), ("a",))},
        {"labels": (("b",), ("a", "b"), ())},
        {"ids": ("1", "2", "4")},
        {"split": None},
        {"split": ("test", "test", "train")},
        {"classes": ("a", "b", "c")},
        {"multilabel": True},
        {"texts": None, "vectors": csr_array(np.eye(3)), "vocabulary": ("x", "y", "z")},
    ],
)
def test_the_fingerprint_sees_what_results_depend_on(change):
    assert made(**change).fingerprint != made().fingerprint


def test_vectors_are_fingerprinted_by_value():
    parts = {"texts": None, "vocabulary": ("x", "y", "z")}
    same = made(vectors=csr_array(np.eye(3)), **parts).fingerprint
    wide = csr_array(np.eye(3))
    wide.indices = wide.indices.astype(np.int64)
    assert made(vectors=wide, **parts).fingerprint == same
    assert made(vectors=csr_array(2 * np.eye(3)), **parts).fingerprint != same


@pytest.mark.parametrize(
    ("indptr", "indices", "data"),
    [
        ([0, 2, 2, 3], [2, 0, 1], [4.0, 5.0, 6.0]),
        ([0, 3, 3, 4], [0, 2, 2, 1], [5.0, 1.0, 3.0, 6.0]),
        ([0, 3, 3, 4], [0, 1, 2, 1], [5.0, 0.0, 4.0, 6.0]),
        ([0, 4, 4, 5], [1, 0, 2, 1, 1], [3.0, 5.0, 4.0, -3.0, 6.0]),
    ],
    ids=["unsorted", "repeated", "a stored zero", "a sum of zero"],
)
def test_vectors_are_kept_sorted_and_each_entry_once(indptr, indices, data):
    given = csr_array((np.array(data), np.array(indices), np.array(indptr)), shape=(3, 3))
    corpus = made(texts=None, vectors=given, vocabulary=("x", "y", "z"))
    assert corpus.vectors.indptr.tolist() == [0, 2, 2, 3]
    assert corpus.vectors.indices.tolist() == [0, 2, 1]
    assert corpus.vectors.data.tolist() == [5, 4, 6]
    assert (given.indices.tolist(), given.data.tolist()) == (indices, data), "the caller's own"


def test_vectors_that_are_so_already_are_not_copied():
    given = csr_array(np.eye(3))
    assert made(texts=None, vectors=given, vocabulary=("x", "y", "z")).vectors is given


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"texts": None}, "either texts or vectors"),
        ({"vectors": csr_array(np.eye(3))}, "either texts or vectors"),
        ({"texts": None, "vectors": csr_array(np.eye(3))}, "vocabulary"),
        ({"ids": ("1", "2")}, "differ in number"),
        ({"split": ("train",)}, "differ in number"),
    ],
)
def test_parts_that_do_not_fit_are_refused(change, says):
    with pytest.raises(TypeError, match=says):
        made(**change)


words = st.text(min_size=1, max_size=3)
documents = st.lists(
    st.tuples(st.text(max_size=5), st.lists(words, max_size=3)), min_size=1, max_size=8
)


@given(documents)
def test_gathering_keeps_every_document_of_a_multilabel_corpus(drawn):
    builder = CorpusBuilder("file", ReadOptions(), multilabel=True)
    for text, labels in drawn:
        builder.add_text(text, labels)
    if len({tuple(dict.fromkeys(labels)) for _, labels in drawn}) < 2:
        with pytest.raises(CorpusError, match="same label"):
            builder.corpus("made")
        return
    corpus = builder.corpus("made")
    assert corpus.texts == tuple(text for text, _ in drawn)
    assert corpus.labels == tuple(tuple(dict.fromkeys(labels)) for _, labels in drawn)
    assert corpus.ids == tuple(map(str, range(len(drawn))))


def test_gathering_sums_repeated_columns_and_sorts():
    builder = CorpusBuilder("file", ReadOptions())
    builder.add_vector([2, 0, 2], [1.0, 5.0, 3.0], ["a"])
    builder.add_vector([], [], ["b"])
    vectors = builder.corpus("made", vocabulary=["x", "y", "z"]).vectors
    assert vectors.toarray().tolist() == [[5, 0, 4], [0, 0, 0]]
    assert vectors.has_sorted_indices
