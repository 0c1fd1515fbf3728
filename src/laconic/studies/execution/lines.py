"""The work queue: jobs with the same selection go to the same worker, which selects once."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from laconic.errors import LaconicError
from laconic.studies.execution.task import Task

StagedJob: TypeAlias = tuple[Task, Path]


@dataclass(frozen=True, eq=False)
class JobGroup:
    """Jobs on one problem with the same selection."""

    problem: Path
    selection: str
    jobs: deque[StagedJob] = field(default_factory=deque)

    def accepts(self, job: StagedJob) -> bool:
        task, problem = job
        return (problem, selection_of(task)) == (self.problem, self.selection)


def selection_of(task: Task) -> str:
    """The selection of the task; an invalid method has none, and fails when it runs."""
    try:
        return task.selection
    except LaconicError:
        return task.method


class WorkQueue:
    """Groups jobs by selection. Jobs of the current groups are fetched, and one job ahead."""

    def __init__(self, jobs: Iterator[StagedJob]) -> None:
        self._jobs = jobs
        self._groups: dict[Hashable, JobGroup] = {}
        self._next: StagedJob | None = None
        self.fetch()

    @property
    def pending(self) -> bool:
        """Whether any job has not been sent."""
        return self._next is not None or any(group.jobs for group in self._groups.values())

    def fetch(self) -> None:
        """Fetch jobs up to the first that belongs to no group. Call it after sending a job."""
        while self._next is None and (job := next(self._jobs, None)):
            group = next((group for group in self._groups.values() if group.accepts(job)), None)
            if group is None:
                self._next = job
            else:
                group.jobs.append(job)

    def jobs_for(self, worker: Hashable, workers: Collection[Hashable]) -> deque[StagedJob]:
        """The jobs of the worker's group, else of an orphaned, a new or the largest group.

        A group is orphaned if its worker is not among `workers`.
        """
        group = self._groups.get(worker)
        if group is None or not group.jobs:
            group = self._orphaned(workers) or self._new() or self._largest()
            if group is None:
                return deque()
            self._groups[worker] = group
        return group.jobs

    def _orphaned(self, workers: Collection[Hashable]) -> JobGroup | None:
        exited = [worker for worker in self._groups if worker not in workers]
        return next(filter(None, map(self._unfinished, exited)), None)

    def _unfinished(self, worker: Hashable) -> JobGroup | None:
        group = self._groups.pop(worker)
        return group if group.jobs else None

    def _new(self) -> JobGroup | None:
        if self._next is None:
            return None
        (task, problem), self._next = self._next, None
        return JobGroup(problem, selection_of(task), deque([(task, problem)]))

    def _largest(self) -> JobGroup | None:
        groups = [group for group in self._groups.values() if group.jobs]
        return max(groups, key=lambda group: len(group.jobs), default=None)
