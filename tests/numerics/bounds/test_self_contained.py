"""The largest difference of rows with different lengths: definition, grids, constructed cases."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from laconic.numerics.bounds import self_contained as split
from laconic.numerics.bounds.self_contained import split_reach, unit_reach, with_negatives

values = st.sampled_from([-3.0, -1.0, -0.5, -0.1, 0.0, 0.2, 0.5, 1.0, 2.0])
ANGLES = np.linspace(0.0, np.pi / 2, 20_001)


def rows(max_selected=3, max_rest=2):
    size = st.tuples(st.integers(0, max_selected), st.integers(0, max_rest))
    return size.flatmap(
        lambda n: st.tuples(
            *(hnp.arrays(np.float64, m, elements=values) for m in (n[0], n[0], n[1]))
        )
    )


def difference(inner, outer, rest, document):
    """The definition: each row divides the document by its length over the words that it reads."""
    selected, others = document[: inner.size], document[inner.size :]
    length, whole = np.linalg.norm(selected), np.linalg.norm(document)
    small = inner @ selected / length if length else 0.0
    full = (outer @ selected + rest @ others) / whole if whole else 0.0
    return small - full


def by_documents(inner, outer, rest):
    """The largest difference over a grid of documents, nearly without selected words too."""
    entries = np.array([0.0, 1e-7, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
    n_words = inner.size + rest.size
    documents = map(np.array, product(entries, repeat=min(n_words, 4)))
    return max(difference(inner, outer, rest, np.resize(q, n_words)) for q in documents)


def by_angles(inner, outer, rest):
    """The formula over a dense grid of c = cos θ."""
    c = np.cos(ANGLES) if rest.size else np.ones(1)
    lengths = np.sqrt(np.square(np.maximum(inner - np.outer(c, outer), 0.0)).sum(axis=1))
    of_rest = np.sin(ANGLES) * unit_reach(-rest) if rest.size else 0.0
    return max(0.0, float((lengths + of_rest).max()))


@pytest.mark.full
@given(rows())
def test_no_document_exceeds_it(row):
    inner, outer, rest = row
    scale = sum(map(np.linalg.norm, row))
    found = by_documents(inner, outer, rest)
    reach = split_reach(inner, outer, rest)
    assert found <= reach
    if inner.size + rest.size <= 4:
        assert found >= reach - 0.15 * scale, "a coarse grid comes near"


@given(rows(max_selected=8, max_rest=4))
def test_it_is_the_maximum_over_all_splits(row):
    inner, outer, rest = row
    grid, reach = by_angles(inner, outer, rest), split_reach(inner, outer, rest)
    assert grid - 1e-12 <= reach <= grid + 1e-6


@given(rows(max_selected=5, max_rest=3))
def test_documents_of_any_sign(row):
    inner, outer, rest = row
    c = np.cos(ANGLES) if rest.size else np.ones(1)
    lengths = np.linalg.norm(inner - np.outer(c, outer), axis=1)
    grid = (lengths + np.sqrt(np.maximum(1 - c**2, 0)) * np.linalg.norm(rest)).max()
    reach = split_reach(*map(with_negatives, row))
    assert grid - 1e-12 <= reach <= grid + 1e-6
    assert split_reach(*row) <= reach + 1e-8


def flat(n_words=400, until=0.95):
    """N(c) + √(1 − c²) is nearly 2 on [0, 0.95]: the kinks of words build up (2 − √(1 − c²))²."""
    kinks = np.linspace(0.0, until, n_words)
    bend = 2.0 / (1.0 - kinks**2) ** 1.5 - 1.0
    slopes = np.sqrt(np.diff(bend, prepend=0.0))
    return np.append(-slopes * kinks, 1.0), np.append(-slopes, 0.0), np.array([-1.0])


@pytest.mark.parametrize(
    ("inner", "outer", "rest", "expected"),
    [
        ([1.0], [-1.0], [-1.0], 1.0 + np.sqrt(2.0)),  # c = 1/√2
        ([1.0], [1.0], [-1.0], 2.0),  # approached as c falls to 0
        ([0.0], [-3.0], [-4.0], 5.0),  # on the circle
        ([3.0, 0.0], [3.0, -4.0], [0.0], 4.0),  # c = 1, the second word alone
        ([-1.0], [-0.5], [-2.0], 2.0),  # no selected word
        ([-1.0], [2.0], [2.0], 0.0),  # the empty document
        ([1.0], [-1.0], [5.0], 2.0),  # the rest only helps the full model: c = 1
        ([4.0], [-1.0], [1.0, 2.0], 5.0),  # c = 1
        ([4.0], [3.0], [1.0, 2.0], 3.0),  # as c falls to 0, with one other word of weight 1
        ([1.0, 2.0], [1.0, 0.0], [], 2.0),  # nothing is left out, so c = 1
        ([], [], [-3.0, 4.0, -4.0], 5.0),
        ([], [], [1.0], 0.0),
        ([], [], [], 0.0),
        ([0.0], [0.0], [0.0], 0.0),
        (*flat(), 2.0),
    ],
)
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e100])
def test_constructed_cases(inner, outer, rest, expected, scale):
    parts = [scale * np.asarray(part, dtype=float) for part in (inner, outer, rest)]
    tolerance = 1e-6 if len(inner) > 100 else 1e-8
    assert split_reach(*parts) == pytest.approx(scale * expected, abs=tolerance * scale)


def test_two_maxima_are_told_apart():
    """A maximum near c = 0.1 and another near 0.995: the better one, whichever it is."""
    for more, best in ((0.0, 0), (0.5, 1)):
        inner, outer = np.array([2.0, -3.0]), np.array([1.5, -5.0 - more])
        rest = np.array([-0.5])
        grid = by_angles(inner, outer, rest)
        assert split_reach(inner, outer, rest) == pytest.approx(grid, abs=1e-8)
        c = np.cos(ANGLES)
        lengths = np.sqrt(np.square(np.maximum(inner - np.outer(c, outer), 0.0)).sum(axis=1))
        assert (c[np.argmax(lengths + 0.5 * np.sin(ANGLES))] > 0.5) == bool(best)


def test_a_bound_is_never_below_what_is_attained_even_without_splits():
    """The first interval alone gives a bound: coarse, but above."""
    inner, outer, rest = flat()
    coarse = split._largest.py_func(inner, outer, 1.0, 10.0)
    assert coarse >= by_angles(inner, outer, rest)


def test_what_overflows_is_unbounded():
    assert split_reach(np.array([1e200]), np.array([0.0]), np.array([-1e200])) == np.inf
