"""`View`: everything that a report shows, as frozen values. Read from a study's folder.

An unfinished study has a view too, of the results so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from laconic.compact import CompactModel
from laconic.report.answer_tables import BudgetLine, ScoreLine, TuningLine
from laconic.studies.analysis.comparisons import Comparison, SelectionStability
from laconic.studies.analysis.projection_map import Directions
from laconic.studies.feature_choice import FeatureChoice
from laconic.studies.journal.journal import WorkerUse
from laconic.studies.words import Word
from laconic.text.summary import CorpusSummary
from laconic.types import Size


@dataclass(frozen=True)
class Answer:
    """The sentence of a recommendation; `warning` if its test score is far below validation."""

    sentence: str
    warning: str = ""


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

    `words_file` is the table of all words, relative to the study's folder. `metric` is the one that
    decides, with its class. `scores` are of the test documents, whose number is `n_test_documents`.
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
    metric: str = ""
    budget: tuple[BudgetLine, ...] = ()
    scores: tuple[ScoreLine, ...] = ()
    calibration: str = ""
    tuning: tuple[TuningLine, ...] = ()
    n_test_documents: int = 0


@dataclass(frozen=True)
class View:
    """Everything that a report shows.

    `deciding_metrics` are those of the recommendations, by problem; `quality` says it in words.
    `folder` is the study's.
    """

    title: str
    quality: str
    deciding_metrics: Mapping[str, str]
    methods: tuple[str, ...]
    problems: tuple[str, ...]
    finished: bool
    progress: str
    answers: tuple[Answer, ...]
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
    workers: tuple[WorkerUse, ...] = ()
    maps: tuple[Directions, ...] = ()
    features: tuple[FeatureChoice, ...] = ()
    folder: Path | None = None
