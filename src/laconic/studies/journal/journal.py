"""`Journal`: what a study has measured so far, in one file that is only appended to.

A task is written in one transaction, so it is there completely or not at all, whenever a process is
killed; and once only, however many processes try. The next start reads `done()` and continues.

The *slot* of a task is everything that it is apart from the version of its method. Of several
versions in one slot, the newest counts where no keys are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import NamedTuple, Self

from laconic.errors import LaconicError
from laconic.row_files import rows_file
from laconic.rows import Row, group_pairs
from laconic.studies.execution.task import Cut, Outcome, Task
from laconic.studies.journal import codec
from laconic.studies.journal.database import START_AGAIN, Database, NotStartedError, Record
from laconic.studies.journal.lock import exclusive
from laconic.studies.journal.records import (
    OWN_COLUMNS,
    TASK_COLUMNS,
    attempt_record,
    cut_of,
    cut_records,
    labels_of,
    numbered,
    row_records,
    task_of,
    unpacked,
)
from laconic.types import Int8s

__all__ = ["Journal", "PlanText", "exclusive"]


@dataclass(frozen=True)
class PlanText:
    """A plan as it was started: when, its text, the command, and the keys of its tasks."""

    time: float
    text: str
    command: str
    keys: tuple[str, ...] = ()


class Attempt(NamedTuple):
    """What is kept in memory of an attempt at a task."""

    id: int
    task: str
    slot: str
    version: int
    status: str
    reason: str
    host: str
    seconds: float
    memory: int | None


class WorkerUse(NamedTuple):
    """What a worker of a cluster, or a machine, did: tasks, seconds, and the peak of its memory."""

    host: str
    n_tasks: int
    seconds: float
    memory: int | None


class Journal:
    """The journal in the file `where`, which is created if there is none.

    `timeout` is how many seconds to wait for other processes that are writing. Methods with `keys`
    ignore those of tasks that were not tried yet. Every record that is read is verified.
    """

    def __init__(self, where: Path | str, *, timeout: float = 30.0) -> None:
        self._database = Database(Path(where), timeout)
        self._attempts: list[Attempt] = []

    @classmethod
    def reading(cls, where: Path | str, *, timeout: float = 30.0) -> Self:
        """A journal for reports: it must exist, and nothing can be recorded."""
        self = cls.__new__(cls)
        self._database = Database.reading(Path(where), timeout)
        self._attempts = []
        self._database.check()
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Move what is in the -wal file into the journal, so it can be copied as one file."""
        self._database.close()

    def check(self) -> None:
        """Verify the whole file and every record in it; a damaged one is an error."""
        self._database.check()
        for attempt in self._all_attempts():
            self._outcome(attempt.id)
        for record in self._database.records("vocabularies"):
            self.words(record["data"])
        self.plans()

    def record(self, outcome: Outcome) -> bool:
        """Append an outcome; False, and nothing written, if the task is done already."""
        database, key = self._database, outcome.task.key
        with database.transaction():
            if database.all("SELECT 1 FROM attempts WHERE task = ? AND status = 'ok'", key):
                return False
            number = database.next_id("attempts")
            rows = numbered(number, row_records(outcome))
            cuts = numbered(number, cut_records(outcome))
            database.insert("attempts", attempt_record(number, outcome, rows, cuts))
            for row in rows:
                database.insert("rows", row)
            for cut in cuts:
                database.insert("cuts", cut)
        return True

    def record_words(self, data: str, words: Iterable[str]) -> None:
        """Append the names of the columns of the corpus `data`; again changes nothing."""
        words = tuple(words)
        with self._database.transaction():
            recorded = self.words(data)
            if recorded is None:
                cells = {"data": data, "words": codec.pack_strings(words)}
                self._database.insert("vocabularies", cells)
        if recorded not in (None, words):
            raise LaconicError(
                f"{self._database.where}: has other words for the corpus {data}."
                " Choose another folder for this study"
            )

    def record_plan(self, text: str, command: str, keys: Iterable[str] = ()) -> None:
        cells = {"time": time(), "text": codec.pack_text(text)}
        cells |= {"command": codec.pack_text(command), "keys": codec.pack_strings(keys)}
        with self._database.transaction():
            self._database.insert("plans", cells | {"id": self._database.next_id("plans")})

    def done(self) -> set[str]:
        return {attempt.task for attempt in self._all_attempts() if attempt.status == "ok"}

    def failed(self) -> dict[str, str]:
        """Why the latest attempt failed, of tasks that are not done."""
        latest = self._latest().values()
        return {attempt.task: attempt.reason for attempt in latest if attempt.status == "failed"}

    def versions(self) -> dict[str, dict[int, str]]:
        """For each slot the versions of its method that were tried, with their status."""
        versions: dict[str, dict[int, str]] = {}
        for attempt in self._latest().values():
            versions.setdefault(attempt.slot, {})[attempt.version] = attempt.status
        return versions

    def attempts(self, keys: Iterable[str]) -> list[int]:
        """The numbers of the attempts that count for these tasks."""
        return self._standing(keys)

    def workers(self, keys: Iterable[str]) -> list[WorkerUse]:
        """Where these tasks were run, by name."""
        latest = self._latest()
        attempts = [latest[key] for key in keys if key in latest]
        return [
            WorkerUse(
                host,
                len(of_host),
                sum(attempt.seconds for attempt in of_host),
                max((attempt.memory for attempt in of_host if attempt.memory), default=None),
            )
            for host, of_host in sorted(group_pairs((a.host, a) for a in attempts).items())
        ]

    def tasks(self) -> list[Task]:
        """Every task that was tried, in the order of first attempts."""
        specs = (self._attempt(attempt.id)["spec"] for attempt in self._latest().values())
        with self._database.reporting():
            return [task_of(spec) for spec in specs]

    def rows(self, keys: Iterable[str] | None = None) -> Iterator[Row]:
        """The rows of each task's successful attempt, or else of its latest.

        In the order of `keys`, or of first attempts. What is recorded after the first row was
        requested is not included; one task at a time is in memory.
        """
        for attempt in self._standing(keys):
            yield from self._rows(self._attempt(attempt))

    def outcomes(self, keys: Iterable[str] | None = None) -> Iterator[Outcome]:
        """The attempts of `rows` with everything that was recorded."""
        for attempt in self._standing(keys):
            yield self._outcome(attempt)

    def cuts(self, key: str) -> list[Cut]:
        return [cut for attempt in self._standing([key]) for cut in self._cuts(attempt)]

    def y_signed(self, key: str) -> Int8s | None:
        for attempt in self._standing([key]):
            with self._database.reporting():
                return labels_of(self._attempt(attempt)["y_signed"])
        return None

    def notes(self, keys: Iterable[str] | None = None) -> list[tuple[str, ...]]:
        """The warnings of the attempts of `rows`, for each task that has any."""
        packed = [self._attempt(attempt)["notes"] for attempt in self._standing(keys)]
        with self._database.reporting():
            return [notes for cell in packed if (notes := codec.unpack_strings(cell))]

    def words(self, data: str) -> tuple[str, ...] | None:
        records = self._database.records("vocabularies", "WHERE data = ?", data)
        if not records:
            self._database.records("vocabularies")  # a damaged one could be it
            return None
        with self._database.reporting():
            return codec.unpack_strings(records[0]["words"])

    def plans(self) -> list[PlanText]:
        text = codec.unpack_text
        records = self._database.numbered("plans")
        with self._database.reporting():
            return [
                PlanText(
                    record["time"],
                    text(record["text"]),
                    text(record["command"]),
                    codec.unpack_strings(record["keys"]),
                )
                for record in records
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

    def _all_attempts(self) -> list[Attempt]:
        """All attempts by id. They never change, so only new ones are read."""
        with self._database.reporting():
            self._attempts += [
                Attempt(
                    record["id"],
                    record["task"],
                    record["slot"],
                    record["version"],
                    record["status"],
                    codec.unpack_text(record["reason"]),
                    codec.unpack_text(record["host"]),
                    codec.unpack_number(record["seconds"]),
                    codec.unpack_number(record["memory"]),
                )
                for record in self._database.numbered("attempts", len(self._attempts))
            ]
        return self._attempts

    def _latest(self) -> dict[str, Attempt]:
        """The attempt that counts for each task, in the order of first attempts.

        It is the latest, because a task that is done is not tried again.
        """
        return {attempt.task: attempt for attempt in self._all_attempts()}

    def _standing(self, keys: Iterable[str] | None) -> list[int]:
        """The ids of the attempts that count."""
        latest = self._latest()
        if keys is None:
            newest: dict[str, int] = {}
            for attempt in latest.values():
                newest[attempt.slot] = max(attempt.version, newest.get(attempt.slot, 0))
            return [a.id for a in latest.values() if a.version == newest[a.slot]]
        return [latest[key].id for key in dict.fromkeys(keys) if key in latest]

    def _attempt(self, number: int) -> Record:
        records = self._database.records("attempts", "WHERE id = ?", number)
        with self._database.reporting():
            if len(records) != 1:
                raise codec.DamagedError(f"{len(records)} attempts have the number {number}")
        return records[0]

    def _rows(self, attempt: Record) -> list[Row]:
        records = self._database.parts("rows", attempt["id"], attempt["rows_checksum"])
        with self._database.reporting():
            shared = unpacked(attempt, TASK_COLUMNS)
            return [Row(**shared, **unpacked(cells, OWN_COLUMNS)) for cells in records]

    def _cuts(self, number: int) -> list[Cut]:
        expected = self._attempt(number)["cuts_checksum"]
        records = self._database.parts("cuts", number, expected)
        with self._database.reporting():
            return [cut_of(cells) for cells in records]

    def _outcome(self, number: int) -> Outcome:
        attempt = self._attempt(number)
        rows, cuts = tuple(self._rows(attempt)), tuple(self._cuts(number))
        with self._database.reporting():
            return Outcome(
                task_of(attempt["spec"]),
                attempt["status"],
                rows,
                reason=codec.unpack_text(attempt["reason"]),
                cuts=cuts,
                y_signed=labels_of(attempt["y_signed"]),
                notes=codec.unpack_strings(attempt["notes"]),
                seconds=codec.unpack_number(attempt["seconds"]),
                memory=codec.unpack_number(attempt["memory"]),
                started=codec.unpack_number(attempt["started"]),
                host=codec.unpack_text(attempt["host"]),
            )
