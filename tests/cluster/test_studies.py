"""Studies on a cluster, against the same study in this process; also with workers that are lost."""

from __future__ import annotations

import gc
import json
import os
import signal
from pathlib import Path

import pytest

from laconic import Plan, Study
from laconic.corpus import stored_texts
from laconic.corpus.readers import shards as shard_reading
from laconic.report.build import view_of
from laconic.report.page import page
from laconic.studies.execution.dask import DaskExecutor
from laconic.studies.options import SplitOptions, TrainingOptions
from laconic.text import blocks
from tests.studies.corpora import pets
from tests.studies.test_study import told

pytestmark = pytest.mark.full

METHODS = ("ALL", "IG", "RFE")
MODEL = "model.laconic"


@pytest.fixture(scope="module")
def shards(tmp_path_factory) -> Path:
    """A folder of shards of 60 documents."""
    folder, corpus = tmp_path_factory.mktemp("shards") / "pets", pets(240)
    folder.mkdir()
    pairs = list(zip(corpus.texts, corpus.labels, strict=True))
    for number in range(4):
        lines = [
            json.dumps({"text": text, "label": label})
            for text, (label,) in pairs[60 * number : 60 * number + 60]
        ]
        (folder / f"part-{number}.jsonl").write_text("\n".join(lines))
    return folder


@pytest.fixture
def large(monkeypatch):
    """Small texts are treated as large ones: read by workers, stored, and counted in blocks."""
    monkeypatch.setattr(stored_texts, "TEXT_IN_MEMORY", 1000)
    monkeypatch.setattr(blocks, "BLOCK_CHARACTERS", 3000)
    monkeypatch.setattr(shard_reading, "WORTH_PROCESSES", 0)


def study(shards: Path, where: Path) -> Study:
    split, training = SplitOptions(cv=2, max_tuning=100), TrainingOptions(blends=False)
    about = {"sizes": (5, 20), "split": split, "training": training, "features": "words"}
    return Study(Plan(str(shards), METHODS, **about), where)


@pytest.fixture(scope="module")
def expected(shards, tmp_path_factory) -> Path:
    where = tmp_path_factory.mktemp("here")
    study(shards, where).run()
    return where


def assert_same(where: Path, expected: Path) -> None:
    assert told(where) == told(expected)
    assert (where / MODEL).read_bytes() == (expected / MODEL).read_bytes()


def test_rows_and_model_are_those_of_this_process(client, shards, expected, tmp_path, large):
    work = study(shards, tmp_path / "study")
    findings = work.run(DaskExecutor(client, tmp_path))
    assert not findings.failures
    counts = work.corpora[0].counted.counts
    assert len(counts.parts) > 3
    assert counts.engine is not None
    assert_same(tmp_path / "study", expected)
    view = view_of(tmp_path / "study")
    assert len(view.workers) > 1
    assert sum(worker.n_tasks for worker in view.workers) == len(work.tasks)
    assert "Peak memory (MB)" in page(view)
    del work, counts  # texts stay as long as their corpus
    gc.collect()
    assert [path.name for path in tmp_path.iterdir()] == ["study"], "nothing else is left"


def test_blocks_are_in_the_shared_folder_if_workers_do_not_see_that_of_the_study(
    client, shards, expected, tmp_path, large
):
    shared, where = tmp_path / "shared", tmp_path / "elsewhere" / "study"
    shared.mkdir()
    study(shards, where).run(DaskExecutor(client, shared))
    assert_same(where, expected)
    assert [path.name for path in shared.iterdir()] == ["blocks"]
    assert not (where / "blocks").exists()


@pytest.mark.parametrize("phase", ["counting", "task", "concluding"])
def test_a_lost_worker_changes_nothing(client, shards, expected, tmp_path, large, phase):
    """In each phase a worker is killed at the first event; work goes on, and ends the same."""
    killed: list[int] = []

    def listen(event):
        if event.kind == phase and not killed:
            (pid, *_) = client.run(os.getpid).values()
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    findings = study(shards, tmp_path / "study").run(DaskExecutor(client, tmp_path), listen=listen)
    assert killed
    assert not findings.failures
    assert_same(tmp_path / "study", expected)
