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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.numerics.svm.all_classes import add_duals, pass_for_all, products_of_all
from laconic.numerics.svm.dual import AIM, Dual, centring_sample, descend
from laconic.numerics.svm.input import Rows, costs_in, refuse_long, refuse_numbers, refuse_shapes
from laconic.numerics.svm.machine import Machine
from laconic.numerics.svm.passes import DualPoint, HingeLoss, ProblemArrays, centred, mean
from laconic.types import Floats, Int64s

__all__ = ["Start", "descend_all"]

# Duals and intercept from which a class starts; None for duals of 0.
Start: TypeAlias = "tuple[Floats | None, float]"

# Classes solved together: more coefficients than these would not stay in the cache.
BLOCK = 32
# Passes go on after the first FIRST while they divide the violations by FAST on average.
FIRST = 12
FAST = 1.4
MAX_PASSES = 80
MAX_STEPS = 30
# The certificate is computed when ‖gradient‖ is below this many tolerances.
NEAR = 30.0


def descend_all(
    rows: Rows,
    y_signed: Floats,
    costs: Floats,
    *,
    loss: HingeLoss = "squared_hinge",
    intercept: bool = True,
    starts: Sequence[Start] = (),
    tolerance: float = 1e-6,
    epochs: int = 5000,
    random_state: int = 0,
) -> list[Dual]:
    """`descend` for every column of `y_signed` and `costs`, both (n_docs, n_classes).

    Every result meets the same tolerance as that of `descend`, which solves the hinge, a single
    class, and classes that are not solved jointly, in up to `epochs` passes. Starts of another cost
    are best scaled with it: α grows with C.
    """
    starts = starts or [(None, 0.0)] * y_signed.shape[1]
    _refuse(rows, y_signed, costs, starts)
    results: list[Dual | None] = [None] * len(starts)
    if loss == "squared_hinge" and len(starts) > 1:
        results = _solve(rows, y_signed, costs, intercept, starts, tolerance, random_state)
    return [
        result
        if result is not None and result.solved
        else descend(
            rows,
            y_signed[:, label],
            costs[:, label],
            loss=loss,
            intercept=intercept,
            start=start if result is None else result.alphas,
            start_intercept=b if result is None else result.intercept,
            tolerance=tolerance,
            epochs=epochs,
            random_state=random_state,
        )
        for label, (result, (start, b)) in enumerate(zip(results, starts, strict=True))
    ]


def _refuse(rows: Rows, y_signed: Floats, costs: Floats, starts: Sequence[Start]) -> None:
    if costs.shape != y_signed.shape or len(starts) != y_signed.shape[1]:
        raise LaconicError(
            f"labels of shape {y_signed.shape}, costs of shape {costs.shape} and {len(starts)} "
            "starts: give one column of labels, one of costs and one start per class"
        )
    for label, (start, b) in enumerate(starts):
        inputs = {"y_signed": y_signed[:, label], "costs": costs[:, label], "start": start}
        refuse_shapes(rows.starts.size, inputs)
        refuse_numbers(y_signed[:, label], costs[:, label], start, b)


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
    rows = replace(rows, scales=rows.scales / unit)
    shared = _shared_arrays(rows, intercept)
    results: list[Dual | None] = [None] * len(starts)
    positive, negative = ((y_signed == side) & (costs > 0) for side in (1, -1))
    two_sided = np.flatnonzero(positive.any(axis=0) & negative.any(axis=0))
    for first in range(0, two_sided.size, BLOCK):
        block = two_sided[first : first + BLOCK]
        machines = [
            Machine.of(
                shared,
                y_signed[:, label],
                costs_in(unit, costs[:, label]),
                rows.n_columns,
                intercept,
            )
            for label in block
        ]
        for label, machine in zip(block, machines, strict=True):
            alphas, b = starts[label]
            machine.start(alphas, b, unit)
        _descend(rows, shared, machines, tolerance, random_state)
        _step(rows, machines, tolerance)
        for label, machine in zip(block, machines, strict=True):
            results[label] = machine.dual(unit)
    return results


def _shared_arrays(rows: Rows, intercept: bool) -> ProblemArrays:
    """What all classes share; `squares` are ‖x − μ‖², without softness."""
    zeros = np.zeros(rows.starts.size)
    inputs = rows.starts, rows.ends, rows.columns, rows.values, rows.scales
    arrays = ProblemArrays(*inputs, zeros, zeros, zeros, zeros, zeros, ridge=0.0)
    docs = np.arange(zeros.size if intercept else 0)
    lengths, tilts = centred(arrays, mean(arrays, centring_sample(docs), rows.n_columns))
    refuse_long(lengths)
    return arrays._replace(squares=lengths, tilts=tilts)


