"""The sentence of a recommendation: what to use, why, and its test score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from laconic.methods import keeps_all, projects

if TYPE_CHECKING:
    from laconic.studies.analysis.recommendation import Recommendation


def sentence_of(recommendation: Recommendation) -> str:
    if recommendation.best.mean <= 0:
        return (
            f"{recommendation.problem}: no recommendation: every method scores 0 at every size by "
            f"{_metric(recommendation)}. Are there enough documents per class?"
        )
    parts = (_choice(recommendation), _reason(recommendation), _test(recommendation))
    return " ".join(filter(None, parts))


def _metric(recommendation: Recommendation) -> str:
    positive = recommendation.positive_class
    return f"{recommendation.metric} (class {positive})" if positive else recommendation.metric


def _choice(recommendation: Recommendation) -> str:
    chosen, baseline = recommendation.chosen, recommendation.baseline
    n, n_in = recommendation.n_features, recommendation.n_features_in
    if not n_in and baseline is not None:
        n, n_in = round(chosen.n_features), round(baseline.n_features)
    n = n or round(chosen.n_features)
    use = f"{recommendation.problem}: use"
    if keeps_all(chosen.method):
        return f"{use} all {n:,} words."
    model = replace(chosen, n_features=float(n)).description
    if not n_in or projects(chosen.method):
        return f"{use} {model}."
    return f"{use} {model} ({n / n_in:.1%} of {n_in:,})."


def _reason(recommendation: Recommendation) -> str:
    chosen, best = recommendation.chosen, recommendation.best
    score = f"In validation its {_metric(recommendation)} is {chosen.mean:.3f}"
    if chosen != best:
        return (
            f"{score}, within one standard error ({best.se:.3f}) of the best, "
            f"{best.description} ({best.mean:.3f})."
        )
    if recommendation.smallest_tried:
        return f"{score}, the best result; no smaller model was tried."
    near = f"is within {best.se:.3f} of it" if best.se >= 0.0005 else "is as good"
    return f"{score}, the best result; no smaller model {near}."


def _test(recommendation: Recommendation) -> str:
    failure, n = recommendation.failure, recommendation.n_test_documents
    if recommendation.test_score is None:
        return f"Training or testing it failed: {failure}." if failure else ""
    documents = f"{n:,} held-out test documents" if n != 1 else "one held-out test document"
    scores = f"On the {documents}: {recommendation.test_score:.3f}"
    baseline = recommendation.baseline_test_score
    if baseline is not None and not keeps_all(recommendation.chosen.method):
        scores += f"; all words: {baseline:.3f}"
    n_models = recommendation.n_test_evaluations
    if n_models > 1:
        scores += f" ({n_models} models have been evaluated on them so far)"
    failed = f" Its certificate or page model failed: {failure}." if failure else ""
    return f"{scores}.{failed}"
