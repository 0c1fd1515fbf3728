"""The recommendation: the smallest model whose quality is within one standard error of the best.

It is chosen on validation folds only, then evaluated once on the held-out test documents.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from laconic.methods import keeps_all, projects
from laconic.rows import Row, Size


@dataclass(frozen=True)
class Candidate:
    """A method at a size: mean over validation folds, its standard error, number of features.

    `values` has one value per fold, in the order of the folds.
    """

    problem: str
    method: str
    size: Size
    metric: str
    mean: float
    se: float
    n_features: float
    values: tuple[float, ...]

    @property
    def n_folds(self) -> int:
        return len(self.values)

    @property
    def description(self) -> str:
        if projects(self.method):
            size = f"{self.size:,}" if isinstance(self.size, int) else f"{self.size:.1%} of the"
            return f"{self.method} with {size} components, combinations of all words"
        words = f"{self.n_features:,.0f} word{'' if round(self.n_features) == 1 else 's'}"
        return "all words" if keeps_all(self.method) else f"{self.method} with {words}"


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
        if self.best.mean <= 0:
            return (
                f"{self.problem}: no recommendation: every method scores 0 at every size by "
                f"{self._metric}. Are there enough documents per class?"
            )
        return " ".join(filter(None, (self._choice(), self._reason(), self._test())))

    @property
    def _metric(self) -> str:
        return (
            f"{self.metric} (class {self.positive_class})" if self.positive_class else self.metric
        )

    def _choice(self) -> str:
        n, n_in = self.n_features, self.n_features_in
        if not n_in and self.baseline is not None:
            n, n_in = round(self.chosen.n_features), round(self.baseline.n_features)
        n = n or round(self.chosen.n_features)
        if keeps_all(self.chosen.method):
            return f"{self.problem}: use all {n:,} words."
        model = replace(self.chosen, n_features=float(n)).description
        if not n_in or projects(self.chosen.method):
            return f"{self.problem}: use {model}."
        return f"{self.problem}: use {model} ({n / n_in:.1%} of {n_in:,})."

    def _reason(self) -> str:
        score = f"In validation its {self._metric} is {self.chosen.mean:.3f}"
        if self.chosen != self.best:
            return (
                f"{score}, within one standard error ({self.best.se:.3f}) of the best, "
                f"{self.best.description} ({self.best.mean:.3f})."
            )
        if self.smallest_tried:
            return f"{score}, the best result; no smaller model was tried."
        near = f"is within {self.best.se:.3f} of it" if self.best.se >= 0.0005 else "is as good"
        return f"{score}, the best result; no smaller model {near}."

    def _test(self) -> str:
        if self.test_score is None:
            return f"Training or testing it failed: {self.failure}." if self.failure else ""
        n = self.n_test_documents
        documents = f"{n:,} held-out test documents" if n != 1 else "one held-out test document"
        scores = f"On the {documents}: {self.test_score:.3f}"
        if self.baseline_test_score is not None and not keeps_all(self.chosen.method):
            scores += f"; all words: {self.baseline_test_score:.3f}"
        if self.n_test_evaluations > 1:
            scores += f" ({self.n_test_evaluations} models have been evaluated on them so far)"
        failed = f" Its certificate or page model failed: {self.failure}." if self.failure else ""
        return f"{scores}.{failed}"


def candidates(
    rows: Iterable[Row], metric: str, *, part: str = "validation", repeats: int = 1
) -> list[Candidate]:
    """Every method at every size that has a value in all folds in which anything has.

    Draws are averaged within a fold first, because they share its documents. Repeats of the folds
    use the same documents again, so they do not reduce the standard error.
    """
    values: dict[tuple[str, str, Size], dict[str, list[Row]]] = defaultdict(dict)
    folds: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        if row.metric == metric and row.part == part and row.value is not None:
            folds[row.problem][row.fold] = None
            key = (row.problem, row.method, row.size)
            values[key].setdefault(row.fold, []).append(row)
    return [
        _candidate(key, by_fold, metric, repeats)
        for key, by_fold in values.items()
        if len(by_fold) == len(folds[key[0]])
    ]


def without_numbers(text: str) -> str:
    return re.sub(r"\d[\d,.]*(?:e[-+]?\d+)?", "#", text)


def count_warnings(warnings_by_task: Iterable[Iterable[str]]) -> dict[str, int]:
    """Every warning with the number of tasks that gave it.

    Warnings that differ in numbers only are counted together, in the words of the first.
    """
    wording: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for warnings in warnings_by_task:
        patterns = {without_numbers(text): text for text in reversed(tuple(warnings))}
        wording = patterns | wording
        counts.update(patterns.keys())
    return {wording[pattern]: times for pattern, times in counts.items()}


def missing_sizes(rows: Iterable[Row], metric: str) -> dict[str, int]:
    """The sizes that methods have no model of, with the reason and the number of tasks.

    Reasons that differ in numbers only are merged, in the words of the first fold and size. Sizes
    beyond the largest model of the problem, which no method has, are left out.
    """
    of_metric = [row for row in rows if row.metric == metric]
    largest: dict[str, int] = defaultdict(int)
    for row in of_metric:
        largest[row.problem] = max(largest[row.problem], row.n_features or 0)
    missing: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in of_metric:
        possible = row.size <= (largest[row.problem] or row.size)
        if row.status == "skipped" and row.model_size is None and possible:
            missing[row.method, without_numbers(row.reason)].append(row)
    return {
        f"{method} has no model of {_sizes(rows, 'components' if projects(method) else 'words')}: "
        f"{rows[0].reason}": len({row.task for row in rows})
        for (method, _), rows in missing.items()
    }


def _sizes(rows: Iterable[Row], unit: str) -> str:
    """ "10, 20 words", or "1 %, 10 % of the words"."""
    sizes = sorted({row.size for row in rows})
    shares = [f"{size:.3g}" for size in (100 * s for s in sizes if isinstance(s, float))]
    counts = [f"{size:,}" for size in sizes if not isinstance(size, float)]
    parts = [f"{', '.join(counts)} {unit}"] if counts else []
    parts += [f"{' %, '.join(shares)} % of the {unit}"] if shares else []
    return " or ".join(parts)


def _candidate(
    key: tuple[str, str, Size], by_fold: dict[str, list[Row]], metric: str, repeats: int
) -> Candidate:
    means = np.array([np.mean([row.value for row in rows]) for rows in by_fold.values()])
    n_features = np.mean(
        [np.mean([row.n_features or 0 for row in rows]) for rows in by_fold.values()]
    )
    se = float(means.std(ddof=1) / np.sqrt(means.size / repeats)) if means.size > 1 else 0.0
    return Candidate(
        *key, metric, float(means.mean()), se, float(n_features), tuple(means.tolist())
    )


def best_of(candidates: Iterable[Candidate]) -> Candidate:
    """The highest mean; on ties the fewest features."""
    return min(candidates, key=lambda candidate: (-candidate.mean, candidate.n_features))


def smallest_of(candidates: Iterable[Candidate]) -> Candidate:
    """The fewest features within one standard error of the best; on ties the higher mean.

    A projection reads all words, even if a few of them have no weight: it counts as large as the
    largest candidate, and among projections the one with the fewest components is the smallest.
    """
    offered = list(candidates)
    best = best_of(offered)
    largest = max(candidate.n_features for candidate in offered)
    near = [candidate for candidate in offered if candidate.mean >= best.mean - best.se]

    def extent(candidate: Candidate) -> tuple[float, float, float]:
        if projects(candidate.method):
            return largest, float(candidate.size), -candidate.mean
        return candidate.n_features, 0.0, -candidate.mean

    return min(near, key=extent)


def recommend(candidates: Iterable[Candidate]) -> list[Recommendation]:
    """One recommendation per problem, over all methods."""
    by_problem: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_problem[candidate.problem].append(candidate)
    return [_recommendation(group) for group in by_problem.values()]


def recommend_per_method(candidates: Iterable[Candidate]) -> list[Recommendation]:
    """One recommendation per problem and method, among the sizes of that method."""
    groups: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        groups[candidate.problem, candidate.method].append(candidate)
    return [_recommendation(group) for group in groups.values()]


def _recommendation(offered: list[Candidate]) -> Recommendation:
    baseline = next((c for c in offered if keeps_all(c.method)), None)
    chosen, best = smallest_of(offered), best_of(offered)
    smallest = chosen.n_features == min(candidate.n_features for candidate in offered)
    return Recommendation(
        chosen.problem, chosen.metric, chosen, best, baseline, smallest_tried=smallest
    )
