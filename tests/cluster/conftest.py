"""A cluster on this machine, shared by the tests of a file."""

from __future__ import annotations

import pytest
from dask import config

from laconic.cluster import connected


@pytest.fixture(scope="package")
def client():
    """Two workers, which are started again if they exit; a call that ends two of them fails."""
    with (
        config.set({"distributed.scheduler.allowed-failures": 1}),
        connected("local:2x1GB") as client,
    ):
        yield client
