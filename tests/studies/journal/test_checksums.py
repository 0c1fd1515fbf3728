"""Is every damage of a journal noticed? Damaged records are never read as if they were sound."""

from __future__ import annotations

import random
import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from laconic.errors import LaconicError
from laconic.studies.journal.codec import checksum
from laconic.studies.journal.database import TABLES
from laconic.studies.journal.journal import Journal
from tests.studies.journal.writers import outcome_of
from tests.studies.outcomes import failed_of, same

N_DAMAGES = 200
# What to do: every message has one of these.
REMEDY = re.compile("Move |Choose another|choose another|Update|run the (study|command)|Start the")


def write_journal(where: Path) -> None:
    """Two pages or so of every table."""
    with Journal(where) as journal:
        for number in range(4):
            journal.record(outcome_of(number, n_docs=8))
        journal.record(failed_of(4))
        journal.record(outcome_of(4, n_docs=8))
        journal.record(failed_of(5))
        journal.record_words("corpus", [f"word{n}" for n in range(300)])
        for number in range(3):
            journal.record_plan(f"plan {number}", "laconic study x", ["a", "b"])


def contents(journal: Journal) -> list:
    return [
        list(journal.outcomes()),
        list(journal.rows()),
        journal.tasks(),
        sorted(journal.done()),
        sorted(journal.failed().items()),
        journal.notes(),
        journal.words("corpus"),
        [(plan.time, plan.text, plan.command, plan.keys) for plan in journal.plans()],
    ]


def change(where: Path, *statements: tuple) -> None:
    """Change records by SQL; the triggers against that are there again afterwards."""
    with closing(sqlite3.connect(where)) as other:
        find = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        triggers = other.execute(find).fetchall()
        for name, _ in triggers:
            other.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            other.execute(*statement)
        for _, sql in triggers:
            other.execute(sql)
        other.commit()


# Damages of bytes.


def flip_bits(data: bytearray, rng: random.Random, where: Path) -> bytes:
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def flip_in_header(data: bytearray, rng: random.Random, where: Path) -> bytes:
    data[rng.randrange(100)] ^= 1 << rng.randrange(8)
    return bytes(data)


def overwrite(data: bytearray, rng: random.Random, where: Path) -> bytes:
    start, length = rng.randrange(len(data)), rng.choice((1, 8, 64, 600))
    data[start : start + length] = rng.randbytes(len(data[start : start + length]))
    return bytes(data)


def zero(data: bytearray, rng: random.Random, where: Path) -> bytes:
    start, length = rng.randrange(len(data)), rng.choice((1, 8, 64, 512, 4096))
    data[start : start + length] = bytes(len(data[start : start + length]))
    return bytes(data)


def truncate(data: bytearray, rng: random.Random, where: Path) -> bytes:
    return bytes(data[: rng.randrange(1, len(data))])


# Damages of records.


def other_cell(cell, rng: random.Random):
    """Another value, of the same type or not."""
    if rng.random() < 0.2:
        return rng.choice([0, 1, 0.5, "x", b"x", "nan"])
    if isinstance(cell, int | float):
        return rng.choice([cell + 1, -cell, float(cell), int(cell)])
    if isinstance(cell, str | bytes) and cell:
        place = rng.randrange(len(cell))
        middle = "x" if isinstance(cell, str) else b"x"
        return cell[:place] + middle + cell[place + rng.choice((0, 1)) :]
    return rng.choice([0, "", b"", "0"])


def any_record(where: Path, rng: random.Random) -> tuple[str, int]:
    table = rng.choice(list(TABLES))
    with closing(sqlite3.connect(where)) as other:
        return table, rng.choice(other.execute(f"SELECT rowid FROM {table}").fetchall())[0]


def change_cell(data: bytearray, rng: random.Random, where: Path) -> bytes:
    table, rowid = any_record(where, rng)
    column = rng.choice(["checksum", *TABLES[table]])
    with closing(sqlite3.connect(where)) as other:
        query = f"SELECT {column} FROM {table} WHERE rowid = ?"
        ((cell,),) = other.execute(query, (rowid,)).fetchall()
    update = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = ?"
    try:
        change(where, (update, (other_cell(cell, rng), rowid)))
    except sqlite3.IntegrityError:
        return change_cell(data, rng, where)
    return where.read_bytes()


def delete_part(data: bytearray, rng: random.Random, where: Path) -> bytes:
    table = rng.choice(["rows", "cuts"])
    pick = f"(SELECT rowid FROM {table} ORDER BY rowid LIMIT 1 OFFSET {rng.randrange(8)})"
    change(where, (f"DELETE FROM {table} WHERE rowid = {pick}",))
    return where.read_bytes()


