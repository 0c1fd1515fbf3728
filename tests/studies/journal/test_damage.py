"""What can go wrong with the file of a journal, and is it said?"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from threading import Timer

import numpy as np
import pytest

from laconic.errors import LaconicError
from laconic.studies.journal.database import APPLICATION, FORMAT, Database
from laconic.studies.journal.journal import Journal, exclusive
from tests.studies.journal.test_processes import answers_of, is_whole
from tests.studies.journal.writers import (
    lock,
    open_for_writing,
    outcome_of,
    read_keys,
    record_within,
    task_of,
    without_rights,
)
from tests.studies.outcomes import same


def many(where: Path, n_tasks: int = 30) -> None:
    with Journal(where) as journal:
        for number in range(n_tasks):
            journal.record(outcome_of(number))


def read_everything(where: Path) -> None:
    with Journal(where) as journal:
        journal.check()
        list(journal.outcomes())


def truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def cut_short(data: bytes) -> bytes:
    return data[:50]


def overwritten(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + b"\xa5" * 16384 + data[middle + 16384 :]


def headless(data: bytes) -> bytes:
    return b"\0" * 100 + data[100:]


def random_bytes(data: bytes) -> bytes:
    return np.random.default_rng(0).bytes(len(data))


def text_file(data: bytes) -> bytes:
    return b"# a plan\n" * 100


DAMAGES = [truncated, cut_short, overwritten, headless, random_bytes, text_file]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_said_to_be_so_and_left_alone(where, damage):
    many(where)
    where.write_bytes(damage(where.read_bytes()))
    before = where.read_bytes()
    with pytest.raises(LaconicError, match=r"damaged, or not a journal: .*Move it away.*recover"):
        read_everything(where)
    assert where.read_bytes() == before


@pytest.mark.parametrize("offset", range(0, 100, 9))
def test_damage_anywhere_is_an_error_or_harmless(where, offset):
    """Whatever page is hit: our error, or everything is there."""
    many(where, 6)
    data = bytearray(where.read_bytes())
    start = len(data) * offset // 100
    data[start : start + 512] = b"\x5a" * len(data[start : start + 512])
    where.write_bytes(data)
    with suppress(LaconicError), Journal(where) as journal:
        for outcome in journal.outcomes():
            assert outcome.task.draw < 6
            assert same(outcome.y_signed, outcome_of(outcome.task.draw).y_signed)


def test_text_that_is_no_utf8_is_damage(where):
    many(where, 1)
    data = where.read_bytes()
    where.write_bytes(data.replace(b"accuracy", b"accura\xff\xff"))
    with pytest.raises(LaconicError, match="damaged, or not a journal"):
        read_everything(where)


@pytest.mark.parametrize("text", [b"TRIGGER rows_UPDATE", b"INDEX once"])
def test_r10_a_schema_that_is_no_utf8_is_damage(where, text):
    """SQLite quotes the bytes in its message, which Python then cannot decode."""
    many(where, 1)
    where.write_bytes(where.read_bytes().replace(text, b"\xff\xfe" + text[2:]))
    with pytest.raises(LaconicError, match="damaged, or not a journal"):
        Journal.reading(where)


def test_an_empty_file_is_a_new_journal_but_no_report(where):
    where.touch()
    with pytest.raises(
        LaconicError, match=r"the journal is empty\. The study ended before it had a plan"
    ):
        Journal.reading(where)
    many(where, 1)
    with Journal.reading(where) as report:
        assert report.done() == {task_of(0).key}


def test_a_report_makes_no_file(where):
    with pytest.raises(LaconicError, match=r"there is no journal\. Start the study first"):
        Journal.reading(where)
    assert list(where.parent.iterdir()) == []


def test_a_newer_format_and_other_programs_are_left_alone(tmp_path):
    newer, other, tagged = (tmp_path / name for name in ("newer", "other", "tagged"))
    Journal(newer).close()
    for file, change in [
        (newer, f"PRAGMA user_version = {FORMAT + 1}"),
        (other, "CREATE TABLE t (a)"),
        (tagged, f"PRAGMA application_id = {APPLICATION + 1}"),
    ]:
        with closing(sqlite3.connect(file)) as stranger:
            stranger.execute(change)
    before = [file.read_bytes() for file in (newer, other, tagged)]
    for opening in (Journal, Journal.reading):
        with pytest.raises(LaconicError, match=rf"newer Laconic \(format {FORMAT + 1}; .*Update"):
            opening(newer)
        for file in (other, tagged):
            with pytest.raises(LaconicError, match=r"not a journal of Laconic.* another name"):
                opening(file)
    assert [file.read_bytes() for file in (newer, other, tagged)] == before


def test_a_locked_journal(where):
    many(where, 1)
    locked = r"another process has kept it locked for 0.01 seconds\. .* safe; wait"
    other = sqlite3.connect(where, isolation_level=None)
    with closing(other), Journal(where, timeout=0.01) as journal:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LaconicError, match=locked):
            journal.record(outcome_of(1))
        assert journal.done() == {task_of(0).key}
        with pytest.raises(LaconicError, match=locked):
            Journal(where, timeout=0.01)
        other.execute("ROLLBACK")
        assert journal.record(outcome_of(1))


def test_a_new_file_that_another_process_looks_at_is_waited_for(where):
    """To turn it into a WAL file needs it alone."""
    other = sqlite3.connect(where, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN")
    other.execute("SELECT * FROM sqlite_master").fetchall()
    with pytest.raises(LaconicError, match="kept it locked"):
        Journal(where, timeout=0.01)
    release = Timer(0.2, other.close)
    release.start()
    many(where, 1)
    release.join()


def test_a_quarrel_about_a_new_file_is_sat_out(where, monkeypatch):
    """SQLite does not wait where two would wait for each other; seldom, so it is acted."""
    prepare, tries = Database._prepare, []

    def quarrel(database):
        tries.append(database)
        if len(tries) > 2:
            return prepare(database)
        database.connection.execute("BEGIN")
        failure = sqlite3.OperationalError("database is locked")
        failure.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise failure

    monkeypatch.setattr(Database, "_prepare", quarrel)
    many(where, 1)
    assert len(tries) == 3


def test_rows_without_their_attempt_are_damage(where):
    many(where, 1)
    with closing(sqlite3.connect(where)) as stranger:
        stranger.execute("INSERT INTO cuts VALUES (x'', 99, 0, 1, x'', x'', NULL, NULL, NULL)")
        stranger.commit()
    with Journal(where) as journal, pytest.raises(LaconicError, match="cuts without their attempt"):
        journal.check()


def test_a_full_disk_keeps_what_was_finished(where):
    many(where, 2)
    with Journal(where) as journal:
        n_pages = journal._database.all("PRAGMA page_count")[0][0]
        journal._database.all(f"PRAGMA max_page_count = {n_pages + 1}")
        with pytest.raises(LaconicError, match=r"disk is full.* safe; free some space"):
            journal.record(outcome_of(2))
        assert [task.draw for task in journal.tasks()] == [0, 1]
        journal.check()
    with Journal(where) as journal:
        assert journal.record(outcome_of(2))
        assert all(map(is_whole, journal.outcomes()))


@pytest.mark.full
def test_a_limit_on_files_keeps_what_was_finished(where):
    Journal(where).close()
    [(done, said)] = answers_of((record_within, where, 200_000))
    assert "Finished tasks are safe" in said
    with Journal(where) as journal:
        journal.check()
        assert done
        assert [task.draw for task in journal.tasks()] == done
        assert all(map(is_whole, journal.outcomes()))
        assert journal.record(outcome_of(len(done)))


def test_no_place_for_a_journal(tmp_path):
    with pytest.raises(LaconicError, match=r"is a folder, not a journal\. Name a file within"):
        Journal(tmp_path)
    with pytest.raises(LaconicError, match="is a folder, not a journal"):
        Journal.reading(tmp_path)
    with pytest.raises(LaconicError, match=r"there is no folder .*nowhere\. Create it first"):
        Journal(tmp_path / "nowhere" / "journal.sqlite")
    with pytest.raises(LaconicError, match="there is no journal"):
        Journal.reading(tmp_path / "nowhere" / "journal.sqlite")
    with pytest.raises(LaconicError, match=r"cannot be written \(No such file"):
        exclusive(tmp_path / "nowhere" / "journal.sqlite").__enter__()


def test_names_with_signs_of_addresses(tmp_path):
    where = tmp_path / "100% a?mode=memory#x.sqlite"
    many(where, 1)
    assert [file.name for file in tmp_path.iterdir()] == [where.name]


@pytest.fixture
def read_only():
    """A folder with a journal that nobody may write to."""
    folder = Path(tempfile.mkdtemp())
    many(folder / "journal.sqlite", 1)
    (folder / "journal.sqlite").chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_read_only_folder_can_be_reported_but_not_continued(read_only):
    opened, keys, locked = answers_of(
        (without_rights, open_for_writing, read_only),
        (without_rights, read_keys, read_only),
        (without_rights, lock, read_only),
    )
    assert "llow" in opened
    assert "choose another folder" in opened
    assert keys == [task_of(0).key]
    assert "cannot be written (Permission denied)" in locked
    assert len(list(read_only.iterdir())) == 1


def test_a_read_only_folder_with_an_unfinished_journal_is_not_half_read(read_only):
    """What waits in the -wal file cannot be had there; to leave it out would be wrong."""
    read_only.chmod(0o755)
    (read_only / "journal.sqlite-wal").write_bytes(b"something")
    (read_only / "journal.sqlite-wal").chmod(0o000)
    read_only.chmod(0o555)
    [said] = answers_of((without_rights, read_keys, read_only))
    assert "cannot be opened" in said
