"""An executor that counts: was a figure worked off, or recalled from its journal?"""

from __future__ import annotations

from laconic.studies.execution.local import InProcess
from laconic.studies.execution.task import Task
from laconic.text.problem import Problem
from tests.studies.runs import per_task


class Counting(InProcess):
    """Which tasks were computed here, and how many."""

    def __init__(self) -> None:
        super().__init__(run=per_task(self._counted))
        self.titles: list[str] = []

    @property
    def done(self) -> int:
        return len(self.titles)

    def _counted(self, task: Task, problem: Problem) -> None:
        self.titles.append(task.title)
