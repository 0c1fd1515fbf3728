"""The storage of a study's model: the smallest that changes next to no validation decision."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest

from laconic import Plan, Study
from laconic.compact import CompactModel, stored
from laconic.compact.storage import exact_storage
from laconic.rows import Row
from laconic.runtime.choices import Storage
from laconic.studies.analysis import storage as storage_module
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.storage import FileSizes, recommend_stored, smallest_storage
from laconic.studies.execution.local import InProcess
from laconic.studies.execution.task import Cut, Outcome, Task
from laconic.studies.options import LimitOptions, SplitOptions
from laconic.text.problem import Target, targets_of
from tests.studies.corpora import pets

N_DOCS = 1000
STORAGES: tuple[Storage, ...] = get_args(Storage)


def outcome(
    storage: Storage, fold: str, n_changed: int = 0, value: float = 0.5, *, labels: bool = False
) -> Outcome:
    """A fold of 1,000 documents in three classes, of which some are decided otherwise."""
    chosen = np.zeros((N_DOCS, 3), bool)
    chosen[:, 0] = True
    chosen[:n_changed] = [True, False, True] if labels else [False, False, True]
    tuning = np.zeros((3, 256, 2)) if labels else np.zeros(10)
    task = Task("d", "p", "storage", fold, "", "", "IG", 0, (5,), ("f1_macro",), storage=storage)
    row = Row("p", "IG", 5, "f1_macro", value=value)
    return Outcome(task, "ok", (row,), cuts=(Cut(5, np.arange(5), chosen, tuning=tuning),))


def folds(*rounded: tuple[int, float]) -> list[Outcome]:
    """Two folds with every storage; the second as stated, the smallest storage first."""
    changes = [*rounded, *[(0, 0.5)] * (len(STORAGES) - len(rounded))]
    return [
        *(outcome(storage, "a") for storage in STORAGES),
        *(
            outcome(storage, "b", *change)
            for storage, change in zip(STORAGES, changes, strict=True)
        ),
    ]


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (folds((2, 0.5)), "int8"),
        (folds((3, 0.5)), "int16"),
        (folds((0, 0.5019)), "int8"),
        (folds((0, 0.4979)), "int16"),
        (folds((0, 0.5021)), "int16"),
        (folds((3, 0.5), (2, 0.5)), "int16"),
        (folds((3, 0.5), (3, 0.5)), "float32"),
        (folds((3, 0.5), (0, 0.4979)), "float32"),
        (folds((0, 0.5), (3, 0.5)), "int8"),
        (folds((3, 0.5), (3, 0.5), (3, 0.5)), "float64"),
        ([o for o in folds() if (o.task.storage, o.task.fold) != ("int8", "b")], "int16"),
        ([o for o in folds() if o.task.storage != "float64"], "float64"),
        ([], "float64"),
    ],
)
def test_the_rule(outcomes: list[Outcome], expected: Storage) -> None:
    """Of 2,000 documents 2 may change, and 0.001 of the metric."""
    assert smallest_storage(outcomes) == expected


@pytest.mark.parametrize(("n_changed", "expected"), [(3, "int8"), (4, "int16")])
def test_each_label_is_a_decision(n_changed: int, expected: Storage) -> None:
    """Of 1,000 documents with 3 labels, 3 decisions may change."""
    outcomes = [outcome(s, "a", n_changed if s == "int8" else 0, labels=True) for s in STORAGES]
    assert smallest_storage(outcomes) == expected


def test_a_failure_keeps_every_number() -> None:
    failed = [replace(o, status="failed", cuts=()) for o in folds((0, 0.5))]
    assert smallest_storage(failed) == "float64"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan(
        pets(240), methods=("ALL", "IG"), sizes=(4, 9), split=SplitOptions(cv=3), features="words"
    )


@pytest.mark.full
@pytest.mark.parametrize("most", [1.0, -1.0])
def test_the_model_is_measured_as_it_is_stored(
    plan: Plan, most: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage_module, "MOST_CHANGED", most)
    monkeypatch.setattr(storage_module, "MOST_LOST", 1.0)
    (found,) = Study(plan, tmp_path).run().recommendations
    model = CompactModel.load(tmp_path / "model.laconic")
    assert found.storage == exact_storage(model.runtime) == ("int8" if most > 0 else "float64")
    assert found.n_bytes == (tmp_path / "model.laconic").stat().st_size
    (corpus,) = plan.load()
    (split,) = plan.split.held_out(corpus)
    texts = [corpus.texts[at] for at in split.test]
    truth = [corpus.labels[at][0] for at in split.test]
    right = np.array(truth) == np.array(model.predict(texts))
    assert found.metric == "accuracy"
    assert found.test is not None
    assert found.test.mistakes == pytest.approx(1000 * (1 - np.mean(right)))
    for row in found.budget:
        assert exact_storage(CompactModel.load(tmp_path / row.model_file).runtime) == found.storage


@pytest.mark.full
def test_the_next_run_rounds_nothing_again(plan: Plan, tmp_path: Path) -> None:
    before = Study(plan, tmp_path).run().recommendations

    def refuse(job):
        raise AssertionError(f"{job.tasks[0].title} is done already")

    assert Study(plan, tmp_path).run(InProcess(run=refuse)).recommendations == before


@pytest.mark.full
def test_the_rule_is_about_the_models_of_the_folds(plan: Plan, tmp_path: Path) -> None:
    """The decisions that are compared are those of the fold's model, rounded by `stored`."""
    jobs = []

    class Recorded(InProcess):
        def run(self, given):
            for job in given:
                outcomes = list(super().run([replace(job, with_models=True)]))
                if job.tasks[0].part == "storage":
                    jobs.append((job, outcomes))
                yield from outcomes

    Study(plan, tmp_path).run(Recorded())
    assert len(jobs) == 3
    for job, outcomes in jobs:
        assert [o.task.storage for o in outcomes] == list(STORAGES)
        exact = outcomes[-1].trained.model
        for o in outcomes:
            slow = stored(exact, o.task.storage)
            np.testing.assert_array_equal(o.trained.model.coef.toarray(), slow.coef.toarray())
            best = slow.decision(job.problem.X_test).argmax(axis=1)
            np.testing.assert_array_equal(o.cuts[0].chosen, np.eye(3, dtype=bool)[best])


