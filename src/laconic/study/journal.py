"""`Journal`: what a study has found so far, in one file that is only appended to.

A task is written in one transaction, so it is there whole or not at all, whenever a process is
killed; and once only, however many processes try. The next start asks `done()` and goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.rows import Row, rows_file
from laconic.study import coding
from laconic.study.coding import Cell
from laconic.study.database import START_AGAIN, Database, NotStartedError
from laconic.study.lock import exclusive
from laconic.study.task import Cut, Outcome, Task, versions

__all__ = ["Journal", "PlanText", "exclusive"]

# what rows share with their task and attempt; then what is their own
SHARED = ("problem", "method", "draw", "part", "fold", "task", "versions")
NUMBERS = ("size", "value", "model_size", "n_features", "seconds", "memory")
TEXTS = ("metric", "status", "reason")
ABOUT = ("task", "status", "reason", "started", "seconds", "memory", "host", "versions", "spec")
BLOBS = ("notes", "y_signed")


@dataclass(frozen=True)
class PlanText:
    """A plan as it was started: when, its text, the command, and the keys of its tasks."""

    time: float
    text: str
    command: str
    keys: tuple[str, ...] = ()


class Journal:
    """The journal in the file `where`, which is made if it is not there.

    `timeout` is how many seconds to wait for other processes that are writing. A method that is
    given `keys` may be given those of tasks that nobody has tried: nothing is known of them yet.
    """

    def __init__(self, where: Path | str, *, timeout: float = 30.0) -> None:
        self._database = Database(Path(where), timeout)

    @classmethod
    def reading(cls, where: Path | str, *, timeout: float = 30.0) -> Self:
        """A journal for reports: it must be there, and nothing can be recorded."""
        self = cls.__new__(cls)
        self._database = Database.reading(Path(where), timeout)
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Bring what waits in the -wal file into the journal, so that it may be copied alone."""
        self._database.close()

    def check(self) -> None:
        """Read the whole file; a damaged one is an error."""
        self._database.check()

    def record(self, outcome: Outcome) -> bool:
        """Append an outcome; False, and nothing written, if the task is done already."""
        database, key = self._database, outcome.task.key
        attempt, rows, cuts = _attempt(outcome), _rows(outcome), _cuts(outcome)
        with database.transaction():
            if database.all("SELECT 1 FROM attempts WHERE task = ? AND status = 'ok'", key):
                return False
            number = database.insert("attempts", attempt)
            for place, row in enumerate(rows):
                database.insert("rows", {"attempt": number, "place": place} | row)
            for place, cut in enumerate(cuts):
                database.insert("cuts", {"attempt": number, "place": place} | cut)
        return True

    def record_words(self, data: str, words: Iterable[str]) -> None:
        """Append what the columns of the corpus `data` are called; again changes nothing."""
        words = tuple(words)
        with self._database.transaction():
            known = self.words(data)
            if known is None:
                cells: dict[str, Cell] = {"data": data, "words": coding.pack_strings(words)}
                self._database.insert("vocabularies", cells)
        if known not in (None, words):
            raise LaconicError(
                f"{self._database.where}: has other words for the corpus {data}."
                " Choose another folder for this study"
            )

    def record_plan(self, text: str, command: str, keys: Iterable[str] = ()) -> None:
        texts = {"text": coding.pack_text(text), "command": coding.pack_text(command)}
        cells: dict[str, Cell] = {"time": time(), **texts, "keys": coding.pack_strings(keys)}
        with self._database.transaction():
            self._database.insert("plans", cells)

    def done(self) -> set[str]:
        ask = "SELECT task FROM attempts WHERE status = 'ok'"
        return {key for (key,) in self._database.all(ask)}

    def failed(self) -> dict[str, str]:
        """Why the latest attempt failed, of tasks that are not done."""
        ask = (
            "SELECT a.task, a.reason FROM standing JOIN attempts a ON a.id = attempt"
            " WHERE a.status = 'failed' ORDER BY first"
        )
        with self._database.speaking():
            return {key: coding.unpack_text(why) for key, why in self._database.all(ask)}

    def tasks(self) -> list[Task]:
        """Every task that was tried, in the order of first attempts."""
        ask = "SELECT spec FROM standing JOIN attempts ON id = first ORDER BY first"
        with self._database.speaking():
            return [_task(spec) for (spec,) in self._database.all(ask)]

    def rows(self, keys: Iterable[str] | None = None) -> Iterator[Row]:
        """The rows of each task's good attempt, else of its latest.

        In the order of `keys`, else of first attempts. What is recorded after the first row was
        asked for is not among them; one task at a time is in memory.
        """
        for attempt in self._standing(keys):
            yield from self._rows(attempt)

    def outcomes(self, keys: Iterable[str] | None = None) -> Iterator[Outcome]:
        """The attempts of `rows` with everything that was recorded."""
        for attempt in self._standing(keys):
            yield self._outcome(attempt)

    def cuts(self, key: str) -> list[Cut]:
        return [cut for attempt in self._attempt_of(key) for cut in self._cuts(attempt)]

    def y_signed(self, key: str) -> NDArray[np.int8] | None:
        for attempt in self._attempt_of(key):
            with self._database.speaking():
                return _labels(self._about(attempt)["y_signed"])
        return None

    def notes(self, keys: Iterable[str] | None = None) -> list[tuple[str, ...]]:
        """Warnings in the attempts of `rows`: those of each task that gave some."""
        ask = "SELECT notes FROM attempts WHERE id = ?"
        with self._database.speaking():
            packed = [self._database.row(ask, attempt)[0] for attempt in self._standing(keys)]
            return [notes for cell in packed if (notes := coding.unpack_strings(cell))]

    def words(self, data: str) -> tuple[str, ...] | None:
        with self._database.speaking():
            found = self._database.all("SELECT words FROM vocabularies WHERE data = ?", data)
            return coding.unpack_strings(found[0][0]) if found else None

    def plans(self) -> list[PlanText]:
        found = self._database.all("SELECT time, text, command, keys FROM plans ORDER BY id")
        with self._database.speaking():
            text = coding.unpack_text
            return [
                PlanText(when, text(plan), text(command), coding.unpack_strings(keys))
                for when, plan, command, keys in found
            ]

    def latest_plan(self) -> PlanText:
        """The plan that was started last."""
        if plans := self.plans():
            return plans[-1]
        raise NotStartedError(f"{self._database.where}: has no plan. {START_AGAIN}")

    def export(self, where: Path | str, keys: Iterable[str] | None = None) -> None:
        """`rows(keys)` as a file: CSV, JSON lines or Parquet by its ending."""
        with rows_file(Path(where)) as write:
            write(self.rows(keys))

    def _standing(self, keys: Iterable[str] | None) -> list[int]:
        """The attempts that count. They never change, so they may be read one by one."""
        found = self._database.all("SELECT task, attempt FROM standing ORDER BY first")
        known = dict(found)
        return [
            known[key] for key in dict.fromkeys(known if keys is None else keys) if key in known
        ]

    def _attempt_of(self, key: str) -> list[int]:
        found = self._database.all("SELECT attempt FROM standing WHERE task = ?", key)
        return [attempt for (attempt,) in found]

    def _about(self, attempt: int) -> dict[str, Any]:
        names = ABOUT + BLOBS
        ask = f"SELECT {', '.join(names)} FROM attempts WHERE id = ?"
        return dict(zip(names, self._database.row(ask, attempt), strict=True))

    def _rows(self, attempt: int) -> list[Row]:
        ask = f"SELECT {', '.join(NUMBERS + TEXTS)} FROM rows WHERE attempt = ? ORDER BY place"
        ask_about = "SELECT spec, versions FROM attempts WHERE id = ?"
        spec, packages = self._database.row(ask_about, attempt)
        with self._database.speaking():
            task, packages = _task(spec), coding.unpack_text(packages)
            return [_row(task, packages, cells) for cells in self._database.all(ask, attempt)]

    def _cuts(self, attempt: int) -> list[Cut]:
        ask = "SELECT size, terms, chosen FROM cuts WHERE attempt = ? ORDER BY place"
        with self._database.speaking():
            return [_cut(*cells) for cells in self._database.all(ask, attempt)]

    def _outcome(self, attempt: int) -> Outcome:
        about = self._about(attempt)
        with self._database.speaking():
            return Outcome(
                _task(about["spec"]),
                about["status"],
                tuple(self._rows(attempt)),
                reason=coding.unpack_text(about["reason"]),
                cuts=tuple(self._cuts(attempt)),
                y_signed=_labels(about["y_signed"]),
                notes=coding.unpack_strings(about["notes"]),
                seconds=coding.unpack_number(about["seconds"]),
                memory=coding.unpack_number(about["memory"]),
                started=coding.unpack_number(about["started"]),
                host=coding.unpack_text(about["host"]),
            )


