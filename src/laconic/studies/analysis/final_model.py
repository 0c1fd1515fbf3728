"""From the rows of a study to its findings: recommend, train the final model, test it once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from laconic.certificate import certify
from laconic.classifiers.path import PathClassifier
from laconic.compact import CompactModel
from laconic.compact.provenance import ClassifierSettings
from laconic.corpus.splits import Split
from laconic.errors import LaconicError, collected_warnings
from laconic.files import write_json
from laconic.methods import keeps_all, parse_method
from laconic.methods.classifiers import LINEAR
from laconic.model import LinearModel, Model
from laconic.studies.analysis.comparisons import (
    Comparison,
    SelectionStability,
    compare,
    selection_stability,
)
from laconic.studies.analysis.findings import Findings
from laconic.studies.analysis.projection_map import write_directions
from laconic.studies.analysis.recommendation import (
    Candidate,
    Recommendation,
    best_of,
    candidates,
    count_warnings,
    missing_sizes,
    recommend,
    recommend_per_method,
)
from laconic.studies.analysis.words import (
    coefficient_classes,
    model_words,
    reduction_of,
    write_words,
)
from laconic.studies.execution.task import Task, describe_failure, run
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import ProblemFolder, StudyFolder, delete
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.text.problem import Problem
from laconic.text.summary import CorpusSummary
from laconic.text.weighting import Weighting

# A page can carry a model with so many features; for a larger one the best that fits stands in.
MAX_PAGE_FEATURES = 5000
# Up to so many documents, a certificate covers what the selection does to their space, in seconds.
SPAN_LIMIT = 2000


def make_findings(
    plan: Plan,
    corpora: Sequence[PreparedCorpus],
    journal: Journal,
    folder: StudyFolder,
    *,
    retry_failed: bool = False,
) -> Findings:
    """The findings from all rows so far. Writes the recommended models into the folder."""
    tasks = {task.key: task for prepared in corpora for task in prepared.tasks}
    rows = list(journal.rows(tasks))
    measured = candidates(rows, plan.metric, part=plan.part(), repeats=plan.split.repeats)
    per_method = recommend_per_method(measured)
    previous = _previous(folder)
    # until the findings are written, no file says which task the models there came from
    delete(folder.findings)
    n_problems = sum(len(prepared.targets) for prepared in corpora)
    # only self-contained models are recommended, and not if they were chosen on test documents
    recommending = plan.training.normalize == "selected" and plan.part() == "validation"
    if n_problems > 1 or not recommending:
        ProblemFolder(folder.path).delete_model()
    recommendations: list[Recommendation] = []
    warnings: list[str] = []
    if plan.part() != "validation":
        warnings.append("no recommendation, because cv=0 compares models on the test documents")
    elif not recommending:
        warnings.append('no recommendation, because models with normalize="all" need all words')
    for prepared in corpora if recommending else ():
        final = _FinalModels(plan, prepared, journal, previous, retry_failed)
        recommendations += final.recommend(measured, folder, n_problems)
        warnings += final.warnings
    summaries = [
        asdict(CorpusSummary.of(prepared.corpus, counts=prepared.counted.counts))
        for prepared in corpora
    ]
    write_json(folder.corpora, "corpora", {"corpora": summaries})
    failures = {tasks[key].title: why for key, why in journal.failed().items() if key in tasks}
    failures |= {f"the model of {r.problem}": r.failure for r in recommendations if r.failure}
    for prepared in corpora:
        warnings += write_directions(plan, prepared, folder, n_problems)
    comparisons, stability = _details(plan, corpora, per_method, journal)
    tested = [r.task_key for r in recommendations if r.test_score is not None]
    counted = count_warnings([warnings, *journal.notes([*tasks, *tested])])
    return Findings(
        tuple(recommendations),
        tuple(per_method),
        tuple(measured),
        tuple(comparisons),
        tuple(stability),
        failures,
        counted | missing_sizes(rows, plan.metric),
        len(tasks),
    )


def _details(
    plan: Plan,
    corpora: Sequence[PreparedCorpus],
    per_method: list[Recommendation],
    journal: Journal,
) -> tuple[Iterable[Comparison], Iterable[SelectionStability]]:
    if not plan.detail or plan.part() != "validation":
        return (), ()
    tasks = [task for prepared in corpora for task in prepared.tasks]
    n_columns, n_terms = {}, {}
    for prepared in corpora:
        selectable = prepared.n_selectable()
        for target in prepared.targets:
            n_columns[target.name], n_terms[target.name] = target.n_columns, selectable
    comparisons = compare(per_method, tasks, journal, plan.split.cv, n_columns)
    return comparisons, selection_stability(tasks, journal, n_terms)


def _previous(folder: StudyFolder) -> dict[str, Recommendation]:
    """The recommendations of the last run, by problem."""
    try:
        findings = Findings.read(folder)
    except LaconicError:
        return {}
    return {r.problem: r for r in findings.recommendations} if findings is not None else {}


@dataclass(frozen=True, eq=False)
class _FinalModels:
    """Trains the recommended models of one corpus on all documents but the test documents."""

    plan: Plan
    prepared: PreparedCorpus
    journal: Journal
    previous: Mapping[str, Recommendation]
    retry_failed: bool
    warnings: list[str] = field(default_factory=list)

    def recommend(
        self, measured: Sequence[Candidate], folder: StudyFolder, n_problems: int
    ) -> Iterator[Recommendation]:
        """One recommendation per problem. A failure is recorded in it and stops no other."""
        names = {target.name for target in self.prepared.targets}
        by_problem: dict[str, list[Candidate]] = {}
        for candidate in measured:
            if candidate.problem in names:
                by_problem.setdefault(candidate.problem, []).append(candidate)
        if not by_problem:
            return
        words = self.prepared.counted.words.tolist()
        self.journal.record_words(self.prepared.tasks[0].vocabulary, words)
        for problem in self.prepared.problems(self.split, by_problem):
            of_problem = folder.problem(problem.name, n_problems)
            of_problem.make()
            (recommendation,) = recommend(by_problem[problem.name])
            recommendation = replace(recommendation, folder=of_problem.name)
            if problem.y_train.ndim == 1 and len(problem.classes) == 2:
                recommendation = replace(recommendation, positive_class=problem.classes[1])
            try:
                yield self._finish(recommendation, by_problem[problem.name], problem, of_problem)
            except Exception as failure:
                yield replace(recommendation, failure=describe_failure(failure))

    @cached_property
    def split(self) -> Split:
        return self.prepared.final_split()

    @cached_property
    def weighting(self) -> Weighting:
        return self.prepared.weigh(self.split)

    def _finish(
        self,
        recommendation: Recommendation,
        measured: list[Candidate],
        problem: Problem,
        folder: ProblemFolder,
    ) -> Recommendation:
        """The recommendation with its model, which is written, and its test scores."""
        task = self._task(recommendation.chosen)
        linear = [candidate for candidate in measured if _is_linear(candidate)]
        written = self._previous_model(task, recommendation, folder)
        if written is None:
            written = self._write(recommendation, linear, problem, folder)
        self.warnings.extend(written.warnings)
        if written.file_error:
            name = recommendation.chosen.description
            self.warnings.append(f"{name} cannot be saved: {written.file_error}{_instead(linear)}")
        recommendation = replace(
            recommendation,
            task_key=task.key,
            n_features=written.n_features,
            n_features_in=problem.vocabulary.size,
            model_file_error=written.file_error,
            warnings=written.warnings,
        )
        if not self.split.test.size:
            return replace(recommendation, failure=". ".join(written.failures))
        score, failure = self._test_score(task, problem, recommendation.metric)
        baseline = recommendation.baseline
        if baseline is not None and not keeps_all(recommendation.chosen.method):
            baseline_task = self._task(baseline)
            baseline_score, _ = self._test_score(baseline_task, problem, recommendation.metric)
            recommendation = replace(
                recommendation,
                baseline_test_score=baseline_score,
                baseline_task_key=baseline_task.key,
            )
        return replace(
            recommendation,
            test_score=score,
            n_test_documents=self.split.test.size,
            n_test_evaluations=self._n_test_evaluations(task),
            failure=". ".join(filter(None, (*written.failures, failure))),
        )

    def _previous_model(
        self, task: Task, recommendation: Recommendation, folder: ProblemFolder
    ) -> _Written | None:
        """The model that the last run wrote for this task; None if it failed or is gone."""
        previous = self.previous.get(recommendation.problem)
        if previous is None or previous.task_key != task.key or previous.failure:
            return None
        file = folder.words if previous.model_file_error else folder.model
        if not file.exists():
            return None
        return _Written(previous.n_features, previous.model_file_error, previous.warnings)

    def _write(
        self,
        recommendation: Recommendation,
        linear: list[Candidate],
        problem: Problem,
        folder: ProblemFolder,
    ) -> _Written:
        """Write the model, its words and its certificate, in place of earlier ones."""
        folder.delete_model()
        chosen = recommendation.chosen
        model, path, warnings = train_model(self._task(chosen), problem)
        words = model_words(model, problem, path)
        write_words(folder.words, words, coefficient_classes(model, problem))
        file_error, failures = "", []
        try:
            self._compact(model, problem, path, warnings).save(folder.model)
        except LaconicError as failure:
            if isinstance(model, LinearModel):
                raise
            file_error = str(failure)
        baselines = [candidate for candidate in linear if keeps_all(candidate.method)]
        comparable = isinstance(model, LinearModel) and not keeps_all(chosen.method)
        try:
            if comparable and baselines and self.split.test.size:
                certificate = self._certify(model, path, baselines[0], problem)
                write_json(folder.certificate, "certificate", certificate)
            if chosen.n_features > MAX_PAGE_FEATURES:
                self._write_stand_in(linear, problem, folder)
        except Exception as failure:
            failures.append(describe_failure(failure))
        return _Written(model.n_features, file_error, warnings, tuple(failures))

    def _certify(
        self, model: Model, path: PathClassifier, baseline: Candidate, problem: Problem
    ) -> dict[str, Any]:
        full = train_model(self._task(baseline), problem).model
        assert isinstance(full, LinearModel)
        assert isinstance(model, LinearModel)
        certificate = certify(
            full,
            model,
            problem.X_train,
            reduction=reduction_of(path),
            held_out=problem.X_test,
            span_limit=SPAN_LIMIT,
        )
        return {"sentences": certificate.summary().splitlines(), "values": certificate.as_dict()}

    def _write_stand_in(
        self, linear: list[Candidate], problem: Problem, folder: ProblemFolder
    ) -> None:
        small = [candidate for candidate in linear if candidate.n_features <= MAX_PAGE_FEATURES]
        if small:
            model, path, warnings = train_model(self._task(best_of(small)), problem)
            self._compact(model, problem, path, warnings).save(folder.stand_in)

    def _compact(
        self, model: Model, problem: Problem, path: PathClassifier, warnings: tuple[str, ...]
    ) -> CompactModel:
        return CompactModel.of(
            model,
            None if self.prepared.corpus.texts is None else self.plan.text.vectorizer(),
            self.weighting,
            problem.vocabulary,
            problem.classes,
            warnings,
            ClassifierSettings.of(path),
        )

    def _task(self, candidate: Candidate) -> Task:
        method = parse_method(candidate.method)
        corpus, sizes = self.prepared.corpus, (candidate.size,)
        task = self.plan.one_task(corpus, self.split, "test", candidate.problem, method, 0, sizes)
        # the versions of what was compared, so old rows are used only where a warning names them
        compared = {other.version for other in self.prepared.tasks if other.method == task.method}
        return task if compared == {task.version} else self.prepared.as_measured(task)

    def _test_score(self, task: Task, problem: Problem, metric: str) -> tuple[float | None, str]:
        """The score on the test documents, or why there is none; measured once per task."""
        failed = self.journal.failed()
        if task.key not in self.journal.done() and (task.key not in failed or self.retry_failed):
            self.journal.record(run(task, problem))
        (row,) = (row for row in self.journal.rows([task.key]) if row.metric == metric)
        return row.value, row.reason

    def _n_test_evaluations(self, task: Task) -> int:
        """How many models were evaluated on these test documents; all words are no choice."""
        documents = (task.data, task.problem, task.split)
        models = {
            (replace(tested, metrics=(), detail=True, sizes=()), size)
            for tested in (*self.tested, task)
            if (tested.data, tested.problem, tested.split) == documents
            and (tested.key == task.key or not keeps_all(tested.method))
            for size in tested.sizes
        }
        return len(models)

    @cached_property
    def tested(self) -> list[Task]:
        """The tasks that evaluated test documents in earlier runs."""
        return [task for task in self.journal.tasks() if task.part == "test"]


class _Written(NamedTuple):
    """The features of a written model, why it has no file, its warnings, and other failures."""

    n_features: int
    file_error: str = ""
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


def _is_linear(candidate: Candidate) -> bool:
    """Whether its models are linear; known without training one."""
    classifier = parse_method(candidate.method).classifier
    return classifier is None or classifier in LINEAR


def _instead(linear: list[Candidate]) -> str:
    best = best_of(linear) if linear else None
    return f" The best linear model is {best.description} ({best.mean:.3f})" if best else ""


class TrainedModel(NamedTuple):
    """The model of a task with one size, the fitted method, and the warnings of its training."""

    model: Model
    path: PathClassifier
    warnings: tuple[str, ...]


def train_model(task: Task, problem: Problem) -> TrainedModel:
    path = task.build()
    path.set_params(size=task.sizes[0])
    with threadpool_limits(1), collected_warnings(problem.classes) as warnings:
        path.fit(problem.X_train, problem.y_train)
    return TrainedModel(path.model_, path, tuple(warnings))
