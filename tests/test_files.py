"""`laconic.files`: whole files, marks, safe names; and cells that are no formulas."""

import csv
import errno
import os
import re
import string
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from laconic.errors import LaconicError, ResourceError
from laconic.files import (
    ANY_FILE,
    Kind,
    check_folder,
    check_not_read,
    check_output,
    csv_kind,
    draft,
    remove,
    remove_drafts,
    write_json,
)
from laconic.row_files import cell, uncell
from laconic.studies.layout import distinct_name
from laconic.studies.words import Word, read_words, write_words

MARKED = Kind("note", re.compile(rb"\Anote: "))
FORMULA_SIGNS = "=+-@＝＋－＠"


def written(where: Path, data: bytes, kind: Kind = MARKED) -> None:
    with draft(where, kind) as stream:
        stream.write(data)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


class TestReplacing:
    def test_only_an_empty_or_a_marked_file_is_replaced_or_removed(self, tmp_path):
        where = tmp_path / "a.txt"
        for data in (None, b"", b"note: old"):
            if data is not None:
                where.write_bytes(data)
            written(where, b"note: new")
            assert where.read_bytes() == b"note: new"
        where.write_bytes(b"my thesis")
        for change in (lambda: written(where, b"note: new"), lambda: remove(where, MARKED)):
            with pytest.raises(LaconicError, match="not a note written by this version"):
                change()
        assert (where.read_bytes(), names(tmp_path)) == (b"my thesis", ["a.txt"])

    def test_what_came_during_the_work_stays(self, tmp_path):
        where = tmp_path / "a.txt"
        with pytest.raises(LaconicError, match="exists"), draft(where, MARKED):
            where.write_bytes(b"my thesis")
        assert (where.read_bytes(), names(tmp_path)) == (b"my thesis", ["a.txt"])

    def test_folders_pipes_and_broken_links_are_refused(self, tmp_path):
        (tmp_path / "folder").mkdir()
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "link").symlink_to(tmp_path / "nowhere")
        for name in ("folder", "pipe", "link", "absent/file", "x" * 300, "nul\0"):
            with pytest.raises(LaconicError):
                check_output(tmp_path / name, ANY_FILE)

    def test_a_link_stays_a_link(self, tmp_path):
        (tmp_path / "real.txt").write_bytes(b"note: old")
        (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
        written(tmp_path / "link.txt", b"note: new")
        assert (tmp_path / "link.txt").is_symlink()
        assert (tmp_path / "real.txt").read_bytes() == b"note: new"

    def test_json_carries_its_kind_and_replaces_no_other(self, tmp_path):
        write_json(tmp_path / "a.json", "words", {"x": 1})
        with pytest.raises(LaconicError, match="not a file of corpora written by this"):
            write_json(tmp_path / "a.json", "corpora", {})
        write_json(tmp_path / "a.json", "words", {"x": float("nan")})

    def test_a_header_is_known_by_whole_columns(self, tmp_path):
        (tmp_path / "a.csv").write_text("rank,wordy\n")
        assert not csv_kind("table", ("rank", "word")).marks(tmp_path / "a.csv")
        assert csv_kind("table", ("rank", "wordy")).marks(tmp_path / "a.csv")


class TestInputs:
    @pytest.fixture
    def corpus(self, tmp_path):
        (tmp_path / "mails").mkdir()
        (tmp_path / "a.csv").write_text("text,label\n")
        (tmp_path / "soft.csv").symlink_to(tmp_path / "a.csv")
        os.link(tmp_path / "a.csv", tmp_path / "hard.csv")
        (tmp_path / "post").symlink_to(tmp_path / "mails")
        return tmp_path

    @pytest.mark.parametrize("name", ["a.csv", "soft.csv", "hard.csv", "mails/../a.csv"])
    def test_r2_an_input_is_no_output_by_any_name(self, corpus, name):
        with pytest.raises(LaconicError, match="so it cannot be its output"):
            check_not_read([corpus / name], [corpus / "a.csv"])
        check_not_read([corpus / "b.csv"], [corpus / "a.csv", corpus / "absent.csv"])

    @pytest.mark.parametrize("name", ["mails", "mails/out.csv", "post/deep/out.csv"])
    def test_r2_an_output_does_not_lie_in_a_folder_that_is_read(self, corpus, name):
        with pytest.raises(LaconicError, match="is an input of this command, so it cannot"):
            check_not_read([corpus / name], [corpus / "mails"])
        check_not_read([corpus / "mails-study"], [corpus / "mails"])


class TestOnTheDisk:
    def test_r14_the_bytes_are_on_the_disk_before_the_name_is(self, tmp_path, monkeypatch):
        done = []
        real_sync, real_replace = os.fsync, Path.replace

        def sync(handle):
            found = os.fstat(handle)
            done.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else found.st_size)
            real_sync(handle)

        def replace(self, target):
            done.append("name")
            return real_replace(self, target)

        monkeypatch.setattr(os, "fsync", sync)
        monkeypatch.setattr(Path, "replace", replace)
        written(tmp_path / "a.txt", b"note: new")
        assert done == [9, "name", "folder"]

    @pytest.mark.parametrize(("number", "goes_on"), [(errno.EINVAL, True), (errno.EIO, False)])
    def test_r14_where_nothing_can_be_synced_it_goes_on(
        self, tmp_path, monkeypatch, number, goes_on
    ):
        def fails(handle):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "fsync", fails)
        if goes_on:
            written(tmp_path / "a.txt", b"note: new")
        else:
            with pytest.raises(LaconicError, match="cannot be written"):
                written(tmp_path / "a.txt", b"note: new")
        assert names(tmp_path) == (["a.txt"] if goes_on else [])

    def test_r14_drafts_of_dead_processes_go_and_nothing_else(self, tmp_path):
        others = (".a.txt.abcd123.draft", ".b.txt.abcd1234.draft", "a.txt.abcd1234.draft", ".draft")
        for name in (".a.txt.abcd1234.draft", *others):
            (tmp_path / name).write_bytes(b"note: ol")
        with draft(tmp_path / "a.txt", MARKED) as stream:
            stream.write(b"note: new")
            remove_drafts(tmp_path, ["a.txt"])
        assert names(tmp_path) == sorted(["a.txt", *others])

    def test_r14_drafts_of_long_names_go_too(self, tmp_path):
        """As the names of Spark's shards are, of which a draft keeps the beginning."""
        long = f"part-00000-{'6f1c9f0e-' * 5}c000.jsonl"
        with draft(tmp_path / long, MARKED) as stream:
            stream.write(b"note: new")
            (unfinished,) = names(tmp_path)
        (tmp_path / unfinished).write_bytes(b"note: ol")
        remove_drafts(tmp_path, [long[:20]])
        assert names(tmp_path) == sorted([unfinished, long])
        remove_drafts(tmp_path, [long])
        assert names(tmp_path) == [long]

    def test_r5_a_full_disk_is_a_resource_error(self, tmp_path):
        with pytest.raises(ResourceError, match="Free space"), draft(tmp_path / "a.txt", MARKED):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        assert names(tmp_path) == []

    def test_others_may_read_it_as_the_umask_says(self, tmp_path):
        before = os.umask(0o027)
        try:
            written(tmp_path / "a.txt", b"note: new")
        finally:
            os.umask(before)
        assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640

    def test_a_folder_without_permission_is_known_before_the_work(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda where, mode: Path(where) != tmp_path.resolve())
        with pytest.raises(LaconicError, match="Permission denied"):
            check_output(tmp_path / "a.txt", MARKED)
        with pytest.raises(LaconicError, match="Permission denied"):
            check_folder(tmp_path)
        check_folder(tmp_path / "absent")

    def test_a_name_of_the_greatest_length_can_be_written(self, tmp_path):
        written(tmp_path / ("語" * 85), b"note: new")


