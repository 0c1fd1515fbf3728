"""Methods against each other, each at the size recommended for it, by every test that applies.

Answers of all validation folds are pooled: each document has been answered by a model that did not
see it. Holm's correction is over the pairs of one problem and test.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.rows import Size, cell, draft
from laconic.study.journal import Journal
from laconic.study.recommending import ALL, Candidate, Recommendation
from laconic.study.significance import (
    Verdict,
    holm,
    macro_t,
    mcnemar,
    micro_sign,
    paired_t,
    wilcoxon,
)
from laconic.study.stability import jaccard, kuncheva, nogueira
from laconic.study.task import Cut, Task

ALL_PROBLEMS = "all problems"
# Below this a rank test over problems cannot reach 5 %.
PROBLEMS_NEEDED = 6


@dataclass(frozen=True)
class Comparison:
    """One test of one pair of methods. Positive statistics and effects speak for `a`.

    `p` is two-sided, `holm` corrected for the other pairs of the same problem and test.
    """

    problem: str
    a: str
    b: str
    terms_a: float
    terms_b: float
    test: str
    statistic: float
    p: float
    holm: float
    effect: float
    effect_name: str
    n: int
    note: str


@dataclass(frozen=True)
class SelectionStability:
    """How much alike the words are that a method chooses in different folds; 1 is the same words.

    `low` and `high` bound Nogueira's index at 95 %. Kuncheva's is for selections of one size.
    """

    problem: str
    method: str
    asked: Size
    terms: float
    jaccard: float
    kuncheva: float
    nogueira: float
    low: float
    high: float
    folds: int


@dataclass(frozen=True, eq=False)
class Answers:
    """What a method answered in all folds: right or wrong, and F1 a class where folds agree."""

    documents: NDArray[np.bool_]
    decisions: NDArray[np.bool_]
    f1: NDArray[np.float64] | None

    @classmethod
    def of(cls, folds: Sequence[tuple[Cut, NDArray[np.int8]]]) -> Answers:
        right = [(cut.chosen == (signs > 0)) & (signs != 0) for cut, signs in folds]
        return cls(
            np.concatenate([each.all(axis=1) for each in right]),
            np.concatenate([each.ravel() for each in right]),
            _pooled_f1(folds),
        )


def _pooled_f1(folds: Sequence[tuple[Cut, NDArray[np.int8]]]) -> NDArray[np.float64] | None:
    if len({cut.chosen.shape[1] for cut, _ in folds}) > 1:
        return None  # some fold's training documents lack a class, so columns do not correspond
    hits = np.sum([(cut.chosen & (signs > 0)).sum(axis=0) for cut, signs in folds], axis=0)
    both = np.sum([cut.chosen.sum(axis=0) + (s > 0).sum(axis=0) for cut, s in folds], axis=0)
    return np.divide(2.0 * hits, both, out=np.zeros(both.size), where=both > 0)


def compare(
    each: Iterable[Recommendation], tasks: Iterable[Task], journal: Journal, folds: int
) -> Iterator[Comparison]:
    """Every pair of methods of a problem, and over problems where there are enough."""
    by_problem: dict[str, list[Candidate]] = defaultdict(list)
    for one in each:
        by_problem[one.problem].append(one.chosen)
    keys = _keys(tasks)
    for chosen in by_problem.values():
        answers = {one.method: _answers(one, keys, journal) for one in chosen}
        pairs = list(combinations(chosen, 2))
        found = [list(_tests(a, b, answers[a.method], answers[b.method], folds)) for a, b in pairs]
        yield from _corrected(pairs, found)
    yield from _over_problems(by_problem)


def _keys(tasks: Iterable[Task]) -> dict[tuple[str, str], list[str]]:
    """The tasks of a problem and method, in the order of folds; of draws the first."""
    keys: dict[tuple[str, str], list[str]] = defaultdict(list)
    for task in tasks:
        if task.seed == 0:
            keys[task.problem, task.method].append(task.key)
    return keys


def _cuts(
    problem: str, method: str, asked: Size, keys: Mapping[Any, list[str]], journal: Journal
) -> list[tuple[Cut, NDArray[np.int8]]]:
    found = []
    for key in keys[problem, method]:
        signs = journal.signs(key)
        cuts = [cut for cut in journal.cuts(key) if cut.asked == asked]
        if cuts and signs is not None:
            found.append((cuts[0], signs))
    return found


def _answers(one: Candidate, keys: Mapping[Any, list[str]], journal: Journal) -> Answers | None:
    cuts = _cuts(one.problem, one.method, one.asked, keys, journal)
    return Answers.of(cuts) if cuts else None


def _tests(
    a: Candidate, b: Candidate, of_a: Answers | None, of_b: Answers | None, folds: int
) -> Iterator[Verdict]:
    yield paired_t(a.values, b.values, test_share=1 / (folds - 1))
    if of_a is None or of_b is None:
        return
    yield mcnemar(of_a.documents, of_b.documents)
    if of_a.decisions.shape == of_b.decisions.shape:
        yield micro_sign(of_a.decisions, of_b.decisions)
    if of_a.f1 is not None and of_b.f1 is not None and of_a.f1.size > 1:
        yield macro_t(of_a.f1, of_b.f1)


def _corrected(
    pairs: Sequence[tuple[Candidate, Candidate]], found: Sequence[Sequence[Verdict]]
) -> Iterator[Comparison]:
    flat = [
        _comparison(a, b, verdict)
        for (a, b), verdicts in zip(pairs, found, strict=True)
        for verdict in verdicts
    ]
    for test in dict.fromkeys(one.test for one in flat):
        same = [one for one in flat if one.test == test]
        for one, corrected in zip(same, holm([one.p for one in same]), strict=True):
            yield replace(one, holm=float(corrected))


def _comparison(a: Candidate, b: Candidate, found: Verdict) -> Comparison:
    return Comparison(
        a.problem,
        a.method,
        b.method,
        a.terms,
        b.terms,
        found.test,
        found.statistic,
        found.p,
        found.p,
        found.effect,
        found.effect_name,
        found.n,
        found.note,
    )


def _over_problems(by_problem: Mapping[str, list[Candidate]]) -> Iterator[Comparison]:
    """Wilcoxon's signed ranks of the means, a pair of methods over all problems that have both."""
    if len(by_problem) < PROBLEMS_NEEDED:
        return
    table = {name: {one.method: one for one in chosen} for name, chosen in by_problem.items()}
    methods = list(dict.fromkeys(m for chosen in table.values() for m in chosen))
    pairs, found = [], []
    for a, b in combinations(methods, 2):
        both = [(of[a], of[b]) for of in table.values() if a in of and b in of]
        if len(both) < PROBLEMS_NEEDED:
            continue
        pairs.append((_mean([x for x, _ in both]), _mean([y for _, y in both])))
        found.append([wilcoxon([x.mean for x, _ in both], [y.mean for _, y in both])])
    yield from _corrected(pairs, found)