def _attempt(outcome: Outcome) -> dict[str, Cell]:
    return {
        "task": outcome.task.key,
        "status": outcome.status,
        "reason": coding.pack_text(outcome.reason),
        "started": coding.pack_number(outcome.started),
        "seconds": coding.pack_number(outcome.seconds),
        "memory": coding.pack_number(outcome.memory),
        "host": coding.pack_text(outcome.host),
        "versions": coding.pack_text(_packages(outcome)),
        "spec": outcome.task.to_json(),
        "notes": coding.pack_strings(outcome.notes),
        "y_signed": None if outcome.y_signed is None else coding.pack_y_signed(outcome.y_signed),
    }


def _packages(outcome: Outcome) -> str:
    return outcome.rows[0].versions if outcome.rows else versions()


def _rows(outcome: Outcome) -> list[dict[str, Cell]]:
    shared = _shared(outcome.task, _packages(outcome))
    for row in outcome.rows:
        if any(getattr(row, name) != value for name, value in shared.items()):
            raise LaconicError(
                f"{outcome.task.title}: has a row of another task ({row})."
                " Build rows from Task.row()"
            )
    return [
        {name: coding.pack_number(getattr(row, name)) for name in NUMBERS}
        | {name: coding.pack_text(getattr(row, name)) for name in TEXTS}
        for row in outcome.rows
    ]


