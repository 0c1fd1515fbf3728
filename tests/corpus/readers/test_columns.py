from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpus.readers.names import (
    file_in,
    parse_column,
    read_indexed_names,
    shortened,
    stem,
    uncompressed_name,
    unique_names,
)
from laconic.errors import CorpusError


@pytest.mark.parametrize(
    ("where", "plain", "name"),
    [
        ("a/la1.mat.gz", "la1.mat", "la1"),
        ("fbis.wc.arff.XZ", "fbis.wc.arff", "fbis.wc"),
        ("corpus", "corpus", "corpus"),
        (".gz", "", ""),
    ],
)
def test_names_of_files(where: str, plain: str, name: str) -> None:
    assert (uncompressed_name(where), stem(where)) == (plain, name)


def test_a_file_is_found_plain_before_compressed(tmp_path: Path) -> None:
    assert file_in(tmp_path, "a") is None
    (tmp_path / "a.xz").touch()
    assert file_in(tmp_path, "a") == tmp_path / "a.xz"
    (tmp_path / "a").touch()
    assert file_in(tmp_path, "a") == tmp_path / "a"


def test_repeated_and_empty_names_get_their_position() -> None:
    assert unique_names(["a", "?", "?", "", "a", "4"]) == ("a", "?", "?#3", "4", "a#5", "4#6")


@given(st.lists(st.sampled_from(["a", "", "a#3", "2", "a#4", "3"]), max_size=8))
def test_distinct_keeps_the_number_of_names_and_what_was_distinct(names: list[str]) -> None:
    new = unique_names(names)
    assert len(set(new)) == len(new) == len(names)
    if len(set(names)) == len(names) and "" not in names:
        assert list(new) == names


def test_indexed_names_skip_comments() -> None:
    numbered = enumerate(["# index word", "2 bee hive", "", "7 #"], 1)
    assert read_indexed_names(numbered, "f") == {2: "bee hive", 7: "#"}


@pytest.mark.parametrize("text", ["x word", "3", "-1 word", "1 again", "99999999 word"])
def test_a_bad_name_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(CorpusError, match=r"features\.idx, line 2: expected a column index"):
        read_indexed_names(enumerate(["1 word", text], 1), "features.idx")


def test_column_of_takes_plain_digits_only() -> None:
    tokens = ["12", "0", "+1", "1_0", "\u0664", "", "9" * 5000, "16777217"]
    assert [parse_column(token) for token in tokens] == [12, 0, *[None] * 6]


def test_a_quotation_is_short() -> None:
    assert shortened(" x ") == "'x'"
    assert len(shortened("x" * 1000)) == 42
