"""The cache of the embedded corpus: it never changes the corpus, and never gets in the way."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from laconic.corpus.corpus import Corpus
from laconic.corpus.pydocs import build as building
from laconic.corpus.pydocs import build_pydocs, cache_directory
from laconic.corpus.pydocs.build import UNUSED_DAYS, cache_file, rules_hash, to_corpus
from laconic.corpus.pydocs.sources import Docstring

DAY = 24 * 60 * 60
Walks = list[None]
# A few documents stand in for those of the installation: the cache does not know what it keeps.
DOCUMENTS = [
    Docstring(
        f"a.name{i}", "ab"[i % 2], sha256(bytes([i])).hexdigest() + " naïve\n\n\u2028\"'\x00\r\n"
    )
    for i in range(100)
]


@pytest.fixture
def corpus() -> Corpus:
    return to_corpus(DOCUMENTS)


@pytest.fixture(autouse=True)
def walks(monkeypatch: pytest.MonkeyPatch) -> Walks:
    """Building anew takes no time, and leaves a mark here."""
    marks: Walks = []
    monkeypatch.setattr(building, "walk", lambda progress: marks.append(None))
    monkeypatch.setattr(building, "select", lambda walked: DOCUMENTS)
    return marks


def test_cached_equals_built(corpus: Corpus, walks: Walks, tmp_path: Path) -> None:
    built = build_pydocs(tmp_path)
    cached = build_pydocs(tmp_path)
    assert len(walks) == 1
    for each in (built, cached):
        assert each.fingerprint == corpus.fingerprint
        assert (each.ids, each.labels, each.texts) == (corpus.ids, corpus.labels, corpus.texts)
        assert (each.name, each.notes, each.split) == (corpus.name, corpus.notes, corpus.split)


def test_cache_is_one_file_named_by_versions_and_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_pydocs(tmp_path)
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("pydocs-")
    assert file.name.endswith(".jsonl.gz")
    assert f"numpy{np.__version__}" in file.name
    assert rules_hash(files("laconic.corpus.pydocs")) in file.name
    monkeypatch.setattr(building, "rules_hash", lambda package: "other rules")
    assert cache_file(tmp_path) not in (None, file)


def test_every_file_of_the_package_is_a_part_of_the_rules(tmp_path: Path) -> None:
    sources = {
        file.name: file.read_bytes()
        for file in files("laconic.corpus.pydocs").iterdir()
        if file.is_file()
    }
    assert {"__init__.py", "build.py", "choice.py", "prose.py", "sources.py"} <= {*sources}
    # Written in another order, and with compiled files: neither is a rule.
    (tmp_path / "__pycache__").mkdir()
    for name in sorted(sources, reverse=True):
        (tmp_path / name).write_bytes(sources[name])
    same = rules_hash(tmp_path)
    assert same == rules_hash(files("laconic.corpus.pydocs"))
    hashes = {same}
    for name, source in sources.items():
        (tmp_path / name).write_bytes(source + b"#")
        hashes.add(rules_hash(tmp_path))
        (tmp_path / name).write_bytes(source)
    assert len(hashes) == len(sources) + 1


def _packed(*lines: object) -> bytes:
    return gzip.compress("\n".join(json.dumps(line) for line in lines).encode())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda good: b"",
        lambda good: b"no gzip at all",
        lambda good: good[: len(good) // 2],
        lambda good: good[:2000] + bytes(100) + good[2100:],
        lambda good: gzip.compress(b"\xff\xfe no json"),
        lambda good: _packed([1, 2]),
        lambda good: _packed({"fingerprint": "x"}),
        lambda good: _packed({"fingerprint": "x"}, ["a"]),
        lambda good: _packed({"fingerprint": "x"}, [1, [2], {}]),
        lambda good: _packed({"fingerprint": "x"}, ["id", "label", "another text"]),
    ],
)
def test_spoilt_cache_is_rebuilt_and_mended(
    spoil: Callable[[bytes], bytes], corpus: Corpus, walks: Walks, tmp_path: Path
) -> None:
    build_pydocs(tmp_path)
    (file,) = tmp_path.iterdir()
    good = file.read_bytes()
    assert len(good) > 3000
    file.write_bytes(spoil(good))
    assert build_pydocs(tmp_path).fingerprint == corpus.fingerprint
    assert len(walks) == 2
    assert file.read_bytes() == good
    assert build_pydocs(tmp_path).fingerprint == corpus.fingerprint
    assert len(walks) == 2


def test_unwritable_directory_is_no_error(corpus: Corpus, walks: Walks, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    for _ in range(2):
        assert build_pydocs(tmp_path / "file" / "cache").fingerprint == corpus.fingerprint
    assert len(walks) == 2


def full(*names: object) -> None:
    raise OSError("disk full")


def test_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "replace", full)
    build_pydocs(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_no_cache_reads_and_writes_nothing(
    walks: Walks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LACONIC_CACHE", str(tmp_path))
    build_pydocs(None)
    assert list(tmp_path.iterdir()) == []
    build_pydocs()
    build_pydocs()
    assert len(list(tmp_path.iterdir())) == 1
    assert len(walks) == 2


def test_storing_removes_what_was_not_used_for_90_days(tmp_path: Path) -> None:
    days = {
        "pydocs-old.jsonl.gz": UNUSED_DAYS + 1,
        "pydocs-recent.jsonl.gz": UNUSED_DAYS - 1,
        "pydocs-notes.txt": 1000,
        "other.jsonl.gz": 1000,
        "pydocs-folder.jsonl.gz": 1000,
    }
    (tmp_path / "pydocs-folder.jsonl.gz").mkdir()
    for name, age in days.items():
        if "folder" not in name:
            (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, times=(time.time() - age * DAY,) * 2)
    build_pydocs(tmp_path)
    new = cache_file(tmp_path)
    assert new is not None
    assert {file.name for file in tmp_path.iterdir()} == days.keys() - {"pydocs-old.jsonl.gz"} | {
        new.name
    }


def test_loading_counts_as_use_and_removes_nothing(tmp_path: Path, walks: Walks) -> None:
    build_pydocs(tmp_path)
    (file,) = tmp_path.iterdir()
    old = tmp_path / "pydocs-old.jsonl.gz"
    old.write_bytes(b"")
    for each in (file, old):
        os.utime(each, times=(time.time() - 1000 * DAY,) * 2)
    build_pydocs(tmp_path)
    assert len(walks) == 1
    assert time.time() - file.stat().st_mtime < DAY
    assert time.time() - old.stat().st_mtime > 999 * DAY


def test_cache_that_may_only_be_read_is_read(
    corpus: Corpus, walks: Walks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_pydocs(tmp_path)
    monkeypatch.setattr(os, "utime", full)
    assert build_pydocs(tmp_path).fingerprint == corpus.fingerprint
    assert len(walks) == 1


def test_cache_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LACONIC_CACHE", "/own")
    monkeypatch.setenv("XDG_CACHE_HOME", "/shared")
    assert cache_directory() == Path("/own")
    monkeypatch.delenv("LACONIC_CACHE")
    assert cache_directory() == Path("/shared/laconic")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_directory() == tmp_path / ".cache" / "laconic"


def test_user_without_a_home(corpus: Corpus, walks: Walks, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(building, "cache_directory", homeless)
    for _ in range(2):
        assert build_pydocs().fingerprint == corpus.fingerprint
    assert len(walks) == 2
