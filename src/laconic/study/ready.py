"""`Ready`: a corpus of a plan with its questions, its folds and, when first needed, its counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.corpus.splits import Split
from laconic.study.executors import Job
from laconic.study.plan import Plan
from laconic.study.task import Task
from laconic.vectors.problem import CountedCorpus, Problem, Target, check_split, targets_of
from laconic.vectors.weighting import Weighting


@dataclass(frozen=True, eq=False)
class PreparedCorpus:
    """A corpus of a plan, checked, with the folds in which methods and sizes are compared.

    `versions` are those of `Journal.versions`: rows of another version of a method are used.
    """

    plan: Plan
    corpus: Corpus
    targets: list[Target]
    splits: list[Split]
    versions: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, corpus: Corpus) -> Self:
        splits = plan.folds(corpus)
        for split in splits:
            check_split(split, corpus)
        plan.text.weighting_for(corpus)
        return cls(plan, corpus, targets_of(corpus, plan.target), splits)

    @cached_property
    def counted(self) -> CountedCorpus:
        return CountedCorpus.of(self.corpus, self.plan.text.vectorizer())

    @cached_property
    def tasks(self) -> list[Task]:
        return [
            self.as_measured(task)
            for split in self.splits
            for task in self.plan.tasks(self.corpus, split, self.targets)
        ]

    def as_measured(self, task: Task) -> Task:
        """The task, or the newest version of it that is done if this one was never tried."""
        tried = self.versions.get(task.slot, {})
        done = [version for version, status in tried.items() if status == "ok"]
        untried = done and task.version not in tried
        return replace(task, version=max(done)) if untried else task

    def jobs(self, wanted: set[str]) -> Iterator[Job]:
        """Tasks with their problems, which are made only where a task is wanted."""
        todo: dict[tuple[str, str], list[Task]] = {}
        for task in self.tasks:
            if task.key in wanted:
                todo.setdefault((task.fold, task.problem), []).append(task)
        for split in self.splits:
            asked = [name for fold, name in todo if fold == split.name]
            for problem in self.problems(split, asked) if asked else ():
                yield from ((task, problem) for task in todo[split.name, problem.name])

    def problems(self, split: Split, names: Iterable[str]) -> Iterator[Problem]:
        """The problems of these names, as the training documents of the split make them."""
        wanted = set(names)
        asked = [target for target in self.targets if target.name in wanted]
        return self.counted.problems(split, asked, self.plan.text.weighting_for(self.corpus))

    def weigh(self, split: Split) -> Weighting:
        return self.counted.weigh(split, self.plan.text.weighting_for(self.corpus))

    def last_split(self) -> Split:
        """What the recommended model is trained and tested on; tested on nothing, if need be."""
        if held_out := self.plan.split.held_out(self.corpus):
            return held_out[0]
        everything = np.union1d(self.splits[0].train, self.splits[0].test)
        return Split("all documents", everything, everything[:0])

    def choosable(self) -> int:
        """How many words some fold's training documents offer."""
        offered = [self.weigh(split).kept_ for split in self.splits]
        return int(np.unique(np.concatenate(offered)).size)

    def copies(self) -> int:
        """Test documents whose text is that of a training document, letter by letter."""
        split, texts = self.last_split(), self.corpus.texts
        if texts is None:
            return 0
        known = {texts[i] for i in split.train}
        return sum(texts[i] in known for i in split.test)
