"""The kernels in numpy return what the compiled ones return, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from laconic.numerics.text import decisions, ngrams, numpy_kernels, tokens

integers = st.integers(0, 5)
documents = st.lists(st.lists(integers, max_size=9), max_size=6)


def flat(docs: list[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    starts = np.cumsum([0, *map(len, docs)])
    return np.array([value for doc in docs for value in doc], np.int32), starts


def same(kernel: Callable[..., Any], twin: Callable[..., Any], *arguments: Any) -> None:
    for found, expected in zip(twin(*arguments), kernel(*arguments), strict=True):
        if not isinstance(expected, int):
            assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@given(
    st.lists(st.text("aAbBzZ_09éΣ-. \t\n\r\x00\x0b\x0c\x1c\x85\xa0", max_size=25)), st.booleans()
)
def test_scan(texts: list[str], lowercase: bool) -> None:
    encoded = [text.encode() for text in texts]
    _, starts = flat(encoded)
    text = np.frombuffer(b"".join(encoded), np.uint8)
    same(tokens.scan, numpy_kernels.scan, text, starts, tokens.folding(lowercase), 2)


def test_scan_of_every_byte() -> None:
    text = np.array([[byte, 65, byte, 32] for byte in range(256)], np.uint8).ravel()
    for lowercase in (True, False):
        starts = np.array([0, 500, text.size])
        same(tokens.scan, numpy_kernels.scan, text, starts, tokens.folding(lowercase), 2)


@given(documents, st.lists(st.lists(st.integers(-1, 3), max_size=3), min_size=6, max_size=6))
def test_expand(docs: list[list[int]], meaning: list[list[int]]) -> None:
    units, firsts = flat(meaning)
    sizes = np.array([len(chunk) for chunk in meaning], np.int32)
    same(tokens.expand, numpy_kernels.expand, *flat(docs), firsts[:-1].astype("i4"), sizes, units)


@given(st.lists(st.lists(st.integers(-1, 5), max_size=9), max_size=6), st.integers(1, 3))
def test_count(docs: list[list[int]], n_lines: int) -> None:
    line, starts = flat(docs)
    lines = np.stack([np.roll(line, shift) for shift in range(n_lines)])
    same(tokens.count, numpy_kernels.count, lines, starts, 6)


def test_count_without_columns() -> None:
    none = np.full((1, 3), -1, np.int32)
    same(tokens.count, numpy_kernels.count, none, np.array([0, 2, 3]), 0)


@given(documents, st.integers(1, 4))
def test_extend(docs: list[list[int]], length: int) -> None:
    units, starts = flat(docs)
    prefixes = ngrams.grams(units, starts, 6, length).ids[-1]
    ids, expected = np.full_like(units, 7), np.full_like(units, 7)
    fixed = prefixes, units, starts, length, 6, 2
    same(ngrams.extend, lambda *_: numpy_kernels.extend(*fixed, ids), *fixed, expected)
    np.testing.assert_array_equal(ids, expected)


@pytest.mark.parametrize("block", [1, 10, 1 << 21])
@pytest.mark.parametrize("selected", [True, False])
@given(data=st.data())
def test_linear_decisions(block: int, selected: bool, data: st.DataObject) -> None:
    docs = data.draw(st.lists(st.lists(integers, unique=True, max_size=6), max_size=6))
    n_rows = data.draw(st.integers(1, 3))
    rows, firsts = flat(
        data.draw(st.lists(st.sets(st.integers(0, n_rows - 1)).map(sorted), min_size=6, max_size=6))
    )
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    columns, starts = flat(docs)
    map_ = firsts, rows, rng.normal(size=rows.size), n_rows, selected
    arguments = columns, rng.normal(size=columns.size), starts, *map_
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numpy_kernels, "BLOCK", block)
        found = numpy_kernels.linear_decisions(*arguments)
    np.testing.assert_array_equal(found, decisions.linear_decisions(*arguments))