def _row(task: Task, packages: str, cells: tuple[Any, ...]) -> Row:
    numbers = map(coding.unpack_number, cells[: len(NUMBERS)])
    texts = map(coding.unpack_text, cells[len(NUMBERS) :])
    own = zip(NUMBERS + TEXTS, (*numbers, *texts), strict=True)
    return Row(**_shared(task, packages), **dict(own))


def _shared(task: Task, packages: str) -> dict[str, Any]:
    values = (task.problem, task.method, task.draw, task.part, task.fold, task.key, packages)
    return dict(zip(SHARED, values, strict=True))


def _cuts(outcome: Outcome) -> list[dict[str, Cell]]:
    return [
        {
            "size": coding.pack_number(cut.size),
            "terms": coding.pack_terms(cut.terms),
            "chosen": coding.pack_bits(cut.chosen),
        }
        for cut in outcome.cuts
    ]


def _cut(size_cell: Cell, terms: bytes, chosen: bytes) -> Cut:
    size = coding.unpack_number(size_cell)
    return Cut(size, coding.unpack_terms(terms), coding.unpack_bits(chosen))


def _labels(blob: bytes | None) -> NDArray[np.int8] | None:
    return None if blob is None else coding.unpack_y_signed(blob)


def _task(spec: str) -> Task:
    try:
        return Task.from_json(spec)
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise coding.DamagedError(f"{spec[:60]!r} is no task ({failure})") from None
