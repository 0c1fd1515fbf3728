"""Jobs in lines: those that share a selection wait for one worker, which then selects once."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from laconic.study.task import Task

Staged: TypeAlias = tuple[Task, Path]


@dataclass(frozen=True, eq=False)
class Line:
    """Jobs on one problem whose methods have the same selection."""

    problem: Path
    selection: str
    jobs: deque[Staged] = field(default_factory=deque)

    def takes(self, job: Staged) -> bool:
        task, problem = job
        return (problem, task.selection) == (self.problem, self.selection)


class Lines:
    """Drawn are the jobs of lines at which someone works, and one ahead of them."""

    def __init__(self, jobs: Iterator[Staged]) -> None:
        self._jobs = jobs
        self._lines: dict[Hashable, Line] = {}
        self._ahead: Staged | None = None
        self.draw()

    @property
    def waiting(self) -> bool:
        return self._ahead is not None or any(line.jobs for line in self._lines.values())

    def draw(self) -> None:
        """Draw up to the first job that no line takes. To be called when a job has been handed."""
        while self._ahead is None and (job := next(self._jobs, None)):
            line = next((line for line in self._lines.values() if line.takes(job)), None)
            if line is None:
                self._ahead = job
            else:
                line.jobs.append(job)

    def jobs_for(self, worker: Hashable, crew: Collection[Hashable]) -> deque[Staged]:
        """Those of the worker's line, of one whose worker is gone from the crew, or of a new one.

        Where nothing is left to begin it helps at the longest line.
        """
        own = self._lines.get(worker)
        if own is None or not own.jobs:
            other = self._left_behind(crew) or self._new() or self._longest()
            if other is None:
                return deque()
            own = self._lines[worker] = other
        return own.jobs

    def _left_behind(self, crew: Collection[Hashable]) -> Line | None:
        gone = [worker for worker in self._lines if worker not in crew]
        return next(filter(None, map(self._unfinished, gone)), None)

    def _unfinished(self, worker: Hashable) -> Line | None:
        line = self._lines.pop(worker)
        return line if line.jobs else None

    def _new(self) -> Line | None:
        if self._ahead is None:
            return None
        (task, problem), self._ahead = self._ahead, None
        return Line(problem, task.selection, deque([(task, problem)]))

    def _longest(self) -> Line | None:
        lines = [line for line in self._lines.values() if line.jobs]
        return max(lines, key=lambda line: len(line.jobs), default=None)
