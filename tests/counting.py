"""An executor that counts: was a figure worked off, or recalled from its journal?"""

from __future__ import annotations

from laconic.studies.execution.executors import InProcess
from laconic.studies.execution.task import Outcome, run


class Counting(InProcess):
    """Which tasks were computed here, and how many."""

    def __init__(self) -> None:
        super().__init__(run=self._counted)
        self.titles: list[str] = []

    @property
    def done(self) -> int:
        return len(self.titles)

    def _counted(self, task, problem) -> Outcome:
        self.titles.append(task.title)
        return run(task, problem)
