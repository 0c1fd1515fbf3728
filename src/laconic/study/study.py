"""`Study`: a plan worked off task by task into a folder, and what follows from it.

The folder holds `journal.sqlite`, which everything else is made from. A study that was ended at any
moment goes on where it was; what is finished is never computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from laconic.files import make_folder
from laconic.study.concluding import make_findings
from laconic.study.executors import Executor, InProcess
from laconic.study.findings import Findings
from laconic.study.journal import Journal, exclusive
from laconic.study.layout import PLAN_MARK, StudyFolder, input_paths, write
from laconic.study.plan import Plan
from laconic.study.plan_file import parse_plan, write_plan
from laconic.study.ready import PreparedCorpus
from laconic.study.task import Outcome, Task


@dataclass(frozen=True)
class Event:
    """Something happened: "loaded", "note", "planned", "task", "concluding", "finished"."""

    kind: str
    what: str = ""
    done: int = 0
    total: int = 0
    status: str = ""
    reason: str = ""
    seconds: float = 0.0


Listener = Callable[[Event], None]


class Study:
    """A plan and the folder in which it is worked off.

    Parameters
    ----------
    plan : Plan
    where : folder, made if need be; one that holds a journal is continued
    """

    def __init__(self, plan: Plan, where: str | Path) -> None:
        self.plan = plan
        self.where = Path(where)

    @classmethod
    def open(cls, where: str | Path) -> Self:
        """The study of a folder, with the plan it was last run with."""
        file = StudyFolder(Path(where)).journal
        with Journal.reading(file) as journal:
            plan = journal.latest_plan()
        return cls(parse_plan(plan.text, f"the plan in {file}"), where)

    @cached_property
    def corpora(self) -> list[PreparedCorpus]:
        """The corpora of the plan, read when first asked for, with their questions and folds."""
        return self._load(lambda event: None)

    def _load(self, listen: Listener, progress: Any = None) -> list[PreparedCorpus]:
        loaded = []
        for corpus in self.plan.load(progress):
            listen(Event("loaded", corpus.name, len(corpus), len(corpus)))
            ready = PreparedCorpus.of(self.plan, corpus)
            for note in (*corpus.notes, *_copies(ready)):
                listen(Event("note", f"{corpus.name}: {note}"))
            loaded.append(ready)
        return loaded

    @property
    def tasks(self) -> list[Task]:
        """Everything that the plan wants measured, done or not."""
        return [task for ready in self.corpora for task in ready.tasks]

    def run(
        self,
        executor: Executor | None = None,
        *,
        retry_failed: bool = False,
        listen: Listener = lambda event: None,
        progress: Callable[[int, int], None] | None = None,
        command: str = "",
    ) -> Findings:
        """Work off what is not done, then recommend, test once, and write the tables.

        Parameters
        ----------
        executor : InProcess() by default; Processes(2) for two
        retry_failed : a failed task stays so, with its reason, until this is asked for
        listen : is told what happens, event by event
        progress : of reading corpora, (done, total)
        command : that was given, for the record
        """
        folder, inputs = StudyFolder(self.where), input_paths(self.plan)
        folder.check(inputs)
        with executor if executor is not None else InProcess() as workers:
            # before anything is made: what cannot be read leaves nothing behind
            if "corpora" not in self.__dict__:
                self.__dict__["corpora"] = self._load(listen, progress)
            folder.check(inputs, self._problem_names())
            make_folder(self.where)
            with exclusive(folder.journal), Journal(folder.journal) as journal:
                folder.remove_drafts()
                journal.check()
                keys = [task.key for task in self.tasks]
                journal.record_plan(write_plan(self.plan), command, keys)
                self._work(workers, journal, retry_failed, listen)
                self._write_plan()
                journal.export(folder.rows, keys)
                listen(Event("concluding"))
                again = {"retry_failed": retry_failed}
                findings = make_findings(self.plan, self.corpora, journal, folder, **again)
                findings.write(folder)
                tested = [
                    key
                    for recommendation in findings.recommendations
                    for key in (recommendation.task_key, recommendation.baseline_task_key)
                    if key
                ]
                journal.export(folder.rows, [*keys, *tested])
        listen(Event("finished", str(self.where)))
        return findings

    def _problem_names(self) -> list[str]:
        return [target.name for ready in self.corpora for target in ready.targets]

    def _write_plan(self) -> None:
        text = PLAN_MARK + write_plan(self.plan)
        with write(StudyFolder(self.where).plan) as stream:
            stream.write(text.encode("utf-8", "backslashreplace"))

    def _work(
        self, executor: Executor, journal: Journal, retry_failed: bool, listen: Listener
    ) -> None:
        keys = [task.key for task in self.tasks]
        over = journal.done() | (set() if retry_failed else set(journal.failed()))
        wanted = set(keys) - over
        done, total = len(keys) - len(wanted), len(keys)
        listen(Event("planned", done=done, total=total))
        jobs = (job for ready in self.corpora for job in ready.jobs(wanted))
        for outcome in executor.run(jobs):
            journal.record(outcome)
            done += 1
            listen(_told(outcome, done, total))


def _copies(ready: PreparedCorpus) -> Iterator[str]:
    if n := ready.n_duplicates():
        tests = ready.final_split().test.size
        yield f"{n:,} of {tests:,} test documents repeat the text of a training document"


def _told(outcome: Outcome, done: int, total: int) -> Event:
    about = (outcome.status, outcome.reason, outcome.seconds)
    return Event("task", outcome.task.title, done, total, *about)
