"""What a prediction costs: operations as the paper counts them, numbers to keep, and time.

Torkkola, section 8.1: the inner product of two sparse documents takes two operations for each word
of one of them; that of a dense column and a sparse document as many; that of two dense ones of k
numbers takes k. A kernel machine compares a document with its support vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from laconic.classifiers.kernel import Machines
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.model import LinearModel
from laconic.papers.figures import Table
from laconic.reduction import Matrix, Projection, Reduction
from laconic.rows import Size


class Decider(Protocol):
    def decision(self, X: Matrix) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class Staged:
    """What decides about documents, behind a reduction where there is one: two steps, not one."""

    behind: Machines | LinearModel
    reduction: Reduction | None = None

    @classmethod
    def of(cls, path: ReduceThenFit, X: Matrix, y: ArrayLike, size: Size) -> Staged:
        """The model of a size, as it is before it is made one over all words."""
        (model,) = path.path(X, y, [size])
        if isinstance(model, LinearModel):
            inner = clone(path.classifier).fit(path.reduction_.apply(X), y)
            return cls(inner.model_, path.reduction_)
        return cls(model.classifier.model_, model.reduction)

    def decision(self, X: Matrix) -> np.ndarray:
        return self.behind.decision(X if self.reduction is None else self.reduction.apply(X))

    def lifted(self) -> Staged:
        """A linear model over all words, in one step."""
        assert isinstance(self.behind, LinearModel)
        assert self.reduction is not None
        coef = self.reduction.lift(self.behind.coef)
        size = self.reduction.n_terms_in
        return Staged(replace(self.behind, coef=coef, size=size))


@dataclass(frozen=True)
class Cost:
    """Of one model: operations a document, and the numbers that it keeps.

    `operations` compares with every machine's support vectors, as the paper counts; `once` with
    those that machines share only once.
    """

    operations: float
    once: float
    numbers: int


def cost_of(staged: Staged, words: float) -> Cost:
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


def cost_table(
    models: Mapping[str, Staged], accuracy: Mapping[str, float], X: Matrix, rounds: int
) -> Table:
    """Models by what they cost on these documents."""
    words = X.nnz / X.shape[0]
    speeds = throughput(models, X, rounds)
    lines = []
    for name, staged in models.items():
        cost = cost_of(staged, words)
        told = (f"{n:,.0f}" for n in (cost.operations, cost.once, cost.numbers, speeds[name]))
        lines.append((name, f"{accuracy[name]:.1f}", *_supports(staged.behind), *told))
    columns = ("model", "accuracy", "support vectors", "distinct")
    columns += ("operations", "shared once", "numbers", "documents/s")
    return Table(f"cost of a prediction, {words:.1f} words a document", columns, tuple(lines))


def _supports(behind: Machines | LinearModel) -> tuple[str, str]:
    """Support vectors of all machines together, and distinct ones."""
    if isinstance(behind, LinearModel):
        return "", ""
    return f"{np.count_nonzero(behind.dual):,}", f"{behind.support.shape[0]:,}"