@pytest.mark.full
@pytest.mark.parametrize("storage", STORAGES)
def test_files_are_within_their_estimate(storage: Storage) -> None:
    from laconic import load_corpus
    from laconic.compact import train
    from laconic.methods import parse_method

    corpus = load_corpus("pydocs")
    (target,) = targets_of(corpus, "auto", None)
    for size in (30, 300):
        model = train(parse_method("IG+svm").build(1.0, 0, True, "selected"), corpus, size)
        candidate = Candidate("p", "IG", size, "f1", 0.5, 0.0, model.n_words, ())
        estimate = FileSizes(model.words).of(target, storage)(candidate)
        assert 0.5 * estimate < len(model.to_bytes(storage)) < estimate


def test_a_limit_in_bytes_is_met(tmp_path: Path) -> None:
    plan = Plan(
        pets(240),
        methods=("IG",),
        sizes=(4, 9, 18),
        split=SplitOptions(cv=3),
        limits=LimitOptions(max_bytes=1000),
        features="words",
    )
    (found,) = Study(plan, tmp_path).run().recommendations
    assert 0 < found.n_bytes <= 1000
    assert not found.missed


@pytest.mark.parametrize(
    ("needed", "expected"),
    [
        ({}, (1000, "int8")),
        ({1000: "int16"}, (500, "int8")),
        ({1000: "int16", 500: "int16"}, (500, "int16")),
        ({1000: "int16", 500: "float32"}, (200, "int8")),
        ({1000: "float32", 200: "int16"}, (200, "int16")),
        ({1000: "int16", 500: "float32", 200: "float64", 140: "float64"}, (140, "float64")),
    ],
)
def test_a_limit_in_bytes_is_met_with_the_storage_of_the_model(
    needed: dict[int, Storage], expected: tuple[int, Storage], monkeypatch: pytest.MonkeyPatch
) -> None:
    """27,000 bytes are enough for 1,000 words as int8, 500 as int16, 200 as float32, 140 else."""

    def storage_for(chosen, *_):
        return {c.problem: needed.get(c.size, "int8") for c in chosen}

    monkeypatch.setattr(storage_module, "storage_for", storage_for)
    sizes, words = (140, 200, 500, 1000), [f"word{i}" for i in range(500)]
    candidates = [Candidate("p", "IG", n, "f1", n / 1e4, 0.0, n, (n / 1e4,)) for n in sizes]
    target = Target("p", tuple("abcdefghijklmnopqrst"), np.zeros(1, np.int64))
    tasks = SimpleNamespace(
        plan=SimpleNamespace(limits=LimitOptions(max_bytes=27_000)),
        prepared=SimpleNamespace(counted=SimpleNamespace(words=words)),
    )
    found = recommend_stored({"p": candidates}, [target], tasks, InProcess(), {})["p"]
    assert (found.chosen.size, found.storage) == expected
    assert FileSizes(words).of(target, found.storage)(found.chosen) <= 27_000
