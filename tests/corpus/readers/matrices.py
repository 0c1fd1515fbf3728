"""Strategies: labelled sparse matrices to write in a format and read back, and fuzzed lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csr_array


class Labelled(NamedTuple):
    matrix: csr_array
    labels: list[tuple[str, ...]]


def entries(matrix: csr_array, document: int) -> list[tuple[int, float]]:
    """Columns from 0 with their values, in order."""
    start, end = matrix.indptr[document : document + 2]
    columns, values = matrix.indices[start:end], matrix.data[start:end]
    return list(zip(columns.tolist(), values.tolist(), strict=True))


@st.composite
def labelled(
    draw: st.DrawFn, classes: Sequence[str] = ("-1", "1"), multilabel: bool = False
) -> Labelled:
    """At least two kinds of labels; the last column is in use, so that its index is written."""
    n_docs, n_terms = draw(st.integers(2, 6)), draw(st.integers(1, 8))
    values = st.floats(-1e6, 1e6).filter(bool) | st.integers(1, 9).map(float)
    dense = np.zeros((n_docs, n_terms))
    for document in range(n_docs):
        for column in draw(st.sets(st.integers(0, n_terms - 1))):
            dense[document, column] = draw(values)
    dense[draw(st.integers(0, n_docs - 1)), n_terms - 1] = draw(values)
    one = st.sampled_from(classes).map(lambda name: (name,))
    some = st.lists(st.sampled_from(classes), unique=True).map(tuple)
    kinds = st.lists(some if multilabel else one, min_size=n_docs, max_size=n_docs)
    return Labelled(csr_array(dense), draw(kinds.filter(lambda kind: len(set(kind)) > 1)))


def almost(alphabet: str) -> st.SearchStrategy[list[str]]:
    """Lines that are nearly right, of the characters and words that a format is made of."""
    words = st.sampled_from([*alphabet.split("~"), " ", "\t", "", "é", "\u0664", "9" * 30, "1e999"])
    free = st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), max_size=9)
    return st.lists(st.lists(words | free, max_size=9).map("".join), max_size=6)
