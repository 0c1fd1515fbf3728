"""Support vector machines of all classes of a problem together, for the squared hinge.

One class against the rest, one problem per class, all on the same documents. Passes of coordinate
descent over the duals serve all classes at once (`all_classes`): most of the time of a pass is the
reading of documents and coefficients, which is shared. Passes go on while they converge fast. The
classes that are left take Newton steps in w and b (`primal`), each over its few documents inside
the margin; only the products with all documents, for the line search, are shared again. At a point
w, b the duals are α_i = 2 C_i max(0, 1 − y_i (x_i'w + b)). Whatever is not solved here is finished
by `descend` from these duals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic.numerics.svm.all_classes import add_duals, pass_for_all, products_of_all
from laconic.numerics.svm.class_problems import ClassProblems
from laconic.numerics.svm.dual import Dual, descend
from laconic.numerics.svm.gap import violation_aim
from laconic.numerics.svm.input import Rows, costs_in, refuse_numbers, refuse_shapes
from laconic.numerics.svm.passes import TINY, HingeLoss
from laconic.numerics.svm.primal import Iterate
from laconic.numerics.svm.problem import (
    OneVsRest,
    class_arrays,
    columns,
    shared_arrays,
)
from laconic.numerics.svm.start import Start
from laconic.types import Floats, Int64s

__all__ = ["descend_all"]

# The start of the class of this number.
StartOf: TypeAlias = Callable[[int], Start]

# Classes solved together: more coefficients than these would not stay in the cache.
BLOCK = 32
# Fewer classes where a matrix of documents × classes would take more bytes.
MEMORY = 2**27
# Passes go on after the first FIRST while they divide the gaps by FAST on average.
FIRST = 12
FAST = 2.0
MAX_PASSES = 80
MAX_STEPS = 30
# The certificate is computed when the estimates of half of the gaps are below the square of the aim
# of violations, or LIKELY, and in Newton steps when ‖gradient‖ is below NEAR of these aims.
LIKELY = 1e-15
NEAR = 30.0
# Near the optimum, a pass goes over documents with violations above this share of the aim.
LARGE = 0.3


def descend_all(
    rows: Rows,
    problems: ClassProblems,
    *,
    loss: HingeLoss = "squared_hinge",
    intercept: bool = True,
    start: StartOf | None = None,
    tolerance: float = 1e-6,
    epochs: int = 5000,
    random_state: int = 0,
) -> Iterator[Dual]:
    """`descend` for every class, in order.

    Every result has a gap and violations within the limits of `descend`, which solves the hinge, a
    single class, and classes that are not solved jointly, in up to `epochs` passes. `start` returns
    that of a class; duals of another cost are best scaled with it: α grows with C. Labels, costs
    and duals are in memory for a few classes at a time.
    """
    refuse_shapes(rows.starts.size, {"labels": np.empty(problems.n_docs)})
    jointly = loss == "squared_hinge" and problems.n_classes > 1
    for classes in _groups(problems, together(rows.starts.size) if jointly else 1):
        starts = [(None, 0.0) if start is None else start(label) for label in classes.tolist()]
        yield from _descend_group(
            rows,
            *problems.columns(classes),
            starts,
            jointly,
            loss=loss,
            intercept=intercept,
            tolerance=tolerance,
            epochs=epochs,
            random_state=random_state,
        )


def _descend_group(
    rows: Rows,
    y_signed: Floats,
    costs: Floats,
    starts: Sequence[Start],
    jointly: bool,
    *,
    intercept: bool,
    tolerance: float,
    random_state: int,
    **settings: Any,
) -> Iterator[Dual]:
    _refuse(rows, y_signed, costs, starts)
    results: list[Dual | None] = [None] * len(starts)
    if jointly:
        results = _solve(rows, y_signed, costs, intercept, starts, tolerance, random_state)
    for at, (result, (alphas, b)) in enumerate(zip(results, starts, strict=True)):
        if result is not None and result.solved:
            yield result
            continue
        yield descend(
            rows,
            y_signed[:, at],
            costs[:, at],
            intercept=intercept,
            start=alphas if result is None else result.alphas,
            start_intercept=b if result is None else result.intercept,
            tolerance=tolerance,
            random_state=random_state,
            **settings,
        )


def together(n_docs: int) -> int:
    """How many classes are solved together."""
    return int(np.clip(MEMORY // (8 * max(n_docs, 1)), 1, BLOCK))


def _groups(problems: ClassProblems, size: int) -> Iterator[Int64s]:
    """Consecutive classes, so many in each that have members and others."""
    n_members = np.bincount(problems.members.indices, minlength=problems.n_classes)
    two_sided = (n_members > 0) & (n_members < problems.n_docs)
    groups = np.maximum(np.cumsum(two_sided) - 1, 0) // size
    yield from np.split(np.arange(problems.n_classes), np.flatnonzero(np.diff(groups)) + 1)


def _refuse(rows: Rows, y_signed: Floats, costs: Floats, starts: Sequence[Start]) -> None:
    for alphas, b in starts:
        refuse_shapes(rows.starts.size, {"start": alphas})
        refuse_numbers(y_signed[:, :0], costs[:, :0], alphas, b)
    refuse_numbers(y_signed, costs, None, 0.0)


def _solve(
    rows: Rows,
    y_signed: Floats,
    costs: Floats,
    intercept: bool,
    starts: Sequence[Start],
    tolerance: float,
    random_state: int,
) -> list[Dual | None]:
    """The joint results; None for classes whose documents with a cost have the same label."""
    unit = rows.unit
    rows, costs = replace(rows, scales=rows.scales / unit), costs_in(unit, costs)
    shared = shared_arrays(rows, intercept)
    results: list[Dual | None] = [None] * len(starts)
    positive, negative = ((y_signed == side) & (costs > 0) for side in (1, -1))
    block = np.flatnonzero(positive.any(axis=0) & negative.any(axis=0))
    if not block.size:
        return results
    classes = class_arrays(shared, y_signed[:, block], costs[:, block], intercept)
    problem = OneVsRest(rows, shared, classes, intercept)
    duals, intercepts = problem.start([starts[label] for label in block.tolist()], unit)
    passes = _Passes.of(problem, duals, intercepts, random_state)
    solutions = passes.descend(tolerance)
    solutions |= _step(passes, tolerance)
    for place, dual in solutions.items():
        results[block[place]] = dual if unit == 1.0 else _in_unit(unit, dual)
    return results


def _in_unit(unit: float, dual: Dual) -> Dual:
    return replace(dual, alphas=dual.alphas / unit**2, coef=dual.coef / unit)


@dataclass(eq=False)
class _Passes:
    """The classes that are not solved yet; `labels` are their columns in the first problem."""

    problem: OneVsRest
    duals: Floats
    coefs: Floats
    biases: Floats
    labels: Int64s
    gaps: Floats
    before: Floats
    order: Int64s
    state: NDArray[np.uint64]
    epochs: int = 0

    @classmethod
    def of(cls, problem: OneVsRest, duals: Floats, intercepts: Floats, random_state: int) -> Self:
        """From the multiple of the duals with the largest dual value."""
        n_docs, n_classes = duals.shape
        coefs = np.zeros((problem.rows.n_columns, n_classes))
        add_duals(problem.shared, duals, coefs)
        bends = np.einsum("ij,ij->j", coefs, coefs)
        bends += np.einsum("ij,ij,ij->j", problem.classes.softness, duals, duals)
        factors = np.abs(duals).sum(axis=0) / np.maximum(bends, TINY)
        duals, coefs = duals * factors, coefs * factors
        biases = np.array([intercepts, duals.sum(axis=0)])
        state = np.random.default_rng(random_state).integers(1, 2**63, 1, dtype=np.uint64)
        gaps, order = np.full(n_classes, np.inf), np.arange(n_docs)
        return cls(problem, duals, coefs, biases, np.arange(n_classes), gaps, gaps, order, state)

    @property
    def worthwhile(self) -> bool:
        """Whether the last pass has divided the gaps by FAST, in the geometric mean."""
        if self.epochs < FIRST or self.epochs >= MAX_PASSES:
            return self.epochs < FIRST
        gains = np.maximum(self.before, TINY) / np.maximum(self.gaps, TINY)
        return bool(np.mean(np.log(gains)) >= np.log(FAST))

    def descend(self, tolerance: float) -> dict[int, Dual]:
        """Passes as long as they converge fast; the classes that are solved leave."""
        solutions: dict[int, Dual] = {}
        likely = max(violation_aim(tolerance) ** 2, LIKELY)
        docs = self.order
        while self.labels.size and self.worthwhile:
            whole, gaps = docs is self.order, np.empty(self.labels.size)
            inputs = self.duals, self.coefs, self.biases, docs, self.state, gaps
            pass_for_all(self.problem.shared, self.problem.classes, *inputs)
            self.epochs += 1
            if whole:
                self.before, self.gaps = self.gaps, gaps
            if not whole or 2 * np.count_nonzero(gaps <= likely) >= self.labels.size:
                docs = self._leave(solutions, tolerance)
        return solutions

    def _leave(self, solutions: dict[int, Dual], tolerance: float) -> Int64s:
        """Move the classes that are solved to `solutions`; returns the documents of the next pass.

        If all gaps are within the tolerance, these are the documents with large violations.
        """
        point = self.duals, self.coefs, self.biases[0]
        results, largest = self.problem.certified(*point, self.epochs, tolerance)
        solved = np.array([dual.solved for dual in results])
        if solved.any():
            solutions |= {int(self.labels[at]): results[at] for at in np.flatnonzero(solved)}
            left = np.flatnonzero(~solved)
            self.problem = self.problem.of(left)
            for name in ("duals", "coefs", "biases", "labels", "gaps", "before"):
                setattr(self, name, columns(getattr(self, name), left))
        far = np.flatnonzero(largest > LARGE * violation_aim(tolerance))
        close = far.size and max(dual.gap for dual in results) <= tolerance
        return far if close else self.order

    def iterates(self) -> list[Iterate]:
        """The classes that are left."""
        problem, classes = self.problem, self.problem.classes
        values = products_of_all(problem.rows, self.coefs)
        matrices = classes.y_signed, classes.costs, self.coefs, values
        vectors = (np.ascontiguousarray(matrix.T) for matrix in matrices)
        return [
            Iterate(
                problem.shared._replace(y_signed=y),
                costs,
                coef,
                x,
                float(b),
                problem.free_intercept,
            )
            for y, costs, coef, x, b in zip(*vectors, self.biases[0], strict=True)
        ]


def _step(passes: _Passes, tolerance: float) -> dict[int, Dual]:
    """Newton steps of the classes that are left, until all are solved."""
    problem, iterates = passes.problem, passes.iterates()
    solutions: dict[int, Dual] = {}
    active = list(range(len(iterates)))
    aim = violation_aim(tolerance) / max(sqrt(float(problem.shared.squares.max())), TINY)
    for step in range(MAX_STEPS):
        if not active:
            break
        near = [at for at in active if np.linalg.norm(iterates[at].gradient) <= NEAR * aim]
        solutions |= _certified(problem, iterates, near, step, tolerance)
        active = [place for place in active if place not in solutions]
        _move(problem.rows, [iterates[place] for place in active], aim)
    left = {place: iterates[place].unsolved() for place in active}
    return {int(passes.labels[place]): dual for place, dual in (solutions | left).items()}


def _certified(
    problem: OneVsRest,
    iterates: Sequence[Iterate],
    places: Sequence[int],
    epochs: int,
    tolerance: float,
) -> dict[int, Dual]:
    """The iterates at these places that are solved."""
    if not places:
        return {}
    part, points = problem.of(np.array(places)), [iterates[place].point for place in places]
    duals = part.classes.y_signed * np.column_stack([point.alphas for point in points])
    coefs = np.column_stack([point.coef for point in points])
    intercepts = np.array([iterates[place].intercept for place in places])
    results, _ = part.certified(duals, coefs, intercepts, epochs, tolerance)
    return {place: dual for place, dual in zip(places, results, strict=True) if dual.solved}


def _move(rows: Rows, iterates: Sequence[Iterate], aim: float) -> None:
    """One Newton step of each; the products with all documents are shared."""
    if iterates:
        steps = [iterate.direction(aim) for iterate in iterates]
        products = products_of_all(rows, np.column_stack([coef for coef, _ in steps]))
        changes = np.ascontiguousarray(products.T)
        for iterate, (coef, shift), change in zip(iterates, steps, changes, strict=True):
            iterate.move(coef, shift, change)
