"""`run_tasks`: the tasks of prepared corpora are run, and recorded in the journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from laconic.studies.execution.executors import Executor
from laconic.studies.execution.task import Outcome
from laconic.studies.journal.journal import Journal
from laconic.studies.prepared_corpus import PreparedCorpus


@dataclass(frozen=True)
class Event:
    """Progress of a study.

    `kind` is "loaded", "note", "forecast" (`what` says what the study will take, `seconds` the
    time), "features", "counting" (`done` and `total` are bytes of text), "planned", "task",
    "concluding" or "finished".
    """

    kind: str
    what: str = ""
    done: int = 0
    total: int = 0
    status: str = ""
    reason: str = ""
    seconds: float = 0.0


Listener = Callable[[Event], None]


def run_tasks(
    corpora: Sequence[PreparedCorpus],
    executor: Executor,
    journal: Journal,
    *,
    retry_failed: bool,
    listen: Listener,
    what: str = "",
) -> None:
    """Run the tasks that are neither done nor, unless they are retried, failed.

    `what` the tasks are for is said in the event that announces them.
    """
    keys = [task.key for prepared in corpora for task in prepared.tasks]
    finished = journal.done() | (set() if retry_failed else set(journal.failed()))
    open_keys = set(keys) - finished
    done, total = len(keys) - len(open_keys), len(keys)
    listen(Event("planned", what, done=done, total=total))
    jobs = (job for prepared in corpora for job in prepared.jobs(open_keys))
    for outcome in executor.run(jobs):
        journal.record(outcome)
        done += 1
        listen(_task_event(outcome, done, total))


def _task_event(outcome: Outcome, done: int, total: int) -> Event:
    status = (outcome.status, outcome.reason, outcome.seconds)
    return Event("task", outcome.task.title, done, total, *status)
