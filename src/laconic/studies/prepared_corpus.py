"""`PreparedCorpus`: a corpus of a plan with its targets and folds; it is counted when needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.corpus.splits import Split, used_documents
from laconic.curves import UNDEFINED
from laconic.errors import LaconicError
from laconic.rows import group_pairs
from laconic.studies.execution.jobs import Job, jobs_of
from laconic.studies.execution.task import Task
from laconic.studies.plan import Plan
from laconic.text.problem import CountedCorpus, Problem, Target, check_split, targets_of
from laconic.text.weighting import Weighting


@dataclass(frozen=True, eq=False)
class PreparedCorpus:
    """A corpus of a plan, checked, with the folds on which methods and sizes are compared.

    `versions` are those of `Journal.versions`: rows of another version of a method are used.
    `blends` are tasks that follow from the results of the planned ones.
    """

    plan: Plan
    corpus: Corpus
    targets: list[Target]
    splits: list[Split]
    versions: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    blends: tuple[Task, ...] = ()

    @classmethod
    def of(cls, plan: Plan, corpus: Corpus) -> Self:
        splits = plan.folds(corpus)
        for split in splits:
            check_split(split, corpus)
        plan.weighting_for(corpus)
        targets = targets_of(corpus, plan.target, plan.positive)
        for target in targets:
            _check_metric(plan.metrics_for(target)[0], target)
        return cls(plan, corpus, targets, splits)

    @cached_property
    def counted(self) -> CountedCorpus:
        return CountedCorpus.of(self.corpus, self.plan.text.vectorizer())

    @property
    def tasks(self) -> list[Task]:
        """The planned tasks, and the blends that are known so far."""
        return [*self.planned, *self.blends]

    @cached_property
    def planned(self) -> list[Task]:
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

    def jobs(self, keys: set[str]) -> Iterator[Job]:
        """The jobs of the tasks with these keys; problems without a task are not made."""
        tasks = (((task.fold, task.problem), task) for task in self.tasks if task.key in keys)
        pending = group_pairs(tasks)
        for split in self.splits:
            names = [name for fold, name in pending if fold == split.name]
            for problem in self.problems(split, names) if names else ():
                yield from jobs_of(problem, pending[split.name, problem.name])

    def problems(self, split: Split, names: Iterable[str]) -> Iterator[Problem]:
        """The problems with these names, weighted by the training documents of the split."""
        requested = set(names)
        targets = [target for target in self.targets if target.name in requested]
        return self.counted.problems(split, targets, self.plan.weighting_for(self.corpus))

    def weigh(self, split: Split) -> Weighting:
        return self.counted.weigh(split, self.plan.weighting_for(self.corpus))

    def final_split(self) -> Split:
        """The split that trains and tests the recommended model; its test part may be empty."""
        if held_out := self.plan.split.held_out(self.corpus):
            return held_out[0]
        documents = self.plan.split.training_documents(self.corpus)
        used = np.intersect1d(documents, used_documents(self.corpus))
        return Split.training(used, "all documents")

    def n_selectable(self) -> int:
        """The number of words that occur often enough in the training documents of some fold."""
        columns = [self.weigh(split).features_ for split in self.splits]
        return int(np.unique(np.concatenate(columns)).size)


def _check_metric(metric: str, target: Target) -> None:
    """Refuse, before any work, a first metric that is not defined for the target."""
    two_classes, one_label = target.n_columns == 1, target.y.ndim == 1
    if metric == "balanced_accuracy":
        defined = one_label
    else:
        defined = two_classes or metric not in ("f1", "precision", "recall")
    if defined:
        return
    raise LaconicError(
        f"metric {metric!r} is not defined for {target.name}, with {len(target.classes):,} "
        f"{'classes' if one_label else 'labels'}: {UNDEFINED[metric]}"
    )
