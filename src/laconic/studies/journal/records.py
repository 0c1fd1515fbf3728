"""Outcomes as records of the journal's tables, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from laconic.errors import LaconicError
from laconic.rows import Row
from laconic.studies.execution.task import Cut, Outcome, Task
from laconic.studies.journal import codec
from laconic.studies.journal.codec import checksum
from laconic.studies.journal.database import Record, checksum_of
from laconic.types import Int8s

TASK_COLUMNS, OWN_COLUMNS = Row.task_columns(), Row.own_columns()


def attempt_record(
    number: int, outcome: Outcome, rows: Sequence[Record], cuts: Sequence[Record]
) -> Record:
    like = outcome.rows[0] if outcome.rows else outcome.task.row()
    return {
        "id": number,
        "status": outcome.status,
        "reason": codec.pack_text(outcome.reason),
        "started": codec.pack_number(outcome.started),
        "seconds": codec.pack_number(outcome.seconds),
        "memory": codec.pack_number(outcome.memory),
        "host": codec.pack_text(outcome.host),
        "slot": outcome.task.slot,
        "version": outcome.task.version,
        "spec": outcome.task.to_json(),
        "rows_checksum": checksum("rows", *(checksum_of("rows", row) for row in rows)),
        "cuts_checksum": checksum("cuts", *(checksum_of("cuts", cut) for cut in cuts)),
        "notes": codec.pack_strings(outcome.notes),
        "y_signed": None if outcome.y_signed is None else codec.pack_y_signed(outcome.y_signed),
        **packed(like, TASK_COLUMNS),
    }


def numbered(attempt: int, records: Iterable[Record]) -> list[Record]:
    return [{"attempt": attempt, "place": place} | cells for place, cells in enumerate(records)]


def row_records(outcome: Outcome) -> list[Record]:
    """The columns that differ between the rows; the others must not."""
    shared = {_shared(row) for row in outcome.rows}
    if len(shared) > 1 or any(row.task != outcome.task.key for row in outcome.rows):
        raise LaconicError(
            f"{outcome.task.title}: has a row of another task. Build rows from Task.row()"
        )
    return [packed(row, OWN_COLUMNS) for row in outcome.rows]


def _shared(row: Row) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in TASK_COLUMNS)


def packed(row: Row, columns: dict[str, type]) -> Record:
    return {name: codec.pack(getattr(row, name), of) for name, of in columns.items()}


def unpacked(cells: Record, columns: dict[str, type]) -> dict[str, Any]:
    return {name: codec.unpack(cells[name], of) for name, of in columns.items()}


def cut_records(outcome: Outcome) -> list[Record]:
    return [
        {
            "size": codec.pack_number(cut.size),
            "terms": codec.pack_terms(cut.terms),
            "chosen": codec.pack_bits(cut.chosen),
            "decision": None if cut.decision is None else codec.pack_array(cut.decision),
            "alpha": codec.pack_number(cut.alpha),
            "tuning": None if cut.tuning is None else codec.pack_array(cut.tuning),
        }
        for cut in outcome.cuts
    ]


def cut_of(cells: Record) -> Cut:
    decision, tuning = (
        None if cells[name] is None else codec.unpack_array(cells[name])
        for name in ("decision", "tuning")
    )
    return Cut(
        codec.unpack_number(cells["size"]),
        codec.unpack_terms(cells["terms"]),
        codec.unpack_bits(cells["chosen"]),
        decision,
        codec.unpack_number(cells["alpha"]),
        tuning,
    )


def labels_of(blob: bytes | None) -> Int8s | None:
    return None if blob is None else codec.unpack_y_signed(blob)


def task_of(spec: str) -> Task:
    try:
        return Task.from_json(spec)
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise codec.DamagedError(f"{spec[:60]!r} is not a task ({failure})") from None
