"""The tables under a recommendation, as text: budget, test documents, and how methods were tuned.

The page and the command show the same lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from laconic.methods import keeps_all, parse_method
from laconic.studies.analysis.budget import BudgetRow
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.recommendation import HeldOutResult, Recommendation
from laconic.studies.analysis.sentences import CLASSIFIER_NAMES
from laconic.studies.layout import MODEL

UNKNOWN = "–"
THRESHOLDS = {"zero": "none", "common": "one for all labels", "separate": "one per label"}


@dataclass(frozen=True)
class BudgetLine:
    """A row of the budget table; `give_up` is in points, hundredths of the metric."""

    give_up: str
    method: str
    n_features: str
    kilobytes: str
    mistakes: str
    documents_per_second: str
    validation: str
    test: str
    model_file: str
    chosen: bool


@dataclass(frozen=True)
class ScoreLine:
    """A model on the test documents."""

    model: str
    score: str
    interval: str
    mistakes: str
    calibration_error: str


@dataclass(frozen=True)
class TuningLine:
    """What a method was trained with at the size recommended for it."""

    method: str
    n_features: str
    classifier: str
    alpha: str
    class_weights: str
    thresholds: str


def budget_lines(recommendation: Recommendation) -> tuple[BudgetLine, ...]:
    """The budget table, with the recommended model in it."""
    return tuple(_budget_line(row) for row in _with_chosen(recommendation))


def _with_chosen(recommendation: Recommendation) -> list[BudgetRow]:
    """The rows; if none of them is the recommended model, that one too, by what it gives up."""
    rows, chosen = list(recommendation.budget), recommendation.chosen
    if not rows or any(row.chosen for row in rows):
        return rows
    folder = f"{recommendation.folder}/" if recommendation.folder else ""
    row = BudgetRow(
        max(0.0, recommendation.best.mean - chosen.mean),
        chosen,
        recommendation.n_features,
        recommendation.n_bytes,
        test_score=recommendation.test_score,
        model_file=f"{folder}{MODEL}" if recommendation.n_bytes else "",
        chosen=True,
    )
    return sorted([*rows, row], key=lambda row: row.loss)


def _budget_line(row: BudgetRow) -> BudgetLine:
    candidate = row.candidate
    return BudgetLine(
        f"{100 * row.loss:.2g}",
        candidate.method,
        f"{row.n_features or candidate.n_features:,.0f}",
        _kilobytes(row.n_bytes),
        _mistakes(row.mistakes),
        _two_digits(row.documents_per_second),
        f"{candidate.mean:.3f}",
        _score(row.test_score),
        row.model_file,
        row.chosen,
    )


def score_lines(recommendation: Recommendation) -> tuple[ScoreLine, ...]:
    """The recommended model on the test documents, and all words; none without test documents."""
    chosen = recommendation.chosen
    nouns = recommendation.chosen.nouns
    words = nouns if recommendation.n_features != 1 else nouns[:-1]
    name = f"recommended: {chosen.method}, {recommendation.n_features:,} {words}"
    lines = [(name, recommendation.test)]
    if not keeps_all(chosen.method):
        lines.append((f"all {nouns}", recommendation.baseline_test))
    return tuple(_score_line(name, test) for name, test in lines if test is not None)


def _score_line(model: str, test: HeldOutResult) -> ScoreLine:
    low_high = [_score(limit) for limit in test.interval or ()]
    return ScoreLine(
        model,
        _score(test.score),
        " to ".join(low_high) or UNKNOWN,
        _mistakes(test.mistakes),
        _score(test.calibration_error),
    )


def calibration_sentence(test: HeldOutResult | None) -> str:
    """What the calibration error means; empty if the model gives no probabilities."""
    if test is None or test.calibration_error is None:
        return ""
    points = 100 * test.calibration_error
    return (
        f"Calibration error {test.calibration_error:.3f}: on average, the probability that the "
        f"recommended model gives is off by {points:.1f} percentage points."
    )


def tuning_lines(tuned: Iterable[Candidate]) -> Iterator[TuningLine]:
    for candidate in tuned:
        yield TuningLine(
            candidate.method,
            f"{candidate.n_features:,.0f}",
            _classifier(candidate),
            UNKNOWN if candidate.alpha is None else f"{candidate.alpha:g}",
            candidate.class_weight or "none",
            _thresholds(candidate),
        )


def _classifier(candidate: Candidate) -> str:
    classifier = parse_method(candidate.variant or candidate.method).classifier
    if classifier is None:
        return "part of the method"
    return CLASSIFIER_NAMES.get(classifier, classifier).removeprefix("an ")


def _thresholds(candidate: Candidate) -> str:
    if candidate.metric == "f1" and candidate.thresholding == "common":
        return "one"  # of two classes, only the positive one has a threshold
    return THRESHOLDS[candidate.thresholding]


def _score(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.3f}"


def _mistakes(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if value >= 9.5 else f"{value:.1f}"


def _kilobytes(n_bytes: int) -> str:
    if not n_bytes:
        return UNKNOWN
    kilobytes = n_bytes / 1000
    return f"{kilobytes:,.0f}" if kilobytes >= 9.95 else f"{kilobytes:.1f}"


def _two_digits(value: float | None) -> str:
    return UNKNOWN if value is None else f"{float(f'{value:.2g}'):,.0f}"
