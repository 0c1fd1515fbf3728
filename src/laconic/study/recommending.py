"""The recommendation: the smallest model whose quality is within one standard error of the best.

Chosen on validation folds only. The test documents are asked once, about the model chosen.
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
    """A method at a size, over the validation folds: mean, standard error of the mean, words.

    `values` are those of the folds, in their order.
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
    def folds(self) -> int:
        return len(self.values)

    @property
    def name(self) -> str:
        if projects(self.method):
            columns = f"{self.size:,}" if isinstance(self.size, int) else f"{self.size:.1%} of"
            return f"{self.method} with {columns} columns, mixtures of all words"
        words = f"{self.n_features:,.0f} word{'' if round(self.n_features) == 1 else 's'}"
        return "all words" if keeps_all(self.method) else f"{self.method} with {words}"


@dataclass(frozen=True)
class Recommendation:
    """The smallest within one standard error, beside the best and all words, and why.

    `test` and `test_all` are the values on the test documents, None where there are none;
    `looks` counts the models that these documents have been asked about in this folder, all words
    aside. `words` of `of_words` are in the model that was written; `positive` is the class that
    measures are of, where there are two; `least`: nothing smaller was tried. `key` and `key_all`
    are the tasks that asked the test documents; `place` is the model's folder within the study's;
    `no_file` says why a model cannot be written, `failure` why there is no model or figure;
    `notes` are what the training of the model warned about.
    """

    problem: str
    metric: str
    chosen: Candidate
    best: Candidate
    whole: Candidate | None = None
    test: float | None = None
    test_all: float | None = None
    test_documents: int = 0
    looks: int = 1
    words: int = 0
    of_words: int = 0
    positive: str = ""
    least: bool = False
    key: str = ""
    key_all: str = ""
    place: str = ""
    no_file: str = ""
    failure: str = ""
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        if self.best.mean <= 0:
            return (
                f"{self.problem}: nothing to recommend, since no method at any size gets above 0 "
                f"by {self._measure}. Are there enough documents of each class?"
            )
        return " ".join(filter(None, (self._choice(), self._reason(), self._test_sentence())))

    @property
    def _measure(self) -> str:
        return f"{self.metric} (of {self.positive})" if self.positive else self.metric

    def _choice(self) -> str:
        words, of_words = self.words, self.of_words
        if not of_words and self.whole is not None:
            words, of_words = round(self.chosen.n_features), round(self.whole.n_features)
        if keeps_all(self.chosen.method):
            return f"{self.problem}: take all {words or round(self.chosen.n_features):,} words."
        if not of_words or projects(self.chosen.method):
            return f"{self.problem}: take {self._named(words)}."
        share = f"{words / of_words:.1%} of {of_words:,}"
        return f"{self.problem}: take {self._named(words)} ({share})."

    def _named(self, words: int) -> str:
        return replace(self.chosen, n_features=float(words or self.chosen.n_features)).name

    def _reason(self) -> str:
        found = f"In validation its {self._measure} is {self.chosen.mean:.3f}"
        if self.chosen != self.best:
            return (
                f"{found}, within one standard error ({self.best.se:.3f}) of the best, "
                f"{self.best.name} ({self.best.mean:.3f})."
            )
        if self.least:
            return f"{found}, the best of all; it is the smallest that was tried."
        near = f"comes within {self.best.se:.3f}" if self.best.se >= 0.0005 else "is as good"
        return f"{found}, the best of all, and nothing smaller {near}."

    def _test_sentence(self) -> str:
        if self.test is None:
            return f"Its model or its test failed: {self.failure}." if self.failure else ""
        several = (
            f"{self.test_documents:,} test documents that"
            if self.test_documents != 1
            else ("one test document that")
        )
        told = f"On {several} had no part in the choice: {self.test:.3f}"
        if self.test_all is not None and not keeps_all(self.chosen.method):
            told += f"; all words: {self.test_all:.3f}"
        again = f" (they have been shown {self.looks} models by now)" if self.looks > 1 else ""
        failed = f" What else was to be made of it failed: {self.failure}." if self.failure else ""
        return f"{told}{again}.{failed}"


def candidates(
    rows: Iterable[Row], metric: str, *, part: str = "validation", repeats: int = 1
) -> list[Candidate]:
    """Every method at every size that has a value in all folds in which anything has.

    Seeds are averaged within a fold first: draws from one fold share its documents. Repeats of the
    folds have the same documents again, and do not make the standard error smaller.
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


def count_notes(notes_of_tasks: Iterable[Iterable[str]]) -> dict[str, int]:
    """Every note with the number of tasks that gave it.

    Notes that differ in numbers only count as one, and the first gives the wording.
    """
    wording: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for notes in notes_of_tasks:
        alike = {without_numbers(note): note for note in reversed(tuple(notes))}
        wording = alike | wording
        counts.update(alike.keys())
    return {wording[kind]: times for kind, times in counts.items()}


def absences(rows: Iterable[Row], metric: str) -> dict[str, int]:
    """A line for each method and reason why it has some sizes not, and how many tasks met that.

    Reasons that differ in numbers only are one, told as for the first fold and size. Sizes beyond
    the largest model of the problem, which nothing has, go without saying.
    """
    several = [row for row in rows if row.metric == metric]
    most: dict[str, int] = defaultdict(int)
    for row in several:
        most[row.problem] = max(most[row.problem], row.n_features or 0)
    absent: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in several:
        within = row.size <= (most[row.problem] or row.size)
        if row.status == "skipped" and row.model_size is None and within:
            absent[row.method, without_numbers(row.reason)].append(row)
    return {
        f"{method} has no model of {_listed(rows, 'columns' if projects(method) else 'words')}: "
        f"{rows[0].reason}": len({r.task for r in rows})
        for (method, _), rows in absent.items()
    }


def _listed(rows: Iterable[Row], what: str) -> str:
    """ "10, 20 words", or "1 %, 10 % of the words"."""
    sizes = sorted({row.size for row in rows})
    shares = [f"{size:.3g}" for size in (100 * s for s in sizes if isinstance(s, float))]
    counts = [f"{size:,}" for size in sizes if not isinstance(size, float)]
    told = [f"{', '.join(counts)} {what}"] if counts else []
    told += [f"{' %, '.join(shares)} % of the {what}"] if shares else []
    return " and of ".join(told)


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


def best_of(offered: Iterable[Candidate]) -> Candidate:
    """The highest mean; of equals the fewest words."""
    return min(offered, key=lambda one: (-one.mean, one.n_features))


def smallest_of(offered: Iterable[Candidate]) -> Candidate:
    """The fewest words within one standard error of the best; of equals the higher mean.

    A projection reads all words, whatever few of them may have no weight: it counts as such, and
    of several the one with fewest columns is the smallest.
    """
    several = list(offered)
    best = best_of(several)
    most = max(one.n_features for one in several)
    near = [one for one in several if one.mean >= best.mean - best.se]

    def extent(one: Candidate) -> tuple[float, float, float]:
        mixed = projects(one.method)
        return (most, float(one.size), -one.mean) if mixed else (one.n_features, 0.0, -one.mean)

    return min(near, key=extent)


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
    whole = next((one for one in offered if keeps_all(one.method)), None)
    chosen, best = smallest_of(offered), best_of(offered)
    least = chosen.n_features == min(one.n_features for one in offered)
    return Recommendation(chosen.problem, chosen.metric, chosen, best, whole, least=least)
