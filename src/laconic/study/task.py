"""`Task`: one fit of one method on one fold, measured at all sizes. What a study is made of.

A task knows everything that its rows depend on, so its key, a hash of that, is the same on every
machine and in every order; the seed of its draws is a hash too.
"""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import version
from time import perf_counter, time
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from laconic.classifiers.path import PathClassifier
from laconic.curves import SizeResult, evaluate_path, known_metrics
from laconic.errors import LaconicError, collected_warnings
from laconic.methods import parse_method
from laconic.model import Normalize
from laconic.numerics.metrics import apply_rule
from laconic.rows import Row, Size
from laconic.study.sharing import ReusedCost, reuse_selection
from laconic.study.watching import peak_memory
from laconic.vectors.problem import Problem

Part = Literal["validation", "test"]
PACKAGES = ("laconic", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Task:
    """One method with one seed on one fold of one problem, at all sizes.

    `data` is the corpus's fingerprint, `split` and `text` describe how its documents
    were divided and counted: with the fold's name they determine the numbers that are trained on.
    `detail` asks for the answers and the words of each size beside the rows.
    """

    data: str
    problem: str
    part: Part
    fold: str
    split: str
    text: str
    method: str
    draw: int
    sizes: tuple[Size, ...]
    metrics: tuple[str, ...]
    alpha: float | str = 1.0
    intercept: bool = True
    normalize: Normalize = "selected"
    detail: bool = True

    @cached_property
    def key(self) -> str:
        return _digest(self.to_json())

    @property
    def address(self) -> str:
        """What the draws depend on: not on which sizes and measures are asked for."""
        return _digest(json.dumps([self.data, self.split, self.fold, self.text, self.problem]))

    @property
    def vocabulary(self) -> str:
        """What the words of the corpus, and so the columns of a `Cut`, depend on."""
        return _digest(json.dumps([self.data, self.text]))

    @property
    def selection(self) -> str:
        """The method without its classifier: tasks with the same one select the same features."""
        return parse_method(self.method).selection

    @property
    def random_state(self) -> int:
        """The same for every classifier and alpha, so these are compared on the same features."""
        return int(_digest(f"{self.address} {self.selection} {self.draw}")[:8], 16)

    @property
    def title(self) -> str:
        again = f" (draw {self.draw + 1})" if self.draw else ""
        return f"{self.method}{again} on {self.problem}, {self.fold}"

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        given = json.loads(text)
        return cls(**given | {key: tuple(given[key]) for key in ("sizes", "metrics")})

    def build(self) -> PathClassifier:
        """The method, ready to be trained."""
        method = parse_method(self.method)
        return method.build(self.alpha, self.random_state, self.intercept, self.normalize)

    def row(self) -> Row:
        """What all rows of the task share."""
        return Row(
            self.problem,
            self.method,
            self.sizes[0],
            "",
            draw=self.draw,
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

    size: Size
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
    y_signed: NDArray[np.int8] | None = None
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
            replace(like, size=asked, metric=metric)
            for asked in task.sizes
            for metric in task.metrics
        )
        return cls(task, "failed", rows, reason, **about)


def run(task: Task, problem: Problem) -> Outcome:
    """Train once, measure every size. What goes wrong is an outcome, not an exception.

    One thread of BLAS, so that the same task gives the same numbers beside any others.
    """
    started, clock = time(), perf_counter()
    with peak_memory() as peak, collected_warnings(problem.classes) as notes:
        try:
            with threadpool_limits(1):
                details = (task.sizes, task.random_state)
                path, cost = reuse_selection(task.build(), problem, task.selection, details, peak)
                rows, cuts, y_signed = _measure(task, path, problem, cost)
        except Exception as failure:
            about = {"seconds": perf_counter() - clock, "memory": peak(), "started": started}
            return Outcome.failed(task, said(failure), **about)
        memory = cost.max_memory(peak())
    return Outcome(
        task,
        "ok",
        tuple(replace(row, memory=memory) for row in rows),
        cuts=cuts,
        y_signed=y_signed,
        notes=tuple(notes),
        seconds=perf_counter() - clock,
        memory=memory,
        started=started,
    )


def said(failure: BaseException) -> str:
    """A failure in words; ours speak for themselves, others name their kind."""
    if isinstance(failure, LaconicError):
        return str(failure)
    if isinstance(failure, MemoryError) and not str(failure):
        return "MemoryError: there is too little memory for this task"
    return f"{type(failure).__name__}: {failure}"


def _measure(
    task: Task, path: PathClassifier, problem: Problem, cost: ReusedCost
) -> tuple[list[Row], tuple[Cut, ...], NDArray[np.int8] | None]:
    """A size carries its own seconds, and those of what other tasks have done for it."""
    wanted = known_metrics(task.metrics)
    rows: list[Row] = []
    cuts: list[Cut] = []
    y_signed = None
    for measured in evaluate_path(path, problem, list(task.sizes)):
        measured = replace(measured, seconds=measured.seconds + cost.take_seconds())
        rows += measured.rows(task.row(), wanted)
        if task.detail and measured.y_signed is not None:
            cuts.append(_cut(measured, problem))
            y_signed = np.nan_to_num(measured.y_signed).astype(np.int8)
    return rows, tuple(cuts), y_signed


def _cut(measured: SizeResult, problem: Problem) -> Cut:
    model, decision = measured.model, measured.decision
    assert model is not None
    assert decision is not None
    read = model.features
    terms = read if problem.columns is None else problem.columns[read]
    return Cut(measured.size, terms.astype(np.int64), apply_rule(decision, model.rule))


@cache
def versions() -> str:
    python = f"python {platform.python_version()}"
    return ", ".join([*(f"{name} {version(name)}" for name in PACKAGES), python])


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
