"""Other processes at a journal, and what they write there."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from laconic.errors import LaconicError
from laconic.studies.execution.task import Cut, Outcome, Task
from laconic.studies.journal.journal import Journal, exclusive

# starts with the imports done, and forks from one thread
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["laconic.studies.journal.journal"])


def task_of(number: int, **changes) -> Task:
    task = Task(
        data="d",
        problem="earn",
        part="validation",
        fold=f"fold {number}",
        split="5 folds",
        text="ltc",
        method="IG",
        draw=number,
        sizes=(10, 0.5),
        metrics=("accuracy", "f1"),
    )
    return replace(task, **changes)


def outcome_of(number: int, n_docs: int = 200) -> Outcome:
    """A good outcome that its number determines, over a few pages of the file."""
    task, rng = task_of(number), np.random.default_rng(number)
    rows = tuple(
        replace(task.row(), size=asked, metric=metric, value=float(rng.random()), model_size=3)
        for asked in task.sizes
        for metric in task.metrics
    )
    cuts = tuple(
        Cut(asked, np.sort(rng.choice(10**6, 900)), rng.random((n_docs, 40)) < 0.5)
        for asked in task.sizes
    )
    y_signed = rng.choice(np.array([-1, 0, 1], dtype=np.int8), (n_docs, 40))
    return Outcome(task, "ok", rows, cuts=cuts, y_signed=y_signed, notes=(f"note {number}",))


def record_all(where: Path, numbers: list[int], answers) -> None:
    with Journal(where) as journal:
        answers.put([number for number in numbers if journal.record(outcome_of(number))])


def record_forever(where: Path, acknowledged: Path, start: int) -> None:
    """Every number whose task was recorded is noted after `record` has returned, at once."""
    ack = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    journal = Journal(where)
    for number in range(start, start + 10**6):
        assert journal.record(outcome_of(number))
        os.write(ack, f"{number}\n".encode())


def record_within(where: Path, limit: int, answers) -> None:
    """Record until files may not grow any more; tell what was recorded and what was said."""
    done = []
    with Journal(where) as journal:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            for number in range(1000):
                journal.record(outcome_of(number))
                done.append(number)
        except LaconicError as failure:
            answers.put((done, str(failure)))


def hold(where: Path, answers, fork: bool) -> None:
    with exclusive(where):
        child = os.fork() if fork else 0
        if fork and not child:
            time.sleep(60)
            os._exit(0)
        answers.put((os.getpid(), child))
        time.sleep(60)


def without_rights(work, folder: Path, answers) -> None:
    """Do work as a user who owns nothing; root may write anywhere."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setegid(65534)
        os.seteuid(65534)
    try:
        answers.put(work(folder))
    except LaconicError as failure:
        answers.put(str(failure))


def open_for_writing(folder: Path) -> str:
    Journal(folder / "journal.sqlite").close()
    return "opened"


def lock(folder: Path) -> str:
    with exclusive(folder / "journal.sqlite"):
        return "locked"


def read_keys(folder: Path) -> list[str]:
    with Journal.reading(folder / "journal.sqlite") as journal:
        return sorted(journal.done())


if sys.platform == "win32":
    raise ImportError("forks")
