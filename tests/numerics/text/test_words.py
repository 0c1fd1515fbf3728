"""Vocabularies as bytes, against Python's own strings, sets and sorting."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from laconic.numerics.text.words import (
    in_order,
    numbered_together,
    packed,
    sorted_rows,
    unpacked,
)

# Short words, words with a long common beginning, and what n-grams of characters may have.
characters = st.characters(exclude_categories=[])
word = st.one_of(
    st.text(st.sampled_from("abZ_é中\n\0\ud800\U0001f600"), min_size=1, max_size=3),
    st.text(characters, min_size=1, max_size=6),
    st.builds("a long common beginning {}".format, st.text(st.sampled_from("ab"), max_size=12)),
)
vocabulary = st.lists(word, unique=True, max_size=20)


@given(vocabulary)
def test_words_survive_packing_and_are_sorted_as_strings(words):
    assert unpacked(packed(words)) == words
    ordered, rank = in_order(packed(words))
    assert unpacked(ordered) == sorted(words)
    assert [sorted(words)[place] for place in rank] == words


@given(st.lists(vocabulary, min_size=1, max_size=5))
def test_vocabularies_are_numbered_as_by_a_set(vocabularies):
    words, numbers = numbered_together([packed(words) for words in vocabularies])
    assert unpacked(words) == sorted(set().union(*vocabularies))
    for own, places in zip(vocabularies, numbers, strict=True):
        assert [unpacked(words)[place] for place in places] == own


@given(
    st.lists(st.dictionaries(st.integers(0, 9), st.integers(1, 2**31 - 1)), max_size=5),
    st.sampled_from([10, 300, 70_000]),
    st.sampled_from([0, 1, 64, 200]),
)
def test_rows_are_sorted_with_their_counts(rows, n_columns, n_more):
    """Short rows and long ones, which are sorted otherwise."""
    rng = np.random.default_rng(n_more)
    rank = rng.permutation(n_columns).astype(np.int32)
    more = rng.choice(n_columns, min(n_columns, n_more), replace=False).tolist()
    rows = [*rows, dict(zip(more, rng.integers(1, 2**31, len(more)).tolist(), strict=True))]
    columns = np.array([column for row in rows for column in row], np.int32)
    counts = np.array([float(count) for row in rows for count in row.values()])
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    new_columns, new_counts = sorted_rows(columns, counts, starts, rank)
    for row, first, end in zip(rows, starts, starts[1:], strict=False):
        expected = sorted((int(rank[column]), count) for column, count in row.items())
        found = zip(new_columns[first:end].tolist(), new_counts[first:end].tolist(), strict=True)
        assert list(found) == expected
