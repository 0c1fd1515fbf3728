"""`View`: all that a report shows, as frozen values. Made from a study's folder, drawn elsewhere.

A study that is not finished has a view too: of what is there so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from laconic.compact import CompactModel
from laconic.rows import Size
from laconic.study.comparing import Comparison, SelectionStability
from laconic.study.directions import Directions
from laconic.study.words import Word


@dataclass(frozen=True)
class Point:
    """A method at a size: mean over folds with its confidence limits (NaN for one fold)."""

    problem: str
    method: str
    metric: str
    size: Size
    n_features: float
    mean: float
    low: float
    high: float
    folds: int


@dataclass(frozen=True)
class Cost:
    """What a method took for all its sizes, mean over folds, beside the best it reached."""

    problem: str
    method: str
    seconds: float
    memory: int
    best: float
    n_features: float


@dataclass(frozen=True)
class Overlap:
    """How many words two methods share at one size, mean over folds."""

    problem: str
    a: str
    b: str
    size: Size
    shared: float
    jaccard: float


@dataclass(frozen=True)
class Confusion:
    """Test documents by true class (row) and answer (column); the last row and column are none."""

    classes: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Detail:
    """One problem closely: its recommendation, words, model, certificate and confusion.

    `place` is its folder within that of the study; empty where they are the same.
    """

    problem: str
    sentence: str
    method: str = ""
    size: Size = 0
    n_features: float = 0.0
    words: tuple[Word, ...] = ()
    classes: tuple[str, ...] = ()
    certificate: tuple[str, ...] = ()
    confusion: Confusion | None = None
    model: CompactModel | None = field(default=None, repr=False)
    model_note: str = ""
    place: str = ""


@dataclass(frozen=True)
class View:
    """Everything that a report shows. `goal` is the measure of the recommendation."""

    title: str
    metric: str
    metrics: tuple[str, ...]
    methods: tuple[str, ...]
    problems: tuple[str, ...]
    finished: bool
    progress: str
    sentences: tuple[str, ...]
    points: tuple[Point, ...]
    costs: tuple[Cost, ...]
    overlaps: tuple[Overlap, ...]
    comparisons: tuple[Comparison, ...]
    stability: tuple[SelectionStability, ...]
    details: tuple[Detail, ...]
    cards: tuple[Mapping[str, Any], ...]
    failed: Mapping[str, str]
    notes: Mapping[str, int]
    command: str
    plan: str
    versions: tuple[str, ...]
    made: str
    maps: tuple[Directions, ...] = ()
