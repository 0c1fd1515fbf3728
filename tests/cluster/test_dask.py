"""Engine and executor of a cluster pass the examinations, and say what is wrong with a cluster."""

from __future__ import annotations

import os
import socket
from dataclasses import replace

import numpy as np
import pytest
from distributed import Client, LocalCluster
from scipy.sparse import csr_array

from laconic import RLSClassifier
from laconic.cluster import DaskEngine, connected, dask_engine
from laconic.cluster.shared_objects import SharedObjects, loads
from laconic.errors import LaconicError, ResourceError
from laconic.numerics.blocks import Blocks, normal_product
from laconic.scores import information_gain
from laconic.studies.execution.dask import DaskExecutor
from laconic.testing import check_blocks, check_executor

pytestmark = pytest.mark.full


def test_the_engine_passes_its_examination(client, tmp_path):
    check_blocks(lambda: DaskEngine(client, tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_the_executor_passes_its_examination(client, tmp_path):
    check_executor(lambda run: DaskExecutor(client, tmp_path, run=run))
    assert list(tmp_path.iterdir()) == []


def test_an_item_that_ends_every_worker_is_an_error(client, tmp_path):
    with DaskEngine(client, tmp_path) as engine:
        results = engine.run(ends_the_worker, range(2))
        with pytest.raises(ResourceError, match="2 workers in a row exited"):
            list(results)
        assert list(engine.run(str, [1, 2])) == ["1", "2"]


def ends_the_worker(item):
    os._exit(9)


def test_other_versions_on_a_worker_are_an_error(client, tmp_path, monkeypatch):
    here = dask_engine.versions_here()
    monkeypatch.setattr(dask_engine, "versions_here", lambda: {**here, "numpy": "1.0"})
    says = f"numpy {here['numpy']} there and 1.0 here"
    with pytest.raises(LaconicError, match=says), DaskEngine(client, tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_other_versions_on_a_worker_that_comes_later_are_an_error(client, tmp_path, monkeypatch):
    with DaskEngine(client, tmp_path) as engine:
        here = dask_engine.versions_here()
        monkeypatch.setattr(dask_engine, "versions_here", lambda: {**here, "scipy": "1.0"})
        with pytest.raises(LaconicError, match=r"and 1\.0 here"):
            list(engine.run(str, [1]))


def test_a_folder_that_workers_do_not_see_is_an_error(client, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_engine, "describe_worker", unseen)
    with pytest.raises(LaconicError, match="does not see the folder"), DaskEngine(client, tmp_path):
        pass


def unseen(token):
    return dask_engine.versions_here(), False


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("local:0", "a number of workers from 1 to"),
        ("local:many", "a number of workers from 1 to"),
        ("scheduler:8786", "give the address of a scheduler"),
        ("tcp://10.0.0.1:8786", "use tls://"),
        ("tls://127.0.0.1:1", "name the certificates"),
    ],
)
def test_an_address_that_cannot_work_is_refused_at_once(address, says):
    with pytest.raises(LaconicError, match=says), connected(address):
        pass


def test_a_scheduler_that_does_not_answer_is_an_error():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ResourceError, match="no scheduler answers there"), connected(address):
        pass


def test_no_port_is_open_to_other_machines(client):
    workers = client.scheduler_info(n_workers=-1)["workers"]
    addresses = [client.scheduler.address, *workers]
    assert all(address.startswith("tls://127.0.0.1:") for address in addresses)


def test_a_large_array_is_one_file_as_long_as_it_lives(tmp_path):
    objects, large = SharedObjects(tmp_path), np.arange(100_000)
    pickled = [objects.dumps((number, large)) for number in range(3)]
    assert len(list(tmp_path.iterdir())) == 1
    for number, data in enumerate(pickled):
        first, array = loads(data)
        assert first == number
        assert np.array_equal(array, large)
        assert not array.flags.writeable
    del large, array
    assert list(tmp_path.iterdir()) == []


class SmallWorkers:
    """An engine whose workers have little memory."""

    n_workers, folder, memory = 2, None, 10**6

    def run(self, function, items, *, listen=None):
        return map(function, items)


def test_sums_that_do_not_fit_into_a_worker_are_refused_and_say_what_fits():
    X, y = csr_array(np.eye(300)), np.arange(300) % 2
    blocks = replace(Blocks.of(X, 3, memory=1), engine=SmallWorkers())
    with pytest.raises(ResourceError, match="Select up to 176 words"):
        RLSClassifier().fit(blocks, y)
    assert RLSClassifier().fit(blocks[:, :176], y).coef_.shape == (1, 176)


def test_tables_of_many_classes_are_made_in_slices_that_fit_into_a_worker(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = csr_array(rng.random((300, 900)) < 0.05), rng.integers(0, 60, 300)
    engine = SmallWorkers()
    slices = []
    blocks = replace(Blocks.of(X, 3), engine=engine)
    monkeypatch.setattr(engine, "run", lambda f, items: map(f, slices.append(1) or items))
    assert np.array_equal(information_gain(blocks, y), information_gain(X, y))
    assert len(slices) == 2


def test_a_cluster_that_adapts_its_size_starts_from_no_workers(tmp_path):
    settings = {"n_workers": 0, "threads_per_worker": 1, "host": "127.0.0.1"}
    pages = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(**settings, scheduler_kwargs=pages) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        cluster.adapt(minimum=0, maximum=2, interval="100ms")
        with DaskEngine(client, tmp_path) as engine:
            assert list(engine.run(str, range(20))) == [str(number) for number in range(20)]


def test_products_of_many_columns_are_made_of_slices_that_fit_into_a_worker():
    rng = np.random.default_rng(0)
    X = csr_array(rng.random((90, 1500)) * (rng.random((90, 1500)) < 0.1))
    V, U = rng.standard_normal((1500, 40)), rng.standard_normal((90, 40))
    here = Blocks.of(X, 7)
    there = replace(here, engine=SmallWorkers())
    for compute in (lambda X: X @ V, lambda X: X.T @ U, lambda X: normal_product(X, V)):
        assert np.array_equal(compute(here), compute(there))
    widths: list[int] = []
    there.by_columns(V, lambda part: widths.append(part.shape[1]) or part)
    assert sum(widths) == 40
    assert max(widths) * 1500 * 24 <= 0.4 * SmallWorkers.memory
