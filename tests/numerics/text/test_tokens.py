"""The scanner against a regular expression, and n-grams against slices."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.numerics.text import ngrams, tokens

CHUNK = re.compile(rb"[A-Za-z0-9_\x80-\xff]+")
# long and short ones, of few letters: many are equal, many differ in one place
words = st.text("aAbB_0é-. \x00", max_size=25)


def scanned(docs: list[bytes], lowercase: bool = True, bits: int = 2) -> list[list[bytes]]:
    starts = np.cumsum([0, *map(len, docs)])
    text = np.frombuffer(b"".join(docs), np.uint8)
    ids, bounds, names, n_known = tokens.scan(text, starts, tokens.folding(lowercase), bits)
    chunks = names.tobytes().split(b"\n")[:-1]
    assert len(chunks) == n_known == len(set(chunks))
    assert list(dict.fromkeys(ids.tolist())) == list(range(n_known))
    return [[chunks[i] for i in ids[a:b]] for a, b in pairwise(bounds)]


@given(st.lists(words, max_size=8), st.booleans(), st.sampled_from([2, 3, 10]))
def test_chunks_are_what_the_regular_expression_finds(
    texts: list[str], lowercase: bool, bits: int
) -> None:
    docs = [text.encode() for text in texts]
    expected = [CHUNK.findall(doc.lower() if lowercase else doc) for doc in docs]
    assert scanned(docs, lowercase, bits) == expected


def test_every_byte_is_in_the_right_class() -> None:
    docs = [bytes([byte, 65, byte]) for byte in range(256)]
    assert scanned(docs, lowercase=False) == [CHUNK.findall(doc) for doc in docs]
    assert scanned(docs) == [CHUNK.findall(doc.lower()) for doc in docs]


def test_a_document_ends_a_chunk() -> None:
    assert scanned([b"one", b"two", b"", b"one"]) == [[b"one"], [b"two"], [], [b"one"]]


def test_a_tiny_table_grows_and_forgets_nothing() -> None:
    rng = np.random.default_rng(0)
    names = [f"w{n}" + "long" * (n % 4) for n in rng.zipf(1.3, 20_000) % 9_000]
    docs = [" ".join(names[i : i + 100]).encode() for i in range(0, len(names), 100)]
    assert scanned(docs) == [doc.split() for doc in docs]


def key_of(chunk: bytes) -> int:
    text = np.frombuffer(chunk + b" x", np.uint8)
    key, at = tokens.key_at(text, np.uint64(0), np.uint64(text.size), tokens.folding(False))
    assert at == len(chunk)
    return int(key)


def test_equal_keys_are_told_apart_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    key_at = tokens.key_at

    def all_alike(*place: Any) -> tuple[np.uint64, np.uint64]:
        key, at = key_at(*place)
        return np.uint64(min(key, int(tokens.HASHED))), np.uint64(at)

    for kernel in (tokens.scan, tokens.read_chunks):
        monkeypatch.setattr(tokens, kernel.__name__, kernel.py_func)
    monkeypatch.setattr(tokens, "key_at", all_alike)
    docs = [b"immediate", b"immediately short", b"immediacy", b"short immediately immediate"]
    assert scanned(docs) == [doc.split() for doc in docs]


def test_keys_are_the_chunk_itself_or_say_that_they_are_not() -> None:
    for length in range(1, 9):
        chunk = b"abcdefgh"[:length]
        assert key_of(chunk) == int.from_bytes(chunk, "big") < tokens.HASHED
    for length in range(9, 40):
        assert all(key_of(letter * length) >= tokens.HASHED for letter in (b"a", b"b", b"c", b"1"))


def test_same_compares_to_the_end() -> None:
    arena, fold = np.frombuffer(b"abc\nab\n", np.uint8), tokens.folding(True)
    text = np.frombuffer(b"ABCD", np.uint8)

    def same(begin: int, end: int) -> bool:
        return bool(tokens.same_chunk(arena, begin, text, np.uint64(0), np.uint64(end), fold))

    assert [same(0, end) for end in (2, 3, 4)] == [False, True, False]
    assert [same(4, end) for end in (1, 2, 3)] == [False, True, False]


def test_a_long_chunk_is_not_its_own_beginning() -> None:
    docs = [b"_" * length for length in [8, 16, 24, 72, 8, 16, 136, 7, 15]]
    assert scanned(docs) == [[doc] for doc in docs]


units = st.lists(st.lists(st.integers(0, 3), max_size=8), max_size=5)


@given(units, st.integers(1, 4), st.sampled_from([1, 2, 8]))
def test_ngrams_are_slices(docs: list[list[int]], longest: int, bits: int) -> None:
    starts = np.cumsum([0, *map(len, docs)])
    flat = np.array([unit for doc in docs for unit in doc], np.int32)
    ids, _, pairs = ngrams.grams(flat, starts, 4, longest, bits)
    spelled: list[list[tuple[int, ...]]] = [[(unit,) for unit in range(4)]]
    for prefix, unit in pairs:
        longer = [(*spelled[-1][p], u) for p, u in zip(prefix.tolist(), unit.tolist(), strict=True)]
        assert len(set(longer)) == len(longer)
        spelled.append(longer)
    for length in range(1, longest + 1):
        found = [spelled[length - 1][i] if i >= 0 else None for i in ids[length - 1]]
        expected = [
            tuple(doc[at : at + length]) if at + length <= len(doc) else None
            for doc in docs
            for at in range(len(doc))
        ]
        assert found == expected


@given(
    st.lists(st.integers(0, 4), max_size=30),
    st.lists(st.lists(st.integers(-1, 3), max_size=3), min_size=5, max_size=5),
)
def test_expand_writes_out_what_chunks_stand_for(ids: list[int], meaning: list[list[int]]) -> None:
    starts = np.array([0, len(ids) // 2, len(ids) // 2, len(ids)])
    order = [4, 2, 0, 1, 3]
    flat = np.array([unit for chunk in order for unit in meaning[chunk]], np.int32)
    sizes = np.array([len(units) for units in meaning], np.int32)
    firsts = np.empty(5, np.int32)
    firsts[order] = np.cumsum([0, *sizes[order]])[:-1]
    found, bounds = tokens.expand(np.array(ids, np.int32), starts, firsts, sizes, flat)
    expected = [
        [unit for i in ids[a:b] for unit in meaning[i] if unit >= 0] for a, b in pairwise(starts)
    ]
    assert [list(part) for part in np.split(found, bounds[1:-1])] == expected


@given(st.lists(st.lists(st.integers(-1, 5), max_size=9), max_size=5), st.booleans())
def test_count_counts(docs: list[list[int]], twice: bool) -> None:
    starts = np.cumsum([0, *map(len, docs)])
    line = np.array([column for doc in docs for column in doc], np.int32)
    indices, counts, bounds = tokens.count(np.stack([line] * (1 + twice)), starts, 6)
    expected = [Counter(column for column in doc * (1 + twice) if column >= 0) for doc in docs]
    found = [
        dict(zip(indices[a:b].tolist(), counts[a:b].tolist(), strict=True))
        for a, b in pairwise(bounds)
    ]
    assert found == expected


@pytest.mark.parametrize("lowercase", [True, False])
def test_folding_keeps_ascii_letters(lowercase: bool) -> None:
    fold = tokens.folding(lowercase)
    assert bytes(fold[list(b"aZ9_")]) == (b"az9_" if lowercase else b"aZ9_")
    assert not fold[list(b" \n\x00-'\x7f")].any()
