"""The measurements, one JSON line per candidate; existing lines are not measured again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

from bench.frontier.families import Budget, Side
from laconic.errors import LaconicError
from laconic.files import ANY_FILE, draft

Key: TypeAlias = tuple[str, str, str, str, str, Budget]


@dataclass(frozen=True)
class Row:
    """A candidate on one task. Without a model, `refused` is the reason, and words are 0.

    `valid` and `test` have one value per metric; `answers` are the packed test predictions.
    """

    corpus: str
    part: str
    side: Side
    family: str
    settings: str
    budget: Budget
    words: int = 0
    n_bytes: int = 0
    valid: dict[str, float] | None = None
    test: dict[str, float] | None = None
    answers: str = ""
    seconds: float = 0.0
    refused: str = ""

    @property
    def key(self) -> Key:
        return (self.corpus, self.part, self.side, self.family, self.settings, self.budget)


@dataclass(frozen=True)
class Truth:
    """The packed classes of a task's test documents, and the sizes of the task."""

    corpus: str
    part: str
    n_docs: int
    n_classes: int
    n_words: int
    n_train: int
    n_valid: int
    truth: str


@dataclass(frozen=True)
class Speed:
    """Documents per second of the candidate that validation chose for at most `limit` words."""

    corpus: str
    part: str
    side: Side
    family: str
    settings: str
    budget: Budget
    limit: Budget
    rate: float
    raw: bool


Line: TypeAlias = Row | Truth | Speed
KINDS: dict[str, type[Any]] = {kind.__name__.lower(): kind for kind in (Row, Truth, Speed)}


@dataclass(frozen=True)
class Journal:
    """An append-only file with the lines of one corpus."""

    where: Path

    def add(self, line: Line) -> None:
        self.where.parent.mkdir(parents=True, exist_ok=True)
        record = {"kind": type(line).__name__.lower()} | asdict(line)
        with self.where.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")

    def lines(self) -> Iterator[Line]:
        """All complete lines; the last one may be partial after an interrupted run."""
        if not self.where.exists():
            return
        complete = self.where.read_text(encoding="utf-8").split("\n")[:-1]
        for number, text in enumerate(complete, start=1):
            yield self._read(text, number)

    def drop_partial_line(self) -> None:
        """Remove a partial last line, so the next one starts on a new line."""
        if self.where.exists():
            text = self.where.read_bytes()
            if not text.endswith(b"\n"):
                with draft(self.where, ANY_FILE) as stream:
                    stream.write(text[: text.rfind(b"\n") + 1])

    def _read(self, text: str, number: int) -> Line:
        try:
            record = json.loads(text)
            kind = KINDS[record.pop("kind")]
            line: Line = kind(**{field.name: record[field.name] for field in fields(kind)})
        except (ValueError, KeyError) as error:
            raise LaconicError(
                f"{self.where}, line {number}: not a line of this benchmark ({error}). Delete the "
                "file, or choose another folder with -o"
            ) from None
        return line


def rows_of(lines: Iterable[Line]) -> list[Row]:
    return [line for line in lines if isinstance(line, Row)]
