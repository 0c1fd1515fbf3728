"""`SharedSelection`: work that the tasks of a job have in common; its cost is added to each.

Tasks that differ only in the classifier or its alpha have the same fitted reducer and the same
cuts, which may take seconds each; draws of a method have the same scores, of which exact leverage
takes minutes. The numbers are those of a task that runs alone, and so are its seconds: they include
the time of reused work.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Self, TypeAlias

from numpy.typing import ArrayLike
from sklearn.base import clone

from laconic.classifiers.path import PathClassifier
from laconic.classifiers.prefixes import Prefixes
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.errors import SizeUnavailable, collected_warnings, warn_again
from laconic.reducer import Reducer
from laconic.reduction import Reduction
from laconic.runtime.choices import Normalize
from laconic.selectors.joint import JointSelection
from laconic.selectors.sampled import RandomSelector, SampledTerms
from laconic.selectors.top import TopTerms
from laconic.text.problem import Problem
from laconic.types import Columns, Floats, Matrix

Peak: TypeAlias = Callable[[], int | None]


@dataclass(frozen=True, eq=False)
class CostedResult:
    """The result of some work, its cost, and its warnings."""

    result: Any
    seconds: float
    memory: int | None
    notes: tuple[str, ...]

    def get(self) -> Any:
        """The result; its warnings are repeated at each use."""
        warn_again(self.notes)
        return self.result


def run_costed(work: Callable[[], Any], peak: Peak) -> CostedResult:
    """Do the work and measure its cost."""
    clock = perf_counter()
    with collected_warnings() as notes:
        result = work()
    return CostedResult(result, perf_counter() - clock, peak(), tuple(notes))


@dataclass
class ReusedCost:
    """The cost of the work that a task reused, which its own clock did not measure."""

    seconds: float = 0.0
    memory: int | None = None

    def add(self, work: CostedResult) -> None:
        self.seconds += work.seconds
        self.memory = work.memory if self.memory is None else self.max_memory(work.memory)

    def take_seconds(self) -> float:
        """The seconds added since the last call."""
        seconds, self.seconds = self.seconds, 0.0
        return seconds

    def max_memory(self, memory: int | None) -> int | None:
        """The larger of this memory and that of reused work."""
        return memory if memory is None or self.memory is None else max(memory, self.memory)


@dataclass(frozen=True, eq=False)
class PrecomputedScores:
    """A score function that returns scores computed before."""

    scores: Floats

    def __call__(self, X: Matrix, y: ArrayLike | None = None) -> Floats:
        return self.scores


@dataclass(frozen=True, eq=False)
class CachedReducer:
    """A reducer that fits once and makes each cut once; `cost` is that of reused work.

    A path clones its reducer; a clone is the same object, with the same cache.
    """

    reducer: Reducer
    results: dict[Hashable, CostedResult] = field(default_factory=dict)
    cost: ReusedCost = field(default_factory=ReusedCost)
    peak: Peak = lambda: None

    def __sklearn_clone__(self) -> Self:
        return self

    def set_params(self, *, size: int | None) -> Self:
        """Set the largest size of the path; tasks that share the reducer have the same one."""
        self.reducer.set_params(size=size)
        return self

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        self._cached("fit", lambda: self.reducer.fit(X, y))
        return self

    @property
    def available_(self) -> int:
        return self.reducer.available_

    @property
    def scores_(self) -> Any:
        return self.reducer.scores_

    @property
    def order(self) -> Columns | None:
        return self.reducer.order

    def prefixes(self, X: Matrix, order: Columns, normalize: Normalize) -> Prefixes | None:
        """The ranked documents, which all tasks of the selection share."""
        key = ("prefixes", id(X), order.size, normalize)
        # with X itself, so that no other matrix can get its id
        pair: tuple[Matrix, Prefixes | None] = self._cached(
            key, lambda: (X, Prefixes.of(X, order, normalize))
        )
        return pair[1]

    def at(self, size: int) -> Reduction:
        cut: Reduction | SizeUnavailable = self._cached(size, lambda: _cut(self.reducer, size))
        if isinstance(cut, SizeUnavailable):
            raise cut.with_traceback(None)
        return cut

    def _cached(self, key: Hashable, work: Callable[[], Any]) -> Any:
        """Only reused work is added to the cost: the task's own clock measures new work."""
        if key in self.results:
            self.cost.add(self.results[key])
        else:
            self.results[key] = run_costed(work, self.peak)
        return self.results[key].get()


def _cut(reducer: Reducer, size: int) -> Reduction | SizeUnavailable:
    try:
        return reducer.at(size)
    except SizeUnavailable as unavailable:
        return unavailable


class SharedSelection:
    """The scores and the latest reducer of one selection on one problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._scores: CostedResult | None = None
        self._reducer: tuple[Hashable, CachedReducer] | None = None

    def prepare(
        self, path: PathClassifier, draw: tuple[Hashable, Hashable], peak: Peak = lambda: None
    ) -> tuple[PathClassifier, ReusedCost]:
        """The path with the work done before, and the cost of that work.

        A fitted reducer also depends on `draw`, its sizes and seed; scores do not.
        """
        cost = ReusedCost()
        if not isinstance(path, ReduceThenFit) or path.reducer is None:
            return path, cost
        reducer: SampledTerms | CachedReducer
        if isinstance(path.reducer, RandomSelector):
            reducer = self._sampled(path.reducer, cost, peak)
        else:
            reducer = replace(self._cached(path.reducer, draw), cost=cost, peak=peak)
        return path.set_params(reducer=reducer), cost

    def _sampled(self, selector: RandomSelector, cost: ReusedCost, peak: Peak) -> SampledTerms:
        if self._scores is None:
            X, y = self._problem.X_train, self._problem.y_train
            self._scores = run_costed(lambda: clone(selector).fit(X, y).scores_, peak)
        cost.add(self._scores)
        params = {key: getattr(selector, key) for key in ("draw", "size", "random_state")}
        return SampledTerms(PrecomputedScores(self._scores.get()), **params)

    def _cached(self, reducer: Reducer, draw: tuple[Hashable, Hashable]) -> CachedReducer:
        # these select the same for all sizes
        key = draw[1] if isinstance(reducer, TopTerms | JointSelection) else draw
        if self._reducer is None or self._reducer[0] != key:
            self._reducer = None  # free the last one first
            self._reducer = key, CachedReducer(reducer)
        return self._reducer[1]
