"""Limits of a study and the budget table: which model to use, and what the others would cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from laconic.studies.analysis.candidates import Candidate, best_of, smallest_of
from laconic.studies.layout import BUDGET
from laconic.studies.options import LimitOptions

# Means that differ by less are equal but for rounding.
ROUNDING = 1e-12
SizeInBytes = Callable[[Candidate], float]


@dataclass(frozen=True)
class BudgetRow:
    """The smallest model that gives up at most `loss` of the best validation score.

    n_features, n_bytes : of the model that was trained on all training documents
    mistakes : wrong decisions per 1,000 documents in validation
    documents_per_second : of raw text, in one process
    test_score : measured after the choice, and not used for it
    model_file : relative to the study's folder
    """

    loss: float
    candidate: Candidate
    n_features: int = 0
    n_bytes: int = 0
    documents_per_second: float | None = None
    test_score: float | None = None
    model_file: str = ""
    task_key: str = ""
    chosen: bool = False

    @property
    def mistakes(self) -> float | None:
        return self.candidate.mistakes


@dataclass(frozen=True)
class BudgetChoice:
    """The candidate to recommend, and its neighbours among the best of every size.

    `missed` says which limits no candidate meets.
    """

    chosen: Candidate
    best: Candidate
    cheaper: Candidate | None
    better: Candidate | None
    reason: str
    missed: str = ""


def choose(
    candidates: Iterable[Candidate], limits: LimitOptions, n_bytes: SizeInBytes
) -> BudgetChoice:
    """The smallest candidate that meets the limits: by default one standard error from the best.

    Limits (features, bytes) come first: without `max_loss`, the best within them is chosen.
    """
    offered = list(candidates)
    best = best_of(offered)
    within = [c for c in offered if _within(c, limits, n_bytes)]
    missed = []
    if not within:
        least = min(offered, key=n_bytes if limits.max_bytes is not None else _n_features)
        within = [least]
        missed.append(f"no model is within {limits.in_words()}")
    top = best_of(within)
    least_mean, reason = top.mean, f"the best within {limits.in_words()}"
    if limits.max_loss is not None:
        aim = f"at most {limits.max_loss:g} below the best"
        if top.mean >= best.mean - limits.max_loss - ROUNDING:
            least_mean, reason = best.mean - limits.max_loss, aim
        else:
            missed.append(f"no model within {limits.in_words()} is {aim}")
    elif not limits.limited:
        least_mean = best.mean - best.se
        reason = f"within one standard error ({best.se:.3f}) of the best"
    chosen = smallest_of(within, least_mean - ROUNDING)
    cheaper, better = neighbours(chosen, offered)
    return BudgetChoice(chosen, best, cheaper, better, reason, "; ".join(missed))


def neighbours(
    chosen: Candidate, offered: Sequence[Candidate]
) -> tuple[Candidate | None, Candidate | None]:
    """The best smaller candidate, and the smallest better one."""
    smaller = [c for c in offered if c.n_features < chosen.n_features]
    better = [c for c in offered if c.mean > chosen.mean and c.n_features > chosen.n_features]
    return (
        best_of(smaller) if smaller else None,
        min(better, key=lambda c: (c.n_features, -c.mean)) if better else None,
    )


def budget_rows(candidates: Iterable[Candidate], chosen: Candidate) -> list[BudgetRow]:
    """The smallest candidate for each loss; `chosen` is marked."""
    offered = list(candidates)
    top = best_of(offered).mean
    return [
        BudgetRow(loss, candidate, chosen=candidate == chosen)
        for loss in BUDGET
        for candidate in [smallest_of(offered, top - loss - ROUNDING)]
    ]


def _within(candidate: Candidate, limits: LimitOptions, n_bytes: SizeInBytes) -> bool:
    few = limits.max_features is None or candidate.n_features <= limits.max_features
    return few and (limits.max_bytes is None or n_bytes(candidate) <= limits.max_bytes)


def _n_features(candidate: Candidate) -> float:
    return candidate.n_features
