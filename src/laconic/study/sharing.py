"""What tasks on one problem have in common is computed once, and charged to each alike.

Tasks that differ only in what comes after the selection (λ, the classifier) have the same fitted
reducer and the same cuts, which may be seconds each; draws of a method have the same scores, of
which an exact leverage is minutes. The numbers are those of a task that is alone, and so are its
seconds: it carries what the shared work took, whoever did it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Self, TypeAlias
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.errors import SizeUnavailable, collected_warnings, warn_again
from laconic.reducer import Reducer
from laconic.reduction import Matrix, Reduction
from laconic.selectors.sampled import RandomSelector, SampledTerms
from laconic.vectors.problem import Problem

Peak: TypeAlias = Callable[[], int | None]


@dataclass(frozen=True, eq=False)
class Done:
    """A piece of work: what came of it, what it took, and the warnings it gave."""

    result: Any
    seconds: float
    memory: int | None
    notes: tuple[str, ...]

    def told(self) -> Any:
        """The result, with its warnings, whenever it is used."""
        warn_again(self.notes)
        return self.result


def done(work: Callable[[], Any], peak: Peak) -> Done:
    clock = perf_counter()
    with collected_warnings() as notes:
        result = work()
    return Done(result, perf_counter() - clock, peak(), tuple(notes))


@dataclass
class Account:
    """What a task owes for work that its own clock did not see."""

    seconds: float = 0.0
    memory: int | None = None

    def charge(self, work: Done) -> None:
        self.seconds += work.seconds
        self.memory = work.memory if self.memory is None else self.most(work.memory)

    def settled(self) -> float:
        """The seconds since this was last asked."""
        seconds, self.seconds = self.seconds, 0.0
        return seconds

    def most(self, memory: int | None) -> int | None:
        known = memory is not None and self.memory is not None
        return max(memory, self.memory) if known else memory


@dataclass(frozen=True, eq=False)
class Given:
    """Scores that are known already."""

    scores: NDArray[np.float64]

    def __call__(self, X: Matrix, y: ArrayLike | None = None) -> NDArray[np.float64]:
        return self.scores


@dataclass(frozen=True, eq=False)
class Recalled:
    """A reducer as a path sees it: what has been fitted or cut before is recalled, and charged.

    The path clones what it is given; a clone recalls the same.
    """

    reducer: Reducer
    known: dict[Hashable, Done] = field(default_factory=dict)
    account: Account = field(default_factory=Account)
    peak: Peak = lambda: None

    def __sklearn_clone__(self) -> Self:
        return self

    def set_params(self, *, size: int | None) -> Self:
        """A path says which size it will ask for at most; tasks that share ask for the same."""
        self.reducer.set_params(size=size)
        return self

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        self._once("fit", lambda: self.reducer.fit(X, y))
        return self

    @property
    def available_(self) -> int:
        return self.reducer.available_

    def at(self, size: int) -> Reduction:
        cut = self._once(size, lambda: _cut(self.reducer, size))
        if isinstance(cut, SizeUnavailable):
            raise cut.with_traceback(None)
        return cut

    def _once(self, what: Hashable, work: Callable[[], Any]) -> Any:
        """Work that is done now is on the task's own clock."""
        if what in self.known:
            self.account.charge(self.known[what])
        else:
            self.known[what] = done(work, self.peak)
        return self.known[what].told()


def _cut(reducer: Reducer, size: int) -> Reduction | SizeUnavailable:
    try:
        return reducer.at(size)
    except SizeUnavailable as absent:
        return absent


@dataclass(frozen=True, eq=False)
class Shared:
    """The scores of a method's draws, or its reducer, on a problem."""

    problem: ReferenceType[Problem]
    selection: Hashable
    work: Done | Recalled


# One entry: tasks that share something come one after the other.
_newest: list[Shared] = []


def shared(
    path: PathClassifier,
    problem: Problem,
    selection: str,
    details: Hashable,
    peak: Peak = lambda: None,
) -> tuple[PathClassifier, Account]:
    """The path with what was computed before for this selection, and an account of that.

    `details` are what a fitted reducer depends on beside: sizes and draw. Scores do not.
    """
    account = Account()
    if not isinstance(path, ReduceThenFit):
        return path, account
    reducer = path.reducer
    if isinstance(reducer, RandomSelector):
        scores = _newest_of(problem, selection, lambda: _scored(reducer, problem, peak))
        account.charge(scores)
        drawn = {key: getattr(reducer, key) for key in ("draw", "size", "random_state")}
        return path.set_params(reducer=SampledTerms(Given(scores.told()), **drawn)), account
    recalled = _newest_of(problem, (selection, details), lambda: Recalled(reducer))
    return path.set_params(reducer=replace(recalled, account=account, peak=peak)), account


def forget() -> None:
    """What is kept may be as large as the documents."""
    _newest.clear()


def _newest_of(problem: Problem, selection: Hashable, make: Callable[[], Any]) -> Any:
    known = _newest[0] if _newest else None
    if known is None or known.problem() is not problem or known.selection != selection:
        _newest.clear()  # let the last one go first
        _newest.append(Shared(ref(problem), selection, make()))
    return _newest[0].work


def _scored(reducer: RandomSelector, problem: Problem, peak: Peak) -> Done:
    X, y = problem.X_train, problem.y_train
    return done(lambda: clone(reducer).fit(X, y).scores_, peak)