def repeat_part(data: bytearray, rng: random.Random, where: Path) -> bytes:
    """A row a second time, with the right checksum."""
    columns = list(TABLES["rows"])
    with closing(sqlite3.connect(where)) as other:
        records = other.execute(f"SELECT {', '.join(columns)} FROM rows").fetchall()
    cells = dict(zip(columns, rng.choice(records), strict=True)) | {"place": 99}
    marks = ", ".join("?" * (len(cells) + 1))
    own = checksum("rows", *cells.values())
    change(where, (f"INSERT INTO rows VALUES ({marks})", (own, *cells.values())))
    return where.read_bytes()


def delete_attempt(data: bytearray, rng: random.Random, where: Path) -> bytes:
    number = rng.randrange(1, 6)
    deletes = [(f"DELETE FROM {table} WHERE attempt = {number}",) for table in ("rows", "cuts")]
    change(where, *deletes, (f"DELETE FROM attempts WHERE id = {number}",))
    return where.read_bytes()


DAMAGES = (
    *(flip_bits, flip_bits, flip_in_header, overwrite, zero, truncate),
    *(change_cell, change_cell, change_cell, delete_part, repeat_part, delete_attempt),
)


def judge(where: Path, sound: list, opening, check: bool) -> str:
    try:
        with opening(where) as journal:
            if check:
                journal.check()
            found = contents(journal)
    except LaconicError as failure:
        message = str(failure)
        assert message.startswith(f"{where}: "), message
        assert REMEDY.search(message), message
        return "noticed"
    return "harmless" if same(found, sound) else "unnoticed"


@pytest.mark.full
@pytest.mark.parametrize(("opening", "check"), [(Journal, True), (Journal.reading, False)])
def test_no_random_damage_is_unnoticed(tmp_path, opening, check):
    """Each is an error with the file and the remedy, or changes nothing that can be read."""
    original = tmp_path / "original.sqlite"
    write_journal(original)
    data = original.read_bytes()
    with Journal.reading(original) as journal:
        sound = contents(journal)
    outcomes: Counter[str] = Counter()
    for number in range(N_DAMAGES):
        rng = random.Random(number)
        where = tmp_path / f"{number}.sqlite"
        where.write_bytes(data)
        where.write_bytes(DAMAGES[number % len(DAMAGES)](bytearray(data), rng, where))
        verdict = judge(where, sound, opening, check)
        assert verdict != "unnoticed", (number, DAMAGES[number % len(DAMAGES)].__name__)
        outcomes[verdict] += 1
    assert outcomes["noticed"] > N_DAMAGES / 2
    assert outcomes["harmless"] > 0


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("part", ["first", "last"])
def test_every_cell_is_covered(tmp_path, table, part):
    original = tmp_path / "original.sqlite"
    write_journal(original)
    data = original.read_bytes()
    order = "" if part == "first" else " DESC"
    record = f"(SELECT rowid FROM {table} ORDER BY rowid{order} LIMIT 1)"
    for column in ("checksum", *TABLES[table]):
        where = tmp_path / f"{column}.sqlite"
        where.write_bytes(data)
        value = {"id": 77, "place": 77, "version": 77, "status": "ok", "attempt": 3}.get(
            column, 1.25
        )
        change(
            where, (f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = {record}", (value,))
        )
        with closing(sqlite3.connect(where)) as other:
            changed = other.execute(f"SELECT * FROM {table}").fetchall()
        with closing(sqlite3.connect(original)) as other:
            if changed == other.execute(f"SELECT * FROM {table}").fetchall():
                continue
        with Journal(where) as journal, pytest.raises(LaconicError, match="damaged"):
            journal.check()


def test_the_same_cells_in_other_types_have_other_checksums():
    values = [1, 1.0, "1", b"1", None, "", b"", 0, 0.0, -0.0, "nan"]
    assert len({checksum("rows", value) for value in values}) == len(values)
    assert checksum("rows", "ab", "c") != checksum("rows", "a", "bc")
    assert checksum("rows", 1) != checksum("cuts", 1)


def test_a_journal_of_format_1_is_refused_and_left_alone(where):
    with closing(sqlite3.connect(where)) as old:
        old.execute("CREATE TABLE attempts (id INTEGER PRIMARY KEY)")
        old.execute(f"PRAGMA application_id = {int.from_bytes(b'Laco')}")
        old.execute("PRAGMA user_version = 1")
    before = where.read_bytes()
    for opening in (Journal, Journal.reading):
        with pytest.raises(
            LaconicError, match=r"format 1, which was never released; .*Move the folder away.* -o"
        ):
            opening(where)
    assert where.read_bytes() == before


def test_of_several_versions_the_newest_counts(journal):
    old = outcome_of(0)
    task = replace(old.task, version=2)
    assert task.slot == old.task.slot
    assert task.key != old.task.key
    new = replace(old, task=task, rows=tuple(replace(row, task=task.key) for row in old.rows))
    assert journal.record(old)
    assert journal.record(new)
    assert list(journal.rows()) == list(new.rows)
    assert list(journal.rows([old.task.key])) == list(old.rows)
    assert journal.versions() == {task.slot: {1: "ok", 2: "ok"}}
    assert journal.done() == {task.key, old.task.key}
