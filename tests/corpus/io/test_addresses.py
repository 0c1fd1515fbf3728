"""What a user may name: a file, a folder, a glob, an address, or several of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import fsspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpus.io.addresses import (
    is_folder,
    is_glob,
    list_files,
    natural_order,
    open_address,
    scheme_of,
    size_of,
)
from laconic.corpus.io.streams import open_bytes
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError


@pytest.fixture
def memory() -> Iterator[Any]:
    """The files of memory://, none at first."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


def names(files: list[str]) -> list[str]:
    return [file.rpartition("/")[2] for file in files]


@given(st.permutations(range(20)))
def test_numbers_in_names_count_as_numbers(order: list[int]) -> None:
    files = [f"a{number // 7}/part-{number}.csv" for number in order]
    expected = [f"a{number // 7}/part-{number}.csv" for number in range(20)]
    assert sorted(files, key=natural_order) == expected


@given(st.lists(st.text(), unique=True), st.randoms())
def test_the_order_of_names_is_total(files: list[str], random: Random) -> None:
    shuffled = random.sample(files, len(files))
    assert sorted(files, key=natural_order) == sorted(shuffled, key=natural_order)


def test_a_folder_is_its_visible_files(tmp_path: Path) -> None:
    for name in ("part-10.csv", "part-9.csv", "_SUCCESS", "_metadata", ".part-9.csv.crc"):
        (tmp_path / name).touch()
    (tmp_path / "inner").mkdir()
    assert list_files(tmp_path) == [str(tmp_path / f"part-{n}.csv") for n in (9, 10)]
    assert list_files(tmp_path / "part-9.csv") == [str(tmp_path / "part-9.csv")]


def test_a_glob_is_the_files_that_match(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("a/1.csv", "a/b/2.csv", "a/x.txt", "a/_2.csv"):
        (tmp_path / name).touch()
    assert names(list_files(f"{tmp_path}/a/*.csv")) == ["1.csv"]
    assert names(list_files(f"{tmp_path}/**/[12].csv")) == ["1.csv", "2.csv"]
    with pytest.raises(CorpusError, match=r"\*\.tsv: no file matches this pattern"):
        list_files(f"{tmp_path}/a/*.tsv")
    with pytest.raises(CorpusError, match="the folder has no files"):
        list_files(tmp_path)


def test_a_file_with_a_bracket_in_its_name_is_no_glob(tmp_path: Path) -> None:
    file = tmp_path / "[final].csv"
    assert is_glob(file)
    file.touch()
    assert not is_glob(file)
    assert list_files([file]) == [str(file)]


def test_several_are_sorted_and_none_is_repeated(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv"):
        (tmp_path / name).touch()
    assert names(list_files([tmp_path / "b.csv", tmp_path / "a.csv"])) == ["a.csv", "b.csv"]
    with pytest.raises(CorpusError, match=r"a\.csv: this file is named twice\. Name"):
        list_files([f"{tmp_path}/*.csv", tmp_path / "a.csv"])
    (tmp_path / "link.csv").symlink_to("a.csv")
    with pytest.raises(CorpusError, match=r"twice, the first time as .*[ak]\.csv"):
        list_files(tmp_path)
    with pytest.raises(CorpusError, match="no file was given"):
        list_files([])


def test_addresses_are_listed_and_opened_by_fsspec(memory: Any) -> None:
    for number in (10, 9):
        memory.pipe(f"/mail/part-{number}.csv", b"text,label\n")
    memory.pipe("/mail/_SUCCESS", b"")
    assert names(list_files("memory://mail")) == ["part-9.csv", "part-10.csv"]
    assert list_files("memory://mail/part-*.csv") == list_files("memory://mail")
    assert is_folder("memory://mail")
    assert not is_folder("memory://mail/part-9.csv")
    for address in (*list_files("memory://mail"), "memory://mail/part-9.csv"):
        assert size_of(address) == 11
        stream, size = open_address(address)
        with stream:
            assert (stream.read(), size) == (b"text,label\n", 11)
    with pytest.raises(CorpusError, match="named twice"):
        list_files(["memory://mail/part-9.csv", "memory:///mail/part-9.csv"])


def test_an_address_without_a_file_says_so(memory: Any) -> None:
    with pytest.raises(CorpusError, match=r"memory://mail/\*: no file matches"):
        list_files("memory://mail/*")
    with pytest.raises(CorpusError, match="memory://mail/x: there is no such file"):
        open_bytes("memory://mail/x", ReadOptions())
    with pytest.raises(CorpusError, match=r"cannot be read .*Protocol not known: carrier-pigeon"):
        list_files("carrier-pigeon://mail")
    assert size_of("memory://mail/x") == 0


@pytest.mark.parametrize(
    ("address", "extra"),
    [
        ("s3://a/b", "s3"),
        ("gs://a/b", "gs"),
        ("hf://datasets/a/b", "hf"),
        ("https://a/b", "http"),
        ("memory://a", "remote"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, address: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(CorpusError, match=rf"pip install 'laconic\[{extra}\]'"):
        list_files(address)


def test_paths_need_no_fsspec(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "x", "label": "1"}\n{"text": "y", "label": "2"}\n')
    code = (
        "import sys; sys.modules['fsspec'] = None; from laconic import load_corpus;"
        f"assert len(load_corpus({str(tmp_path)!r})) == 2"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_scheme_is_what_stands_before_the_slashes() -> None:
    assert scheme_of("S3://a") == "s3"
    assert [scheme_of(path) for path in ("a/b.csv", "C:\\a.csv", "a://b c", Path("s3://a"))] == [
        None,
        None,
        "a",
        None,
    ]
