"""Folders of class folders, on disk and in archives: where classes, parts and ids are found."""

from __future__ import annotations

import io
import os
import random
import tarfile
from pathlib import Path

import pytest

from laconic.corpus.corpus import Corpus
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.folders import read_folder
from laconic.errors import CorpusError

PLAIN = {"ham/1": "hello", "ham/2": "good day", "spam/1": "buy", "spam/10": "now", "spam/2": "x"}
PARTS = {
    "by-date-train/ham/1": "a",
    "by-date-train/spam/2": "b",
    "by-date-test/ham/3": "c",
    "by-date-test/spam/4": "d",
}


def laid_out(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def archived(file: Path, files: dict[str, str], mode: str = "w:gz") -> Path:
    shuffled = list(files.items())
    random.Random(4).shuffle(shuffled)
    with tarfile.open(file, mode) as archive:  # type: ignore[call-overload]
        for name, content in shuffled:
            info = tarfile.TarInfo(name)
            info.size = len(content.encode())
            archive.addfile(info, io.BytesIO(content.encode()))
    return file


def read(folder: Path, files: dict[str, str], **options: object) -> Corpus:
    """The corpus of these files, after proving that an archive of them gives the same one."""
    options = ReadOptions(**options)  # type: ignore[arg-type]
    corpus = read_folder(laid_out(folder / "tree", dict(files)), options)
    packed = read_folder(archived(folder / "tree.tar.gz", files), options)
    assert packed.fingerprint == corpus.fingerprint
    assert packed.notes == corpus.notes
    assert packed.name == corpus.name == "tree"
    return corpus


def test_a_folder_is_a_class_and_a_file_a_document(tmp_path: Path) -> None:
    corpus = read(tmp_path, PLAIN)
    assert corpus.ids == tuple(sorted(PLAIN))
    assert corpus.texts == tuple(PLAIN[name] for name in sorted(PLAIN))
    assert corpus.labels == (("ham",), ("ham",), ("spam",), ("spam",), ("spam",))
    assert corpus.split is None
    assert not corpus.multilabel
    assert corpus.notes == ()


@pytest.mark.parametrize("prefix", ["around/", "two/around/", "./"])
def test_folders_around_everything_are_passed_through(tmp_path: Path, prefix: str) -> None:
    inner = {prefix + name: content for name, content in PLAIN.items()}
    outer = read(tmp_path / "outer", inner)
    assert outer.fingerprint == read(tmp_path / "bare", PLAIN).fingerprint


def test_a_file_beside_the_classes_is_left_out_and_noted(tmp_path: Path) -> None:
    corpus = read(tmp_path, PLAIN | {"README.txt": "about"})
    assert corpus.ids == tuple(sorted(PLAIN))
    assert corpus.notes == ("1 file outside of the class folders left out, such as README.txt",)
    around = {f"around/{name}": content for name, content in PLAIN.items()}
    corpus = read(tmp_path / "around", around | {"README": "a", "around/LICENCE": "b"})
    assert corpus.ids == tuple(sorted(PLAIN))
    assert "2 files outside" in corpus.notes[0]


def test_hidden_files_are_ignored(tmp_path: Path) -> None:
    hidden = {".git/x/y": "a", "ham/.3": "b", "spam/.DS_Store": "c", "spam/._1": "d"}
    corpus = read(tmp_path, PLAIN | hidden)
    assert corpus.ids == tuple(sorted(PLAIN))
    assert corpus.notes == ()


def test_train_and_test_folders_are_the_split(tmp_path: Path) -> None:
    corpus = read(tmp_path, PARTS)
    assert dict(zip(corpus.ids, corpus.split or (), strict=True)) == {
        "ham/1": "train",
        "spam/2": "train",
        "ham/3": "test",
        "spam/4": "test",
    }
    assert corpus.classes == ("ham", "spam")


def test_ids_keep_the_part_where_they_would_collide(tmp_path: Path) -> None:
    files = {"train/ham/1": "a", "train/spam/1": "b", "test/ham/1": "c", "test/spam/2": "d"}
    assert read(tmp_path, files).ids == ("test/ham/1", "test/spam/2", "train/ham/1", "train/spam/1")


def test_another_part_beside_train_and_test_is_unused(tmp_path: Path) -> None:
    corpus = read(tmp_path, PARTS | {"by-date-extra/ham/5": "e"})
    assert (corpus.split or ())[corpus.ids.index("ham/5")] == ""
    note = "1 document is in neither train nor test (folder by-date-extra): unused"
    assert corpus.notes == (note,)


def test_validation_documents_are_training_documents(tmp_path: Path) -> None:
    corpus = read(tmp_path, PARTS | {"by-date-dev/ham/5": "e", "by-date-dev/ham/6": "f"})
    assert (corpus.split or ())[corpus.ids.index("ham/5")] == "train"
    assert corpus.notes == ("2 validation documents are used for training",)


@pytest.mark.parametrize(
    "files",
    [
        {"train/1": "a", "test/2": "b"},
        {"x-train/ham/1": "a", "other/spam/2": "b"},
        {"strain/ham/1": "a", "contest/spam/2": "b"},
    ],
)
def test_names_that_only_look_like_parts_are_classes(tmp_path: Path, files: dict[str, str]) -> None:
    corpus = read(tmp_path, files)
    assert corpus.split is None
    assert set(corpus.classes) == {name.split("/")[0] for name in files}


def test_deeper_folders_belong_to_their_class(tmp_path: Path) -> None:
    corpus = read(tmp_path, {"ham/a/1": "a", "ham/b/1": "b", "spam/1": "c"})
    assert corpus.ids == ("ham/a/1", "ham/b/1", "spam/1")
    assert corpus.labels == (("ham",), ("ham",), ("spam",))


def test_bad_bytes_name_the_document_or_are_counted(tmp_path: Path) -> None:
    folder = laid_out(tmp_path / "tree", {"ham/1": "ok\nschön".encode("latin-1"), "spam/1": b"b"})
    with pytest.raises(CorpusError, match=r"ham/1, line 2: byte 0xf6 in column 4 is not utf-8"):
        read_folder(folder, ReadOptions())
    assert read_folder(folder, ReadOptions(encoding="latin-1")).texts == ("ok\nschön", "b")
    replaced = read_folder(folder, ReadOptions(encoding_errors="replace"))
    assert replaced.texts == ("ok\nsch\ufffdn", "b")
    assert replaced.notes == ("1 document contained bytes that are not utf-8: replaced",)


def test_an_empty_document_is_a_document(tmp_path: Path) -> None:
    assert read(tmp_path, {"ham/1": "", "spam/1": "x"}).texts == ("", "x")


def test_links_that_leave_the_folder_are_left_out_and_noted(tmp_path: Path) -> None:
    folder = laid_out(tmp_path / "tree", dict(PLAIN))
    secret = laid_out(tmp_path / "elsewhere", {"secret": "secret"})
    os.symlink(secret / "secret", folder / "ham" / "leak")
    os.symlink(secret, folder / "leaks")
    os.symlink(folder / "ham", folder / "loop")
    os.symlink("nowhere", folder / "ham" / "dangling")
    os.symlink("1", folder / "ham" / "3")
    os.mkfifo(folder / "ham" / "pipe")
    corpus = read_folder(folder, ReadOptions())
    assert corpus.ids == ("ham/1", "ham/2", "ham/3", "spam/1", "spam/10", "spam/2")
    assert corpus.texts is not None
    assert corpus.texts[2] == "hello"
    assert corpus.notes == ("5 links or devices in the folder left out, such as leaks",)


def test_no_classes_one_class_or_nothing_at_all(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="contains 2 files such as 1, but no class folders"):
        read_folder(laid_out(tmp_path / "flat", {"1": "a", "2": "b"}), ReadOptions())
    with pytest.raises(CorpusError, match=r"all 2 documents have the same label \(ham\)"):
        read_folder(laid_out(tmp_path / "one", {"ham/1": "a", "ham/2": "b"}), ReadOptions())
    (tmp_path / "none").mkdir()
    with pytest.raises(CorpusError, match="it has no documents"):
        read_folder(tmp_path / "none", ReadOptions())
    with pytest.raises(CorpusError, match="no such file"):
        read_folder(tmp_path / "nowhere", ReadOptions())
    table = laid_out(tmp_path, {"table.csv": "text,label\n"}) / "table.csv"
    with pytest.raises(CorpusError, match="neither a folder nor a tar archive"):
        read_folder(table, ReadOptions())


def test_a_folder_over_max_bytes_is_refused(tmp_path: Path) -> None:
    folder = laid_out(tmp_path / "tree", {"ham/1": "a" * 60, "spam/1": "b" * 60})
    assert len(read_folder(folder, ReadOptions(max_input_bytes=120))) == 2
    with pytest.raises(CorpusError, match="more than 119 bytes"):
        read_folder(folder, ReadOptions(max_input_bytes=119))


def test_progress_of_a_folder_ends_at_its_size(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    folder = laid_out(tmp_path / "tree", {"ham/1": "a" * 60, "spam/1": "b" * 60})
    read_folder(folder, ReadOptions(progress=lambda *done: told.append(done)))
    assert told == [(120, 120)]
