"""`Task`: one fit of one method on one fold, measured at all sizes. A study is a list of tasks.

A task contains everything that its rows depend on, as resolved values rather than spellings. Its
key is a hash of that, so it is the same on every machine and in every order. The seed of its draws
is a hash too.
"""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import version
from time import time
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic.classifiers.blend import BlendClassifier
from laconic.classifiers.path import PathClassifier
from laconic.compact.provenance import classifier_settings
from laconic.compact.storage import stored
from laconic.errors import LaconicError
from laconic.methods import parse_method
from laconic.model import LinearModel, Model, Normalize
from laconic.resources import memory_limit
from laconic.rows import Row
from laconic.runtime.choices import Storage
from laconic.runtime.settings import ClassifierSettings
from laconic.studies.execution.trained_model import TrainedModel
from laconic.studies.options import Part
from laconic.text.options import Alpha
from laconic.types import Bools, Int8s, Int64s, Size

# The name of a method with its classifier, alpha, and the scale of its decisions.
Member: TypeAlias = tuple[str, float, float]
PACKAGES = ("laconic", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Task:
    """One draw of one method on one fold of one problem, at all sizes.

    `data` is the fingerprint of the corpus. `split` and `text` are canonical JSON of how its
    documents are divided, counted and weighted: with the name of the fold they determine the
    training data. `features` and `weighting` name their kind, `positive` is the positive one
    of two classes. `version` is that of the method. With
    several `alphas`, each size has a model for each of them. With `detail`, predictions, features
    and what thresholds are fitted on are stored beside the rows; with `decisions`, the decision
    values too. `thresholds` and `calibration`, one entry per row, are given to linear models before
    they are measured: they come from the decisions of an earlier stage. So do `members` of a blend:
    for each size, the method, alpha and scale of every member. Then a linear model is rounded as a
    file with this `storage` has it.
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
    alphas: tuple[Alpha, ...] = (1.0,)
    intercept: bool = True
    normalize: Normalize = "selected"
    detail: bool = True
    decisions: bool = False
    thresholds: tuple[float, ...] = ()
    calibration: tuple[tuple[float, ...], ...] = ()
    members: tuple[tuple[Member, ...], ...] = ()
    version: int = 1
    features: str = ""
    weighting: str = ""
    positive: str = ""
    storage: Storage = "float64"

    @cached_property
    def key(self) -> str:
        return _digest(self.to_json())

    @cached_property
    def slot(self) -> str:
        """The task without the version of its method: rows of several versions share it."""
        return _digest(canonical_json(self._values() | {"version": None}))

    @property
    def vocabulary(self) -> str:
        """What the words of the corpus, and so the columns of a `Cut`, depend on."""
        return _digest(canonical_json([self.data, self.text]))

    @property
    def selection(self) -> str:
        """The method without its classifier: tasks with the same one select the same features."""
        try:
            return parse_method(self.method).selection
        except LaconicError:  # an unknown method, which fails when it is built
            return self.method

    @property
    def random_state(self) -> int:
        """The same for every classifier, alpha, size and metric, so features are comparable."""
        address = [self.data, self.split, self.fold, self.text, self.problem]
        return int(_digest(canonical_json([*address, self.selection, self.draw]))[:8], 16)

    @property
    def grid(self) -> tuple[float, ...]:
        """The alphas to try, or none if there is one only."""
        return tuple(map(float, self.alphas)) if len(self.alphas) > 1 else ()

    @property
    def title(self) -> str:
        again = f" (draw {self.draw + 1})" if self.draw else ""
        return f"{self.method}{again} on {self.problem}, {self.fold}"

    def to_json(self) -> str:
        return canonical_json(self._values())

    def _values(self) -> dict[str, Any]:
        """The fields; without `storage` where no number is rounded, as in older journals."""
        values = asdict(self)
        if self.storage == "float64":
            del values["storage"]
        return values

    @classmethod
    def from_json(cls, text: str) -> Self:
        values = json.loads(text)
        tuples = {key: tuple(v) for key, v in values.items() if isinstance(v, list)}
        nested = {
            "calibration": tuple(map(tuple, values["calibration"])),
            "members": tuple(tuple(map(tuple, blend)) for blend in values["members"]),
        }
        return cls(**values | tuples | nested)

    def build(self) -> PathClassifier:
        """The method, ready to be trained, with the first alpha."""
        method = parse_method(self.method)
        return method.build(self.alphas[0], self.random_state, self.intercept, self.normalize)

    def blends(self) -> list[BlendClassifier]:
        """The blend of each size, if there are members."""
        return [self._blend(members) for members in self.members]

    def _blend(self, members: tuple[Member, ...]) -> BlendClassifier:
        classifiers = [
            (name, parse_method(name).make_classifier(alpha, self.intercept))
            for name, alpha, _ in members
        ]
        return BlendClassifier(classifiers, scales=[scale for *_, scale in members])

    @cached_property
    def classifier(self) -> ClassifierSettings:
        """The classifier that follows the selection; unnamed where the method trains its own."""
        try:
            settings = classifier_settings(self.build())
            return replace(settings, name=parse_method(self.method).classifier)
        except Exception:  # the task will fail with the reason, and its rows need no classifier
            return ClassifierSettings()

    def finished(self, model: Model) -> Model:
        """The model with thresholds and calibration, as it is stored, if it is linear."""
        if not isinstance(model, LinearModel):
            return model
        if self.thresholds:
            model = replace(model, thresholds=np.array(self.thresholds))
        if self.calibration:
            pairs = np.array(self.calibration)
            model = replace(model, calibration=pairs[0] if model.rule == "argmax" else pairs)
        return model if self.storage == "float64" else stored(model, self.storage)

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
            classifier=self.classifier.name or "",
            alpha=self.classifier.alpha if len(self.alphas) == 1 else None,
            class_weight=self.classifier.class_weight or "",
            features=self.features,
            weighting=self.weighting,
            versions=versions(),
            task=self.key,
        )


@dataclass(frozen=True, eq=False)
class Cut:
    """What one size gives beside its rows.

    `alpha` is None if the task has one only. `terms` are columns among all words of the corpus,
    ascending. For the test documents, `chosen` (documents × columns) are the predictions, `tuning`
    is what thresholds or a temperature are fitted on (`laconic.numerics.decision_counts`), and
    `decision` are the decision values, if the task has `decisions`.
    """

    size: Size
    terms: Int64s
    chosen: Bools
    decision: NDArray[np.float32] | None = None
    alpha: float | None = None
    tuning: NDArray[Any] | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a task.

    `y_signed` are the true labels as ±1, 0 where the training documents do not have the document's
    class; `notes` are warnings; `started` is a time since the epoch. `trained` is the model, if the
    job returns models: it is not stored in the journal.
    """

    task: Task
    status: Literal["ok", "failed"]
    rows: tuple[Row, ...]
    reason: str = ""
    cuts: tuple[Cut, ...] = ()
    y_signed: Int8s | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    memory: int | None = None
    started: float = field(default_factory=time)
    host: str = field(default_factory=platform.node)
    trained: TrainedModel | None = None

    @classmethod
    def failed(cls, task: Task, reason: str, **about: Any) -> Self:
        """A failure has rows too: one per size and metric, with the reason."""
        like = replace(task.row(), status="failed", reason=reason)
        rows = tuple(
            replace(like, size=size, alpha=alpha, metric=metric)
            for size in task.sizes
            for alpha in task.grid or (like.alpha,)
            for metric in task.metrics
        )
        return cls(task, "failed", rows, reason, **about)


def describe_failure(failure: BaseException) -> str:
    """The message of a failure, after the name of its class if it is not one of ours."""
    if isinstance(failure, LaconicError):
        return str(failure)
    if isinstance(failure, MemoryError):
        what = str(failure) or "there is too little memory for this task"
        limit = memory_limit()
        advice = "" if limit is None else f". Raise the limit of {limit / 1e6:,.0f} MB"
        return f"MemoryError: {what}{advice}"
    return f"{type(failure).__name__}: {failure}"


@cache
def versions() -> str:
    python = f"python {platform.python_version()}"
    return ", ".join([*(f"{name} {version(name)}" for name in PACKAGES), python])


def canonical_json(values: Any) -> str:
    """The same text for equal values."""
    return json.dumps(values, sort_keys=True)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
