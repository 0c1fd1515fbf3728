"""`View`: everything that a report shows, as frozen values. Read from a study's folder.

An unfinished study has a view too, of the results so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from laconic.compact import CompactModel
from laconic.studies.analysis.comparisons import Comparison, SelectionStability
from laconic.studies.analysis.projection_map import Directions
from laconic.studies.words import Word
from laconic.text.summary import CorpusSummary
from laconic.types import Size


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
    n_folds: int


@dataclass(frozen=True)
class Cost:
    """Time and memory of a method for all its sizes, mean over folds, and its best result."""

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
    method_a: str
    method_b: str
    size: Size
    n_shared: float
    jaccard: float


@dataclass(frozen=True)
class Confusion:
    """Test documents by true class (row) and prediction (column); the last of each is "none"."""

    classes: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Detail:
    """One problem in detail: its recommendation, words, model, certificate and confusion.

    `words_file` is the table of all words, relative to the study's folder.
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
    words_file: str = ""


@dataclass(frozen=True)
class View:
    """Everything that a report shows. `metric` is that of the recommendation."""

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
    corpora: tuple[CorpusSummary, ...]
    failures: Mapping[str, str]
    warnings: Mapping[str, int]
    command: str
    plan: str
    versions: tuple[str, ...]
    created: str
    maps: tuple[Directions, ...] = ()
