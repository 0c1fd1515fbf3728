"""The recommended models: trained through the executor, tested once, and written.

Training and testing is one task; its outcome carries the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from laconic.certificate import certify
from laconic.compact import CompactModel
from laconic.corpus.splits import Split
from laconic.errors import LaconicError
from laconic.files import write_json
from laconic.methods import keeps_all, parse_method
from laconic.methods.classifiers import LINEAR
from laconic.model import LinearModel
from laconic.rows import group_pairs
from laconic.studies.analysis.candidates import Candidate, best_of
from laconic.studies.analysis.recommendation import Recommendation, recommend
from laconic.studies.execution.executors import Executor
from laconic.studies.execution.jobs import Job
from laconic.studies.execution.task import Outcome, Task, describe_failure
from laconic.studies.execution.trained_model import TrainedModel
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import ProblemFolder, StudyFolder
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.words import coefficient_classes, model_words, write_words
from laconic.text.problem import Problem, Target
from laconic.text.weighting import Weighting

# A page can carry a model with so many features; for a larger one the best that fits stands in.
MAX_PAGE_FEATURES = 5000
# Up to so many documents, a certificate covers what the selection does to their space, in seconds.
SPAN_LIMIT = 2000


class WrittenModel(NamedTuple):
    """The features of a written model, why it has no file, its warnings, and other failures."""

    n_features: int
    file_error: str = ""
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


@dataclass(eq=False)
class FinalProblem:
    """The final tasks of one problem.

    chosen : trains the recommended model, and tests it
    baseline : tests all words
    reference : trains the linear model of all words that the certificate compares with
    stand_in : trains a smaller model for the page
    written : the model that the last run wrote
    pending : the tasks that have to be run, by key
    """

    recommendation: Recommendation
    folder: ProblemFolder
    instead: str
    chosen: Task
    baseline: Task | None
    reference: Task | None
    stand_in: Task | None
    written: WrittenModel | None
    pending: dict[str, Task] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    problem: Problem | None = None


@dataclass(frozen=True, eq=False)
class FinalModels:
    """Trains the recommended models of one corpus on all documents but the test documents."""

    plan: Plan
    prepared: PreparedCorpus
    journal: Journal
    executor: Executor
    previous: Mapping[str, Recommendation]
    retry_failed: bool
    warnings: list[str] = field(default_factory=list)

    def recommend(
        self, measured: Sequence[Candidate], folder: StudyFolder, n_problems: int
    ) -> list[Recommendation]:
        """One recommendation per problem. A failure is recorded in it and stops no other."""
        offered = group_pairs((candidate.problem, candidate) for candidate in measured)
        final = {
            t.name: self._final(offered[t.name], t, folder.problem(t.name, n_problems))
            for t in self.prepared.targets
            if t.name in offered
        }
        if final:
            words = self.prepared.counted.words.tolist()
            self.journal.record_words(self.prepared.tasks[0].vocabulary, words)
        finished = dict(self._finished(final))
        for work in final.values():
            self.warnings.extend(work.warnings)
        return [finished[name] for name in final]

    @cached_property
    def split(self) -> Split:
        return self.prepared.final_split()

    @cached_property
    def weighting(self) -> Weighting:
        return self.prepared.weigh(self.split)

    def _final(
        self, offered: list[Candidate], target: Target, folder: ProblemFolder
    ) -> FinalProblem:
        folder.make()
        (recommendation,) = recommend(offered)
        two_classes = target.y.ndim == 1 and len(target.classes) == 2
        recommendation = replace(
            recommendation,
            folder=folder.name,
            positive_class=target.classes[1] if two_classes else "",
        )
        chosen, baseline = recommendation.chosen, recommendation.baseline
        linear = [candidate for candidate in offered if _is_linear(candidate)]
        full = [candidate for candidate in linear if keeps_all(candidate.method)]
        small = [candidate for candidate in linear if candidate.n_features <= MAX_PAGE_FEATURES]
        tested = bool(self.split.test.size)
        compared = tested and not keeps_all(chosen.method)
        large = chosen.n_features > MAX_PAGE_FEATURES
        final = FinalProblem(
            recommendation,
            folder,
            _instead(linear),
            self._task(chosen, tested=tested),
            self._task(baseline) if compared and baseline else None,
            self._task(full[0], tested=full[0] == baseline)
            if compared and full and _is_linear(chosen)
            else None,
            self._task(best_of(small), tested=False) if large and small else None,
            self._previous_model(chosen, recommendation, folder),
        )
        final.pending = {task.key: task for task in self._pending(final)}
        return final

    def _pending(self, final: FinalProblem) -> Iterator[Task]:
        """The tasks without a model or a test score; failed ones only if they are retried."""
        done = self.journal.done()
        failed = {} if self.retry_failed else self.journal.failed()
        if final.chosen.key in failed:
            return
        unwritten = (final.chosen, final.reference, final.stand_in) if not final.written else ()
        unscored = [t for t in (final.chosen, final.baseline) if t and t.metrics]
        for task in (*unwritten, *(task for task in unscored if task.key not in done)):
            if task is not None and task.key not in failed:
                yield task

    def _jobs(self, final: Mapping[str, FinalProblem]) -> Iterator[Job]:
        names = [name for name, work in final.items() if work.pending]
        for problem in self.prepared.problems(self.split, names) if names else ():
            final[problem.name].problem = problem
            for task in final[problem.name].pending.values():
                yield Job(problem, (task,), with_models=True)

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
            task_key=self._task(work.recommendation.chosen).key,
            n_features=written.n_features,
            n_features_in=self.weighting.features_.size,
            model_file_error=written.file_error,
            warnings=written.warnings,
        )
        if not self.split.test.size:
            return replace(recommendation, failure=". ".join(written.failures))
        score, failure = self._test_score(work.chosen)
        if work.baseline is not None:
            recommendation = replace(
                recommendation,
                baseline_test_score=self._test_score(work.baseline)[0],
                baseline_task_key=work.baseline.key,
            )
        return replace(
            recommendation,
            test_score=score,
            n_test_documents=self.split.test.size,
            n_test_evaluations=self._n_test_evaluations(work.chosen),
            failure=". ".join(filter(None, (*written.failures, failure))),
        )

    def _previous_model(
        self, chosen: Candidate, recommendation: Recommendation, folder: ProblemFolder
    ) -> WrittenModel | None:
        """The model that the last run wrote for this task; None if it failed or is gone."""
        previous = self.previous.get(recommendation.problem)
        if previous is None or previous.failure:
            return None
        file = folder.words if previous.model_file_error else folder.model
        if previous.task_key != self._task(chosen).key or not file.exists():
            return None
        return WrittenModel(previous.n_features, previous.model_file_error, previous.warnings)

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
                certificate = _certificate(self._trained(work, work.reference), trained, problem)
                write_json(folder.certificate, "certificate", certificate)
            if work.stand_in is not None:
                self._compact(self._trained(work, work.stand_in), problem).save(folder.stand_in)
        except Exception as failure:
            failures.append(describe_failure(failure))
        return WrittenModel(trained.model.n_features, file_error, trained.notes, tuple(failures))

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

    def _task(self, candidate: Candidate, *, tested: bool = True) -> Task:
        """The task that trains a candidate, and tests it if `tested`."""
        method = parse_method(candidate.method)
        corpus, sizes = self.prepared.corpus, (candidate.size,)
        task = self.plan.one_task(corpus, self.split, "test", candidate.problem, method, 0, sizes)
        # the versions of what was compared, so old rows are used only where a warning names them
        compared = {other.version for other in self.prepared.tasks if other.method == task.method}
        if compared != {task.version}:
            task = self.prepared.as_measured(task)
        return task if tested else replace(task, metrics=(), detail=False)

    def _test_score(self, task: Task) -> tuple[float | None, str]:
        """The score on the test documents, or why there is none; measured once per task."""
        (row,) = (row for row in self.journal.rows([task.key]) if row.metric == self.plan.metric)
        return row.value, row.reason

    def _n_test_evaluations(self, task: Task) -> int:
        """How many models were evaluated on these test documents; all words are no choice."""
        documents = (task.data, task.problem, task.split)
        models = {
            (replace(tested, metrics=(), detail=True, decisions=False, sizes=()), size)
            for tested in (*self.tested, task)
            if (tested.data, tested.problem, tested.split) == documents
            and (tested.key == task.key or not keeps_all(tested.method))
            for size in tested.sizes
        }
        return len(models)

    @cached_property
    def tested(self) -> list[Task]:
        """The tasks that evaluated test documents so far."""
        done = self.journal.done()
        return [task for task in self.journal.tasks() if task.part == "test" and task.key in done]


def _is_linear(candidate: Candidate) -> bool:
    """Whether its models are linear; known without training one."""
    classifier = parse_method(candidate.method).classifier
    return classifier is None or classifier in LINEAR


def _instead(linear: list[Candidate]) -> str:
    best = best_of(linear) if linear else None
    return f" The best linear model is {best.description} ({best.mean:.3f})" if best else ""


def _certificate(full: TrainedModel, small: TrainedModel, problem: Problem) -> dict[str, Any]:
    assert isinstance(full.model, LinearModel)
    assert isinstance(small.model, LinearModel)
    certificate = certify(
        full.model,
        small.model,
        problem.X_train,
        reduction=small.reduction,
        held_out=problem.X_test,
        span_limit=SPAN_LIMIT,
    )
    return {"sentences": certificate.summary().splitlines(), "values": certificate.as_dict()}
