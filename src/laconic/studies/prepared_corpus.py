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
from laconic.text.options import StorageOptions
from laconic.text.problem import (
    DEFAULT_STORAGE,
    CountedCorpus,
    Problem,
    Target,
    check_split,
    targets_of,
)
from laconic.text.weighting import Weighting
from laconic.types import Progress

# Attributes that are computed once from the texts.
COUNTED = ("counted", "tuning")


@dataclass(frozen=True, eq=False)
class PreparedCorpus:
    """A corpus of a plan, checked, with the folds on which methods and sizes are compared.

    `versions` are those of `Journal.versions`: rows of another version of a method are used.
    `blends` are tasks that follow from the results of the planned ones. `storage` says where the
    words of a large corpus are counted, or have been.
    """

    plan: Plan
    corpus: Corpus
    targets: list[Target]
    splits: list[Split]
    versions: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    blends: tuple[Task, ...] = ()
    storage: StorageOptions = DEFAULT_STORAGE

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
        return CountedCorpus.of(self.corpus, self.plan.text.vectorizer(), self.storage)

    def count(self, storage: StorageOptions, progress: Progress | None = None) -> None:
        """Count the words now, if they are not; `counted` has them."""
        if "counted" not in self.__dict__:
            vectorizer = self.plan.text.vectorizer()
            self.__dict__["counted"] = CountedCorpus.of(self.corpus, vectorizer, storage, progress)

    def with_blends(self, blends: Iterable[Task]) -> Self:
        """The same corpus, counted once, with tasks that follow from the others."""
        prepared = replace(self, blends=tuple(blends))
        counted = {name: self.__dict__[name] for name in COUNTED if name in self.__dict__}
        prepared.__dict__.update(counted)
        return prepared

    @cached_property
    def tuning(self) -> CountedCorpus:
        """The documents of the folds: of a large corpus a sample, which is in memory."""
        if self.corpus.vectors is not None or isinstance(self.corpus.texts, tuple):
            return self.counted
        folds = [part for split in self.splits for part in (split.train, split.test)]
        return self.counted.only(np.unique(np.concatenate(folds)))

    def _counted(self, split: Split) -> CountedCorpus:
        """The counts of the documents of a split."""
        of_folds = any(split is fold for fold in self.splits)
        return self.tuning if of_folds else self.counted

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
        weighting = self.plan.weighting_for(self.corpus)
        return self._counted(split).problems(split, targets, weighting)

    def weigh(self, split: Split) -> Weighting:
        return self._counted(split).weigh(split, self.plan.weighting_for(self.corpus))

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