def _descend(
    rows: Rows,
    shared: ProblemArrays,
    machines: Sequence[Machine],
    tolerance: float,
    random_state: int,
) -> None:
    """Passes over the duals of all classes, as long as they converge fast."""
    passes = _Passes.of(rows, shared, machines, random_state)
    while passes.active and passes.worthwhile:
        passes.run(AIM * tolerance)
    passes.store(range(len(passes.active)))
    values = products_of_all(rows, np.vstack([machine.coef for machine in machines]))
    for machine, products in zip(machines, values, strict=True):
        machine.values = products
        if machine not in passes.active:
            machine.certify(products, passes.epochs, tolerance)


@dataclass(eq=False)
class _Passes:
    """The classes that are not solved yet, as matrices with one column per class."""

    shared: ProblemArrays
    active: list[Machine]
    y_signed: Floats
    costs: Floats
    ridges: Floats
    duals: Floats
    coefs: Floats
    biases: Floats
    order: Int64s
    state: NDArray[np.uint64]
    worst: Floats
    before: Floats
    epochs: int = 0

    @classmethod
    def of(
        cls, rows: Rows, shared: ProblemArrays, machines: Sequence[Machine], random_state: int
    ) -> Self:
        y_signed = np.column_stack([machine.arrays.y_signed for machine in machines])
        duals = y_signed * np.column_stack([machine.point.alphas for machine in machines])
        coefs = np.zeros((rows.n_columns, len(machines)))
        add_duals(shared, duals, coefs)
        biases = np.column_stack([machine.point.bias for machine in machines])
        biases[1] = duals.sum(axis=0)
        state = np.random.default_rng(random_state).integers(1, 2**63, 1, dtype=np.uint64)
        endless = np.full(len(machines), np.inf)
        return cls(
            shared,
            list(machines),
            y_signed,
            np.column_stack([machine.costs for machine in machines]),
            np.array([machine.arrays.ridge for machine in machines]),
            duals,
            coefs,
            biases,
            np.arange(len(duals)),
            state,
            endless,
            endless,
        )

    @property
    def worthwhile(self) -> bool:
        """Whether the last pass has divided the violations by FAST, in the geometric mean."""
        if self.epochs < FIRST or self.epochs >= MAX_PASSES:
            return self.epochs < FIRST
        return bool(np.mean(np.log(self.before / self.worst)) >= np.log(FAST))

    def run(self, aim: float) -> None:
        """One pass; then the classes that are solved to `aim` leave."""
        self.before, self.worst = self.worst, np.zeros(self.ridges.size)
        matrices = self.y_signed, self.costs, self.ridges, self.duals, self.coefs, self.biases
        pass_for_all(self.shared, *matrices, self.order, self.state, self.worst)
        self.epochs += 1
        solved = self.worst <= aim
        if solved.any():
            self.store(np.flatnonzero(solved))
            self._keep(np.flatnonzero(~solved))

    def store(self, places: Iterable[int]) -> None:
        """Write these classes to their machines."""
        for place in places:
            machine = self.active[place]
            alphas, coef = np.abs(self.duals[:, place]), self.coefs[:, place].copy()
            bias = np.array([self.biases[0, place], self.duals[:, place].sum()])
            machine.point = DualPoint(alphas, coef, bias)
            machine.coef, machine.intercept = machine.point.coef, float(bias[0])

    def _keep(self, places: Int64s) -> None:
        self.active = [self.active[place] for place in places]
        for name in ("y_signed", "costs", "ridges", "duals", "coefs", "biases", "worst", "before"):
            matrix = getattr(self, name)[..., places]
            setattr(self, name, np.ascontiguousarray(matrix))


def _step(rows: Rows, machines: Sequence[Machine], tolerance: float) -> None:
    """Newton steps of the classes that are not solved, until all are."""
    longest = float(np.sqrt(machines[0].arrays.squares.max()))
    active = [machine for machine in machines if not machine.solved]
    for step in range(MAX_STEPS):
        if not active:
            return
        for machine in active:
            machine.derive_duals()
        near = [m for m in active if longest * np.linalg.norm(m.gradient) <= NEAR * tolerance]
        _certify(rows, near, step, tolerance)
        active = [machine for machine in active if not machine.solved]
        if active:
            steps = [machine.direction(tolerance / longest) for machine in active]
            changes = products_of_all(rows, np.vstack([coef for coef, _ in steps]))
            for machine, (coef, shift), products in zip(active, steps, changes, strict=True):
                machine.move(coef, shift, products)


def _certify(rows: Rows, machines: Sequence[Machine], epochs: int, tolerance: float) -> None:
    if machines:
        values = products_of_all(rows, np.vstack([machine.point.coef for machine in machines]))
        for machine, products in zip(machines, values, strict=True):
            machine.certify(products, epochs, tolerance)
