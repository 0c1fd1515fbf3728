"""The tasks that train the recommended model of a problem, and what is shown beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from laconic.corpus.splits import Split
from laconic.methods import keeps_all, parse_method
from laconic.methods.classifiers import LINEAR
from laconic.numerics.calibration import platt
from laconic.numerics.decision_counts import CENTRES, best_temperature
from laconic.runtime.choices import Storage
from laconic.studies.analysis.budget import BudgetRow
from laconic.studies.analysis.candidates import Candidate, best_of
from laconic.studies.analysis.out_of_fold import OutOfFold
from laconic.studies.analysis.recommendation import Recommendation
from laconic.studies.analysis.thresholds import thresholds_of
from laconic.studies.execution.task import Member, Outcome, Task
from laconic.studies.layout import ProblemFolder
from laconic.studies.options import Part
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.text.problem import Problem, Target

# A page can carry a model with so many features; for a larger one the best that fits stands in.
MAX_PAGE_FEATURES = 5000


class WrittenModel(NamedTuple):
    """The features and bytes of a written model, why it has no file, its warnings and failures."""

    n_features: int
    n_bytes: int = 0
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
    budget : train and test the models of the budget table, by loss; those that differ
    budget_before : rows of the last run whose models need no training, by loss
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
    budget: dict[float, Task]
    budget_before: dict[float, BudgetRow] = field(default_factory=dict)
    written: WrittenModel | None = None
    pending: dict[str, Task] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    problem: Problem | None = None

    def unwritten(self) -> Iterator[Task]:
        """The tasks whose models have to be written."""
        if self.written is None:
            yield self.chosen
            yield from (task for task in (self.reference, self.stand_in) if task is not None)
        yield from (task for loss, task in self.budget.items() if loss not in self.budget_before)


@dataclass(frozen=True, eq=False)
class FinalTasks:
    """Makes the final tasks of the problems of one corpus."""

    plan: Plan
    prepared: PreparedCorpus
    out_of_fold: OutOfFold

    @cached_property
    def split(self) -> Split:
        return self.prepared.final_split()

    @cached_property
    def targets(self) -> dict[str, Target]:
        return {target.name: target for target in self.prepared.targets}

    def of_problem(
        self, recommendation: Recommendation, offered: Sequence[Candidate], folder: ProblemFolder
    ) -> FinalProblem:
        chosen, baseline = recommendation.chosen, recommendation.baseline
        linear = [candidate for candidate in offered if is_linear(candidate)]
        full = [candidate for candidate in linear if keeps_all(candidate.method)]
        small = [candidate for candidate in linear if candidate.n_features <= MAX_PAGE_FEATURES]
        tested = bool(self.split.test.size)
        compared = tested and not keeps_all(chosen.method)
        large = chosen.n_features > MAX_PAGE_FEATURES
        of_baseline = self.task(baseline) if compared and baseline else None
        reference = full[0] if compared and full and is_linear(chosen) else None
        same = of_baseline is not None and reference == baseline
        untested = None if reference is None or same else self.task(reference, tested=False)
        return FinalProblem(
            recommendation,
            folder,
            _instead(linear),
            self.task(chosen, tested=tested, storage=recommendation.storage),
            of_baseline,
            of_baseline if same else untested,
            self.task(best_of(small), tested=False, storage=recommendation.storage)
            if large and small
            else None,
            self._budget(recommendation, tested),
        )

    def _budget(self, recommendation: Recommendation, tested: bool) -> dict[float, Task]:
        """One task for each distinct model of the table but the chosen one."""
        tasks: dict[Candidate, tuple[float, Task]] = {}
        for row in recommendation.budget:
            if row.candidate != recommendation.chosen and row.candidate not in tasks:
                task = self.task(
                    row.candidate, tested=tested, part="budget", storage=recommendation.storage
                )
                tasks[row.candidate] = row.loss, task
        return dict(tasks.values())

    def task(
        self,
        candidate: Candidate,
        *,
        tested: bool = True,
        part: Part = "test",
        storage: Storage = "float64",
    ) -> Task:
        """The task that trains a candidate, and tests it if `tested`, as it is stored."""
        method = parse_method(candidate.variant)
        corpus, target = self.prepared.corpus, self.targets[candidate.problem]
        alphas = None if candidate.alpha is None else (candidate.alpha,)
        task = self.plan.one_task(
            corpus, self.split, part, target, method, 0, (candidate.size,), alphas
        )
        thresholds, calibration = self.tuning(candidate)
        task = replace(
            task,
            thresholds=thresholds,
            calibration=calibration,
            members=self.members(candidate),
            storage=storage,
        )
        tests = {"decisions": True} if tested else {"metrics": (), "detail": False}
        task = replace(task, **tests)
        # the versions of what was compared, so old rows are used only where a warning names them
        compared = {other.version for other in self.prepared.tasks if other.method == task.method}
        return task if compared == {task.version} else self.prepared.as_measured(task)

    def members(self, candidate: Candidate) -> tuple[tuple[Member, ...], ...]:
        """The members of a blend, as in the validation folds."""
        for task in self.prepared.blends:
            if (task.problem, task.method) == (candidate.problem, candidate.variant):
                return (task.members[task.sizes.index(candidate.size)],)
        return ()

    def tuning(
        self, candidate: Candidate
    ) -> tuple[tuple[float, ...], tuple[tuple[float, ...], ...]]:
        """Thresholds and calibration from the decisions of all folds, where there are any."""
        folds = self.out_of_fold.results(candidate.problem, candidate.trained).values()
        arrays = [fold.tuning for fold in folds if fold.tuning is not None]
        if not arrays or len({array.shape for array in arrays}) > 1:
            return (), ()
        total = np.sum(arrays, axis=0)
        if total.ndim == 1:
            return (), ((best_temperature(total),),)
        calibration = tuple(
            platt(CENTRES, c[:, 1].astype(float), c[:, 0].astype(float)) for c in total
        )
        if candidate.thresholding == "zero":
            return (), calibration
        thresholds = thresholds_of(total, candidate.metric, candidate.thresholding)
        return tuple(thresholds.tolist()), calibration


def is_linear(candidate: Candidate) -> bool:
    """Whether its models are linear; known without training one."""
    classifier = parse_method(candidate.variant).classifier
    return classifier is None or classifier in LINEAR


def _instead(linear: Sequence[Candidate]) -> str:
    best = best_of(linear) if linear else None
    return f" The best linear model is {best.description} ({best.mean:.3f})" if best else ""
