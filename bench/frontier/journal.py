"""What was measured, one JSON line each; lines that exist are not measured again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

from laconic.errors import LaconicError
from laconic.files import ANY_FILE, draft
from laconic.studies.analysis.thresholds import Thresholding

Side: TypeAlias = Literal["ours", "peers"]
# How labels are decided: at 0, or by thresholds from the folds, as a study does.
Deciding: TypeAlias = Literal["plain", "thresholds"]


@dataclass(frozen=True)
class Validation:
    """A setting in the folds: values by metric and kind of thresholds, and bytes by form.

    Words and bytes are those of the first fold.
    """

    setting: dict[str, Any]
    n_features: int
    n_bytes: dict[str, int]
    values: dict[str, dict[Thresholding, list[float]]]
    seconds: float


@dataclass(frozen=True)
class Limit:
    """What a model may have: features, or bytes in a form."""

    n_features: int | None = None
    n_bytes: int | None = None
    form: str = "float64"


@dataclass(frozen=True)
class Answer:
    """The model that validation chose for a metric within a limit, on the test documents."""

    metric: str
    limit: Limit
    deciding: Deciding
    model: str
    validation: float
    test: float
    n_features: int
    n_bytes: int
    predictions: str = field(repr=False)
    seconds: float = 0.0

    @property
    def key(self) -> tuple[str, Limit, Deciding]:
        return self.metric, self.limit, self.deciding


@dataclass(frozen=True)
class Truth:
    """The labels of the test documents, packed, and what the corpus is."""

    rule: str
    n_classes: int
    n_train: int
    n_words: int
    shape: tuple[int, int]
    labels: str = field(repr=False)


Line: TypeAlias = Validation | Answer | Truth
KINDS: dict[str, type[Any]] = {kind.__name__.lower(): kind for kind in (Validation, Answer, Truth)}
ANSWER = b'{"kind": "answer"'


@dataclass(frozen=True)
class Journal:
    """An append-only file with the lines of one corpus and side."""

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
                self._replace(text[: text.rfind(b"\n") + 1])

    def drop_answers(self) -> None:
        lines = self.where.read_bytes().splitlines(keepends=True)
        others = [line for line in lines if not line.startswith(ANSWER)]
        if len(others) < len(lines):
            self._replace(b"".join(others))

    def _replace(self, content: bytes) -> None:
        with draft(self.where, ANY_FILE) as stream:
            stream.write(content)

    def _read(self, text: str, number: int) -> Line:
        try:
            record = dict(json.loads(text))
            return _line(KINDS[record.pop("kind")], record)
        except (ValueError, KeyError, TypeError) as error:
            raise LaconicError(
                f"{self.where}, line {number}: not a line of this benchmark ({error}). Delete the "
                "file, or choose another folder with -o"
            ) from None

    def validations(self) -> list[Validation]:
        return [line for line in self.lines() if isinstance(line, Validation)]

    def answers(self) -> list[Answer]:
        return [line for line in self.lines() if isinstance(line, Answer)]

    def truth(self) -> Truth | None:
        return next((line for line in self.lines() if isinstance(line, Truth)), None)


def _line(kind: type[Any], record: Mapping[str, Any]) -> Line:
    values = {item.name: record[item.name] for item in fields(kind)}
    if kind is Answer:
        values["limit"] = Limit(**values["limit"])
    if kind is Truth:
        values["shape"] = tuple(values["shape"])
    line: Line = kind(**values)
    return line
