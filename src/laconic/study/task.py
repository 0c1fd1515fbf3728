"""`Task`: one fit of one method on one fold, measured at all sizes. What a study is made of.

A task knows everything that its rows depend on, so its key, a hash of that, is the same on every
machine and in every order; the seed of its draws is a hash too.
"""

from __future__ import annotations

import json
import platform
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, time
from typing import Literal, Self
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.curves import Measured, known_measures, measure_path
from laconic.errors import LaconicError, LaconicWarning
from laconic.methods import method_called
from laconic.model import LinearModel, Norm
from laconic.numerics.measures import chosen_by
from laconic.reduction import Matrix
from laconic.rows import Row, Size
from laconic.selectors.sampled import Drawn, SampledTerms
from laconic.vectors.problem import Problem

Part = Literal["validation", "test"]
PACKAGES = ("laconic", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Task:
    """One method with one seed on one fold of one problem, at all sizes.

    `data` is the corpus's fingerprint, `split` and `vectorizing` say in words how its documents
    were divided and counted: with the fold's name they determine the numbers that are trained on.
    `detail` asks for the answers and the words of each size beside the rows.
    """

    data: str
    problem: str
    part: Part
    fold: str
    split: str
    vectorizing: str
    method: str
    seed: int
    sizes: tuple[Size, ...]
    measures: tuple[str, ...]
    alpha: float | str = 1.0
    intercept: bool = True
    norm: Norm = "kept"
    detail: bool = True

    @cached_property
    def key(self) -> str:
        return _digest(self.to_json())

    @property
    def address(self) -> str:
        """What the draws depend on: not on which sizes and measures are asked for."""
        return _digest(
            json.dumps([self.data, self.split, self.fold, self.vectorizing, self.problem])
        )

    @property
    def vocabulary(self) -> str:
        """What the words of the corpus, and so the columns of a `Cut`, depend on."""
        return _digest(json.dumps([self.data, self.vectorizing]))

    @property
    def random_state(self) -> int:
        return int(_digest(f"{self.address} {self.method} {self.seed}")[:8], 16)

    @property
    def title(self) -> str:
        again = f" (draw {self.seed + 1})" if self.seed else ""
        return f"{self.method}{again} on {self.problem}, {self.fold}"

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        given = json.loads(text)
        return cls(**given | {key: tuple(given[key]) for key in ("sizes", "measures")})

    def build(self) -> PathClassifier:
        """The method, ready to be trained."""
        method = method_called(self.method)
        return method.build(self.alpha, self.random_state, self.intercept, self.norm)

    def row(self) -> Row:
        """What all rows of the task share."""
        return Row(
            self.problem,
            self.method,
            self.sizes[0],
            "",
            seed=self.seed,
            part=self.part,
            fold=self.fold,
            versions=versions(),
            task=self.key,
        )


@dataclass(frozen=True, eq=False)
class Cut:
    """What one size gave beside its rows.

    `terms` are columns among all words of the corpus, ascending; `chosen` (documents × columns)
    what the model answered about the test documents.
    """

    asked: Size
    terms: NDArray[np.int64]
    chosen: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a task.

    `signs` are the true answers, 0 where training had not seen a document's class; `notes` are
    warnings on the way; `started` is a time since the epoch.
    """

    task: Task
    status: Literal["ok", "failed"]
    rows: tuple[Row, ...]
    reason: str = ""
    cuts: tuple[Cut, ...] = ()
    signs: NDArray[np.int8] | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    memory: int | None = None
    started: float = field(default_factory=time)
    host: str = field(default_factory=platform.node)

    @classmethod
    def failed(cls, task: Task, reason: str, **about: float | int | None) -> Self:
        """A failure is rows too: each size and measure, with the reason."""
        like = replace(task.row(), status="failed", reason=reason)
        rows = tuple(
            replace(like, asked=asked, measure=measure)
            for asked in task.sizes
            for measure in task.measures
        )
        return cls(task, "failed", rows, reason, **about)


def run(task: Task, problem: Problem) -> Outcome:
    """Train once, measure every size. What goes wrong is an outcome, not an exception.

    One thread of BLAS, so that the same task gives the same numbers beside any others.
    """
    started, clock = time(), perf_counter()
    with peak_memory() as peak, noted() as notes:
        try:
            with threadpool_limits(1):
                path, spent = shared(task, problem, peak)
                rows, cuts, signs = _measure(task, path, problem, spent.seconds)
        except Exception as failure:
            about = {"seconds": perf_counter() - clock, "memory": peak(), "started": started}
            return Outcome.failed(task, said(failure), **about)
        memory = _most(peak(), spent.memory)
    return Outcome(
        task,
        "ok",
        tuple(replace(row, memory=memory) for row in rows),
        cuts=cuts,
        signs=signs,
        notes=tuple(notes),
        seconds=perf_counter() - clock,
        memory=memory,
        started=started,
    )


@dataclass(frozen=True, eq=False)
class Given:
    """Scores that are known already."""

    scores: NDArray[np.float64]

    def __call__(self, X: Matrix, y: ArrayLike | None = None) -> NDArray[np.float64]:
        return self.scores


@dataclass(frozen=True)
class Spent:
    """What scores took, for every draw alike, whichever of them computed it."""

    seconds: float = 0.0
    memory: int | None = None


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of a random method on a problem, from which all its draws are made."""

    problem: ReferenceType[Problem]
    method: str
    scores: NDArray[np.float64]
    notes: tuple[str, ...]
    spent: Spent


# One entry: the draws of a method come one after the other.
_newest: list[Scored] = []


def shared(
    task: Task, problem: Problem, peak: Callable[[], int | None] = lambda: None
) -> tuple[PathClassifier, Spent]:
    """The method of the task, where it is random with the scores of its earlier draws.

    An exact leverage is minutes of work, which no draw changes.
    """
    path = task.build()
    if not isinstance(path, ReduceThenFit) or not isinstance(path.reducer, Drawn):
        return path, Spent()
    if not (_newest and _newest[0].problem() is problem and _newest[0].method == task.method):
        _newest[:] = [_scored(path.reducer, task.method, problem, peak)]
    (known,) = _newest
    for note in known.notes:
        warnings.warn(note, LaconicWarning, stacklevel=2)
    drawn = {key: getattr(path.reducer, key) for key in ("draw", "size", "random_state")}
    return path.set_params(reducer=SampledTerms(Given(known.scores), **drawn)), known.spent


def _scored(
    reducer: Drawn, method: str, problem: Problem, peak: Callable[[], int | None]
) -> Scored:
    clock = perf_counter()
    with noted() as notes:
        scores = clone(reducer).fit(problem.X_train, problem.y_train).scores_
    spent = Spent(perf_counter() - clock, peak())
    return Scored(ref(problem), method, scores, tuple(notes), spent)


def _most(one: int | None, other: int | None) -> int | None:
    return max(one, other) if one is not None and other is not None else one


def said(failure: BaseException) -> str:
    """A failure in words; ours speak for themselves, others name their kind."""
    if isinstance(failure, LaconicError):
        return str(failure)
    return f"{type(failure).__name__}: {failure}"


def _measure(
    task: Task, path: PathClassifier, problem: Problem, before: float
) -> tuple[list[Row], tuple[Cut, ...], NDArray[np.int8] | None]:
    """`before` are seconds that the first size carries beside its own."""
    wanted = known_measures(task.measures)
    rows: list[Row] = []
    cuts: list[Cut] = []
    signs = None
    for place, measured in enumerate(measure_path(path, problem, list(task.sizes))):
        if place == 0:
            measured = replace(measured, seconds=measured.seconds + before)
        rows += measured.rows(task.row(), wanted)
        if task.detail and measured.signs is not None:
            cuts.append(_cut(measured, problem))
            signs = np.nan_to_num(measured.signs).astype(np.int8)
    return rows, tuple(cuts), signs


def _cut(measured: Measured, problem: Problem) -> Cut:
    model, decision = measured.model, measured.decision
    assert model is not None
    assert decision is not None
    read = model.terms if isinstance(model, LinearModel) else np.empty(0, dtype=np.intp)
    terms = read if problem.columns is None else problem.columns[read]
    return Cut(measured.asked, terms.astype(np.int64), chosen_by(decision, model.rule))


@contextmanager
def noted() -> Iterator[list[str]]:
    """Our warnings as distinct lines, in order; none reaches the screen."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", LaconicWarning)
        lines: list[str] = []
        yield lines
        lines += dict.fromkeys(str(warning.message) for warning in caught)


@contextmanager
def peak_memory() -> Iterator[Callable[[], int | None]]:
    """A function that tells the most memory this process has held since, in bytes.

    Linux can forget the peak so far; elsewhere it is that of the process's whole life.
    """
    status = Path("/proc/self/status")
    try:
        Path("/proc/self/clear_refs").write_text("5")
        status.read_text()
    except OSError:
        yield _life_peak
        return

    def peak() -> int | None:
        lines = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(lines[0].split()[1]) * 1024 if lines else None

    yield peak


def _life_peak() -> int | None:
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        return None
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@cache
def versions() -> str:
    python = f"python {platform.python_version()}"
    return ", ".join([*(f"{name} {version(name)}" for name in PACKAGES), python])


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
