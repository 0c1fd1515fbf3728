"""The cost of a prediction: operations as the paper counts them, stored numbers, and time.

Torkkola, section 8.1: the inner product of two sparse documents takes two operations per word of
one of them, as does that of a dense column and a sparse document; that of two dense vectors of k
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
from laconic.classifiers.trainers import ReducedModel
from laconic.model import LinearModel
from laconic.reduction import Projection, Reduction
from laconic.rows import Row, RowTable
from laconic.studies.execution.executors import Executor
from laconic.studies.plan import Plan
from laconic.studies.study import Study
from laconic.text.problem import Problem
from laconic.types import Matrix, Size
from reproduction.shared.figures import FigureResult, Scale, Table, run_studies
from reproduction.statements import Finding
from reproduction.torkkola.mcnemar_table import missing_result


class Decider(Protocol):
    def decision(self, X: Matrix) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class TwoStageModel:
    """A classifier after a reduction, if there is one, kept as two steps."""

    classifier: Machines | LinearModel
    reduction: Reduction | None = None

    @classmethod
    def of(cls, path: ReduceThenFit, X: Matrix, y: ArrayLike, size: Size) -> TwoStageModel:
        """The model of a size, before it is lifted to all words."""
        (model,) = path.path(X, y, [size])
        if isinstance(model, LinearModel):
            inner = clone(path.classifier).fit(path.reduction_.apply(X), y)
            return cls(inner.model_, path.reduction_)
        assert isinstance(model, ReducedModel)
        return cls(model.classifier.model_, model.reduction)

    def decision(self, X: Matrix) -> np.ndarray:
        return self.classifier.decision(X if self.reduction is None else self.reduction.apply(X))

    def lifted(self) -> TwoStageModel:
        """A linear model over all words, in one step."""
        assert isinstance(self.classifier, LinearModel)
        assert self.reduction is not None
        coef = self.reduction.lift(self.classifier.coef)
        size = self.reduction.n_terms_in
        return TwoStageModel(replace(self.classifier, coef=coef, size=size))


@dataclass(frozen=True)
class PredictionCost:
    """Operations of a model per document, and the numbers that it stores.

    `operations` counts the support vectors of every machine, as the paper does; `once` counts
    vectors shared by several machines only once.
    """

    operations: float
    once: float
    numbers: int


def cost_of(model: TwoStageModel, words: float) -> PredictionCost:
    """The cost on documents with this many words on average."""
    product, first, stored = 2.0 * words, 0.0, 0
    if isinstance(model.reduction, Projection):
        first, stored = product * model.reduction.size, model.reduction.components.size
        product = model.reduction.size
    classifier = model.classifier
    if isinstance(classifier, LinearModel):
        rows = len(classifier.intercept)
        operations = first + product * rows
        return PredictionCost(operations, operations, stored + classifier.coef.size + rows)
    supports, distinct = _support_vectors(classifier)
    numbers = stored + classifier.support.size + supports + len(classifier.intercept)
    return PredictionCost(first + product * supports, first + product * distinct, numbers)


def throughput(
    models: Mapping[str, Decider],
    X: Matrix,
    rounds: int,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, float]:
    """Documents per second: the median over rounds; each round runs every model once."""
    times: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(rounds):
        for name, model in models.items():
            start = clock()
            model.decision(X)
            times[name].append(clock() - start)
    return {name: X.shape[0] / median(seconds) for name, seconds in times.items()}


@dataclass(frozen=True)
class MeasuredCost:
    """A model's accuracy, cost, speed (documents per second) and support vectors.

    `supports` are those of all machines together, `distinct` the different ones; a linear model
    has none.
    """

    accuracy: float
    cost: PredictionCost
    speed: float
    supports: int = 0
    distinct: int = 0


def measure_costs(
    models: Mapping[str, TwoStageModel], accuracy: Mapping[str, float], X: Matrix, rounds: int
) -> dict[str, MeasuredCost]:
    """The costs of the models on these documents."""
    words = X.nnz / X.shape[0]
    speeds = throughput(models, X, rounds)
    return {
        name: MeasuredCost(
            accuracy[name], cost_of(model, words), speeds[name], *_support_vectors(model.classifier)
        )
        for name, model in models.items()
    }


def _support_vectors(classifier: Machines | LinearModel) -> tuple[int, int]:
    """Those of all machines together, and how many are distinct."""
    if isinstance(classifier, LinearModel):
        return 0, 0
    return int(np.count_nonzero(classifier.dual)), classifier.support.shape[0]


def cost_table(costs: Mapping[str, MeasuredCost], words: float) -> Table:
    """Models and their costs on documents with this many words."""
    lines = []
    for name, model in costs.items():
        supports = (f"{n:,}" if n else "" for n in (model.supports, model.distinct))
        cost = model.cost
        numbers = (f"{n:,.0f}" for n in (cost.operations, cost.once, cost.numbers, model.speed))
        lines.append((name, f"{model.accuracy:.1f}", *supports, *numbers))
    columns: tuple[str, ...] = ("model", "accuracy", "support vectors", "distinct")
    columns += ("operations", "shared counted once", "stored numbers", "documents/s")
    return Table(f"cost of a prediction, {words:.1f} words per document", columns, tuple(lines))


@dataclass(frozen=True)
class CostFigure:
    """The cost of predictions of methods at sizes, under the names of `models`.

    The models are retrained: a journal keeps predictions, not models. A model whose name ends in
    "linear" is also measured as one step.
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
        self, where: Path, scale: Scale, executor: Executor | None = None, **options: Any
    ) -> FigureResult:
        study = Study(self.setting(scale), where)
        rows = run_studies([study], executor, options)
        (ready,) = study.corpora
        (problem,) = ready.problems(ready.splits[0], [ready.targets[0].name])
        costs = self._measure_costs(study, problem, rows)
        X = problem.X_test
        table = cost_table(costs, X.nnz / X.shape[0])
        return FigureResult(rows, (table,), tuple(self.findings(costs)))

    def _measure_costs(
        self, study: Study, problem: Problem, rows: Iterable[Row]
    ) -> dict[str, MeasuredCost]:
        tasks = {task.method: task for task in study.tasks}
        cells = RowTable(rows).measured(self.metric).group_by("method", "size")
        values = {cell: 100 * of_cell.column("value")[-1] for cell, of_cell in cells.items()}
        models, accuracy = {}, {}
        for name, (method, size) in self.models.items():
            if (method, size) not in values:
                raise missing_result(method, size)
            path = tasks[method].build()
            models[name] = TwoStageModel.of(path, problem.X_train, problem.y_train, size)
            accuracy[name] = values[method, size]
            if name.endswith("linear"):
                models[f"{name}, as one step"] = models[name].lifted()
                accuracy[f"{name}, as one step"] = accuracy[name]
        return measure_costs(models, accuracy, problem.X_test, self.rounds)
