"""Trains and measures the candidates that a journal lacks, family by family."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from bench.frontier.corpora import Task
from bench.frontier.families import Asked, Budget, Family, Made, room
from bench.frontier.journal import Journal, Key, Row, Truth, rows_of
from bench.frontier.scoring import METRICS, packed
from laconic.errors import LaconicError

Say = Callable[[str], None]


def measure(
    task: Task,
    families: Sequence[Family],
    budgets: Sequence[Budget],
    journal: Journal,
    say: Say = print,
) -> None:
    """What is in the journal is not measured again; a failed family is told, and stays open."""
    journal.mend()
    lines = list(journal.lines())
    if not any(isinstance(line, Truth) and line.part == task.part for line in lines):
        journal.add(truth_of(task))
    done = {row.key for row in rows_of(lines)}
    place = f"{task.corpus}/{task.part}" if task.part else task.corpus
    for family in families:
        asked = lacking(task, family, budgets, done)
        if not asked:
            continue
        began = process_time()
        try:
            n_new = measure_family(task, family, asked, journal)
        except Exception as error:  # the others are still measured
            traceback.print_exc()
            say(f"FAILED {place}: {family.name}: {type(error).__name__}, see the error stream")
        else:
            say(f"{place}: {family.name}, {n_new} measured in {process_time() - began:.1f} s")


def lacking(task: Task, family: Family, budgets: Sequence[Budget], done: set[Key]) -> Asked:
    """Settings and budgets without a row."""
    found: dict[str, list[Budget]] = {}
    for name in family.settings:
        for budget in sorted(family.asked(budgets), key=room):
            key = (task.corpus, task.part, family.side, family.name, name, budget)
            if key not in done:
                found.setdefault(name, []).append(budget)
    return found


def measure_family(task: Task, family: Family, asked: Asked, journal: Journal) -> int:
    n_new, began = 0, process_time()
    for settings, budget, made in family.make(family, task, asked):
        key = (task.corpus, task.part, family.side, family.name, settings, budget)
        seconds = process_time() - began
        if isinstance(made, str):
            journal.add(Row(*key, refused=made))
        else:
            journal.add(row_of(Row(*key, seconds=round(seconds, 3)), task, made))
        n_new, began = n_new + 1, process_time()
    return n_new


def row_of(row: Row, task: Task, made: Made) -> Row:
    if made.words > room(row.budget):
        raise LaconicError(
            f"{row.family}, {row.settings}: {made.words} words where {row.budget} are allowed. "
            "A family must keep to its budget"
        )
    answers = made.answers(task.test)
    held_out = made.answers(task.valid)
    told = row.__dict__ | {
        "words": made.words,
        "n_bytes": bytes_of(made),
        "valid": {name: value(held_out, task.valid.truth) for name, value in METRICS.items()},
        "test": {name: value(answers, task.test.truth) for name, value in METRICS.items()},
        "answers": packed(answers),
    }
    return Row(**told)


def bytes_of(made: Made) -> int:
    """Of the files, as they lie on the disk."""
    with TemporaryDirectory() as folder:
        made.save(Path(folder))
        return sum(file.stat().st_size for file in Path(folder).iterdir())


def truth_of(task: Task) -> Truth:
    n_docs, n_classes = task.test.truth.shape
    sizes = (task.n_words, task.train.X.shape[0], task.valid.X.shape[0])
    return Truth(task.corpus, task.part, n_docs, n_classes, *sizes, packed(task.test.truth))
