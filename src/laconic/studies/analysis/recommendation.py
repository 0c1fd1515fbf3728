"""The recommendation: the smallest model whose quality is within one standard error of the best.

It is chosen on validation folds only, then evaluated once on the held-out test documents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from laconic.methods import keeps_all
from laconic.rows import group_pairs
from laconic.studies.analysis.candidates import Candidate, best_of, smallest_of
from laconic.studies.analysis.sentences import sentence_of


@dataclass(frozen=True)
class Recommendation:
    """The smallest model within one standard error of the best, and its test score.

    chosen, best : the recommended candidate, and the one with the highest mean
    baseline : all words, if the study measured them
    test_score, baseline_test_score : on the held-out test documents; None if there are none
    n_test_documents : how many there are
    n_test_evaluations : models evaluated on them in this folder, without those of all words
    n_features, n_features_in : words of the model, and words that it was chosen from
    positive_class : the class that metrics refer to, if there are two
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
    test_score: float | None = None
    baseline_test_score: float | None = None
    n_test_documents: int = 0
    n_test_evaluations: int = 1
    n_features: int = 0
    n_features_in: int = 0
    positive_class: str = ""
    smallest_tried: bool = False
    task_key: str = ""
    baseline_task_key: str = ""
    folder: str = ""
    model_file_error: str = ""
    failure: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        return sentence_of(self)


def recommend(candidates: Iterable[Candidate]) -> list[Recommendation]:
    """One recommendation per problem, over all methods."""
    by_problem = group_pairs((c.problem, c) for c in candidates)
    return [_recommendation(group) for group in by_problem.values()]


def recommend_per_method(candidates: Iterable[Candidate]) -> list[Recommendation]:
    """One recommendation per problem and method, among the sizes of that method."""
    by_method = group_pairs(((c.problem, c.method), c) for c in candidates)
    return [_recommendation(group) for group in by_method.values()]


def _recommendation(offered: list[Candidate]) -> Recommendation:
    baseline = next((c for c in offered if keeps_all(c.method)), None)
    chosen, best = smallest_of(offered), best_of(offered)
    smallest = chosen.n_features == min(candidate.n_features for candidate in offered)
    return Recommendation(
        chosen.problem, chosen.metric, chosen, best, baseline, smallest_tried=smallest
    )
