"""Is every finished task there whole and once, whatever happens to the processes?"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from laconic.errors import LaconicError
from laconic.studies.execution.task import Outcome
from laconic.studies.journal.journal import Journal, exclusive
from tests.studies.journal.writers import (
    PROCESSES,
    hold,
    outcome_of,
    record_all,
    record_forever,
    task_of,
)
from tests.studies.outcomes import assert_outcome, same

pytestmark = pytest.mark.full

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
        found = {outcome.task.draw: outcome for outcome in journal.outcomes()}
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
    expected = outcome_of(found.task.draw)
    return (
        found.rows == expected.rows
        and same(found.cuts, expected.cuts)
        and same(found.y_signed, expected.y_signed)
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
            numbers = [task.draw for task in journal.tasks()]
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
        assert [task.draw for task in journal.tasks()] == [0]
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
        refused = rf"another study \(process {pid} on .+\) is running here\. Wait for it, or choose"
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