def _mean(several: Sequence[Candidate]) -> Candidate:
    terms = float(np.mean([one.terms for one in several]))
    return replace(several[0], problem=ALL_PROBLEMS, terms=terms)


def stabilities(
    offered: Iterable[Candidate],
    tasks: Iterable[Task],
    journal: Journal,
    n_terms: Mapping[str, int],
) -> Iterator[SelectionStability]:
    """Of every method at every size, over the folds; `n_terms` words are in a problem's corpus."""
    keys = _keys(tasks)
    for one in offered:
        if one.method == ALL or one.folds < 2:
            continue
        cuts = _cuts(one.problem, one.method, one.asked, keys, journal)
        chosen = [cut.terms for cut, _ in cuts]
        if len(chosen) < 2:
            continue
        n = n_terms[one.problem]
        of_all = nogueira(chosen, n)
        yield SelectionStability(
            one.problem,
            one.method,
            one.asked,
            one.terms,
            jaccard(chosen),
            kuncheva(chosen, n) if len({terms.size for terms in chosen}) == 1 else np.nan,
            *of_all,
            len(chosen),
        )


def write_table(where: Path, rows: Sequence[Any]) -> None:
    """Flat values of one kind as CSV."""
    out = io.StringIO(newline="")
    table = csv.writer(out)
    table.writerow([field.name for field in fields(rows[0])])
    table.writerows([cell(value) for value in astuple(row)] for row in rows)
    with draft(where) as stream:
        stream.write(out.getvalue().encode("utf-8", "backslashreplace"))
