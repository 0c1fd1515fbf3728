"""The recommendation: the smallest model that meets the limits.

It is chosen on validation folds only, then evaluated once on the held-out test documents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from laconic.methods import keeps_all
from laconic.rows import group_pairs
from laconic.runtime.choices import Storage
from laconic.studies.analysis.budget import BudgetRow, SizeInBytes, budget_rows, choose
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.sentences import sentence_of
from laconic.studies.options import LimitOptions

DEFAULT_LIMITS = LimitOptions()


@dataclass(frozen=True)
class HeldOutResult:
    """The score of a model on the held-out test documents.

    interval : of the score, 95 %, by resampling the test documents; None if the metric has none
    mistakes : wrong decisions per 1,000 documents
    calibration_error : of the model's probabilities, if it has any: |probability − share right|
    """

    score: float
    interval: tuple[float, float] | None = None
    mistakes: float | None = None
    calibration_error: float | None = None


@dataclass(frozen=True)
class Recommendation:
    """The smallest model that meets the limits, and its test score.

    chosen, best : the recommended candidate, and the one with the highest mean
    baseline : all words, if the study measured them
    cheaper, better : the best smaller candidate, and the smallest better one
    reason : why this one; missed : the limits that no candidate meets
    test, baseline_test : on the held-out test documents; None if there are none
    budget : what giving up more or less would cost, by validation
    n_test_documents : how many there are
    n_test_evaluations : models that were chosen and evaluated on them in this folder
    n_features, n_features_in : words of the model, and words that it was chosen from
    n_bytes : of the model file
    storage : the type of its numbers
    positive_class : the class that metrics refer to, if there are two
    multilabel : whether documents have any number of labels; mistakes are then wrong labels
    smallest_tried : whether no smaller model was tried
    task_key, baseline_task_key : the tasks that evaluated the test documents
    folder : of the model, relative to the study's
    model_file_error : why the model cannot be saved
    failure : why there is no model, score, certificate or stand-in
    warnings : of the model's training
    """

    problem: str
    metric: str
    chosen: Candidate
    best: Candidate
    baseline: Candidate | None = None
    cheaper: Candidate | None = None
    better: Candidate | None = None
    reason: str = ""
    missed: str = ""
    test: HeldOutResult | None = None
    baseline_test: HeldOutResult | None = None
    budget: tuple[BudgetRow, ...] = ()
    n_test_documents: int = 0
    n_test_evaluations: int = 1
    n_features: int = 0
    n_features_in: int = 0
    n_bytes: int = 0
    storage: Storage = "float64"
    positive_class: str = ""
    multilabel: bool = False
    smallest_tried: bool = False
    task_key: str = ""
    baseline_task_key: str = ""
    folder: str = ""
    model_file_error: str = ""
    failure: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def test_score(self) -> float | None:
        return None if self.test is None else self.test.score

    @property
    def sentence(self) -> str:
        return sentence_of(self)


def recommend(
    candidates: Iterable[Candidate],
    limits: LimitOptions = DEFAULT_LIMITS,
    n_bytes: SizeInBytes = lambda candidate: 0.0,
) -> list[Recommendation]:
    """One recommendation per problem, over all methods."""
    by_problem = group_pairs((c.problem, c) for c in candidates)
    return [_recommendation(group, limits, n_bytes) for group in by_problem.values()]


def recommend_per_method(candidates: Iterable[Candidate]) -> list[Recommendation]:
    """One recommendation per problem and method, among the sizes of that method."""
    by_method = group_pairs(((c.problem, c.method), c) for c in candidates)
    return [_recommendation(group, DEFAULT_LIMITS) for group in by_method.values()]


def _recommendation(
    offered: list[Candidate], limits: LimitOptions, n_bytes: SizeInBytes = lambda candidate: 0.0
) -> Recommendation:
    baseline = next((c for c in offered if keeps_all(c.method)), None)
    choice = choose(offered, limits, n_bytes)
    chosen = choice.chosen
    return Recommendation(
        chosen.problem,
        chosen.metric,
        chosen,
        choice.best,
        baseline,
        choice.cheaper,
        choice.better,
        choice.reason,
        choice.missed,
        budget=tuple(budget_rows(offered, chosen)),
        smallest_tried=chosen.n_features == min(c.n_features for c in offered),
    )
