"""`connected`: the cluster that an option of the command names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from logging import CRITICAL, getLogger, root
from socket import create_connection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from laconic.errors import LaconicError, ResourceError
from laconic.resources import memory_of_machine, usable_cpus

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
CONNECT_SECONDS = 30.0
MOST_PER_CPU = 4


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the cluster at an address, or of a new one on this machine: `local:4`.

    A cluster on this machine has one process per worker and encrypted connections, and ends with
    the block. `local:4x900MB` gives each worker so much memory.
    """
    check_installed()
    _silence()
    name, _, wanted = address.partition(":")
    if name == LOCAL:
        with _local(address, wanted) as client:
            yield client
        return
    _check_address(address)
    _check_reachable(address)
    from distributed import Client

    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as failure:
        raise ResourceError(
            f"--cluster {address}: the scheduler does not answer ({failure}). Check the address, "
            "and for tls:// that all certificates are of the same authority"
        ) from None
    with client:
        yield client


def check_installed() -> None:
    for package in ("distributed", "cryptography"):
        if find_spec(package) is None:
            raise LaconicError(
                f"a cluster needs the package {package}: pip install 'laconic[cluster]'"
            )


def _silence() -> None:
    """Show no messages of Dask: its errors are exceptions too. Each of its loggers has a level."""
    import distributed  # noqa: F401 - it sets the levels

    for name in list(root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            getLogger(name).setLevel(CRITICAL)


@contextmanager
def _local(address: str, wanted: str) -> Iterator[Client]:
    from dask import config
    from distributed import Client, LocalCluster
    from distributed.security import Security

    number, _, memory = wanted.partition("x")
    n_workers = _number(address, number) if number else usable_cpus()
    settings: dict[str, Any] = {
        "n_workers": n_workers,
        "threads_per_worker": 1,
        "memory_limit": memory or (memory_of_machine() or 0) // n_workers or None,
        "scheduler_kwargs": {"dashboard": False, "dashboard_address": "127.0.0.1:0"},
        "security": Security.temporary(),
        "protocol": "tls",
        "host": "127.0.0.1",
        "silence_logs": CRITICAL,
    }
    with (
        config.set({f"distributed.{node}.http.routes": [] for node in ("scheduler", "worker")}),
        LocalCluster(**settings) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _check_reachable(address: str) -> None:
    """Refuse what cannot work, at once: a client would try for a minute."""
    from distributed.comm.addressing import get_address_host_port
    from distributed.security import Security

    if address.startswith("tls://"):
        security: Any = Security()
        if security.get_connection_args("client").get("ssl_context") is None:
            raise LaconicError(
                f"--cluster {address}: name the certificates in Dask's settings, for example by "
                "the variables DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT and "
                "…__CLIENT__KEY; docs/cluster.md shows how to make them"
            )
    try:
        create_connection(get_address_host_port(address), CONNECT_SECONDS).close()
    except (OSError, ValueError) as failure:
        raise ResourceError(
            f"--cluster {address}: no scheduler answers there ({failure}). Check the address"
        ) from None


def _number(address: str, text: str) -> int:
    most = MOST_PER_CPU * usable_cpus()
    if not (text.isdecimal() and 1 <= int(text) <= most):
        raise LaconicError(
            f"--cluster {address}: after `local:` comes a number of workers from 1 to {most}, "
            "and perhaps the memory of each, as in local:2x900MB"
        )
    return int(text)


def _check_address(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme not in ("tls", "tcp", "ucx", "inproc") or not parts.netloc:
        raise LaconicError(
            f"--cluster {address}: give the address of a scheduler, such as "
            "tls://scheduler.example:8786, or local:4 for four workers on this machine"
        )
    if parts.scheme == "tcp" and parts.hostname not in LOOPBACK:
        raise LaconicError(
            f"--cluster {address}: anyone who can reach such a port can run programs on your "
            "machines. Start the scheduler and the workers with TLS and use tls://; "
            "docs/cluster.md shows how"
        )
