"""The recommended models: trained through the executor, tested once, and written.

Training and testing is one task; its outcome carries the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from time import perf_counter
from typing import Any

from laconic.certificate import as_stored, certify
from laconic.compact import CompactModel
from laconic.errors import LaconicError
from laconic.files import write_json
from laconic.model import LinearModel
from laconic.rows import group_pairs
from laconic.studies.analysis.budget import BudgetRow
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.final_tasks import FinalProblem, FinalTasks, WrittenModel
from laconic.studies.analysis.held_out import (
    held_out_result,
    held_out_score,
    n_test_evaluations,
)
from laconic.studies.analysis.out_of_fold import OutOfFold
from laconic.studies.analysis.recommendation import Recommendation
from laconic.studies.analysis.storage import recommend_stored
from laconic.studies.execution.executors import Executor
from laconic.studies.execution.jobs import Job
from laconic.studies.execution.task import Task, describe_failure
from laconic.studies.execution.trained_model import TrainedModel
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import BUDGET, ProblemFolder, StudyFolder
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.words import coefficient_classes, model_words, write_words
from laconic.text.problem import Problem, Target
from laconic.text.weighting import Weighting

# Up to so many documents, a certificate covers what the selection does to their space, in seconds.
SPAN_LIMIT = 2000
# Texts on which the speed of a model is measured.
TIMED_TEXTS = 2000


@dataclass(frozen=True, eq=False)
class FinalModels:
    """Trains the recommended models of one corpus on all documents but the test documents."""

    plan: Plan
    prepared: PreparedCorpus
    journal: Journal
    executor: Executor
    previous: Mapping[str, Recommendation]
    retry_failed: bool
    out_of_fold: OutOfFold
    warnings: list[str] = field(default_factory=list)

    def recommend(
        self, measured: Sequence[Candidate], folder: StudyFolder, n_problems: int
    ) -> list[Recommendation]:
        """One recommendation per problem. A failure is recorded in it and stops no other."""
        offered = group_pairs((candidate.problem, candidate) for candidate in measured)
        targets = [target for target in self.prepared.targets if target.name in offered]
        recommended = recommend_stored(offered, targets, self.tasks, self.executor, self.previous)
        final = {
            t.name: self._final(
                recommended[t.name], offered[t.name], t, folder.problem(t.name, n_problems)
            )
            for t in targets
        }
        if final and any(work.pending for work in final.values()):
            words = self.prepared.counted.words.tolist()
            self.journal.record_words(self.prepared.tasks[0].vocabulary, words)
        finished = dict(self._finished(final))
        for work in final.values():
            self.warnings.extend(work.warnings)
        return [finished[name] for name in final]

    @cached_property
    def tasks(self) -> FinalTasks:
        return FinalTasks(self.plan, self.prepared, self.out_of_fold)

    @cached_property
    def weighting(self) -> Weighting:
        return self.prepared.weigh(self.tasks.split)

    def _final(
        self,
        recommendation: Recommendation,
        offered: list[Candidate],
        target: Target,
        folder: ProblemFolder,
    ) -> FinalProblem:
        folder.make()
        two_classes = target.rule == "sign"
        recommendation = replace(
            recommendation,
            folder=folder.name,
            positive_class=target.classes[1] if two_classes else "",
            multilabel=target.rule == "labels",
        )
        final = self.tasks.of_problem(recommendation, offered, folder)
        final.written = self._previous_model(final)
        final.budget_before = dict(self._previous_rows(final))
        final.pending = {task.key: task for task in self._pending(final)}
        return final

    def _pending(self, final: FinalProblem) -> Iterator[Task]:
        """The tasks without a model or a test score; failed ones only if they are retried."""
        done = self.journal.done()
        failed = {} if self.retry_failed else self.journal.failed()
        if final.chosen.key in failed:
            return
        unscored = [t for t in (final.chosen, final.baseline) if t and t.metrics]
        for task in (*final.unwritten(), *(task for task in unscored if task.key not in done)):
            if task.key not in failed:
                yield task

    def _jobs(self, final: Mapping[str, FinalProblem]) -> Iterator[Job]:
        """Tasks of one selection share a job, so that it selects once."""
        names = [name for name, work in final.items() if work.pending]
        for problem in self.prepared.problems(self.tasks.split, names) if names else ():
            final[problem.name].problem = problem
            tasks = sorted(final[problem.name].pending.values(), key=lambda task: task.selection)
            for _, group in groupby(tasks, key=lambda task: task.selection):
                yield Job(problem, tuple(group), with_models=True)

    def _finished(self, final: Mapping[str, FinalProblem]) -> Iterator[tuple[str, Recommendation]]:
        """Each recommendation as soon as its tasks are done."""
        for name, work in final.items():
            if not work.pending:
                yield name, self._finish(work)
        for outcome in self.executor.run(self._jobs(final)):
            name, work = outcome.task.problem, final[outcome.task.problem]
            work.outcomes[outcome.task.key] = outcome
            if outcome.task.metrics:
                self.journal.record(outcome)
            if len(work.outcomes) == len(work.pending):
                yield name, self._finish(work)
                work.outcomes, work.problem = {}, None

    def _finish(self, work: FinalProblem) -> Recommendation:
        try:
            return self._with_model(work)
        except Exception as failure:
            return replace(work.recommendation, failure=describe_failure(failure))

    def _with_model(self, work: FinalProblem) -> Recommendation:
        """The recommendation with its model, which is written, and its test scores."""
        written = work.written if work.written is not None else self._write(work)
        work.warnings.extend(written.warnings)
        if written.file_error:
            name = work.recommendation.chosen.description
            work.warnings.append(f"{name} cannot be saved: {written.file_error}{work.instead}")
        recommendation = replace(
            work.recommendation,
            task_key=work.chosen.key,
            budget=tuple(self._budget(work)),
            n_features=written.n_features,
            n_features_in=self._n_features_in(work),
            n_bytes=written.n_bytes,
            model_file_error=written.file_error,
            warnings=written.warnings,
        )
        n_test = self.tasks.split.test.size
        if not n_test:
            return replace(recommendation, failure=". ".join(written.failures))
        rule = self.tasks.targets[work.chosen.problem].rule
        test, failure = held_out_result(work.chosen, rule, self.journal)
        if work.baseline is not None:
            recommendation = replace(
                recommendation,
                baseline_test=held_out_result(work.baseline, rule, self.journal)[0],
                baseline_task_key=work.baseline.key,
            )
        return replace(
            recommendation,
            test=test,
            n_test_documents=n_test,
            n_test_evaluations=n_test_evaluations(work.chosen, self.journal),
            failure=". ".join(filter(None, (*written.failures, failure))),
        )

    def _previous_model(self, work: FinalProblem) -> WrittenModel | None:
        """The model that the last run wrote for this task; None if it failed or is gone."""
        previous = self.previous.get(work.recommendation.problem)
        if previous is None or previous.failure or previous.task_key != work.chosen.key:
            return None
        file = work.folder.words if previous.model_file_error else work.folder.model
        if not file.exists():
            return None
        about = previous.n_features, previous.n_bytes, previous.model_file_error, previous.warnings
        return WrittenModel(*about)

    def _previous_rows(self, work: FinalProblem) -> Iterator[tuple[float, BudgetRow]]:
        """The rows of the budget table whose models the last run wrote for the same tasks."""
        previous = self.previous.get(work.recommendation.problem)
        for row in () if previous is None else previous.budget:
            task, file = work.budget.get(row.loss), work.folder.budget(row.loss)
            if task is not None and row.task_key == task.key and file.exists():
                yield row.loss, row

    def _write(self, work: FinalProblem) -> WrittenModel:
        """Write the model, its words and its certificate, in place of earlier ones."""
        folder, problem = work.folder, work.problem
        folder.delete_model()
        trained = self._trained(work, work.chosen)
        assert problem is not None
        words = model_words(trained, problem)
        write_words(folder.words, words, coefficient_classes(trained.model, problem))
        file_error, failures = "", []
        try:
            self._compact(trained, problem).save(folder.model)
        except LaconicError as failure:
            if isinstance(trained.model, LinearModel):
                raise
            file_error = str(failure)
        try:
            if work.reference is not None:
                full, stored = self._trained(work, work.reference), CompactModel.load(folder.model)
                certificate = _certificate(full, trained, stored, problem)
                write_json(folder.certificate, "certificate", certificate)
            if work.stand_in is not None:
                self._compact(self._trained(work, work.stand_in), problem).save(folder.stand_in)
        except Exception as failure:
            failures.append(describe_failure(failure))
        n_bytes = folder.model.stat().st_size if folder.model.exists() else 0
        about = file_error, trained.notes, tuple(failures)
        return WrittenModel(trained.model.n_features, n_bytes, *about)

    def _budget(self, work: FinalProblem) -> Iterator[BudgetRow]:
        """The rows with their models, which are written, and their test scores."""
        work.folder.delete_budget(*(loss for loss in BUDGET if loss not in work.budget_before))
        finished: dict[Candidate, BudgetRow] = {}
        for row in work.recommendation.budget:
            if row.loss in work.budget_before:
                finished[row.candidate] = work.budget_before[row.loss]
            elif row.candidate not in finished:
                finished[row.candidate] = self._budget_row(work, row)
            yield replace(finished[row.candidate], loss=row.loss, chosen=row.chosen)

    def _budget_row(self, work: FinalProblem, row: BudgetRow) -> BudgetRow:
        """The row with its model; that of the chosen one was written before."""
        task = work.budget.get(row.loss, work.chosen)
        file = work.folder.model if row.chosen else work.folder.budget(row.loss)
        if row.chosen and task.key not in work.outcomes:
            return self._chosen_row(work, row)
        try:
            trained = self._trained(work, task)
            assert work.problem is not None
            compact = self._compact(trained, work.problem)
            if not row.chosen:
                compact.save(file)
            score = held_out_score(task, self.journal)[0] if task.metrics else None
        except LaconicError:
            return replace(row, task_key=task.key)
        return replace(
            row,
            n_features=trained.model.n_features,
            n_bytes=file.stat().st_size if file.exists() else 0,
            documents_per_second=self._speed(compact),
            test_score=score,
            model_file=file.relative_to(work.folder.study).as_posix() if file.exists() else "",
            task_key=task.key,
        )

    def _chosen_row(self, work: FinalProblem, row: BudgetRow) -> BudgetRow:
        """The row of the chosen model as the last run measured it."""
        previous = self.previous[work.recommendation.problem]
        rows = [other for other in previous.budget if other.task_key == work.chosen.key]
        if rows:
            return rows[0]
        n_features, n_bytes = previous.n_features, previous.n_bytes
        return replace(row, n_features=n_features, n_bytes=n_bytes, task_key=work.chosen.key)

    def _speed(self, compact: CompactModel) -> float | None:
        """Raw texts per second; None for a corpus of vectors."""
        texts = self.prepared.corpus.texts
        if texts is None:
            return None
        sample = list(texts[:TIMED_TEXTS])
        compact.predict(sample[:1])
        clock = perf_counter()
        compact.predict(sample)
        return len(sample) / max(perf_counter() - clock, 1e-9)

    def _trained(self, work: FinalProblem, task: Task) -> TrainedModel:
        """The model of a task; an error if the task failed, in this run or an earlier one."""
        outcome = work.outcomes.get(task.key)
        if outcome is None or outcome.trained is None:
            raise LaconicError(outcome.reason if outcome else self.journal.failed()[task.key])
        return outcome.trained

    def _compact(self, trained: TrainedModel, problem: Problem) -> CompactModel:
        return CompactModel.of(
            trained.model,
            None if self.prepared.corpus.texts is None else self.plan.text.vectorizer(),
            self.weighting,
            problem.vocabulary,
            problem.classes,
            trained.notes,
            trained.classifier,
        )

    def _n_features_in(self, work: FinalProblem) -> int:
        previous = self.previous.get(work.recommendation.problem)
        if work.written is not None and previous is not None:
            return previous.n_features_in
        return int(self.weighting.features_.size)


def _certificate(
    full: TrainedModel, small: TrainedModel, stored: CompactModel, problem: Problem
) -> dict[str, Any]:
    """How far the small model, as it is stored, is from the full one."""
    assert isinstance(full.model, LinearModel)
    assert isinstance(small.model, LinearModel)
    assert isinstance(stored.model, LinearModel)
    certificate = certify(
        full.model,
        as_stored(small.model, stored.model),
        problem.X_train,
        reduction=small.reduction,
        held_out=problem.X_test,
        span_limit=SPAN_LIMIT,
    )
    return {"sentences": certificate.summary().splitlines(), "values": certificate.as_dict()}
