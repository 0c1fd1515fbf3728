"""How the model of a study is stored: in the smallest file that changes next to no decision.

The models of the folds are rounded as a file would round them, and compared with themselves on
their validation documents.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from laconic.corpus.splits import Split
from laconic.methods import parse_method
from laconic.rows import group_pairs
from laconic.runtime.choices import Storage
from laconic.studies.analysis.budget import SizeInBytes
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.final_tasks import FinalTasks, is_linear
from laconic.studies.analysis.recommendation import Recommendation, recommend
from laconic.studies.execution.executors import Executor
from laconic.studies.execution.jobs import Job
from laconic.studies.execution.task import Cut, Outcome, Task
from laconic.text.problem import Target
from laconic.types import Bools

STORAGES: tuple[Storage, ...] = get_args(Storage)
# The share of validation decisions that may change, and the change of the metric.
MOST_CHANGED = 0.001
MOST_LOST = 0.001
# Folds are compared until so many documents are.
ENOUGH_DOCUMENTS = 10_000
# Bytes of a file: its header; a row without its name and coefficients; a feature without its text
# and coefficients. Text and whole multiples are compressed at least to these bytes.
HEADER_BYTES = 700
ROW_BYTES = 24
FEATURE_BYTES = 3
SAMPLE = 500
COEFFICIENT_BYTES = {"int8": 0.95, "int16": 1.4, "float32": 4.0, "float64": 8.0}


def recommend_stored(
    offered: Mapping[str, list[Candidate]],
    targets: Sequence[Target],
    tasks: FinalTasks,
    executor: Executor,
    previous: Mapping[str, Recommendation],
) -> dict[str, Recommendation]:
    """The recommendation of each problem, with the storage of its model.

    A limit in bytes is met with the bytes of int8. Where the model that is chosen needs a larger
    storage, it is chosen again with the bytes of that one.
    """
    limits, sizes = tasks.plan.limits, FileSizes(tasks.prepared.counted.words)
    assumed: dict[str, Storage] = {t.name: STORAGES[0] for t in targets}
    chosen = {t.name: recommend(offered[t.name], limits, sizes.of(t))[0] for t in targets}
    storage = _storage(chosen.values(), tasks, executor, previous)
    while limits.max_bytes and (larger := _larger(targets, storage, assumed)):
        for t in larger:
            assumed[t.name] = storage[t.name]
            (chosen[t.name],) = recommend(offered[t.name], limits, sizes.of(t, assumed[t.name]))
        storage |= _storage([chosen[t.name] for t in larger], tasks, executor, previous)
    return {name: replace(of, storage=storage[name]) for name, of in chosen.items()}


def _larger(
    targets: Iterable[Target], storage: Mapping[str, Storage], assumed: Mapping[str, Storage]
) -> list[Target]:
    """The targets whose models need a larger storage than was assumed."""
    place = STORAGES.index
    return [t for t in targets if place(storage[t.name]) > place(assumed[t.name])]


def _storage(
    recommended: Iterable[Recommendation],
    tasks: FinalTasks,
    executor: Executor,
    previous: Mapping[str, Recommendation],
) -> dict[str, Storage]:
    """The storage of each model; that of the last run where it chose the same."""
    chosen = {of.problem: of.chosen for of in recommended}
    before = {
        name: previous[name].storage
        for name, candidate in chosen.items()
        if name in previous and previous[name].chosen == candidate
    }
    new = [candidate for name, candidate in chosen.items() if name not in before]
    exact: dict[str, Storage] = dict.fromkeys(chosen, "float64")
    return exact | before | storage_for(new, tasks, executor)


def storage_for(
    chosen: Iterable[Candidate], tasks: FinalTasks, executor: Executor
) -> dict[str, Storage]:
    """The smallest storage that keeps the decisions of a candidate, by its problem.

    It is float64 for models that are not linear.
    """
    linear = {c.problem: c for c in chosen if is_linear(c)}
    outcomes = executor.run(_jobs(linear, tasks)) if linear else ()
    by_problem = group_pairs((outcome.task.problem, outcome) for outcome in outcomes)
    return {problem: smallest_storage(of) for problem, of in by_problem.items()}


def smallest_storage(outcomes: Iterable[Outcome]) -> Storage:
    """The smallest storage that changes few decisions and little of the first metric.

    Each fold has an outcome per storage.
    """
    by_storage = group_pairs((outcome.task.storage, outcome) for outcome in outcomes)
    exact = by_storage.get("float64", [])
    if not exact or any(outcome.status != "ok" for outcome in exact):
        return "float64"
    return next(
        s for s in STORAGES if s == "float64" or _same_decisions(exact, by_storage.get(s, []))
    )


def _same_decisions(exact: Sequence[Outcome], rounded: Sequence[Outcome]) -> bool:
    by_fold = {outcome.task.fold: outcome for outcome in rounded if outcome.cuts}
    if any(not outcome.cuts or outcome.task.fold not in by_fold for outcome in exact):
        return False
    pairs = [(outcome, by_fold[outcome.task.fold]) for outcome in exact]
    changed = [_changed(a.cuts[0], b.cuts[0]) for a, b in pairs]
    losses = [_score(a) - _score(b) for a, b in pairs]
    few = np.concatenate(changed).mean() <= MOST_CHANGED
    return bool(few and abs(np.mean(losses)) <= MOST_LOST)


def _changed(exact: Cut, rounded: Cut) -> Bools:
    """Which decisions differ: one per document, or one per document and label."""
    differs = exact.chosen != rounded.chosen
    one_class = exact.tuning is not None and exact.tuning.ndim == 1
    return np.asarray(differs.any(axis=1) if one_class else differs.ravel())


def _score(outcome: Outcome) -> float:
    """The value of the first metric; 0 where it is not defined, for every storage alike."""
    metric = outcome.task.metrics[0]
    return next((row.value or 0.0 for row in outcome.rows if row.metric == metric), 0.0)


def _jobs(chosen: Mapping[str, Candidate], tasks: FinalTasks) -> Iterator[Job]:
    """One job per problem and fold of the first repeat, which selects once for all storages."""
    prepared, n_docs = tasks.prepared, 0
    for split in prepared.splits[: tasks.plan.split.cv]:
        if n_docs >= ENOUGH_DOCUMENTS:
            return
        n_docs += split.test.size
        for problem in prepared.problems(split, chosen):
            task = fold_task(chosen[problem.name], tasks, split)
            yield Job(problem, tuple(replace(task, storage=storage) for storage in STORAGES))


def fold_task(chosen: Candidate, tasks: FinalTasks, split: Split) -> Task:
    alphas = None if chosen.alpha is None else (chosen.alpha,)
    task = tasks.plan.one_task(
        tasks.prepared.corpus,
        split,
        "validation",
        tasks.targets[chosen.problem],
        parse_method(chosen.variant),
        0,
        (chosen.size,),
        alphas,
        tasks.members(chosen),
    )
    thresholds, calibration = tasks.tuning(chosen)
    task = replace(task, part="storage", detail=True)
    return replace(task, thresholds=thresholds, calibration=calibration)


class FileSizes:
    """About how large the files of candidates are, and rarely less: for limits before training."""

    def __init__(self, words: Iterable[object]) -> None:
        names = sorted(map(str, words))
        sample = names[:: max(1, len(names) // SAMPLE)]
        text = "\n".join(sample).encode("utf-8", "surrogatepass")
        self._text = len(zlib.compress(text, 9)) / max(1, len(sample))

    def of(self, target: Target, storage: Storage = STORAGES[0]) -> SizeInBytes:
        """The bytes of a candidate for this target, from its number of features."""
        n_rows, names = target.n_columns, sum(len(name.encode()) for name in target.classes)
        fixed = HEADER_BYTES + ROW_BYTES * n_rows + names
        per_feature = FEATURE_BYTES + self._text + COEFFICIENT_BYTES[storage] * n_rows
        return lambda candidate: fixed + candidate.n_features * per_feature