class TestNames:
    def test_r4_c_c_sharp_and_c_plus_plus_are_three_also_without_case(self):
        several = ["C", "c", "C#", "C++", "C-", "É", "é", normalize("NFD", "é"), "con", "x: C"]
        several += [distinct_name("C#"), "한", normalize("NFD", "한"), "long" * 100, "LONG" * 100]
        folded = {normalize("NFC", distinct_name(name)).casefold() for name in several}
        assert len(folded) == len(several)

    @given(st.lists(st.text("cC+#-. é:/", max_size=6), max_size=6, unique=True))
    def test_r4_no_two_names_are_one(self, several):
        assert len({distinct_name(name).casefold() for name in several}) == len(several)

    def test_a_safe_name_stays(self):
        for name in ("pets", "20news-bydate", "für_2.1"):
            assert distinct_name(name) == name


ODD = st.text(
    st.sampled_from(" \t\r\n\0\x7f\u200b\ufeff'\"=+-@＝＋x1") | st.characters(), max_size=8
)


class TestCells:
    @given(ODD)
    @example("\n=1+1")
    @example("'=1")
    @example("'\tx")
    @example('"=1"')
    def test_r14_no_cell_is_a_formula_and_uncell_gives_back(self, text):
        guarded = cell(text)
        assert uncell(guarded) == text
        start = guarded.lstrip(string.whitespace + '\0\x7f\u200b\ufeff"')
        assert not start.startswith(tuple(FORMULA_SIGNS))

    def test_r14_a_class_that_is_a_formula_behind_a_line_break(self, tmp_path):
        words = [Word('" \n+cmd', 3, None, 1.0, (0.5,))]
        write_words(tmp_path / "w.csv", words, ["\n=1+1"])
        with open(tmp_path / "w.csv", newline="") as file:
            head, line = csv.reader(file)
        assert (head[-1], line[1]) == ("'\n=1+1", "'\" \n+cmd")
        assert read_words(tmp_path / "w.csv") == (words, ("\n=1+1",))

    def test_words_and_numbers_stay(self):
        for value in ("word", "e-mail", "a=b", "it's", "'tis", 1, -0.5, None):
            assert cell(value) == value
