"""Settings chosen on held-out training documents, then evaluated once on the test documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.corpus.splits import random_splits
from laconic.rows import Row, RowTable
from laconic.studies.execution.executors import Executor
from laconic.studies.plan import Plan
from laconic.studies.study import Study
from laconic.types import Size
from reproduction.shared.figures import FigureResult, Scale, Table, run_studies
from reproduction.statements import Finding
from reproduction.torkkola.mcnemar_table import missing_result


@dataclass(frozen=True)
class Candidates:
    """Alternative settings, as methods; ties: the first is chosen."""

    label: str
    methods: tuple[str, ...]


@dataclass(frozen=True)
class CandidateScale(Scale):
    """How much is run, and the candidates to choose from."""

    candidates: tuple[Candidates, ...] = ()

    def __str__(self) -> str:
        return f"{sum(len(group.methods) for group in self.candidates)} settings to choose from"


@dataclass(frozen=True)
class Choice:
    """The best candidate at a size, and its value on the held-out documents."""

    label: str
    size: Size
    method: str
    held_out: float


def held_out(corpus: Corpus, share: float = 0.2) -> Corpus:
    """The training documents alone, with a share of them as test documents."""
    training = replace(corpus.take(corpus.part(TRAIN)), split=None)
    (split,) = random_splits(training, share, times=1)
    parts = np.full(len(training), TRAIN, dtype=object)
    parts[split.test] = TEST
    return replace(training, name=f"{corpus.name}, held out", split=tuple(parts))


def choose(rows: Iterable[Row], candidates: Iterable[Candidates], metric: str) -> list[Choice]:
    """The best method of each group of candidates, per size."""
    cells = RowTable(rows).measured(metric).group_by("method", "size")
    value = {cell: of_cell.column("value")[-1] for cell, of_cell in cells.items()}
    choices = []
    for group in candidates:
        measured = [cell for cell in value if cell[0] in group.methods]
        for size in sorted({size for _, size in measured}):
            methods = [method for method in group.methods if (method, size) in measured]
            best = max(methods, key=lambda method: value[method, size])
            choices.append(Choice(group.label, size, best, value[best, size]))
    return choices


@dataclass(frozen=True)
class NestedFigure:
    """A figure whose settings are chosen by a first study, on held-out training documents.

    `setting` makes a plan from a corpus, methods and sizes; `tables` and `findings` are made from
    the studies on the test documents.
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
        self, where: Path, scale: Scale, executor: Executor | None = None, **options: Any
    ) -> FigureResult:
        corpus = self.corpus()
        scale = scale if isinstance(scale, CandidateScale) else self.full
        methods = [method for group in scale.candidates for method in group.methods]
        first = Study(self.setting(held_out(corpus), methods, self.sizes), where)
        choices = choose(run_studies([first], executor, options), scale.candidates, self.metric)
        labels = {choice.label for choice in choices}
        if missing := [group for group in scale.candidates if group.label not in labels]:
            raise missing_result(missing[0].methods[0], self.sizes[0])
        studies = [Study(plan, where) for plan in self._tests(corpus, choices)]
        for n in range(len(studies)):
            rows = run_studies([first, *studies[: n + 1]], executor, options)
        results = studies, choices, rows
        return FigureResult(rows, tuple(self.tables(*results)), tuple(self.findings(*results)))

    def _tests(self, corpus: Corpus, choices: Sequence[Choice]) -> Iterator[Plan]:
        """One plan per size, with the methods chosen for it; methods without sizes in the first."""
        by_size: dict[int, list[str]] = {size: [] for size in self.sizes}
        for choice in choices:
            size = choice.size if isinstance(choice.size, int) else self.sizes[0]
            by_size[size].append(choice.method)
        for size, methods in by_size.items():
            yield self.setting(corpus, methods, (size,))
