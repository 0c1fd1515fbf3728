"""The sentence of a recommendation: what to use, what it costs, and its test score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from laconic.methods import keeps_all, projects

if TYPE_CHECKING:
    from laconic.studies.analysis.candidates import Candidate
    from laconic.studies.analysis.recommendation import HeldOutResult, Recommendation


def sentence_of(recommendation: Recommendation) -> str:
    if recommendation.best.mean <= 0:
        return (
            f"{recommendation.problem}: no recommendation: every method scores 0 at every size by "
            f"{metric_of(recommendation)}. Are there enough documents per class?"
        )
    parts = (
        _choice(recommendation),
        _reason(recommendation),
        *_neighbours(recommendation),
        f"Limit missed: {recommendation.missed}." if recommendation.missed else "",
        _test(recommendation),
        far_below(recommendation),
    )
    return " ".join(filter(None, parts))


def metric_of(recommendation: Recommendation) -> str:
    positive = recommendation.positive_class
    of_class = recommendation.metric in ("f1", "precision", "recall") and positive
    return f"{recommendation.metric} of {positive}" if of_class else recommendation.metric


def _choice(recommendation: Recommendation) -> str:
    chosen, baseline = recommendation.chosen, recommendation.baseline
    n, n_in = recommendation.n_features, recommendation.n_features_in
    if not n_in and baseline is not None:
        n, n_in = round(chosen.n_features), round(baseline.n_features)
    n = n or round(chosen.n_features)
    use = f"{recommendation.problem}: use"
    if keeps_all(chosen.method):
        return f"{use} all {n:,} {chosen.nouns}{_classifier(chosen)}."
    model = replace(chosen, n_features=float(n)).description
    if not n_in or projects(chosen.method):
        return f"{use} {model}."
    return f"{use} {model}{_classifier(chosen)} ({n / n_in:.1%} of {n_in:,})."


def _classifier(candidate: Candidate) -> str:
    """The classifier that the study chose, if the method names none."""
    name = candidate.variant.removeprefix(candidate.method).lstrip("+").partition(":")[0]
    return f" and {CLASSIFIER_NAMES.get(name, name)}" if name else ""


CLASSIFIER_NAMES = {
    "blend": "a blend of classifiers",
    "logistic": "logistic regression",
    "svm": "an SVM",
    "ridge": "ridge regression",
}


def _reason(recommendation: Recommendation) -> str:
    chosen, best = recommendation.chosen, recommendation.best
    cost = _mistakes(recommendation, chosen)
    score = f"In validation its {metric_of(recommendation)} is {chosen.mean:.3f}"
    if chosen == best:
        smallest = "; no smaller model was tried" if recommendation.smallest_tried else ""
        return f"{score}, the best result{smallest}{cost}."
    return (
        f"{score}{cost}: {recommendation.reason}. The best is {best.description}: "
        f"{best.mean:.3f}{_mistakes(recommendation, best)}."
    )


def _mistakes(recommendation: Recommendation, candidate: Candidate) -> str:
    if candidate.mistakes is None:
        return ""
    return f", {_number(candidate.mistakes)} {_unit(recommendation)} in 1,000 documents"


def _unit(recommendation: Recommendation) -> str:
    return "wrong labels" if recommendation.multilabel else "mistakes"


def _number(mistakes: float) -> str:
    return f"{mistakes:,.0f}" if mistakes >= 9.5 else f"{mistakes:.1f}"


def _neighbours(recommendation: Recommendation) -> Iterator[str]:
    for name, other in (("Cheaper", recommendation.cheaper), ("Better", recommendation.better)):
        if other is not None:
            unit = _unit(recommendation)
            cost = f" ({_number(other.mistakes)} {unit})" if other.mistakes is not None else ""
            yield f"{name}: {other.description}, {other.mean:.3f}{cost}."


def _test(recommendation: Recommendation) -> str:
    failure, n = recommendation.failure, recommendation.n_test_documents
    if recommendation.test is None:
        return f"Training or testing it failed: {failure}." if failure else ""
    documents = f"{n:,} held-out test documents" if n != 1 else "one held-out test document"
    scores = f"On the {documents}: {_score(recommendation.test)}"
    if recommendation.baseline_test is not None and not keeps_all(recommendation.chosen.method):
        nouns = recommendation.chosen.nouns
        scores += f"; all {nouns}: {_score(recommendation.baseline_test)}"
    n_models = recommendation.n_test_evaluations
    if n_models > 1:
        scores += f" ({n_models} models have been evaluated on them so far)"
    failed = f" Its certificate or page model failed: {failure}." if failure else ""
    return f"{scores}.{failed}"


def _score(test: HeldOutResult) -> str:
    if test.interval is None:
        return f"{test.score:.3f}"
    low, high = test.interval
    return f"{test.score:.3f} (95 % interval {low:.3f} to {high:.3f})"


def far_below(recommendation: Recommendation) -> str:
    """A warning where even the upper limit of the test score is well below validation."""
    test, chosen = recommendation.test, recommendation.chosen
    if test is None or test.interval is None:
        return ""
    if test.interval[1] >= chosen.mean - 2 * chosen.se:
        return ""
    return (
        f"The test score is far below validation ({chosen.mean:.3f}): the test documents differ "
        "from the training documents, for example in time or source."
    )
