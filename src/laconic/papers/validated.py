"""Settings chosen on documents held out of training, then one look at the test documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.corpus.splits import random_splits
from laconic.papers.answers import unmeasured
from laconic.papers.figures import FigureResult, Scale, Table, run_studies
from laconic.papers.findings import Finding
from laconic.rows import Row, Size
from laconic.study.executors import Executor
from laconic.study.plan import Plan
from laconic.study.study import Study


@dataclass(frozen=True)
class Candidates:
    """Settings of one thing, as methods; of equally good ones the first is chosen."""

    label: str
    methods: tuple[str, ...]


@dataclass(frozen=True)
class CandidateScale(Scale):
    """How much is run, and among what is chosen."""

    candidates: tuple[Candidates, ...] = ()

    def __str__(self) -> str:
        return f"{sum(len(several.methods) for several in self.candidates)} settings to choose from"


@dataclass(frozen=True)
class Choice:
    """The best of some candidates at a size, and what it was worth on the held-out documents."""

    label: str
    size: Size
    method: str
    held_out: float


def held_out(corpus: Corpus, share: float = 0.2) -> Corpus:
    """The training documents alone, of which a share is to test on."""
    inside = replace(corpus.take(corpus.part(TRAIN)), split=None)
    (split,) = random_splits(inside, share, times=1)
    parts = np.full(len(inside), TRAIN, dtype=object)
    parts[split.test] = TEST
    return replace(inside, name=f"{corpus.name}, held out", split=tuple(parts))


def choose(rows: Iterable[Row], candidates: Iterable[Candidates], metric: str) -> list[Choice]:
    """The best method of each candidates and size."""
    value = {
        (row.method, row.size): row.value
        for row in rows
        if row.metric == metric and row.value is not None
    }
    chosen = []
    for several in candidates:
        own = [place for place in value if place[0] in several.methods]
        for asked in sorted({asked for _, asked in own}):
            able = [method for method in several.methods if (method, asked) in own]
            best = max(able, key=lambda method: value[method, asked])
            chosen.append(Choice(several.label, asked, best, value[best, asked]))
    return chosen


@dataclass(frozen=True)
class NestedFigure:
    """A figure whose settings are chosen first: one study on held-out documents, then the test.

    `setting` gives a plan of some methods at some sizes on a corpus; `tables` and `findings` are
    made from the studies of the test documents.
    """

    about: str
    corpus: Callable[[], Corpus]
    sizes: tuple[int, ...]
    metric: str
    setting: Callable[[Corpus, Sequence[str], Sequence[int]], Plan]
    tables: Callable[[Sequence[Study], Sequence[Choice], list[Row]], Iterator[Table]]
    full: CandidateScale
    quick: CandidateScale
    findings: Callable[[Sequence[Study], Sequence[Choice], list[Row]], Iterable[Finding]] = (
        lambda studies, choices, rows: ()
    )

    def run(
        self, where: Path, scale: Scale, executor: Executor | None = None, **how: Any
    ) -> FigureResult:
        corpus = self.corpus()
        offered = scale.candidates if isinstance(scale, CandidateScale) else self.full.candidates
        methods = [method for several in offered for method in several.methods]
        first = Study(self.setting(held_out(corpus), methods, self.sizes), where)
        choices = choose(run_studies([first], executor, how), offered, self.metric)
        if lost := [one for one in offered if one.label not in {c.label for c in choices}]:
            raise unmeasured(lost[0].methods[0], self.sizes[0])
        studies = [Study(plan, where) for plan in self._tests(corpus, choices)]
        for n in range(len(studies)):
            rows = run_studies([first, *studies[: n + 1]], executor, how)
        measured = studies, choices, rows
        return FigureResult(rows, tuple(self.tables(*measured)), tuple(self.findings(*measured)))

    def _tests(self, corpus: Corpus, choices: Sequence[Choice]) -> Iterator[Plan]:
        """One plan a size, with what was chosen for it; those that have no sizes in the first."""
        of_size: dict[int, list[str]] = {size: [] for size in self.sizes}
        for choice in choices:
            counted = isinstance(choice.size, int)
            of_size[choice.size if counted else self.sizes[0]].append(choice.method)
        for size, methods in of_size.items():
            yield self.setting(corpus, methods, (size,))
