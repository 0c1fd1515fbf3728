"""Which attempt at a task counts, and is the journal only appended to?"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from laconic.errors import LaconicError
from laconic.studies.analysis.warning_counts import count_warnings
from laconic.studies.journal.database import TABLES
from laconic.studies.journal.journal import Journal
from tests.studies.journal.writers import outcome_of, task_of
from tests.studies.outcomes import failed_of

# which attempt counts?


def test_a_task_is_done_once(journal):
    assert journal.record(outcome_of(0))
    assert not journal.record(replace(outcome_of(0), host="elsewhere"))
    assert not journal.record(failed_of(0))
    assert [found.host for found in journal.outcomes()] == [outcome_of(0).host]
    assert len(journal._database.all("SELECT * FROM attempts")) == 1
    assert journal.failed() == {}


def test_the_database_itself_holds_a_task_done_once(journal):
    """Should a program look before it has the lock, the index refuses."""
    journal.record(outcome_of(0))
    names = ", ".join(["checksum", *TABLES["attempts"]])
    cells = names.replace("id,", "id + 1,", 1)
    again = f"INSERT INTO attempts ({names}) SELECT {cells} FROM attempts"
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        journal._database.connection.execute(again)


def test_a_failed_task_is_not_done_and_may_be_tried_again(journal):
    for reason in ("first", "second"):
        assert journal.record(failed_of(0, reason))
    assert journal.done() == set()
    assert journal.failed() == {task_of(0).key: "second"}
    assert {(row.status, row.reason) for row in journal.rows()} == {("failed", "second")}
    assert journal.record(outcome_of(0))
    assert journal.done() == {task_of(0).key}
    assert journal.failed() == {}
    assert list(journal.rows()) == list(outcome_of(0).rows)
    assert journal.tasks() == [task_of(0)]


def test_the_order_is_that_of_keys_else_of_first_attempts(journal):
    for outcome in (failed_of(2), outcome_of(0), outcome_of(1), outcome_of(2)):
        journal.record(outcome)
    assert [found.task.draw for found in journal.outcomes()] == [2, 0, 1]
    assert [task.draw for task in journal.tasks()] == [2, 0, 1]
    keys = [task_of(number).key for number in (1, 9, 0, 1)]
    assert [found.task.draw for found in journal.outcomes(iter(keys))] == [1, 0]
    assert list(journal.rows(keys)) == [*outcome_of(1).rows, *outcome_of(0).rows]
    assert list(journal.rows([])) == []
    assert sorted(journal.notes(keys)) == [("note 0",), ("note 1",)]


def test_a_note_is_counted_once_per_task_whatever_its_numbers(journal):
    for number in range(3):
        notes = ("slow", "slow", f"gap {number}.5e-07", f"gap {number}", f"only of {'abc'[number]}")
        journal.record(replace(outcome_of(number), notes=notes))
    kinds = {"slow": 3, "gap 0.5e-07": 3, "only of a": 1, "only of b": 1, "only of c": 1}
    assert count_warnings(journal.notes()) == kinds


def test_nothing_is_known_of_what_nobody_tried(journal):
    assert journal.cuts("nobody") == []
    assert journal.y_signed("nobody") is None
    assert list(journal.rows(["nobody"])) == []
    assert journal.plans() == []


def test_rows_are_those_of_the_moment_they_were_asked_for(where, journal):
    journal.record(failed_of(0))
    journal.record(outcome_of(1))
    with Journal.reading(where) as report:
        rows = report.rows()
        first = next(rows)
        journal.record(outcome_of(0))
        journal.record(outcome_of(2))
        assert [first, *rows] == [*failed_of(0).rows, *outcome_of(1).rows]
        assert list(report.rows())[:4] == list(outcome_of(0).rows)


# is it only appended to?


@pytest.fixture
def filled(journal):
    journal.record(outcome_of(0))
    journal.record_words("d", ["a"])
    journal.record_plan("p", "c")
    return journal


@pytest.mark.parametrize("table", TABLES)
def test_nothing_is_changed_or_deleted(where, filled, table):
    column = {"vocabularies": "words", "plans": "text"}.get(table, "rowid")
    changes = [f"UPDATE {table} SET {column} = 5", f"DELETE FROM {table}"]
    with closing(sqlite3.connect(where)) as stranger:
        before = stranger.execute(f"SELECT * FROM {table}").fetchall()
        for change in changes:
            with pytest.raises(sqlite3.IntegrityError, match="only appended to"):
                stranger.execute(change)
            stranger.rollback()
        assert before
        assert stranger.execute(f"SELECT * FROM {table}").fetchall() == before


@pytest.mark.parametrize("table", TABLES)
def test_nothing_is_replaced(filled, table):
    replacing = f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}"
    with pytest.raises(LaconicError, match="only appended to"):
        filled._database.all(replacing)


def test_a_report_writes_nothing(where, filled):
    with Journal.reading(where) as report:
        for write in (
            lambda: report.record(outcome_of(1)),
            lambda: report.record_plan("p", "c"),
            lambda: report.record_words("e", ["a"]),
        ):
            with pytest.raises(LaconicError, match="cannot be written to"):
                write()
    assert filled.done() == {task_of(0).key}


def test_one_commit_a_task(journal):
    said: list[str] = []
    journal._database.connection.set_trace_callback(said.append)
    journal.record(outcome_of(0))
    assert [line for line in said if line.startswith(("BEGIN", "COMMIT"))] == [
        "BEGIN IMMEDIATE",
        "COMMIT",
    ]
    assert [line.split(" (")[0] for line in said].count("INSERT INTO rows") == 4


def test_a_commit_waits_for_the_disk(journal):
    asked = ("journal_mode", "synchronous", "foreign_keys")
    assert [journal._database.all(f"PRAGMA {name}")[0][0] for name in asked] == ["wal", 2, 1]


def test_a_closed_journal_is_one_file(where):
    with Journal(where) as journal, Journal.reading(where) as report:
        journal.record(outcome_of(0))
        assert report.done() == {task_of(0).key}
    assert [file.name for file in where.parent.iterdir()] == [where.name]
    journal.close()
    with pytest.raises(LaconicError, match="closed"):
        journal.done()


def test_close_brings_everything_into_the_file_although_others_read(where):
    journal = Journal(where)
    with closing(sqlite3.connect(where)) as other:
        other.execute("SELECT count(*) FROM attempts").fetchall()
        journal.record(outcome_of(0))
        journal.close()
        shutil.copy(where, where.with_name("copy.sqlite"))
    with Journal.reading(where.with_name("copy.sqlite")) as copy:
        assert copy.done() == {task_of(0).key}
