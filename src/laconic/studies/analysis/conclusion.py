"""From the rows of a study to its findings: recommend, train the final models, test them once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace

from laconic.errors import LaconicError
from laconic.files import write_json
from laconic.studies.analysis.comparisons import (
    Comparison,
    SelectionStability,
    compare,
    selection_stability,
)
from laconic.studies.analysis.final_model import FinalModels
from laconic.studies.analysis.findings import Findings
from laconic.studies.analysis.out_of_fold import OutOfFold
from laconic.studies.analysis.projection_map import write_directions
from laconic.studies.analysis.recommendation import Recommendation, recommend_per_method
from laconic.studies.analysis.tuning import by_family, deciding_metrics, tuned_candidates
from laconic.studies.analysis.warning_counts import count_warnings, missing_sizes
from laconic.studies.execution.executors import Executor
from laconic.studies.execution.task import Task
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import BUDGET, ProblemFolder, StudyFolder, delete
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.text.summary import CorpusSummary


def make_findings(
    plan: Plan,
    corpora: Sequence[PreparedCorpus],
    journal: Journal,
    folder: StudyFolder,
    executor: Executor,
    same_rows: Findings | None = None,
    *,
    retry_failed: bool = False,
) -> Findings:
    """The findings from all rows so far. Writes the recommended models into the folder.

    `executor`, which has been entered, trains them. `same_rows` are findings from the same rows
    with other limits: only the recommendations are made again.
    """
    tasks = {task.key: task for prepared in corpora for task in prepared.tasks}
    previous = _previous(folder)
    if same_rows is None:
        # until the findings are written, no file says which task the models there came from
        delete(folder.findings)
        same_rows = _from_rows(plan, corpora, tasks, journal, folder)
    recommendations, warnings = _recommendations(
        plan, corpora, journal, folder, executor, same_rows, previous, retry_failed
    )
    failures = {tasks[key].title: why for key, why in journal.failed().items() if key in tasks}
    failures |= {f"the model of {r.problem}": r.failure for r in recommendations if r.failure}
    tested = [r.task_key for r in recommendations if r.test is not None]
    counted = count_warnings([warnings, *journal.notes([*tasks, *tested])])
    return replace(
        same_rows,
        recommendations=tuple(recommendations),
        failures=failures,
        warnings=counted | same_rows.row_warnings,
        n_tasks=len(tasks),
        limits=plan.limits,
    )


def _from_rows(
    plan: Plan,
    corpora: Sequence[PreparedCorpus],
    tasks: Mapping[str, Task],
    journal: Journal,
    folder: StudyFolder,
) -> Findings:
    """What does not depend on the limits; also writes the tables and maps that do not."""
    rows = list(journal.rows(tasks))
    measured, _ = tuned_candidates(plan, tasks.values(), rows, journal)
    per_method = recommend_per_method(measured)
    n_problems = sum(len(prepared.targets) for prepared in corpora)
    summaries = [
        asdict(CorpusSummary.of(prepared.corpus, counted=prepared.counted)) for prepared in corpora
    ]
    write_json(folder.corpora, "corpora", {"corpora": summaries})
    maps = [
        w
        for prepared in corpora
        for w in write_directions(prepared.plan, prepared, folder, n_problems)
    ]
    comparisons, stability = _details(plan, corpora, per_method, journal)
    missing = missing_sizes(by_family(plan, rows), deciding_metrics(tasks.values()))
    return Findings(
        (),
        tuple(per_method),
        tuple(measured),
        tuple(comparisons),
        tuple(stability),
        row_warnings=count_warnings([maps]) | missing,
    )


def _recommendations(
    plan: Plan,
    corpora: Sequence[PreparedCorpus],
    journal: Journal,
    folder: StudyFolder,
    executor: Executor,
    findings: Findings,
    previous: Mapping[str, Recommendation],
    retry_failed: bool,
) -> tuple[list[Recommendation], list[str]]:
    """The recommendations and the warnings of their models."""
    n_problems = sum(len(prepared.targets) for prepared in corpora)
    # only self-contained models are recommended, and not if they were chosen on test documents
    recommending = plan.training.normalize == "selected" and plan.part() == "validation"
    if n_problems > 1 or not recommending:
        ProblemFolder(folder.path).delete_model()
        ProblemFolder(folder.path).delete_budget(*BUDGET)
    if plan.part() != "validation":
        return [], ["no recommendation, because cv=0 compares models on the test documents"]
    if not recommending:
        return [], ['no recommendation, because models with normalize="all" need all words']
    recommendations: list[Recommendation] = []
    warnings: list[str] = []
    for prepared in corpora:
        out_of_fold = OutOfFold(prepared.tasks, journal)
        final = FinalModels(
            prepared.plan, prepared, journal, executor, previous, retry_failed, out_of_fold
        )
        recommendations += final.recommend(findings.candidates, folder, n_problems)
        warnings += final.warnings
    return recommendations, warnings


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
    return comparisons, selection_stability(tasks, journal, n_terms, plan)


def _previous(folder: StudyFolder) -> dict[str, Recommendation]:
    """The recommendations of the last run, by problem."""
    try:
        findings = Findings.read(folder)
    except LaconicError:
        return {}
    return {r.problem: r for r in findings.recommendations} if findings is not None else {}
