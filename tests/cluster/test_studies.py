"""Studies on a cluster, against the same study in this process; also where processes are killed."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from laconic.cluster import connected
from laconic.corpus import stored_texts
from laconic.corpus.readers import shards as shard_reading
from laconic.errors import ResourceError
from laconic.report.build import view_of
from laconic.report.page import page
from laconic.studies.execution.dask import DaskExecutor
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import JOURNAL
from laconic.text import blocks
from tests.cluster.processes import cluster_processes
from tests.cluster.small import small_study, write_shards
from tests.studies.test_study import told

pytestmark = pytest.mark.full

MODEL = "model.laconic"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def shards(tmp_path_factory) -> Path:
    return write_shards(tmp_path_factory.mktemp("shards") / "pets")


@pytest.fixture(scope="module")
def expected(shards, tmp_path_factory) -> Path:
    where = tmp_path_factory.mktemp("here")
    small_study(shards, where).run()
    return where


@pytest.fixture
def large(monkeypatch):
    """Small texts are treated as large ones: read by workers, stored, and counted in blocks."""
    monkeypatch.setattr(stored_texts, "TEXT_IN_MEMORY", 1000)
    monkeypatch.setattr(blocks, "BLOCK_CHARACTERS", 3000)
    monkeypatch.setattr(shard_reading, "WORTH_PROCESSES", 0)


def assert_same(where: Path, expected: Path) -> None:
    """The same rows and model."""
    assert told(where) == told(expected)
    assert (where / MODEL).read_bytes() == (expected / MODEL).read_bytes()


def n_recorded(where: Path) -> int:
    """The tasks of the plan that the journal has."""
    if not (where / JOURNAL).exists():
        return 0
    with Journal.reading(where / JOURNAL) as journal:
        keys = journal.latest_plan().keys if journal.plans() else ()
        return len(journal.done().intersection(keys))


def test_rows_and_model_are_those_of_this_process(client, shards, expected, tmp_path, large):
    work = small_study(shards, tmp_path / "study")
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
    small_study(shards, where).run(DaskExecutor(client, shared))
    assert_same(where, expected)
    gc.collect()
    assert [path.name for path in shared.iterdir()] == ["blocks"]
    assert not (where / "blocks").exists()


@pytest.mark.parametrize("phase", ["counting", "task", "concluding"])
def test_a_lost_worker_changes_nothing(client, shards, expected, tmp_path, large, phase):
    """A worker is killed at the first event of a phase: the study goes on, and ends the same."""
    killed: list[int] = []

    def listen(event):
        if event.kind == phase and not killed:
            (pid, *_) = client.run(os.getpid).values()
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    work = small_study(shards, tmp_path / "study")
    findings = work.run(DaskExecutor(client, tmp_path), listen=listen)
    assert killed
    assert not findings.failures
    assert_same(tmp_path / "study", expected)


def test_the_same_command_goes_on_after_the_scheduler_or_the_client_was_lost(
    shards, expected, tmp_path, large
):
    with cluster_processes() as cluster:
        at_scheduler_losses(cluster, ["counting", "task"], shards, expected, tmp_path / "a")
        at_client_losses(cluster, [9], shards, expected, tmp_path / "b")


@pytest.mark.slow
def test_it_goes_on_after_twenty_kills(shards, expected, tmp_path, large):
    with cluster_processes() as cluster:
        phases = ["loaded", "counting", "planned", "task", "concluding"]
        at_scheduler_losses(cluster, phases, shards, expected, tmp_path / "a")
        for number, events in enumerate([range(1, 6), range(6, 11), (9, 8, 7, 6, 5)]):
            at_client_losses(cluster, events, shards, expected, tmp_path / f"client-{number}")


def at_scheduler_losses(cluster, phases, shards, expected, parent) -> None:
    """The scheduler is killed in each phase of one study; it is started again each time."""
    where = parent / "study"
    parent.mkdir()
    n_events = 0  # of tasks: none that is recorded is computed again

    def count_tasks(event):
        nonlocal n_events
        n_events += event.kind == "task"

    for phase in phases:
        killed = False

        def listen(event, phase=phase):
            nonlocal killed
            count_tasks(event)
            if event.kind == phase and not killed:
                killed = True
                cluster.kill_scheduler()

        with pytest.raises(ResourceError, match="run the same command again"):
            run_on(cluster, shards, where, listen)
        assert killed
        gc.collect()
        cluster.start()
    run_on(cluster, shards, where, count_tasks)
    assert n_events == n_recorded(where)
    assert_same(where, expected)
    gc.collect()
    assert [path.name for path in parent.iterdir()] == ["study"], "nothing else is left"


def run_on(cluster, shards, where, listen=lambda event: None) -> None:
    with connected(cluster.address) as client:
        small_study(shards, where).run(DaskExecutor(client, where.parent), listen=listen)


def at_client_losses(cluster, events, shards, expected, parent) -> None:
    """The client is killed at each of these events of one study, then the study ends."""
    parent.mkdir()
    for event in (*events, 0):
        command = [sys.executable, "-m", "tests.cluster.killed_study", cluster.address]
        paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
        done = subprocess.run(
            [*command, str(shards), str(parent / "study"), str(event)],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": paths},
            stdout=subprocess.DEVNULL,
        )
        assert done.returncode == (-signal.SIGKILL if event else 0)
    assert_same(parent / "study", expected)
    assert [path.name for path in parent.iterdir()] == ["study"], "nothing else is left"
