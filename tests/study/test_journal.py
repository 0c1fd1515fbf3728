"""Is every finished task there whole, once, as it was, whatever happens to the processes?"""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
import signal
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from dataclasses import astuple, fields, replace
from pathlib import Path
from threading import Timer

import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from laconic.errors import LaconicError
from laconic.rows import rows_file
from laconic.study import coding
from laconic.study.database import APPLICATION, FORMAT, Database
from laconic.study.journal import Journal, exclusive
from laconic.study.task import Cut, Outcome
from tests.study.journal_writers import (
    PROCESSES,
    hold,
    lock,
    open_for_writing,
    outcome_of,
    read_keys,
    record_all,
    record_forever,
    record_within,
    task_of,
    without_rights,
)

TABLES = ("attempts", "rows", "cuts", "vocabularies", "plans")


@pytest.fixture
def where(tmp_path):
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(where):
    with Journal(where) as journal:
        yield journal


def failed_of(number: int, reason: str = "it broke") -> Outcome:
    return Outcome.failed(task_of(number), reason)


def same(one, other) -> bool:
    """Equal, of the same type, with nan equal to nan and -0.0 other than 0.0."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and bool((one == other).all())
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Cut | Outcome):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, float):
        return type(other) is float and repr(one) == repr(other)
    return type(one) is type(other) and one == other


def assert_outcome(found: Outcome, expected: Outcome) -> None:
    for field in fields(Outcome):
        if field.name not in ("rows", "task", "cuts"):
            one, other = getattr(found, field.name), getattr(expected, field.name)
            assert same(one, other), field.name
    assert found.task == expected.task
    assert same([astuple(r) for r in found.rows], [astuple(r) for r in expected.rows])
    assert same(found.cuts, expected.cuts)


# is it the same again?

# two lone surrogates side by side become one letter in the JSON of a task; apart they do not
letters = st.characters(exclude_categories=()).filter(lambda c: not "\udc00" <= c <= "\udfff")
texts = st.text(letters, max_size=8)
reals = st.floats() | st.sampled_from([-0.0, math.inf, -math.inf, math.nan, 1.0, 5e-324])
integers = st.integers() | st.sampled_from([2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**40])
counts = st.none() | integers
sizes = integers | st.floats(allow_nan=False)


@st.composite
def outcomes(draw):
    task = task_of(
        draw(st.integers(0, 5)),
        problem=draw(texts),
        fold=draw(texts),
        method=draw(texts),
        sizes=tuple(draw(st.lists(sizes, min_size=1, max_size=3))),
    )
    like = replace(task.row(), versions=draw(texts))
    own = st.builds(
        lambda **about: replace(like, **about),
        asked=sizes,
        measure=texts,
        value=st.none() | reals,
        kept=counts,
        terms=counts,
        seconds=reals,
        memory=counts,
        status=st.sampled_from(["ok", "skipped", "failed"]),
        reason=texts,
    )
    return Outcome(
        task,
        draw(st.sampled_from(["ok", "failed"])),
        tuple(draw(st.lists(own, max_size=4))),
        reason=draw(texts),
        cuts=tuple(draw(st.lists(cuts(), max_size=3))),
        signs=draw(st.none() | hnp.arrays(np.int8, shapes, elements=st.integers(-1, 1))),
        notes=tuple(draw(st.lists(texts, max_size=3))),
        seconds=draw(reals),
        memory=draw(counts),
        started=draw(reals),
        host=draw(texts),
    )


shapes = st.tuples(st.integers(0, 9), st.integers(0, 9))


def cuts():
    columns = st.lists(st.integers(0, 2**63 - 1), max_size=8, unique=True).map(sorted)
    return st.builds(
        Cut,
        sizes,
        columns.map(lambda terms: np.array(terms, dtype=np.int64)),
        hnp.arrays(np.bool_, shapes),
    )


@given(outcomes())
def test_an_outcome_comes_back_as_it_was(outcome):
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "j") as journal:
        assert journal.record(outcome)
        (found,) = journal.outcomes()
        assert_outcome(found, outcome)
        key = outcome.task.key
        assert same([astuple(r) for r in journal.rows()], [astuple(r) for r in outcome.rows])
        assert same(journal.cuts(key), list(outcome.cuts))
        assert same(journal.signs(key), outcome.signs)
        assert journal.tasks() == [outcome.task]
        assert journal.notes() == dict.fromkeys(outcome.notes, 1)
        assert journal.done() == ({key} if outcome.status == "ok" else set())
        assert journal.failed() == ({} if outcome.status == "ok" else {key: outcome.reason})


@pytest.mark.parametrize(
    "shape", [(0, 3), (3, 0), (0, 0), (1, 100_003), (100_003, 1), (7,), (13, 11)]
)
def test_bits_and_signs_of_any_shape(shape):
    rng = np.random.default_rng(0)
    bits = rng.random(shape) < 0.5
    assert same(coding.unpack_bits(coding.pack_bits(bits)), bits)
    turned = np.asfortranarray(bits)
    assert same(coding.unpack_bits(coding.pack_bits(turned)), bits)
    signs = rng.integers(-1, 2, shape).astype(np.int8)
    assert same(coding.unpack_signs(coding.pack_signs(np.asfortranarray(signs))), signs)


@pytest.mark.parametrize("dtype", ["int32", "int64", "intp", ">i8"])
def test_columns_of_any_whole_type(dtype):
    terms = np.array([0, 3, 70_000, 70_001], dtype=dtype)
    assert same(coding.unpack_terms(coding.pack_terms(terms)), terms.astype(np.int64))


def test_arrays_are_small():
    rng = np.random.default_rng(0)
    terms = np.sort(rng.choice(10**5, 10**4, replace=False))
    assert len(coding.pack_terms(terms)) < 1.2 * terms.size
    assert len(coding.pack_bits(rng.random((1000, 80)) < 0.5)) < 1000 * 80 / 8 * 1.05


def test_numbers_of_numpy_become_python_s(journal):
    task = task_of(0)
    row = replace(task.row(), asked=np.int64(7), value=np.float32(0.5), kept=np.int32(3))
    journal.record(Outcome(task, "ok", (row,)))
    (found,) = journal.rows()
    assert [type(x) for x in (found.asked, found.value, found.kept)] == [int, float, int]
    assert found == row


@given(st.lists(st.text(st.characters(exclude_categories=()))))
def test_words_come_back_as_they_were(words):
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "j") as journal:
        journal.record_words("d", words)
        journal.record_words("d", iter(words))
        assert journal.words("d") == tuple(words)
        assert journal.words("e") is None


def test_two_lone_surrogates_stay_two(journal):
    journal.record_words("d", ["\ud83d\ude00", "\U0001f600"])
    assert [len(word) for word in journal.words("d")] == [2, 1]


def test_other_words_for_a_corpus_are_refused(journal):
    journal.record_words("d", ["a", "b"])
    with pytest.raises(LaconicError, match="has other words for the corpus d"):
        journal.record_words("d", ["a", "c"])
    assert journal.words("d") == ("a", "b")


def test_plans_in_the_order_they_were_started(where):
    before = time.time()
    for number in range(3):
        with Journal(where) as journal:
            journal.record_plan(f"plan {number}\n\ud800", "laconic study x")
    with Journal.reading(where) as journal:
        plans = journal.plans()
    assert [plan.text for plan in plans] == [f"plan {number}\n\ud800" for number in range(3)]
    assert {plan.command for plan in plans} == {"laconic study x"}
    assert all(before <= plan.time <= time.time() for plan in plans)


def test_a_plan_remembers_its_tasks(journal):
    journal.record_plan("p", "c", iter(["k2", "k1"]))
    journal.record_plan("p", "c")
    assert [plan.keys for plan in journal.plans()] == [("k2", "k1"), ()]


def test_rows_of_another_task_are_refused(journal):
    stranger = replace(task_of(1).row(), versions=task_of(0).row().versions)
    for row in (stranger, replace(task_of(0).row(), versions="numpy 0")):
        with pytest.raises(LaconicError, match="a row of another task"):
            journal.record(Outcome(task_of(0), "ok", (task_of(0).row(), row)))
    assert list(journal.outcomes()) == []


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
    again = (
        "INSERT INTO attempts (task, status, reason, host, versions, spec, notes)"
        " SELECT task, status, reason, host, versions, spec, notes FROM attempts"
    )
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
    assert [found.task.seed for found in journal.outcomes()] == [2, 0, 1]
    assert [task.seed for task in journal.tasks()] == [2, 0, 1]
    keys = [task_of(number).key for number in (1, 9, 0, 1)]
    assert [found.task.seed for found in journal.outcomes(iter(keys))] == [1, 0]
    assert list(journal.rows(keys)) == [*outcome_of(1).rows, *outcome_of(0).rows]
    assert list(journal.rows([])) == []
    assert journal.notes(keys) == {"note 0": 1, "note 1": 1}


def test_a_note_is_counted_once_a_task(journal):
    for number in range(3):
        journal.record(replace(outcome_of(number), notes=("slow", "slow", f"{number}")))
    assert journal.notes() == {"slow": 3, "0": 1, "1": 1, "2": 1}


def test_nothing_is_known_of_what_nobody_tried(journal):
    assert journal.cuts("nobody") == []
    assert journal.signs("nobody") is None
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


def test_one_attempt_is_found_through_an_index(journal):
    plan = "EXPLAIN QUERY PLAN SELECT attempt FROM standing WHERE task = 'k'"
    steps = [step[-1] for step in journal._database.all(plan)]
    assert any("SEARCH attempts USING COVERING INDEX tried (task=?)" in step for step in steps)


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


# several processes


def answers_of(*targets):
    """Run processes at once; what each put into its queue, in order."""
    queues = [PROCESSES.SimpleQueue() for _ in targets]
    processes = [
        PROCESSES.Process(target=target, args=(*args, queue))
        for (target, *args), queue in zip(targets, queues, strict=True)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    return [queue.get() for queue in queues]


def test_two_processes_with_the_same_tasks_do_each_once(where):
    numbers = list(range(40))
    one, other = answers_of((record_all, where, numbers), (record_all, where, numbers[::-1]))
    assert sorted(one + other) == numbers
    with Journal.reading(where) as journal:
        journal.check()
        assert len(journal._database.all("SELECT * FROM attempts")) == 40
        found = {outcome.task.seed: outcome for outcome in journal.outcomes()}
    for number in numbers:
        expected = replace(outcome_of(number), started=found[number].started)
        assert_outcome(found[number], expected)


def test_many_processes_may_make_the_journal_at_once(tmp_path):
    for turn in range(3):
        where = tmp_path / f"{turn}.sqlite"
        answers = answers_of(*((record_all, where, [number]) for number in range(6)))
        assert sorted(answers) == [[number] for number in range(6)]


def test_a_report_sees_whole_tasks_while_others_write(where):
    Journal(where).close()
    writer = PROCESSES.Process(target=record_forever, args=(where, where.with_name("ack"), 0))
    writer.start()
    try:
        seen = 0
        end = time.monotonic() + 60
        while seen < 20 and time.monotonic() < end:
            with Journal.reading(where) as report:
                found = list(report.outcomes())
                assert len(found) >= seen
                seen = len(found)
                assert all(map(is_whole, found[-3:]))
    finally:
        writer.kill()
        writer.join()
    assert seen >= 20


def is_whole(found: Outcome) -> bool:
    expected = outcome_of(found.task.seed)
    return (
        found.rows == expected.rows
        and same(found.cuts, expected.cuts)
        and same(found.signs, expected.signs)
    )


@pytest.mark.parametrize("n_kills", [5, pytest.param(50, marks=pytest.mark.slow)])
def test_killed_at_any_moment_nothing_is_lost_or_half(where, n_kills):
    rng, ack = np.random.default_rng(n_kills), where.with_name("ack")
    start = 0
    for kill in range(n_kills):
        writer = PROCESSES.Process(target=record_forever, args=(where, ack, start))
        writer.start()
        # the first kills fall into the making of the file, later ones anywhere in a commit
        time.sleep(rng.uniform(0, 0.1) if kill % 3 == 0 else rng.uniform(0.1, 0.4))
        writer.kill()
        writer.join()
        assert writer.exitcode == -signal.SIGKILL
        acknowledged = [int(line) for line in ack.read_text().split()] if ack.exists() else []
        with Journal(where) as journal:
            journal.check()
            numbers = [task.seed for task in journal.tasks()]
            assert set(acknowledged) <= set(numbers)
            assert len(numbers) == len(set(numbers)) <= len(acknowledged) + kill + 1
            assert journal.done() == {task_of(number).key for number in numbers}
            recent = [task_of(number).key for number in numbers if number >= start]
            assert all(map(is_whole, journal.outcomes(recent)))
        start = max(numbers, default=-1) + 1
    assert start > 0


def test_killed_within_a_transaction_nothing_of_it_remains(where):
    with Journal(where) as journal:
        journal.record(outcome_of(0))
    process = PROCESSES.Process(target=record_until_rows, args=(where,))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    with Journal(where) as journal:
        journal.check()
        assert [task.seed for task in journal.tasks()] == [0]
        assert journal.record(outcome_of(1))


def record_until_rows(where: Path) -> None:
    journal = Journal(where)
    insert = journal._database.insert

    def insert_or_die(table, cells):
        if table == "cuts":
            os.kill(os.getpid(), signal.SIGKILL)
        return insert(table, cells)

    journal._database.insert = insert_or_die
    journal.record(outcome_of(1))


def test_an_interrupt_within_record_leaves_nothing(journal, monkeypatch):
    def interrupted(table, cells, insert=journal._database.insert):
        if table == "cuts":
            raise KeyboardInterrupt
        return insert(table, cells)

    with monkeypatch.context() as patch:
        patch.setattr(journal._database, "insert", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.record(outcome_of(0))
    assert list(journal.outcomes()) == []
    assert journal.record(outcome_of(0))


# what can go wrong with a file


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
    with pytest.raises(LaconicError, match=r"is damaged, or no journal: .*Move it away .*recover"):
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
            assert outcome.task.seed < 6
            assert same(outcome.signs, outcome_of(outcome.task.seed).signs)


@pytest.mark.parametrize(
    ("table", "column", "cell"),
    [
        ("attempts", "spec", "{"),
        ("attempts", "spec", '{"data": 1}'),
        ("attempts", "spec", "[]"),
        ("attempts", "signs", b"none"),
        ("attempts", "notes", b"none"),
        ("attempts", "host", b"\xff"),
        ("cuts", "terms", b"none"),
        ("cuts", "chosen", b""),
        ("rows", "value", "much"),
        ("rows", "reason", b"\xff"),
    ],
)
def test_a_damaged_cell_is_said_to_be_so(where, table, column, cell):
    many(where, 1)
    with closing(sqlite3.connect(where)) as other:
        other.execute(f"DROP TRIGGER {table}_UPDATE")
        other.execute(f"UPDATE {table} SET {column} = ?", (cell,))
        other.commit()
    with Journal.reading(where) as journal, pytest.raises(LaconicError, match="is damaged"):
        list(journal.outcomes())


def test_text_that_is_no_utf8_is_damage(where):
    many(where, 1)
    data = where.read_bytes()
    where.write_bytes(data.replace(b"accuracy", b"accura\xff\xff"))
    with Journal.reading(where) as journal, pytest.raises(LaconicError, match="is damaged"):
        list(journal.rows())


def test_an_empty_file_is_a_new_journal_but_no_report(where):
    where.touch()
    with pytest.raises(LaconicError, match=r"the journal is empty\. Start the study first"):
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
        with pytest.raises(LaconicError, match=r"newer Laconic \(format 2; .*Update"):
            opening(newer)
        for file in (other, tagged):
            with pytest.raises(LaconicError, match=r"is no journal of Laconic.* another name"):
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
        stranger.execute("INSERT INTO cuts VALUES (99, 0, 1, x'', x'')")
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
        assert [task.seed for task in journal.tasks()] == [0, 1]
        journal.check()
    with Journal(where) as journal:
        assert journal.record(outcome_of(2))
        assert all(map(is_whole, journal.outcomes()))


def test_a_limit_on_files_keeps_what_was_finished(where):
    Journal(where).close()
    [(done, said)] = answers_of((record_within, where, 200_000))
    assert "Finished tasks are safe" in said
    with Journal(where) as journal:
        journal.check()
        assert done
        assert [task.seed for task in journal.tasks()] == done
        assert all(map(is_whole, journal.outcomes()))
        assert journal.record(outcome_of(len(done)))


def test_no_place_for_a_journal(tmp_path):
    with pytest.raises(LaconicError, match=r"is a folder, not a journal\. Name a file within"):
        Journal(tmp_path)
    with pytest.raises(LaconicError, match="is a folder, not a journal"):
        Journal.reading(tmp_path)
    with pytest.raises(LaconicError, match=r"there is no folder .*nowhere\. Make it first"):
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
    assert "ermit" in opened
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


# files of rows


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_exports_are_the_rows(tmp_path, journal, ending):
    for outcome in (failed_of(1), outcome_of(0), outcome_of(2)):
        journal.record(outcome)
    keys = [task_of(number).key for number in (2, 1, 7)]
    for name, wanted in (("all", None), ("some", keys)):
        file = tmp_path / f"{name}.{ending}"
        journal.export(file, wanted)
        expected = [vars(row) for row in journal.rows(wanted)]
        assert read_table(file) == (spoken(expected) if ending == "csv" else expected)
        with rows_file(tmp_path / f"direct.{ending}") as write:
            write(list(journal.rows(wanted)))
        assert file.read_bytes() == (tmp_path / f"direct.{ending}").read_bytes()


def read_table(file: Path) -> list[dict]:
    if file.suffix == ".csv":
        return list(csv.DictReader(file.read_text().splitlines()))
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text().splitlines()]
    return pyarrow.parquet.read_table(file).to_pylist()


def spoken(table: list[dict]) -> list[dict]:
    return [{k: "" if v is None else str(v) for k, v in row.items()} for row in table]


# one study at a time


def holding(where: Path, fork: bool):
    queue = PROCESSES.SimpleQueue()
    process = PROCESSES.Process(target=hold, args=(where, queue, fork))
    process.start()
    return process, *queue.get()


@pytest.mark.parametrize("fork", [False, True], ids=["alone", "with a forked worker"])
def test_a_second_study_is_refused_until_the_first_is_killed(where, fork):
    process, pid, child = holding(where, fork)
    try:
        refused = rf"another study \(process {pid} on .+\) works here\. Wait for it, or choose"
        for _ in range(2):
            with pytest.raises(LaconicError, match=refused), exclusive(where):
                pass
        process.kill()
        process.join()
        with exclusive(where):
            pass
    finally:
        process.kill()
        if child:
            os.kill(child, signal.SIGKILL)


def test_the_lock_is_free_after_an_error_and_refuses_within_one_process(where):
    for _ in range(2):
        with pytest.raises(KeyError), exclusive(where):
            raise KeyError
    refused = pytest.raises(LaconicError, match=f"process {os.getpid()} on")
    with exclusive(where), refused, exclusive(where):
        pass
    with exclusive(where):
        assert where.with_name("journal.lock").read_text().startswith(f"{os.getpid()} ")
