"""`Study`: runs the tasks of a plan, and writes the results into a folder.

All other files of the folder are made from its `journal.sqlite`. A study can be interrupted at any
time and resumed; finished tasks are not computed again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from laconic.engine import Engine
from laconic.errors import LaconicError
from laconic.files import check_not_read, make_folder
from laconic.methods import parse_method
from laconic.studies.analysis.blends import blend_tasks
from laconic.studies.analysis.conclusion import make_findings
from laconic.studies.analysis.findings import Findings
from laconic.studies.analysis.projection_map import projection_method
from laconic.studies.execution.executors import Executor
from laconic.studies.execution.local import InProcess
from laconic.studies.execution.task import Task, versions
from laconic.studies.feature_choice import FeatureChoice
from laconic.studies.forecast import announcement
from laconic.studies.journal.journal import Journal, exclusive
from laconic.studies.layout import PLAN_MARK, StudyFolder, check_apart, input_paths, write
from laconic.studies.measurement import Event, Listener, run_tasks
from laconic.studies.options import LimitOptions
from laconic.studies.plan import Plan
from laconic.studies.plan_file import parse_plan, write_plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.probe import Probe, compares_features
from laconic.text.options import StorageOptions


class Study:
    """A plan and the folder of its results.

    Parameters
    ----------
    plan : Plan
    where : the folder; it is created if there is none, and resumed if it has a journal
    """

    def __init__(self, plan: Plan, where: str | Path) -> None:
        self.plan = plan
        self.where = Path(where)
        self._loaded: list[PreparedCorpus] | None = None
        self._corpora: list[PreparedCorpus] | None = None

    @classmethod
    def open(cls, where: str | Path) -> Self:
        """The study of a folder, with the plan of its last run."""
        file = StudyFolder(Path(where)).journal
        with Journal.reading(file) as journal:
            plan = journal.latest_plan()
        return cls(parse_plan(plan.text, f"the plan in {file}"), where)

    @property
    def corpora(self) -> list[PreparedCorpus]:
        """The corpora of the plan with their targets, folds and features, read when first needed.

        Features that a study chooses are known after it has been run.
        """
        if self._corpora is None:
            folder = StudyFolder(self.where)
            file, loaded = folder.journal, self._load(lambda event: None)
            if folder.blocks.is_dir():
                storage = StorageOptions(blocks=str(folder.blocks))
                loaded = [replace(prepared, storage=storage) for prepared in loaded]
            with Journal.reading(file) if file.exists() else nullcontext() as journal:
                self._corpora = [Probe(journal).resolve(prepared)[0] for prepared in loaded]
        return self._corpora

    def _load(
        self,
        listen: Listener,
        progress: Any = None,
        n_jobs: int = 1,
        engine: Engine | None = None,
    ) -> list[PreparedCorpus]:
        """The corpora before their features are chosen."""
        if self._loaded is not None:
            return self._loaded
        loaded = []
        for corpus in self.plan.load(progress, n_jobs, engine):
            listen(Event("loaded", corpus.name, len(corpus), len(corpus)))
            prepared = PreparedCorpus.of(self.plan, corpus)
            for note in (*corpus.notes, *prepared.plan.split.notes(corpus)):
                listen(Event("note", f"{corpus.name}: {note}"))
            loaded.append(prepared)
        self._loaded = loaded
        return loaded

    @property
    def tasks(self) -> list[Task]:
        """All tasks of the plan, done or not."""
        return [task for prepared in self.corpora for task in prepared.tasks]

    def run(
        self,
        executor: Executor | None = None,
        *,
        storage: StorageOptions | None = None,
        retry_failed: bool = False,
        remeasure: bool = False,
        listen: Listener = lambda event: None,
        progress: Callable[[int, int], None] | None = None,
        n_jobs: int = 1,
        command: str = "",
    ) -> Findings:
        """Run the tasks that are not done, recommend, test once, and write the tables.

        Parameters
        ----------
        executor : InProcess() by default; Processes(2) for two processes; DaskExecutor(client,
            shared=folder) for a cluster, which reads and counts too
        storage : where the counts of a large corpus are, by default in the study's folder, and how
            much memory a matrix may take
        retry_failed : whether failed tasks are run again; otherwise they stay failed
        remeasure : whether rows of another version of a method are measured again; otherwise they
            are used, and a note says so
        listen : called with each event
        progress : called while corpora are read, with (done, total)
        n_jobs : processes that read a corpus of many files, and count the words of a large one
        command : the command line, for the record
        """
        folder, inputs = StudyFolder(self.where), input_paths(self.plan)
        folder.check(inputs)
        check_apart(self.where, self.plan)
        storage = storage or StorageOptions()
        if storage.blocks is not None:
            check_not_read([Path(storage.blocks)], inputs)
        with executor if executor is not None else InProcess() as workers:
            engine: Engine | None = getattr(workers, "engine", None)
            n_workers = getattr(workers, "n_workers", 1)
            n_readers = max(n_jobs, n_workers) if engine is None else 1
            storage = replace(storage, n_jobs=n_readers, engine=engine)
            storage = replace(storage, in_memory=storage.limit, n_jobs=n_jobs)
            # before anything is created: an unreadable corpus leaves nothing behind
            loaded = self._load(listen, progress, n_jobs, engine)
            names = [target.name for prepared in loaded for target in prepared.targets]
            folder.check(inputs, names)
            make_folder(self.where)
            if storage.blocks is not None:
                make_folder(Path(storage.blocks))
            with exclusive(folder.journal), Journal(folder.journal) as journal:
                folder.remove_drafts()
                tried = {} if remeasure else journal.versions()
                loaded = [replace(prepared, versions=tried) for prepared in loaded]
                if not journal.plans():
                    # a study that is interrupted while features are compared can be resumed
                    journal.record_plan(write_plan(self.plan), command)
                announced = self._announce(loaded, workers, storage, listen, journal)
                probe = Probe(journal, workers, listen, retry_failed)
                resolved = [probe.resolve(prepared) for prepared in loaded]
                self._corpora = [prepared for prepared, _ in resolved]
                choices = tuple(choice for _, choice in resolved if choice is not None)
                for choice in choices:
                    listen(Event("features", f"{choice.corpus}: {choice.sentence}"))
                keys = [task.key for task in self.tasks]
                same_rows = _findings_of(folder, self._state(journal, keys))
                if projection_method(self.plan) is not None:
                    same_rows = None  # maps are files of their own, and may have failed
                if same_rows is not None and same_rows.limits == self.plan.limits:
                    listen(Event("finished", str(self.where)))
                    return same_rows
                journal.check()
                old = _old_versions(self.tasks)
                for note, n_tasks in old.items():
                    listen(Event("note", f"{n_tasks:,} tasks: {note}"))
                if not announced or any(choice.counts_ngrams for choice in choices):
                    self._announce(self.corpora, workers, storage, listen, journal)
                journal.record_plan(write_plan(self.plan), command, keys)
                self._count(storage, listen)
                run_tasks(self.corpora, workers, journal, retry_failed=retry_failed, listen=listen)
                self._corpora = [
                    prepared.with_blends(blend_tasks(prepared.plan, prepared, journal))
                    for prepared in self.corpora
                ]
                every = [task.key for task in self.tasks]
                if every != keys:
                    journal.record_plan(write_plan(self.plan), command, every)
                    run_tasks(
                        self.corpora, workers, journal, retry_failed=retry_failed, listen=listen
                    )
                self._write_plan(choices)
                listen(Event("concluding"))
                findings = make_findings(
                    self.plan,
                    self.corpora,
                    journal,
                    folder,
                    workers,
                    same_rows,
                    retry_failed=retry_failed,
                )
                state = self._state(journal, keys)
                findings = replace(
                    findings, warnings=old | findings.warnings, state=state, features=choices
                )
                findings.write(folder)
                tested = [
                    key
                    for recommendation in findings.recommendations
                    for key in (recommendation.task_key, recommendation.baseline_task_key)
                    if key
                ]
                journal.export(folder.rows, [*every, *tested])
        listen(Event("finished", str(self.where)))
        return findings

    def _announce(
        self,
        corpora: Sequence[PreparedCorpus],
        workers: Executor,
        storage: StorageOptions,
        listen: Listener,
        journal: Journal,
    ) -> bool:
        """Say what the study will take, if that is long; whether it was measured.

        Features that are compared first belong to it, unless that has been done.
        """
        finished = journal.done() | set(journal.failed())
        if finished and any(map(compares_features, corpora)):
            return False
        keys = [task.key for prepared in corpora for task in prepared.planned]
        share = 1 - len(finished.intersection(keys)) / max(1, len(keys))
        n_workers = getattr(workers, "n_workers", 1)
        announced = announcement(corpora, n_workers, storage, share)
        if announced is not None:
            text, forecast = announced
            listen(Event("forecast", text, seconds=forecast.seconds))
        return True

    def _count(self, storage: StorageOptions, listen: Listener) -> None:
        """Count the words of all corpora, with progress."""
        blocks = storage.blocks or str(self._blocks(storage.engine))
        for prepared in self.corpora:
            name = prepared.corpus.name

            def progress(done: int, total: int, name: str = name) -> None:
                listen(Event("counting", name, done, total))

            prepared.count(replace(storage, blocks=blocks), progress)
            for note in prepared.counted.notes:
                listen(Event("note", f"{name}: {note}"))

    def _blocks(self, engine: Engine | None) -> Path:
        """The folder of blocks: in that of the study, if all machines of a cluster see it."""
        shared = None if engine is None else engine.folder
        if shared is None or self.where.absolute().is_relative_to(shared):
            return StudyFolder(self.where).blocks
        return shared / "blocks"

    def _state(self, journal: Journal, keys: Sequence[str]) -> str:
        """What findings are made from, apart from the limits: plan, attempts, versions, notes."""
        plan = write_plan(replace(self.plan, limits=LimitOptions()))
        attempts = map(str, journal.attempts(keys))
        old = _old_versions(self.tasks)
        return sha256("\n".join([versions(), plan, *keys, *attempts, *old]).encode()).hexdigest()

    def _write_plan(self, choices: Sequence[FeatureChoice]) -> None:
        """The plan, with the features that were chosen as comments."""
        notes = [f"# {_printable(choice.corpus)}: {choice.sentence}\n" for choice in choices]
        text = "".join([PLAN_MARK, *notes, write_plan(self.plan)])
        with write(StudyFolder(self.where).plan) as stream:
            stream.write(text.encode("utf-8", "backslashreplace"))


def _findings_of(folder: StudyFolder, state: str) -> Findings | None:
    """The complete findings that the last run made from the same state."""
    try:
        findings = Findings.read(folder)
    except LaconicError:
        return None
    current = findings is not None and findings.state == state and findings.complete(folder)
    return findings if current else None


def _printable(name: str) -> str:
    """Without characters that a comment cannot have."""
    return "".join(c if c.isprintable() else " " for c in name)


def _old_versions(tasks: Sequence[Task]) -> dict[str, int]:
    """Notes about rows of other versions of methods, with the number of tasks of each."""
    current = {name: parse_method(name).version for name in {task.method for task in tasks}}
    used = Counter((task.method, task.version) for task in tasks)
    return {
        f"the rows of {method} are of version {version} of the method, and this Laconic has version"
        f" {current[method]}. They are used as they are; --remeasure measures them again": n_tasks
        for (method, version), n_tasks in used.items()
        if version != current[method]
    }
