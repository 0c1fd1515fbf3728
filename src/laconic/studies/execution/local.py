"""`InProcess`: runs the jobs of a study in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

from laconic.studies.execution.jobs import Job, Run, outcomes_of, run_job
from laconic.studies.execution.task import Outcome


class InProcess:
    """Runs jobs one after the other in this process."""

    def __init__(self, *, run: Run = run_job) -> None:
        self._run = run

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        pass

    def run(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        for job in jobs:
            yield from outcomes_of(job, self._run)
