"""What a prediction costs: operations as the paper counts them, numbers to keep, and time.

Torkkola, section 8.1: the inner product of two sparse documents takes two operations for each word
of one of them; that of a dense column and a sparse document as many; that of two dense ones of k
numbers takes k. A kernel machine compares a document with its support vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from laconic.classifiers.kernel import Machines
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.model import LinearModel
from laconic.papers.answers import unmeasured
from laconic.papers.figures import FigureResult, Scale, Table, run_studies
from laconic.papers.findings import Finding
from laconic.reduction import Matrix, Projection, Reduction
from laconic.rows import Row, Size
from laconic.study.executors import Executor
from laconic.study.plan import Plan
from laconic.study.study import Study
from laconic.vectors.problem import Problem


class Decider(Protocol):
    def decision(self, X: Matrix) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class TwoStageModel:
    """What decides about documents, behind a reduction where there is one: two steps, not one."""

    behind: Machines | LinearModel
    reduction: Reduction | None = None

    @classmethod
    def of(cls, path: ReduceThenFit, X: Matrix, y: ArrayLike, size: Size) -> TwoStageModel:
        """The model of a size, as it is before it is made one over all words."""
        (model,) = path.path(X, y, [size])
        if isinstance(model, LinearModel):
            inner = clone(path.classifier).fit(path.reduction_.apply(X), y)
            return cls(inner.model_, path.reduction_)
        return cls(model.classifier.model_, model.reduction)

    def decision(self, X: Matrix) -> np.ndarray:
        return self.behind.decision(X if self.reduction is None else self.reduction.apply(X))

    def lifted(self) -> TwoStageModel:
        """A linear model over all words, in one step."""
        assert isinstance(self.behind, LinearModel)
        assert self.reduction is not None
        coef = self.reduction.lift(self.behind.coef)
        size = self.reduction.n_terms_in
        return TwoStageModel(replace(self.behind, coef=coef, size=size))


@dataclass(frozen=True)
class Cost:
    """Of one model: operations a document, and the numbers that it keeps.

    `operations` compares with every machine's support vectors, as the paper counts; `once` with
    those that machines share only once.
    """

    operations: float
    once: float
    numbers: int


def cost_of(staged: TwoStageModel, words: float) -> Cost:
    """Of documents with so many words on average."""
    product, first, kept = 2.0 * words, 0.0, 0
    if isinstance(staged.reduction, Projection):
        first, kept = product * staged.reduction.size, staged.reduction.components.size
        product = staged.reduction.size
    behind = staged.behind
    if isinstance(behind, LinearModel):
        rows = len(behind.intercept)
        return Cost(first + product * rows, first + product * rows, kept + behind.coef.size + rows)
    of_machines = int(np.count_nonzero(behind.dual))
    numbers = kept + behind.support.size + of_machines + len(behind.intercept)
    distinct = behind.support.shape[0]
    return Cost(first + product * of_machines, first + product * distinct, numbers)


def throughput(
    models: Mapping[str, Decider],
    X: Matrix,
    rounds: int,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, float]:
    """Documents a second: the median of some rounds, in each of which every model has its turn."""
    taken: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(rounds):
        for name, model in models.items():
            start = clock()
            model.decision(X)
            taken[name].append(clock() - start)
    return {name: X.shape[0] / median(seconds) for name, seconds in taken.items()}


@dataclass(frozen=True)
class MeasuredCost:
    """A model's cost beside how right and how fast it is, and the support vectors it has.

    `supports` are those of all machines together, `distinct` those that differ; of a linear model
    there are none.
    """

    accuracy: float
    cost: Cost
    speed: float
    supports: int = 0
    distinct: int = 0


def measure_costs(
    models: Mapping[str, TwoStageModel], accuracy: Mapping[str, float], X: Matrix, rounds: int
) -> dict[str, MeasuredCost]:
    """What the models cost on these documents."""
    words = X.nnz / X.shape[0]
    speeds = throughput(models, X, rounds)
    return {
        name: MeasuredCost(
            accuracy[name], cost_of(staged, words), speeds[name], *_supports(staged.behind)
        )
        for name, staged in models.items()
    }


def _supports(behind: Machines | LinearModel) -> tuple[int, int]:
    if isinstance(behind, LinearModel):
        return 0, 0
    return int(np.count_nonzero(behind.dual)), behind.support.shape[0]


def cost_table(found: Mapping[str, MeasuredCost], words: float) -> Table:
    """Models by what they cost on documents with so many words."""
    lines = []
    for name, one in found.items():
        supports = (f"{n:,}" if n else "" for n in (one.supports, one.distinct))
        cost = one.cost
        told = (f"{n:,.0f}" for n in (cost.operations, cost.once, cost.numbers, one.speed))
        lines.append((name, f"{one.accuracy:.1f}", *supports, *told))
    columns = ("model", "accuracy", "support vectors", "distinct")
    columns += ("operations", "shared once", "numbers", "documents/s")
    return Table(f"cost of a prediction, {words:.1f} words a document", columns, tuple(lines))


@dataclass(frozen=True)
class CostFigure:
    """Methods at sizes by what their predictions cost, by the names of `models`.

    They are trained again: a journal keeps what models said, not themselves. A linear one that ends
    in "linear" is measured as one step too.
    """

    about: str
    setting: Callable[[Scale], Plan]
    models: Mapping[str, tuple[str, Size]]
    metric: str
    findings: Callable[[Mapping[str, MeasuredCost]], Iterable[Finding]]
    full: Scale
    quick: Scale
    rounds: int = 5

    def run(
        self, where: Path, scale: Scale, executor: Executor | None = None, **how: Any
    ) -> FigureResult:
        study = Study(self.setting(scale), where)
        rows = run_studies([study], executor, how)
        (ready,) = study.corpora
        (problem,) = ready.problems(ready.splits[0], [ready.targets[0].name])
        found = self._measure_costs(study, problem, rows)
        X = problem.X_test
        table = cost_table(found, X.nnz / X.shape[0])
        return FigureResult(rows, (table,), tuple(self.findings(found)))

    def _measure_costs(self, study: Study, problem: Problem, rows: Iterable[Row]) -> dict[str, MeasuredCost]:
        tasks = {task.method: task for task in study.tasks}
        values = {
            (row.method, row.size): 100 * row.value
            for row in rows
            if row.metric == self.metric and row.value is not None
        }
        models, accuracy = {}, {}
        for name, (method, asked) in self.models.items():
            if (method, asked) not in values:
                raise unmeasured(method, asked)
            path = tasks[method].build()
            models[name] = TwoStageModel.of(path, problem.X_train, problem.y_train, asked)
            accuracy[name] = values[method, asked]
            if name.endswith("linear"):
                models[f"{name}, as one step"] = models[name].lifted()
                accuracy[f"{name}, as one step"] = accuracy[name]
        return measure_costs(models, accuracy, problem.X_test, self.rounds)
