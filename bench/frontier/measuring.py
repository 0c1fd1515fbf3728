"""Trains and measures the candidates that are missing in a journal, family by family."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from bench.frontier.corpora import Task
from bench.frontier.families import Budget, Family, Requests, TrainedModel, room
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
    """Measure what is not in the journal; a failed family is reported, and can be run again."""
    journal.drop_partial_line()
    lines = list(journal.lines())
    if not any(isinstance(line, Truth) and line.part == task.part for line in lines):
        journal.add(truth_of(task))
    done = {row.key for row in rows_of(lines)}
    place = f"{task.corpus}/{task.part}" if task.part else task.corpus
    for family in families:
        requests = missing(task, family, budgets, done)
        if not requests:
            continue
        began = process_time()
        try:
            n_new = measure_family(task, family, requests, journal)
        except Exception as error:  # the others are still measured
            traceback.print_exc()
            say(f"FAILED {place}: {family.name}: {type(error).__name__}, see the error stream")
        else:
            say(f"{place}: {family.name}, {n_new} measured in {process_time() - began:.1f} s")


def missing(task: Task, family: Family, budgets: Sequence[Budget], done: set[Key]) -> Requests:
    """Settings and budgets without a row."""
    requests: dict[str, list[Budget]] = {}
    for name in family.settings:
        for budget in sorted(family.supported(budgets), key=room):
            key = (task.corpus, task.part, family.side, family.name, name, budget)
            if key not in done:
                requests.setdefault(name, []).append(budget)
    return requests


def measure_family(task: Task, family: Family, requests: Requests, journal: Journal) -> int:
    n_new, began = 0, process_time()
    for settings, budget, model in family.make(family, task, requests):
        key = (task.corpus, task.part, family.side, family.name, settings, budget)
        seconds = process_time() - began
        if isinstance(model, str):
            journal.add(Row(*key, refused=model))
        else:
            journal.add(row_of(Row(*key, seconds=round(seconds, 3)), task, model))
        n_new, began = n_new + 1, process_time()
    return n_new


def row_of(row: Row, task: Task, model: TrainedModel) -> Row:
    if model.words > room(row.budget):
        raise LaconicError(
            f"{row.family}, {row.settings}: {model.words} words where {row.budget} are allowed. "
            "A family must keep to its budget"
        )
    answers = model.answers(task.test)
    held_out = model.answers(task.valid)
    fields = row.__dict__ | {
        "words": model.words,
        "n_bytes": bytes_of(model),
        "valid": {name: value(held_out, task.valid.truth) for name, value in METRICS.items()},
        "test": {name: value(answers, task.test.truth) for name, value in METRICS.items()},
        "answers": packed(answers),
    }
    return Row(**fields)


def bytes_of(model: TrainedModel) -> int:
    """The size of the saved files."""
    with TemporaryDirectory() as folder:
        model.save(Path(folder))
        return sum(file.stat().st_size for file in Path(folder).iterdir())


def truth_of(task: Task) -> Truth:
    n_docs, n_classes = task.test.truth.shape
    sizes = (task.n_words, task.train.X.shape[0], task.valid.X.shape[0])
    return Truth(task.corpus, task.part, n_docs, n_classes, *sizes, packed(task.test.truth))
