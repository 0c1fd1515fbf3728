"""The recommendation: the smallest model whose quality is within one standard error of the best.

Chosen on validation folds only. The test documents are asked once, about the model chosen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from laconic.rows import Row, Size

ALL = "ALL"


@dataclass(frozen=True)
class Candidate:
    """A method at a size, over the validation folds: mean, standard error of the mean, words.

    `values` are those of the folds, in their order.
    """

    problem: str
    method: str
    asked: Size
    measure: str
    mean: float
    se: float
    terms: float
    values: tuple[float, ...]

    @property
    def folds(self) -> int:
        return len(self.values)

    @property
    def name(self) -> str:
        words = f"{self.terms:,.0f} word{'' if round(self.terms) == 1 else 's'}"
        return f"all {words}" if self.method == ALL else f"{self.method} with {words}"


@dataclass(frozen=True)
class Recommendation:
    """The smallest within one standard error, beside the best and all words, and why.

    `test` and `test_all` are the values on the test documents, None where there are none;
    `looks` counts how often a recommendation of this study has asked them.
    """

    problem: str
    measure: str
    chosen: Candidate
    best: Candidate
    whole: Candidate | None = None
    test: float | None = None
    test_all: float | None = None
    test_documents: int = 0
    looks: int = 1

    @property
    def sentence(self) -> str:
        return " ".join(filter(None, (self._choice(), self._reason(), self._honest())))

    def _choice(self) -> str:
        if self.whole is None or self.chosen.method == ALL:
            return f"{self.problem}: take {self.chosen.name}."
        share = self.chosen.terms / self.whole.terms
        return f"{self.problem}: take {self.chosen.name} ({share:.1%} of {self.whole.terms:,.0f})."

    def _reason(self) -> str:
        found = f"In validation its {self.measure} is {self.chosen.mean:.3f}"
        if self.chosen == self.best:
            return f"{found}, the best of all, and nothing smaller comes within {self.best.se:.3f}."
        return (
            f"{found}, within one standard error ({self.best.se:.3f}) of the best, "
            f"{self.best.name} ({self.best.mean:.3f})."
        )

    def _honest(self) -> str:
        if self.test is None:
            return ""
        told = f"On {self.test_documents:,} test documents that had no part in the choice: "
        told += f"{self.test:.3f}"
        if self.test_all is not None and self.chosen.method != ALL:
            told += f"; all words: {self.test_all:.3f}"
        again = f" (they have been asked {self.looks} times now)" if self.looks > 1 else ""
        return f"{told}{again}."

    def tested(self, test: float | None, test_all: float | None, documents: int) -> Recommendation:
        return replace(self, test=test, test_all=test_all, test_documents=documents)


def candidates(rows: Iterable[Row], measure: str) -> list[Candidate]:
    """Every method at every size that all folds have a value of.

    Seeds are averaged within a fold first: draws from one fold share its documents.
    """
    values: dict[tuple[str, str, Size], dict[str, list[Row]]] = defaultdict(dict)
    folds: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        if row.measure != measure or row.part != "validation":
            continue
        folds[row.problem][row.fold] = None
        if row.value is not None:
            key = (row.problem, row.method, row.asked)
            values[key].setdefault(row.fold, []).append(row)
    return [
        _candidate(key, by_fold, measure)
        for key, by_fold in values.items()
        if len(by_fold) == len(folds[key[0]])
    ]


def _candidate(
    key: tuple[str, str, Size], by_fold: dict[str, list[Row]], measure: str
) -> Candidate:
    means = np.array([np.mean([row.value for row in rows]) for rows in by_fold.values()])
    terms = np.mean([np.mean([row.terms or 0 for row in rows]) for rows in by_fold.values()])
    se = float(means.std(ddof=1) / np.sqrt(means.size)) if means.size > 1 else 0.0
    return Candidate(*key, measure, float(means.mean()), se, float(terms), tuple(means.tolist()))


def best_of(offered: Iterable[Candidate]) -> Candidate:
    """The highest mean; of equals the fewest words."""
    return min(offered, key=lambda one: (-one.mean, one.terms))


def smallest_of(offered: Iterable[Candidate]) -> Candidate:
    """The fewest words within one standard error of the best; of equals the higher mean."""
    several = list(offered)
    best = best_of(several)
    near = [one for one in several if one.mean >= best.mean - best.se]
    return min(near, key=lambda one: (one.terms, -one.mean))


def recommend(offered: Iterable[Candidate]) -> list[Recommendation]:
    """One recommendation a problem, over all methods."""
    problems: dict[str, list[Candidate]] = defaultdict(list)
    for one in offered:
        problems[one.problem].append(one)
    return [_recommended(several) for several in problems.values()]


def recommend_each(offered: Iterable[Candidate]) -> list[Recommendation]:
    """One recommendation a problem and method, within that method."""
    groups: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for one in offered:
        groups[one.problem, one.method].append(one)
    return [_recommended(several) for several in groups.values()]


def _recommended(offered: list[Candidate]) -> Recommendation:
    whole = next((one for one in offered if one.method == ALL), None)
    chosen, best = smallest_of(offered), best_of(offered)
    return Recommendation(chosen.problem, chosen.measure, chosen, best, whole)
