"""What was measured, one JSON line a candidate; what is there is not measured again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

from bench.frontier.families import Budget, Side
from laconic.errors import LaconicError

Key: TypeAlias = tuple[str, str, str, str, str, Budget]


@dataclass(frozen=True)
class Row:
    """A candidate on one task. Where there was no model, `refused` says why, and words are 0.

    `valid` and `test` have a value a measure; `answers` are those about the test documents, packed.
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
    """The classes of a task's test documents, packed, and what there is of it."""

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
    """Documents a second of the candidate that validation chose."""

    corpus: str
    part: str
    side: Side
    family: str
    settings: str
    budget: Budget
    asked: Budget
    rate: float
    raw: bool


Line: TypeAlias = Row | Truth | Speed
KINDS: dict[str, type[Any]] = {kind.__name__.lower(): kind for kind in (Row, Truth, Speed)}


@dataclass(frozen=True)
class Journal:
    """The lines of one corpus in a file, appended to."""

    where: Path

    def add(self, line: Line) -> None:
        self.where.parent.mkdir(parents=True, exist_ok=True)
        told = {"kind": type(line).__name__.lower()} | asdict(line)
        with self.where.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(told, ensure_ascii=False) + "\n")

    def lines(self) -> Iterator[Line]:
        """All whole lines; the last one may have been cut off when a run was ended."""
        if not self.where.exists():
            return
        whole = self.where.read_text(encoding="utf-8").split("\n")[:-1]
        for number, text in enumerate(whole, start=1):
            yield self._read(text, number)

    def mend(self) -> None:
        """Leaves out a last line that was cut off, so that the next one stands alone."""
        if self.where.exists():
            text = self.where.read_bytes()
            if not text.endswith(b"\n"):
                self.where.write_bytes(text[: text.rfind(b"\n") + 1])

    def _read(self, text: str, number: int) -> Line:
        try:
            told = json.loads(text)
            kind = KINDS[told.pop("kind")]
            line: Line = kind(**{field.name: told[field.name] for field in fields(kind)})
        except (ValueError, KeyError) as wrong:
            raise LaconicError(
                f"{self.where}, line {number}: no line of this bench ({wrong}). Delete the file, "
                "or choose another folder with -o"
            ) from None
        return line


def rows_of(lines: Iterable[Line]) -> list[Row]:
    return [line for line in lines if isinstance(line, Row)]
